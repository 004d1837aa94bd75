"""``satchel import``: an instance of the literature in, a problem file out."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..console import note, print_text
from ..options import Force, Quiet, check_written, out_to


def command(
    format: Annotated[  # noqa: A002
        str,
        typer.Argument(
            metavar="FORMAT",
            help="knapsack, mckp (multiple choice), pckp (precedence), kpcg (conflict graph), sukp (set "
            "union), bmcp (budgeted maximum coverage) or summary (concept coverage).",
        ),
    ],
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A file of that format.")],
    instance: Annotated[
        str | None,
        typer.Option("--instance", metavar="NAME", help="Which one, of a file that holds several."),
    ] = None,
    out: Annotated[
        Path | None,
        out_to("Write the problem to FILE, not to standard output."),
    ] = None,
    force: Force = False,
    quiet: Quiet = False,
) -> None:
    """Make a packing problem of an instance of the literature.

    The optimum is the one of the instance: weights become tokens, profits values, and what ties items becomes
    forms, dependencies, groups or coverage. docs/research.md says how each file is laid out.
    """
    from ... import import_problem, write_text

    check_written({"out": (out, "problem")}, [str(file)], force=force)
    imported = import_problem(format, file, instance)
    text = imported.problem.to_json()
    if out is None:
        print_text(text, json_escapes=True)
    else:
        write_text(out, text)
    if imported.optimum is not None and not quiet:
        note(f"{imported.name}: the file states an optimum of {imported.optimum:,.10g}")
