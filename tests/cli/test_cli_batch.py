"""``satchel batch``: what it prints, what it leaves, and its exit codes."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from processes import Satchel

LINKBOX = Path(__file__).parent.parent / "data" / "linkbox"

TASKS = """\
repo: linkbox
defaults: {kind: api-reference, budget: 1200}
tasks:
  - {id: links, about: Making and deleting links}
  - each: operation
"""


@pytest.fixture
def tasks(tmp_path: Path) -> Path:
    """A tasks file of four pages beside its repository."""
    shutil.copytree(LINKBOX, tmp_path / "linkbox", ignore=shutil.ignore_patterns("__pycache__"))
    path = tmp_path / "tasks.yaml"
    path.write_text(TASKS, encoding="utf-8")
    return path


def test_a_batch_says_what_it_packed(here: Satchel, tasks: Path, tmp_path: Path) -> None:
    done = here("batch", tasks, "--jobs", "1", "--no-cache")
    assert done.code == 0
    assert "Batch of 4 pages" in done.out
    assert "optimal" in done.out
    assert "wrote .satchel-batch/manifest.jsonl" in done.err
    assert (tmp_path / ".satchel-batch" / ".gitignore").read_text("utf-8") == "*\n"
    assert (tmp_path / ".satchel-batch" / "links" / "prompt.md").exists()


def test_its_pages_are_verified_like_any_pack(here: Satchel, tasks: Path) -> None:
    here("batch", tasks, "--jobs", "1", "--out", "out", "-q")
    assert here("verify", "out/links/packed-context.json").code == 0


def test_json_has_every_page_and_the_seconds_apart(here: Satchel, tasks: Path) -> None:
    done = here("batch", tasks, "--jobs", "1", "--out", "out", "--json", "--solver", "greedy")
    data = done.json()
    assert data["pages"][0]["task"] == "links"
    assert data["counts"] == {"heuristic": 4}
    assert data["seconds"].keys() == {"scan", "wall", "prepare", "solve", "write"}
    assert done.err == ""


def test_a_page_that_fails_makes_the_exit_code_1_and_is_named(here: Satchel, tasks: Path) -> None:
    tasks.write_text(TASKS + "  - {id: tiny, budget: 5}\n", encoding="utf-8")
    done = here("batch", tasks, "--jobs", "1", "--out", "out", "--solver", "greedy")
    assert done.code == 1
    assert "tiny" in done.out
    assert "frame_does_not_fit" in done.out
    again = here("batch", tasks, "--jobs", "1", "--out", "out", "--solver", "greedy", "--resume", "--json")
    assert again.code == 1
    assert again.json()["kept"] == 4


def test_not_proven_is_3_where_a_proof_is_asked_for(here: Satchel, tasks: Path) -> None:
    done = here(
        "batch", tasks, "--jobs", "1", "--out", "out", "-q", "--solver", "greedy", "--require-optimal"
    )
    assert done.code == 3


def test_progress_is_told_to_programs(here: Satchel, tasks: Path) -> None:
    done = here(
        "batch", tasks, "--jobs", "1", "--out", "out", "-q", "--solver", "greedy", "--progress", "jsonl"
    )
    events = [json.loads(line) for line in done.err.splitlines()]
    steps = [event for event in events if "done" in event]
    assert [event["done"] for event in steps] == [1, 2, 3, 4]
    assert all(event["total"] == 4 and event["secondsLeft"] is not None for event in steps)


def test_limits_of_time_give_every_page(here: Satchel, tasks: Path) -> None:
    done = here("batch", tasks, "--jobs", "1", "--out", "out", "--json", "--run-time-limit", "0")
    pages = done.json()["pages"]
    assert len([page for page in pages if page["tokens"] > 0]) == 4
    assert all(page["timeLimit"] == 0 for page in pages)


def test_prices_give_a_cost_for_each_page(here: Satchel, tasks: Path, tmp_path: Path) -> None:
    prices = {
        "schemaVersion": "price-table.v1",
        "currency": "USD",
        "models": {"gpt-4o": {"inputPerMillion": 2_500_000, "cachedInputPerMillion": 1_250_000}},
    }
    (tmp_path / "prices.json").write_text(json.dumps(prices), encoding="utf-8")
    tasks.write_text(TASKS.replace("budget: 1200", "budget: 1200, model: gpt-4o"), encoding="utf-8")
    done = here("batch", tasks, "--jobs", "1", "--out", "out", "--prices", "prices.json", "--json")
    assert done.code == 0, done.err
    for page in done.json()["pages"]:
        assert page["cost"]["currency"] == "USD"
        assert page["cost"]["costMicro"] == pytest.approx(page["tokens"] * 2.5, abs=3)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["nothing.yaml"], "nothing.yaml: cannot be read"),
        (["tasks.yaml", "--write", "prompt,answer"], "artifact, problem, prompt"),
        (["tasks.yaml", "--summaries", "cached"], "compute, or off"),
        (["tasks.yaml", "--emit", "mail"], "anthropic-batch"),
        (["tasks.yaml", "--jobs", "0"], "--jobs"),
        (["tasks.yaml", "--run-time-limit", "-1"], "--run-time-limit"),
        (["linkbox/README.md"], ".jsonl"),
    ],
)
def test_wrong_use_is_told_and_writes_nothing(
    here: Satchel, tasks: Path, tmp_path: Path, arguments: list[str], told: str
) -> None:
    done = here("batch", *arguments, "--out", "out")
    assert done.code == 2
    assert told in done.err
    assert not (tmp_path / "out").exists()


def test_schemas_of_its_files_are_there(here: Satchel) -> None:
    for name in ("batch-tasks", "batch-manifest"):
        assert here("schema", name).json()["properties"]["schemaVersion"]
