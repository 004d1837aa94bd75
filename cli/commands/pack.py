"""``satchel pack``: the main job, from a repository to a prompt."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..console import note, print_lines, print_text, width
from ..groups import Counting, FocusedTask, Paying, Search, Selection, spread
from ..options import (
    Budget,
    CacheDir,
    Force,
    Json,
    NoCache,
    PromptOrder,
    Quiet,
    Repos,
    Summaries,
    Volatile,
    cache_options,
    exit_code,
    out_to,
    written,
)
from ..summary import summary_lines


@spread
def command(
    *,
    repo: Repos = None,
    task: FocusedTask,
    budget: Budget = None,
    counting: Counting,
    order: PromptOrder = "stable-first",
    volatile: Volatile = None,
    search: Search,
    paying: Paying,
    selection: Selection,
    summaries: Summaries = "compute",
    cache_dir: CacheDir = None,
    no_cache: NoCache = False,
    out: Annotated[
        Path | None,
        out_to("Folder for artifact, problem and prompt; by default .satchel here.", "DIR"),
    ] = None,
    prompt: Annotated[
        Path | None,
        typer.Option(
            "--prompt", metavar="FILE", parser=written("--prompt"), help="Where the prompt goes instead."
        ),
    ] = None,
    force: Force = False,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Pack a repository for a task.

    Read it, choose the evidence that serves the task best within the budget, and write the prompt, the
    artifact that accounts for every candidate, and the problem that was solved.
    """
    from ... import DEFAULT_FOLDER, inside
    from ...outputs import check_outputs, pack_outputs

    repos = repo or [Path()]
    folder = Path(DEFAULT_FOLDER) if out is None else out
    outputs = pack_outputs(folder, counting.format, prompt)
    check_outputs(outputs, [*task.inputs(repos), counting.tokenizer, paying.prices], force=force)
    with search.ticker(quiet=quiet) as ticker:
        options = counting.pack_options(
            budget,
            scan=selection.scan_options(
                inside(repos, (folder, *(() if prompt is None else (prompt,)))), summaries
            ),
            solve=search.solve_options(ticker),
            engine=search.engine,
            order=order,
            volatile=tuple(volatile or ()),
            pricing=paying.price_options(counting.model),
            cache=cache_options(cache_dir, unused=no_cache),
            on_stage=ticker.stage,
            on_notice=note,
        )
        from ... import pack, summarise, write_pack

        result = pack(repos, task.task(), options)
        files = write_pack(result, folder, prompt=prompt)
    if json:
        print_text(result.context.to_json(), json_escapes=True)
    elif not quiet:
        print_lines(summary_lines(summarise(result.context), width()))
        note(f"wrote {', '.join(str(path) for path in files.values())}")
    if code := exit_code(result.context, require_optimal=search.require_optimal):
        raise typer.Exit(code)
