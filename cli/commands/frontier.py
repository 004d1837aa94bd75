"""``satchel frontier``: the best value at each budget, as a table, a file or a picture."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..charts import curve
from ..console import Line, columns, note, number, print_json, print_lines, print_text, width, worth
from ..options import Json, ProblemFile, Quiet, TimeLimit, WorkLimit, written
from ..progress import Ticker

if TYPE_CHECKING:
    from ... import Frontier


def command(
    source: Annotated[
        str | None,
        typer.Argument(
            metavar="PROBLEM|ARTIFACT",
            help="A packing-problem.v1 file, or a packed-context.v1 file with its problem beside it; by "
            "default the pack in .satchel here.",
            show_default=False,
        ),
    ] = None,
    problem: ProblemFile = None,
    least: Annotated[
        str | None,
        typer.Option(
            "--from",
            metavar="TOKENS",
            help="Smallest budget of units; by default a quarter of the problem's.",
        ),
    ] = None,
    most: Annotated[
        str | None,
        typer.Option(
            "--to", metavar="TOKENS", help="Largest budget of units; by default four times the problem's."
        ),
    ] = None,
    points: Annotated[
        int,
        typer.Option("--points", metavar="N", help="How many budgets are solved, set where the curve bends."),
    ] = 12,
    at: Annotated[
        list[str] | None,
        typer.Option("--at", metavar="TOKENS", help="A budget that is solved in any case. May be repeated."),
    ] = None,
    csv: Annotated[bool, typer.Option("--csv", help="Print CSV to standard output.")] = False,
    plot: Annotated[
        Path | None,
        typer.Option(
            "--plot",
            metavar="FILE",
            parser=written("--plot"),
            help="Draw the curve to a .png or .svg file (needs the extra 'plot').",
        ),
    ] = None,
    time_limit: TimeLimit = None,
    deterministic_limit: WorkLimit = 4.0,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Trace value against budget.

    The best value at several budgets, what 1,000 tokens more are worth at each, and the budget beyond which
    more brings little. Limits are for each budget.
    """
    from ... import SolveOptions, UsageError, frontier, read_pack, write_picture

    if json and csv:
        raise UsageError("cannot both be printed", field="--csv", hint="give --json or --csv")
    ends = [parsed_tokens(option, end) for option, end in (("--from", least), ("--to", most))]
    budgets = [parsed_tokens("--at", amount) for amount in at or ()]
    given, context = read_pack(source, problem)
    options = SolveOptions(time_limit=time_limit, deterministic_limit=deterministic_limit)
    with Ticker(quiet=quiet, mode="auto") as ticker:
        ticker.stage("tracing")
        found = frontier(
            given,
            context=context,
            options=options,
            least=ends[0],
            most=ends[1],
            points=points,
            at=[budget for budget in budgets if budget is not None],
        )
    if plot is not None:
        write_picture(found, plot)
    if json:
        print_json(found.to_data())
    elif csv:
        print_text(found.to_csv())
    elif not quiet:
        print_lines(_lines(found))
    if any(not point.proven for point in found.points):
        note("not every point is proven; give each budget more with --deterministic-limit", kind="warning")


def parsed_tokens(option: str, amount: str | None) -> int | None:
    """Return the tokens that ``option`` says, or None where it is not given."""
    from ... import parse_tokens

    return None if amount is None else parse_tokens(amount, option=option)


def _lines(found: Frontier) -> list[Line]:
    rows = [["budget", "value", "per 1,000 more", "used", "units", ""]]
    for point in found.points:
        marks = [
            *(["this problem"] if point.budget == found.current else []),
            *(["knee"] if point.budget == found.knee else []),
            *([] if point.proven else [f"at most {worth(point.bound / found.scale)}"]),
            *([f"zone minima lack {number(point.shortfall)} tokens"] if point.shortfall else []),
        ]
        price = "" if point.price is None else f"{point.price:,.4g}"
        cells = [number(point.budget), worth(found.value(point)), price, number(point.tokens)]
        rows.append([*cells, number(point.units), ", ".join(marks)])
    head, *body = columns(rows, right={0, 1, 2, 3, 4}, limit=width())
    lines = [Line(head, "bold"), *(Line(text) for text in body), Line()]
    values = [(point.budget, found.value(point)) for point in found.points]
    lines += [Line(text) for text in curve(values, width=width(), marked=found.knee)]
    if found.knee is None:
        return [*lines, Line("no knee: the curve hardly bends between these budgets")]
    return [*lines, Line(f"knee at {number(found.knee)} tokens: beyond it more brings less than on average")]
