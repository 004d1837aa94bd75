"""``satchel report``: a page about a pack, to look at in a browser."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..console import note, print_json
from ..options import Artifact, Force, Json, ProblemFile, Quiet, artifact_path, check_written, naming, out_to
from ..progress import Ticker

if TYPE_CHECKING:
    from ... import Frontier, PackFiles

PAGE = "report.html"
WORK = 5.0
"""Work that each point of the frontier may take: what it leaves open is drawn as not proven."""


def command(
    artifact: Artifact = None,
    out: Annotated[
        Path | None,
        out_to("Write the page to FILE; by default report.html beside the artifact."),
    ] = None,
    problem: ProblemFile = None,
    prompt: Annotated[
        Path | None,
        typer.Option(
            "--prompt", metavar="FILE", help="The rendered prompt; by default the one beside the artifact."
        ),
    ] = None,
    curve: Annotated[
        bool,
        typer.Option("--frontier", help="Show value against budget, too: solves at eight budgets."),
    ] = False,
    timeline: Annotated[
        Path | None,
        typer.Option(
            "--timeline",
            metavar="FILE",
            help="Show how the search went: what 'satchel pack --progress jsonl 2> FILE' wrote.",
        ),
    ] = None,
    ask_solver: Annotated[
        bool,
        typer.Option(
            "--solver/--no-solver",
            help="Ask the solver what tokens are worth and what candidates would cost.",
        ),
    ] = True,
    force: Force = False,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Make a page about a pack.

    One self-contained HTML file that asks nothing of any network: budget, files, what is in and what was left
    out and why, coverage, needs and overlaps, the price of tokens, the prompt with its marks, the search.
    """
    from ... import ReportOptions, UsageError, read_pack_files, read_timeline, report_page, write_text

    path = artifact_path(artifact)
    with naming(None if prompt is None else "--prompt" if problem is None else "--problem, --prompt"):
        files = read_pack_files(path, problem=problem, prompt=prompt)
    place = out or files.path.parent / PAGE
    inputs: list[str | Path | None] = [files.path, problem, prompt, timeline]
    check_written({"out": (place, "report")}, inputs, force=force)
    with naming("--timeline"):
        steps = () if timeline is None else read_timeline(timeline)
    if curve and files.problem is None:
        raise UsageError("needs the problem", field="--frontier", hint="give it with --problem")
    with Ticker(quiet=quiet) as ticker:
        found = _frontier(files, ticker) if curve else None
        ticker.stage("drawing")
        named = None if artifact is None else _named(files.path)
        page = report_page(
            files, ReportOptions(named=named, frontier=found, timeline=steps, ask_solver=ask_solver)
        )
    write_text(place, page)
    if json:
        print_json({"page": str(place), "bytes": len(page.encode("utf-8")), "lacking": list(files.lacking)})
    elif not quiet:
        for text in files.lacking:
            note(f"{text}: the page shows less")
        note(f"wrote {place}")


def _frontier(files: PackFiles, ticker: Ticker) -> Frontier | None:
    from ... import SolveOptions, frontier

    if files.problem is None:
        return None
    ticker.stage("tracing the frontier")
    options = SolveOptions(deterministic_limit=WORK)
    return frontier(files.problem, context=files.context, options=options, points=8)


def _named(path: Path) -> str:
    """Return how commands on the page name the artifact: with no path that holds on one machine only."""
    return path.name if path.is_absolute() else str(path)
