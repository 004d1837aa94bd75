"""The one exit: every text that a prompt is made of passes through :func:`emit`.

Blocks and frame pieces are emitted one by one, before they are counted and joined, so that what is
counted is what leaves, and whatever inspects or replaces text here sees all of it (J07).
"""

from __future__ import annotations

import re
from typing import Final

_LONE_SURROGATE: Final = re.compile("[\ud800-\udfff]")


def emit(piece: str) -> str:
    """Return ``piece`` as it leaves: line ends are LF, and each lone surrogate is U+FFFD.

    A lone surrogate (half a character, as broken JSON escapes give it) cannot be written as UTF-8.
    The same piece gives the same bytes, and emitting twice changes nothing.
    """
    return _LONE_SURROGATE.sub("\ufffd", unix_lines(piece))


def unix_lines(text: str) -> str:
    """Return ``text`` with LF for every CR LF and every CR."""
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text
