"""The solver against brute force on every kind of small problem (design §7, promise 7)."""

from __future__ import annotations

import json

import pytest
from hypothesis import HealthCheck, event, given, settings
from oracle import best, contradiction
from strategies import problems

from satchel.models import InfeasibleError, PackedContext, PolicyError, Problem, Status
from satchel.solver.options import SolveOptions
from satchel.solver.solve import solve
from satchel.solver.verify import verify

SMALLEST = {
    "schemaVersion": "packing-problem.v1",
    "envelope": {"availableInputTokens": 10},
    "units": [
        {"id": "a", "tokenEstimate": 10, "value": 11},
        {
            "id": "b",
            "tokenEstimate": 4,
            "value": 6,
            "renderings": [{"state": "summarized", "tokens": 1, "value": 2}],
        },
        {"id": "c", "tokenEstimate": 6, "value": 7, "dependencies": ["b"], "coverage": ["errors"]},
    ],
    "redundancyGroups": [{"id": "g", "members": ["a", "c"], "policy": "keep_at_most", "k": 1}],
    "coverage": [{"name": "errors", "weight": 3, "gains": [1]}],
}

CP_SAT = SolveOptions(solver="cp-sat")
GREEDY = SolveOptions(solver="greedy")
many = settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))


def chosen(context: PackedContext) -> dict[str, int]:
    return {unit.id: unit.rung for unit in context.accepted_units}


def test_smallest_problem_of_the_design_is_worth_16() -> None:
    context = solve(Problem.from_data(SMALLEST), CP_SAT)
    assert (context.solver.objective, context.solver.bound, context.solver.scale) == (16, 16, 1)
    assert context.solver.status is Status.OPTIMAL
    assert chosen(context) == {"b": 0, "c": 0}
    assert context.coverage == {"errors": "covered"}


@many
@given(problems(max_units=12))
def test_cp_sat_equals_brute_force(problem: Problem) -> None:
    """Value, shortfall and tokens are the optimum's, and the pack is the canonical one of those."""
    if contradiction(problem):
        event("contradiction")
        with pytest.raises(PolicyError):
            solve(problem, CP_SAT)
        return
    answer = best(problem)
    if answer is None:
        event("infeasible")
        with pytest.raises(InfeasibleError):
            solve(problem, CP_SAT)
        return
    event("feasible")
    context = solve(problem, CP_SAT)
    report = context.solver
    assert (report.shortfall, report.objective) == (answer.shortfall, answer.objective)
    assert (report.status, report.bound, report.gap) == (Status.OPTIMAL, report.objective, 0.0)
    assert context.budget.estimated_input_tokens == answer.tokens
    assert chosen(context) == dict(answer.selection)
    assert report.reproducible


@many
@given(problems(max_units=12))
def test_greedy_is_feasible_and_never_better(problem: Problem) -> None:
    if contradiction(problem):
        return
    answer = best(problem)
    try:
        context = solve(problem, GREEDY)
    except InfeasibleError:
        event("no pack found" if answer else "infeasible")
        return
    assert answer is not None
    event("optimal" if context.solver.objective == answer.objective else "below the optimum")
    assert context.solver.shortfall >= answer.shortfall
    assert context.solver.bound >= answer.objective
    if context.solver.shortfall == answer.shortfall:
        assert context.solver.objective <= answer.objective
    assert verify(context, problem).passed


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(problems(max_units=12))
def test_order_of_units_does_not_matter(problem: Problem) -> None:
    data = json.loads(problem.to_json())
    turned = Problem.from_data({**data, "units": data["units"][::-1]})
    try:
        expected = solve(problem, CP_SAT).to_json()
    except (InfeasibleError, PolicyError):
        return
    assert solve(turned, CP_SAT).to_json() == expected
