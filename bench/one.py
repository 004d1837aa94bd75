"""One run of one engine on one instance, in a process of its own: ``python -m bench.one CASE_JSON OUT``.

The engine has run once on a tiny instance before the clock starts, so that imports are not measured. Memory
is the peak of the whole process until the engine's answer, instance included; the checker comes after.
"""

from __future__ import annotations

import datetime
import json
import os
import platform
import subprocess
import sys
from dataclasses import asdict, dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

from satchel.models import SatchelError
from satchel.solver.engines import EngineResult, Point, judged, run_engine

from .draw import draw
from .generate import generate, problem_of
from .spec import spec_of

HERE = Path(__file__).resolve().parent

POINTS = 2000
"""A trajectory keeps at most so many points, evenly thinned."""

LIBRARIES = ("satchel", "ortools", "highspy", "numpy", "pydantic")


@dataclass(frozen=True)
class Case:
    """What is run: the instance, the engine, and its limits."""

    units: int
    seed: int
    engine: str
    limit: float
    workers: int
    dials: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """The case as text: rows of the same key are the same run."""
        dials = ",".join(sorted(self.dials))
        return f"{self.units}/{self.seed}/{dials}/{self.engine}/{self.limit:g}/{self.workers}"


def instance_digest(case: Case) -> str:
    """Return the fingerprint of the numbers that the case's instance is drawn from."""
    return draw(spec_of(case.units, case.dials), case.seed).digest()


def run_case(case: Case) -> dict[str, Any]:
    """Run ``case`` here and return its row."""
    arrays = draw(spec_of(case.units, case.dials), case.seed)
    problem = problem_of(arrays)
    row: dict[str, Any] = {
        "key": case.key,
        "case": asdict(case),
        "instance": arrays.digest(),
        **surroundings(),
    }
    try:
        run_engine(case.engine, generate(spec_of(50, ()), 0), time_limit=2, workers=case.workers, check=False)
        row["baseMb"] = peak_mb()
        result = run_engine(
            case.engine, problem, time_limit=case.limit, seed=0, workers=case.workers, check=False
        )
        row["peakMb"] = peak_mb()
        row |= _figures(judged(problem, result))
    except SatchelError as error:
        row |= {"status": "error", "note": f"{type(error).__name__}: {error}"}
    return row


def surroundings() -> dict[str, Any]:
    """Return when and on what is measured: date, cores, versions, and the commit where it is known."""
    git = ["git", "rev-parse", "--short", "HEAD"]
    commit = subprocess.run(git, cwd=HERE, capture_output=True, text=True, check=False).stdout.strip()
    return {
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "versions": {"python": platform.python_version(), **{n: metadata.version(n) for n in LIBRARIES}},
        "commit": commit,
    }


def _figures(result: EngineResult) -> dict[str, Any]:
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
        "complaints": [] if verdict is None else list(verdict.complaints),
        "note": result.note,
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


def main() -> None:
    """Run the case that the first argument describes; write its row to the file that the second names."""
    data = json.loads(sys.argv[1])
    case = Case(**{**data, "dials": tuple(data.get("dials", ()))})
    path = Path(sys.argv[2])
    partial = path.with_suffix(".partial")
    partial.write_text(json.dumps(run_case(case)), "utf-8")
    partial.replace(path)


if __name__ == "__main__":
    main()
