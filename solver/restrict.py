"""A smaller program from a larger one: held columns leave, and rows that can no longer bind leave too."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import numpy as np

from .compile import Ints
from .linear import UNBOUNDED, Linear, Row


@dataclass(frozen=True)
class Restricted:
    """``linear`` over the free columns ``free`` of the program it came from; the others stand at ``base``.

    ``constant`` is what the held columns add to the objective; ``kept`` are the rows that are still there, by
    their numbers in the larger program. ``feasible`` is False where a row can no longer be met.
    """

    linear: Linear
    free: Ints
    base: Ints
    constant: int
    kept: Ints
    feasible: bool

    def expand(self, columns: Ints) -> Ints:
        """Return all columns of the larger program."""
        full = self.base.copy()
        full[self.free] = columns
        return full


def restrict(linear: Linear, low: Ints, high: Ints) -> Restricted:
    """Return ``linear`` with its columns bounded by ``low`` and ``high``.

    Valid for every solution within those bounds: a column with equal bounds is replaced by its value, a row
    is dropped when no choice of the others can break it.
    """
    held = low == high
    free = np.flatnonzero(~held).astype(np.int64)
    base = np.where(held, low, 0).astype(np.int64)
    place = np.full(linear.columns, -1, dtype=np.int64)
    place[free] = np.arange(len(free), dtype=np.int64)
    rows = np.repeat(np.arange(len(linear.rows), dtype=np.int64), np.diff(linear.start))
    fixed = _by_row(linear.coefs * base[linear.cols], linear.start)
    keep = ~held[linear.cols]
    rows, cols, coefs = rows[keep], linear.cols[keep], linear.coefs[keep]
    counts = np.bincount(rows, minlength=len(linear.rows))
    start = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    most = _by_row(np.where(coefs > 0, coefs * high[cols], coefs * low[cols]), start)
    least = _by_row(np.where(coefs > 0, coefs * low[cols], coefs * high[cols]), start)
    lo = np.where(linear.lo <= -UNBOUNDED, -UNBOUNDED, linear.lo - fixed)
    hi = np.where(linear.hi >= UNBOUNDED, UNBOUNDED, linear.hi - fixed)
    feasible = bool(((most >= lo) & (least <= hi)).all())
    binding = np.flatnonzero((least < lo) | (most > hi))
    wanted = np.zeros(len(linear.rows), dtype=np.bool_)
    wanted[binding] = True
    kept = wanted[rows]
    sizes = counts[binding]
    touched = counts != np.diff(linear.start)
    smaller = dataclasses.replace(
        linear,
        m=int((free < linear.m).sum()),
        start=np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
        cols=place[cols[kept]],
        coefs=coefs[kept],
        lo=lo[binding],
        hi=hi[binding],
        col_lo=low[free],
        col_hi=high[free],
        objective=linear.objective[free],
        tokens=linear.tokens[free],
        short=place[linear.short[~held[linear.short]]] if len(linear.short) else linear.short,
        rows=[_name(linear.rows[i], bool(touched[i]), int(lo[i]), int(hi[i])) for i in binding.tolist()],
        helpers=[],
    )
    return Restricted(smaller, free, base, int(linear.objective @ base), binding, feasible)


def _by_row(products: Ints, start: Ints) -> Ints:
    sums = np.concatenate([[0], np.cumsum(products)])
    return np.asarray(sums[start[1:]] - sums[start[:-1]], dtype=np.int64)


def _name(row: Row, touched: bool, lo: int, hi: int) -> Row:
    """Keep a row's family, which says its form, only while it still has that form."""
    if not touched:
        return row
    if row.family == "choice" and hi == 1:
        return row
    if row.family == "required" and lo == 1 and hi == 1:
        return row
    return dataclasses.replace(row, family=f"rest of {row.family}")
