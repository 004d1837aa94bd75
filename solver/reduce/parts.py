"""The entries of the matrix, put together by row and unit: a unit takes one rung at most."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..compile import Bools, Compiled, Ints
from ..linear import Linear


@dataclass(frozen=True)
class Parts:
    """One part per row and unit that has rungs in it, one per row and helper column.

    Part ``i`` is the entries from ``first[i]`` on, of row ``row[i]`` and of unit ``unit[i]``, or -1 for a
    helper column. ``is_rung`` and ``of_entry`` are per entry: whether its column is a rung, and its part.
    """

    first: Ints
    row: Ints
    unit: Ints
    is_rung: Bools
    of_entry: Ints

    @classmethod
    def of(cls, c: Compiled, linear: Linear) -> Parts:
        """Go through the matrix once: every row of ours holds the rungs of one unit side by side."""
        entry_row = np.repeat(np.arange(len(linear.rows), dtype=np.int64), np.diff(linear.start))
        new = starts_of_parts(c.rung_unit, linear.cols)
        new[1:] |= entry_row[1:] != entry_row[:-1]
        first = np.flatnonzero(new).astype(np.int64)
        is_rung = linear.cols < c.m
        unit = np.where(is_rung[first], c.rung_unit[np.minimum(linear.cols[first], c.m - 1)], -1)
        return cls(first, entry_row[first], unit, is_rung, np.cumsum(new) - 1)


def starts_of_parts(units: Ints, cols: Ints) -> Bools:
    """Return where another unit, or a helper column, starts among the columns of one row.

    ``units`` is the unit of each rung column.
    """
    m = len(units)
    owner = np.where(cols < m, units[np.minimum(cols, m - 1)], -1 - cols)
    new = np.ones(len(cols), dtype=np.bool_)
    new[1:] = owner[1:] != owner[:-1]
    return new
