"""Where the sentences of a text end, in any script: rules on characters, and abbreviations as data.

Rather than end too early, a sentence goes on: two in one are read well, half of one is not.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import Final, NamedTuple

from .abbreviations import (
    ALWAYS_GO_ON,
    GO_ON_BEFORE_NUMBERS,
    GO_ON_UNLESS_STARTED,
    MONTHS,
    STARTERS,
)
from .words import SIGNS

LONGEST: Final = 800
"""A run of so many characters without an end of a sentence is no sentence: it is shown in windows."""

_WINDOW: Final = 240
"""About so many characters, to the next border of a phrase, of a word, or of a character."""

_FULL: Final = "。｡！？‼⁇⁈⁉।॥۔؟։።፧፨။។៕៖༎༏༐༑།᠃᠉᙮꓿꧉꩞꩟‽⸮𑁇𑁈"
"""Marks that end a sentence whatever follows (Unicode property Sentence_Terminal, but for the ones below)."""

_CLOSERS: Final = "\"'”’“»›«」』）】〉》〕］)\\]}*_`>"
_NOTES: Final = r"(?:\[\w{1,3}\])*"
_END: Final = re.compile(
    rf"(?P<full>[{_FULL}]+)(?P<fullclose>[.!?{_FULL}{_CLOSERS}]*)"
    rf"|(?<![.!?…])(?P<mark>[.!?…;:\u037e．][.!?…]*(?:[ \u00a0][.!?…]+(?=[\s{_CLOSERS}]|\Z))*)"
    rf"(?P<close>[{_CLOSERS}]*(?:[ \u00a0\u202f][»›])?){_NOTES}(?=\s|\Z|[\u3040-\u9fff])"
)
"""An end: its marks, the quotes and brackets that close with it, and the notes that it refers to."""

_CLOSED: Final = re.compile(
    r"`[^`\n]{1,200}`|\([^()]{1,300}\)|（[^（）]{1,300}）|\[[^\[\]]{1,300}\]|“[^“”]{1,300}”|„[^„“”]{1,300}[“”]"
    r"|«[^«»]{1,300}»|»[^«»]{1,300}«|「[^「」]{1,300}」|『[^『』]{1,300}』|《[^《》]{1,300}》"
    r"|(?<!\w)\"(?=\S)[^\"]{1,300}(?<=\S)\"(?!\w)"
)
"""What is within a code span, quotes or brackets is one with what is around."""

_BEFORE: Final = re.compile(rf"[^\W_](?:[^\W_]|[{SIGNS}]|[.’-](?=[^\W_]))*\Z")
_NEXT: Final = re.compile(r"(?P<between>\W*)(?P<word>\w+(?:[.'’]\w+)*)")
_GOES_ON: Final = re.compile(r"\s*[,;:)\]}/=&+–—-]\s")
_ROMAN: Final = re.compile(r"[IVXLC]{2,}")
_WORD_CHARS: Final = 40
_KANA_GOES_ON: Final = re.compile("[とっのはがをにでもやへ、，,]")
_IDENTIFIER: Final = re.compile(r"\w*[_\d]\w*|\w+\.\w[\w.]*|[a-z]+[A-Z]\w*")
_PHRASE: Final = re.compile(r"[,;:،、，；：؛၊፣፤—–]\s*|\s[-–—]\s")
_SPACE: Final = re.compile(r"\s+")
_SPACED_THAI: Final = re.compile("(?<=[\u0e00-\u0eff])[ \t\u200b\u3000]+(?=[\u0e00-\u0eff])")
_SHORTEST_PHRASE: Final = 12
_LONG_WORD: Final = 7
_LIST_MARKS: Final = " \t\n\"'(*_#>+•⁃‣·–-"


class Piece(NamedTuple):
    """Characters ``start`` to ``end`` (excluded) of a text; ``whole`` unless it is a window of a long run."""

    start: int
    end: int
    whole: bool


def split(text: str) -> list[Piece]:
    """Return the sentences of a paragraph, in order, without the white space between them.

    Every character that is not white space is in exactly one piece. Line breaks are white space; where a text
    has no full stops, :func:`.prose.read` goes by lines before.
    """
    out: list[Piece] = []
    at = 0
    for end in [*_ends(text), len(text)]:
        start, stop = _stripped(text, at, end)
        if start < stop:
            out.extend(_windows(text, start, stop))
        at = end
    return out


def ends_like_a_sentence(text: str) -> bool:
    """Whether the text ends with a mark that ends sentences."""
    tail = text.rstrip().rstrip("\"'”’»›」』）】)]}*_`")
    return bool(tail) and (tail[-1] in _FULL or tail[-1] in ".!?…．;\u037e")


def _ends(text: str) -> Iterator[int]:
    """Yield where sentences end, between the ends of the text."""
    closed = [found.span() for found in _CLOSED.finditer(text)]
    inside = 0
    thai = [found.end() for found in _SPACED_THAI.finditer(text)]
    last = 0
    for end, mark in _merged(text, thai):
        while inside < len(closed) and closed[inside][1] < end:
            inside += 1
        if inside < len(closed) and closed[inside][0] < end < closed[inside][1]:
            continue
        if mark is None:
            if end - last < _SHORTEST_PHRASE:
                continue
        elif not _is_end(text, mark, last):
            continue
        yield end
        last = end


def _merged(text: str, thai: list[int]) -> Iterator[tuple[int, re.Match[str] | None]]:
    """Yield the marks, and the spaces of Thai and Lao, in order."""
    n = 0
    for mark in _END.finditer(text):
        while n < len(thai) and thai[n] <= mark.end():
            yield thai[n], None
            n += 1
        yield mark.end(), mark
    yield from ((end, None) for end in thai[n:])


def _is_end(text: str, mark: re.Match[str], start: int) -> bool:
    end = mark.end()
    if mark["full"]:
        return not (mark["fullclose"] and _KANA_GOES_ON.match(text, end))
    kind, closed = mark["mark"], bool(mark["close"])
    if kind[0] in ";\u037e:" and not _asks_or_ends(text, mark.start()):
        return False
    if _GOES_ON.match(text, end):
        return False
    following = _NEXT.match(text, end, end + _WORD_CHARS)
    word = following["word"] if following else ""
    low = word[:1].islower() and not (word[:1].isascii() and _IDENTIFIER.fullmatch(word))
    if kind != ".":
        return not low
    if closed or mark.end("close") < end:
        return not low
    return _stops(text, mark.start(), start, word, low=low)


def _stops(text: str, dot: int, start: int, word: str, *, low: bool) -> bool:
    """Whether a single full stop ends a sentence, by the words around it."""
    found = _BEFORE.search(text, max(start, dot - _WORD_CHARS), dot)
    before = found.group().removeprefix("l’") if found else ""
    lower = before.casefold()
    if not before:
        return not low
    if low:
        known = lower in ALWAYS_GO_ON or lower in GO_ON_BEFORE_NUMBERS or lower in GO_ON_UNLESS_STARTED
        return len(before) >= _LONG_WORD and before.isalpha() and not known
    if lower in ALWAYS_GO_ON and not (before.isupper() and len(before) > 2):
        return False
    if lower in GO_ON_BEFORE_NUMBERS and word[:1].isdigit():
        return False
    if lower in GO_ON_UNLESS_STARTED or _is_initials(before):
        return not word or (word[:1].isupper() and _starts(word, before))
    if before.isdigit() and len(before) <= 2:
        at_start = not text[start : dot - len(before)].strip(_LIST_MARKS)
        return not (at_start or word.casefold() in MONTHS)
    return True


def _starts(word: str, before: str) -> bool:
    """Whether a capitalised word begins a sentence after an abbreviation."""
    if before.casefold() in GO_ON_UNLESS_STARTED and "." not in before and before.islower():
        return True  # "etc. Objects": what is no name of its own goes on in small letters
    return len(word) > 1 and word.casefold() in STARTERS


def _is_initials(before: str) -> bool:
    """``J``, ``z``, ``U.S``, ``Ph.D``, ``z.B``, ``XII``: letters for words, or a Roman number."""
    parts = before.split(".")
    if len(parts) > 1:
        return all(len(part) <= 2 and part.isalpha() for part in parts) and len(parts[-1]) == 1
    letters = [char for char in before if char.isalpha()]
    return (len(letters) == 1 and before[0].isalpha() and before[0] < "\u0e00") or bool(
        _ROMAN.fullmatch(before)
    )


def _asks_or_ends(text: str, at: int) -> bool:
    """Whether a semicolon asks, as in Greek, or a colon ends, as Armenian is often typed."""
    for char in reversed(text[max(0, at - 3) : at]):
        if char.isalpha():
            greek = "\u0370" <= char <= "\u03ff" or "\u1f00" <= char <= "\u1fff"
            return "\u0531" <= char <= "\u0587" if text[at] == ":" else greek
    return False


def _stripped(text: str, start: int, end: int) -> tuple[int, int]:
    piece = text[start:end]
    return start + len(piece) - len(piece.lstrip()), end - len(piece) + len(piece.rstrip())


def _windows(text: str, start: int, end: int) -> Iterator[Piece]:
    """Yield the piece, or windows of it where it is too long to be a sentence."""
    if end - start <= LONGEST:
        yield Piece(start, end, True)
        return
    while end - start > LONGEST * 3 // 4:
        border = _border(text, start, start + _WINDOW)
        first, last = _stripped(text, start, border)
        if first < last:
            yield Piece(first, last, False)
        start = border
    first, last = _stripped(text, start, end)
    if first < last:
        yield Piece(first, last, False)


def _border(text: str, start: int, end: int) -> int:
    """Return the last border of a phrase in the last two thirds, else of a word, else of a character."""
    for pattern in (_PHRASE, _SPACE):
        found = [match.end() for match in pattern.finditer(text, start + (end - start) // 3, end)]
        if found:
            return found[-1]
    while end > start + 1 and _goes_on(text, end):
        end -= 1
    return end


def _goes_on(text: str, at: int) -> bool:
    """Whether a cut in front of this character would break what is seen as one."""
    return (
        unicodedata.category(text[at])[0] == "M"
        or text[at] in "\u200d\ufe0f"
        or text[at - 1] == "\u200d"
        or "\U0001f3fb" <= text[at] <= "\U0001f3ff"
    )
