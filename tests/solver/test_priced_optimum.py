"""Prices in the solve against brute force, for both objectives."""

from __future__ import annotations

import json

import pytest
from hypothesis import HealthCheck, event, given, settings
from oracle import contradiction
from priced import best_priced, priced_problems

from satchel.models import InfeasibleError, PackedContext, Problem, Status
from satchel.solver.options import SolveOptions
from satchel.solver.solve import solve
from satchel.solver.verify import verify

CP_SAT = SolveOptions(solver="cp-sat")
GREEDY = SolveOptions(solver="greedy")
many = settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
some = settings(max_examples=50, deadline=None, suppress_health_check=list(HealthCheck))


def chosen(context: PackedContext) -> dict[str, int]:
    return {unit.id: unit.rung for unit in context.accepted_units}


def _holds(problem: Problem) -> None:
    if contradiction(problem):
        return
    answer = best_priced(problem)
    if answer is None:
        event("infeasible")
        with pytest.raises(InfeasibleError):
            solve(problem, CP_SAT)
        return
    context = solve(problem, CP_SAT)
    event("cached" if context.cost and context.cost.cached_tokens else "uncached")
    report = context.solver
    assert context.cost is not None
    assert (report.shortfall, report.objective) == (answer.shortfall, answer.value)
    assert context.cost.exact_cost == answer.cost
    assert chosen(context) == answer.selection
    assert (report.status, report.bound, report.gap) == (Status.OPTIMAL, report.objective, 0.0)
    assert report.reproducible
    assert verify(context, problem).passed


@many
@given(priced_problems(objective="value"))
def test_most_value_within_a_cost_limit_equals_brute_force(problem: Problem) -> None:
    """Value, cost and the pack itself are the optimum's, canonical among equals."""
    _holds(problem)


@many
@given(priced_problems(objective="value-per-cost"))
def test_most_value_per_cost_equals_brute_force(problem: Problem) -> None:
    _holds(problem)


@some
@given(priced_problems(objective="value") | priced_problems(objective="value-per-cost"))
def test_greedy_keeps_the_limit_and_is_never_better(problem: Problem) -> None:
    if contradiction(problem):
        return
    answer = best_priced(problem)
    try:
        context = solve(problem, GREEDY)
    except InfeasibleError:
        event("no pack found" if answer else "infeasible")
        return
    assert answer is not None
    assert context.cost is not None
    report = context.solver
    assert report.status in (Status.OPTIMAL, Status.HEURISTIC)
    assert verify(context, problem).passed
    if report.shortfall != answer.shortfall:
        assert report.shortfall > answer.shortfall
        return
    if problem.pricing and problem.pricing.objective == "value-per-cost" and answer.value > 0:
        assert report.objective * answer.cost <= answer.value * context.cost.exact_cost
        # No pack has more than the bound over the cost of this one.
        assert report.bound * answer.cost >= answer.value * context.cost.exact_cost
    else:
        assert report.objective <= answer.value <= report.bound


@some
@given(priced_problems(objective="value") | priced_problems(objective="value-per-cost"))
def test_the_least_cost_that_works_does_and_one_less_does_not(problem: Problem) -> None:
    """An error for too small a limit names the smallest one that works, missed relaxed minima allowed."""
    if contradiction(problem) or problem.pricing is None:
        return
    try:
        solve(problem, CP_SAT)
        return
    except InfeasibleError as error:
        stated = error.data if error.code == "cost_limit" else None
    if stated is None:
        return
    least = stated["smallestCostLimit"]

    def limited(limit: int) -> Problem:
        data = json.loads(problem.to_json())
        return Problem.from_data({**data, "pricing": data["pricing"] | {"costLimit": limit}})

    event("too little")
    assert stated["smallestCostLimitProven"]
    assert best_priced(limited(least)) is not None
    assert best_priced(limited(least - 1)) is None
    assert verify(solve(limited(least), CP_SAT), limited(least)).passed


@some
@given(priced_problems(objective="value") | priced_problems(objective="value-per-cost"))
def test_order_of_units_does_not_matter(problem: Problem) -> None:
    data = json.loads(problem.to_json())
    turned = Problem.from_data({**data, "units": data["units"][::-1]})
    try:
        expected = solve(problem, CP_SAT).to_json()
    except Exception as error:  # noqa: BLE001 - whatever is wrong with it is wrong with the other
        with pytest.raises(type(error)):
            solve(turned, CP_SAT)
        return
    assert solve(turned, CP_SAT).to_json() == expected
