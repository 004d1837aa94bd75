"""``satchel explain``: why a candidate is in the pack or not."""

from __future__ import annotations

from typing import Annotated

import typer

from ..console import Line, print_json, print_lines, shown
from ..options import Artifact, Json, artifact_path

NAMED = "ID, path, title, or a glob of these. May be repeated."


def command(
    artifact: Artifact = None,
    why_rejected: Annotated[
        list[str] | None,
        typer.Option("--why-rejected", metavar="X", help=f"Explain why X was left out: {NAMED}"),
    ] = None,
    why_accepted: Annotated[
        list[str] | None,
        typer.Option("--why-accepted", metavar="X", help=f"Explain why X is in the pack: {NAMED}"),
    ] = None,
    json: Json = False,
) -> None:
    """Explain why a candidate is in or out.

    The reason with the numbers behind it, and what would change it.
    """
    from ... import UsageError, read_artifact
    from ... import explain as explain_candidate

    targets = [*(why_rejected or ()), *(why_accepted or ())]
    if not targets:
        raise UsageError("names no candidate", hint="give --why-rejected X or --why-accepted X")
    context = read_artifact(artifact_path(artifact))
    found = [explanation for target in targets for explanation in explain_candidate(context, target)]
    if json:
        print_json([explanation.to_data() for explanation in found])
        return
    for index, explanation in enumerate(found):
        head, *rest = explanation.lines()
        lines = [Line(shown(head), "bold"), *(Line(shown(text)) for text in rest)]
        print_lines([Line(), *lines] if index else lines)
