"""``satchel compare``: every engine on every problem, each run in its own process, one at a time."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from ..files import read_problem
from ..models import UsageError
from ..solver.engines import ENGINES, Feature, find_engine
from . import extras
from .comparison import LABELS, Comparison, Table
from .instances import Instance, instance_of, names_of
from .one import Case
from .plots import write_plots
from .runner import Runner
from .statistics import pairs
from .store import Row, Store, write_whole
from .tables import csv_text, latex_text, write_parquet

GRACE: Final = 60.0
"""Seconds beside the limit for reading, building and checking a problem; 1 more per 200 units."""

COLUMNS: Final = {
    "quality": (
        *("instance", "digest", "units", "rungs", "ties", "tightness", "engine", "seed", "status"),
        *("keeps_rules", "objective", "bound", "scale", "best_objective", "best_bound", "gap", "loss"),
        *("shortfall", "tokens", "available", "accepted", "jaccard", "jaccard_forms", "repeatable", "note"),
    ),
    "times": (
        *("instance", "engine", "seed", "seconds", "setup"),
        *(f"found_{label}" for label in LABELS),
        *(f"proved_{label}" for label in LABELS),
        *("proof", "primal_integral", "peak_mb", "base_mb", "limit", "workers", "date", "cores", "versions"),
    ),
    "lacks": ("instance", "engine", "unit", "best_form", "form", "kind", "zone", "tokens"),
    "engines": (
        *("engine", "runs", "kept_rules", "proved", "best"),
        *("mean_loss", "median_loss", "worst_loss", "mean_jaccard"),
    ),
    "pairs": (
        *("engine", "reference", "instances", "worse", "equal", "better"),
        *("mean_difference", "low", "high", "p", "p_adjusted"),
    ),
}
"""Columns of each table, in order."""


@dataclass(frozen=True)
class CompareOptions:
    """How to compare.

    Parameters
    ----------
    engines
        Names of :data:`ENGINES`; all of them unless given. Engines whose library is missing are an error.
    time_limit
        Seconds for each run, from the problem in memory to the answer.
    seeds
        Each engine that uses chance runs once with each; heuristics run once.
    workers
        For engines that use several.
    again
        Run anew what is in the folder of results already.
    plain
        Leave out what needs ``satchel[research]``: Parquet, plots and paired statistics.

    Raises
    ------
    UsageError
        No such engine; a limit, seed or number of workers out of its range.
    """

    engines: tuple[str, ...] = tuple(ENGINES)
    time_limit: float = 10.0
    seeds: tuple[int, ...] = (0,)
    workers: int = 1
    again: bool = False
    plain: bool = False

    def __post_init__(self) -> None:
        for name in self.engines:
            find_engine(name)
        for field, fits, value, accepted in (
            ("engines", bool(self.engines), self.engines, "one engine or more"),
            ("engines", len(set(self.engines)) == len(self.engines), self.engines, "each engine once"),
            ("time_limit", 0 < self.time_limit < float("inf"), self.time_limit, "seconds above 0"),
            ("seeds", bool(self.seeds), self.seeds, "one seed or more"),
            ("seeds", len(set(self.seeds)) == len(self.seeds), self.seeds, "each seed once"),
            ("seeds", all(0 <= seed < 2**31 for seed in self.seeds), self.seeds, "0 to 2147483647"),
            ("workers", 1 <= self.workers <= 256, self.workers, "1 to 256"),
        ):
            if not fits:
                raise UsageError("is out of range", field=field, value=value, hint=f"accepted: {accepted}")


def compare(
    problems: Sequence[str | Path],
    out: str | Path,
    options: CompareOptions | None = None,
    *,
    tell: Callable[[str], object] | None = None,
) -> Comparison:
    """Run every engine on every problem, and write tables and plots into the folder ``out``.

    Finished runs are lines of ``runs.jsonl`` there and are not run again: a comparison that was stopped goes
    on where it was, and one that is repeated writes the same tables.

    Parameters
    ----------
    problems
        Problem files.
    tell
        Called with a line after each run.

    Raises
    ------
    UsageError
        A library is missing, or a problem is given twice.
    FileError, InputError
        A problem cannot be read.
    """
    options = options or CompareOptions()
    if not options.plain:
        extras.check()
    paths = [Path(path) for path in problems]
    if not paths:
        raise UsageError("names no problem", field="problem", hint="give one problem file or more")
    instances = [
        instance_of(read_problem(path), name, path) for path, name in zip(paths, names_of(paths), strict=True)
    ]
    store = Store(Path(out))
    cases = [(instance, case) for instance in instances for case in _cases(instance, options)]
    if options.again:
        store.forget([case for _, case in cases])
    rows: list[Row] = []
    with Runner(store.folder) as runner:
        for done, (instance, case) in enumerate(cases, start=1):
            if not store.has(case, instance.digest):
                patience = 1.5 * case.limit + GRACE + instance.units / 200
                store.add(runner.run(case, instance.digest, patience))
            rows += store.of(case, instance.digest)[:1]
            if tell is not None:
                tell(f"{done}/{len(cases)} {describe(rows[-1])}")
    comparison = Comparison(
        instances, rows, options.engines, options.seeds, options.time_limit, options.workers
    )
    write_report(comparison, store.folder, plain=options.plain)
    return comparison


def _cases(instance: Instance, options: CompareOptions) -> list[Case]:
    path = str(instance.path.absolute())
    return [
        Case(instance.name, path, engine, options.time_limit, options.workers, seed)
        for engine in options.engines
        for seed in (options.seeds if ENGINES[engine].supports(Feature.PROVES) else options.seeds[:1])
    ]


def describe(row: Row) -> str:
    """Return one line about a finished run."""
    case = row["case"]
    parts = [f"{case['name']} {case['engine']} {row['status']}"]
    if row.get("objective") is not None:
        parts.append(f"{row['objective']:,}" + (f" of {row['bound']:,}" if row["bound"] is not None else ""))
    if "seconds" in row:
        parts.append(f"{row['seconds']:.2f} s")
    if row.get("note"):
        parts.append(row["note"])
    return ", ".join(parts)


def reference_of(comparison: Comparison) -> str:
    """Return the engine that others are tested against: our own, or the first one."""
    own = next(iter(ENGINES))
    return own if own in comparison.engines else comparison.engines[0]


def tables_of(comparison: Comparison, *, plain: bool = False) -> dict[str, Table]:
    """Return the tables by name; ``plain`` leaves out the statistics.

    Raises
    ------
    UsageError
        scipy is not installed.
    """
    tables = {
        "engines": comparison.summary,
        "quality": comparison.quality,
        "lacks": comparison.lacks,
        "times": comparison.times,
    }
    if not plain:
        tables["pairs"] = pairs(comparison.losses(), reference_of(comparison))
    return tables


def write_report(comparison: Comparison, folder: Path, *, plain: bool = False) -> list[Path]:
    """Write the tables of ``comparison`` as CSV, LaTeX and Parquet, what it was run with, and the plots.

    Raises
    ------
    UsageError
        A library of ``satchel[research]`` is not installed, and ``plain`` does not do without.
    """
    written: list[Path] = []
    for name, table in tables_of(comparison, plain=plain).items():
        path = folder / f"{name}.csv"
        write_whole(path, csv_text(table, COLUMNS[name]))
        written.append(path)
        if not plain:
            path = folder / f"{name}.parquet"
            write_parquet(table, COLUMNS[name], path)
            written.append(path)
        if name in _LATEX:
            path = folder / f"{name}.tex"
            write_whole(path, latex_text(table, _LATEX[name], _caption(comparison, name)))
            written.append(path)
    path = folder / "comparison.json"
    write_whole(path, json.dumps(stated(comparison), indent=2, ensure_ascii=False) + "\n")
    written.append(path)
    return written if plain else [*written, *write_plots(comparison, folder)]


def stated(comparison: Comparison) -> dict[str, Any]:
    """Return what a comparison was run with: engines, seeds, limits, and its instances by digest."""
    return {
        "engines": list(comparison.engines),
        "seeds": list(comparison.seeds),
        "timeLimitSeconds": comparison.limit,
        "workers": comparison.workers,
        "instances": [
            {
                "name": instance.name,
                "digest": instance.digest,
                "units": instance.units,
                "forms": instance.forms,
                "available": instance.available,
                "tightness": instance.tightness,
            }
            for instance in comparison.instances
        ],
    }


_LATEX: Final = {
    "engines": {
        "engine": "engine",
        "runs": "runs",
        "kept_rules": "keeps rules",
        "proved": "proved",
        "best": "best",
        "mean_loss": "mean loss",
        "worst_loss": "worst loss",
        "mean_jaccard": "overlap",
    },
    "pairs": {
        "engine": "engine",
        "instances": "n",
        "worse": "worse",
        "equal": "equal",
        "better": "better",
        "mean_difference": "mean difference",
        "low": "low",
        "high": "high",
        "p_adjusted": "p",
    },
}
"""Columns of the tables that are short enough for paper, and their heads."""


def _caption(comparison: Comparison, name: str) -> str:
    what = f"{len(comparison.instances)} instances, {comparison.limit:g} s, seeds "
    what += ", ".join(map(str, comparison.seeds))
    if name == "engines":
        return f"Engines on {what}. Loss: share of the best bound that a pack lacks."
    return (
        f"Loss beyond that of {reference_of(comparison)} on {what}. 95 % bootstrap interval of the mean; "
        "p of the signed-rank test, adjusted by Holm."
    )
