"""TextRank: how central each sentence is among the others, by the words that they share.

The likeness of two sentences with word sets ``A`` and ``B`` is (Mihalcea and Tarau 2004, section 4.1)

    |A ∩ B| / (log(1 + |A|) + log(1 + |B|))

with one added inside the logarithms, so that sentences of one word have a likeness too. Scores are the
fixed point of

    s = (1 - d)·p + d·(Wᵀ s + p·(what sentences without neighbours hold)),   d = 0.85

where the rows of ``W`` are the likenesses divided by their sum, and ``p`` is uniform unless biased
(personalised PageRank, Haveliwala 2002). Scores sum to one.

The matrix of likenesses is never built. Within it, sentences that share a word and have equally many words
are alike to all others by that word: they are one *cell*. Multiplying goes from sentences to cells, among the
cells of one word, and back. A word that stands in all of n sentences costs n·c, not n², where c is the number
of different sizes of sentences: at most some dozens. So no word need be left out for its cost.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log
from typing import Final

import numpy as np
from numpy.typing import NDArray

DAMPING: Final = 0.85
"""Share of a score that comes from the sentences alike (Brin and Page 1998)."""

TOLERANCE: Final = 1e-9
"""Iteration ends when the scores, which sum to one, change by no more than this in all."""

ITERATIONS: Final = 200
"""More are never needed: what is left of an error shrinks by the damping each time, and 0.85^200 < 1e-14."""

DIGITS: Final = 9
"""Scores are rounded to so many digits: libraries of logarithms differ in the last bit."""

COMMON: Final = 0.35
"""A word in more than this share of the sentences is no evidence of likeness: each language has such."""

_FEW: Final = 4
"""In so few sentences any word may stand."""

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Ranking:
    """Scores that sum to one, one for each sentence; the iterations that they took, and their convergence."""

    scores: Floats
    iterations: int
    converged: bool


def rank(words: Sequence[Sequence[str]], bias: Sequence[float] | None = None) -> Ranking:
    """Return how central each sentence is.

    Parameters
    ----------
    words
        The words of each sentence; repeated ones count once.
    bias
        Where the walk starts anew, one weight of at least 0 for each sentence, in any unit; uniform when
        absent or all 0.

    Notes
    -----
    Sums are taken in the order of sentences and words, so the same words give the same bits.
    """
    n = len(words)
    if n == 0:
        return Ranking(np.zeros(0), 0, True)
    start = np.full(n, 1.0 / n)
    if bias is not None and sum(bias) > 0.0:
        start = np.array(bias, dtype=np.float64) / sum(bias)
    likeness = _Likeness(words)
    sums = likeness.times(np.ones(n))
    alone = sums <= 0.0
    shares = np.where(alone, 0.0, 1.0) / np.where(alone, 1.0, sums)
    scores = start
    for iteration in range(1, ITERATIONS + 1):
        held = float(np.add.reduce(scores[alone]))
        new = (1.0 - DAMPING) * start + DAMPING * (likeness.times(scores * shares) + held * start)
        change = float(np.add.reduce(np.abs(new - scores)))
        scores = new
        if change <= TOLERANCE:
            return Ranking(np.round(scores, DIGITS), iteration, True)
    return Ranking(np.round(scores, DIGITS), ITERATIONS, False)


class _Likeness:
    """The symmetric matrix of likenesses between different sentences, as something to multiply by."""

    def __init__(self, words: Sequence[Sequence[str]]) -> None:
        self._n = len(words)
        sizes, rows, numbers = _incidence(words)
        self._rows = rows
        # Cells: the pairs of a word and a size of sentence that occur, in that order.
        width = int(sizes.max(initial=0)) + 1
        keys, self._cells = np.unique(numbers * width + sizes[rows], return_inverse=True)
        self._count = len(keys)
        self._from, self._to = _pairs_within(keys // width)
        logs = np.array([log(1 + size) for size in range(width)])
        logs[0] = 1.0  # no sentence without words is in a cell
        at = logs[keys % width]
        self._weights = 1.0 / (at[self._from] + at[self._to])
        own = np.bincount(rows, minlength=self._n).astype(np.float64)
        self._own = own / (2.0 * logs[sizes])

    def times(self, vector: Floats) -> Floats:
        """Return the product with a vector, one number for each sentence."""
        if not self._count:
            return np.zeros(self._n)
        held = np.bincount(self._cells, weights=vector[self._rows], minlength=self._count)
        spread = np.bincount(self._from, weights=self._weights * held[self._to], minlength=self._count)
        out = np.bincount(self._rows, weights=spread[self._cells], minlength=self._n)
        return np.maximum(out - self._own * vector, 0.0)


def _incidence(words: Sequence[Sequence[str]]) -> tuple[Ints, Ints, Ints]:
    """Return the sizes of the sentences' word sets, and the pairs of sentence and word that count.

    Words of one sentence only, and those in more than :data:`COMMON` of them, tell no sentences apart: they
    count for the size and for nothing else.
    """
    sets = [tuple(dict.fromkeys(own)) for own in words]
    numbers: dict[str, int] = {}
    flat = np.fromiter(
        (numbers.setdefault(word, len(numbers)) for own in sets for word in own), dtype=np.intp
    )
    sizes = np.array([len(own) for own in sets], dtype=np.intp)
    rows = np.repeat(np.arange(len(sets)), sizes)
    spread = np.bincount(flat, minlength=len(numbers))
    counts = (spread >= 2) & (spread <= max(_FEW, COMMON * len(sets)))
    kept = counts[flat]
    return sizes, rows[kept], flat[kept]


def _pairs_within(words: Ints) -> tuple[Ints, Ints]:
    """Return all ordered pairs of cells of the same word; the cells stand in order of their words."""
    _, first, sizes = np.unique(words, return_index=True, return_counts=True)
    each = np.repeat(sizes, sizes)
    sources = np.repeat(np.arange(len(words)), each)
    begins = np.repeat(np.repeat(first, sizes), each)
    offsets = np.arange(len(sources)) - np.repeat(np.cumsum(each) - each, each)
    return sources, begins + offsets
