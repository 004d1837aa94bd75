"""``satchel verify``: recheck what an artifact claims, by code that shares nothing with the solver."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..console import Line, columns, count, print_json, print_lines, shown
from ..options import (
    Artifact,
    Json,
    ProblemFile,
    Quiet,
    Tokenizer,
    UnitBudget,
    artifact_path,
    naming,
    problem_path,
    tokens,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from ... import PackedContext, VerifyReport


def command(
    artifact: Artifact = None,
    problem: ProblemFile = None,
    prompt: Annotated[
        Path | None,
        typer.Option(
            "--prompt", metavar="FILE", help="The rendered prompt; by default the one beside the artifact."
        ),
    ] = None,
    budget: UnitBudget = None,
    tokenizer: Tokenizer = None,
    recount: Annotated[
        bool, typer.Option("--recount/--no-recount", help="Count the tokens of the prompt again.")
    ] = True,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Recheck everything an artifact claims.

    Constraints, objective and bound, the account of candidates, and the recount of the prompt, by code that
    shares nothing with the solver. Exit code 1 if a check fails.
    """
    from ... import VerificationError, read_artifact, read_problem, read_prompt
    from ... import verify as verify_artifact

    path = artifact_path(artifact)
    context = read_artifact(path)
    place = _prompt_path(path, prompt, context)
    available = tokens(budget)
    with naming(None if problem is None else "--problem"):
        given = read_problem(problem_path(path, problem), available=available)
    with naming(None if prompt is None else "--prompt"):
        text = None if place is None else read_prompt(place)
    report = verify_artifact(
        context,
        given,
        prompt_text=text,
        count=_counter(context, tokenizer) if place is not None and recount else None,
    )
    if json:
        print_json(
            {**report.to_data(), "prompt": None if place is None else str(place), "recounted": recount}
        )
    elif not quiet:
        print_lines(_lines(report))
        if place is None and context.prompt is not None:
            print_lines([Line("not checked: the rendered prompt, give it with --prompt", "yellow")])
    if not report.passed:
        failed = [check.name for check in report.failures]
        raise VerificationError(
            f"{count(len(failed), 'check')} of {len(report.checks)} failed: {', '.join(failed)}",
            file=str(path),
            data={"failed": failed},
        )


def _prompt_path(artifact: Path, prompt: Path | None, context: PackedContext) -> Path | None:
    from ... import PROMPTS

    if prompt is not None or context.prompt is None:
        return prompt
    beside = artifact.parent / PROMPTS.get(context.prompt.format, "prompt")
    return beside if beside.is_file() else None


def _counter(context: PackedContext, tokenizer: str | None) -> Callable[[str], int]:
    from ... import estimator_for_artifact

    estimator = estimator_for_artifact(context.model_profile, tokenizer)
    return lambda text: estimator.count_batch([text])[0]


def _lines(report: VerifyReport) -> list[Line]:
    rows = [["ok" if check.passed else "FAILED", check.name, shown(check.detail)] for check in report.checks]
    texts = columns(rows, indent=0)
    lines = [
        Line(text, "" if check.passed else "bold red")
        for text, check in zip(texts, report.checks, strict=True)
    ]
    verdict = "passed" if report.passed else f"FAILED ({len(report.failures)})"
    return [*lines, Line(f"{count(len(report.checks), 'check')}: {verdict}", "bold")]
