"""``satchel render``: the prompt of an artifact, again or in another format."""

from __future__ import annotations

from json import dumps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

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
    out_to,
    problem_path,
)

if TYPE_CHECKING:
    from ... import PackedContext, Problem


def command(
    artifact: Artifact = None,
    problem: ProblemFile = None,
    format: Annotated[  # noqa: A002 - the option's name
        str | None,
        typer.Option(
            "--format",
            metavar="NAME",
            help="Another format than the artifact's own: markdown, xml, plain or json.",
        ),
    ] = None,
    shape: Annotated[
        str | None,
        typer.Option(
            "--request",
            metavar="SHAPE",
            help="Print the prompt as the part of a provider's request that holds it, as JSON, with the "
            "cache markers that its rules allow: anthropic, openai, responses, bedrock or gemini.",
        ),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(
            "--model",
            metavar="NAME",
            help="With --request: place markers for this model, not the one that was counted for.",
        ),
    ] = None,
    used_breakpoints: Annotated[
        int,
        typer.Option(
            "--used-breakpoints",
            metavar="N",
            help="With --request: cache markers that your request holds already.",
        ),
    ] = 0,
    out: Annotated[
        Path | None,
        out_to("Write the prompt to FILE, not to standard output."),
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
    if shape is not None:
        with naming(None, {"shape": "--request", "used": "--used-breakpoints", "model": "--model"}):
            _request(context, given, shape, model, used_breakpoints, out)
        return
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


def _request(
    context: PackedContext, problem: Problem, shape: str, model: str | None, used: int, out: Path | None
) -> None:
    from ... import request_of, write_text

    request = request_of(context, problem, shape, model=model, used=used)
    for warning in request.warnings:
        note(warning, kind="warning", style="yellow")
    if out is None:
        print_json(request.data)
    else:
        write_text(out, dumps(request.data, ensure_ascii=False, indent=2) + "\n")
