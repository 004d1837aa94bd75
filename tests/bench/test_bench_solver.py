"""The benchmark of the solver, run for real on the smallest size."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

import bench.solver
from bench.one import Case, instance_digest
from bench.solver import LIMITS, SIZES, main, parser, plan, run_apart
from satchel.research.running import POINTS, thinned
from satchel.research.store import Store
from satchel.solver.engines import ENGINES, Point

ARGUMENTS = ["--sizes", "50", "--seeds", "0", "--limit", "5", "--engines", "satchel,highs-mip,seed-greedy"]


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run of three engines on one instance."""
    folder = tmp_path_factory.mktemp("runs") / "quick"
    main([*ARGUMENTS, "--out", str(folder)])
    return folder


def rows_of(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "runs.jsonl").read_text("utf-8").splitlines()]


def test_a_run_leaves_rows_a_csv_and_a_report(finished: Path) -> None:
    rows = rows_of(finished)
    assert [row["case"]["engine"] for row in rows] == ["satchel", "highs-mip", "seed-greedy"]
    assert [row["status"] for row in rows] == ["optimal", "optimal", "heuristic"]
    assert rows[0]["objective"] == rows[0]["bound"] == rows[1]["objective"] == rows[1]["bound"]
    assert rows[0]["feasible"]
    assert rows[1]["feasible"]
    assert rows[2]["complaints"]
    assert all(0 < row["baseMb"] <= row["peakMb"] < 2000 for row in rows)
    assert {"python", "ortools", "highspy", "satchel"} <= rows[0]["versions"].keys()
    with (finished / "solver.csv").open(encoding="utf-8") as file:
        assert [line["engine"] for line in csv.DictReader(file)] == ["highs-mip", "satchel", "seed-greedy"]
    report = (finished / "solver.md").read_text("utf-8")
    assert "### 50 units (seeds: 1, limit: 5 s)" in report
    assert "| seed-greedy (breaks rules 1/1) |" in report


def test_finished_runs_are_kept_and_only_missing_ones_run(
    finished: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A kill in the middle of a line loses that run only."""
    lines = (finished / "runs.jsonl").read_text("utf-8").splitlines(keepends=True)
    (tmp_path / "runs.jsonl").write_text(lines[0] + lines[1][:200], "utf-8")
    run: list[str] = []

    def instead(case: Case, digest: str, _: Path) -> dict[str, Any]:
        run.append(case.engine)
        row = json.loads(lines[1])
        return {**row, "key": case.key, "case": {**row["case"], "engine": case.engine}, "instance": digest}

    monkeypatch.setattr(bench.solver, "run_apart", instead)
    main([*ARGUMENTS, "--out", str(tmp_path)])
    assert run == ["highs-mip", "seed-greedy"]
    assert "3 runs" in capsys.readouterr().out
    assert len(rows_of(tmp_path)) == 3
    main([*ARGUMENTS, "--out", str(tmp_path)])
    assert run == ["highs-mip", "seed-greedy"]
    main([*ARGUMENTS, "--out", str(tmp_path), "--again", "--engines", "satchel"])
    assert run == ["highs-mip", "seed-greedy", "satchel"]
    assert len(rows_of(tmp_path)) == 3


def test_a_run_on_an_instance_that_is_drawn_otherwise_now_does_not_count(tmp_path: Path) -> None:
    case = Case(50, 0, "greedy", 5.0, 2)
    store = Store(tmp_path)
    store.add({"key": case.key, "instance": "another"})
    assert not store.has(case, instance_digest(case))
    store.add({"key": case.key, "instance": instance_digest(case)})
    assert Store(tmp_path).has(case, instance_digest(case))


def test_a_crash_and_a_refusal_are_rows_too(tmp_path: Path) -> None:
    crashed = run_apart(Case(10, 0, "greedy", 1.0, 1), "none", tmp_path)
    assert crashed["status"] == "crashed"
    assert "too few" in crashed["note"]
    assert bench.solver.describe(crashed).endswith(crashed["note"])
    refused = run_apart(Case(50, 0, "no-such", 1.0, 1), "none", tmp_path)
    assert refused["status"] == "error"
    assert "no such engine" in refused["note"]
    assert [path.name for path in tmp_path.iterdir()] == []


def test_a_run_that_does_not_end_is_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench.solver, "GRACE", -1.7)
    row = run_apart(Case(50, 0, "greedy", 1.0, 1), "none", tmp_path)
    assert row["status"] == "killed"
    assert row["cores"] >= 1


def test_the_plan_gives_every_engine_the_same_limits() -> None:
    cases = plan(parser().parse_args(["--full"]))
    assert {case.units for case in cases} == set(SIZES)
    for units in SIZES:
        some = [case for case in cases if case.units == units]
        assert {case.engine for case in some} == set(ENGINES)
        assert {case.limit for case in some} == {LIMITS[units]}
    assert len({case.key for case in cases}) == len(cases)
    quick = plan(parser().parse_args([]))
    assert {case.units for case in quick} == {50, 200, 1000}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--engines", "scipp"], "no engine 'scipp'"),
        (["--sizes", "5"], "units: 5 is too few"),
        (["--set", "hub=1"], "no dial 'hub'"),
    ],
)
def test_wrong_arguments_are_named(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main(arguments)
    assert message in capsys.readouterr().err


def test_long_trajectories_are_thinned() -> None:
    points = tuple(Point(float(i), i, None) for i in range(10 * POINTS))
    few = thinned(points)
    assert len(few) == POINTS
    assert (few[0], few[-1]) == (points[0], points[-1])
    assert thinned(points[:3]) == list(points[:3])
