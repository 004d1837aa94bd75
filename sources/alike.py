"""Which texts are nearly the same: by the runs of words that they share.

Every run of a few words is a number. Texts that may be alike are found by a sample of these numbers (those
that are 0 modulo :data:`SAMPLED`, the same for all texts: Broder, On the resemblance and containment of
documents, 1997), and compared by all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from .score.vocabulary import Numbering, words_of

RUN: Final = 4
"""Words in a run."""

SAMPLED: Final = 4
"""One run in so many is looked at first."""

_COMMON: Final = 32
"""A run that more texts hold is no sign of anything: licences, boilerplate."""

_NEARLY: Final = 0.6
"""A pair whose sample says at least this share of what is wanted is compared as a whole."""

_FACTOR: Final = np.uint64(0x9E3779B97F4A7C15)
"""2^64 over the golden ratio (Knuth, The Art of Computer Programming 3, 6.4): spreads numbers evenly."""

Hashes = npt.NDArray[np.uint64]


class Pair(NamedTuple):
    """Two texts by their numbers, and what they share.

    Attributes
    ----------
    resemblance
        Runs in both over runs in either, 0..1.
    first_in_second, second_in_first
        Share of the runs of one that are in the other, 0..1.
    """

    first: int
    second: int
    resemblance: float
    first_in_second: float
    second_in_first: float


def runs_of(texts: Sequence[str]) -> list[Hashes]:
    """Return, for each text, the numbers of its runs of words, sorted, each once."""
    numbers = Numbering()
    words = [words_of(text.lower()) for text in texts]
    lengths = np.array([len(own) for own in words], dtype=np.int64)
    ends = np.cumsum(lengths)
    flat = np.fromiter(map(numbers.__getitem__, chain.from_iterable(words)), np.uint64)
    mixed = np.zeros(max(0, len(flat) - RUN + 1), dtype=np.uint64)
    for place in range(RUN):
        part = flat[place : place + len(mixed)] + np.uint64(1)
        mixed = (mixed ^ part) * _FACTOR
        mixed ^= mixed >> np.uint64(29)
    return [
        np.unique(mixed[start : max(start, end - RUN + 1)])
        for start, end in zip((ends - lengths).tolist(), ends.tolist(), strict=True)
    ]


def alike(texts: Sequence[str], least: float, *, contained: bool = False) -> list[Pair]:
    """Return the pairs of texts that resemble each other, in order.

    Parameters
    ----------
    texts
        Texts of fewer than :data:`RUN` words resemble nothing.
    least
        Least resemblance, 0..1.
    contained
        Whether it is enough that this share of one text is in the other.
    """
    runs = runs_of(texts)
    pairs = []
    for first, second in _maybe(runs, least * _NEARLY, contained=contained):
        common = len(np.intersect1d(runs[first], runs[second], assume_unique=True))
        sizes = len(runs[first]), len(runs[second])
        pair = Pair(
            first,
            second,
            common / (sum(sizes) - common),
            common / max(1, sizes[0]),
            common / max(1, sizes[1]),
        )
        best = max(pair[3], pair[4]) if contained else pair.resemblance
        if best >= least:
            pairs.append(pair)
    return pairs


def _maybe(runs: Sequence[Hashes], least: float, *, contained: bool) -> list[tuple[int, int]]:
    """Return the pairs that the sample does not rule out."""
    samples = [own[own % np.uint64(SAMPLED) == 0] for own in runs]
    sizes = np.array([len(own) for own in samples], dtype=np.int64)
    if not sizes.sum():
        return []
    texts = np.repeat(np.arange(len(runs)), sizes)
    found = np.concatenate(samples)
    order = np.lexsort((texts, found))
    found, texts = found[order], texts[order]
    borders = np.flatnonzero(np.concatenate([[True], found[1:] != found[:-1], [True]]))
    keys = []
    for start, end in zip(borders[:-1].tolist(), borders[1:].tolist(), strict=True):
        if 1 < end - start <= _COMMON:
            own = texts[start:end]
            one, two = np.triu_indices(len(own), 1)
            keys.append(own[one] * len(runs) + own[two])
    if not keys:
        return []
    pairs, shared = np.unique(np.concatenate(keys), return_counts=True)
    first, second = pairs // len(runs), pairs % len(runs)
    either = sizes[first] + sizes[second] - shared
    whole = np.minimum(sizes[first], sizes[second]) if contained else either
    kept = shared >= least * np.maximum(1, whole)
    return list(zip(first[kept].tolist(), second[kept].tolist(), strict=True))
