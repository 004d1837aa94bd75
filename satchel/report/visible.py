"""Foreign text for the eye: characters that hide, reorder or break a page are spelled out."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any, Final

from ..exits import redacted

_UNSAFE: Final = re.compile(
    "(?![\n\t])[\x00-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ufffe\uffff\ud800-\udfff]"
)
"""Controls, marks that reorder or hide what stands beside them, and what neither HTML nor XML can hold."""

_MARKUP: Final = str.maketrans({char: f"\\u{ord(char):04x}" for char in "<>&'\u2028\u2029"})


def visible(text: str) -> str:
    """Return ``text`` with secrets replaced, and with unsafe characters spelled out; lines and tabs stay."""
    return spelled(redacted(text))


def visible_line(texts: Sequence[str]) -> list[str]:
    """Return each of ``texts`` as :func:`visible` on one line, looked through for secrets all at once."""
    joined = visible("\n".join(" ".join(text.splitlines()) for text in texts))
    parts = joined.split("\n")
    return parts if len(parts) == len(texts) else [visible(" ".join(text.splitlines())) for text in texts]


def spelled(text: str) -> str:
    """Return ``text`` with the characters spelled out that act on what stands beside them."""
    return _UNSAFE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def embedded(data: Any) -> str:
    """Return ``data`` as JSON that may stand in a script element: no character of it can end the element."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.translate(_MARKUP)
