"""The integer program of design §3 as one sparse matrix, which every engine reads.

Columns: ``x`` per rung, then ``over`` per priced zone, ``extra`` per soft group, ``seg`` per coverage
segment, ``short`` per zone with a relaxed minimum. All coefficients are integers; the objective is maximised.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .compile import Compiled, Ints

UNBOUNDED = 2**60
"""Stands for no limit on one side of a row."""


@dataclass(frozen=True)
class Row:
    """What a row says, for explanations: its family and the unit, zone, group or dimension it is about.

    A dependency is of unit ``name`` on unit ``other``.
    """

    family: str
    name: str
    other: str = ""


@dataclass(frozen=True)
class Linear:
    """``lo <= A x <= hi`` with ``A`` in CSR form, columns in ``[col_lo, col_hi]``, maximise ``objective``.

    ``short`` are the columns whose sum is the total shortfall of relaxed zone minima. Columns below ``m``
    are binary choices of rungs; ``helpers`` holds enough to complete any such choice.
    """

    m: int
    start: Ints
    cols: Ints
    coefs: Ints
    lo: Ints
    hi: Ints
    col_lo: Ints
    col_hi: Ints
    objective: Ints
    tokens: Ints
    short: Ints
    rows: list[Row]
    helpers: list[Helper]

    @property
    def columns(self) -> int:
        """Number of columns."""
        return len(self.objective)

    def with_row(self, row: Row, cols: Ints, coefs: Ints, lo: int, hi: int) -> Linear:
        """Return the program with one row more."""
        return dataclasses.replace(
            self,
            start=np.append(self.start, self.start[-1] + len(cols)),
            cols=np.concatenate([self.cols, cols]),
            coefs=np.concatenate([self.coefs, coefs]),
            lo=np.append(self.lo, lo),
            hi=np.append(self.hi, hi),
            rows=[*self.rows, row],
        )

    def complete(self, x: NDArray[np.int64]) -> Ints:
        """Return all columns for the choice of rungs ``x`` (length ``m``), helpers at their best values."""
        full = np.zeros(self.columns, dtype=np.int64)
        full[: self.m] = x
        for helper in self.helpers:
            helper.fill(full)
        return full


@dataclass(frozen=True)
class Helper:
    """Columns ``cols`` that absorb ``sign * (coefs . x[over] - base)``, filled in order to their bounds."""

    cols: Ints
    bounds: Ints
    over: Ints
    coefs: Ints
    base: int
    sign: int

    def fill(self, full: Ints) -> None:
        """Set the helper's columns in ``full`` from its rung columns."""
        amount = self.sign * (int(self.coefs @ full[self.over]) - self.base)
        for col, bound in zip(self.cols.tolist(), self.bounds.tolist(), strict=True):
            full[col] = max(0, min(amount, bound))
            amount -= bound


class _Builder:
    def __init__(self, compiled: Compiled) -> None:
        self.c = compiled
        self.cols: list[Ints] = []
        self.coefs: list[Ints] = []
        self.lo: list[int] = []
        self.hi: list[int] = []
        self.rows: list[Row] = []
        self.extra_hi: list[int] = []
        self.extra_objective: list[int] = []
        self.short: list[int] = []
        self.helpers: list[Helper] = []

    def column(self, bound: int, objective: int) -> int:
        self.extra_hi.append(bound)
        self.extra_objective.append(objective)
        return self.c.m + len(self.extra_hi) - 1

    def row(self, family: str, name: str, cols: Ints, coefs: Ints, lo: int, hi: int, other: str = "") -> None:
        self.cols.append(cols)
        self.coefs.append(coefs)
        self.lo.append(lo)
        self.hi.append(hi)
        self.rows.append(Row(family, name, other))

    def rungs(self, units: Ints) -> Ints:
        """Return the rung columns of ``units``."""
        starts, ends = self.c.rung_start[units], self.c.rung_start[units + 1]
        sizes = ends - starts
        if len(units) == 0:
            return np.zeros(0, dtype=np.int64)
        offsets = np.repeat(starts - np.concatenate([[0], np.cumsum(sizes)[:-1]]), sizes)
        return offsets + np.arange(int(sizes.sum()), dtype=np.int64)


def _ones(cols: Ints) -> Ints:
    return np.ones(len(cols), dtype=np.int64)


def build(c: Compiled) -> Linear:
    """Write the rows of design §3 for ``c``; a row that can never bind is left out."""
    b = _Builder(c)
    _choice(b)
    every = np.arange(c.m, dtype=np.int64)
    b.row("budget", "", every, c.tokens, -UNBOUNDED, c.available)
    _zones(b)
    _dependencies(b)
    for clique in c.cliques:
        cols = b.rungs(clique.units)
        b.row("group", clique.name, cols, _ones(cols), -UNBOUNDED, clique.k)
    _soft_groups(b)
    _coverage(b)
    _priced(b)
    sizes = np.array([len(cols) for cols in b.cols], dtype=np.int64)
    return Linear(
        m=c.m,
        start=np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
        cols=np.concatenate(b.cols).astype(np.int64),
        coefs=np.concatenate(b.coefs).astype(np.int64),
        lo=np.array(b.lo, dtype=np.int64),
        hi=np.array(b.hi, dtype=np.int64),
        col_lo=np.zeros(c.m + len(b.extra_hi), dtype=np.int64),
        col_hi=np.concatenate([np.ones(c.m, dtype=np.int64), np.array(b.extra_hi, dtype=np.int64)]),
        objective=np.concatenate([c.values, np.array(b.extra_objective, dtype=np.int64)]),
        tokens=np.concatenate([c.tokens, np.zeros(len(b.extra_hi), dtype=np.int64)]),
        short=np.array(b.short, dtype=np.int64),
        rows=b.rows,
        helpers=b.helpers,
    )


def _choice(b: _Builder) -> None:
    c = b.c
    sizes = np.diff(c.rung_start)
    for u in np.flatnonzero((sizes > 1) | c.required).tolist():
        cols = np.arange(c.rung_start[u], c.rung_start[u + 1], dtype=np.int64)
        required = bool(c.required[u])
        b.row("required" if required else "choice", c.ids[u], cols, _ones(cols), int(required), 1)


def _zones(b: _Builder) -> None:
    for zone in b.c.zones:
        cols = b.rungs(zone.units)
        tokens = b.c.tokens[cols]
        if zone.maximum is not None:
            b.row("zone maximum", zone.name, cols, tokens, -UNBOUNDED, zone.maximum)
        if zone.minimum > 0 and not zone.relax:
            b.row("zone minimum", zone.name, cols, tokens, zone.minimum, UNBOUNDED)
        elif zone.minimum > 0:
            short = b.column(zone.minimum, 0)
            b.short.append(short)
            with_short = np.append(cols, short)
            b.row("zone minimum", zone.name, with_short, np.append(tokens, 1), zone.minimum, UNBOUNDED)
            b.helpers.append(_helper([short], [zone.minimum], cols, tokens, zone.minimum, -1))
        if zone.price > 0:
            over = b.column(b.c.available, -zone.price)
            b.row(
                "zone target",
                zone.name,
                np.append(cols, over),
                np.append(tokens, -1),
                -UNBOUNDED,
                zone.target,
            )
            b.helpers.append(_helper([over], [b.c.available], cols, tokens, zone.target, 1))


def _dependencies(b: _Builder) -> None:
    c = b.c
    for e, (u, v) in enumerate(zip(c.dep_unit.tolist(), c.dep_target.tolist(), strict=True)):
        good = c.dep_rungs[c.dep_start[e] : c.dep_start[e + 1]]
        own = np.arange(c.rung_start[u], c.rung_start[u + 1], dtype=np.int64)
        coefs = np.concatenate([_ones(own), -_ones(good)])
        cols = np.concatenate([own, good])
        b.row("dependency", c.ids[u], cols, coefs, -UNBOUNDED, 0, other=c.ids[v])


def _soft_groups(b: _Builder) -> None:
    for group in b.c.soft:
        cols = b.rungs(group.units)
        bound = len(group.units) - 1
        extra = b.column(bound, -group.price)
        b.row("redundancy", group.name, np.append(cols, extra), np.append(_ones(cols), -1), -UNBOUNDED, 1)
        b.helpers.append(_helper([extra], [bound], cols, _ones(cols), 1, 1))


def _coverage(b: _Builder) -> None:
    # Gains do not increase, so segments fill in order by themselves and need no binaries.
    for cover in b.c.covers:
        if cover.required:
            cols = b.rungs(cover.units)
            b.row("coverage", cover.name, cols, _ones(cols), cover.required, UNBOUNDED)
        gains = [gain for gain in cover.gains.tolist() if gain > 0]
        if not gains or len(cover.rungs) == 0:
            continue
        segments = [b.column(b.c.amount_scale, gain) for gain in gains]
        seg = np.array(segments, dtype=np.int64)
        row = np.concatenate([seg, cover.rungs]), np.concatenate([_ones(seg), -cover.amounts])
        b.row("cover", cover.name, *row, -UNBOUNDED, 0)
        bounds = [b.c.amount_scale] * len(segments)
        b.helpers.append(_helper(segments, bounds, cover.rungs, cover.amounts, 0, 1))


def _priced(b: _Builder) -> None:
    rows = b.c.priced
    if rows is not None and rows.least > 0:
        cols = b.rungs(rows.prefix)
        b.row("prefix minimum", "", cols, b.c.tokens[cols], rows.least, UNBOUNDED)
    if rows is not None and rows.most is not None:
        b.row("cost", "", np.arange(b.c.m, dtype=np.int64), rows.costs, -UNBOUNDED, rows.most)


def _helper(cols: list[int], bounds: list[int], over: Ints, coefs: Ints, base: int, sign: int) -> Helper:
    return Helper(np.array(cols, dtype=np.int64), np.array(bounds, dtype=np.int64), over, coefs, base, sign)
