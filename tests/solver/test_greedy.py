"""The greedy packer and the arrays behind it: feasible packs, exact sums, and nothing lost to the waves."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from strategies import problems

from satchel.models import InfeasibleError, PolicyError, Problem
from satchel.solver.bundles import levels
from satchel.solver.climb import climb, top_up
from satchel.solver.compile import Compiled, compile_problem
from satchel.solver.greedy import greedy, include_required, meet_demands
from satchel.solver.hull import hull_steps
from satchel.solver.linear import build
from satchel.solver.search import columns_of
from satchel.solver.state import NONE, State
from satchel.solver.waves import Waves

Data = dict[str, Any]


def _problem(units: list[Data], available: int, **more: Any) -> Problem:
    envelope = {"availableInputTokens": available, "zones": more.pop("zones", [])}
    return Problem.from_data(
        {"schemaVersion": "packing-problem.v1", "envelope": envelope, "units": units, **more}
    )


def _unit(name: str, tokens: int, value: float, **more: Any) -> Data:
    return {"id": name, "tokenEstimate": tokens, "value": value, **more}


def _compiled(problem: Problem) -> Compiled | None:
    try:
        return compile_problem(problem)
    except (InfeasibleError, PolicyError):
        return None


def _broken_rows(c: Compiled, choice: np.ndarray[Any, Any]) -> list[Any]:
    """Return the rows of the integer program that a pack breaks."""
    linear = build(c)
    products = linear.coefs * columns_of(c, linear, choice)[linear.cols]
    sums = np.array([products[a:b].sum() for a, b in zip(linear.start[:-1], linear.start[1:], strict=True)])
    return [
        row
        for row, sum_, lo, hi in zip(linear.rows, sums, linear.lo, linear.hi, strict=True)
        if not lo <= sum_ <= hi
    ]


@given(problem=problems())
@settings(max_examples=80, deadline=None)
def test_a_pack_keeps_every_row_and_its_sums_are_those_of_the_program(problem: Problem) -> None:
    c = _compiled(problem)
    pack = greedy(c) if c is not None else None
    if c is None or pack is None:
        return
    linear = build(c)
    columns = columns_of(c, linear, pack.choice)
    assert _broken_rows(c, pack.choice) == []
    assert pack.objective == int(linear.objective @ columns)
    assert pack.tokens == int(linear.tokens @ columns)
    assert pack.shortfall == int(columns[linear.short].sum())


@given(problem=problems())
@settings(max_examples=80, deadline=None)
def test_a_pack_is_never_below_the_steps_one_by_one(problem: Problem) -> None:
    c = _compiled(problem)
    if c is None or c.n == 0:
        return
    state = State(c)
    if not include_required(state) or not meet_demands(state):
        return
    climb(state)
    top_up(state)
    pack = greedy(c)
    assert pack is not None
    assert pack.rank <= (state.shortfall(), -state.objective, c.available - state.left)


@given(problem=problems())
@settings(max_examples=80, deadline=None)
def test_waves_alone_keep_what_is_kept(problem: Problem) -> None:
    """From required units on, waves break no row that is not about a demand, and never lower the value."""
    c = _compiled(problem)
    if c is None or c.n == 0:
        return
    state = State(c)
    if not include_required(state):
        return
    choice = Waves(c, np.array(state.choice, dtype=np.int64)).run()
    demands = {"zone minimum", "coverage"}
    assert [row for row in _broken_rows(c, choice) if row.family not in demands] == []
    assert ((choice >= 0) | (np.array(state.choice) < 0)).all()


@given(problem=problems())
@settings(max_examples=80, deadline=None)
def test_a_state_made_at_once_is_the_state_made_step_by_step(problem: Problem) -> None:
    c = _compiled(problem)
    pack = greedy(c) if c is not None else None
    if c is None or pack is None:
        return
    slow = State(c)
    for unit, rung in enumerate(pack.choice.tolist()):
        if rung != NONE:
            slow.apply({unit: rung})
    fast = State.of(c, pack.choice)
    # The list of required dimensions' members is the only one that a step looks at.
    counted = [count for count, cover in zip(fast.counts, c.covers, strict=True) if cover.required]
    assert counted == [count for count, cover in zip(slow.counts, c.covers, strict=True) if cover.required]
    for name in ("choice", "left", "objective", "zone_used", "amounts", "clique_used", "soft_used"):
        assert getattr(fast, name) == getattr(slow, name), name


@given(problem=problems())
@settings(max_examples=80, deadline=None)
def test_hull_steps_climb_each_unit_by_its_steepest_way(problem: Problem) -> None:
    c = _compiled(problem)
    if c is None:
        return
    steps = hull_steps(c, np.full(c.n, NONE, dtype=np.int64))
    assert (steps.density[1:] <= steps.density[:-1]).all()
    for u in range(c.n):
        at = (0, 0)
        for rung in steps.after[steps.unit == u].tolist():
            points = [(int(c.tokens[r]), int(c.values[r])) for r in c.rungs_of(u)]
            slopes = [
                (v - at[1]) / (t - at[0]) if t > at[0] else np.inf
                for t, v in points
                if v > at[1] and t >= at[0]
            ]
            here = (int(c.tokens[rung]), int(c.values[rung]))
            slope = (here[1] - at[1]) / (here[0] - at[0]) if here[0] > at[0] else np.inf
            assert slope == max(slopes)
            at = here
        assert not any(
            v > at[1] and t >= at[0]
            for t, v in zip(c.tokens[c.rungs_of(u)], c.values[c.rungs_of(u)], strict=True)
        )


@pytest.mark.parametrize(
    ("edges", "parts", "ordered"),
    [
        ([(0, 1), (1, 2)], [0, 1, 2, 3], True),
        ([(0, 1), (1, 0), (1, 2), (3, 0)], [0, 0, 2, 3], True),
        ([(0, 1), (1, 2), (2, 3), (3, 1), (0, 3)], [0, 1, 1, 1], True),
        ([], [0, 1, 2, 3], True),
    ],
)
def test_units_that_need_each_other_are_one_part(
    edges: list[tuple[int, int]], parts: list[int], ordered: bool
) -> None:
    needs, needed = (np.array([edge[k] for edge in edges], dtype=np.int64) for k in (0, 1))
    found = levels(4, needs, needed)
    assert found.part.tolist() == parts
    assert found.ordered.all() == ordered
    for u, v in edges:
        a, b = found.part[u], found.part[v]
        assert a == b or found.level[a] < found.level[b]


def test_a_chain_too_deep_for_levels_is_left_to_single_steps() -> None:
    n = 300
    units = [_unit(f"u{i:03d}", 1, 1, dependencies=[f"u{i + 1:03d}"] if i + 1 < n else []) for i in range(n)]
    c = compile_problem(_problem(units, n))
    needs = levels(c.n, c.dep_unit, c.dep_target)
    assert not needs.ordered.all()
    pack = greedy(c)
    assert pack is not None
    assert _broken_rows(c, pack.choice) == []
    # A chain cut at its start: the last 100 units are in their own right, each after what it needs.
    assert pack.tokens >= 100


def test_what_many_need_is_bought_for_all_of_them() -> None:
    """No user pays for the hub alone; together they do, which steps one by one do not see."""
    hub = _unit("hub", 30, 0)
    users = [_unit(f"u{i}", 10, 10, dependencies=["hub"]) for i in range(6)]
    others = [_unit(f"o{i}", 10, 5) for i in range(9)]
    c = compile_problem(_problem([hub, *users, *others], 90))
    choice = Waves(c, np.full(c.n, NONE, dtype=np.int64)).run()
    assert choice[c.index["hub"]] >= 0
    pack = greedy(c)
    assert pack is not None
    assert pack.objective == 60


def test_a_fuller_form_that_is_too_short_is_not_moved_to() -> None:
    """b needs a as a contract; the summary of a is larger, worth more, and would leave b without it."""
    forms = [
        {"state": "summarized", "tokens": 50, "value": 40},
        {"state": "contract", "tokens": 20, "value": 1},
    ]
    a = _unit("a", 100, 41, renderings=forms)
    b = _unit("b", 10, 30, dependencies=[{"id": "a", "minRung": "contract"}])
    c = compile_problem(_problem([a, b], 70))
    pack = greedy(c)
    assert pack is not None
    assert _broken_rows(c, pack.choice) == []


def test_greedy_gives_the_same_pack_again() -> None:
    units = [
        _unit(f"u{i:04d}", 1 + i * 7 % 13, 1 + i * 5 % 11, coverage=["x"] if i % 3 else [])
        for i in range(900)
    ]
    problem = _problem(units, 2000, coverage=[{"name": "x", "weight": 5}])
    packs = [greedy(compile_problem(problem)) for _ in range(2)]
    assert packs[0] is not None
    assert packs[1] is not None
    assert packs[0].choice.tolist() == packs[1].choice.tolist()
    assert packs[0].tokens <= 2000
