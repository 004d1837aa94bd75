"""``satchel compact``: a conversation made shorter, in the shape in which it came."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..console import count, note, number, print_json, print_text
from ..options import Approximate, Encoding, Json, Model, Tokenizer, out_to, written


def command(
    history: Annotated[
        str,
        typer.Argument(
            metavar="HISTORY",
            help="A conversation: a request of OpenAI, Anthropic or Gemini, a list of messages, or one a "
            "line; - for standard input.",
        ),
    ],
    max_tokens: Annotated[
        str,
        typer.Option("--max-tokens", metavar="TOKENS", help="What the messages may take, such as 8k."),
    ],
    keep_recent: Annotated[
        int, typer.Option("--keep-recent", metavar="N", help="Messages at the end that are kept verbatim.")
    ] = 4,
    summary: Annotated[
        Path | None,
        typer.Option(
            "--summary",
            metavar="FILE",
            help="Text that stands for the folded messages; --folded says which these are.",
        ),
    ] = None,
    folded: Annotated[
        Path | None,
        typer.Option(
            "--folded",
            metavar="FILE",
            parser=written("--folded"),
            help="Write the messages that are not kept to FILE, for you to have them summarised.",
        ),
    ] = None,
    exact: Annotated[
        bool,
        typer.Option(
            "--exact",
            help="Keep those of the older messages, too, that are worth most together; newer ones more.",
        ),
    ] = False,
    message_overhead: Annotated[
        int,
        typer.Option("--message-overhead", metavar="N", help="Tokens that a provider adds to each message."),
    ] = 4,
    model: Model = None,
    encoding: Encoding = None,
    tokenizer: Tokenizer = None,
    approximate: Approximate = False,
    out: Annotated[
        Path | None,
        out_to("Write the conversation to FILE, not to standard output."),
    ] = None,
    json: Json = False,
) -> None:
    """Shorten a conversation.

    The latest messages stay verbatim, with system messages; older ones give way to a summary, where there is
    one. A tool call and its result stay or go together. No model is called, and no text is cut.
    """
    from ... import (
        UsageError,
        compact,
        compaction_data,
        make_estimator,
        parse_tokens,
        read_history,
        read_prompt,
        write_texts,
    )
    from ...compacting import begins_with_an_answer
    from ...exits import clean_errors

    cap = parse_tokens(max_tokens, option="--max-tokens")
    with clean_errors():
        given = read_history(history)
    places = [path for path in (out, folded) if path is not None]
    inputs = [path for path in (history, summary) if path is not None]
    for path in places:
        if path.exists() and any(Path(other).exists() and path.samefile(other) for other in inputs):
            raise UsageError(
                "is the place of an input", field="--out", value=str(path), hint="choose another"
            )
    estimator = make_estimator(
        model=model, encoding=encoding, tokenizer_file=tokenizer, approximate=approximate
    )
    with clean_errors():
        short = compact(
            given,
            estimator,
            max_tokens=cap,
            keep_recent=keep_recent,
            summary=None if summary is None else read_prompt(summary),
            exact=exact,
            turn_overhead=message_overhead,
        )
    texts: dict[str | Path, str] = {}
    if folded is not None:
        texts[folded] = given.write(tuple(given.turns[drop.index] for drop in short.dropped))
    if out is not None:
        texts[out] = given.write(short.turns)
    write_texts(texts)
    if json:
        print_json(compaction_data(short, given))
    elif out is None:
        print_text(given.write(short.turns))
    gone = f"{number(len(short.dropped))} of {count(len(given.turns), 'message')} left out"
    folds = f", {number(short.summarised)} of them summarised" if short.summarised else ""
    note(f"{number(short.tokens)} tokens of {number(cap)}, {gone}{folds}")
    if summary is not None and short.dropped and not short.summarised:
        note("the summary does not fit beside the latest messages", kind="warning", style="yellow")
    if short.overflow:
        note("what may not be left out takes more than fits", kind="warning", style="yellow")
    if begins_with_an_answer(short, given):
        note("it now begins with an answer, which some providers refuse: give a summary, or keep more")
    if given.uncounted:
        note(f"{count(given.uncounted, 'part')} that hold no text were not counted")
