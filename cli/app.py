"""``satchel``: the command line. Each command parses, calls the public face, and prints."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Sequence
from typing import Annotated, NoReturn

import typer

from .. import __version__
from . import failures
from .commands import (
    assemble,
    batch,
    budget,
    cache,
    compact,
    compare,
    cost,
    diff,
    doctor,
    engines,
    explain,
    export,
    frontier,
    import_,
    mcp,
    models,
    pack,
    render,
    report,
    scan,
    schema,
    solve,
    verify,
)
from .console import set_up_streams

PROGRAM = "satchel"

app = typer.Typer(
    name=PROGRAM,
    help="Packs what a language model needs to know into the tokens that it is given, and proves how good "
    "the pack is.",
    epilog="Exit codes: 0 done; 1 infeasible, or verification failed; 2 wrong use or bad input; 3 not proven "
    "optimal where --require-optimal was given; 130 interrupted. Data goes to standard output, messages to "
    "standard error.",
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

COMMANDS = (
    *(pack, scan, solve, render, budget, explain, verify, diff, frontier, batch),
    *(report, doctor),
    *(cost, compact, assemble, schema, models, engines, import_, export, compare, mcp),
)

for module in COMMANDS:
    app.command(module.__name__.rpartition(".")[2].rstrip("_"))(module.command)
app.add_typer(cache.app, name="cache")


def _version(value: bool) -> None:
    if value:
        typer.echo(f"{PROGRAM} {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def _root(
    context: typer.Context,
    version: Annotated[  # noqa: ARG001 - its callback acts
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    if context.invoked_subcommand is None:
        typer.echo(context.get_help(), err=True)
        raise typer.Exit(2)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code; no exception leaves it."""
    args = list(sys.argv[1:] if argv is None else argv)
    set_up_streams()
    if f"_{PROGRAM.upper()}_COMPLETE" in os.environ:
        app(args, prog_name=PROGRAM)
    # A supervisor that ends a run gets what a person gets who presses Ctrl-C: one line, whole files or none.
    signal.signal(signal.SIGTERM, _interrupt)
    try:
        code = _run(args)
        sys.stdout.flush()
    except BaseException as error:  # noqa: BLE001 - every one becomes a line and an exit code
        return failures.report(error, as_json="--json" in args)
    return code


def _interrupt(_number: int, _frame: object) -> NoReturn:
    raise KeyboardInterrupt


def _run(args: list[str]) -> int:
    command = typer.main.get_command(app)
    try:
        # Not through the app's own main, which turns interrupts and broken pipes into codes of its own.
        with command.make_context(PROGRAM, args) as context:
            command.invoke(context)
    except typer.Exit as end:
        return end.exit_code
    return 0
