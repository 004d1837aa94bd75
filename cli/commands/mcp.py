"""``satchel mcp``: tools for programs that speak the Model Context Protocol."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def command(
    root: Annotated[
        Path,
        typer.Argument(
            metavar="REPO",
            help="The repository that the tools are about; nothing outside it is read.",
        ),
    ] = Path(),
) -> None:
    """Serve pack, explain, what_if and frontier to a client over standard input and output.

    Messages follow the Model Context Protocol, so there is nothing here for a person to read. Needs
    satchel[mcp].
    """
    from ...mcp import serve

    serve(root)
