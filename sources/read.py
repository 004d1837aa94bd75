"""Files as text: one decoding, one kind of line end, and an account of what was changed on the way."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, NamedTuple

from .encodings import Reading, damaged_utf8, declared, guessed
from .files import DEFAULT_MAX_FILE_BYTES, Skipped, SkipReason, SourceFile

_HEAD: Final = 8192
"""Bytes in which a NUL makes a file binary (git looks at 8,000)."""

_NUL_SHARE: Final = 1000
"""A valid UTF-8 text with NULs beyond its head stays text with at most one in so many characters."""

_CONTROL: Final = bytes(byte for byte in range(32) if byte not in b"\t\n\r\f\b\x1b") + b"\x7f"
"""Bytes that no legacy encoding uses in text."""

_CONTROL_SHARE: Final = 50
"""Bytes that are not UTF-8 are binary with more than one control or wrong character in so many."""

_WIDE_MARKS: Final = (
    (b"\xff\xfe\0\0", "utf-32-le"),
    (b"\0\0\xfe\xff", "utf-32-be"),
    (b"\xff\xfe", "utf-16-le"),
    (b"\xfe\xff", "utf-16-be"),
)
"""Byte-order marks, longer ones first: one begins like another."""

_KINDS: Final = (
    (b"\x89PNG", "PNG image"),
    (b"\xff\xd8\xff", "JPEG image"),
    (b"GIF8", "GIF image"),
    (b"%PDF-", "PDF document"),
    (b"PK\x03\x04", "ZIP archive"),
    (b"\x1f\x8b", "gzip data"),
    (b"BZh", "bzip2 data"),
    (b"\xfd7zXZ", "xz data"),
    (b"7z\xbc\xaf", "7-Zip archive"),
    (b"\x28\xb5\x2f\xfd", "Zstandard data"),
    (b"\x7fELF", "ELF object"),
    (b"MZ", "Windows program"),
    (b"\xca\xfe\xba\xbe", "Java class or Mach-O object"),
    (b"\xcf\xfa\xed\xfe", "Mach-O object"),
    (b"\0asm", "WebAssembly module"),
    (b"SQLite format 3", "SQLite database"),
    (b"wOF", "web font"),
    (b"\0\1\0\0", "TrueType font"),
    (b"RIFF", "RIFF media"),
    (b"OggS", "Ogg media"),
    (b"ID3", "MP3 audio"),
)
"""First bytes of what a binary file may be; asked only once it is known to be binary."""

_OWN_OUTPUT: Final = re.compile(
    r"\A(?:<pack-guide>\s*|# |=== |\{\"guide\":\")Satchel context pack\b"
    r"|\A\{\s*\"schemaVersion\"\s*:\s*\"(?:packed-context|packing-problem)\.v\d"
)
"""How our prompts and artifacts begin, in every format."""


class Newline(StrEnum):
    """Line ends as they stand in the file; the text given on has LF only."""

    NONE = "none"
    LF = "lf"
    CRLF = "crlf"
    CR = "cr"
    MIXED = "mixed"


@dataclass(frozen=True, slots=True)
class Decoded:
    """A file as text.

    Attributes
    ----------
    text
        Without byte-order mark, NUL or lone surrogate; LF line ends. Line numbers are the file's.
    encoding
        Python's name of the encoding that the bytes were in.
    newline
        The file's own line ends.
    notes
        One sentence for each thing that is not as plain UTF-8 with LF would be.
    lines
        Number of lines; a final line end ends the last line and begins none.
    digest
        SHA-256 of ``text`` in UTF-8, hexadecimal.
    """

    text: str
    encoding: str
    newline: Newline
    notes: tuple[str, ...]
    lines: int
    digest: str


class NotText(NamedTuple):
    """Bytes that are not text; ``detail`` says what they seem to be."""

    detail: str


def read_text(file: SourceFile, *, max_bytes: int | None = DEFAULT_MAX_FILE_BYTES) -> Decoded | Skipped:
    """Read one file of a walk.

    Returns
    -------
    Decoded or Skipped
        ``Skipped`` when the file is binary, unreadable, our own output, or has grown beyond
        ``max_bytes`` since it was listed. A file that the user named is read whatever its size,
        and even if it is our own output.
    """
    limit = None if max_bytes is None or file.explicit else max(max_bytes, file.size)
    try:
        data = file.read_bytes(None if limit is None else limit + 1)
    except OSError as error:
        return Skipped(file.path, SkipReason.UNREADABLE, error.strerror or type(error).__name__)
    if limit is not None and len(data) > limit:
        return Skipped(file.path, SkipReason.TOO_LARGE, f"has grown to over {limit} bytes")
    decoded = decode(data)
    if isinstance(decoded, NotText):
        return Skipped(file.path, SkipReason.BINARY, decoded.detail)
    if begins_like_ours(decoded.text) and not file.explicit:
        return Skipped(file.path, SkipReason.OWN_OUTPUT, "begins like a file that Satchel wrote")
    return decoded


def begins_like_ours(text: str) -> bool:
    """Tell whether ``text`` begins like a prompt, an artifact or a problem that Satchel wrote."""
    return _OWN_OUTPUT.match(text) is not None


def decode(data: bytes) -> Decoded | NotText:
    """Decode the bytes of a file: marked encodings, UTF-8, then what the file declares, then a guess."""
    reading = _reading(data)
    if isinstance(reading, NotText):
        return reading
    notes = [reading.note] if reading.note else []
    text = reading.text
    if "\0" in text:
        notes.append(f"{text.count(chr(0))} NUL characters were replaced")
        text = text.replace("\0", "\ufffd")
    text, newline = _one_line_end(text)
    if newline in (Newline.CRLF, Newline.CR, Newline.MIXED):
        notes.append(f"line ends are {newline.value}")
    return Decoded(
        text=text,
        encoding=reading.encoding,
        newline=newline,
        notes=tuple(notes),
        lines=text.count("\n") + (not text.endswith("\n") and bool(text)),
        digest=hashlib.sha256(text.encode("utf-8")).hexdigest(),
    )


def _reading(data: bytes) -> Reading | NotText:
    for mark, encoding in _WIDE_MARKS:
        if data.startswith(mark):
            return _wide(data[len(mark) :], encoding, f"decoded as {encoding} by its byte-order mark")
    if data.startswith(b"\xef\xbb\xbf"):
        data = data[3:]
        note = "a byte-order mark was removed"
    else:
        note = ""
    if data.startswith(b"%PDF-"):
        return NotText("PDF document")
    if b"\0" in data[:_HEAD]:
        return _unmarked_wide(data) or NotText(_kind(data))
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return _legacy(data)
    if text.count("\0") * _NUL_SHARE > len(text):
        return NotText(_kind(data))
    return Reading(text, "utf-8", note)


def _wide(data: bytes, encoding: str, note: str) -> Reading | NotText:
    text = data.decode(encoding, "replace")
    wrong = text.count("\ufffd")
    if wrong * _CONTROL_SHARE > len(text):
        return NotText(_kind(data))
    return Reading(text, encoding, f"{note}; {wrong} characters are replaced" if wrong else note)


def _unmarked_wide(data: bytes) -> Reading | None:
    """Return UTF-16 text that has no mark: ASCII in it has a NUL in every other byte, always the same."""
    head = data[:_HEAD]
    even, odd = head[0::2].count(0), head[1::2].count(0)
    if len(data) % 2 or min(even, odd) or max(even, odd) * 4 < len(head):
        return None
    encoding = "utf-16-le" if odd else "utf-16-be"
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        return None
    if any(ord(char) < 32 and char not in "\t\n\r\f" for char in set(text)):
        return None
    return Reading(text, encoding, f"decoded as {encoding}, a guess")


def _legacy(data: bytes) -> Reading | NotText:
    controls = len(data) - len(data.translate(None, _CONTROL))
    if controls * _CONTROL_SHARE > len(data):
        return NotText(_kind(data))
    return declared(data) or damaged_utf8(data) or guessed(data)


def _kind(data: bytes) -> str:
    return next((kind for magic, kind in _KINDS if data.startswith(magic)), "binary data")


def _one_line_end(text: str) -> tuple[str, Newline]:
    """Return the text with LF line ends, and what they were.

    A lone CR ends a line only in a file without any LF: elsewhere git, editors and compilers do not
    count it, and line numbers must be theirs.
    """
    if "\r" not in text:
        return text, Newline.LF if "\n" in text else Newline.NONE
    feeds = text.count("\n")
    pairs = text.count("\r\n")
    if feeds == 0:
        return text.replace("\r", "\n"), Newline.CR
    if pairs == feeds:
        return text.replace("\r\n", "\n"), Newline.CRLF
    return text.replace("\r\n", "\n"), Newline.MIXED if pairs else Newline.LF
