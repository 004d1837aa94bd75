"""One run of one engine on one problem, as a row: for processes that do nothing else.

The engine has run once on a tiny problem before the clock starts, so that imports are not measured. Memory is
the peak of the whole process until the engine's answer, the problem included; the checker comes after.
"""

from __future__ import annotations

import datetime
import os
import platform
import subprocess
import sys
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from typing import Any, Final

from ..models import Problem, SatchelError
from ..solver.engines import EngineResult, Point, judged, run_engine
from .figures import Row

POINTS: Final = 2000
"""A trajectory keeps at most so many points, evenly thinned."""

LIBRARIES: Final = ("satchel", "ortools", "highspy", "numpy", "pydantic")


def row_of(
    problem: Callable[[], Problem], engine: str, *, limit: float, workers: int, seed: int = 0
) -> dict[str, Any]:
    """Run ``engine`` on ``problem`` and return what came of it, surroundings and memory included.

    Parameters
    ----------
    problem
        Makes the problem, once the engine is warm.
    limit
        Seconds.
    """
    row: dict[str, Any] = surroundings()
    try:
        run_engine(engine, tiny(), time_limit=2, workers=workers, check=False)
        row["baseMb"] = peak_mb()
        given = problem()
        result = run_engine(engine, given, time_limit=limit, seed=seed, workers=workers, check=False)
        row["peakMb"] = peak_mb()
        row |= _answer(judged(given, result))
    except SatchelError as error:
        row |= {"status": "error", "note": f"{type(error).__name__}: {error}"}
    return row


def tiny() -> Problem:
    """Return a problem that every engine needs all its libraries for, and no time."""
    tokens = [7 + (11 * i) % 17 for i in range(16)]
    values = [5.5 + (7 * i) % 13 for i in range(16)]
    return Problem.build(
        90,
        tokens,
        values,
        shorter={0: [(3, 2.25)], 5: [(4, 3.5)]},
        needs={3: [4], 9: [2]},
        conflicts=[(1, 6), (7, 8, 11)],
        covers={"a": [0, 3, 6], "b": {2: 0.5, 8: 0.75}},
    )


def surroundings(repository: Path | None = None) -> dict[str, Any]:
    """Return when and on what is measured: date, cores, versions, and the commit of ``repository``."""
    commit = ""
    if repository is not None:
        git = ["git", "rev-parse", "--short", "HEAD"]
        commit = subprocess.run(  # noqa: S603 - no part of it comes from outside
            git, cwd=repository, capture_output=True, text=True, check=False
        ).stdout.strip()
    return {
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "versions": {"python": platform.python_version(), **{n: metadata.version(n) for n in LIBRARIES}},
        "commit": commit,
    }


def _answer(result: EngineResult) -> Row:
    verdict = result.verdict
    return {
        "status": result.status.value,
        "objective": result.objective,
        "bound": result.bound,
        "shortfall": result.shortfall,
        "scale": result.scale,
        "seconds": round(result.seconds, 4),
        "setup": round(result.setup, 4),
        "feasible": verdict is not None and verdict.feasible,
        "tokens": None if verdict is None else verdict.tokens,
        "complaints": [] if verdict is None else list(verdict.complaints),
        "note": result.note,
        "selection": None if result.selection is None else dict(sorted(result.selection.items())),
        "trajectory": [(round(p.seconds, 4), p.objective, p.bound) for p in thinned(result.trajectory)],
    }


def thinned(points: tuple[Point, ...]) -> list[Point]:
    """Return at most :data:`POINTS` of the points, the first and the last among them."""
    if len(points) <= POINTS:
        return list(points)
    step = (len(points) - 1) / (POINTS - 1)
    return [points[round(i * step)] for i in range(POINTS)]


def peak_mb() -> float:
    """Return the peak of this process's memory so far, in MB."""
    try:
        lines = Path("/proc/self/status").read_text("ascii").splitlines()
        return round(next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1024, 1)
    except (OSError, StopIteration):
        import resource

        # On Linux this would count the parent's peak as well, which the file above does not.
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return round(peak / (1024 * 1024 if sys.platform == "darwin" else 1024), 1)
