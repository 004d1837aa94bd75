"""The independent checker accepts what is right and names what is wrong, one constraint at a time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from builder import artifact
from hypothesis import HealthCheck, given, settings
from oracle import best, contradiction
from strategies import problems

from satchel.models import PackedContext, Problem
from satchel.solver.verify import VerifyReport, verify


def problem(units: Mapping[str, Mapping[str, Any]], available: int = 100, **parts: Any) -> Problem:
    """Return a problem whose units are worth 1 and take 1 token unless stated."""
    zones = parts.pop("zones", [])
    return Problem.from_data(
        {
            "schemaVersion": "packing-problem.v1",
            "envelope": {"availableInputTokens": available, "zones": zones},
            "units": [
                {"id": name, "tokenEstimate": 1, "value": 1} | dict(unit) for name, unit in units.items()
            ],
            **parts,
        }
    )


def failed(report: VerifyReport) -> set[str]:
    return {check.name for check in report.failures}


def group(policy: str, *members: str, **more: Any) -> dict[str, Any]:
    return {"redundancyGroups": [{"id": "g", "members": members, "policy": policy, **more}]}


A, B, C = {"a": 0}, {"b": 0}, {"c": 0}
SHORT = {"renderings": [{"state": "summarized", "tokens": 0, "value": 0}]}
EXAMPLE = {"kind": "example"}
TWO: dict[str, dict[str, Any]] = {"a": {}, "b": {}}

# Each family: what is just allowed, and what is forbidden.
FAMILIES = [
    ("token_limit", problem(TWO, 2), A | B, None),
    ("token_limit", problem(TWO, 1), A, A | B),
    ("zone_limits", problem(TWO, zones=[{"name": "source_evidence", "maxTokens": 1}]), A, A | B),
    ("zone_limits", problem(TWO, zones=[{"name": "task", "maxTokens": 0}]), A | B, None),
    (
        "zone_limits",
        problem(TWO, zones=[{"name": "source_evidence", "minTokens": 2, "minPolicy": "fail"}]),
        A | B,
        A,
    ),
    ("zone_limits", problem(TWO, zones=[{"name": "source_evidence", "minTokens": 2}]), A, None),
    ("required", problem({"a": {"required": True}, "b": {}}), A, B),
    ("required", problem(TWO, policy={"mustInclude": ["id:a"]}), A, B),
    ("required", problem(TWO, zones=[{"name": "source_evidence", "overflowPolicy": "fail"}]), A | B, A),
    (
        "required",
        problem(
            {"a": {}, "b": {"riskScore": 0.7}}, zones=[{"name": "source_evidence", "overflowPolicy": "fail"}]
        ),
        A,
        {},
    ),
    ("must_exclude", problem(TWO, policy={"mustExclude": ["id:b"]}), A, A | B),
    ("risk", problem({"a": {"riskScore": 0.69}, "b": {"riskScore": 0.7}}), A, A | B),
    ("risk", problem({"a": {"riskScore": 0.8, "required": True}}), A, None),
    ("risk", problem({"a": {"riskScore": 0.81, "required": True}}), {}, A),
    ("dependencies", problem({"a": {"dependencies": ["b"]}, "b": {}}), A | B, A),
    ("dependencies", problem({"a": {"dependencies": ["b"]}, "b": SHORT}), A | {"b": 1}, A),
    (
        "dependencies",
        problem({"a": {"dependencies": [{"id": "b", "minRung": "contract"}]}, "b": SHORT}),
        A | B,
        A | {"b": 1},
    ),
    ("dependencies", problem({"a": {"dependencies": ["b"]}, "b": {"dependencies": ["a"]}}), A | B, B),
    ("redundancy_groups", problem(TWO, **group("keep_all", "a", "b")), A | B, None),
    ("redundancy_groups", problem(TWO, **group("keep_at_most", "a", "b")), A, A | B),
    ("redundancy_groups", problem(TWO, **group("keep_at_most", "a", "b", k=2)), A | B, None),
    ("redundancy_groups", problem(TWO, **group("keep_at_most", "a", "b", k=0)), {}, A),
    ("redundancy_groups", problem(TWO, **group("keep_authoritative", "a", "b")), A, B),
    (
        "redundancy_groups",
        problem({"a": {}, "b": {"authorityScore": 0.5}}, **group("keep_authoritative", "a", "b")),
        B,
        A,
    ),
    (
        "redundancy_groups",
        problem(
            {"a": {}, "b": {"authorityScore": 0.5, "riskScore": 0.7}}, **group("keep_authoritative", "a", "b")
        ),
        A,
        None,
    ),
    (
        "redundancy_groups",
        problem(
            {"a": EXAMPLE | {"authorityScore": 0.9}, "b": {}, "c": EXAMPLE},
            **group("keep_authoritative_plus_one_example", "a", "b", "c"),
        ),
        A | B,
        A,
    ),
    (
        "redundancy_groups",
        problem(
            {"a": EXAMPLE, "b": {}, "c": EXAMPLE},
            **group("keep_authoritative_plus_one_example", "a", "b", "c"),
        ),
        B | C,
        A | B | C,
    ),
    (
        "redundancy_groups",
        problem({"a": {}, "b": {}}, **group("keep_authoritative_plus_one_example", "a", "b")),
        A,
        A | B,
    ),
    (
        "redundancy_groups",
        problem(
            {"a": EXAMPLE, "b": EXAMPLE, "c": EXAMPLE},
            **group("keep_authoritative_plus_one_example", "a", "b", "c"),
        ),
        A | C,
        B | C,
    ),
    (
        "required_coverage",
        problem({"a": {"coverage": ["x"]}, "b": {}}, coverage=[{"name": "x", "required": True}]),
        A,
        B,
    ),
    (
        "required_coverage",
        problem(
            {"a": {"coverage": ["x"]}, "b": {"coverage": {"x": 0.1}}, "c": {"coverage": {"x": 0.0}}},
            coverage=[{"name": "x", "required": True, "minCount": 2}],
        ),
        A | B,
        A | C,
    ),
    ("accepted_units", problem({"a": SHORT}), {"a": 1}, None),
]


@pytest.mark.parametrize(
    ("check", "instance", "right", "wrong"), FAMILIES, ids=[f"{n}-{f[0]}" for n, f in enumerate(FAMILIES)]
)
def test_each_constraint(
    check: str, instance: Problem, right: Mapping[str, int], wrong: Mapping[str, int] | None
) -> None:
    assert check not in failed(verify(artifact(instance, right), instance))
    if wrong is not None:
        assert check in failed(verify(artifact(instance, wrong), instance))


@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
@given(problems())
def test_constraints_and_sums_agree_with_the_oracle(instance: Problem) -> None:
    """All that follows from the selection alone is right for the optimum of brute force."""
    answer = best(instance)
    if answer is None or contradiction(instance):
        return
    claims = {"status": "optimal", "stopReason": "proof", "bound": answer.objective, "gap": 0.0, "limits": {}}
    context = artifact(instance, answer.selection, solver={**claims, "shortfallBound": answer.shortfall})
    # The builder does not know why the optimum leaves a unit out; that is the solver's to say.
    assert failed(verify(context, instance)) <= {"reject_reasons"}


def test_rung_that_the_zone_forbids() -> None:
    """A rung may be in the ladder and still not be offered: here no summary may stand in for the raw form."""
    zones = [{"name": "source_evidence", "overflowPolicy": "drop_low_rank"}]
    free = problem({"a": SHORT})
    strict = problem({"a": SHORT}, zones=zones)
    data = artifact(free, {"a": 1}).to_data()
    data["zones"][0]["name"] = "source_evidence"
    data["solver"]["problemDigest"] = strict.digest
    report = verify(PackedContext.from_data(data).seal(), strict)
    assert failed(report) >= {"accepted_units"}
    assert "rung 1 is not offered" in next(c.detail for c in report.failures if c.name == "accepted_units")


def test_rung_that_saves_nothing_is_not_offered() -> None:
    instance = problem({"a": {"renderings": [{"state": "summarized", "tokens": 1, "value": 5}]}})
    with pytest.raises(StopIteration):  # nor does the oracle know such a form
        artifact(instance, {"a": 1})


CLAIMS: list[tuple[set[str], dict[str, Any]]] = [
    (set(), {}),
    (set(), {"status": "optimal", "stopReason": "proof", "bound": 1, "gap": 0.0}),
    ({"status"}, {"status": "optimal", "stopReason": "proof"}),
    ({"status"}, {"bound": 1, "gap": 0.0}),
    ({"bound", "gap", "status"}, {"status": "optimal", "bound": 0, "gap": 0.0}),
    ({"gap"}, {"gap": 0.0}),
    (set(), {"status": "within_gap", "stopReason": "gap", "bound": 2, "gap": 1.0, "limits": {"gap": 1.0}}),
    (
        {"status"},
        {"status": "within_gap", "stopReason": "gap", "bound": 2, "gap": 1.0, "limits": {"gap": 0.9}},
    ),
    ({"status", "limits"}, {"status": "within_gap", "stopReason": "gap", "limits": {}}),
    ({"status"}, {"stopReason": "proof"}),
    (set(), {"status": "heuristic", "stopReason": "heuristic_end", "engine": "greedy"}),
    ({"status"}, {"status": "heuristic", "stopReason": "heuristic_end"}),
    ({"status"}, {"engine": "greedy"}),
    ({"limits"}, {"limits": {}}),
    ({"limits"}, {"limits": {"deterministicLimit": -1}}),
    ({"limits"}, {"limits": {"deterministicLimit": "soon"}}),
    ({"limits"}, {"seed": -1}),
    ({"limits"}, {"workers": 0}),
    ({"limits"}, {"versions": {}}),
    ({"limits"}, {"stopReason": "wall_clock", "limits": {"timeLimitSeconds": 1}}),
    (set(), {"stopReason": "wall_clock", "limits": {"timeLimitSeconds": 1}, "reproducible": False}),
    ({"bound", "shortfall"}, {"shortfall": 1, "shortfallBound": 2}),
    ({"scale"}, {"scale": 2}),
    ({"certificate", "objective", "gap"}, {"objective": 2}),
    ({"problem"}, {"problemDigest": "sha256:0"}),
]


@pytest.mark.parametrize(("checks", "claims"), CLAIMS)
def test_claims_must_follow_from_each_other(checks: set[str], claims: dict[str, Any]) -> None:
    instance = problem({"a": {}})
    assert failed(verify(artifact(instance, A, solver=claims), instance)) == checks


def test_files_that_became_no_unit_may_be_skipped_only() -> None:
    instance = problem({"a": {}})
    data = artifact(instance, A).to_data()
    data["counts"] |= {"candidates": 2, "skipped": 1}

    def with_skipped(**entry: Any) -> set[str]:
        data["skippedUnits"] = [{"id": "file:x.png", "reason": "binary"} | entry]
        return failed(verify(PackedContext.from_data(data).seal(), instance))

    assert with_skipped() == set()
    assert with_skipped(id="x.png") == {"partition"}
    assert with_skipped(reason="must_exclude", data={"rule": "id:a"}) == {"reject_reasons"}


def test_another_problem_is_refused() -> None:
    """One changed score is another problem, even where the pack would be the same."""
    one, other = problem({"a": {}}), problem({"a": {"freshnessScore": 0.5}})
    assert failed(verify(artifact(one, A), other)) == {"problem"}


def test_a_problem_without_counts_is_refused_with_the_unit() -> None:
    counted = problem({"a": {}})
    uncounted = Problem.from_data(
        {
            "schemaVersion": "packing-problem.v1",
            "envelope": {"availableInputTokens": 100},
            "units": [{"id": "a", "text": "x"}],
        }
    )
    report = verify(artifact(counted, A), uncounted)
    assert not report.passed
    assert "'a' has a form without a token count" in report.failures[-1].detail


def test_a_prompt_that_the_artifact_does_not_describe() -> None:
    instance = problem({"a": {}})
    assert failed(verify(artifact(instance, A), instance, prompt_text="hello")) == {"prompt"}


def test_contradictory_policies_cannot_have_a_pack() -> None:
    both = problem({"a": {"required": True}}, policy={"mustExclude": ["id:a"]})
    assert "must_exclude" in failed(verify(artifact(both, A), both))
    nothing = problem({"a": {}}, policy={"mustInclude": ["id:zzz"]})
    assert failed(verify(artifact(nothing, A), nothing)) == {"required"}


def test_values_too_large_to_be_exact() -> None:
    instance = problem({"a": {"value": 9e14}, "b": {"value": 9e14}, "c": {"value": 0.5}})
    context = artifact(instance, A, solver={"scale": 1000})
    assert "scale" in failed(verify(context, instance))


def test_the_report_as_data() -> None:
    instance = problem({"a": {}})
    data = verify(artifact(instance, A, solver={"seed": -1}), instance).to_data()
    assert data["passed"] is False
    assert [check for check in data["checks"] if not check["passed"]] == [
        {"name": "limits", "passed": False, "detail": "seed is -1"}
    ]
