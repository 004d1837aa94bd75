"""Several processes read the same as one."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from satchel.sources.candidates import Reading, read_candidates
from satchel.sources.extract import Registry, default_registry
from satchel.sources.extract.blocks import BlockExtractor
from satchel.sources.files import SkipReason
from satchel.sources.parallel import LEAST_BYTES, read_apart
from satchel.sources.walk import WalkOptions, walk


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for n in range(450):
        folder = tmp_path / f"d{n % 7}"
        folder.mkdir(exist_ok=True)
        (folder / f"m{n}.py").write_text(f"def f{n}():\n    return {n}\n" * 3, encoding="utf-8")
    (tmp_path / "a.md").write_text("# One\n\ntext\n", encoding="utf-8")
    (tmp_path / "b.bin").write_bytes(b"\0\1\2" * 50)
    (tmp_path / "empty.txt").write_bytes(b"")
    (tmp_path / "key.py").write_text("password = 'ghp_" + "a1B2" * 9 + "'\n", encoding="utf-8")
    return tmp_path


def read(root: Path, jobs: int | None) -> Reading:
    return read_candidates(root, WalkOptions(), default_registry(), None, jobs)


def facts(reading: Reading) -> list[object]:
    return [
        [(c.id, c.kind, c.fragment, c.file.text, c.file.secrets, c.file.notes) for c in reading.candidates],
        reading.skipped,
        reading.empty,
        [(f.path, f.lines, f.file_class, f.language) for f in reading.files],
    ]


def test_it_is_what_one_process_reads(tree: Path) -> None:
    alone, together = read(tree, 1), read(tree, 2)
    assert facts(alone) == facts(together)
    assert len(alone.files) == 453
    assert [item.reason for item in alone.skipped if item.path == "b.bin"] == [SkipReason.BINARY]
    assert any(file.secrets for file in together.files)


def test_without_workers_this_process_does_it(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", str(tree / "no-such-program"))
    assert facts(read(tree, 2)) == facts(read(tree, 1))


def test_workers_that_end_at_once_lose_nothing(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/bin/false")
    assert facts(read(tree, 2)) == facts(read(tree, 1))


def test_modules_do_not_come_from_the_current_folder(
    tree: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    hostile = tmp_path_factory.mktemp("hostile")
    (hostile / "satchel").mkdir()
    mark = hostile / "ran"
    (hostile / "satchel" / "__init__.py").write_text(f"open({str(mark)!r}, 'w')\n", encoding="utf-8")
    (hostile / "pickle.py").write_text(f"open({str(mark)!r}, 'w')\n", encoding="utf-8")
    monkeypatch.chdir(hostile)
    assert len(read(tree, 2).files) == 453
    assert not mark.exists()


def test_little_text_is_read_here(tree: Path) -> None:
    sources = walk(tree).files
    versions = default_registry().versions
    assert sum(source.size for source in sources) < LEAST_BYTES
    assert read_apart(sources, None, versions) is None
    assert read_apart(sources, None, Registry([BlockExtractor()]).versions, 2) is None
    assert read_apart((), None, versions, 2) is None
