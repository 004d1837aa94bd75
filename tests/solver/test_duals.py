"""Bounds, reductions and restrictions: each is valid on its own, against brute force."""

from __future__ import annotations

import numpy as np
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from oracle import Answer, best, contradiction
from strategies import problems

from satchel.models import InfeasibleError, Problem
from satchel.solver.backends import highs
from satchel.solver.backends.cpsat import CpSat, Limits
from satchel.solver.compile import Compiled, compile_problem
from satchel.solver.duals import FINE, Alive, DualBound, Matrix, dual_bound, second_losses, survivors
from satchel.solver.greedy import greedy
from satchel.solver.hull import simple_bound
from satchel.solver.linear import Linear, build
from satchel.solver.restrict import restrict
from satchel.solver.round import round_relaxation
from satchel.solver.search import columns_of, pack_of
from satchel.solver.tighten import opened

relaxed = settings(max_examples=120, deadline=None, suppress_health_check=list(HealthCheck))


def prepared(problem: Problem) -> tuple[Compiled, Linear, Answer]:
    """Return a feasible instance, compiled, with its optimum; discards all others."""
    assume(not contradiction(problem))
    answer = best(problem)
    assume(answer is not None and answer.shortfall == 0)
    assert answer is not None
    try:
        compiled = compile_problem(problem)
    except InfeasibleError:
        assume(False)
    assume(compiled.n)
    return compiled, build(compiled), answer


def optimum(c: Compiled, answer: Answer) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Return the oracle's pack as a choice of rungs."""
    choice = np.full(c.n, -1, dtype=np.int64)
    for name, place in answer.selection.items():
        u = c.index[name]
        choice[u] = c.rung_start[u] + [rung.place for rung in c.standings[u].rungs].index(place)
    return choice


def by_relaxation(c: Compiled, linear: Linear) -> DualBound:
    return dual_bound(c, linear, Matrix.of(linear), highs.relax(linear).duals)


@relaxed
@given(problems(max_units=8), st.data())
def test_any_multipliers_prove_a_bound(problem: Problem, data: st.DataObject) -> None:
    """Weak duality holds for whatever an LP engine returns, good or nonsense."""
    c, linear, answer = prepared(problem)
    size = st.floats(-1e6, 1e6, allow_nan=False)
    duals = np.array(data.draw(st.lists(size, min_size=len(linear.rows), max_size=len(linear.rows))))
    assert dual_bound(c, linear, Matrix.of(linear), duals).bound >= answer.objective


@relaxed
@given(problems(max_units=8), st.data())
def test_any_multipliers_prove_a_bound_on_packs_of_some_options(
    problem: Problem, data: st.DataObject
) -> None:
    """What is ruled out leaves the bound valid for packs without it; the optimum's options are left in."""
    c, linear, answer = prepared(problem)
    size = st.floats(-1e4, 1e4, allow_nan=False)
    duals = np.array(data.draw(st.lists(size, min_size=len(linear.rows), max_size=len(linear.rows))))
    choice = optimum(c, answer)
    rungs = np.array(data.draw(st.lists(st.booleans(), min_size=c.m, max_size=c.m)))
    out = np.array(data.draw(st.lists(st.booleans(), min_size=c.n, max_size=c.n))) & ~c.required
    rungs[choice[choice >= 0]] = True
    out[choice < 0] = True
    bound = dual_bound(c, linear, Matrix.of(linear), duals, Alive(rungs, out), denominator=FINE)
    assert bound.possible
    assert bound.bound >= answer.objective
    left = survivors(c, bound, answer.objective)
    assert (left.rungs <= rungs).all()
    assert (left.out <= out).all()
    assert left.rungs[choice[choice >= 0]].all()


@relaxed
@given(problems(max_units=8))
def test_the_relaxation_and_the_simple_bound_hold(problem: Problem) -> None:
    c, linear, answer = prepared(problem)
    assert by_relaxation(c, linear).bound >= answer.objective
    assert simple_bound(c).bound >= answer.objective


@relaxed
@given(problems(max_units=8))
def test_what_the_bound_rules_out_is_in_no_optimum(problem: Problem) -> None:
    """Reduction by loss: the optimum's options survive against the optimum's own value."""
    c, linear, answer = prepared(problem)
    alive = survivors(c, by_relaxation(c, linear), answer.objective)
    choice = optimum(c, answer)
    kept = choice[choice >= 0]
    assert alive.rungs[kept].all()
    assert alive.out[choice < 0].all()


@relaxed
@given(problems(max_units=8))
def test_the_restricted_program_has_the_same_optimum(problem: Problem) -> None:
    """Solve with and without the reduction: same value, and what is held back is counted in."""
    c, linear, answer = prepared(problem)
    small = opened(c, linear, survivors(c, by_relaxation(c, linear), answer.objective))
    assert small.feasible
    model = CpSat(small.linear)
    model.maximise(small.linear.objective)
    found = model.solve(Limits())
    assert found.columns is not None
    whole = small.expand(found.columns)
    short = int(whole[linear.short].sum()) if len(linear.short) else 0
    if short == 0:
        assert pack_of(c, linear, whole).objective == answer.objective
    assert int(small.linear.objective @ found.columns) + small.constant >= answer.objective


@relaxed
@given(problems(max_units=7), st.data())
def test_restricting_loses_no_solution_within_the_bounds(problem: Problem, data: st.DataObject) -> None:
    """Any columns may be held at what the optimum has: the optimum is still there, with its value."""
    c, linear, answer = prepared(problem)
    full = columns_of(c, linear, optimum(c, answer))
    held = np.array(data.draw(st.lists(st.booleans(), min_size=linear.columns, max_size=linear.columns)))
    low, high = np.where(held, full, linear.col_lo), np.where(held, full, linear.col_hi)
    small = restrict(linear, low, high)
    assert small.feasible
    inside = full[small.free]
    sums = [
        int(small.linear.coefs[a:b] @ inside[small.linear.cols[a:b]])
        for a, b in zip(small.linear.start[:-1].tolist(), small.linear.start[1:].tolist(), strict=True)
    ]
    assert all(
        lo <= total <= hi
        for lo, total, hi in zip(small.linear.lo.tolist(), sums, small.linear.hi.tolist(), strict=True)
    )
    assert int(small.linear.objective @ inside) + small.constant == answer.objective
    assert (small.expand(inside) == full).all()


@relaxed
@given(problems(max_units=8))
def test_rounding_and_greedy_give_feasible_packs_at_most_the_optimum(problem: Problem) -> None:
    c, linear, answer = prepared(problem)
    for pack in (round_relaxation(c, highs.relax(linear).columns[: c.m]), greedy(c)):
        if pack is None:
            continue
        full = columns_of(c, linear, pack.choice)
        again = pack_of(c, linear, full)
        assert (again.objective, again.tokens, again.shortfall) == (
            pack.objective,
            pack.tokens,
            pack.shortfall,
        )
        if pack.shortfall == 0:
            assert pack.objective <= answer.objective


@relaxed
@given(problems(max_units=8))
def test_second_losses_are_what_the_runner_up_loses(problem: Problem) -> None:
    c, linear, _ = prepared(problem)
    bound = by_relaxation(c, linear)
    expected = []
    for u in range(c.n):
        worths = [int(bound.worth[r]) for r in c.rungs_of(u)] + ([] if c.required[u] else [0])
        ranked = sorted(worths, reverse=True)
        expected.append(ranked[0] - ranked[1] if len(ranked) > 1 else 2**62)
    assert np.minimum(second_losses(c, bound), 2**62).tolist() == expected


def test_a_relaxation_is_solved_whatever_highs_ran_with_before() -> None:
    """HiGHS keeps one pool of threads for a process: another size had it refuse, and every column was 0."""
    problem = Problem.from_data(
        {
            "schemaVersion": "packing-problem.v1",
            "envelope": {"availableInputTokens": 3},
            "units": [{"id": name, "tokenEstimate": 2, "value": 1} for name in "ab"],
        }
    )
    import highspy

    other = highs.quiet(highspy)
    other.silent()
    other.setOptionValue("threads", 2)
    other.addVar(0, 1)
    highs.run(other)
    assert highs.relax(build(compile_problem(problem))).found == "optimal"
