"""What users of such tools report, as far as it concerns the solve (ids of reports in the docstrings)."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from satchel.models import PackedContext, Problem, RejectReason, Status, StopReason
from satchel.solver.options import Progress, SolveOptions
from satchel.solver.solve import solve
from satchel.solver.verify import verify


def problem(units: list[dict[str, Any]], available: int, **more: Any) -> Problem:
    envelope = {"availableInputTokens": available, **more.pop("envelope", {})}
    return Problem.from_data(
        {"schemaVersion": "packing-problem.v1", "envelope": envelope, "units": units, **more}
    )


def unit(name: str, tokens: int, value: float, **more: Any) -> dict[str, Any]:
    return {"id": name, "tokenEstimate": tokens, "value": value, **more}


def ids(context: PackedContext) -> list[str]:
    return [accepted.id for accepted in context.accepted_units]


@pytest.mark.parametrize("solver", ["greedy", "cp-sat"])
def test_many_small_ones_beat_one_large_one(solver: Any) -> None:
    """A14: greedy by score takes one item of 10 tokens worth 1.1 over ten of 1 token worth 1.0."""
    units = [unit("large", 10, 1.1), *(unit(f"s{i}", 1, 1.0) for i in range(10))]
    context = solve(problem(units, 10), SolveOptions(solver=solver))
    assert ids(context) == [f"s{i}" for i in range(10)]


@pytest.mark.parametrize("solver", ["greedy", "cp-sat"])
def test_one_large_one_beats_a_dense_crumb(solver: Any) -> None:
    """A14, turned round: by density alone the crumb shuts the large one out."""
    units = [unit("crumb", 1, 2.0), unit("large", 10, 10.0)]
    assert ids(solve(problem(units, 10), SolveOptions(solver=solver))) == ["large"]


def test_an_empty_pack_is_a_warning() -> None:
    """A29: a unit larger than the budget leaves an empty context, and the artifact says so."""
    context = solve(problem([unit("a", 20, 1.0)], 10))
    assert [d.code for d in context.diagnostics] == ["empty_pack"]
    assert "smallest candidate needs 20 tokens" in context.diagnostics[0].message
    assert context.rejected_units[0].data == {"needs": 20, "left": 10}


def test_pairs_survive_or_go_together() -> None:
    """A33: a result is never kept without its call."""
    units = [unit("call", 6, 0.0), unit("result", 6, 5.0, dependencies=["call"]), unit("other", 6, 1.0)]
    assert ids(solve(problem(units, 6))) == ["other"]
    assert ids(solve(problem(units, 12))) == ["call", "result"]
    rejected = {r.id: r for r in solve(problem(units, 6)).rejected_units}
    assert rejected["result"].data == {"needs": 12, "left": 0, "with": ["call"]}


def test_required_competes_with_nothing() -> None:
    """A26: what may never go is declared, and stays whatever the others are worth."""
    units = [unit("message", 5, 0.0, required=True), *(unit(f"u{i}", 5, 9.0) for i in range(9))]
    assert "message" in ids(solve(problem(units, 20)))


def test_counts_add_up_when_most_is_left_out() -> None:
    """B03, B04: 200 units, room for 70; every one is accounted for by name."""
    context = solve(problem([unit(f"u{i:03}", 10, 1.0) for i in range(200)], 700))
    assert (context.counts.candidates, context.counts.accepted, context.counts.rejected) == (200, 70, 130)
    assert len({*ids(context), *(r.id for r in context.rejected_units)}) == 200


def test_chunks_of_one_file_do_not_shut_each_other_out() -> None:
    """B16: two different chunks of one file are two pieces of evidence."""
    refs = [{"path": "src/a.py"}]
    units = [unit("a#1", 5, 1.0, sourceRefs=refs), unit("a#2", 5, 1.0, sourceRefs=refs)]
    assert ids(solve(problem(units, 10))) == ["a#1", "a#2"]


def test_identical_units_are_chosen_in_order() -> None:
    """M02: 30 identical units, budget for 10: always the first ten."""
    units = [unit(f"u{i:02}", 3, 1.0) for i in range(30)]
    for seed in (0, 7):
        context = solve(problem(units[::-1], 30), SolveOptions(seed=seed))
        assert ids(context) == [f"u{i:02}" for i in range(10)]
        assert context.solver.status is Status.OPTIMAL
        assert context.solver.reproducible


EQUALS = """
import sys
from satchel.models import Problem
from satchel.solver.options import SolveOptions
from satchel.solver.solve import solve
units = [{"id": f"u{i:03}", "tokenEstimate": 7 + i % 5, "value": 10 + i % 3} for i in range(300)]
envelope = {"availableInputTokens": 900}
data = {"schemaVersion": "packing-problem.v1", "envelope": envelope, "units": units}
problem = Problem.from_data(data)
sys.stdout.write(solve(problem, SolveOptions(deterministic_limit=0.05)).to_json())
"""


def test_a_deterministic_limit_gives_the_same_bytes_in_every_process() -> None:
    """M01: many equal scores, a limit, other hash seeds, other folders: one answer."""
    outputs = {
        subprocess.run(
            [sys.executable, "-c", EQUALS],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
            timeout=120,
        ).stdout
        for seed in ("0", "1", "4242")
    }
    assert len(outputs) == 1
    assert PackedContext.from_json(outputs.pop()).solver.reproducible


def test_no_time_at_all_still_gives_a_labelled_pack() -> None:
    """M04: 5,000 units and no time for a proof: a feasible pack, a bound, a stated gap."""
    units = [
        unit(f"u{i:04}", 20 + (i * 37) % 400, 1 + (i * 7919) % 1000, coverage=[f"d{i % 7}"])
        for i in range(5000)
    ]
    dimensions = [{"name": f"d{i}", "weight": 50} for i in range(7)]
    context = solve(problem(units, 30_000, coverage=dimensions), SolveOptions(time_limit=0.01))
    report = context.solver
    assert report.status is Status.FEASIBLE
    assert report.stop_reason is StopReason.WALL_CLOCK
    assert not report.reproducible
    assert 0 < report.objective < report.bound
    assert report.gap == (report.bound - report.objective) / report.objective


def test_without_the_solver_library_greedy_serves_with_a_notice(tmp_path: Path) -> None:
    """M05: ortools is there and cannot be imported; the reason is named."""
    broken = tmp_path / "ortools"
    broken.mkdir()
    (broken / "__init__.py").write_text("raise ImportError('no musl wheel')")
    code = (
        "from satchel.models import Problem\n"
        "from satchel.solver.solve import solve\n"
        "p = Problem.from_data({'schemaVersion': 'packing-problem.v1',"
        " 'envelope': {'availableInputTokens': 5}, 'units': [{'id': 'a', 'tokenEstimate': 5, 'value': 1}]})\n"
        "c = solve(p)\n"
        "print(c.solver.engine, c.accepted_units[0].id, c.diagnostics[0].code, c.diagnostics[0].message)\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert run.stdout.startswith(
        "greedy a solver_missing ortools cannot be imported: ImportError: no musl wheel"
    )


def test_progress_tells_the_stages_and_never_a_worse_gap() -> None:
    seen: list[Progress] = []
    units = [unit(f"u{i:03}", 20 + (i * 37) % 90, 1 + (i * 7919) % 100) for i in range(200)]
    context = solve(problem(units, 2000), SolveOptions(on_progress=seen.append))
    assert [p.stage for p in seen][:2] == ["greedy", "relaxation"]
    objectives = [p.objective for p in seen if p.objective is not None]
    bounds = [p.bound for p in seen if p.bound is not None]
    assert objectives == sorted(objectives)
    assert bounds == sorted(bounds, reverse=True)
    assert (objectives[-1], bounds[-1]) == (context.solver.objective, context.solver.bound)


def test_a_gap_that_is_asked_for_ends_the_search() -> None:
    units = [unit(f"u{i:03}", 20 + (i * 37) % 90, 1000 + (i * 7919) % 100_003) for i in range(300)]
    context = solve(problem(units, 2000), SolveOptions(gap=0.5))
    assert context.solver.stop_reason in (StopReason.GAP, StopReason.PROOF)
    assert context.solver.gap <= 0.5


def test_greedy_does_not_lose_itself_between_two_demands() -> None:
    """What covers a required dimension best may shut out the only unit that fills a zone."""
    units = [
        unit("cover", 1, 9.0, coverage=["errors"]),
        unit("fill", 10, 1.0, zone="task", coverage=["errors"]),
    ]
    instance = problem(
        units,
        20,
        envelope={"zones": [{"name": "task", "minTokens": 10, "minPolicy": "fail"}]},
        redundancyGroups=[{"id": "g", "members": ["cover", "fill"], "policy": "keep_at_most"}],
        coverage=[{"name": "errors", "required": True}],
    )
    assert ids(solve(instance, SolveOptions(solver="greedy"))) == ["fill"]


def test_a_unit_that_comes_with_another_is_out_for_want_of_room_for_both() -> None:
    """What is missing is no reason of its own while there is no room for it: the number is that of both."""
    data = {
        "schemaVersion": "packing-problem.v1",
        "envelope": {"availableInputTokens": 20},
        "units": [
            {"id": "best", "tokenEstimate": 15, "value": 9},
            {"id": "small", "tokenEstimate": 3, "value": 2, "dependencies": ["large"]},
            {"id": "large", "tokenEstimate": 4, "value": 0},
        ],
    }
    context = solve(Problem.from_data(data))
    out = {unit.id: unit for unit in context.rejected_units}
    assert out["small"].reason is RejectReason.TOKEN_BUDGET_EXCEEDED
    assert out["small"].data == {"needs": 7, "left": 5, "with": ["large"]}
    assert out["small"].detail == "needs 7 tokens with large, 5 left of the budget of 20"
    forged = out["small"].model_copy(update={"data": {"needs": 3, "left": 5}})
    others = tuple(forged if unit.id == "small" else unit for unit in context.rejected_units)
    assert not verify(
        context.model_copy(update={"rejected_units": others}).seal(), Problem.from_data(data)
    ).passed
