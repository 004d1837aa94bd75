"""``satchel render``: the prompt of an artifact, again or in another format."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..console import note, print_json, print_text
from ..options import (
    Artifact,
    Force,
    Json,
    ProblemFile,
    Tokenizer,
    artifact_path,
    check_written,
    naming,
    problem_path,
    written,
)


def command(
    artifact: Artifact = None,
    problem: ProblemFile = None,
    format: Annotated[  # noqa: A002 - the option's name
        str | None,
        typer.Option(
            "--format", metavar="markdown|xml|plain", help="Another format than the artifact's own."
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            metavar="FILE",
            parser=written("--out"),
            help="Write the prompt to FILE, not to standard output.",
        ),
    ] = None,
    force: Force = False,
    tokenizer: Tokenizer = None,
    json: Json = False,
) -> None:
    """Render the prompt of a pack.

    It stays within the artifact's limit in every format, or an error says by how much not.
    """
    from ... import read_artifact, read_problem, render_artifact, write_text

    path = artifact_path(artifact)
    answered = problem_path(path, problem)
    check_written({"out": (out, "prompt")}, [path, answered, tokenizer], force=force)
    context = read_artifact(path)
    with naming(None if problem is None else "--problem"):
        given = read_problem(answered)
    rendered = render_artifact(
        context,
        given,
        format,
        tokenizer_file=tokenizer,
    )
    if context.model_profile is None:
        note("the artifact names no tokenizer, so the size of this prompt was not counted")
    if out is not None:
        write_text(out, rendered.text)
    elif json:
        print_json({"format": rendered.format, "order": list(rendered.order), "text": rendered.text})
    else:
        print_text(rendered.text)
