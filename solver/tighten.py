"""The relaxation made tighter: rows that good packs satisfy, and options that good packs do not use.

Each pass works on the program of what is still open. It adds cuts (:mod:`.cuts`) and solves again until that
brings little, proves the bound that the last duals give in integers (:mod:`.duals`), and rules out every
option whose loss takes that bound below the incumbent. What is ruled out makes the program smaller, and the
next pass cuts the smaller one deeper. Cuts may rest on what is ruled out: they hold for every pack that is as
good as the incumbent, and for no others.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import numpy as np

from .backends.highs import Floats, Relaxation, Simplex
from .compile import Bools, Compiled, Ints
from .cuts import separate
from .duals import FINE, Alive, DualBound, Matrix, dual_bound, survivors
from .linear import Linear, Row
from .reduce.rows import Addition, with_rows
from .restrict import Restricted, restrict
from .round import round_relaxation
from .search import Search

ROUNDS = 40
"""Rounds of cuts in one pass, at most."""

PATIENCE = 3
"""Rounds over which a pass looks back."""

LITTLE = 0.2
"""A pass ends when its last rounds brought less than this share of what it brought in all."""

SMALL = 250
"""Programs with fewer columns are proven in less time than cutting takes."""

LARGE = 40_000
"""Of programs with more columns a better incumbent is found sooner than a better bound."""

WORTH = 0.5
"""Another pass is made when the last one took this share of the gap away."""


@dataclass(frozen=True)
class Outlook:
    """What is known of better packs: a bound on them, the options that they may use, the cuts that the bound
    rests on, and the point of the relaxation that it comes from, fractional (``columns``)."""

    bound: DualBound
    alive: Alive
    columns: Floats
    cuts: tuple[Addition, ...] = ()

    def after(self, search: Search) -> Outlook:
        """Return what is left to look at now that the incumbent is what it is."""
        return self if search.best is None else self.above(search.c, search.best.objective)

    def above(self, c: Compiled, value: int) -> Outlook:
        """Return what is left for packs worth ``value`` or more."""
        return dataclasses.replace(self, alive=survivors(c, self.bound, value))


def tighten(search: Search, linear: Linear, known: Outlook) -> Outlook:
    """Return what passes over ``linear`` make of ``known``, as long as they pay and the limits allow.

    The incumbent and the bound of ``search`` are improved on the way. Without an incumbent nothing is done.
    """
    while search.best is not None and not search.halted and not search.proved:
        before = search.bound - search.best.objective
        found = _pass(search, linear, known)
        if found is None:
            break
        bound, columns, cuts = found
        search.take_bound(max(bound.bound, search.best.objective))
        search.take_pack(round_relaxation(search.c, columns[: search.c.m]))
        if bound.bound < known.bound.bound:
            known = Outlook(bound, known.alive, columns, cuts)
        known = known.after(search)
        search.tell("cuts")
        if search.bound - search.best.objective > (1 - WORTH) * before:
            break
    return known


def sharpened(search: Search, linear: Linear, known: Outlook, aim: int) -> Outlook | None:
    """Return what one pass makes of ``known``, what is known of packs worth ``aim`` or more.

    None where no such pack exists: the bound is then below the aim.
    """
    found = _pass(search, linear, known)
    if found is None:
        return known
    bound, columns, cuts = found
    assert search.best is not None
    search.take_bound(max(bound.bound, aim - 1, search.best.objective))
    search.take_pack(round_relaxation(search.c, columns[: search.c.m]))
    if bound.bound < aim:
        return None
    if bound.bound >= known.bound.bound:
        return known
    return Outlook(bound, known.alive, columns, cuts).above(search.c, aim)


def opened(c: Compiled, linear: Linear, alive: Alive) -> Restricted:
    """Return the program that holds every pack of the options in ``alive``, and no other."""
    low, high = linear.col_lo.copy(), linear.col_hi.copy()
    choices = alive.choices(c)
    forced = (choices == 1) & ~alive.out
    high[: c.m] = np.minimum(high[: c.m], alive.rungs)
    low[: c.m] = alive.rungs & forced[c.rung_unit]
    return restrict(_held_in(c, linear, ~alive.out & (choices > 1)), low, high)


def _held_in(c: Compiled, linear: Linear, units: Bools) -> Linear:
    """Return ``linear`` with "one rung at most" made "one rung" for ``units``."""
    choice = np.array([i for i, row in enumerate(linear.rows) if row.family == "choice"], dtype=np.int64)
    wanted = choice[units[c.rung_unit[linear.cols[linear.start[choice]]]]]
    if len(wanted) == 0:
        return linear
    rows, lo = list(linear.rows), linear.lo.copy()
    for i in wanted.tolist():
        rows[i], lo[i] = Row("required", rows[i].name), 1
    return dataclasses.replace(linear, rows=rows, lo=lo)


def _pass(
    search: Search, linear: Linear, known: Outlook
) -> tuple[DualBound, Floats, tuple[Addition, ...]] | None:
    """Cut the open program once: return the bound, the last point and the cuts; None where there is nothing
    to cut, or a limit came first."""
    c = search.c
    linear, before = with_rows(linear, known.cuts), len(linear.rows)
    small = opened(c, linear, known.alive)
    if not small.feasible or not SMALL <= small.linear.columns <= LARGE:
        return None
    units = c.rung_unit[small.free[: small.linear.m]]
    program, relaxed = _cut(search, units, small.linear)
    if len(relaxed.duals) != len(program.rows):
        return None
    # Back to all columns: rows that left the small program have multiplier 0, new cuts come last.
    rows = len(small.linear.rows)
    used = np.flatnonzero(relaxed.duals[rows:]) + rows
    tight = with_rows(linear, [_lifted(program, small, i) for i in used.tolist()])
    duals = np.zeros(len(tight.rows), dtype=np.float64)
    duals[small.kept] = relaxed.duals[:rows]
    duals[len(linear.rows) :] = relaxed.duals[used]
    bound = dual_bound(c, tight, Matrix.of(tight), duals, known.alive, denominator=FINE)
    columns = small.base.astype(np.float64)
    columns[small.free] = relaxed.columns
    cuts = [_addition(tight, i) for i in range(before, len(tight.rows)) if duals[i]]
    return bound, columns, tuple(cuts)


def _cut(search: Search, units: Ints, program: Linear) -> tuple[Linear, Relaxation]:
    """Add cuts to ``program`` until they bring little; return it with them, and its last relaxation."""
    simplex = Simplex(program)
    objective = program.objective.astype(np.float64)
    relaxed = simplex.solve(seconds=search.seconds_left(), work=search.work_left())
    values: list[float] = []
    while relaxed.found == "optimal" and len(values) < ROUNDS and not search.out_of_time():
        values.append(float(objective @ relaxed.columns))
        if len(values) > PATIENCE and values[-1 - PATIENCE] - values[-1] <= LITTLE * (values[0] - values[-1]):
            break
        cuts = separate(units, program, simplex, relaxed.columns)
        if not cuts:
            break
        program = with_rows(program, cuts)
        simplex.add(cuts)
        relaxed = simplex.solve(seconds=search.seconds_left(), work=search.work_left())
    search.work += simplex.work
    return program, relaxed


def _lifted(program: Linear, small: Restricted, row: int) -> Addition:
    name, cols, coefs, hi = _addition(program, row)
    return name, small.free[cols], coefs, hi


def _addition(program: Linear, row: int) -> Addition:
    span = slice(int(program.start[row]), int(program.start[row + 1]))
    return program.rows[row], program.cols[span], program.coefs[span], int(program.hi[row])
