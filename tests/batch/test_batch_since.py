"""Only pages that a change concerns are packed again, each with its reason."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from satchel import BatchResult, InputError, PageRecord

Batch = Callable[..., BatchResult]
Tree = Callable[[Path], dict[str, bytes]]


def git(folder: Path, *arguments: str) -> None:
    settings = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *settings, *arguments], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def before(box: Path, batch: Batch) -> Path:
    """The box, its repository committed, and all of its pages packed."""
    repo = box / "linkbox"
    git(repo, "init", "-q")
    git(repo, "add", "-A")
    git(repo, "commit", "-q", "-m", "first")
    batch()
    return box


def by_task(result: BatchResult) -> dict[str, PageRecord]:
    return {record.task: record for record in result.records}


def edit(box: Path, name: str, old: str, new: str) -> None:
    path = box / "linkbox" / name
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def test_nothing_changed_and_no_page_is_packed(before: Path, batch: Batch, tree: Tree) -> None:
    pages = {name: data for name, data in tree(before / "out").items() if "/" in name}
    result = batch(since="HEAD")
    assert result.counts == {"unchanged": 8}
    assert {name: data for name, data in tree(before / "out").items() if "/" in name} == pages


def test_a_page_is_packed_again_when_its_evidence_has_changed(before: Path, batch: Batch, tree: Tree) -> None:
    edit(before, "linkbox/codes.py", "def ", "# A code is drawn at random.\ndef ")
    found = by_task(batch(since="HEAD"))
    codes = found["module:linkbox.codes"]
    assert codes.status == "heuristic"
    assert "file:linkbox/codes.py has changed" in codes.changes
    assert codes.prompt_changed
    for record in found.values():
        artifact = (before / "out" / record.output / "packed-context.json").read_text("utf-8")
        if record.status == "unchanged":
            assert record.changes == ()
            assert not record.prompt_changed
        else:
            assert record.changes
            assert artifact
    # What was packed again is what a run from the start gives.
    batch("anew")
    whole = tree(before / "anew")
    for name, data in tree(before / "out").items():
        output = name.partition("/")[0]
        if "/" in name and any(r.output == output and r.status != "unchanged" for r in found.values()):
            assert data == whole[name]


def test_what_is_new_and_as_near_is_a_reason(before: Path, batch: Batch) -> None:
    text = "def delete_links(links):\n    '''Deleting links: following, making.'''\n    return links\n"
    (before / "linkbox" / "linkbox" / "deleting_links.py").write_text(text, encoding="utf-8")
    found = by_task(batch(since="HEAD"))
    assert "file:linkbox/deleting_links.py is as near to the task as what is packed" in found["links"].changes


def test_what_is_gone_is_a_reason(before: Path, batch: Batch) -> None:
    (before / "linkbox" / "linkbox" / "store.py").unlink()
    found = by_task(batch(since="HEAD"))
    told = {change for record in found.values() for change in record.changes}
    assert "file:linkbox/store.py is gone" in told


def test_another_task_is_a_reason_and_so_is_a_missing_pack(before: Path, batch: Batch) -> None:
    text = (before / "tasks.yaml").read_text("utf-8")
    (before / "tasks.yaml").write_text(text.replace("Making, following", "Following"), encoding="utf-8")
    (before / "out" / "module-linkbox.store" / "prompt.md").unlink()
    found = by_task(batch(since="HEAD"))
    assert found["links"].changes == ("its task or options have changed",)
    assert found["module:linkbox.store"].changes == ("there is no earlier pack of it",)
    assert [record.status for record in found.values()].count("unchanged") == 6


def test_a_page_update_starts_from_what_has_changed(before: Path, batch: Batch) -> None:
    task = "repo: linkbox\ntasks:\n  - {id: news, kind: page-update, budget: 1500}\n"
    (before / "news.yaml").write_text(task, encoding="utf-8")
    edit(before, "linkbox/codes.py", "def ", "# A code is drawn at random.\ndef ")
    (record,) = batch("news", tasks="news.yaml", since="HEAD").records
    artifact = (before / "news" / record.output / "packed-context.json").read_text("utf-8")
    assert "file:linkbox/codes.py" in artifact.partition('"rejectedUnits"')[0]


def test_a_revision_that_is_not_there_is_told(before: Path, batch: Batch) -> None:
    with pytest.raises(InputError, match="revision"):
        batch(since="no-such-branch")
