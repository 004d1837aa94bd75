"""``satchel scan``: the candidates of a task, before anything is chosen."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..console import Line, columns, count, note, number, print_json, print_lines, shown
from ..groups import Counting, FocusedTask, Selection, spread
from ..options import (
    Budget,
    CacheDir,
    Force,
    Json,
    NoCache,
    ProblemOut,
    Quiet,
    Repos,
    Summaries,
    cache_options,
    check_written,
)
from ..progress import Ticker
from ..summary import HEADING

if TYPE_CHECKING:
    from ... import Problem, ScanResult

SCHEMA = "scan-listing.v1"


@spread
def command(
    *,
    repo: Repos = None,
    task: FocusedTask,
    budget: Budget = None,
    counting: Counting,
    selection: Selection,
    summaries: Summaries = "compute",
    cache_dir: CacheDir = None,
    no_cache: NoCache = False,
    problem_out: ProblemOut = None,
    force: Force = False,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """List the candidates of a task.

    The most relevant first, with their sizes, and what was not read.
    """
    from ... import inside, write_text

    repos = repo or [Path()]
    inputs = [*task.inputs(repos), counting.tokenizer]
    check_written({"problem_out": (problem_out, "problem")}, inputs, force=force)
    with Ticker(quiet=quiet) as ticker:
        options = counting.pack_options(
            budget,
            scan=selection.scan_options(
                inside(repos, () if problem_out is None else (problem_out,)), summaries
            ),
            cache=cache_options(cache_dir, unused=no_cache),
            on_stage=ticker.stage,
            on_notice=note,
        )
        from ... import prepare

        found, problem = prepare(repos, task.task(), options)
        if problem_out is not None:
            write_text(problem_out, problem.to_json())
    if json:
        print_json(_listing(found, problem))
    elif not quiet:
        print_lines(_lines(found, problem))
        if problem_out is not None:
            note(f"wrote {problem_out}")


def _listing(found: ScanResult, problem: Problem) -> dict[str, Any]:
    """Return the candidates without their texts, as JSON data."""
    return {
        "schemaVersion": SCHEMA,
        "taskId": problem.task_id,
        "units": [_without_texts(unit.to_data()) for unit in problem.units],
        "skipped": [unit.to_data() for unit in found.skipped],
        "diagnostics": [diagnostic.to_data() for diagnostic in found.diagnostics],
        "scan": found.report.to_data(),
    }


def _without_texts(unit: dict[str, Any]) -> dict[str, Any]:
    unit.pop("text", None)
    for form in unit.get("renderings", ()):
        form.pop("text", None)
    return unit


def _lines(found: ScanResult, problem: Problem) -> list[Line]:
    from ...exits import redacted

    units = sorted(problem.units, key=lambda unit: (-unit.relevance_score, unit.id))
    # Line ends stay: one look for secrets in the names of files is enough.
    names = redacted("\n".join(shown(unit.id) for unit in units)).split("\n")
    rows = [["relevance", "authority", "tokens", "zone", "kind", "unit"]]
    rows += [
        [
            f"{unit.relevance_score:.3f}",
            f"{unit.authority_score:.2f}",
            number(unit.token_estimate or 0),
            shown(unit.zone),
            unit.kind.value,
            f"{name}{' (required)' if unit.required else ''}",
        ]
        for unit, name in zip(units, names, strict=True)
    ]
    head, *body = columns(rows, right={0, 1, 2}, indent=0)
    lines = [Line(head, HEADING), *(Line(text) for text in body)]
    total = sum(unit.token_estimate or 0 for unit in units)
    read = count(found.report.files, "file")
    lines += [
        Line(),
        Line(f"{count(len(units), 'candidate')}, {count(total, 'token')}, from {read}", HEADING),
    ]
    skipped = sorted(found.report.skipped.items(), key=lambda item: (-item[1], item[0]))
    if skipped:
        lines.append(Line("Files not read", HEADING))
        table = columns(
            [[number(files), shown(reason).replace("_", " ")] for reason, files in skipped], right={0}
        )
        lines += [Line(text) for text in table]
    lines += [
        Line(f"{entry.severity.value}: {shown(entry.message)}", "yellow") for entry in found.diagnostics
    ]
    return lines
