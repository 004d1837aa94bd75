"""Bounds by weak duality, in exact integers, and what they rule out.

For any multipliers ``y`` of the coupling rows (all but the choice rows), with ``y`` of the right sign,

    L(y) = sum_i (y_i > 0 ? y_i * hi_i : y_i * lo_i)
         + sum_u max over the options of u of (value - y . column)
         + sum_h max over the range of helper column h of (objective_h - y . column_h) * h

is an upper bound on the objective of every feasible pack: a unit's options are its rungs, and being out
where it is not required (Geoffrion 1974). ``y`` comes from the relaxation in floats; it is rounded to
integers over a common denominator first, so the bound that follows is exact whatever the LP engine did.

An option whose loss against the unit's best one takes the bound below a known pack is in no better pack: the
reduced-cost test of Dantzig, Fulkerson and Johnson, by units instead of columns.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..models import Certificate, RowDual
from .compile import Bools, Compiled, Ints
from .linear import UNBOUNDED, Linear

DENOMINATOR = 2**16
"""Of the integer multipliers in a certificate; halved while a sum could leave 64 bits."""

FINE = 2**32
"""The same where nobody has to read them: rows of rounding (:mod:`.cuts`) have large coefficients, and need
small steps."""

SAFE = 2**61

NEVER = 2**62
"""The loss of what may not be: a required unit's being out, or an option that was ruled out before."""


@dataclass(frozen=True)
class Matrix:
    """The coefficients by column, without the choice rows, which the bound handles by units."""

    order: Ints
    row_of: Ints
    start: Ints
    coupling: Bools

    @classmethod
    def of(cls, linear: Linear) -> Matrix:
        """Sort the entries of ``linear`` by column, once."""
        rows = np.repeat(np.arange(len(linear.rows), dtype=np.int64), np.diff(linear.start))
        order = np.argsort(linear.cols, kind="stable").astype(np.int64)
        counts = np.bincount(linear.cols, minlength=linear.columns)
        coupling = np.array([row.family not in ("choice", "required") for row in linear.rows], dtype=np.bool_)
        start = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        return cls(order, rows[order], start, coupling)

    def times(self, linear: Linear, multipliers: Ints) -> Ints:
        """Return ``multipliers . A`` per column."""
        products = multipliers[self.row_of] * linear.coefs[self.order]
        sums = np.concatenate([[0], np.cumsum(products)])
        return np.asarray(sums[self.start[1:]] - sums[self.start[:-1]], dtype=np.int64)


@dataclass(frozen=True)
class Alive:
    """Which rungs, and which units' being out, may still be in a pack that is good enough."""

    rungs: Bools
    out: Bools

    @classmethod
    def every(cls, c: Compiled) -> Alive:
        """Rule nothing out but the absence of required units."""
        return cls(np.ones(c.m, dtype=np.bool_), ~c.required)

    def choices(self, c: Compiled) -> Ints:
        """Return how many options each unit has left."""
        if c.n == 0:
            return np.zeros(0, dtype=np.int64)
        return np.asarray(np.add.reduceat(self.rungs.astype(np.int64), c.rung_start[:-1]) + self.out)

    def free(self, c: Compiled) -> Ints:
        """Return the units that are not decided."""
        return np.flatnonzero(self.choices(c) > 1).astype(np.int64)

    def both(self, other: Alive) -> Alive:
        """Return what is alive in this one and in ``other``."""
        return Alive(self.rungs & other.rungs, self.out & other.out)


@dataclass(frozen=True)
class DualBound:
    """Integer multipliers over ``denominator``, the bound they prove, and the worth of every option.

    ``total / denominator`` bounds the objective of packs whose options are all in ``alive``. ``worth`` is per
    rung, ``best`` per unit, both times the denominator; of a unit with no option alive ``best`` says nothing,
    and ``possible`` is False: there is no such pack.
    """

    multipliers: Ints
    denominator: int
    total: int
    worth: Ints
    best: Ints
    alive: Alive
    possible: bool

    @property
    def bound(self) -> int:
        """The largest integer that the objective may reach."""
        return self.total // self.denominator


def dual_bound(
    c: Compiled,
    linear: Linear,
    matrix: Matrix,
    duals: NDArray[np.float64],
    alive: Alive | None = None,
    *,
    denominator: int = DENOMINATOR,
) -> DualBound:
    """Return the exact bound that the multipliers ``duals`` (floats, one per row) prove.

    With ``alive``, for packs of its options only; ``linear`` may then hold rows that only they satisfy.
    """
    alive = alive or Alive.every(c)
    denominator = _denominator(linear, matrix, duals, denominator)
    multipliers = np.rint(duals * denominator).astype(np.int64)
    # A multiplier on a side that does not exist would prove nothing: such rounding noise is dropped.
    wrong = ((multipliers > 0) & (linear.hi >= UNBOUNDED)) | ((multipliers < 0) & (linear.lo <= -UNBOUNDED))
    multipliers[wrong | ~matrix.coupling] = 0
    side = np.where(multipliers > 0, linear.hi, np.where(multipliers < 0, linear.lo, 0))
    worth = linear.objective * denominator - matrix.times(linear, multipliers)
    rungs = np.where(alive.rungs, worth[: c.m], -SAFE)
    best = np.maximum.reduceat(rungs, c.rung_start[:-1]) if c.n else np.zeros(0, dtype=np.int64)
    best = np.where(alive.out, np.maximum(best, 0), best)
    helpers = worth[c.m :]
    gains = np.maximum(helpers * linear.col_lo[c.m :], helpers * linear.col_hi[c.m :])
    total = _sum(multipliers * side) + _sum(best) + _sum(gains)
    possible = bool((best > -SAFE).all())
    return DualBound(multipliers, denominator, total, worth[: c.m], best, alive, possible)


def _denominator(linear: Linear, matrix: Matrix, duals: NDArray[np.float64], denominator: int) -> int:
    """Return a power of two that keeps every product, and every column's sum of them, within 64 bits."""
    size = np.abs(duals)
    sides = np.maximum(
        np.where(linear.hi >= UNBOUNDED, 0, np.abs(linear.hi)),
        np.where(linear.lo <= -UNBOUNDED, 0, np.abs(linear.lo)),
    )
    products = size[matrix.row_of] * np.abs(linear.coefs[matrix.order])
    reach = np.bincount(linear.cols[matrix.order], weights=products, minlength=linear.columns)
    reach = reach + np.abs(linear.objective)
    reach[linear.m :] *= np.maximum(1, np.maximum(np.abs(linear.col_lo), np.abs(linear.col_hi))[linear.m :])
    largest = max(1.0, float(reach.max(initial=0)), float((size * np.maximum(sides, 1)).max(initial=0)))
    while denominator > 1 and largest * denominator * 4 > SAFE:
        denominator //= 2
    return denominator


def _sum(numbers: Ints) -> int:
    """Return the exact sum: halves are added apart, so that no partial sum leaves 64 bits."""
    high, low = numbers >> 31, numbers & (2**31 - 1)
    return (int(high.sum()) << 31) + int(low.sum())


def certificate(linear: Linear, bound: DualBound) -> Certificate:
    """Return what :mod:`..verify` needs to prove the bound again."""
    duals = [
        RowDual(family=row.family, name=row.name, other=row.other, value=int(bound.multipliers[i]))
        for i in np.flatnonzero(bound.multipliers).tolist()
        for row in [linear.rows[i]]
    ]
    return Certificate(denominator=bound.denominator, bound=bound.bound, duals=tuple(duals))


def losses(c: Compiled, bound: DualBound) -> tuple[Ints, Ints]:
    """Return what each rung loses against its unit's best option, and what being out loses, per unit.

    Both times the denominator; what is not alive loses more than anything.
    """
    alive = bound.alive
    loss = np.where(alive.rungs, bound.best[c.rung_unit] - bound.worth, np.int64(NEVER))
    out = np.where(alive.out, bound.best, np.int64(NEVER))
    return loss, out


def survivors(c: Compiled, bound: DualBound, objective: int | None) -> Alive:
    """Return the options that may be in a pack worth ``objective`` or more (all of them for None)."""
    loss, out = losses(c, bound)
    slack = NEVER - 1
    if objective is not None:
        slack = min(slack, bound.total - objective * bound.denominator)
    return Alive(loss <= slack, out <= slack)


def second_losses(c: Compiled, bound: DualBound) -> Ints:
    """Return what each unit's second-best option loses: small where the bound does not decide."""
    loss, out = losses(c, bound)
    unit = np.concatenate([c.rung_unit, np.arange(c.n, dtype=np.int64)])
    every = np.concatenate([loss, out])
    order = np.lexsort((every, unit))
    first = np.searchsorted(unit[order], np.arange(c.n))
    ranked = every[order]
    second = np.minimum(first + 1, len(ranked) - 1)
    single = np.append(first[1:], len(ranked)) - first < 2
    return np.asarray(np.where(single, np.int64(NEVER), ranked[second]), dtype=np.int64)
