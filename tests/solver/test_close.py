"""The proof by aims: wherever they are taken, the answer is the same, and it is the optimum."""

from __future__ import annotations

import time

import pytest

from bench.generate import generate
from bench.spec import spec_of
from satchel.models import Status, StopReason
from satchel.solver import close
from satchel.solver.engines import run_engine
from satchel.solver.options import Progress, SolveOptions
from satchel.solver.solve import solve


@pytest.mark.parametrize("seed", range(4))
def test_every_first_aim_ends_at_the_same_optimum(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Aims that are too high, and attempts that end undecided, cost time and nothing else."""
    problem = generate(spec_of(200, ()), seed)
    found = set()
    for share, work in ((close.SHARE, close.WORK), (1e-6, close.WORK), (1.0, close.WORK), (0.25, 1e-3)):
        monkeypatch.setattr(close, "SHARE", share)
        monkeypatch.setattr(close, "WORK", work)
        context = solve(problem, SolveOptions(workers=1))
        report = context.solver
        assert (report.status, report.bound, report.reproducible) == (Status.OPTIMAL, report.objective, True)
        found.add((report.objective, tuple((unit.id, unit.rung) for unit in context.accepted_units)))
    assert len(found) == 1
    assert run_engine("highs-mip", problem).objective == found.pop()[0]


def test_bounds_told_on_the_way_never_cross_the_optimum() -> None:
    stages = set()
    for seed in range(4):
        told: list[Progress] = []
        options = SolveOptions(workers=1, on_progress=told.append)
        report = solve(generate(spec_of(200, ()), seed), options).solver
        stages |= {progress.stage for progress in told}
        assert all(progress.bound is None or progress.bound >= report.objective for progress in told)
        assert all(progress.objective is None or progress.objective <= report.objective for progress in told)
    assert "proof" in stages


def test_what_a_program_did_before_counts_towards_its_time_limit() -> None:
    problem = generate(spec_of(200, ()), 0)
    at_once = SolveOptions(workers=1, time_limit=60, started=time.monotonic() - 60)
    report = solve(problem, at_once).solver
    assert (report.stop_reason, report.reproducible) == (StopReason.WALL_CLOCK, False)
    assert report.limits == {"timeLimitSeconds": 60}
    assert solve(problem, SolveOptions(workers=1, time_limit=60)).solver.status is Status.OPTIMAL
