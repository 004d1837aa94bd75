"""Rows that every good pack satisfies and a point of the relaxation does not, in exact integers.

A row of the simplex tableau says that a sum of the program's rows holds. With whole multipliers over a common
denominator ``D`` that sum is exact, whatever the multipliers: ``sum_j a_j x_j + sum_i l_i s_i = b`` over the
columns ``x`` and the slacks ``s >= 0`` of the rows, all of them whole numbers. Columns that stand nearer to
their upper bound are counted down from it, the others up from the lower one, which gives
``sum a_j z_j = b`` over whole ``z >= 0``. With ``b = q D + r`` and ``a_j = q_j D + r_j``, where
``0 <= r, r_j < D``, every whole ``z`` satisfies

    sum_j (q_j (D - r) + max(0, r_j - r)) z_j <= q (D - r)

which is mixed-integer rounding times ``D - r`` (Gomory 1960; Nemhauser and Wolsey 1990). Divided by any
number and rounded down on both sides it still holds, since ``z`` is whole and not negative: that keeps
coefficients small. Then slacks and bounds are put back. The multipliers that cut most are those of a basic
column that the point splits; floats choose them, and integers prove the row.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..backends.highs import Floats, Simplex
from ..compile import Ints
from ..linear import UNBOUNDED, Linear, Row
from ..reduce.rows import Addition

UNIT = 2**30
"""The denominator of the multipliers."""

COEFFICIENT = 20
"""Bits that rounding leaves of a coefficient of size 1."""

SPLIT = 0.01
"""A column nearer to a whole number than this is not worth a cut."""

TRIED = 5
"""Tableau rows looked at for one round, the most split first. The first few give nearly all of the gain, and
each takes about as long as solving the relaxation again."""

EFFICACY = 1e-4
"""Least distance from the point to a cut that is worth a row."""

ROOM = 2.0**58


def tableau_cuts(linear: Linear, simplex: Simplex, columns: Floats) -> list[tuple[float, Addition]]:
    """Return rows that hold for every pack and not for ``columns``, the last point of ``simplex`` over
    ``linear``, each with its distance to that point."""
    entry_row = np.repeat(np.arange(len(linear.rows), dtype=np.int64), np.diff(linear.start))
    products = linear.coefs * columns[linear.cols]
    activity: Floats = np.bincount(entry_row, weights=products, minlength=len(linear.rows)).astype(np.float64)
    sums = _Sums.of(linear)
    split = sorted(simplex.fractional(SPLIT), key=lambda pair: (abs(0.5 - pair[0]), pair[1]))
    found: list[tuple[float, Addition]] = []
    for _, place in split[:TRIED]:
        whole = np.rint(simplex.multipliers(place) * UNIT)
        if float(np.abs(whole).max(initial=0.0)) < ROOM:
            cut = _round(linear, sums, activity, whole.astype(np.int64), columns)
            if cut is not None:
                found.append(cut)
    return found


def _round(
    linear: Linear, sums_of: _Sums, activity: Floats, multipliers: Ints, columns: Floats
) -> tuple[float, Addition] | None:
    """Round the sum of the rows of ``linear`` times ``multipliers / UNIT``; None where nothing is cut off."""
    used = np.flatnonzero(multipliers)
    lo, hi, at = linear.lo[used], linear.hi[used], activity[used]
    above = (hi < UNBOUNDED) & ((lo <= -UNBOUNDED) | (hi - at <= at - lo))  # which side a slack counts from
    side = np.where(above, hi, lo)
    weight = multipliers[used]
    size = np.abs(weight.astype(np.float64))
    if float((size * np.maximum(1, np.abs(side))).sum()) > ROOM:
        return None
    sums = sums_of(multipliers)
    flipped = linear.col_hi - columns < columns - linear.col_lo
    base = np.where(flipped, linear.col_hi, linear.col_lo)
    if float((np.abs(sums.astype(np.float64)) * np.maximum(1, np.abs(base))).sum()) > ROOM:
        return None
    right = int((weight * side).sum()) - int((sums * base).sum())
    whole, rest = divmod(right, UNIT)
    if not 0.01 * UNIT < rest < 0.99 * UNIT:
        return None
    shift = max(0, (UNIT - rest).bit_length() - COEFFICIENT)
    of_columns = _rounded(np.where(flipped, -sums, sums), rest) >> shift
    of_slacks = _rounded(np.where(above, weight, -weight), rest) >> shift
    back = np.zeros(len(multipliers), dtype=np.int64)
    back[used] = np.where(above, -of_slacks, of_slacks)
    largest = np.abs(of_slacks.astype(np.float64)) * np.maximum(1, np.abs(side))
    if float(largest.sum()) > ROOM:
        return None
    coefs = np.where(flipped, -of_columns, of_columns) + sums_of(back)
    limit = (whole * (UNIT - rest)) >> shift
    limit -= int((of_columns * np.where(flipped, linear.col_hi, -linear.col_lo)).sum())
    limit -= int((of_slacks * np.where(above, side, -side)).sum())
    cols = np.flatnonzero(coefs).astype(np.int64)
    norm = float(np.linalg.norm(coefs[cols].astype(np.float64)))
    depth = (float(coefs[cols] @ columns[cols]) - limit) / norm if norm else 0.0
    return (depth, (Row("cut", ""), cols, coefs[cols], limit)) if depth >= EFFICACY else None


def _rounded(numbers: Ints, rest: int) -> Ints:
    whole, part = np.divmod(numbers, UNIT)
    return np.asarray(whole * (UNIT - rest) + np.maximum(0, part - rest), dtype=np.int64)


@dataclass(frozen=True)
class _Sums:
    """The matrix by column, for sums of its rows times whole multipliers, exact modulo 2**64."""

    row: Ints
    coefs: Ints
    start: Ints

    @classmethod
    def of(cls, linear: Linear) -> _Sums:
        row = np.repeat(np.arange(len(linear.rows), dtype=np.int64), np.diff(linear.start))
        order = np.argsort(linear.cols, kind="stable")
        counts = np.bincount(linear.cols, minlength=linear.columns)
        start = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        return cls(row[order], linear.coefs[order], start)

    def __call__(self, multipliers: Ints) -> Ints:
        sums = np.concatenate([[0], np.cumsum(multipliers[self.row] * self.coefs)])
        return np.asarray(sums[self.start[1:]] - sums[self.start[:-1]], dtype=np.int64)
