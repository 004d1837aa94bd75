"""``satchel cache``: what is remembered of a repository, and the workers that add to it."""

from __future__ import annotations

import sys
from dataclasses import asdict
from json import dumps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..console import Line, columns, count, note, number, print_json, print_lines, print_text, share, shown
from ..groups import Counting, Selection, spread
from ..options import (
    Approximate,
    CacheDir,
    Encoding,
    Json,
    Model,
    Quiet,
    Repo,
    Tokenizer,
    cache_options,
)
from ..progress import Ticker
from ..summary import HEADING

if TYPE_CHECKING:
    from ... import CacheStatus, Saving

WRONG = 1
"""Exit code of ``verify`` when a row was not what it should be."""

app = typer.Typer(
    help="What is remembered of a repository between runs, and the workers that make its summaries.",
    rich_markup_mode=None,
    no_args_is_help=True,
)

WorkerCount = Annotated[int, typer.Option("--workers", metavar="N", help="Worker processes.")]
Shown = Annotated[int, typer.Option("--top", metavar="N", help="Files that are listed.")]


@app.command()
def status(repo: Repo = Path(), cache_dir: CacheDir = None, json: Json = False) -> None:
    """Show what is remembered, what is stale, what is queued and what failed."""
    from ... import cache_status

    found = cache_status(repo, cache_options(cache_dir), notify=note)
    if json:
        print_json({"schemaVersion": "cache-status.v1", **_camel(found)})
        return
    print_lines(_status_lines(found))


@app.command()
@spread
def warm(
    *,
    repo: Repo = Path(),
    workers: WorkerCount = 2,
    cache_dir: CacheDir = None,
    counting: Counting,
    selection: Selection,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Read everything, count it, and make every summary, so that the next pack finds all of it."""
    from ... import Task, prepare, work_cache

    where = cache_options(cache_dir)
    with Ticker(quiet=quiet) as ticker:
        options = counting.pack_options(
            scan=selection.scan_options(summaries="cached"),
            cache=where,
            on_stage=ticker.stage,
            on_notice=note,
        )
        found, problem = prepare(repo, Task(kind="overview"), options)
        done = work_cache(repo, where, workers=workers, on_progress=_left(ticker))
    data = {"files": found.report.files, "units": len(problem.units), **_camel(done)}
    if json:
        print_json({"schemaVersion": "cache-work.v1", **data})
    elif not quiet:
        read, units = count(found.report.files, "file"), count(len(problem.units), "unit")
        print_lines([Line(f"{read} and {units} are remembered; {_worked(done.left, done.dead)}")])


@app.command()
def work(
    repo: Repo = Path(),
    workers: WorkerCount = 1,
    stay: Annotated[bool, typer.Option("--stay", help="Wait for more when there is nothing left.")] = False,
    retry: Annotated[bool, typer.Option("--retry", help="Try again what failed too often.")] = False,
    cache_dir: CacheDir = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Make the summaries that are queued."""
    from ... import work_cache

    with Ticker(quiet=quiet) as ticker:
        where = cache_options(cache_dir)
        done = work_cache(repo, where, workers=workers, stay=stay, retry=retry, on_progress=_left(ticker))
    if json:
        print_json({"schemaVersion": "cache-work.v1", **_camel(done)})
    elif not quiet:
        print_lines([Line(_worked(done.left, done.dead))])


@app.command()
@spread
def watch(
    *,
    repo: Repo = Path(),
    workers: WorkerCount = 1,
    cache_dir: CacheDir = None,
    selection: Selection,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Read what changes as it changes, until interrupted.

    With --json, one JSON object a line for each round in which something was found.
    """
    from ... import watch_cache

    rules = selection.scan_options()
    try:
        for found in watch_cache(repo, cache_options(cache_dir), walk=rules.walk, workers=workers):
            if json:
                print_text(dumps(_camel(found)) + "\n", json_escapes=True)
            elif found.missing_root:
                note("the folder is gone; waiting for it to come back")
            elif not quiet:
                read, gone = count(found.changed, "file"), count(found.gone, "file")
                print_lines([Line(f"{read} read, {gone} gone, {count(found.queued, 'file')} queued")])
            sys.stdout.flush()
    except KeyboardInterrupt:
        # Watching ends in no other way.
        raise typer.Exit from None


@app.command()
def clear(repo: Repo = Path(), cache_dir: CacheDir = None, json: Json = False, quiet: Quiet = False) -> None:
    """Delete what is remembered of the repository."""
    from ... import clear_cache

    gone = clear_cache(repo, cache_options(cache_dir))
    if json:
        print_json({"schemaVersion": "cache-clear.v1", "deleted": [str(path) for path in gone]})
    elif not quiet:
        print_lines([Line(f"deleted {shown(str(path))}") for path in gone] or [Line("there was no cache")])


@app.command()
def verify(repo: Repo = Path(), cache_dir: CacheDir = None, json: Json = False) -> None:
    """Read every remembered file anew and compare; rows that are wrong are removed, and exit code 1."""
    from ... import verify_cache

    with Ticker() as ticker:
        ticker.stage("comparing")
        found = verify_cache(repo, cache_options(cache_dir))
    if json:
        print_json({"schemaVersion": "cache-verdict.v1", **_camel(found)})
    else:
        print_lines(
            [
                Line(
                    f"{count(found.checked, 'file')} compared, {count(found.summaries, 'summary row')} made "
                    f"again, {count(found.stale, 'file')} changed since"
                ),
                *(Line(f"wrong: {shown(fault)}", "red") for fault in found.faults),
                Line(f"{count(len(found.faults), 'fault')}", HEADING),
            ]
        )
    if found.faults:
        raise typer.Exit(WRONG)


@app.command()
def savings(
    repo: Repo = Path(),
    cache_dir: CacheDir = None,
    model: Model = None,
    encoding: Encoding = None,
    tokenizer: Tokenizer = None,
    approximate: Approximate = False,
    top: Shown = 10,
    json: Json = False,
) -> None:
    """Count what the shorter forms save, by kind of file and by rung.

    Counts are exact for public vocabularies. Files without a summary yet are told; 'warm' makes them.
    """
    from ... import cache_savings, make_estimator

    estimator = make_estimator(
        model=model, encoding=encoding, tokenizer_file=tokenizer, approximate=approximate
    )
    with Ticker() as ticker:
        ticker.stage("counting")
        found = cache_savings(repo, estimator, cache_options(cache_dir), notify=note)
    if json:
        data = {
            "schemaVersion": "cache-savings.v1",
            "tokenizer": found.tokenizer,
            "files": found.files,
            "unsummarised": found.unsummarised,
            "byKind": [_saving(entry) for entry in found.by_kind],
            "byRung": [_saving(entry) for entry in found.by_rung],
            "largest": [_saving(entry) for entry in found.largest[:top]],
        }
        print_json(data)
        return
    lines = [
        Line(f"Tokens before and after, counted by {found.tokenizer}", HEADING),
        Line(),
        Line("Whole files and their summaries", HEADING),
        *_table(found.by_kind, "files", total=found.together),
        Line(),
        Line("Units and their rungs", HEADING),
        *_table(found.by_rung, "units"),
        Line(),
        Line("Files that save most", HEADING),
        *_table(found.largest[:top], "files"),
    ]
    print_lines(lines)
    if found.unsummarised:
        note(f"{count(found.unsummarised, 'file')} without a summary yet; 'satchel cache warm' makes them")


def _table(entries: tuple[Saving, ...], noun: str, *, total: Saving | None = None) -> list[Line]:
    if not entries:
        return [Line("  none yet")]
    rows = [["", noun, "before", "after", "saved"]]
    for entry in (*entries, *([total] if total else [])):
        numbers = (entry.texts, entry.before, entry.after)
        rows.append([shown(entry.name), *map(number, numbers), share(entry.share)])
    return [Line(text) for text in columns(rows, right={1, 2, 3, 4})]


def _saving(entry: Saving) -> dict[str, Any]:
    return {**entry._asdict(), "share": round(entry.share, 4)}


def _status_lines(found: CacheStatus) -> list[Line]:
    queue = found.queue
    looked = found.hits + found.known + found.misses
    rows = [
        ["files", number(found.files), f"{number(found.fresh)} as they were, {number(found.stale)} changed"],
        ["unknown", number(found.unknown), "files that the next scan reads"],
        ["summarised", number(found.summarised), f"{number(found.unsummarised)} are not"],
        ["queued", number(queue.pending), f"{number(queue.working)} in work, {number(queue.dead)} dead"],
        ["scans", number(found.scans), f"{number(looked)} files looked at"],
        ["hits", number(found.hits), share(found.hits / looked) if looked else "-"],
        ["misses", number(found.misses), f"{number(found.known)} were read again but had not changed"],
    ]
    return [
        Line(shown(found.path)),
        Line(f"{number(found.size)} bytes"),
        Line(),
        *(Line(text) for text in columns(rows, right={1})),
        *(Line(f"dead: {shown(path)}: {shown(error)}", "red") for path, error in queue.dead_jobs),
    ]


def _worked(left: int, dead: int) -> str:
    text = "all summaries are made" if not left else f"{count(left, 'file')} still to be summarised"
    return f"{text}; {count(dead, 'file')} failed, see 'satchel cache status'" if dead else text


def _left(ticker: Ticker) -> Any:
    return lambda left: ticker.stage(f"making summaries: {number(left)} files left")


def _camel(record: Any) -> dict[str, Any]:
    from pydantic.alias_generators import to_camel

    def renamed(value: Any) -> Any:
        return (
            {to_camel(name): renamed(part) for name, part in value.items()}
            if isinstance(value, dict)
            else value
        )

    return dict(renamed(asdict(record)))
