"""``satchel doctor``: what may be wrong with a pack, and what would mend it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from ..console import Line, count, note, print_json, print_lines, shown
from ..options import Artifact, Json, ProblemFile, artifact_path, naming

if TYPE_CHECKING:
    from ... import Finding

STYLES = {"error": "bold red", "warning": "bold yellow", "info": "bold"}


def command(
    artifact: Artifact = None,
    problem: ProblemFile = None,
    ask_solver: Annotated[
        bool,
        typer.Option(
            "--solver/--no-solver",
            help="Ask the solver what tokens are worth and what candidates would cost: takes seconds for "
            "thousands of units.",
        ),
    ] = True,
    strict: Annotated[
        bool, typer.Option("--strict", help="Exit with 1 if there is a warning or worse.")
    ] = False,
    json: Json = False,
) -> None:
    """Find what may be wrong with a pack.

    Small files left out, generated text that dominates, stale documentation, text that speaks to the model, a
    count of tokens near its limit, coverage that is missing, near misses, zones that are held back; each with
    the command that would mend it, or show what mending it would do.
    """
    from ... import VerificationError, doctor, read_pack_files

    path = artifact_path(artifact)
    with naming(None if problem is None else "--problem"):
        files = read_pack_files(path, problem=problem)
    named = None if artifact is None else str(files.path)
    found = doctor(files, named=named, ask_solver=ask_solver)
    grave = [finding for finding in found if finding.severity != "info"]
    if json:
        print_json([finding.to_data() for finding in found])
    else:
        print_lines(_lines(found))
        for text in files.lacking:
            note(f"{text}; without it less can be looked at")
    if strict and grave:
        codes = sorted({finding.code for finding in grave})
        raise VerificationError(
            f"{count(len(grave), 'finding')} to mend: {', '.join(codes)}",
            file=str(path),
            data={"found": codes},
        )


def _lines(found: list[Finding]) -> list[Line]:
    if not found:
        return [Line("nothing to mend was found", "bold")]
    lines: list[Line] = []
    for finding in found:
        style = STYLES[finding.severity.value]
        lines += [Line()] if lines else []
        lines.append(Line(f"{finding.severity.value}: {shown(finding.title)}", style))
        lines += [Line(f"  {shown(finding.detail)}")] if finding.detail else []
        lines += [Line(f"  $ {shown(finding.command)}", "dim")] if finding.command else []
    return lines
