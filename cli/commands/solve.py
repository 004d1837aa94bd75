"""``satchel solve``: a problem file in, the best pack out."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from ..console import note, print_lines, print_text, width
from ..entry import STARTED
from ..groups import Counting, Paying, Search, spread
from ..options import Force, Json, ProblemOut, Quiet, UnitBudget, check_written, exit_code, out_to, tokens
from ..summary import summary_lines


@spread
def command(
    *,
    problem: Annotated[
        str,
        typer.Argument(
            metavar="PROBLEM",
            help="A packing-problem.v1 JSON file, context units as a .jsonl file (needs --budget), or - for "
            "a problem on standard input.",
        ),
    ],
    budget: UnitBudget = None,
    search: Search,
    paying: Paying,
    recount: Annotated[
        bool,
        typer.Option("--recount", help="Count every text as it is rendered, whatever the file states."),
    ] = False,
    counting: Counting,
    out: Annotated[
        Path | None,
        out_to("Write the artifact to FILE."),
    ] = None,
    problem_out: ProblemOut = None,
    force: Force = False,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Solve a packing problem.

    Choose the units, and the form of each, that are worth most together within the budget.
    """
    from ... import InputError, UsageError, read_problem, summarise, write_texts

    with ExitStack() as until_written, search.ticker(quiet=quiet) as ticker:
        options = search.solve_options(ticker)
        check_written(
            {"out": (out, "artifact"), "problem_out": (problem_out, "problem")},
            [problem, counting.tokenizer, paying.prices],
            force=force,
        )
        if problem != "-":  # what a pipe waits for is not the program's time
            options = replace(options, started=STARTED)
        ticker.stage("reading")
        given = read_problem(problem, available=tokens(budget))
        if recount:
            from ... import recount_problem

            ticker.stage("counting")
            given = recount_problem(given, counting.pack_options())
        prices = paying.price_options(counting.model)
        if prices is not None:
            given = prices.of(given)
        # Imported here: an error in the file must not wait for numpy and the solver.
        from ... import solve
        from ...solving import listening

        ticker.stage("solving")
        # From here on a first Ctrl-C ends the search, and not what is written of it.
        until_written.enter_context(listening())
        try:
            context = solve(given, options, engine=search.engine)
        except UsageError:
            raise
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
        changed = recount or budget is not None or prices is not None
        if out is not None and problem_out is None and changed:
            text = "the artifact answers the problem after --budget, --recount and prices; keep it with"
            note(f"{text} --problem-out")
    if code := exit_code(context, require_optimal=search.require_optimal):
        raise typer.Exit(code)
