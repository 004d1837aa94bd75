"""Rows that whole packs satisfy and a point of the relaxation does not: mixed-integer rounding.

Most of what the relaxation leaves open comes from rows of tokens and covers that units fill in parts. One
such row, together with "one option per unit", rounds to a row that cuts the point off (Nemhauser and Wolsey
1990; Marchand and Wolsey 2001, here with whole units complemented instead of single columns).

Write the row as ``sum a_j x_j <= b``. Give each unit a *reference*: of its options (its rungs in the row, and
having none of them) the one that the point has most of. The shares of the options sum to 1, so that of the
reference can be replaced; helper columns, which start at 0, are counted from the nearer bound. What comes out
is

    sum e_j z_j + sum e_h c_h  <=  f        z_j whole, all >= 0, e_j = a_j - a_ref, f = b - sum a_ref

For any whole ``d`` let ``e_j = q_j d + r_j`` and ``f = q d + r``, with ``0 < r < d`` and ``0 <= r_j < d``.
Then

    sum (q_j (d - r) + max(0, r_j - r)) z_j + sum min(0, e_h) c_h  <=  q (d - r)

holds for every whole ``z``: this is the mixed-integer rounding inequality times ``d - r``. Putting the shares
back gives whole coefficients on the columns, no larger than about those of the row.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..backends.highs import Floats
from ..compile import Bools, Ints
from ..linear import UNBOUNDED, Linear, Row
from ..reduce.parts import starts_of_parts
from ..reduce.rows import Addition

WHOLE = 1e-6
"""Shares this near to a whole number count as whole."""

TIGHT = 0.05
"""Rows further from binding than this share of their side give no violated row."""

DIVISORS = 120
"""Most divisors that are tried for one row, spread evenly over the candidates."""

EFFICACY = 1e-4
"""Least distance between the point and a row that is worth adding."""


def rounding_cuts(units: Ints, linear: Linear, columns: Floats) -> list[tuple[float, Addition]]:
    """Return rows that hold for every pack and not for ``columns``, each with its distance to that point.

    ``units`` is the unit of each rung column. One row at most for each side of each row of ``linear``,
    earlier cuts among them. Rows whose coefficients are all 1 or -1 are left out: with one option per unit
    they describe whole packs well enough by themselves.
    """
    filled = np.flatnonzero(np.diff(linear.start) > 0)
    starts = linear.start[filled]
    split = np.zeros(linear.columns, dtype=np.bool_)
    split[: linear.m] = (columns[: linear.m] > WHOLE) & (columns[: linear.m] < 1 - WHOLE)
    wanted = np.logical_or.reduceat(split[linear.cols], starts)
    wanted &= np.maximum.reduceat(np.abs(linear.coefs), starts) > 1
    sums = np.add.reduceat(linear.coefs * columns[linear.cols], starts)
    found: list[tuple[float, Addition]] = []
    for i, total in zip(filled[wanted].tolist(), sums[wanted].tolist(), strict=True):
        for sign, side in ((1, int(linear.hi[i])), (-1, -int(linear.lo[i]))):
            if side < UNBOUNDED and side - sign * total <= TIGHT * max(1, abs(side)):
                cut = _Rounding.of(units, linear, i, sign, side, columns).best()
                if cut is not None:
                    found.append(cut)
    return found


@dataclass(frozen=True)
class _Rounding:
    """One row in the form above. ``options`` are the entries of ``z``: rungs that are no reference, then, of
    the parts ``absent``, having none of the row's rungs."""

    linear: Linear
    row: int
    cols: Ints
    coefs: Ints
    part: Ints
    is_rung: Bools
    rungs: Ints
    absent: Ints
    options: Ints
    shares: Floats
    helpers: Ints
    flipped: Bools
    helper_coefs: Ints
    helper_values: Floats
    side: int
    columns: Floats

    @classmethod
    def of(cls, units: Ints, linear: Linear, row: int, sign: int, side: int, columns: Floats) -> _Rounding:
        """Choose the references and put them into ``row``, whose upper ``side`` is with ``sign`` its own."""
        span = slice(int(linear.start[row]), int(linear.start[row + 1]))
        cols, coefs = linear.cols[span], sign * linear.coefs[span]
        is_rung = cols < linear.m
        new = starts_of_parts(units, cols)
        first, part = np.flatnonzero(new), np.cumsum(new) - 1
        values = columns[cols]
        held = np.where(is_rung, values, 0.0)
        none = 1.0 - np.add.reduceat(held, first)
        most = np.maximum.reduceat(held, first)
        leading = np.flatnonzero(is_rung & (held >= most[part]) & (most[part] > none[part]))
        # Of equal shares the first; parts rise along the row.
        reference = leading[np.diff(part[leading], prepend=-1) > 0]
        base = np.zeros(len(first), dtype=np.int64)
        base[part[reference]] = coefs[reference]
        others = is_rung.copy()
        others[reference] = False
        rungs = np.flatnonzero(others)
        absent = part[reference]
        helpers = np.flatnonzero(~is_rung)
        bound = linear.col_hi[cols[helpers]]
        flipped = values[helpers] > bound / 2
        return cls(
            linear=linear,
            row=row,
            cols=cols,
            coefs=coefs,
            part=part,
            is_rung=is_rung,
            rungs=rungs,
            absent=absent,
            options=np.concatenate([coefs[rungs] - base[part[rungs]], -base[absent]]),
            shares=np.concatenate([values[rungs], none[absent]]),
            helpers=helpers,
            flipped=flipped,
            helper_coefs=np.where(flipped, -coefs[helpers], coefs[helpers]),
            helper_values=np.where(flipped, bound - values[helpers], values[helpers]),
            side=side - int(base.sum()) - int((coefs[helpers] * bound)[flipped].sum()),
            columns=columns,
        )

    def best(self) -> tuple[float, Addition] | None:
        """Return the cut of the divisor that the point violates most, with its distance to the point."""
        some = self.shares > WHOLE
        options, shares = self.options[some], self.shares[some]
        helped = float((np.minimum(self.helper_coefs, 0) * self.helper_values).sum())
        divisors = self._divisors(options[shares < 1 - WHOLE])
        divisors = divisors[self.side % divisors != 0]
        if len(divisors) == 0:
            return None
        q, r = np.divmod(self.side, divisors)
        weights = rounded(options[None, :], divisors[:, None], r[:, None]).astype(np.float64)
        beyond = weights @ shares + helped - q * (divisors - r)
        distance = beyond / np.maximum(1.0, np.sqrt((weights**2).sum(axis=1)))
        best = int(np.argmax(distance >= distance.max() * (1 - WHOLE)))  # of equal ones the first
        return self._cut(int(divisors[best])) if distance[best] > 0 else None

    def _divisors(self, split: Ints) -> Ints:
        sizes = np.unique(np.abs(split))
        near = np.concatenate([sizes, np.setdiff1d(np.concatenate([sizes + 1, sizes - 1]), sizes)])
        near = near[near > 1]
        if len(near) > DIVISORS:
            near = near[np.linspace(0, len(near) - 1, DIVISORS).astype(np.int64)]
        return near

    def _cut(self, d: int) -> tuple[float, Addition] | None:
        """Put the shares back into the columns."""
        q, r = divmod(self.side, d)
        weights = rounded(self.options, d, r)
        absent = np.zeros(int(self.part.max()) + 1, dtype=np.int64)
        absent[self.absent] = weights[len(self.rungs) :]
        coefs = np.zeros(len(self.cols), dtype=np.int64)
        coefs[self.rungs] = weights[: len(self.rungs)]
        coefs[self.is_rung] -= absent[self.part[self.is_rung]]
        down = np.minimum(self.helper_coefs, 0)
        coefs[self.helpers] = np.where(self.flipped, -down, down)
        bound = self.linear.col_hi[self.cols[self.helpers]]
        side = q * (d - r) - int(absent.sum()) - int((down * bound)[self.flipped].sum())
        kept = np.flatnonzero(coefs)
        cols, coefs = self.cols[kept], coefs[kept]
        length = float(np.sqrt((coefs.astype(np.float64) ** 2).sum()))
        distance = (float(coefs @ self.columns[cols]) - side) / max(length, 1.0)
        if distance < EFFICACY:
            return None
        return distance, (Row("rounded", self.linear.rows[self.row].family), cols, coefs, side)


def rounded(options: Ints, d: Ints | int, r: Ints | int) -> Ints:
    """Return the coefficients of the rounded row, times ``d - r``."""
    q, rest = np.divmod(options, d)
    return np.asarray(q * (d - r) + np.maximum(0, rest - r), dtype=np.int64)
