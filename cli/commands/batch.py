"""``satchel batch``: many pages in one run."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..console import Line, columns, count, note, number, print_json, print_lines, shown, width, worth
from ..failures import NOT_OPTIMAL
from ..groups import Paying, Rules, Search, spread
from ..options import CacheDir, Json, NoCache, NoConfig, Quiet, cache_options, named, out_to
from ..summary import HEADING

if TYPE_CHECKING:
    from ... import BatchResult, PageRecord
    from ...batch import Step
    from ...sharing import PrefixPlanner
    from ..progress import Ticker

FAILED = 1
"""Exit code where a page failed or was not run."""

_SHOWN = 12
"""Pages that the table names of each status that needs a look."""


@spread
def command(
    *,
    tasks: Annotated[
        Path,
        typer.Argument(
            metavar="TASKS", help="A batch-tasks.v1 file: .yaml, .toml or .jsonl.", show_default=False
        ),
    ],
    out: Annotated[
        Path | None,
        out_to("Folder for pages and manifest; by default .satchel-batch here.", "DIR"),
    ] = None,
    write: Annotated[
        str,
        typer.Option(
            "--write",
            metavar="KINDS",
            help="What each page leaves, with commas between: artifact, problem, prompt.",
        ),
    ] = "artifact,problem,prompt",
    jobs: Annotated[
        int | None,
        typer.Option(
            "--jobs",
            "-j",
            metavar="N",
            min=1,
            help="Processes that read and pack; by default one for each processor, 8 at most. 1 packs in "
            "this one.",
            show_default=False,
        ),
    ] = None,
    ray: Annotated[
        str | None,
        typer.Option(
            "--ray",
            metavar="auto|ADDRESS",
            parser=named("--ray"),
            help="Pack on a Ray cluster instead: this machine's, or the one at an address. Needs "
            "satchel[ray].",
        ),
    ] = None,
    ray_shared: Annotated[
        bool,
        typer.Option(
            "--ray-shared",
            help="All machines of the cluster see --out: their workers write into it themselves.",
        ),
    ] = False,
    resume: Annotated[
        bool,
        typer.Option(
            "--resume", help="Pack only what is missing or has changed since the last run into --out."
        ),
    ] = False,
    since: Annotated[
        str | None,
        typer.Option(
            "--since",
            metavar="REV",
            parser=named("--since"),
            help="Pack again only pages that what has changed since this branch, tag or commit concerns; the "
            "manifest says why.",
        ),
    ] = None,
    emit: Annotated[
        str | None,
        typer.Option(
            "--emit",
            metavar="openai-batch|anthropic-batch",
            parser=named("--emit"),
            help="Write ready requests for a provider's batch interface, too, in files within its limits; "
            "--answer-tokens says how long an answer may be.",
        ),
    ] = None,
    fail_fast: Annotated[
        bool,
        typer.Option(
            "--fail-fast/--keep-going", help="Begin no more pages once one has failed; by default go on."
        ),
    ] = False,
    run_time_limit: Annotated[
        float | None,
        typer.Option(
            "--run-time-limit",
            metavar="S",
            help="Seconds for the whole run, shared out where gaps are largest (not reproducible).",
        ),
    ] = None,
    shared_prefix: Annotated[
        str | None,
        typer.Option(
            "--shared-prefix",
            metavar="auto",
            parser=named("--shared-prefix"),
            help="Choose what all prompts begin with, so that the provider's cache serves it: least cost by "
            "--prices, within --max-value-loss.",
        ),
    ] = None,
    max_value_loss: Annotated[
        str,
        typer.Option(
            "--max-value-loss",
            metavar="SHARE",
            parser=named("--max-value-loss"),
            help="Share of the value of all packs together that --shared-prefix may give up.",
        ),
    ] = "1%",
    max_page_loss: Annotated[
        str | None,
        typer.Option(
            "--max-page-loss",
            metavar="SHARE",
            parser=named("--max-page-loss"),
            help="Share of its value that any one page may give up; no limit but that of all together unless "
            "given.",
        ),
    ] = None,
    prefixes: Annotated[
        int,
        typer.Option(
            "--prefixes", metavar="K", min=1, help="How many beginnings there may be, each for its pages."
        ),
    ] = 1,
    seconds_per_call: Annotated[
        float | None,
        typer.Option(
            "--seconds-per-call",
            metavar="S",
            help="How long a call takes: a prefix is written anew after its lifetime. Without it, reads "
            "are taken to keep it alive.",
        ),
    ] = None,
    search: Search,
    paying: Paying,
    rules: Rules,
    summaries: Annotated[
        str,
        typer.Option("--summaries", metavar="compute|off", help="Whether summary rungs are offered."),
    ] = "compute",
    no_config: NoConfig = False,
    cache_dir: CacheDir = None,
    no_cache: NoCache = False,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Pack many pages in one run.

    The file lists tasks, their defaults, and globs that stand for many: one for each operation of an API,
    module or package. Each repository is read once. A page that fails stops no other: it is in the manifest
    with its reason, and the exit code is 1.
    """
    from ... import BatchOptions, PackOptions, Settings, run_batch, write_text
    from ...batch import DEFAULT_BATCH_FOLDER, cluster_at, kinds_named, processors
    from ...sharing import SHARED_PREFIX
    from ..sharing import sharing_lines

    # Of how long answers are, requests may speak where there are no prices.
    pricing = paying if paying.prices or not emit else replace(paying, answer_tokens=None)
    with search.ticker(quiet=quiet) as ticker:
        sharing = None
        if shared_prefix is not None:
            losses = max_value_loss, max_page_loss
            sharing = _sharing(shared_prefix, paying, losses, prefixes, seconds_per_call, ticker)
        result = run_batch(
            tasks,
            BatchOptions(
                folder=Path(DEFAULT_BATCH_FOLDER) if out is None else out,
                pack=PackOptions(
                    scan=replace(
                        rules.scan_options((), summaries),
                        jobs=jobs,
                        settings=Settings() if no_config else None,
                    ),
                    solve=replace(search.solve_options(ticker), on_progress=None),
                    engine=search.engine,
                    pricing=None if sharing is not None else pricing.price_options(None),
                ),
                jobs=processors() if jobs is None else jobs,
                engine=None if ray is None else cluster_at(ray, shared=ray_shared),
                kinds=kinds_named(write),
                resume=resume,
                since=since,
                emit=emit,
                answer_tokens=paying.answer_tokens if emit else None,
                fail_fast=fail_fast,
                time_limit=search.time_limit,
                run_time_limit=run_time_limit,
                plan=sharing,
                cache=cache_options(cache_dir, unused=no_cache),
                on_stage=ticker.stage,
                on_step=lambda step: _tell(ticker, step),
                on_notice=note,
            ),
        )
    told = None if sharing is None else sharing.report(result.records)
    if told is not None:
        write_text(result.folder / SHARED_PREFIX, told.to_json())
    if json:
        print_json(_data(result) | ({} if told is None else {"sharedPrefix": told.to_data()}))
    elif not quiet:
        print_lines(_lines(result))
        if told is not None:
            print_lines(sharing_lines(told))
        elif sharing is not None:
            note("no prefix is shared: that takes two pages or more that can be packed")
        written_files = [result.folder / "manifest.jsonl", *result.requests]
        if told is not None:
            written_files.append(result.folder / SHARED_PREFIX)
        note(f"wrote {', '.join(str(path) for path in written_files)}")
    if not result.is_complete:
        raise typer.Exit(FAILED)
    proven = ("optimal", "unchanged")
    if search.require_optimal and any(record.status not in proven for record in result.records):
        raise typer.Exit(NOT_OPTIMAL)


def _sharing(
    mode: str,
    paying: Paying,
    losses: tuple[str, str | None],
    prefixes: int,
    seconds: float | None,
    ticker: Ticker,
) -> PrefixPlanner:
    from ... import UsageError, read_prices
    from ...sharing import PrefixPlanner, SharingOptions, parse_share

    if mode != "auto":
        raise UsageError("is not offered", field="--shared-prefix", value=mode, hint="accepted: auto")
    if paying.prices is None:
        hint = "give your price table: prices change too often to come with Satchel"
        raise UsageError("needs --prices", field="--shared-prefix", hint=hint)
    unused = replace(paying, prices=None, long_lived=False, min_cacheable=None, answer_tokens=None)
    if unused != type(paying)():
        hint = "leave out --expected-calls, --cache-writes, --cost-limit and --objective"
        raise UsageError(
            "is about the cost of the run: that of each page does not go with it",
            field="--shared-prefix",
            hint=hint,
        )
    total, page = losses
    options = SharingOptions(
        table=read_prices(paying.prices),
        loss=parse_share(total, option="--max-value-loss"),
        prefixes=prefixes,
        page_loss=None if page is None else parse_share(page, option="--max-page-loss"),
        minimum=paying.min_cacheable,
        long_lived=paying.long_lived,
        seconds_per_page=seconds,
    )
    return PrefixPlanner(options, ticker.stage)


def _tell(ticker: Ticker, step: Step) -> None:
    text = f"{step.done:,} of {count(step.total, 'page')}"
    if step.failed:
        text += f", {step.failed:,} failed"
    if step.seconds_left is not None:
        text += f", about {_duration(step.seconds_left)} left"
    left = None if step.seconds_left is None else round(step.seconds_left, 1)
    ticker.step(
        text,
        stage="packing",
        task=step.task,
        done=step.done,
        total=step.total,
        failed=step.failed,
        secondsLeft=left,
    )


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def _data(result: BatchResult) -> dict[str, Any]:
    return {
        "pages": [record.to_data() for record in result.records],
        "counts": dict(result.counts),
        "kept": result.kept,
        "seconds": {
            "scan": round(result.scan_seconds, 3),
            "wall": round(result.wall_seconds, 3),
            "prepare": round(sum(entry.prepare for entry in result.seconds), 3),
            "solve": round(sum(entry.solve for entry in result.seconds), 3),
            "write": round(sum(entry.write for entry in result.seconds), 3),
        },
    }


def _lines(result: BatchResult) -> list[Line]:
    records = result.records
    packed = [record for record in records if record.objective is not None]
    lines = [Line(f"Batch of {count(len(records), 'page')}", HEADING), Line()]
    rows = [(status.replace("_", " "), number(n)) for status, n in result.counts.items()]
    if result.kept:
        rows.append(("of these left as they were", number(result.kept)))
    if packed:
        rows.append(("tokens of all prompts", number(sum(record.tokens or 0 for record in packed))))
        rows.append(("value of all packs", worth(sum((r.objective or 0) / (r.scale or 1) for r in packed))))
        rows.append(("largest gap", f"{max(record.gap or 0.0 for record in packed):.2%}".replace("%", " %")))
    if costs := [record.cost for record in packed if record.cost is not None]:
        amount = sum(cost.cost_micro for cost in costs) / 10**6
        rows.append(("cost of all calls", f"{amount:,.6f} {costs[0].currency}"))
    lines += [Line(line) for line in columns(rows, right={1})]
    for title, shown_records in (
        ("Failed", [record for record in records if record.error is not None]),
        ("Not proven", [r for r in packed if r.status in ("feasible", "heuristic")]),
    ):
        if shown_records:
            lines += [Line(), Line(title, HEADING)]
            table = [_row(record) for record in shown_records[:_SHOWN]]
            lines += [Line(line) for line in columns(table, limit=width())]
        if len(shown_records) > _SHOWN:
            lines.append(Line(f"  and {len(shown_records) - _SHOWN:,} more: see the manifest"))
    return lines


def _row(record: PageRecord) -> tuple[str, str]:
    if record.error is not None:
        hint = record.error.get("hint")
        told = f"{record.error['message']}{f'; {hint}' if hint else ''}"
        return shown(record.task), shown(f"[{record.error['code']}] {told}")
    return shown(record.task), f"gap {record.gap or 0.0:.2%}, {record.stop_reason}".replace("%", " %")
