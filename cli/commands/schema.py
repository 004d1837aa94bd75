"""``satchel schema``: the JSON Schemas of the file formats."""

from __future__ import annotations

from typing import Annotated

import typer

from ..console import Line, columns, print_json, print_lines
from ..options import Json


def command(
    name: Annotated[
        str | None,
        typer.Argument(metavar="NAME", help="The schema to print; all are listed without one."),
    ] = None,
    json: Json = False,
) -> None:
    """List or print the JSON Schemas."""
    from ... import SCHEMAS
    from ... import schema as schema_of

    if name is not None:
        print_json(schema_of(name))
    elif json:
        print_json(list(SCHEMAS))
    else:
        rows = [[key, (model.__doc__ or "").strip().splitlines()[0]] for key, model in SCHEMAS.items()]
        print_lines(Line(text) for text in columns(rows, indent=0))
