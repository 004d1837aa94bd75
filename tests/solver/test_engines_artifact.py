"""Artifacts of other engines: whole, verified, labelled, claiming no more than plain integers bear out."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, event, given, settings
from oracle import best, contradiction
from strategies import problems

from satchel import engines, solve
from satchel.models import (
    BackendError,
    InfeasibleError,
    Problem,
    Status,
    StopReason,
    UsageError,
    VerificationError,
)
from satchel.solver.engines import ENGINES
from satchel.solver.options import SolveOptions
from satchel.solver.verify import verify

OTHERS = [name for name in ENGINES if name not in ("satchel", "greedy", "seed-greedy")]
IN_FLOATS = ("highs-mip", "scip")


def problem(units: list[dict[str, Any]], available: int, **parts: Any) -> Problem:
    data = {"schemaVersion": "packing-problem.v1", "envelope": {"availableInputTokens": available}}
    return Problem.from_data({**data, "units": units, **parts})


def unit(name: str, tokens: int, value: float, **more: Any) -> dict[str, Any]:
    return {"id": name, "tokenEstimate": tokens, "value": value, **more}


KNAPSACK = problem([unit("a", 5, 8), unit("b", 4, 6), unit("c", 3, 4)], 8)
"""Its optimum, a and c, is 12. By hand: of the relaxation 8 + 3/4 * 6 = 12.5, so plain integers prove 12."""

LOOSE = problem([unit(name, 6, 10) for name in "abc"], 10)
"""Its optimum is 10, and the relaxation's 10 + 4/6 * 10 = 16.67 proves no less than 16."""


@pytest.mark.parametrize("name", OTHERS)
def test_the_artifact_names_its_engine_and_verifies(name: str) -> None:
    context = solve(KNAPSACK, engine=name)
    assert context.solver.engine == name
    assert verify(context, KNAPSACK).passed
    if ENGINES[name].proves:
        assert (context.solver.status, context.solver.objective) == (Status.OPTIMAL, 12)
        assert context.solver.stop_reason is StopReason.PROOF
    assert {"satchel", *ENGINES[name].requires} <= set(context.solver.versions)


@pytest.mark.parametrize("name", IN_FLOATS)
def test_a_bound_in_floats_is_told_and_proves_nothing(name: str) -> None:
    context = solve(LOOSE, engine=name)
    report = context.solver
    assert (report.objective, report.status, report.stop_reason) == (
        10,
        Status.FEASIBLE,
        StopReason.TOLERANCE,
    )
    assert report.certificate is not None
    assert report.bound == report.certificate.bound == 16
    (remark,) = [note for note in context.diagnostics if note.code == "engine_bound"]
    assert remark.data == {"engine": name, "bound": 10, "exact": False}
    assert verify(context, LOOSE).passed
    # What it claims cannot be written into the artifact: the checker knows that it computes in floats.
    data = json.loads(context.to_json())
    data["solver"] |= {"bound": 10, "gap": 0.0, "status": "optimal", "stopReason": "proof"}
    forged = type(context).from_data(data).seal()
    assert [check.name for check in verify(forged, LOOSE).failures] == ["status"]


def test_a_bound_of_cp_sat_is_a_whole_number_and_counts() -> None:
    report = solve(LOOSE, engine="cp-sat-plain").solver
    assert (report.objective, report.bound, report.status) == (10, 10, Status.OPTIMAL)


def test_our_own_engines_are_what_the_solver_runs() -> None:
    for engine, solver in (("satchel", "cp-sat"), ("greedy", "greedy")):
        options = SolveOptions(solver=solver)  # type: ignore[arg-type]
        assert solve(KNAPSACK, engine=engine).to_json() == solve(KNAPSACK, options).to_json()


def test_a_pack_that_breaks_rules_is_no_artifact() -> None:
    drawn = problem([unit("a", 5, 9, dependencies=["b"]), unit("b", 5, 1)], 5)
    with pytest.raises(VerificationError, match=r"breaks rules.*dependencies: 'a'") as error:
        solve(drawn, engine="seed-greedy")
    assert error.value.code == "engine_breaks_rules"
    assert error.value.data["selection"] == {"a": 0}
    assert len(error.value.data["complaints"]) == 1
    # Where it breaks none, it is an artifact like any other.
    assert solve(KNAPSACK, engine="seed-greedy").solver.engine == "seed-greedy"


def test_wrong_use_is_named() -> None:
    with pytest.raises(UsageError, match=r"no such engine.*did you mean 'scip'"):
        solve(KNAPSACK, engine="scipp")
    with pytest.raises(UsageError, match="cannot be used together with a solver"):
        solve(KNAPSACK, SolveOptions(solver="greedy"), engine="scip")
    with pytest.raises(UsageError, match="deterministic_limit: scip counts no work"):
        solve(KNAPSACK, SolveOptions(deterministic_limit=1.0), engine="scip")


@pytest.mark.parametrize("name", ["highs-mip", "satchel"])
def test_a_missing_library_is_told_with_what_installs_it(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("satchel.solver.engines.registry.importlib.util.find_spec", lambda _: None)
    with pytest.raises(BackendError, match=f"engine '{name}' needs .*pip install .*highspy"):
        solve(KNAPSACK, engine=name)
    assert {spec.name for spec in engines() if spec.missing} == {
        "satchel",
        "highs-mip",
        "scip",
        "cp-sat-plain",
    }


@pytest.mark.parametrize("name", OTHERS)
def test_a_problem_without_a_pack_is_explained_by_whichever_engine(name: str) -> None:
    tight = problem([unit("a", 9, 1, required=True)], 5)
    with pytest.raises(InfeasibleError) as caught:
        solve(tight, engine=name)
    if ENGINES[name].proves:
        assert caught.value.data["smallestBudget"] == 9
    else:
        assert caught.value.code == "no_pack_found"


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(problems(max_units=8))
def test_every_artifact_is_right_on_random_problems(drawn: Problem) -> None:
    """Feasible, never above the optimum, optimal only where it is, bound never below it."""
    assume(not contradiction(drawn))
    answer = best(drawn)
    for name in OTHERS:
        try:
            context = solve(drawn, engine=name)
        except InfeasibleError:
            assert answer is None or not ENGINES[name].proves, name
            continue
        assert answer is not None, name
        report = context.solver
        assert verify(context, drawn).passed, name
        assert report.shortfall >= answer.shortfall
        assert report.bound >= report.objective
        if report.shortfall == answer.shortfall:
            assert report.objective <= answer.objective <= report.bound
        if report.status is Status.OPTIMAL:
            assert (report.shortfall, report.objective) == (answer.shortfall, answer.objective), name
        event(f"{name}: {report.status.value}, {report.stop_reason.value}")
