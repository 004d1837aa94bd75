"""Solver libraries on the whole program: nothing of ours helps them but the arrays.

Relaxed zone minima go first, as in our own search: the least shortfall, then the value. The search for value
starts with all minima met, which most problems allow; only where that is impossible is the shortfall made as
small as can be, and held there.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import numpy as np

from ...models import Problem
from ..backends.cpsat import Answer, Limits
from ..backends.floats import OnPoint
from ..compile import Compiled, Ints, compile_problem
from ..greedy import greedy
from ..linear import Linear, Row, build
from ..options import relative_gap
from ..search import pack_of
from ..state import NONE
from .result import EngineStatus, Found, Run

Maximise = Callable[[Linear, Limits, OnPoint], Answer]
"""Maximises a program within limits; told of every incumbent and bound on the way."""


def solve_whole(maximise: Maximise, problem: Problem, run: Run) -> Found:
    """Solve ``problem`` by ``maximise`` alone."""
    c = compile_problem(problem)
    if c.n == 0:
        return _nothing_to_choose(c)
    linear = build(c)
    run.ready()
    if not len(linear.short):
        return _value(maximise, c, linear, run, shortfall_proven=True)
    high = linear.col_hi.copy()
    high[linear.short] = 0
    found = _value(maximise, c, dataclasses.replace(linear, col_hi=high), run, shortfall_proven=True)
    if found.status is not EngineStatus.INFEASIBLE:
        return found
    return _least_shortfall(maximise, c, linear, run)


def _nothing_to_choose(c: Compiled) -> Found:
    pack = greedy(c)
    if pack is None:
        return Found(EngineStatus.INFEASIBLE)
    return Found(EngineStatus.OPTIMAL, pack.objective, pack.objective, pack.shortfall, c.scale, {})


def _least_shortfall(maximise: Maximise, c: Compiled, linear: Linear, run: Run) -> Found:
    run.stage = "zone minima"
    aim = np.zeros(linear.columns, dtype=np.int64)
    aim[linear.short] = -1
    answer = maximise(dataclasses.replace(linear, objective=aim), run.limits(), lambda *_: None)
    if answer.columns is None:
        status = EngineStatus.INFEASIBLE if answer.found == "infeasible" else EngineStatus.NO_ANSWER
        return Found(status, interrupted=answer.interrupted)
    pack = pack_of(c, linear, answer.columns)
    if answer.found != "optimal" or run.out_of_time():
        run.note(pack.objective, None)
        selection = selection_of(c, pack.choice)
        return Found(
            EngineStatus.FEASIBLE,
            pack.objective,
            None,
            pack.shortfall,
            c.scale,
            selection,
            answer.interrupted,
            "the limit came while the shortfall of zone minima was made small",
        )
    ones = np.ones(len(linear.short), dtype=np.int64)
    held = linear.with_row(Row("shortfall", ""), linear.short, ones, 0, pack.shortfall)
    return _value(maximise, c, held, run, shortfall_proven=True)


def _value(maximise: Maximise, c: Compiled, linear: Linear, run: Run, *, shortfall_proven: bool) -> Found:
    run.stage = "value"
    answer = maximise(linear, run.limits(run.gap), run.note)
    if answer.columns is None:
        status = EngineStatus.INFEASIBLE if answer.found == "infeasible" else EngineStatus.NO_ANSWER
        return Found(status, bound=answer.bound, scale=c.scale, interrupted=answer.interrupted)
    pack = pack_of(c, linear, answer.columns)
    # Within an engine's tolerances its bound may fall below its own pack; the pack is real.
    bound = None if answer.bound is None else max(answer.bound, pack.objective)
    run.note(pack.objective, bound)
    status = EngineStatus.FEASIBLE
    if bound is not None and shortfall_proven:
        if bound == pack.objective:
            status = EngineStatus.OPTIMAL
        elif relative_gap(pack.objective, bound) <= run.gap:
            status = EngineStatus.WITHIN_GAP
    selection = selection_of(c, pack.choice)
    return Found(status, pack.objective, bound, pack.shortfall, c.scale, selection, answer.interrupted)


def selection_of(c: Compiled, choice: Ints) -> dict[str, int]:
    """Return the pack ``choice`` as ladder indices by id."""
    return {
        c.ids[u]: c.standings[u].rungs[rung - int(c.rung_start[u])].place
        for u, rung in enumerate(choice.tolist())
        if rung != NONE
    }
