"""The words of a sentence, in any script, as its likeness to others is measured by."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from ..score.words import STOP_WORDS, terms

SIGNS: Final = (
    "\u0300-\u036f\u0591-\u05bd\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06dc\u0900-\u0963\u0966-\u0dff"
    "\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ecd\u0f71-\u0f84\u102b-\u103e"
    "\u1056-\u109d\u17b4-\u17d3\u200c\u200d"
)
"""Accents and vowel signs, which are no letters by themselves: no word is broken at them."""

_WORD: Final = re.compile(f"[\\w{SIGNS}]+")
_UNSPACED: Final = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff"
    "\U00020000-\U0003ffff]+"
)
"""Scripts without spaces between words, and Korean with its endings: taken by pairs of characters."""


def words(text: str) -> tuple[str, ...]:
    """Return the words of a text in order: identifiers taken apart, endings cut, stop words left out."""
    return tuple(word for found in _WORD.findall(text) for word in _forms(found))


@lru_cache(maxsize=1 << 16)
def _forms(word: str) -> tuple[str, ...]:
    if word.isascii():
        return () if word.lower() in STOP_WORDS else terms(word)
    return tuple(_in_any_script(unicodedata.normalize("NFKC", word)))


def _in_any_script(word: str) -> Iterator[str]:
    at = 0
    for run in _UNSPACED.finditer(word):
        yield from _spaced(word[at : run.start()])
        pairs = run.group()
        yield from (pairs[i : i + 2] for i in range(max(1, len(pairs) - 1)))
        at = run.end()
    yield from _spaced(word[at:])


def _spaced(word: str) -> tuple[str, ...]:
    if not word or word.isascii():
        return terms(word) if word else ()
    return (word.casefold(),)
