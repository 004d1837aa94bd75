"""Infeasible problems end in a minimal conflict, the smallest budget, and relaxations that work."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from oracle import best, contradiction
from strategies import problems

from satchel.models import InfeasibleError, Problem
from satchel.solver.backends.cpsat import CpSat, Limits
from satchel.solver.compile import compile_problem
from satchel.solver.conflict import _without, find_conflict
from satchel.solver.linear import build
from satchel.solver.options import SolveOptions
from satchel.solver.solve import solve


def fails(**parts: Any) -> InfeasibleError:
    problem = Problem.from_data({"schemaVersion": "packing-problem.v1", **parts})
    with pytest.raises(InfeasibleError) as caught:
        solve(problem)
    return caught.value


def unit(name: str, tokens: int, **more: Any) -> dict[str, Any]:
    return {"id": name, "tokenEstimate": tokens, "value": 1, **more}


def test_required_over_budget_names_sizes_and_the_smallest_budget() -> None:
    """A23, A27, A28: what must be in and does not fit is an error that says what would work."""
    error = fails(
        envelope={"availableInputTokens": 1000},
        units=[unit(f"p{i}", 300, required=True) for i in range(4)],
    )
    assert error.data["smallestBudget"] == 1200
    assert error.data["largestRequired"][0] == {"unit": "p3", "tokens": 300}
    assert "budget of 1000 tokens" in error.data["conflict"]
    assert len(error.data["conflict"]) == 5
    assert "smallest budget that works is 1200" in str(error)
    assert error.exit_code == 1


def test_zone_minima_above_the_budget() -> None:
    """M06: contradictory settings are told in the user's words."""
    error = fails(
        envelope={
            "availableInputTokens": 100,
            "zones": [
                {"name": "task", "minTokens": 60, "minPolicy": "fail"},
                {"name": "examples", "minTokens": 60, "minPolicy": "fail"},
            ],
        },
        units=[unit("a", 60, zone="task"), unit("b", 60, zone="examples")],
    )
    assert sorted(error.data["conflict"]) == [
        "budget of 100 tokens",
        "zone examples holds at least 60 tokens",
        "zone task holds at least 60 tokens",
    ]
    assert error.data["smallestBudget"] == 120
    assert [r["words"] for r in error.data["relaxations"]] == [
        "a budget of 120 tokens",
        "lower minTokens of zone examples to 0",
        "lower minTokens of zone task to 0",
    ]


def test_two_required_members_of_a_group_that_keeps_one() -> None:
    error = fails(
        envelope={"availableInputTokens": 100},
        units=[unit("a", 1, required=True), unit("b", 2, required=True)],
        redundancyGroups=[{"id": "g", "members": ["a", "b"], "policy": "keep_at_most"}],
    )
    assert sorted(error.data["conflict"]) == [
        "group g keeps at most 1",
        "required unit 'a' (1 token at least)",
        "required unit 'b' (2 tokens at least)",
    ]
    assert "smallestBudget" not in error.data
    assert {r["words"] for r in error.data["relaxations"]} == {
        "let group g keep 2",
        "do not require 'a'",
        "do not require 'b'",
    }


def test_a_required_dimension_that_nothing_covers() -> None:
    error = fails(
        envelope={"availableInputTokens": 100},
        units=[unit("a", 1)],
        coverage=[{"name": "errors", "required": True}],
    )
    assert error.data["conflict"] == ["dimension errors needs 1 unit"]


def test_zone_maximum_names_the_least_that_works() -> None:
    error = fails(
        envelope={"availableInputTokens": 100, "zones": [{"name": "task", "maxTokens": 10}]},
        units=[unit("a", 25, zone="task", required=True)],
    )
    assert [r["words"] for r in error.data["relaxations"]] == [
        "raise maxTokens of zone task to 25",
        "do not require 'a'",
    ] or {r["kind"] for r in error.data["relaxations"]} == {"zone maximum", "required"}


def test_a_required_unit_that_needs_what_is_excluded() -> None:
    error = fails(
        envelope={"availableInputTokens": 100},
        units=[unit("a", 1, required=True, dependencies=["b"]), unit("b", 1, tags=["old"])],
        policy={"mustExclude": ["tag:old"]},
    )
    assert error.code == "required_dependency_unavailable"
    assert "'a' depends on 'b', which is out: must_exclude" in str(error)


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(problems(max_units=7))
def test_conflicts_are_conflicts_and_minimal(problem: Problem) -> None:
    """Only what is named still clashes; without any one of it a pack exists."""
    assume(not contradiction(problem) and best(problem) is None)
    try:
        compiled = compile_problem(problem)
    except InfeasibleError:
        return
    assume(compiled.n)
    linear = build(compiled)
    conflict = find_conflict(linear)
    everything = set(range(len(linear.rows)))
    structure = {
        i
        for i, row in enumerate(linear.rows)
        if row.family in ("choice", "cover", "redundancy", "zone target")
    }
    named = set(conflict.rows)

    def found(kept: set[int]) -> str:
        return CpSat(_without(linear, everything - structure - kept)).solve(Limits()).found

    assert conflict.minimal
    assert found(named) == "infeasible"
    for row in named:
        assert found(named - {row}) != "infeasible"


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(problems(max_units=7))
def test_the_smallest_budget_works_and_one_token_less_does_not(problem: Problem) -> None:
    assume(not contradiction(problem) and best(problem) is None)
    with pytest.raises(InfeasibleError) as caught:
        solve(problem)
    smallest = caught.value.data.get("smallestBudget")
    assume(smallest is not None)
    data = json.loads(problem.to_json())
    for budget, works in ((smallest, True), (smallest - 1, False)):
        data["envelope"] = {"availableInputTokens": budget, "zones": data["envelope"].get("zones", [])}
        other = Problem.from_data(data)
        assert (best(other) is not None) is works
        if works:
            assert solve(other, SolveOptions()).counts.accepted >= 0


def test_a_price_on_tokens_does_not_bound_the_smallest_budget() -> None:
    """The price of tokens above a target is soft, whatever the budget was."""
    zones = [{"name": "examples", "targetTokens": 2, "targetPrice": 0.1}]
    error = fails(
        envelope={"availableInputTokens": 5, "zones": zones},
        units=[unit("a", 9, zone="examples", required=True)],
    )
    assert error.data["smallestBudget"] == 9
    assert sorted(error.data["conflict"]) == ["budget of 5 tokens", "required unit 'a' (9 tokens at least)"]


def test_what_a_zone_keeps_is_loosened_at_the_zone() -> None:
    error = fails(
        envelope={"availableInputTokens": 5, "zones": [{"name": "system", "overflowPolicy": "fail"}]},
        units=[unit("a", 9, zone="system")],
    )
    words = [r["words"] for r in error.data["relaxations"]]
    assert "exclude 'a', or let zone system drop units (overflowPolicy)" in words


def test_values_finer_than_the_scale_are_told() -> None:
    """An optimum of rounded values is no optimum of the values: the artifact says so."""
    tiny = [{"id": f"u{i}", "tokenEstimate": 1, "value": 4e-7} for i in range(10)]
    data = {
        "schemaVersion": "packing-problem.v1",
        "envelope": {"availableInputTokens": 10},
        "units": [*tiny, {"id": "z", "tokenEstimate": 10, "value": 1e-6}],
    }
    notes = {d.code: d for d in solve(Problem.from_data(data)).diagnostics}
    assert notes["values_rounded"].data == {"values": 10, "scale": 1_000_000}
