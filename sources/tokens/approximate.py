"""An upper estimate of tokens that needs no vocabulary: a price for each pair of neighbours.

A byte-level vocabulary never needs more tokens than a text has UTF-8 bytes; what saves tokens is
that neighbours share one. So the estimate adds up, over all characters, the price of ``cur`` after
``prev``: 0.19 for a letter that usually follows the one before it inside words, 1 for a digit, a
letter that does not, or a control character; outside ASCII the bytes of the character (1.05 for those
that are a token of their own everywhere). One gather and one sum in numpy: linear in the text,
whatever the text is.

The ASCII prices are the solution of a linear program, rounded up: the least mean overestimate over 280
real files such that none of them and none of 440 hard texts (random letters, base64, hex, identifiers,
runs of one character, tables of numbers, white space, minified code) is estimated below the largest
count among the vocabularies named in :mod:`.text_tables`, and none of 2,160 random strings of 40 or 80
characters by more than 3 tokens. Prices outside ASCII are near the worst case: natural text in other
scripts comes out at 1.4 to 2 times cl100k, up to 3 times o200k.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Final

import numpy as np
import numpy.typing as npt

from .base import ANY, Estimator, Mode, TokenProfile
from .text_tables import COMMON_PAIRS, SINGLE_CHARS

UNIT: Final = 100
"""Prices are whole hundredths of a token, so that sums are exact."""

BLOCK: Final = 1 << 20
"""Code units that are priced at once: bounds memory at about 20 MB."""

_START: Final = ord("0")
"""Stands before each text: after a digit nothing is cheap, so a first character pays in full."""

# Kinds of code units: ASCII is its own kind; others are grouped by what one of them costs.
_ONE, _TWO, _THREE, _HALF_ASTRAL, _GROWS = range(128, 133)
_KIND_PRICES: Final = {_ONE: 105, _TWO: 200, _THREE: 300, _HALF_ASTRAL: 200, _GROWS: 600}

_FULL: Final = 100
_LETTER_COMMON: Final = 19
_UPPER_COMMON: Final = 36
_CAPITALISED: Final = 13  # a common pair of which only the first is upper case
_LETTER_AFTER: Final = {"space": 0, "tab": 30}
_LOWER_AFTER_PUNCT: Final = 55
_SPACE_AFTER_SPACE: Final = 20
_NEWLINE_AFTER: Final = {"space": 20, "newline": 82}
_TAB_AFTER_TAB: Final = 40
_PUNCT_AFTER: Final = {"space": 13, "punct": 85}
_PUNCT_REPEATED: Final = 50
_UNDERSCORE_AFTER_LETTER: Final = 60


class ApproximateEstimator(Estimator):
    """The byte estimate as an estimator; see the module for the model behind it.

    Checked on 28,377 files, nearly all outside the fit (329 MB of source code, prose and data): 8 came
    out below the largest of cl100k, o200k and Qwen 3.5, by 3 % at most, all dense tables of numbers.
    Over all the estimate was 1.71 times cl100k and o200k and 1.55 times Qwen 3.5; it is 1.0 to 1.3
    times the largest on base64, hex digits, numbers and random text. A short random string can be
    under by up to 3 tokens.
    """

    name: str = "satchel-bytes/1"
    method: Mode = "approximate"
    profile: TokenProfile = TokenProfile(
        provider=ANY,
        model_id=ANY,
        mode="approximate",
        band=(0.3, 1.05),
        confidence="low",
    )

    def count_batch(self, texts: Sequence[str]) -> list[int]:
        """Return the upper estimate of each text; 0 only for an empty one."""
        counts: list[int] = []
        for group in _groups(texts):
            counts.extend(_price_group(group))
        return counts


def _groups(texts: Sequence[str]) -> Iterator[Sequence[str]]:
    """Yield runs of texts of about ``BLOCK`` characters; a longer text comes alone."""
    start, size = 0, 0
    for index, text in enumerate(texts):
        if size and size + len(text) > BLOCK:
            yield texts[start:index]
            start, size = index, 0
        size += len(text) + 1
    if start < len(texts):
        yield texts[start:]


def _price_group(texts: Sequence[str]) -> list[int]:
    if len(texts) == 1:
        return [_tokens(_price_one(texts[0]))]
    kinds, ends = _joined_kinds(texts)
    sums = np.concatenate(([0], np.cumsum(_prices(kinds), dtype=np.int64)))
    # Text i fills kinds[starts[i]:ends[i]]; its prices stand one place earlier (see _prices).
    starts = np.concatenate(([1], ends[:-1] + 1))
    return [_tokens(int(value)) for value in sums[ends - 1] - sums[starts - 1]]


def _price_one(text: str) -> int:
    """Return the price of one text, block by block; the last unit of a block leads the next."""
    kinds, _ = _joined_kinds([text])
    return sum(
        int(_prices(kinds[start : start + BLOCK + 1]).sum(dtype=np.int64))
        for start in range(0, len(kinds) - 1, BLOCK)
    )


def _joined_kinds(texts: Sequence[str]) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.int64]]:
    """Return the kinds of all code units, ``_START`` before each text, and where each text ends."""
    start = chr(_START)
    joined = start + start.join(texts)
    if joined.isascii():
        sizes = np.fromiter((len(text) + 1 for text in texts), np.int64, len(texts))
        return np.frombuffer(joined.encode("ascii"), np.uint8), np.cumsum(sizes)
    units = np.frombuffer(joined.encode("utf-16-le", "surrogatepass"), np.dtype("<u2"))
    sizes = np.fromiter((_utf16_length(text) + 1 for text in texts), np.int64, len(texts))
    return _kind_table().take(units), np.cumsum(sizes)


def _utf16_length(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def _prices(kinds: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint16]:
    """Return the price of each unit but the first, in hundredths of a token."""
    index = kinds[:-1].astype(np.uint16)
    index <<= 8
    index |= kinds[1:]
    return _price_table().take(index)


def _tokens(price: int) -> int:
    return -(-price // UNIT)


@cache
def _kind_table() -> npt.NDArray[np.uint8]:
    """Return the kind of each UTF-16 code unit, 65,536 entries."""
    table = np.full(1 << 16, _THREE, np.uint8)
    table[:0x80] = np.arange(0x80)
    table[0x80:0x800] = _TWO
    table[0xD800:0xE000] = _HALF_ASTRAL
    for char in SINGLE_CHARS:
        table[ord(char)] = _ONE
    for code in (*range(0x80, 0xD800), *range(0xE000, 1 << 16)):
        # Some tokenizers compose first (NFC), and about 100 characters grow by that, up to twofold.
        char = chr(code)
        if len(unicodedata.normalize("NFC", char).encode()) > len(char.encode()):
            table[code] = _GROWS
    return table


@cache
def _price_table() -> npt.NDArray[np.uint16]:
    """Return the price of kind ``cur`` after kind ``prev`` at ``prev << 8 | cur``, in hundredths."""
    table = np.full((256, 256), _FULL, np.uint16)
    common = frozenset(COMMON_PAIRS.split())
    for prev in range(128):
        for cur in range(128):
            table[prev, cur] = _ascii_price(chr(prev), chr(cur), common)
    for kind, price in _KIND_PRICES.items():
        table[:, kind] = price
    return table.reshape(-1)


def _ascii_price(prev: str, cur: str, common: frozenset[str]) -> int:
    before = _class(prev)
    match _class(cur):
        case "letter":
            return _letter_price(prev, cur, before, common)
        case "punct":
            return _punct_price(prev, cur, before)
        case "space" if before == "space":
            return _SPACE_AFTER_SPACE
        case "newline":
            return _NEWLINE_AFTER.get(before, _FULL)
        case "tab" if before == "tab":
            return _TAB_AFTER_TAB
        case _:
            return _FULL


def _letter_price(prev: str, cur: str, before: str, common: frozenset[str]) -> int:
    if before == "punct" and cur.islower():
        return _LOWER_AFTER_PUNCT
    if before != "letter":
        return _LETTER_AFTER.get(before, _FULL)
    if prev == cur or (prev + cur).lower() not in common or (prev.islower() and cur.isupper()):
        return _FULL
    if cur.isupper():
        return _UPPER_COMMON
    return _LETTER_COMMON if prev.islower() else _CAPITALISED


def _punct_price(prev: str, cur: str, before: str) -> int:
    if prev == cur:
        return _PUNCT_REPEATED
    if cur == "_" and before == "letter":
        return _UNDERSCORE_AFTER_LETTER
    return _PUNCT_AFTER.get(before, _FULL)


def _class(char: str) -> str:
    if char.isalpha():
        return "letter"
    if char.isdigit():
        return "digit"
    if char in " \t\n":
        return {" ": "space", "\t": "tab", "\n": "newline"}[char]
    return "punct" if char.isprintable() else "control"
