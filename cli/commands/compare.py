"""``satchel compare``: engines side by side on the same problems."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..console import Line, columns, print_json, print_lines, share
from ..options import Json, Quiet, naming, out_to
from ..progress import Ticker

if TYPE_CHECKING:
    from ... import Comparison


def command(
    problems: Annotated[
        list[Path],
        typer.Argument(metavar="PROBLEM...", help="packing-problem.v1 JSON files."),
    ],
    out: Annotated[
        Path,
        out_to("Folder of the results; finished runs in it are not run again.", "DIR"),
    ],
    engines: Annotated[
        str,
        typer.Option(
            "--engines", metavar="NAMES", help="'all', or names with commas; satchel engines lists them."
        ),
    ] = "all",
    time_limit: Annotated[
        float,
        typer.Option("--time-limit", metavar="S", help="Seconds for each run."),
    ] = 10.0,
    seeds: Annotated[
        str,
        typer.Option("--seeds", metavar="N,…", help="Seeds of the engines that prove, with commas."),
    ] = "0",
    workers: Annotated[
        int, typer.Option("--workers", metavar="N", help="Threads of the engines that use several.")
    ] = 1,
    again: Annotated[bool, typer.Option("--again", help="Run anew what is in the folder already.")] = False,
    plain: Annotated[
        bool,
        typer.Option("--plain", help="Without Parquet, plots and statistics, which need satchel[research]."),
    ] = False,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Compare engines on problems.

    Every engine runs on every problem with the same limit, each in a process of its own, one at a time. The
    folder gets tables (CSV, LaTeX, Parquet) and plots: quality, times, paired statistics, and what the best
    pack has that each other lacks. docs/research.md says what the columns mean.
    """
    from ... import CompareOptions, compare
    from ... import engines as known

    wanted = [spec.name for spec in known()] if engines == "all" else engines.split(",")
    names = tuple(name.strip() for name in wanted)
    fields = {"engines": "--engines", "engine": "--engines", "time_limit": "--time-limit"}
    with naming(None, {**fields, "seeds": "--seeds", "workers": "--workers", "problem": "PROBLEM"}):
        options = CompareOptions(
            engines=names,
            time_limit=time_limit,
            seeds=_seeds(seeds),
            workers=workers,
            again=again,
            plain=plain,
        )
        with Ticker(quiet=quiet) as ticker:
            comparison = compare(problems, out, options, tell=ticker.step)
    if json:
        print_json(comparison.summary)
    elif not quiet:
        print_lines(_lines(comparison, out, plain=plain))


def _seeds(text: str) -> tuple[int, ...]:
    from ... import UsageError

    try:
        return tuple(int(part) for part in text.split(","))
    except ValueError:
        hint = "accepted: whole numbers with commas, such as 0,1,2"
        raise UsageError("is no list of seeds", field="seeds", value=text, hint=hint) from None


def _lines(comparison: Comparison, out: Path, *, plain: bool) -> list[Line]:
    rows = [["engine", "runs", "keeps rules", "proved", "best", "mean loss", "worst loss", "overlap"]]
    rows += [
        [
            row["engine"],
            *(str(row[name]) for name in ("runs", "kept_rules", "proved", "best")),
            *(_share(row[name]) for name in ("mean_loss", "worst_loss", "mean_jaccard")),
        ]
        for row in comparison.summary
    ]
    head, *body = columns(rows, indent=0, right=range(1, 8))
    ends = "tables" if plain else "tables and plots"
    return [
        Line(head, "bold"),
        *(Line(text) for text in body),
        Line(),
        Line(f"loss: share of the best bound that a pack lacks; {ends} are in {out}", "dim"),
    ]


def _share(part: float | None) -> str:
    return "–" if part is None else share(part)
