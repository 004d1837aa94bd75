"""Constructive baselines that keep every hard rule: what other packers do, on our model.

Each starts as our greedy does, with required units and what zone minima and required dimensions ask for, and
differs in what it does with the tokens that are left.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterator

import numpy as np

from ...models import Problem
from ..compile import Compiled, compile_problem
from ..greedy import Pack, finished, greedy, include_required, meet_demands
from ..state import NONE, State
from .exact import selection_of
from .result import EngineStatus, Found, Run


def our_greedy(problem: Problem, run: Run) -> Found:
    """Run the greedy of :mod:`..greedy`, which the search starts from."""
    c = compile_problem(problem)
    run.ready()
    return _found(c, greedy(c), run)


def density_greedy(problem: Problem, run: Run) -> Found:
    """Take steps of value per token in one order that is fixed at the start.

    The steps are those of each unit's upper hull (Sinha and Zoltners 1979), with the coverage that they would
    earn in an empty pack. A step that does not fit, or no longer gains, is passed over; nothing is weighed
    anew. What a step needs beside itself is counted when it is taken, not when it is ranked.
    """
    c = compile_problem(problem)
    run.ready()
    state = _demands_met(c)
    if state is None:
        return _found(c, None, run)
    for unit, rung in _steps(c):
        if run.out_of_time():
            break
        current = state.choice[unit]
        if current != NONE and current <= rung:
            continue
        changes = state.closure(unit, rung)
        if changes and state.fits(changes, state.size(changes)) and state.gain(changes) > 0:
            state.apply(changes)
    return _found(c, finished(state), run)


def lazy_greedy(problem: Problem, run: Run) -> Found:
    """Take the element of greatest gain, then the same by gain per token, and keep the better pack.

    Gains are weighed anew only when they come up (Minoux 1978; CELF, Leskovec et al. 2007, whose better of
    the two has a constant guarantee for a submodular value under one budget; the run by gain holds the best
    single element). Elements are forms of units, each with what it needs; a form once taken stays. With
    dependencies, penalties and zones the value is not submodular any more, and the guarantee is gone.
    """
    c = compile_problem(problem)
    run.ready()
    packs = [
        pack for per_token in (True, False) if (pack := _lazily(c, run, per_token=per_token)) is not None
    ]
    return _found(c, min(packs, key=lambda pack: pack.rank, default=None), run)


def _found(c: Compiled, pack: Pack | None, run: Run) -> Found:
    if pack is None:
        return Found(EngineStatus.NO_ANSWER, note="found no feasible pack, which proves nothing")
    run.note(pack.objective, None)
    selection = selection_of(c, pack.choice)
    return Found(EngineStatus.HEURISTIC, pack.objective, None, pack.shortfall, c.scale, selection)


def _demands_met(c: Compiled) -> State | None:
    state = State(c)
    return state if include_required(state) and meet_demands(state) else None


def _steps(c: Compiled) -> Iterator[tuple[int, int]]:
    """Yield (unit, rung) by falling efficiency of the step that leads there along the unit's upper hull."""
    worth = worth_alone(c).tolist()
    tokens, start = c.tokens.tolist(), c.rung_start.tolist()
    steps: list[tuple[float, int, int]] = []
    for unit in range(c.n):
        hull: list[tuple[int, int, int]] = [(0, 0, NONE)]
        for rung in range(start[unit + 1] - 1, start[unit] - 1, -1):
            point = (tokens[rung], worth[rung], rung)
            if point[1] <= hull[-1][1]:
                continue
            while len(hull) > 1 and _efficiency(hull[-2], hull[-1]) <= _efficiency(hull[-2], point):
                hull.pop()
            hull.append(point)
        # A later step is never ranked before an earlier one of its unit: efficiencies fall along a hull.
        steps += [(-_efficiency(hull[i - 1], hull[i]), unit, hull[i][2]) for i in range(1, len(hull))]
    for _, unit, rung in sorted(steps, key=lambda step: (step[0], step[1], -step[2])):
        yield unit, rung


def _efficiency(low: tuple[int, int, int], high: tuple[int, int, int]) -> float:
    size = high[0] - low[0]
    return (high[1] - low[1]) / size if size > 0 else math.inf


def worth_alone(c: Compiled) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Return what each rung adds to an empty pack, in scaled integers: its value, and what it covers."""
    worth = c.values.copy()
    for cover in c.covers:
        left = cover.amounts.copy()
        for gain in cover.gains.tolist():
            np.add.at(worth, cover.rungs, gain * np.clip(left, 0, c.amount_scale))
            left -= c.amount_scale
    return worth


def _lazily(c: Compiled, run: Run, *, per_token: bool) -> Pack | None:
    state = _demands_met(c)
    if state is None:
        return None
    heap: list[tuple[float, int]] = []
    for rung, unit in enumerate(c.rung_unit.tolist()):
        key = _key(state, unit, rung, per_token=per_token)
        if key is not None:
            heap.append((-key, rung))
    heapq.heapify(heap)
    unit_of = c.rung_unit.tolist()
    while heap and not run.out_of_time():
        _, rung = heapq.heappop(heap)
        key = _key(state, unit_of[rung], rung, per_token=per_token)
        if key is None:
            continue
        if heap and -key > heap[0][0]:
            heapq.heappush(heap, (-key, rung))
            continue
        changes = state.closure(unit_of[rung], rung)
        assert changes is not None
        state.apply(changes)
    return finished(state)


def _key(state: State, unit: int, rung: int, *, per_token: bool) -> float | None:
    """Return what taking the unit in this form gains, in all or per token; None where it may not be taken."""
    if state.choice[unit] != NONE:
        return None
    changes = state.closure(unit, rung)
    if changes is None:
        return None
    size = state.size(changes)
    gain = state.gain(changes) if state.fits(changes, size) else 0
    if gain <= 0:
        return None
    if not per_token:
        return float(gain)
    return gain / size if size > 0 else math.inf
