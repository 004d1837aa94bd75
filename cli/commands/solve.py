"""``satchel solve``: a problem file in, the best pack out."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..console import note, print_lines, print_text, width
from ..options import (
    Approximate,
    Encoding,
    Force,
    Format,
    Gap,
    Json,
    Model,
    ProblemOut,
    Quiet,
    RequireOptimal,
    Seed,
    Solver,
    TimeLimit,
    Tokenizer,
    UnitBudget,
    Workers,
    WorkLimit,
    check_written,
    exit_code,
    solve_options,
    tokens,
    written,
)
from ..progress import Ticker
from ..summary import summary_lines


def command(
    problem: Annotated[
        str,
        typer.Argument(
            metavar="PROBLEM",
            help="A packing-problem.v1 JSON file, context units as a .jsonl file (needs --budget), or - for "
            "a problem on standard input.",
        ),
    ],
    budget: UnitBudget = None,
    solver: Solver = "auto",
    time_limit: TimeLimit = None,
    deterministic_limit: WorkLimit = None,
    gap: Gap = 0.0,
    seed: Seed = 0,
    workers: Workers = 1,
    recount: Annotated[
        bool,
        typer.Option("--recount", help="Count every text as it is rendered, whatever the file states."),
    ] = False,
    model: Model = None,
    encoding: Encoding = None,
    tokenizer: Tokenizer = None,
    approximate: Approximate = False,
    format: Format = "markdown",  # noqa: A002 - the option's name
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", "-o", metavar="FILE", parser=written("--out"), help="Write the artifact to FILE."
        ),
    ] = None,
    problem_out: ProblemOut = None,
    force: Force = False,
    require_optimal: RequireOptimal = False,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Solve a packing problem.

    Choose the units, and the form of each, that are worth most together within the budget.
    """
    from ... import InputError, read_problem, summarise, write_texts

    with Ticker(quiet=quiet) as ticker:
        options = solve_options(
            solver=solver,
            time_limit=time_limit,
            work_limit=deterministic_limit,
            gap=gap,
            seed=seed,
            workers=workers,
            on_progress=ticker.progress,
        )
        check_written(
            {"out": (out, "artifact"), "problem_out": (problem_out, "problem")},
            [problem, tokenizer],
            force=force,
        )
        ticker.stage("reading")
        given = read_problem(problem, available=tokens(budget))
        if recount:
            from ... import PackOptions, recount_problem

            ticker.stage("counting")
            counting = PackOptions(
                model=model,
                encoding=encoding,
                tokenizer_file=tokenizer,
                approximate=approximate,
                format=format,
            )
            given = recount_problem(given, counting)
        # Imported here: an error in the file must not wait for numpy and the solver.
        from ... import solve

        ticker.stage("solving")
        try:
            context = solve(given, options).seal()
        except InputError as error:
            error.file = error.file or problem  # what contradicts itself is in there
            raise
    texts: dict[str | Path, str] = {}
    if problem_out is not None:
        texts[problem_out] = given.to_json()
    if out is not None:
        texts[out] = context.to_json()
    write_texts(texts)
    if json:
        print_text(context.to_json(), json_escapes=True)
    elif not quiet:
        print_lines(summary_lines(summarise(context), width()))
        if out is not None and problem_out is None and (recount or budget is not None):
            note("the artifact answers the problem after --budget and --recount; keep it with --problem-out")
    if code := exit_code(context, require_optimal=require_optimal):
        raise typer.Exit(code)
