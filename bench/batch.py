"""How a batch spends its time: one reading against many pages, one worker against two, memory of each.

    python -m bench.batch REPO --pages 300 --jobs 2 --out FILE

packs a page for each module of ``REPO``, and then for each of its packages, until there are so many. It runs
the command line as its users do, and prints a table and writes JSON: seconds of the clock for reading alone,
for all pages, and by stage, processor seconds, and the most memory that a process took. Against the standard
stands ``3 * reading + solves / jobs``: what a run may take that shares everything but the solves.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from satchel import ScanOptions
from satchel.batch.pages import pages_of
from satchel.batch.taskfile import TaskEntry, TaskFile
from satchel.packing import PackOptions
from satchel.sources.scan import survey


def tasks_of(repo: Path, pages: int, budget: str) -> list[dict[str, Any]]:
    """Return a task for each module, then each package, of ``repo``: at most ``pages``."""
    found = survey(repo, ScanOptions())
    entries = tuple(TaskEntry(each=each, kind="api-reference") for each in ("module", "package"))
    every = pages_of(TaskFile(tasks=entries), {".": found}, PackOptions(), name="bench")
    return [
        {
            "id": page.id,
            "kind": page.task.kind,
            "about": page.task.about,
            "focus": list(page.task.focus),
            "budget": budget,
        }
        for page in every[:pages]
    ]


def timed(arguments: list[str]) -> dict[str, float]:
    """Run ``satchel`` and return its seconds, those of processors, and the most memory of a process."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    started = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-m", "satchel.cli", *arguments], stdout=subprocess.DEVNULL, check=False
    )
    if done.returncode:
        raise SystemExit(f"satchel {' '.join(arguments)} ended with {done.returncode}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return {
        "wall": time.monotonic() - started,
        "cpu": after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime,
        "mostMegabytes": after.ru_maxrss / 1024,
    }


def measured(repo: Path, tasks: list[dict[str, Any]], jobs: int, write: str, work: float) -> dict[str, Any]:
    """Run the tasks as a batch and return what it took."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        lines = [json.dumps({"repo": str(repo.resolve()), "defaults": {}}), *map(json.dumps, tasks)]
        (place / "tasks.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
        out = place / "out"
        arguments = ["batch", str(place / "tasks.jsonl"), "--out", str(out), "--jobs", str(jobs)]
        limits = ["--deterministic-limit", str(work)]
        whole = timed([*arguments, *limits, "--write", write, "--no-cache", "-q"])
        entries = [json.loads(line) for line in (out / "seconds.jsonl").read_text("utf-8").splitlines()]
        records = [json.loads(line) for line in (out / "manifest.jsonl").read_text("utf-8").splitlines()]
        size = sum(path.stat().st_size for path in out.rglob("*") if path.is_file())
    statuses: dict[str, int] = {}
    for record in records:
        statuses[record["status"]] = statuses.get(record["status"], 0) + 1
    stages = {name: sum(entry[name] for entry in entries) for name in ("prepare", "solve", "write")}
    return {
        "jobs": jobs,
        "pages": len(records),
        "statuses": statuses,
        "candidates": records[0].get("candidates"),
        **whole,
        **stages,
        "megabytesWritten": size / 2**20,
    }


def main() -> None:
    """Measure, print, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("repo", type=Path)
    parser.add_argument("--pages", type=int, default=300)
    parser.add_argument("--jobs", type=int, nargs="+", default=[2])
    parser.add_argument("--budget", default="8k")
    parser.add_argument("--write", default="artifact,prompt")
    parser.add_argument("--work", type=float, default=5.0, help="units of work for each solve")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    tasks = tasks_of(options.repo, options.pages, options.budget)
    reading = timed(["scan", str(options.repo), "--no-cache", "--json"])
    runs = [measured(options.repo, tasks, jobs, options.write, options.work) for jobs in options.jobs]
    for run in runs:
        run["standard"] = 3 * reading["wall"] + run["solve"] / run["jobs"]
    data = {"reading": reading, "runs": runs, "load": os.getloadavg()[1], "processors": os.cpu_count()}
    print(f"reading alone: {reading['wall']:.1f} s, {reading['cpu']:.1f} s of processors")
    for run in runs:
        print(
            f"{run['pages']} pages, {run['jobs']} jobs: {run['wall']:.1f} s "
            f"(standard {run['standard']:.1f} s), "
            f"processors {run['cpu']:.1f} s, prepare {run['prepare']:.1f}, solve {run['solve']:.1f}, "
            f"write {run['write']:.1f}, {run['mostMegabytes']:.0f} MB in a process, {run['statuses']}"
        )
    if options.out:
        options.out.write_text(json.dumps(data, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
