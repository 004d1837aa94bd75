"""The relaxation of large programs by sifting: most units are where they belong from the start.

The units that a first price of the budget does not decide are let loose, all others are held where the
incumbent has them, and the relaxation of that is solved. Its duals tell what every option of every unit is
worth (:mod:`.duals`). A unit that is held at an option that loses is let loose too, with what it needs and
what needs it, and the simplex goes on from where it was. When no unit loses, the relaxation of the whole
program is solved: the bound by duals then equals the value that was reached (Bixby, Gregory, Lustig, Marsten
and Shanno 1992).
"""

from __future__ import annotations

import dataclasses

import numpy as np

from .backends.highs import Relaxation, Simplex
from .compile import Bools, Compiled, Ints
from .duals import DualBound, Matrix, dual_bound, losses, second_losses
from .linear import Linear
from .search import Search, columns_of

FROM = 8_000
"""Units from which on sifting is faster than solving at once."""

SHARE = 0.05
"""Share of the units that are loose at first: those that the price of the budget decides least."""

REACH = 3
"""Steps along dependencies, either way, by which units come loose with one that loses."""


def relax_root(search: Search, linear: Linear, matrix: Matrix) -> tuple[Simplex, Relaxation]:
    """Solve the relaxation of ``linear``: from a known basis, or by sifting where that is faster."""
    start = search.warm.basis if search.warm is not None else None
    if start is not None and start.fits(linear):
        simplex = Simplex(linear, start)
        relaxed = _solve(search, simplex)
    elif search.best is None or search.c.n < FROM:
        simplex = Simplex(linear)
        relaxed = _solve(search, simplex)
    else:
        simplex, relaxed = _sift(search, linear, matrix)
    if relaxed.found == "optimal":
        search.basis = simplex.basis()
    return simplex, relaxed


def _solve(search: Search, simplex: Simplex) -> Relaxation:
    before = simplex.work
    relaxed = simplex.solve(seconds=search.seconds_left(), work=search.work_left())
    search.work += simplex.work - before
    return relaxed


def _sift(search: Search, linear: Linear, matrix: Matrix) -> tuple[Simplex, Relaxation]:
    c = search.c
    assert search.best is not None
    held = columns_of(c, linear, search.best.choice)[: c.m]
    loose = _least_decided(search, linear, matrix)
    free = loose[c.rung_unit]
    low, high = _around(linear, held, free)
    simplex = Simplex(dataclasses.replace(linear, col_lo=low, col_hi=high))
    while True:
        relaxed = _solve(search, simplex)
        if relaxed.found != "optimal":
            return simplex, relaxed
        bound = dual_bound(c, linear, matrix, relaxed.duals)
        search.take_bound(bound.bound)
        search.tell("relaxation")
        losing = _losing(search, bound) & ~loose
        if not losing.any() or search.halted:
            return simplex, relaxed
        loose = loose | _with_neighbours(c, losing)
        before, free = free, loose[c.rung_unit]
        simplex.bound(np.flatnonzero(free & ~before), *_around(linear, held, free))


def _around(linear: Linear, held: Ints, free: Bools) -> tuple[Ints, Ints]:
    """Return column bounds that hold the rungs that are not ``free``."""
    low, high = linear.col_lo.copy(), linear.col_hi.copy()
    low[: linear.m] = np.where(free, low[: linear.m], held)
    high[: linear.m] = np.where(free, high[: linear.m], held)
    return low, high


def _least_decided(search: Search, linear: Linear, matrix: Matrix) -> Bools:
    """Return the units whose second-best option loses least at the first price of the budget."""
    c, certificate = search.c, search.certificate
    duals = np.zeros(len(linear.rows), dtype=np.float64)
    if certificate is not None:
        price = sum(dual.value for dual in certificate.duals if dual.family == "budget")
        budget = next(i for i, row in enumerate(linear.rows) if row.family == "budget")
        duals[budget] = price / certificate.denominator
    second = second_losses(c, dual_bound(c, linear, matrix, duals))
    loose = np.zeros(c.n, dtype=np.bool_)
    loose[np.argsort(second, kind="stable")[: int(SHARE * c.n)]] = True
    return loose


def _losing(search: Search, bound: DualBound) -> Bools:
    """Return which units the incumbent has at an option that loses more than rounding can explain."""
    assert search.best is not None
    loss, out = losses(search.c, bound)
    choice = search.best.choice
    return np.asarray(np.where(choice >= 0, loss[np.maximum(choice, 0)], out) > bound.denominator)


def _with_neighbours(c: Compiled, units: Bools) -> Bools:
    reached = units
    for _ in range(REACH):
        wider = reached.copy()
        wider[c.dep_target[reached[c.dep_unit]]] = True
        wider[c.dep_unit[reached[c.dep_target]]] = True
        reached = wider
    return reached
