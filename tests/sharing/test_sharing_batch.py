"""Batches whose prompts share what they begin with, on a real project."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from satchel import BatchOptions, BatchResult, UsageError, read_artifact, read_problem, run_batch, verify
from satchel.models import Problem
from satchel.prompt import PriceTable
from satchel.sharing import PrefixPlanner, SharingOptions, SharingReport, parse_share

REPO = Path(__file__).parents[1] / "data" / "linkbox"

PRICES = PriceTable.from_data(
    {
        "schemaVersion": "price-table.v1",
        "currency": "USD",
        "models": {
            "any": {
                "inputPerMillion": 3_000_000,
                "cachedInputPerMillion": 300_000,
                "cacheWritePerMillion": 3_750_000,
            }
        },
    }
)

TASKS = {
    "repo": str(REPO),
    "defaults": {"kind": "api-reference", "budget": 900, "encoding": "o200k_base"},
    "tasks": [
        {"id": "links", "about": "Making, following and deleting links"},
        {"id": "errors", "about": "Errors and their codes"},
        {"id": "store", "about": "How links are stored", "focus": ["linkbox/store.py"]},
    ],
}


def run(folder: Path, options: SharingOptions, **changes: Any) -> tuple[BatchResult, SharingReport]:
    """Run the batch into ``folder``; the report is what ``satchel batch`` writes."""
    folder.mkdir(exist_ok=True)
    tasks = folder / "tasks.jsonl"
    lines = [{"repo": TASKS["repo"], **TASKS["defaults"], **task} for task in TASKS["tasks"]]  # type: ignore[dict-item]
    tasks.write_text("".join(json.dumps(line) + "\n" for line in lines))
    planner = PrefixPlanner(options)
    result = run_batch(tasks, BatchOptions(folder=folder / "out", plan=planner, **changes))
    report = planner.report(result.records)
    assert report is not None
    return result, report


def options(**changes: Any) -> SharingOptions:
    """A prefix from 150 tokens on, and a tenth of the value to give for it."""
    return SharingOptions(PRICES, **{"loss": Fraction(1, 10), "minimum": 150, **changes})


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, BatchResult, SharingReport]:
    """The batch with a shared prefix."""
    folder = tmp_path_factory.mktemp("shared")
    return folder / "out", *run(folder, options())


def test_prompts_begin_with_the_same_bytes(shared: tuple[Path, BatchResult, SharingReport]) -> None:
    """K03: the files themselves, up to the end of the prefix that the report names."""
    folder, result, report = shared
    (group,) = [group for group in report.groups if group.units]
    assert len(group.pages) >= 2
    starts = set()
    for record in result.records:
        if record.task not in group.pages:
            continue
        context = read_artifact(folder / record.output / "packed-context.json")
        assert context.prompt is not None
        text = (folder / record.output / "prompt.md").read_text("utf-8")
        entry = context.prompt.manifest[context.prompt.boundary.index - 1]
        starts.add("".join(text.splitlines(keepends=True)[: entry.end_line]))
        assert context.prompt.boundary.segment_ids == context.prompt.order[: context.prompt.boundary.index]
        segments = [name for name in context.prompt.boundary.segment_ids if name in group.units]
        assert segments == list(group.units)
        assert context.prompt.boundary.tokens == group.prefix_tokens
        assert context.prompt.boundary.prefix_digest == group.prefix_digest
    assert len(starts) == 1


def test_every_page_passes_the_independent_checker(shared: tuple[Path, BatchResult, SharingReport]) -> None:
    """Constraints, order, boundary and recount, by code that shares nothing with the planner."""
    folder, result, _ = shared
    assert result.is_complete
    for record in result.records:
        place = folder / record.output
        problem = read_problem(place / "packing-problem.json")
        report = verify(read_artifact(place / "packed-context.json"), problem)
        assert report.passed, report.failures


def test_report_adds_up_and_keeps_its_promises(shared: tuple[Path, BatchResult, SharingReport]) -> None:
    """Costs are those of the manifest's own tokens, in whole micro-units; value is kept; the bound bounds."""
    _, result, report = shared
    tokens = {record.task: record.tokens or 0 for record in result.records}
    cost = Fraction(0)
    for group in report.groups:
        calls = len(group.pages)
        cached, write = group.cached_tokens, group.writes
        cost += 3 * sum(tokens[page] - cached for page in group.pages)
        cost += Fraction(15, 4) * cached * write + Fraction(3, 10) * cached * (calls - write)
    assert report.cost == int(cost + Fraction(1, 2))
    assert report.value >= report.floor >= report.alone_value * (1 - Fraction(report.max_value_loss)) - 1
    assert report.cost_bound <= report.cost_planned
    assert report.cost <= report.cost_planned < report.cost_trimmed <= report.cost_alone
    assert all(page.value >= page.planned_value for page in report.pages)
    assert all(page.shares for page in report.pages if report.groups[page.group].units)
    assert SharingReport.from_json(report.to_json()).to_json() == report.to_json()


def test_same_input_gives_the_same_bytes_and_resume_leaves_them(
    shared: tuple[Path, BatchResult, SharingReport], tmp_path: Path
) -> None:
    """Another run elsewhere, then one that finds nothing to do."""
    folder, _, report = shared
    _, again = run(tmp_path, options())
    assert again.to_json() == report.to_json()
    names = sorted(path.relative_to(folder) for path in folder.rglob("*.json") if path.is_file())
    assert names
    for name in names:
        assert (tmp_path / "out" / name).read_bytes() == (folder / name).read_bytes()
    result, resumed = run(tmp_path, options(), resume=True)
    assert result.kept == 3
    assert resumed.to_json() == report.to_json()


def test_without_any_loss_nothing_is_given_up(tmp_path: Path) -> None:
    """Each page keeps its best value, to the last unit of it."""
    _, report = run(tmp_path, options(loss=Fraction(0)))
    assert report.value == report.alone_value
    assert report.cost <= report.cost_alone


def test_a_minimum_beyond_reach_shares_nothing_and_says_so(tmp_path: Path) -> None:
    """K06: below the provider's minimum a prefix is not cached, so none is made."""
    _, report = run(tmp_path, options(minimum=5000))
    assert not any(group.units for group in report.groups)
    assert report.cost_planned == report.cost_trimmed


def test_what_cannot_take_part_is_packed_on_its_own(tmp_path: Path) -> None:
    """Pages of one format and counting are needed; as-given order leads nowhere."""
    tasks = tmp_path / "tasks.jsonl"
    lines = [{"repo": str(REPO), "budget": 900, "id": name, "about": name} for name in ("a", "b")]
    lines[1]["format"] = "xml"
    tasks.write_text("".join(json.dumps(line) + "\n" for line in lines))
    with pytest.raises(UsageError, match="differs from 'a' in model, format or tokenizer"):
        run_batch(tasks, BatchOptions(folder=tmp_path / "out", plan=PrefixPlanner(options())))
    lines[1] = {**lines[0], "id": "b", "order": "as-given"}
    tasks.write_text("".join(json.dumps(line) + "\n" for line in lines))
    planner = PrefixPlanner(options())
    result = run_batch(tasks, BatchOptions(folder=tmp_path / "out", plan=planner))
    assert result.is_complete
    assert planner.left_out == {"b": "its units stand as given, so nothing can lead them"}
    assert planner.report(result.records) is None


@pytest.mark.parametrize(
    ("text", "share"), [("1%", "1/100"), ("1 %", "1/100"), ("0.025", "1/40"), ("0", "0")]
)
def test_share_is_read_exactly(text: str, share: str) -> None:
    """As percent or as a number, never as a double."""
    assert parse_share(text) == Fraction(share)


@pytest.mark.parametrize("text", ["", "x", "-1%", "100%", "2", "1/0"])
def test_what_is_no_share_is_refused(text: str) -> None:
    """With what would be accepted."""
    with pytest.raises(UsageError, match="is no share"):
        parse_share(text)


def test_page_problem_says_what_leads_it(shared: tuple[Path, BatchResult, SharingReport]) -> None:
    """The problem file alone tells which units are shared: it can be solved and rendered anywhere."""
    folder, result, report = shared
    (group,) = [group for group in report.groups if group.units]
    outputs = {record.task: record.output for record in result.records}
    leads = {read_problem(folder / outputs[page] / "packing-problem.json").lead for page in group.pages}
    (lead,) = leads
    assert lead is not None
    assert tuple(name for name in lead if not name.startswith("lead-heading:")) == group.units
    assert Problem.SCHEMA == "packing-problem.v1"


def test_no_page_loses_more_than_a_page_may(
    shared: tuple[Path, BatchResult, SharingReport], tmp_path: Path
) -> None:
    """The total may fall by a tenth; with the limit of a page no page falls by more than that."""
    limit = Fraction(2, 100)
    _, _, free = shared
    assert free.worst is not None
    assert free.worst.kept < 1 - limit, "the limit would hold by itself"
    _, report = run(tmp_path, options(page_loss=limit))
    assert report.max_page_loss == "1/50"
    assert all(page.value >= page.alone_value * (1 - limit) for page in report.pages)
    assert report.cost >= report.cost_bound
