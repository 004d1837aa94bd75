"""``satchel export``: a problem as a file for another solver."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..console import print_text
from ..options import Force, UnitBudget, check_written, out_to, tokens


def command(
    problem: Annotated[
        str,
        typer.Argument(metavar="PROBLEM", help="A packing-problem.v1 JSON file, or - for standard input."),
    ],
    format: Annotated[  # noqa: A002
        str,
        typer.Option(
            "--format",
            "-f",
            metavar="FORMAT",
            help="mps, lp, cp-sat (its protobuf as text) or dimacs (plain lines).",
        ),
    ] = "mps",
    budget: UnitBudget = None,
    out: Annotated[
        Path | None,
        out_to("Write to FILE, not to standard output."),
    ] = None,
    force: Force = False,
) -> None:
    """Write the integer program of a problem for another solver.

    The head of the file says what each column means, and the scale of the objective.
    """
    from ... import InputError, export_problem, read_problem, write_text

    check_written({"out": (out, "program")}, [problem], force=force)
    given = read_problem(problem, available=tokens(budget))
    try:
        text = export_problem(given, format)
    except InputError as error:
        error.file = error.file or (problem if error.field != "format" else None)
        raise
    if out is None:
        print_text(text)
    else:
        write_text(out, text)
