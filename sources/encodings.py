"""Text from bytes that are not UTF-8: declared, marked, or guessed encodings (always with a note)."""

from __future__ import annotations

import codecs
import re
from typing import Final, NamedTuple

_DECLARED: Final = re.compile(rb"(?:coding|charset)\s*[=:]\s*[\"']?\s*([A-Za-z][\w.-]{2,30})")
"""``coding: x`` of Python and Emacs, ``encoding="x"`` of XML, ``charset=x`` of HTML and CSS."""

_DECLARED_BYTES: Final = 1024
"""How far into a file a declaration is looked for."""

_LEGACY: Final = re.compile(
    r"(?:iso8859-\d+|cp\d{3,4}|koi8-[rut]|mac-\w+|big5(?:hkscs)?|gb2312|gbk|gb18030|hz"
    r"|euc_\w+|shift_jis\w*|iso2022_\w+|johab|tis-620|ptcp154)\Z"
)
"""Codecs that a declaration may name, by Python's canonical names."""

_BEYOND_ASCII: Final = re.compile(rb"[\x80-\xff]")

_SAMPLE: Final = 64 * 1024
"""Bytes from the first one above ASCII on that are shown to the guesser."""

_ALPHABETS: Final = (
    ("cp1252", "àâæçèéêëîïôùûüÿœ"),  # French
    ("cp1252", "äöüß"),  # German
    ("cp1252", "áéíñóúüïçà"),  # Spanish, Catalan
    ("cp1252", "áâãàçéêíóôõúü"),  # Portuguese
    ("cp1252", "àèéìíîòóùú"),  # Italian
    ("cp1252", "åäöæøéü"),  # Nordic
    ("cp1252", "áéëïóöüíúè"),  # Dutch
    ("cp1250", "ąćęłńóśźż"),  # Polish
    ("cp1250", "áčďéěíňóřšťúůýžäľĺôŕ"),  # Czech, Slovak
    ("cp1250", "áéíóöőúüű"),  # Hungarian
    ("cp1250", "čćđšž"),  # Croatian, Slovene
    ("cp1250", "ăâîşţ"),  # Romanian
    ("cp1254", "çğıöşüâîû"),  # Turkish
    ("cp1252", "áðéíóúýþæö"),  # Icelandic
)
"""Letters beyond ASCII of languages that single-byte Latin encodings are used for.

The general guesser takes most short Western texts for Central European ones; a reading whose letters
all belong to one language is the better sign. First fit wins.
"""


class Reading(NamedTuple):
    """A decoded text, the name of its encoding, and how it was found."""

    text: str
    encoding: str
    note: str


def declared(data: bytes) -> Reading | None:
    """Return the text in the encoding that the file itself declares, if it is a legacy one and holds."""
    found = _DECLARED.search(data[:_DECLARED_BYTES])
    if found is None:
        return None
    try:
        name = codecs.lookup(found[1].decode("ascii")).name
        if not _LEGACY.match(name):
            return None
        return Reading(data.decode(name), name, f"decoded as {name}, which the file declares")
    except (LookupError, ValueError):
        return None


def damaged_utf8(data: bytes) -> Reading | None:
    """Return UTF-8 text with replacement characters, if nearly all of it is valid UTF-8."""
    text = data.decode("utf-8", "replace")
    wrong = text.count("\ufffd")
    right = sum(not char.isascii() for char in text) - wrong
    if right < 4 * wrong:
        return None
    return Reading(text, "utf-8", f"{wrong} invalid UTF-8 sequences were replaced")


def guessed(data: bytes) -> Reading:
    """Return the text in the most likely legacy encoding."""
    name = _guess(data)
    try:
        return Reading(data.decode(name), name, f"decoded as {name}, a guess")
    except UnicodeDecodeError:
        text = data.decode(name, "replace")
        wrong = text.count("\ufffd")
        return Reading(text, name, f"decoded as {name}, a guess; {wrong} invalid sequences were replaced")


def _guess(data: bytes) -> str:
    from charset_normalizer import from_bytes  # only files in a legacy encoding pay for the import

    first = _BEYOND_ASCII.search(data)
    start = first.start() if first else 0
    sample = data[max(0, start - 1024) : start + _SAMPLE]
    best = from_bytes(sample).best()
    if best is not None:
        letters = {char for char in str(best) if not char.isascii() and char.isalpha()}
        if any(char > "\u024f" for char in letters):
            return best.encoding
    for name, alphabet in _ALPHABETS:
        text = sample.decode(name, "replace").lower()
        if all(char in alphabet for char in set(text) if not char.isascii() and char.isalpha()):
            return name
    return "cp1252"
