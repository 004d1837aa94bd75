"""The regression check of counts: it holds now, and what is worse is told."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from bench import regress
from bench.regress import BASELINE, Case, Counted, counting, differences, main, versions
from satchel import Problem, solve

THEN: dict[str, Any] = {
    "status": "optimal",
    "objective": 100,
    "bound": 100,
    "gap": 0.0,
    "iterations": 100,
    "programs": 4,
    "searches": 4,
    "work": 1.0,
}
CUT: dict[str, Any] = {**THEN, "status": "feasible", "bound": 110, "gap": 0.1}


def told(then: dict[str, Any], *, same: bool = True, **now: Any) -> list[str]:
    return list(differences("x", Counted(**{**then, **now}), then, same_libraries=same))


def test_nothing_is_worse_than_the_baseline(capsys: pytest.CaptureFixture[str]) -> None:
    """After a change that is meant to change counts: python -m bench.regress --update."""
    assert main([]) == 0, capsys.readouterr().out


def test_the_baseline_holds_proofs_and_cuts_and_no_clock() -> None:
    cases = json.loads(BASELINE.read_text("utf-8"))["cases"].values()
    assert {case["status"] for case in cases} >= {"optimal", "feasible"}
    assert all("seconds" not in case for case in cases)


def test_a_lost_proof_and_another_optimum_are_worse_under_any_library() -> None:
    assert told(THEN, same=False, status="feasible") == ["x: was proven optimal, is feasible"]
    assert told(THEN, same=False, objective=101, bound=101) == ["x: the optimum was 100, is 101"]
    assert told(THEN) == []


def test_of_what_was_cut_off_the_gap_and_the_bound_count() -> None:
    assert told(CUT, gap=0.12) == []
    assert told(CUT, gap=0.13) == ["x: at the deterministic limit the gap was 1.00e-01, is 1.30e-01"]
    assert told(CUT, status="optimal", objective=105, bound=105, gap=0.0) == []
    assert told(CUT, objective=112, bound=112, gap=0.0) == ["x: 112 of 112 contradicts 100 of 110"]


def test_counts_may_grow_by_the_slack_and_no_further() -> None:
    assert told(THEN, iterations=135, work=1.35) == []
    assert told(THEN, iterations=136) == ["x: iterations were 100, are 136"]
    assert told(THEN, work=1.36) == ["x: work were 1.0, are 1.36"]
    assert told(THEN, same=False, iterations=10_000) == []
    assert told(THEN, iterations=1, programs=0, searches=0, work=0.0) == []


def test_what_a_solve_takes_is_counted() -> None:
    problem = Problem.build(20, [7, 8, 9, 5], [7.5, 8, 9.5, 4], covers={"d": [0, 3], "e": [1, 2]})
    with counting() as counts:
        solve(problem)
    assert counts.programs >= 1
    with counting() as nothing:
        pass
    assert (nothing.programs, nothing.searches, nothing.work) == (0, 0, 0.0)


def test_a_worse_baseline_fails_the_check(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(regress, "CASES", (Case("one", lambda: Problem.build(3, [2, 2], [1, 2])),))
    path = tmp_path / "regress.json"
    assert main(["--update", "--baseline", str(path)]) == 0
    assert main(["--baseline", str(path)]) == 0
    data = json.loads(path.read_text("utf-8"))
    assert data["versions"] == versions()
    data["cases"]["one"]["objective"] = 3
    path.write_text(json.dumps(data))
    assert main(["--baseline", str(path)]) == 1
    assert "one: the optimum was 3, is 2" in capsys.readouterr().out
    data["cases"]["two"] = data["cases"]["one"]
    path.write_text(json.dumps(data))
    assert main(["--baseline", str(path)]) == 1
