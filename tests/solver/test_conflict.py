"""Infeasible problems end in a minimal conflict, the smallest budget, and relaxations that work."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, event, given, settings
from hypothesis import strategies as st
from oracle import best, contradiction
from strategies import problems

from satchel import solve
from satchel.models import ContextUnit, InfeasibleError, PolicyError, Problem, selects
from satchel.solver.backends.cpsat import CpSat, Limits
from satchel.solver.clash import find_conflict
from satchel.solver.compile import compile_problem
from satchel.solver.demands import Allowance, Demands
from satchel.solver.linear import UNBOUNDED, Row, build
from satchel.solver.options import SolveOptions


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
    assert error.data["conflict"] == ["dimension errors needs 1 unit, no candidate may cover it"]


def test_zone_maximum_names_the_least_that_works() -> None:
    error = fails(
        envelope={"availableInputTokens": 100, "zones": [{"name": "task", "maxTokens": 10}]},
        units=[unit("a", 25, zone="task", required=True)],
    )
    assert [r["words"] for r in error.data["relaxations"]] == [
        "raise maxTokens of zone task to 25",
        "do not require 'a'",
    ]


def test_a_required_unit_that_needs_what_is_excluded() -> None:
    error = fails(
        envelope={"availableInputTokens": 100},
        units=[unit("a", 1, required=True, dependencies=["b"]), unit("b", 1, tags=["old"])],
        policy={"mustExclude": ["tag:old"]},
    )
    assert error.code == "required_dependency_unavailable"
    assert "'a' depends on 'b', which is out: must_exclude" in str(error)
    assert error.data["conflict"] == [
        "required unit 'a' (1 token at least)",
        "dependency of 'a' on 'b'",
        "mustExclude tag:old matches 'b'",
    ]
    assert [r["words"] for r in error.data["relaxations"]] == [
        "drop the dependency of 'a' on 'b'",
        "take 'tag:old' out of mustExclude",
        "do not require 'a'",
    ]


def test_a_chain_is_followed_to_the_rule_behind_it() -> None:
    """a needs b, b needs c, and c is too risky; a ring of units that need too long a form ends as well."""
    error = fails(
        envelope={"availableInputTokens": 100},
        units=[
            unit("a", 1, required=True, dependencies=["b"]),
            unit("b", 1, dependencies=["c"]),
            unit("c", 1, riskScore=0.9),
        ],
    )
    assert error.data["conflict"][1:] == [
        "dependency of 'a' on 'b'",
        "dependency of 'b' on 'c'",
        "riskCeiling 0.7 is not above the risk of 'c'",
    ]
    ceiling = next(r for r in error.data["relaxations"] if r["kind"] == "risk ceiling")
    assert ceiling["value"] > 0.9
    error = fails(
        envelope={"availableInputTokens": 100},
        units=[
            unit("a", 1, required=True, dependencies=["b"], compressionState="contract"),
            unit("b", 1, dependencies=[{"id": "a", "minRung": "raw"}]),
        ],
    )
    assert error.data["conflict"][-1] == "no form of 'a' that its zone offers is long enough"
    assert {r["kind"] for r in error.data["relaxations"]} == {"dependency", "dependency rung", "required"}


def test_a_shorter_form_is_offered_where_the_zone_forbids_it() -> None:
    """A28: what must be in and does not fit is shortened before it is given up."""
    short = [{"state": "summarized", "tokens": 8, "value": 1}]
    error = fails(
        envelope={"availableInputTokens": 10, "zones": [{"name": "task", "overflowPolicy": "drop_low_rank"}]},
        units=[unit("a", 25, zone="task", required=True, renderings=short)],
    )
    assert [r["words"] for r in error.data["relaxations"]] == [
        "let zone task shorten its units (overflowPolicy summarize)",
        "a budget of 25 tokens",
        "do not require 'a'",
    ]


def test_a_required_unit_that_is_too_risky_or_not_the_authority() -> None:
    error = fails(envelope={"availableInputTokens": 9}, units=[unit("a", 1, required=True, riskScore=0.9)])
    assert error.data["conflict"][1] == "requiredRiskCeiling 0.8"
    assert [r["words"] for r in error.data["relaxations"]] == [
        "do not require 'a'",
        "raise requiredRiskCeiling to 0.9",
    ]
    error = fails(
        envelope={"availableInputTokens": 9},
        units=[unit("a", 1, required=True), unit("b", 1, authorityScore=1.0)],
        redundancyGroups=[{"id": "g", "members": ["a", "b"], "policy": "keep_authoritative"}],
    )
    assert error.data["conflict"][1] == "group g keeps 'b', its most authoritative member"
    assert {r["kind"] for r in error.data["relaxations"]} == {"group policy", "required"}


def test_two_clashes_are_not_told_as_one() -> None:
    error = fails(
        envelope={"availableInputTokens": 100},
        units=[unit("a", 1)],
        coverage=[{"name": "errors", "required": True}, {"name": "auth", "required": True}],
    )
    assert len(error.data["conflict"]) == 1
    assert error.data["relaxations"] == []
    assert "something else clashes beside it" in str(error)
    assert "smallestBudget" not in error.data


def test_many_required_units_are_told_as_a_sum_and_the_story_is_always_the_same() -> None:
    units = [unit(f"u{i:03}", 10 + i % 7, required=True) for i in range(200)]
    errors = [fails(envelope={"availableInputTokens": 300}, units=part) for part in (units, units[::-1])]
    assert str(errors[0]) == str(errors[1])
    assert errors[0].data == errors[1].data
    # By hand: 28 units of 16 and one of 15 are 463 tokens; 18 units of 16 are 288, 19 are 304.
    assert len(errors[0].data["conflict"]) == 20
    assert "19 required units (304 tokens at least: 'u195', 'u188', 'u181', …)" in str(errors[0])
    assert errors[0].data["smallestBudget"] == sum(u["tokenEstimate"] for u in units)


@settings(max_examples=80, deadline=None, suppress_health_check=list(HealthCheck))
@given(problems(max_units=7))
def test_conflicts_are_conflicts_and_minimal(problem: Problem) -> None:
    """Only what is named still clashes; without any one of it a pack exists."""
    assume(not contradiction(problem) and best(problem) is None)
    try:
        compiled = compile_problem(problem)
    except InfeasibleError:
        return
    assume(compiled.n)
    demands = Demands(build(compiled))
    conflict = find_conflict(demands, Allowance(100.0))
    named = set(conflict.rows)

    def found(kept: set[int]) -> str:
        # A new one each time: nothing is remembered of what was asked before.
        return Demands(demands.linear).ask(kept, Allowance(100.0), exact=True)

    assert conflict.minimal
    assert found(named) == "clash"
    for row in named:
        assert found(named - {row}) == "pack"


@settings(max_examples=80, deadline=None, suppress_health_check=list(HealthCheck))
@given(problems(max_units=7), st.data())
def test_a_small_program_answers_for_the_whole(problem: Problem, data: st.DataObject) -> None:
    """What no demand wants in is held out: that changes no answer, nor does the relaxation."""
    try:
        compiled = compile_problem(problem)
    except (InfeasibleError, PolicyError):
        return
    linear = build(compiled)
    demands = Demands(linear)
    kept = {row for row in demands.rows if data.draw(st.booleans())}
    whole = dataclasses.replace(
        linear,
        lo=np.array([low if i in kept else -UNBOUNDED for i, low in enumerate(linear.lo.tolist())]),
        hi=np.array(
            [
                high if i in kept or row.family in ("choice", "required") else UNBOUNDED
                for i, (row, high) in enumerate(zip(linear.rows, linear.hi.tolist(), strict=True))
            ]
        ),
        rows=[
            Row("choice", "") if row.family == "required" and i not in kept else row
            for i, row in enumerate(linear.rows)
        ],
    )
    expected = "clash" if CpSat(whole).solve(Limits()).found == "infeasible" else "pack"
    assert demands.ask(kept, Allowance(100.0)) == expected
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("satchel.solver.demands.SMALL", 0)
        again = Demands(linear)
        assert again.ask(kept, Allowance(100.0)) == expected
        assert again.contradicting(kept, Allowance(100.0)) <= kept


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(problems(max_units=7))
def test_conflicts_of_large_programs_are_minimal_too(problem: Problem) -> None:
    """The way by the relaxation, which large programs take, taken by small ones."""
    assume(not contradiction(problem) and best(problem) is None)
    try:
        compiled = compile_problem(problem)
    except InfeasibleError:
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("satchel.solver.demands.SMALL", 0)
        demands = Demands(build(compiled))
        conflict = find_conflict(demands, Allowance(100.0))
    assert conflict.minimal
    named = set(conflict.rows)
    assert demands.ask(named, Allowance(100.0), exact=True) == "clash"
    for row in named:
        assert demands.ask(named - {row}, Allowance(100.0), exact=True) == "pack"


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(problems(max_units=7))
def test_the_smallest_budget_works_and_one_token_less_does_not(problem: Problem) -> None:
    assume(not contradiction(problem) and best(problem) is None)
    with pytest.raises(InfeasibleError) as caught:
        solve(problem)
    smallest = caught.value.data.get("smallestBudget")
    assume(smallest is not None)
    assert caught.value.data["smallestBudgetProven"]
    data = json.loads(problem.to_json())
    for budget, works in ((smallest, True), (smallest - 1, False)):
        data["envelope"] = {"availableInputTokens": budget, "zones": data["envelope"].get("zones", [])}
        other = Problem.from_data(data)
        assert (best(other) is not None) is works
        if works:
            assert solve(other, SolveOptions()).counts.accepted >= 0


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(problems(max_units=7))
def test_each_relaxation_works_and_is_the_least_of_its_kind(problem: Problem) -> None:
    """Each is made by hand: then brute force finds a pack, and none where it does less."""
    assume(not contradiction(problem) and best(problem) is None)
    with pytest.raises(InfeasibleError) as caught:
        solve(problem)
    data = json.loads(problem.to_json())
    for change in caught.value.data["relaxations"]:
        event(change["kind"])
        assert best(Problem.from_data(changed(data, change))) is not None, change
        loosened_less = less(change, data)
        if loosened_less is not None and change["least"]:
            assert best(Problem.from_data(changed(data, loosened_less))) is None, change


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(problems(max_units=6))
def test_no_single_limit_that_would_do_is_left_out(problem: Problem) -> None:
    """Where every change was tried, a budget or a demand that alone is enough is among them."""
    assume(not contradiction(problem) and best(problem) is None)
    with pytest.raises(InfeasibleError) as caught:
        solve(problem)
    facts = caught.value.data
    assume(caught.value.code == "infeasible")
    assert facts["relaxationsComplete"]
    data = json.loads(problem.to_json())
    given = {(change["kind"], change.get("name", "")) for change in facts["relaxations"]}
    unlimited = {"kind": "budget", "value": 10**6}
    if best(Problem.from_data(changed(data, unlimited))) is not None:
        assert ("budget", "") in given
    for dimension in data.get("coverage", []):
        drop = {"kind": "coverage", "name": dimension["name"], "value": 0}
        if dimension.get("required") and best(Problem.from_data(changed(data, drop))) is not None:
            assert ("coverage", dimension["name"]) in given


def changed(data: dict[str, Any], change: dict[str, Any]) -> dict[str, Any]:
    """Return the problem's data after ``change``, made by hand: nothing of the solver's own is used."""
    data = json.loads(json.dumps(data))
    kind, name, value = change["kind"], change.get("name"), change.get("value")
    policy = data.setdefault("policy", {})
    units = {unit["id"]: unit for unit in data["units"]}
    if kind == "budget":
        data["envelope"] = {"availableInputTokens": value, "zones": data["envelope"].get("zones", [])}
    elif kind in ("zone maximum", "zone minimum", "overflow policy"):
        field = {"zone maximum": "maxTokens", "zone minimum": "minTokens"}.get(kind, "overflowPolicy")
        next(zone for zone in data["envelope"]["zones"] if zone["name"] == name)[field] = value
    elif kind in ("group", "group policy"):
        group = next(group for group in data["redundancyGroups"] if group["id"] == name)
        group.update({"k": value} if kind == "group" else {"policy": value})
        if kind == "group policy":
            group.pop("k", None)
    elif kind == "coverage":
        dimension = next(dimension for dimension in data["coverage"] if dimension["name"] == name)
        dimension.update({"minCount": value} if value else {"required": False})
    elif kind == "required":
        units[name]["required"] = False
        for rule in [
            r for r in policy.get("mustInclude", []) if selects(r, ContextUnit.from_data(units[name]))
        ]:
            policy["mustInclude"].remove(rule)
            for other in data["units"]:
                if other["id"] != name and selects(rule, ContextUnit.from_data(other)):
                    other["required"] = True
    elif kind == "exclude":
        policy.setdefault("mustExclude", []).append(f"id:{name}")
    elif kind == "dependency":
        units[name]["dependencies"] = [n for n in units[name]["dependencies"] if n["id"] != change["other"]]
    elif kind == "dependency rung":
        next(n for n in units[name]["dependencies"] if n["id"] == change["other"])["minRung"] = value
    elif kind == "must exclude":
        policy["mustExclude"].remove(name)
    else:
        policy[{"risk ceiling": "riskCeiling", "required risk ceiling": "requiredRiskCeiling"}[kind]] = value
    return data


def less(change: dict[str, Any], data: dict[str, Any]) -> dict[str, Any] | None:
    """Return the next smaller change of the same kind, or None where there is no such thing."""
    step = {"budget": -1, "zone maximum": -1, "zone minimum": 1, "group": -1, "coverage": 1}.get(
        change["kind"]
    )
    if step is None:
        return None
    if change["kind"] == "zone minimum":
        zone = next(zone for zone in data["envelope"]["zones"] if zone["name"] == change["name"])
        if change["value"] + 1 >= zone["minTokens"]:
            return None
    return {**change, "value": change["value"] + step}


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
    assert words == [
        "let zone system drop units (overflowPolicy drop_low_rank)",
        "a budget of 9 tokens",
        "exclude 'a', which zone system keeps",
    ]


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


def test_values_made_of_scores_are_rounded_without_a_word() -> None:
    """They are nobody's to multiply: a warning about them on every pack would only be in the way."""
    units = [{"id": f"u{i}", "tokenEstimate": 1, "relevanceScore": 1.2e-5} for i in range(3)]
    data = {"schemaVersion": "packing-problem.v1", "envelope": {"availableInputTokens": 2}, "units": units}
    assert solve(Problem.from_data(data)).diagnostics == ()
