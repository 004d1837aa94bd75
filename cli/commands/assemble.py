"""``satchel assemble``: a prompt from segments that need not come from a repository."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..console import count, note, number, print_json, print_text
from ..options import Approximate, Encoding, Json, Model, Tokenizer, naming, out_to


def command(
    segments: Annotated[
        str,
        typer.Argument(
            metavar="SEGMENTS",
            help="A prompt-segments.v1 JSON file, or a .jsonl file of segments; - for standard input.",
        ),
    ],
    max_tokens: Annotated[
        str,
        typer.Option("--max-tokens", metavar="TOKENS", help="Window of the model, such as 128k."),
    ],
    reserve: Annotated[
        str, typer.Option("--reserve", metavar="TOKENS", help="Of these, what is kept for the answer.")
    ] = "0",
    min_cacheable: Annotated[
        int | None,
        typer.Option(
            "--min-cacheable",
            metavar="TOKENS",
            help="The shortest prefix that is cached; by default what is known of --model, or 0.",
        ),
    ] = None,
    order: Annotated[
        str,
        typer.Option(
            "--order", metavar="stable-first|as-given", help="How the segments are placed in the prompt."
        ),
    ] = "stable-first",
    min_relevance: Annotated[
        float, typer.Option("--min-relevance", metavar="R", help="Leave out what is less relevant (0 to 1).")
    ] = 0.0,
    max_segments: Annotated[
        int | None, typer.Option("--max-segments", metavar="N", help="Take at most N segments.")
    ] = None,
    greedy: Annotated[
        bool,
        typer.Option("--greedy", help="Admit by rank what fits, instead of what is worth most together."),
    ] = False,
    model: Model = None,
    encoding: Encoding = None,
    tokenizer: Tokenizer = None,
    approximate: Approximate = False,
    out: Annotated[
        Path | None,
        out_to("Write the prompt to FILE, not to standard output."),
    ] = None,
    json: Json = False,
) -> None:
    """Assemble a prompt from segments.

    Choose what fits, place what is stable first, and say where a prompt cache can end, what was left out and
    why, and which text is untrusted.
    """
    from ... import (
        assemble_segments,
        assembly_data,
        breakers_of,
        make_estimator,
        parse_tokens,
        read_segments,
        write_text,
    )
    from ...exits import clean_errors, redacted

    with clean_errors():
        given = read_segments(segments)
    estimator = make_estimator(
        model=model, encoding=encoding, tokenizer_file=tokenizer, approximate=approximate
    )
    fields = {"max_tokens": "--max-tokens", "reserve_for_output": "--reserve", "order": "--order"}
    fields |= {"min_relevance": "--min-relevance", "max_segments": "--max-segments"}
    fields |= {"min_cacheable_tokens": "--min-cacheable"}
    with clean_errors(), naming(None, fields):
        assembly = assemble_segments(
            given,
            estimator,
            max_tokens=parse_tokens(max_tokens, option="--max-tokens"),
            reserve_for_output=0 if reserve == "0" else parse_tokens(reserve, option="--reserve"),
            min_cacheable_tokens=_minimum(model) if min_cacheable is None else min_cacheable,
            order=order,
            min_relevance=min_relevance,
            max_segments=max_segments,
            greedy=greedy,
        )
    if out is not None:
        write_text(out, assembly.text)
    if json:
        print_json(assembly_data(assembly))
    elif out is None:
        print_text(
            assembly.text if assembly.text.endswith("\n") or not assembly.text else assembly.text + "\n"
        )
    kept = f"{number(len(assembly.segments))} of {count(len(given), 'segment')}"
    note(f"{number(assembly.tokens)} tokens of {number(assembly.limit)}, {kept}")
    for drop in assembly.dropped:
        note(redacted(f"left out {drop.id}: {drop.detail} [{drop.reason}]"))
    boundary = assembly.breakpoint
    worth = "cacheable" if boundary.cacheable else "not cacheable"
    held = f"{count(boundary.index, 'segment')}, {number(boundary.tokens)} tokens"
    note(f"stable prefix: {held}, {worth} ({boundary.reason.replace('_', ' ')})")
    if boundary.stranded_ids:
        stranded = redacted(", ".join(boundary.stranded_ids))
        note(f"stranded behind it: {stranded}", kind="warning", style="yellow")
    if assembly.untrusted_ids:
        note(redacted(f"untrusted: {', '.join(assembly.untrusted_ids)}"))
    for breaker in breakers_of(assembly):
        note(redacted(str(breaker)), kind="warning", style="yellow")


def _minimum(model: str | None) -> int:
    from ... import min_cacheable

    if model is None:
        return 0
    known = min_cacheable(model)
    if known is None:
        note(f"nothing is known of the prompt cache of {model}; state --min-cacheable")
    return known or 0
