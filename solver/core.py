"""The value stage: relaxation, rounding, core, and proof on what the bound leaves open.

The relaxation is nearly tight and has a handful of fractional columns (design §4), so

1. its duals give an exact bound, and the loss of every option of every unit against it (:mod:`.duals`);
2. the relaxation is rounded and repaired to a pack;
3. CP-SAT improves that pack over a *core*: the units that the bound decides least, all others held
   (Balas and Zemel 1980; Pisinger 1999 for the multiple-choice knapsack);
4. options whose loss takes the bound below the pack are ruled out for good, which leaves a small program that
   holds every better pack, and CP-SAT closes it. While it is still large, the core grows instead.

Every step leaves a valid bound and a feasible pack, so a limit may stop it anywhere.
"""

from __future__ import annotations

import numpy as np

from .backends import highs
from .backends.cpsat import CpSat
from .compile import Bools, Compiled, Ints
from .conflict import explain_infeasible
from .duals import Alive, DualBound, Matrix, dual_bound, losses, second_losses, survivors
from .linear import Linear
from .restrict import Restricted, restrict
from .round import round_relaxation
from .search import Search, columns_of, pack_of

CORE = 150
"""Units in the first core: enough to hold the fractional ones and their rivals, few enough for CP-SAT to end
in milliseconds. It grows fourfold when it was too small."""

CORE_WORK = 1.0
"""CP-SAT work units for one core; typical cores end within a tenth of it."""

CORES_WORK = 8.0
"""CP-SAT work units for all cores together."""

PROOF_UNITS = 1000
"""The largest number of open units handed to the proof while a larger core could still rule some out."""


def maximise(search: Search, linear: Linear) -> DualBound | None:
    """Find and prove the best value; return the dual bound that the relaxation proves, if there is one.

    Raises
    ------
    InfeasibleError
        No pack exists.
    """
    c = search.c
    if not highs.available():
        prove(search, linear, np.copy(linear.col_lo), np.copy(linear.col_hi))
        return None
    search.tell("relaxation")
    relaxed = highs.relax(linear, seconds=search.seconds_left())
    if relaxed.found == "infeasible" or len(relaxed.duals) == 0:
        prove(search, linear, np.copy(linear.col_lo), np.copy(linear.col_hi))
        return None
    bound = dual_bound(c, linear, Matrix.of(linear), relaxed.duals)
    search.take_bound(bound.bound)
    if len(relaxed.columns):
        search.take_pack(round_relaxation(c, relaxed.columns[: c.m]))
    search.tell("rounding")
    alive = _grow_cores(search, linear, bound)
    if not search.halted and not search.proved:
        low, high = _bounds(c, linear, alive)
        prove(search, linear, low, high)
    return bound


def prove(search: Search, linear: Linear, low: Ints, high: Ints) -> None:
    """Solve the program within ``low`` and ``high``, which must hold every pack better than the incumbent."""
    c = search.c
    small = restrict(linear, low, high)
    if not small.feasible:
        if search.best is None:
            raise explain_infeasible(c, linear, seed=search.options.seed)
        search.take_bound(search.best.objective)
        return
    answer_bound = _improve(search, linear, small, "proof", work=None)
    if answer_bound is None and search.best is None:
        raise explain_infeasible(c, linear, seed=search.options.seed)
    if answer_bound is not None and search.best is not None:
        search.take_bound(max(answer_bound, search.best.objective))


def restricted_to(c: Compiled, linear: Linear, bound: DualBound, objective: int) -> Restricted:
    """Return the program that holds every pack worth ``objective`` or more."""
    return restrict(linear, *_bounds(c, linear, survivors(c, bound, objective)))


def _grow_cores(search: Search, linear: Linear, bound: DualBound) -> Alive:
    """Improve the incumbent over cores until one brings nothing and few units are open, or a limit is hit.

    A core holds the units that the incumbent has otherwise than the bound would (Danna, Rothberg and Le Pape
    2005 free the same ones) and those whose second-best option loses least. It grows when it brought nothing.
    """
    c = search.c
    order = np.argsort(second_losses(c, bound), kind="stable")
    size, spent = CORE, search.work + CORES_WORK
    while True:
        alive = survivors(c, bound, search.best.objective if search.best else None)
        open_units = len(alive.free)
        if search.halted or search.proved or search.best is None or open_units <= size or search.work > spent:
            return alive
        undecided = np.zeros(c.n, dtype=np.bool_)
        undecided[alive.free] = True
        wanted = _against_the_bound(search, bound)
        wanted[order[undecided[order]][:size]] = True
        core = np.flatnonzero(wanted & undecided)
        small = restrict(linear, *_core_bounds(search, linear, alive, core))
        before = search.best.objective
        _improve(search, linear, small, "core", work=CORE_WORK)
        if search.best.objective == before:
            if open_units <= PROOF_UNITS:
                return alive
            size *= 4


def _against_the_bound(search: Search, bound: DualBound) -> Bools:
    """Return which units the incumbent has at an option that loses against the bound's choice."""
    assert search.best is not None
    loss, out = losses(search.c, bound)
    choice = search.best.choice
    return np.asarray(np.where(choice >= 0, loss[np.maximum(choice, 0)], out) > 0, dtype=np.bool_)


def _improve(search: Search, linear: Linear, small: Restricted, stage: str, work: float | None) -> int | None:
    """Run CP-SAT on ``small``, from the incumbent where it is inside; return the bound on ``small``, or None
    where nothing is in it."""
    c = search.c
    model = CpSat(small.linear)
    model.maximise(small.linear.objective)
    if search.best is not None:
        model.hint(columns_of(c, linear, search.best.choice)[small.free])

    def report(objective: int, bound: int) -> bool:
        outside = None if stage == "core" else max(bound + small.constant, objective + small.constant)
        search.tell(stage, objective + small.constant, outside)
        return False

    answer = model.solve(
        search.limits(work, gap=search.options.gap if stage == "proof" else 0.0),
        report if search.options.on_progress else None,
    )
    search.note_end(answer)
    if answer.found == "infeasible":
        if search.best is not None and stage == "proof":
            return search.best.objective
        return None
    if answer.columns is not None:
        search.take_pack(pack_of(c, linear, small.expand(answer.columns)))
    if answer.bound is not None:
        return answer.bound + small.constant
    if search.best is None:
        raise search.no_pack()
    return search.bound


def _bounds(c: Compiled, linear: Linear, alive: Alive) -> tuple[Ints, Ints]:
    """Return column bounds that leave every option of ``alive`` and nothing else."""
    low, high = linear.col_lo.copy(), linear.col_hi.copy()
    forced = (alive.choices == 1) & ~alive.out
    high[: c.m] = alive.rungs
    low[: c.m] = alive.rungs & forced[c.rung_unit]
    return low, high


def _core_bounds(search: Search, linear: Linear, alive: Alive, core: Ints) -> tuple[Ints, Ints]:
    """Return column bounds that free the units of ``core`` and hold all others as the incumbent has them."""
    c = search.c
    assert search.best is not None
    incumbent = columns_of(c, linear, search.best.choice)[: c.m]
    inside = np.zeros(c.n, dtype=np.bool_)
    inside[core] = True
    open_rungs = inside[c.rung_unit]
    low, high = linear.col_lo.copy(), linear.col_hi.copy()
    low[: c.m] = np.where(open_rungs, 0, incumbent)
    high[: c.m] = np.where(open_rungs, alive.rungs | (incumbent > 0), incumbent)
    return low, high
