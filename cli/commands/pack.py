"""``satchel pack``: the main job, from a repository to a prompt."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..console import note, print_lines, print_text, width
from ..options import (
    About,
    Approximate,
    Budget,
    CacheDir,
    Encoding,
    Exclude,
    Focus,
    Force,
    Format,
    Gap,
    GlobalIgnore,
    Include,
    Json,
    Kind,
    MaxFileBytes,
    Model,
    NoCache,
    NoDefaultExcludes,
    NoIgnore,
    Outline,
    Quiet,
    Repo,
    RequireOptimal,
    Seed,
    Sensitive,
    Solver,
    Submodules,
    Summaries,
    TimeLimit,
    Title,
    Tokenizer,
    Workers,
    WorkLimit,
    cache_options,
    exit_code,
    focused,
    pack_options,
    scan_options,
    solve_options,
    task_of,
    written,
)
from ..progress import Ticker
from ..summary import summary_lines


def command(
    repo: Repo = Path(),
    kind: Kind = "overview",
    about: About = "",
    title: Title = "",
    outline: Outline = None,
    focus: Focus = None,
    budget: Budget = None,
    model: Model = None,
    encoding: Encoding = None,
    tokenizer: Tokenizer = None,
    approximate: Approximate = False,
    format: Format = "markdown",  # noqa: A002 - the option's name
    solver: Solver = "auto",
    time_limit: TimeLimit = None,
    deterministic_limit: WorkLimit = None,
    gap: Gap = 0.0,
    seed: Seed = 0,
    workers: Workers = 1,
    require_optimal: RequireOptimal = False,
    include: Include = None,
    exclude: Exclude = None,
    no_ignore: NoIgnore = False,
    no_default_excludes: NoDefaultExcludes = False,
    no_global_ignore: GlobalIgnore = False,
    sensitive: Sensitive = False,
    submodules: Submodules = False,
    max_file_bytes: MaxFileBytes = None,
    summaries: Summaries = "compute",
    cache_dir: CacheDir = None,
    no_cache: NoCache = False,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            metavar="DIR",
            parser=written("--out"),
            help="Folder for artifact, problem and prompt; by default .satchel here.",
        ),
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

    folder = Path(DEFAULT_FOLDER) if out is None else out
    outputs = pack_outputs(folder, format, prompt)
    check_outputs(outputs, [outline, tokenizer, *focused(repo, focus)], force=force)
    with Ticker(quiet=quiet) as ticker:
        options = pack_options(
            budget=budget,
            model=model,
            encoding=encoding,
            tokenizer=tokenizer,
            approximate=approximate,
            format=format,
            scan=scan_options(
                include=include,
                exclude=exclude,
                no_ignore=no_ignore,
                no_default_excludes=no_default_excludes,
                no_global_ignore=no_global_ignore,
                sensitive=sensitive,
                submodules=submodules,
                max_file_bytes=max_file_bytes,
                own_outputs=inside(repo, (folder, *(() if prompt is None else (prompt,)))),
                summaries=summaries,
            ),
            solve=solve_options(
                solver=solver,
                time_limit=time_limit,
                work_limit=deterministic_limit,
                gap=gap,
                seed=seed,
                workers=workers,
                on_progress=ticker.progress,
            ),
            cache=cache_options(cache_dir, unused=no_cache),
            on_stage=ticker.stage,
            on_notice=note,
        )
        from ... import pack, summarise, write_pack

        task = task_of(kind=kind, about=about, title=title, outline=outline, focus=focus)
        result = pack(repo, task, options)
        files = write_pack(result, folder, prompt=prompt)
    if json:
        print_text(result.context.to_json(), json_escapes=True)
    elif not quiet:
        print_lines(summary_lines(summarise(result.context), width()))
        note(f"wrote {', '.join(str(path) for path in files.values())}")
    if code := exit_code(result.context, require_optimal=require_optimal):
        raise typer.Exit(code)
