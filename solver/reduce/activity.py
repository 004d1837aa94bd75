"""How small and how large each row can be, given that a unit takes one rung at most."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..compile import Bools, Ints
from ..linear import UNBOUNDED
from .program import Program

NOTHING = np.iinfo(np.int64).max


@dataclass(frozen=True)
class Activity:
    """What each part of each row can add to it (see :class:`.parts.Parts`).

    ``least[i]`` and ``most[i]`` are over the open rungs of the part's unit, and 0 where the unit can also be
    out or at a rung that the row does not hold (``outside[i]``); for a helper column, over its bounds.
    ``rows_least`` and ``rows_most`` are their sums by row.
    """

    least: Ints
    most: Ints
    outside: Bools
    rows_least: Ints
    rows_most: Ints

    @classmethod
    def of(cls, p: Program) -> Activity:
        """Sum up under the bounds that the columns of ``p`` have."""
        c, linear, parts = p.c, p.linear, p.parts
        coefs, first = linear.coefs, parts.first
        low, high = linear.col_lo[linear.cols], linear.col_hi[linear.cols]
        # A rung that is open adds its coefficient; one that is closed cannot be chosen, and is no option.
        opened = parts.is_rung & (high > 0)
        least = np.where(
            opened, coefs, np.where(parts.is_rung, NOTHING, np.minimum(coefs * low, coefs * high))
        )
        most = np.where(
            opened, coefs, np.where(parts.is_rung, -NOTHING, np.maximum(coefs * low, coefs * high))
        )
        inside = np.add.reduceat(opened.astype(np.int64), first)
        openings = np.add.reduceat(p.open.astype(np.int64), c.rung_start[:-1])
        outside = (parts.unit >= 0) & (~p.required[parts.unit] | (inside < openings[parts.unit]))
        smallest = np.minimum.reduceat(least, first)
        largest = np.maximum.reduceat(most, first)
        smallest = np.where(outside, np.minimum(smallest, 0), smallest)
        largest = np.where(outside, np.maximum(largest, 0), largest)
        # A required unit without any open rung: no pack. Its part must not overflow the sums.
        smallest[smallest == NOTHING], largest[largest == -NOTHING] = 0, 0
        rows = np.searchsorted(parts.row, np.arange(len(linear.rows) + 1))
        return cls(smallest, largest, outside, _by_row(smallest, rows), _by_row(largest, rows))

    def beyond(self, p: Program, amounts: Ints, parts: Ints) -> Bools:
        """Return whether the rows of ``parts`` break when those parts add ``amounts`` and all others help."""
        row, linear = p.parts.row[parts], p.linear
        over = self.rows_least[row] - self.least[parts] + amounts > linear.hi[row]
        under = self.rows_most[row] - self.most[parts] + amounts < linear.lo[row]
        return np.asarray((over & (linear.hi[row] < UNBOUNDED)) | (under & (linear.lo[row] > -UNBOUNDED)))


def _by_row(amounts: Ints, edges: Ints) -> Ints:
    """Return the exact sums between ``edges``."""
    sums = np.concatenate([[0], np.cumsum(amounts)])
    return np.asarray(sums[edges[1:]] - sums[edges[:-1]], dtype=np.int64)
