"""Names of output folders: safe on every file system, and never two for one."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from typing import Final

LONGEST: Final = 100
"""Bytes of a name; file systems take 255, of which temporary names need some."""

_UNSAFE: Final = re.compile(r"[^\w.+@=,-]+")
_DEVICES: Final = re.compile(r"(?i)(con|prn|aux|nul|com\d|lpt\d)(\.|$)")
"""Names that are devices on Windows, whatever follows the first point."""


def safe_name(text: str) -> str:
    """Return ``text`` as the name of one folder: path separators become points, all else that is odd ``-``.

    >>> safe_name("src/box/store"), safe_name("GET /links/{code}")
    ('src.box.store', 'GET-.links.-code')
    """
    name = unicodedata.normalize("NFC", text).replace("/", ".").replace("\\", ".")
    name = _UNSAFE.sub("-", name).strip("-.")
    if _DEVICES.match(name):
        name = f"page-{name}"
    if len(name.encode("utf-8")) > LONGEST:
        head = name.encode("utf-8")[: LONGEST - 9].decode("utf-8", "ignore")
        name = f"{head.rstrip('-.')}-{_mark(text)}"
    return name or f"page-{_mark(text)}"


def unique_names(texts: Sequence[str]) -> list[str]:
    """Return a safe name for each of ``texts``, which are distinct.

    Names that would be one on a file system without upper case end in a digest of their text, all of them:
    what a task is called does not depend on the tasks before it.
    """
    names = [safe_name(text) for text in texts]
    taken = Counter(name.casefold() for name in names)
    return [
        name if taken[name.casefold()] == 1 else f"{name[: LONGEST - 9]}-{_mark(text)}"
        for name, text in zip(names, texts, strict=True)
    ]


def _mark(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]
