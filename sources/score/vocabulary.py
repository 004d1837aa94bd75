"""The words of a file's fragments in flat arrays: what an index is put together from, and a cache keeps."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final, Self

import numpy as np
import numpy.typing as npt

from .words import WORD

_ONLY_WORDS: Final = bytes(
    code if chr(code).isalnum() or code in b"_" else 0x20 for code in range(128)
).ljust(256, b" ")
"""What each byte of ASCII becomes so that words are what stands between spaces."""


class Numbering(dict[str, int]):
    """Numbers words in the order in which they are first asked for."""

    def __missing__(self, word: str) -> int:
        number = self[word] = len(self)
        return number


def words_of(text: str) -> list[str]:
    """Return ``WORD.findall(text)``; twice as fast where the text is ASCII."""
    if not text.isascii():
        return WORD.findall(text)
    return text.encode("ascii").translate(_ONLY_WORDS).decode("ascii").split()


_HEAD: Final = struct.Struct("<IIIIB")


@dataclass(frozen=True, slots=True)
class Words:
    """Words of several texts in several fields.

    Attributes
    ----------
    vocabulary
        Each word once, in the order of its first place.
    places
        By field: int32, the number in ``vocabulary`` of the word at every position, text after text.
    lengths
        By field: int32, words in each text.
    """

    vocabulary: tuple[str, ...]
    places: Mapping[str, npt.NDArray[np.int32]]
    lengths: Mapping[str, npt.NDArray[np.int32]]

    @classmethod
    def of(cls, fields: Mapping[str, Sequence[str]]) -> Self:
        """Return the words of texts: for each field one text for each fragment."""
        ids = Numbering()
        places: dict[str, npt.NDArray[np.int32]] = {}
        lengths: dict[str, npt.NDArray[np.int32]] = {}
        for name, texts in fields.items():
            found = [words_of(text) for text in texts]
            lengths[name] = np.fromiter(map(len, found), np.int32, len(found))
            every = map(ids.__getitem__, chain.from_iterable(found))
            places[name] = np.fromiter(every, np.int32, int(lengths[name].sum()))
        return cls(tuple(ids), places, lengths)

    def to_bytes(self) -> bytes:
        """Return them as bytes, for a cache."""
        words = "\n".join(self.vocabulary).encode("utf-8", "surrogatepass")
        names = "\n".join(self.places).encode("utf-8")
        texts = len(next(iter(self.lengths.values()), ()))
        arrays = [self.lengths[name] for name in self.places] + list(self.places.values())
        # Not compressed: to undo that for ten thousand files costs more than reading the rest of the bytes.
        largest = max((int(array.max(initial=0)) for array in arrays), default=0)
        width = 2 if largest < 1 << 16 else 4
        body = b"".join(array.astype(f"<u{width}").tobytes() for array in arrays)
        rest = words + names + body
        return _HEAD.pack(zlib.crc32(rest), len(words), len(names), texts, width) + rest

    @classmethod
    def from_bytes(cls, data: bytes) -> Self:
        """Undo :meth:`to_bytes`; raises ``ValueError`` when the bytes are damaged."""
        try:
            check, size, named, texts, width = _HEAD.unpack_from(data)
        except struct.error as error:
            raise ValueError(str(error)) from None
        if zlib.crc32(memoryview(data)[_HEAD.size :]) != check or width not in (2, 4):
            raise ValueError("is damaged")
        at = _HEAD.size + size
        vocabulary = data[_HEAD.size : at].decode("utf-8", "surrogatepass")
        names = data[at : at + named].decode("utf-8").split("\n")
        numbers = np.frombuffer(data, dtype=f"<u{width}", offset=at + named).astype(np.int32)
        lengths = {name: numbers[n * texts : (n + 1) * texts] for n, name in enumerate(names)}
        places: dict[str, npt.NDArray[np.int32]] = {}
        start = texts * len(names)
        for name in names:
            end = start + int(lengths[name].sum())
            places[name] = numbers[start:end]
            start = end
        words = tuple(vocabulary.split("\n")) if vocabulary else ()
        inside = numbers[texts * len(names) :]
        if start != len(numbers) or (len(inside) and not 0 <= inside.min() <= inside.max() < len(words)):
            raise ValueError("does not hold what it says")
        return cls(words, places, lengths)


def words_that_may_hold(words: Sequence[str], asked: Sequence[str]) -> list[str]:
    """Return those of ``words`` of which some term may be one of ``asked``; never too few.

    A term is a part of its word with its ending cut, in lower case; only a ``y`` may stand for an ``ies``.
    So a word has the term in it, or the term without its ``y``. Taking words apart is slow, and finding
    texts in one long text is quick. Words that are not ASCII are all returned: their lower case may
    depend on what stands around a letter.
    """
    roots = sorted({term.removesuffix("y") for term in asked if term.isascii()})
    if "" in roots:
        return list(words)
    plain = [word for word in words if word.isascii()]
    line = "\n".join(plain).lower()
    ends = np.cumsum(np.fromiter((len(word) + 1 for word in plain), dtype=np.int64, count=len(plain)))
    places: list[int] = []
    for root in roots:
        at = line.find(root)
        while at >= 0:
            places.append(at)
            end = line.find("\n", at)
            at = line.find(root, end) if end >= 0 else -1
    found = np.unique(np.searchsorted(ends, places, side="right")).tolist()
    return [*(plain[n] for n in found), *(word for word in words if not word.isascii())]
