"""Several folders and revisions have caches of their own, and give the bytes that a run without one gives."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from satchel import CacheOptions, PackOptions, ScanOptions, Task, WalkOptions, clear_cache, prepare
from satchel.sources.cache.contexts import Signature
from satchel.sources.cache.location import database_path
from satchel.sources.cache.store import Cache

LINKBOX = Path(__file__).parents[2] / "data" / "linkbox"
TASK = Task(kind="api-reference", about="Making, following and deleting links")


def git(root: Path, *arguments: str) -> None:
    command = ["git", "-c", "user.name=a", "-c", "user.email=a@b.c", "-C", str(root), *arguments]
    subprocess.run(command, check=True, capture_output=True)


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    root = tmp_path / "repo"
    shutil.copytree(LINKBOX, root)
    git(root, "init", "-q", "-b", "main")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "one")
    return root


def problem(roots: Path | list[Path], cache: Path | None, revision: str = "") -> str:
    options = PackOptions(
        budget=2000,
        scan=ScanOptions(walk=WalkOptions(revision=revision)),
        cache=CacheOptions(cache) if cache else None,
        on_notice=pytest.fail,
    )
    found, prepared = prepare(roots, TASK, options)
    return prepared.to_json() + repr(replace(found, units=()))


def hits(path: Path, roots: Path | list[Path], *, revisions: bool = False) -> dict[str, int]:
    with Cache(roots, path, revisions=revisions) as cache:
        return dict(cache.database.rows("SELECT name, value FROM tallies"))


def test_a_revision_is_read_once(repo: Path, tmp_path: Path) -> None:
    folder = tmp_path / "cache"
    cold = problem(repo, folder, "HEAD")
    first = hits(folder, repo, revisions=True)
    (repo / "linkbox/codes.py").write_text("changed = 1\n")
    assert problem(repo, folder, "HEAD") == cold == problem(repo, None, "HEAD")
    second = hits(folder, repo, revisions=True)
    assert first["hits"] == 0
    assert second["hits"] == first["misses"] + first["known"] > 5
    assert second["misses"] == first["misses"]


def test_of_the_next_revision_what_changed_is_read(repo: Path, tmp_path: Path) -> None:
    folder = tmp_path / "cache"
    problem(repo, folder, "HEAD")
    before = hits(folder, repo, revisions=True)
    (repo / "linkbox/codes.py").write_text("changed = 1\n")
    git(repo, "commit", "-q", "-a", "-m", "two")
    assert problem(repo, folder, "HEAD") == problem(repo, None, "HEAD")
    after = hits(folder, repo, revisions=True)
    assert (after["misses"] - before["misses"], after["stale"] - before["stale"]) == (1, 1)


def test_several_folders_are_read_once(repo: Path, tmp_path: Path) -> None:
    folder, other = tmp_path / "cache", tmp_path / "other"
    shutil.copytree(LINKBOX, other)
    (other / "linkbox/codes.py").write_text("def elsewhere():\n    return 1\n")
    for place in (*repo.rglob("*"), *other.rglob("*")):
        if place.is_file() and ".git" not in place.parts:
            subprocess.run(["touch", "-d", "2020-01-01", str(place)], check=True)
    roots = [repo, other]
    cold = problem(roots, folder)
    assert problem(roots, folder) == cold == problem(roots, None)
    assert "other/linkbox/codes.py" in cold
    found = hits(folder, roots)
    assert found["scans"] == 2
    # The time of change is not 2020's: these files are young, so they are read, and not cut, again.
    assert found["known"] + found["hits"] == found["misses"] > 10
    (other / "linkbox/codes.py").write_text("def another():\n    return 2\n")
    assert problem(roots, folder) == problem(roots, None)
    assert hits(folder, roots)["misses"] == found["misses"] + 1


def test_each_has_a_file_of_its_own(repo: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    paths = {
        database_path(repo, tmp_path),
        database_path([repo], tmp_path),
        database_path(repo, tmp_path, revisions=True),
        database_path([repo, other], tmp_path),
        database_path([other, repo], tmp_path),
    }
    assert len(paths) == 4


def test_clearing_takes_the_revisions_too(repo: Path, tmp_path: Path) -> None:
    folder = tmp_path / "cache"
    problem(repo, folder)
    problem(repo, folder, "HEAD")
    assert len(clear_cache(repo, CacheOptions(folder))) >= 2
    assert list(folder.glob("*.sqlite3")) == []


def test_two_objects_have_two_signatures() -> None:
    one, two = ("0123456789abcdef" * 3)[:40], ("0123456789abcdef" * 3)[:39] + "0"
    assert Signature.of_blob(5, one) != Signature.of_blob(5, two)
    assert max(Signature.of_blob(5, "f" * 64)) < 1 << 63
