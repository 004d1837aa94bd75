"""Names of files as text: a printable form for every name, and the byte form that git's rules compare."""

from __future__ import annotations

import os
import re
from typing import Final

_UNSAFE: Final = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]"
)
"""Control, bidirectional and zero-width characters, and the lone surrogates of undecodable bytes."""

_LOOKS_ESCAPED: Final = re.compile(r"\\(?:x[0-9a-f]{2}|u[0-9a-f]{4})")


def display_path(raw: str) -> str:
    r"""Return a form of ``raw`` that is valid UTF-8, stands on one line, and is unique.

    Ordinary names come back unchanged. A byte that is not UTF-8 becomes ``\xNN``, a control or
    invisible character ``\uNNNN``; in such a name (and in one that spells such an escape itself)
    a backslash is doubled, so that two different names never get the same form.

    Parameters
    ----------
    raw
        A path as ``os.scandir`` gives it: undecodable bytes are surrogate escapes.
    """
    if raw.isascii() and raw.isprintable() and "\\" not in raw:
        return raw
    if not _UNSAFE.search(raw) and not _LOOKS_ESCAPED.search(raw):
        return raw
    return _UNSAFE.sub(_escape, raw.replace("\\", "\\\\"))


def _escape(match: re.Match[str]) -> str:
    point = ord(match[0])
    if 0xDC80 <= point <= 0xDCFF:  # how surrogateescape spells the byte point - 0xDC00
        return f"\\x{point - 0xDC00:02x}"
    return f"\\u{point:04x}"


def byte_form(raw: str) -> str:
    """Return ``raw`` with one character for each of its bytes: git compares bytes, not characters."""
    return raw if raw.isascii() else os.fsencode(raw).decode("latin-1")


def from_byte_form(text: str) -> str:
    """Undo :func:`byte_form`."""
    return text if text.isascii() else os.fsdecode(text.encode("latin-1"))
