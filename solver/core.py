"""The value stage: relaxation, rounding, core, and proof on what the bound leaves open.

The relaxation is nearly tight and has a handful of fractional columns (design §4), so

1. its duals give an exact bound, and the loss of every option of every unit against it (:mod:`.duals`);
2. the relaxation is rounded and repaired to a pack;
3. CP-SAT improves that pack over a *core*: the units that the bound decides least, all others held
   (Balas and Zemel 1980; Pisinger 1999 for the multiple-choice knapsack);
4. options whose loss takes the bound below the pack are ruled out for good, and what is left is closed
   (:mod:`.close`). While it is still large, the core grows instead.

Every step leaves a valid bound and a feasible pack, so a limit may stop it anywhere.
"""

from __future__ import annotations

import numpy as np

from .backends import highs
from .backends.cpsat import CpSat
from .close import close, prove, teller
from .compile import Bools, Ints
from .conflict import explain_infeasible
from .duals import Alive, DualBound, Matrix, certificate, dual_bound, losses, second_losses
from .linear import Linear
from .reduce import ALL, reduce
from .reduce.bounds import drop_slack
from .restrict import Restricted, restrict
from .round import round_relaxation
from .search import Search, columns_of, pack_of
from .sift import relax_root
from .state import NONE
from .tighten import Outlook, tighten

SPLIT = 1e-6
"""A share this near to a whole number is whole."""

IN_PLACE = tuple(reduction for reduction in ALL if reduction is not drop_slack)
"""Rows keep their places, so that the relaxation of the reduced program starts where the first one ended;
what is slack leaves when the open program is made."""

CORE = 80
"""Units in the first core: enough to hold the fractional ones and their rivals, few enough for CP-SAT to end
in milliseconds. It grows fourfold when it was too small."""

DIRECT = 400
"""With no more open units than this the proof finds packs as fast as cores do."""

CORE_WORK = 1.0
"""CP-SAT work units for one core; typical cores end within a tenth of it."""

CORES_WORK = 8.0
"""CP-SAT work units for all cores together."""

PROOF_UNITS = 1000
"""The largest number of open units handed to the proof while a larger core could still rule some out."""


def maximise(search: Search, linear: Linear) -> tuple[Linear, Outlook] | None:
    """Find and prove the best value.

    Returns the reduced program with what is known of packs as good as the incumbent, or None where no
    relaxation could be solved. The bound of the relaxation of ``linear`` becomes the certificate.

    Raises
    ------
    InfeasibleError
        No pack exists.
    """
    c = search.c
    if search.best is not None and search.halted:
        return None
    reduced = reduce(c, linear, IN_PLACE)
    if not reduced.feasible:
        raise explain_infeasible(c, linear, seed=search.options.seed, seconds=search.seconds_left())
    every = Alive(reduced.open, ~reduced.required)
    if search.best is not None and search.halted:
        return None
    known = _relax(search, linear, reduced.linear, every) if highs.available() else None
    if known is None:
        prove(search, reduced.linear, every)
        return None
    if search.best is None and not search.hopeless:
        prove(search, reduced.linear, known.alive)
    known = tighten(search, reduced.linear, known)
    before = search.best
    known = _grow_cores(search, reduced.linear, known)
    if search.best is not before:
        known = tighten(search, reduced.linear, known)
    known = close(search, reduced.linear, known)
    return reduced.linear, known


def _relax(search: Search, linear: Linear, reduced: Linear, every: Alive) -> Outlook | None:
    """Solve the relaxation, first of ``linear`` for the certificate, then of ``reduced`` from there on."""
    c = search.c
    search.tell("relaxation")
    matrix = Matrix.of(linear)
    simplex, relaxed = relax_root(search, linear, matrix)
    before = simplex.work
    if relaxed.found == "infeasible" or len(relaxed.duals) == 0 or len(relaxed.columns) == 0:
        return None
    root = dual_bound(c, linear, matrix, relaxed.duals)
    if search.certificate is None or root.bound < search.certificate.bound:
        search.certificate = certificate(linear, root)
    search.take_bound(root.bound)
    simplex.narrow(reduced)
    again = simplex.solve(seconds=search.seconds_left(), work=search.work_left())
    search.work += simplex.work - before
    if again.found == "optimal":
        relaxed = again
    duals = np.zeros(len(reduced.rows), dtype=np.float64)
    duals[: len(relaxed.duals)] = relaxed.duals
    bound = dual_bound(c, reduced, Matrix.of(reduced), duals, every)
    search.take_bound(bound.bound)
    search.take_pack(round_relaxation(c, relaxed.columns[: c.m]))
    search.tell("rounding")
    return Outlook(bound, every, relaxed.columns).after(search)


def _grow_cores(search: Search, linear: Linear, known: Outlook) -> Outlook:
    """Improve the incumbent over cores until one brings nothing and few units are open, or a limit is hit.

    The first core holds what the relaxation has whole (Balas and Zemel 1980; Pisinger 1999), the others what
    the incumbent has, but for the units that it has otherwise than the bound would (Danna, Rothberg and Le
    Pape 2005 free the same ones). All free the units whose second-best option loses least. A core grows when
    it brought nothing. A warm start gives the first core what to hold in place of the relaxation.
    """
    c = search.c
    size, spent = CORE, search.work + CORES_WORK
    order = np.argsort(second_losses(c, known.bound), kind="stable")
    if search.warm is None:
        around, wanted = _whole(search, known)
    else:
        around = search.warm.around
        wanted = _against_the_bound(search, known.bound, around)
    while True:
        known = known.after(search)
        free = known.alive.free(c)
        if (
            search.halted
            or search.proved
            or search.best is None
            or len(free) <= max(size, DIRECT)
            or search.work > spent
        ):
            return known
        undecided = np.zeros(c.n, dtype=np.bool_)
        undecided[free] = True
        wanted[order[undecided[order]][:size]] = True
        small = restrict(linear, *_core_bounds(search, linear, known.alive, around, wanted & undecided))
        before = search.best.objective
        if small.feasible:
            _improve(search, linear, small)
        if around is search.best.choice and search.best.objective == before:
            if len(free) <= PROOF_UNITS:
                return known
            size *= 4
        around = search.best.choice
        wanted = _against_the_bound(search, known.bound, around)


def _whole(search: Search, known: Outlook) -> tuple[Ints, Bools]:
    """Return the rung that each unit has in the relaxation (-1 for out), and which units it splits."""
    c, x = search.c, known.columns[: search.c.m]
    split = np.logical_or.reduceat((x > SPLIT) & (x < 1 - SPLIT), c.rung_start[:-1])
    choice = np.full(c.n, NONE, dtype=np.int64)
    chosen = np.flatnonzero(x >= 1 - SPLIT)
    choice[c.rung_unit[chosen]] = chosen
    return choice, np.asarray(split, dtype=np.bool_)


def _against_the_bound(search: Search, bound: DualBound, choice: Ints) -> Bools:
    """Return which units ``choice`` has at an option that loses against the bound's choice."""
    loss, out = losses(search.c, bound)
    return np.asarray(np.where(choice >= 0, loss[np.maximum(choice, 0)], out) > 0, dtype=np.bool_)


def _improve(search: Search, linear: Linear, small: Restricted) -> None:
    """Look for a better pack in ``small``."""
    assert search.best is not None
    model = CpSat(small.linear)
    model.maximise(small.linear.objective)
    model.at_least(search.best.objective + 1 - small.constant)
    answer = model.solve(search.limits(CORE_WORK), teller(search, small, "core"))
    search.note_end(answer)
    if answer.columns is not None:
        search.take_pack(pack_of(search.c, linear, small.expand(answer.columns)))


def _core_bounds(
    search: Search, linear: Linear, alive: Alive, around: Ints, inside: Bools
) -> tuple[Ints, Ints]:
    """Return column bounds that free the units ``inside`` and hold all others as ``around`` has them."""
    c = search.c
    held = columns_of(c, linear, around)[: c.m]
    open_rungs = inside[c.rung_unit]
    low, high = linear.col_lo.copy(), linear.col_hi.copy()
    low[: c.m] = np.where(open_rungs, 0, held)
    high[: c.m] = np.where(open_rungs, alive.rungs | (held > 0), held)
    return low, high
