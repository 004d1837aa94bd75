"""How well ``--time-limit`` is kept: ``python -m bench.limits``, a table of seconds beyond each limit.

Two clocks for every size and limit, each in a process of its own, one at a time:

``solve``
    ``satchel.solve`` from the problem in memory to the sealed and checked artifact; a tiny instance has been
    solved before, so that imports do not count.
``command``
    ``satchel solve FILE --time-limit S -q --out …`` from the start of the process to its end: imports,
    the reading of the file and the writing of the artifact come on top of what the limit is for.

A limit counts as kept within a tenth and 0.2 s (:data:`satchel.research.figures.TOLERANCE`).
"""

from __future__ import annotations

import argparse
import csv
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from satchel.research.figures import TOLERANCE

from .generate import generate
from .one import surroundings
from .spec import spec_of

HERE = Path(__file__).resolve().parent
SIZES = (1000, 5000, 20_000, 100_000)
LIMITS = (1.0, 2.0, 5.0, 10.0, 60.0)


@dataclass(frozen=True)
class Kept:
    """One size and limit: what both clocks say, in seconds, and how the solve ended."""

    units: int
    seed: int
    limit: float
    solve: float
    command: float
    status: str
    stop: str
    gap: float

    @property
    def over(self) -> float:
        """Seconds that the solve took beyond its limit; below 0 where it ended before."""
        return self.solve - self.limit

    @property
    def within(self) -> bool:
        """Whether the limit was kept."""
        share, seconds = TOLERANCE
        return self.solve <= share * self.limit + seconds


def measure(path: Path, units: int, seed: int, limit: float) -> Kept:
    """Run both clocks on the problem in ``path``.

    Raises
    ------
    subprocess.CalledProcessError
        A run fails.
    """
    apart = [sys.executable, "-m", "bench.limits", "--one", str(path), str(limit)]
    done = subprocess.run(apart, cwd=HERE.parent, capture_output=True, text=True, check=True)
    answer = json.loads(done.stdout)
    out = path.with_name("artifact.json")
    command = ["solve", str(path), "--time-limit", str(limit), "--quiet", "--out", str(out)]
    started = time.monotonic()
    subprocess.run([sys.executable, "-m", "satchel.cli", *command], cwd=path.parent, check=True)
    return Kept(units=units, seed=seed, limit=limit, command=time.monotonic() - started, **answer)


def one(path: str, limit: float) -> dict[str, object]:
    """Solve the problem in ``path`` here, and return the first clock's answer."""
    from satchel import SolveOptions, read_problem, solve

    problem = read_problem(path)
    solve(generate(spec_of(50, ()), 0), SolveOptions(time_limit=2))
    started = time.monotonic()
    report = solve(problem, SolveOptions(time_limit=limit)).solver
    seconds = time.monotonic() - started
    stop = report.stop_reason.value
    return {"solve": seconds, "status": report.status.value, "stop": stop, "gap": report.gap}


def table(rows: Sequence[Kept]) -> str:
    """Return ``rows`` as a Markdown table."""
    facts = surroundings()
    lines = [
        f"{facts['date']}, commit {facts['commit']}, {facts['cores']} cores, {facts['versions']}",
        "",
        "| units | limit | solve | beyond | kept | command | status | ended by | gap |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    lines += [
        f"| {row.units:,} | {row.limit:g} s | {row.solve:.2f} s | {max(0.0, row.over):.2f} s | "
        f"{'yes' if row.within else '**no**'} | {row.command:.2f} s | {row.status} | {row.stop} | "
        f"{row.gap:.1e} |"
        for row in rows
    ]
    return "\n".join(lines) + "\n"


def write_csv(rows: Sequence[Kept], path: Path) -> None:
    """Write ``rows`` to ``path``."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, [field.name for field in fields(Kept)], lineterminator="\n")
        writer.writeheader()
        writer.writerows(asdict(row) for row in rows)


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, and print the table."""
    command = argparse.ArgumentParser(prog="python -m bench.limits", description=__doc__.splitlines()[0])
    command.add_argument("--sizes", type=_numbers, default=SIZES, help="units, such as 1000,5000")
    command.add_argument("--limits", type=_seconds, default=LIMITS, help="seconds, such as 1,2.5")
    command.add_argument("--seed", type=int, default=1)
    command.add_argument("--csv", type=Path, help="write the rows to this file, too")
    command.add_argument("--one", nargs=2, metavar=("FILE", "S"), help=argparse.SUPPRESS)
    options = command.parse_args(arguments)
    if options.one:
        path, limit = options.one
        print(json.dumps(one(path, float(limit))))
        return
    rows: list[Kept] = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "problem.json"
        for units in options.sizes:
            path.write_text(generate(spec_of(units, ()), options.seed).to_json(), "utf-8")
            rows += [measure(path, units, options.seed, limit) for limit in options.limits]
    print(table(rows), end="")
    if options.csv:
        write_csv(rows, options.csv)


def _numbers(text: str) -> list[int]:
    return [int(part.replace("_", "")) for part in text.split(",")]


def _seconds(text: str) -> list[float]:
    return [float(part) for part in text.split(",")]


if __name__ == "__main__":
    main()
