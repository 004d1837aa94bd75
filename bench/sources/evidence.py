"""Does a pack hold what a page of documentation needs? Any clone is a test.

    python -m bench.sources.evidence CLONE [CLONE ...] [--budgets 2000,8000,32000] [--variants all,exact]
        [--pages 6] [--time-limit 2] [--out runs.jsonl]

A page is taken away; its title and headings are the task; what its code names is looked for in the prompt.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from satchel import PackOptions, SolveOptions, Task
from satchel.models import Problem
from satchel.packing import problem_of
from satchel.prompt import render
from satchel.solver.solve import solve
from satchel.sources.candidates import ScannedFile, read_candidates
from satchel.sources.extract import default_registry
from satchel.sources.scan import scan
from satchel.sources.tokens import make_estimator
from satchel.sources.walk import WalkOptions

from .found import Found, found_in
from .table import table
from .tasks import PageTask, tasks_of
from .variants import VARIANTS, Variant

ENCODING: Final = "cl100k_base"


def rows_of(
    clone: Path, budgets: Sequence[int], variants: Sequence[str], pages: int, limit: float
) -> Iterator[dict[str, Any]]:
    """Yield one row for each page, variant and budget of a clone."""
    reading = read_candidates(clone, WalkOptions(), default_registry())
    lines = {file.path: file.text.split("\n") for file in reading.files}
    for task in tasks_of(reading.files, pages):
        with tempfile.TemporaryDirectory() as folder:
            _copy_without(reading.files, task.page, Path(folder))
            for name in variants:
                for budget, problem in _problems(Path(folder), task, budgets, VARIANTS[name]):
                    found = found_in(_packed(problem, VARIANTS[name], limit), task.gold, lines)
                    yield _row(clone.name, task, name, budget, found)


def _copy_without(files: Sequence[ScannedFile], page: str, folder: Path) -> None:
    for file in files:
        if file.path != page:
            target = folder / file.path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(file.text, encoding="utf-8")


def _problems(
    root: Path, task: PageTask, budgets: Sequence[int], variant: Variant
) -> Iterator[tuple[int, Problem]]:
    asked = Task(kind=task.kind, about=task.title, outline=task.headings)
    with variant.scanning():
        found = scan(root, asked)
    estimator = make_estimator(encoding=ENCODING)
    for budget in budgets:
        problem = problem_of(found, asked, PackOptions(budget=budget, encoding=ENCODING), estimator)
        yield budget, variant.change(problem) if variant.change else problem


def _packed(problem: Problem, variant: Variant, limit: float) -> str:
    options = SolveOptions() if variant.solver == "greedy" else SolveOptions(time_limit=limit)
    if variant.solver == "greedy":
        options = SolveOptions(solver="greedy")
    context = solve(problem, options)
    return render(problem, [(unit.id, unit.rung) for unit in context.accepted_units], "markdown").text


def _row(clone: str, task: PageTask, variant: str, budget: int, found: Found) -> dict[str, Any]:
    return {
        "repository": clone,
        "page": task.page,
        "kind": task.kind,
        "names": len(task.gold),
        "variant": variant,
        "budget": budget,
        "signature": found.signature,
        "body": found.body,
    }


def main() -> None:
    """Run the bench on the clones that are named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("clones", nargs="+", type=Path)
    parser.add_argument("--budgets", default="2000,8000,32000")
    parser.add_argument("--variants", default="all", help=f"of {', '.join(VARIANTS)}")
    parser.add_argument("--pages", type=int, default=6, help="at most so many of each clone, a fixed sample")
    parser.add_argument("--time-limit", type=float, default=2.0, help="seconds of each exact solve")
    parser.add_argument("--out", type=Path, help="where rows are written, one JSON a line")
    options = parser.parse_args()
    budgets = [int(budget) for budget in options.budgets.split(",")]
    variants = options.variants.split(",")
    rows: list[dict[str, Any]] = []
    for clone in options.clones:
        for row in rows_of(clone, budgets, variants, options.pages, options.time_limit):
            rows.append(row)
            if options.out:
                with options.out.open("a", encoding="utf-8") as out:
                    out.write(json.dumps(row, sort_keys=True) + "\n")
    print(table(rows))


if __name__ == "__main__":
    main()
