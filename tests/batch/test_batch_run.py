"""A batch gives what one pack after another gives, whatever engine does it."""

from __future__ import annotations

import gc
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from satchel import (
    BatchOptions,
    BatchResult,
    InputError,
    PackOptions,
    Problem,
    SolveOptions,
    Task,
    pack,
    read_artifact,
    read_problem,
    run_batch,
    verify,
    write_pack,
)
from satchel.batch import Prepared
from satchel.batch.journal import only_one
from satchel.batch.pages import pages_of
from satchel.batch.taskfile import TaskFile
from satchel.batch.working import SWEPT, Job, Shop
from satchel.sources.scan import survey

Batch = Callable[..., BatchResult]
Tree = Callable[[Path], dict[str, bytes]]

FOCUSES = [
    (),
    ("linkbox/store.py",),
    ("./linkbox/store.py",),
    ("linkbox",),
    ("linkbox/", "docs/errors.md"),
    ("clients/links.generated.ts",),
    ("ignored/notes.md",),
    ("ignored",),
    (".env",),
    (".",),
]


def test_each_page_is_what_pack_gives(box: Path, batch: Batch, tree: Tree) -> None:
    """Whatever is named: a file, a folder, what is ignored, and what holds secrets by its name."""
    (box / "linkbox" / "ignored").mkdir()
    (box / "linkbox" / "ignored" / "notes.md").write_text(
        "# Notes\n\nA link is made once.\n", encoding="utf-8"
    )
    (box / "linkbox" / ".ignore").write_text("ignored/\n", encoding="utf-8")
    (box / "linkbox" / ".env").write_text("LINKBOX_CODE_LENGTH=8\n", encoding="utf-8")
    tasks = [
        {"id": f"page{i}", "kind": kind, "about": "Deleting links", "focus": focus, "budget": 3000}
        for i, (focus, kind) in enumerate(
            (focus, kind) for focus in FOCUSES for kind in ("api-reference", "overview")
        )
    ]
    (box / "many.jsonl").write_text(
        '{"repo": "linkbox", "defaults": {}}\n' + "".join(json.dumps(task) + "\n" for task in tasks),
        encoding="utf-8",
    )
    result = batch(tasks="many.jsonl")
    assert result.counts == {"heuristic": len(tasks)}
    for task in tasks:
        alone = pack(
            box / "linkbox",
            Task(id=task["id"], kind=task["kind"], about=task["about"], focus=task["focus"]),  # type: ignore[arg-type]
            PackOptions(budget=3000, solve=SolveOptions(solver="greedy")),
        )
        write_pack(alone, box / "alone")
        assert tree(box / "out" / str(task["id"])) == tree(box / "alone"), task


def test_the_pool_gives_the_bytes_of_one_process(box: Path, batch: Batch, tree: Tree) -> None:
    one, two = batch("one", jobs=1, proven=True), batch("two", jobs=2, proven=True)
    assert tree(box / "one") == tree(box / "two")
    assert one.counts == two.counts == {"optimal": 8}
    for record in one.records:
        artifact = read_artifact(box / "one" / record.output / "packed-context.json")
        problem = read_problem(box / "one" / record.output / "packing-problem.json")
        assert verify(artifact, problem).passed
        assert (record.objective, record.bound) == (artifact.solver.objective, artifact.solver.bound)


def test_the_manifest_names_every_page_in_order(box: Path, batch: Batch) -> None:
    result = batch()
    lines = [json.loads(line) for line in (box / "out" / "manifest.jsonl").read_text("utf-8").splitlines()]
    assert [line["task"] for line in lines] == [record.task for record in result.records]
    assert lines[0]["task"] == "links"
    assert "seconds" not in json.dumps(lines)
    times = [json.loads(line) for line in (box / "out" / "seconds.jsonl").read_text("utf-8").splitlines()]
    assert {entry["task"] for entry in times} == {line["task"] for line in lines}
    assert not (box / "out" / ".journal.jsonl").exists()


def test_a_repository_is_read_once(box: Path, batch: Batch, monkeypatch: pytest.MonkeyPatch) -> None:
    from satchel.batch import surveys

    read = []
    monkeypatch.setattr(surveys, "survey", lambda *args: read.append(args) or _survey(*args))
    from satchel.sources.scan import survey as _survey

    batch()
    assert len(read) == 1


def test_policies_and_zones_of_a_task_hold(box: Path, batch: Batch) -> None:
    task = {
        "id": "a",
        "policy": {"mustExclude": ["path:clients/**"], "mustInclude": ["id:*#deleteLink"]},
        "zones": [{"name": "examples", "maxTokens": 0}],
    }
    (box / "a.yaml").write_text(json.dumps({"repo": "linkbox", "tasks": [task]}), encoding="utf-8")
    result = batch(tasks="a.yaml")
    artifact = read_artifact(box / "out" / result.records[0].output / "packed-context.json")
    accepted = {unit.id: unit.zone for unit in artifact.accepted_units}
    assert "api:openapi.yaml#deleteLink" in accepted
    assert "examples" not in accepted.values()
    assert not any("clients/" in unit_id for unit_id in accepted)


def test_only_what_is_wanted_is_written(box: Path, batch: Batch) -> None:
    batch(kinds=("artifact", "problem", "prompt"))
    batch(kinds=("prompt",), resume=True)
    assert {path.name for path in (box / "out" / "links").iterdir()} == {"prompt.md"}


@dataclass(frozen=True)
class Without:
    """An amendment: one unit must not be in."""

    unit: str
    digest: str = "without"

    def apply(self, problem: Problem) -> Problem:
        policy = problem.policy.model_copy(
            update={"must_exclude": (*problem.policy.must_exclude, f"id:{self.unit}")}
        )
        return problem.model_copy(update={"policy": policy})


def test_a_plan_sees_every_problem_and_may_change_it(box: Path, batch: Batch) -> None:
    """What a shared prefix needs: all problems in order, and changes that reach the workers."""
    batch("plain")
    seen: list[str] = []

    def plan(pages: Sequence[Prepared]) -> Mapping[str, Without]:
        seen.extend(page.page.id for page in pages)
        assert all(unit.token_estimate for unit in pages[0].problem.units if unit.text)
        return {"links": Without("file:linkbox/store.py")}

    result = batch("planned", plan=plan, jobs=2)
    assert seen == [record.task for record in result.records]
    ids = []
    for folder in ("plain", "planned"):
        artifact = read_artifact(box / folder / "links" / "packed-context.json")
        ids.append({unit.id for unit in artifact.accepted_units})
    assert "file:linkbox/store.py" in ids[0] - ids[1]
    assert (box / "plain" / "module-linkbox" / "prompt.md").read_bytes() == (
        box / "planned" / "module-linkbox" / "prompt.md"
    ).read_bytes()


def test_two_batches_do_not_write_into_one_folder(box: Path, batch: Batch) -> None:
    with only_one(box / "out"), pytest.raises(InputError, match="another batch"):
        batch()


def test_a_folder_that_is_not_there_is_told(box: Path) -> None:
    (box / "a.yaml").write_text("repo: nowhere\ntasks:\n  - each: module\n", encoding="utf-8")
    with pytest.raises(InputError, match="no such folder"):
        run_batch(box / "a.yaml", BatchOptions(folder=box / "out"))


def test_a_worker_does_not_grow_with_its_pages(box: Path) -> None:
    """What pages leave behind is swept up: after many of them there is no more of it than of a few."""
    found = survey(box / "linkbox")
    whole = TaskFile.from_data({"tasks": [{"each": "module", "budget": 1200}]})
    options = PackOptions(solve=SolveOptions(solver="greedy"))
    (page, *_) = pages_of(whole, {".": found}, options, name="t.yaml")
    shop = Shop(lambda _: found)

    def left_behind(pages: int) -> int:
        gc.collect()
        for _ in range(pages):
            assert shop.do(Job(page, "key", "digest", box / "out")).record.is_done
        return gc.collect()

    left_behind(1)
    of_one = left_behind(1)
    assert of_one > 0
    assert left_behind(4 * SWEPT) <= 1.5 * SWEPT * of_one
