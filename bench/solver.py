"""All engines in one run at the same limits on the same instances: ``python -m bench.solver``.

Every run is a process of its own, one at a time. A finished run is a line of ``runs.jsonl`` in the output
folder; what is there already is not run again, so a run that was killed goes on where it was.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from pathlib import Path

from satchel.research.store import Row, Store, write_whole
from satchel.research.store import run_apart as run_process
from satchel.solver.engines import ENGINES

from .one import Case, instance_digest
from .report import csv_text, markdown_text, refresh
from .spec import spec_of

HERE = Path(__file__).resolve().parent
SIZES = (50, 200, 1000, 5000, 20_000, 100_000)
LIMITS = {50: 10.0, 200: 10.0, 1000: 15.0, 5000: 20.0, 20_000: 60.0, 100_000: 60.0}
FULL_SEEDS = {50: 3, 200: 3, 1000: 3, 5000: 3, 20_000: 1, 100_000: 1}
QUICK_SEEDS = {50: 3, 200: 3, 1000: 3}
QUICK_LIMIT = 10.0

GRACE = 60.0
"""Seconds beside the limit for drawing, building and checking an instance; 1 more per 200 units."""


def plan(options: argparse.Namespace) -> list[Case]:
    """Return the runs that ``options`` ask for: sizes, then seeds, then engines."""
    seeds = FULL_SEEDS if options.full else QUICK_SEEDS
    return [
        Case(units, seed, engine, options.limit or limit, options.workers, tuple(options.dials))
        for units in options.sizes or sorted(seeds)
        for limit in [_limit(units) if options.full else QUICK_LIMIT]
        for seed in options.seeds or range(seeds.get(units, 3))
        for engine in options.engines or ENGINES
    ]


def _limit(units: int) -> float:
    return LIMITS[min((size for size in SIZES if size >= units), default=SIZES[-1])]


def write_reports(folder: Path, rows: Sequence[Row]) -> tuple[Path, Path]:
    """Write the CSV and the Markdown report of ``rows``, each whole or not at all."""
    table, report = folder / "solver.csv", folder / "solver.md"
    for path, text in ((table, csv_text(rows)), (report, markdown_text(rows, list(ENGINES)))):
        write_whole(path, text)
    return table, report


def run_all(cases: Iterable[Case], store: Store, tell: Callable[[str], object]) -> list[Row]:
    """Run what is missing of ``cases``, one process at a time; return the rows of all of them."""
    wanted: list[Row] = []
    digests: dict[tuple[int, int, tuple[str, ...]], str] = {}
    for case in cases:
        where = (case.units, case.seed, case.dials)
        if where not in digests:
            digests[where] = instance_digest(case)
        if not store.has(case, digests[where]):
            row = run_apart(case, digests[where], store.folder)
            store.add(row)
            tell(describe(row))
        wanted += store.of(case, digests[where])
    return wanted


def run_apart(case: Case, digest: str, folder: Path) -> Row:
    """Run ``case`` in a process of its own; what it does not survive is a row as well."""
    out = folder / "case.json"
    command = [sys.executable, "-m", "bench.one", json.dumps(asdict(case)), str(out)]
    failed = {"key": case.key, "case": asdict(case), "instance": digest}
    return run_process(command, out, failed, 1.5 * case.limit + GRACE + case.units / 200, HERE.parent)


def describe(row: Row) -> str:
    """Return one line about a finished run."""
    case = row["case"]
    parts = [f"{case['units']:>7,} units, seed {case['seed']}, {case['engine']:<14} {row['status']:<10}"]
    if row.get("objective") is not None:
        parts.append(f"{row['objective']:,} of {row['bound']:,}" if row["bound"] else f"{row['objective']:,}")
    if "seconds" in row:
        parts.append(f"in {row['seconds']:.2f} s, {row['peakMb']:,.0f} MB")
    if row.get("complaints"):
        parts.append(f"breaks {len(row['complaints'])} kinds of rules")
    if row.get("note"):
        parts.append(row["note"])
    return "; ".join(parts)


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    command = argparse.ArgumentParser(prog="python -m bench.solver", description=__doc__.splitlines()[0])
    command.add_argument("--full", action="store_true", help="all sizes up to 100,000 units (twenty minutes)")
    command.add_argument("--sizes", type=_numbers, help="units, such as 50,1000")
    command.add_argument("--seeds", type=_numbers, help="seeds, such as 0,1,2")
    command.add_argument("--engines", type=lambda text: text.split(","), help=", ".join(ENGINES))
    command.add_argument("--limit", type=float, help="seconds for every run, instead of the size's own")
    command.add_argument("--workers", type=int, default=2, help="for engines that use them")
    command.add_argument("--set", action="append", default=[], metavar="DIAL=VALUE", dest="dials")
    command.add_argument("--again", action="store_true", help="run what has been run before, too")
    command.add_argument("--out", type=Path, help="folder of the runs; goes on where it was")
    command.add_argument("--publish", action="store_true", help="put the table into bench/README.md")
    return command


def _numbers(text: str) -> list[int]:
    return [int(part.replace("_", "")) for part in text.split(",")]


def main(arguments: Sequence[str] | None = None) -> None:
    """Run, report, and publish if asked."""
    command = parser()
    options = command.parse_args(arguments)
    unknown = [name for name in options.engines or () if name not in ENGINES]
    if unknown:
        command.error(f"no engine {unknown[0]!r}; there are {', '.join(ENGINES)}")
    try:
        for units in options.sizes or SIZES:
            spec_of(units, options.dials)
    except ValueError as error:
        command.error(str(error))
    store = Store(options.out or HERE / "runs" / ("full" if options.full else "quick"))
    cases = plan(options)
    if options.again:
        store.forget(cases)
    rows = run_all(cases, store, print)
    table, report = write_reports(store.folder, rows)
    print(f"{len(rows)} runs: {table}, {report}")
    if options.publish:
        results = HERE / "results"
        results.mkdir(exist_ok=True)
        (results / "solver.csv").write_text(table.read_text("utf-8"), "utf-8")
        refresh(HERE / "README.md", report.read_text("utf-8"))


if __name__ == "__main__":
    main()
