"""All benches in one command: ``python -m bench`` (``make bench``), ``python -m bench --full``.

What each prints goes to a file of its own in ``results/DATE-quick`` or ``results/DATE-full``, with its tables
beside it, and ``summary.md`` there says how each ended. A full run also refreshes the tables in
``bench/README.md``. Public instances and a repository are run where their folders are named; other benches of
repositories (``bench.sources``) have commands of their own.
"""

from __future__ import annotations

import argparse
import datetime
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from .one import surroundings

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "results"


@dataclass(frozen=True)
class Step:
    """A bench: its module, and its arguments given the folder of the results."""

    name: str
    module: str
    arguments: Callable[[Path], list[str]]


def steps(options: argparse.Namespace) -> list[Step]:
    """Return the benches of a run, the quickest first."""
    full: bool = options.full
    found = [
        Step("regress", "bench.regress", lambda _: []),
        Step(
            "solver",
            "bench.solver",
            lambda out: [
                *(["--full", "--publish"] if full else ["--sizes", "50,200", "--seeds", "0"]),
                *("--workers", "1", "--out", str(out / "solver")),
            ],
        ),
        Step(
            "limits",
            "bench.limits",
            lambda out: [
                *("--csv", str(out / "limits.csv")),
                *([] if full else ["--sizes", "1000", "--limits", "1,2"]),
            ],
        ),
    ]
    sizes = [] if full else ["--sizes", "40", "160"]
    found.append(Step("textrank", "bench.textrank", lambda _: sizes))
    if full:
        found.append(Step("study", "bench.study", lambda out: ["--out", str(out / "study.jsonl")]))
    if options.literature is not None:
        limit = "60" if full else "5"
        found.append(
            Step(
                "literature",
                "bench.literature",
                lambda out: [
                    *("--from", str(options.literature), "--limit", limit),
                    *("--csv", str(out / "literature.csv")),
                ],
            )
        )
    if options.repository is not None:
        repository = str(options.repository)
        pages = ["--pages", "300", "--jobs", "1", "2"] if full else ["--pages", "10", "--jobs", "2"]
        found += [
            Step(
                "batch",
                "bench.batch",
                lambda out: [repository, *pages, "--out", str(out / "batch.json")],
            ),
            Step("cache", "bench.cache", lambda _: ["pack", repository]),
        ]
    return found


def run(step: Step, out: Path) -> tuple[int, float]:
    """Run ``step``, what it prints into a file; return its exit code and the seconds that it took."""
    command = [sys.executable, "-m", step.module, *step.arguments(out)]
    started = time.monotonic()
    with (out / f"{step.name}.txt").open("w", encoding="utf-8") as file:
        done = subprocess.run(command, cwd=HERE.parent, stdout=file, stderr=subprocess.STDOUT, check=False)
    return done.returncode, time.monotonic() - started


def summary(ended: Sequence[tuple[Step, int, float]], mode: str) -> str:
    """Return how each bench ended, as Markdown."""
    facts = surroundings()
    libraries = ", ".join(f"{name} {version}" for name, version in sorted(facts["versions"].items()))
    lines = [
        f"# Benches, {mode}: {facts['date']}",
        "",
        f"Commit {facts['commit'] or 'unknown'}, {facts['cores']} cores, {libraries}.",
        "",
        "| bench | ended | seconds |",
        "|---|---|---|",
    ]
    lines += [
        f"| {step.name} | {'well' if code == 0 else f'**exit code {code}**'} | {seconds:.0f} |"
        for step, code, seconds in ended
    ]
    return "\n".join(lines) + "\n"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run all benches; exit code 1 where one of them failed."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__.splitlines()[0])
    parser.add_argument("--full", action="store_true", help="all sizes (an hour), and refresh the README")
    parser.add_argument("--literature", type=Path, help="folder of clones for bench.literature")
    parser.add_argument("--repository", type=Path, help="clone for bench.batch and bench.cache")
    options = parser.parse_args(arguments)
    mode = "full" if options.full else "quick"
    date = datetime.datetime.now(datetime.UTC).date().isoformat()
    out = RESULTS / f"{date}-{mode}"
    out.mkdir(parents=True, exist_ok=True)
    ended: list[tuple[Step, int, float]] = []
    for step in steps(options):
        print(f"{step.name} …", flush=True)
        ended.append((step, *run(step, out)))
        print(f"{step.name}: exit code {ended[-1][1]} after {ended[-1][2]:.0f} s", flush=True)
        (out / "summary.md").write_text(summary(ended, mode), "utf-8")
    print(f"results are in {out}")
    return 1 if any(code for _, code, _ in ended) else 0


if __name__ == "__main__":
    sys.exit(main())
