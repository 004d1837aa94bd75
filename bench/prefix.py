"""What a shared prefix saves, with the modules of a Python project as pages.

Run: ``python -m bench.prefix REPO 'src/**/*.py' [--budget 8000] [--loss 1% …] [--prefixes 1 2]``.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from satchel import PackOptions
from satchel.batch.pages import pages_of
from satchel.batch.preparing import Pages, Shelf
from satchel.batch.surveys import Surveys
from satchel.batch.taskfile import read_tasks
from satchel.prompt import PriceTable
from satchel.sharing import PrefixPlanner, SharingOptions, SharingReport, parse_share

PRICES = PriceTable.from_data(
    {
        "schemaVersion": "price-table.v1",
        "currency": "USD",
        "models": {
            "any": {
                "inputPerMillion": 3_000_000,
                "cachedInputPerMillion": 300_000,
                "cacheWritePerMillion": 3_750_000,
            }
        },
    }
)
"""Reads at a tenth of input and writes at five quarters: what several providers ask, not a promise of any."""

HEAD = (
    "loss",
    "prefixes",
    "pages that share",
    "prefix tokens",
    "trimmed",
    "shared",
    "bound",
    "kept",
    "seconds",
)


def prepared(repo: Path, paths: list[str], budget: int) -> tuple[Pages, float]:
    """Return the pages of all modules of ``repo`` below ``paths``, and the seconds that reading took."""
    with TemporaryDirectory() as folder:
        tasks = Path(folder) / "tasks.jsonl"
        entry = {
            "repo": str(repo.resolve()),
            "each": "module",
            "paths": paths,
            "kind": "api-reference",
            "about": "the module {name}",
            "budget": budget,
            "encoding": "o200k_base",
        }
        tasks.write_text(json.dumps(entry) + "\n")
        file, lines = read_tasks(tasks)
        started = time.monotonic()
        surveys = Surveys(Path(folder), PackOptions().scan, Path(folder) / "out")
        survey = surveys.get(surveys.whole(entry["repo"]))
        seconds = time.monotonic() - started
        pages = pages_of(file, {entry["repo"]: survey}, PackOptions(), name="tasks", lines=lines)
    shelf = Shelf(survey)
    return Pages(pages, shelf.prepared), seconds


def row(report: SharingReport, prefixes: int, seconds: float) -> tuple[str, ...]:
    """Return the figures of one plan; costs are shares of that of pages on their own."""
    sharing = [group for group in report.groups if group.units]
    return (
        report.max_value_loss,
        str(prefixes),
        f"{sum(len(group.pages) for group in sharing)} of {len(report.pages)}",
        " + ".join(f"{group.prefix_tokens:,}" for group in sharing) or "none",
        f"{report.cost_trimmed / report.cost_alone:.1%}",
        f"{report.cost / report.cost_alone:.1%}",
        f"{report.cost_bound / report.cost_alone:.1%}",
        f"{report.kept:.2%}",
        f"{seconds:.0f}",
    )


def main(argv: list[str]) -> None:
    """Print a table in Markdown."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("repo", type=Path)
    parser.add_argument("paths", nargs="+")
    parser.add_argument("--budget", type=int, default=8000)
    parser.add_argument("--minimum", type=int, default=1024)
    parser.add_argument("--loss", nargs="+", default=["1%", "2%", "5%"])
    parser.add_argument("--prefixes", nargs="+", type=int, default=[1])
    given = parser.parse_args(argv)
    pages, seconds = prepared(given.repo, given.paths, given.budget)
    print(f"{len(pages)} pages, read in {seconds:.1f} s\n")
    print(f"| {' | '.join(HEAD)} |")
    print(f"|{' --- |' * len(HEAD)}", flush=True)
    for loss in given.loss:
        for prefixes in given.prefixes:
            started = time.process_time()
            options = SharingOptions(PRICES, loss=parse_share(loss), prefixes=prefixes, minimum=given.minimum)
            planner = PrefixPlanner(options)
            planner(pages)
            report = planner.report(())
            if report is not None:
                cells = row(report, prefixes, time.process_time() - started)
                print(f"| {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
