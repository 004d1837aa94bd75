"""``satchel explain``: why a candidate is in the pack or not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from ..console import Line, count, print_json, print_lines, shown
from ..options import Artifact, Json, artifact_path

if TYPE_CHECKING:
    from ... import Explanation

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

    targets = [("why_rejected", False, target) for target in why_rejected or ()]
    targets += [("why_accepted", True, target) for target in why_accepted or ()]
    if not targets:
        raise UsageError("no candidate is named", hint="give --why-rejected X or --why-accepted X")
    context = read_artifact(artifact_path(artifact))
    found: list[Explanation] = []
    others: list[str] = []
    for option, accepted, target in targets:
        if not target.strip():
            raise UsageError("names no candidate", field=option, value=target, hint="give an id or a path")
        try:
            named = explain_candidate(context, target)
        except UsageError as error:
            error.field = option
            raise
        asked = [part for part in named if (part.verdict == "accepted") == accepted]
        # One candidate alone is explained whichever way it was asked for.
        found += named if len(named) == 1 else asked
        if len(named) > 1 and len(asked) < len(named):
            others.append(_others(target, len(named) - len(asked), accepted=not accepted))
    if json:
        print_json([explanation.to_data() for explanation in found])
        return
    for index, explanation in enumerate(found):
        head, *rest = explanation.lines()
        lines = [Line(shown(head), "bold"), *(Line(shown(text)) for text in rest)]
        print_lines([Line(), *lines] if index else lines)
    if others:
        print_lines([*([Line()] if found else []), *(Line(shown(text)) for text in others)])


def _others(target: str, number: int, *, accepted: bool) -> str:
    fate = "accepted: ask with --why-accepted" if accepted else "left out: ask with --why-rejected"
    were = "that was" if number == 1 else "that were"
    return f"{target!r} names {count(number, 'more candidate')} {were} {fate}"
