"""What goes wrong with one page is told, and stops no other; what was cut short is gone on with."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from satchel import BatchResult
from satchel.batch import Step
from satchel.batch.journal import read_records
from satchel.models import StoppedError

Batch = Callable[..., BatchResult]
Tree = Callable[[Path], dict[str, bytes]]

BAD = """\
repo: linkbox
defaults: {kind: api-reference, budget: 1200}
tasks:
  - {id: missing, focus: [nothing.py]}
  - {id: tiny, budget: 10}
  - {id: unheard, kind: poem}
  - {id: elsewhere, repo: nowhere}
  - {id: clash, policy: {mustInclude: ["id:no such unit"]}}
  - {id: good}
"""


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_failure_is_in_the_manifest_and_stops_no_other(box: Path, batch: Batch, jobs: int) -> None:
    (box / "bad.yaml").write_text(BAD, encoding="utf-8")
    result = batch(tasks="bad.yaml", jobs=jobs)
    told = {record.task: record.error["code"] for record in result.records if record.error}
    assert told == {
        "missing": "file",
        "tiny": "frame_does_not_fit",
        "unheard": "usage",
        "elsewhere": "file",
        "clash": "must_include_matches_nothing",
    }
    assert result.records[-1].status == "heuristic"
    assert not result.is_complete
    tiny = result.records[1].error
    assert tiny is not None
    assert tiny["data"]["smallestBudget"] > 10


def test_fail_fast_begins_no_more(box: Path, batch: Batch) -> None:
    (box / "bad.yaml").write_text(BAD, encoding="utf-8")
    result = batch(tasks="bad.yaml", fail_fast=True)
    assert [record.status for record in result.records][-2:] == ["not_run", "not_run"]


def test_a_fault_of_ours_is_an_answer_too(box: Path, batch: Batch, monkeypatch: pytest.MonkeyPatch) -> None:
    from satchel.batch.preparing import Shelf

    prepared = Shelf.prepared

    def broken(self: Shelf, page: object, amendment: object = None) -> object:
        if getattr(page, "id", "") == "links":
            raise ZeroDivisionError("by none")
        return prepared(self, page, amendment)  # type: ignore[arg-type]

    monkeypatch.setattr(Shelf, "prepared", broken)
    result = batch()
    assert result.counts == {"failed": 1, "heuristic": 7}
    assert result.records[0].error == {"code": "fault", "message": "ZeroDivisionError: by none"}


def test_resume_does_what_is_missing_or_has_changed(box: Path, batch: Batch, tree: Tree) -> None:
    batch("whole")
    batch("out")
    assert batch("out", resume=True).kept == 8

    (box / "out" / "links" / "prompt.md").write_text("something else", encoding="utf-8")
    (box / "out" / "module-linkbox" / "packed-context.json").unlink()
    assert batch("out", resume=True).kept == 6
    assert tree(box / "out") == tree(box / "whole")

    text = (box / "tasks.yaml").read_text("utf-8")
    (box / "tasks.yaml").write_text(text.replace("budget: 900", "budget: 950"), encoding="utf-8")
    assert batch("out", resume=True).kept == 5

    store = box / "linkbox" / "linkbox" / "store.py"
    store.write_text(store.read_text("utf-8") + "\n\ndef added() -> None:\n    pass\n", encoding="utf-8")
    assert batch("out", resume=True).kept == 0


def test_what_failed_is_tried_again(box: Path, batch: Batch) -> None:
    (box / "bad.yaml").write_text(BAD, encoding="utf-8")
    batch(tasks="bad.yaml")
    (box / "linkbox" / "nothing.py").write_text("x = 1\n", encoding="utf-8")
    result = batch(tasks="bad.yaml", resume=True)
    assert result.records[0].status == "heuristic"


@pytest.mark.parametrize("cut", [0, 40])
def test_a_journal_that_was_cut_short_is_read_up_to_there(
    box: Path, batch: Batch, tree: Tree, cut: int
) -> None:
    """The run is as it is after a kill: no manifest, a journal whose last line may be in part on the disk."""
    batch("whole")
    batch("out")
    manifest = box / "out" / "manifest.jsonl"
    lines = manifest.read_bytes().splitlines(keepends=True)
    manifest.unlink()
    (box / "out" / ".journal.jsonl").write_bytes(b"".join(lines[:3]) + lines[3][:cut])
    assert len(read_records(box / "out")) == 3
    result = batch("out", resume=True)
    assert result.kept == 3
    assert tree(box / "out") == tree(box / "whole")


def test_a_worker_that_dies_is_replaced(box: Path, batch: Batch, tree: Tree) -> None:
    batch("whole")
    killed: list[int] = []

    def kill(step: Step) -> None:
        own = f"PPid:\t{os.getpid()}\n"
        workers = [
            int(place.parent.name)
            for place in Path("/proc").glob("[0-9]*/status")
            if own in place.read_text() and b"serve()" in (place.parent / "cmdline").read_bytes()
        ]
        if workers and len(killed) < 2:
            killed.append(workers[-1])
            os.kill(workers[-1], signal.SIGKILL)

    if not Path("/proc/self").exists():
        pytest.skip("needs /proc to find the workers")
    result = batch("out", jobs=2, on_step=kill)
    assert killed
    assert result.counts == {"heuristic": 8}
    assert tree(box / "out") == tree(box / "whole")


def test_ctrl_c_keeps_what_is_done(box: Path, batch: Batch, tree: Tree) -> None:
    batch("whole")

    def interrupt(step: Step) -> None:
        if step.done == 3:
            raise KeyboardInterrupt

    with pytest.raises(StoppedError, match="3 of 8 pages") as caught:
        batch("out", jobs=2, on_step=interrupt)
    assert caught.value.exit_code == 130
    assert "--resume" in str(caught.value)
    kept = batch("out", resume=True).kept
    assert kept >= 3
    assert tree(box / "out") == tree(box / "whole")


def test_progress_counts_every_page(box: Path, batch: Batch) -> None:
    steps: list[Step] = []
    batch(on_step=steps.append)
    assert [step.done for step in steps] == list(range(1, 9))
    assert {step.total for step in steps} == {8}
    assert steps[-1].seconds_left == 0
    assert json.dumps([step.task for step in steps])
