"""Caches do not grow for ever."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from satchel.models import Task
from satchel.sources.cache import upkeep
from satchel.sources.cache.database import open_database
from satchel.sources.cache.location import database_path
from satchel.sources.cache.store import Cache
from satchel.sources.cache.upkeep import DAY, KEPT_DAYS, UNUSED_DAYS, prune, sweep
from satchel.sources.scan import ScanOptions, scan


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    root = tmp_path / "repo"
    root.mkdir()
    (root / "a.py").write_text("def first():\n    return 1\n")
    (root / "b.py").write_text("def second():\n    return 2\n")
    return root


def read(repo: Path) -> None:
    with Cache(repo) as cache:
        scan(repo, Task(kind="overview"), ScanOptions(cache=cache))
        assert cache.notices == []


def test_texts_that_no_file_holds_are_kept_for_a_while_and_then_deleted(
    repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read(repo)
    (repo / "a.py").write_text("def changed():\n    return 3\n")
    read(repo)
    with Cache(repo) as cache:
        assert cache.database.row("SELECT count(*) FROM contents") == (3,)
    now = time.time()
    monkeypatch.setattr(upkeep.time, "time", lambda: now + (KEPT_DAYS + 1) * DAY)
    read(repo)
    with Cache(repo) as cache:
        assert cache.database.row("SELECT count(*) FROM contents") == (2,)
        assert cache.database.row(
            "SELECT count(*) FROM counts WHERE content NOT IN (SELECT key FROM contents)"
        ) == (0,)


def test_rows_are_looked_through_once_a_day(repo: Path) -> None:
    read(repo)
    with Cache(repo) as cache:
        assert not cache.database.write(prune)
        cache.database.write(lambda db: db.execute("UPDATE facts SET key = '1' WHERE name = 'pruned'"))
        assert cache.database.write(prune)


def test_caches_that_nobody_uses_go_when_a_new_one_comes(repo: Path, tmp_path: Path) -> None:
    folder = tmp_path / "caches"
    old, young = (database_path(tmp_path / name, folder) for name in ("old", "young"))
    for path in (old, young):
        open_database(path).close()
    (folder / "notes.sqlite3").write_text("not ours by its name")
    then = time.time() - (UNUSED_DAYS + 1) * DAY
    for path in (old, folder / "notes.sqlite3"):
        os.utime(path, (then, then))
    Cache(repo, folder).close()
    assert not old.exists()
    assert young.exists()
    assert (folder / "notes.sqlite3").exists()
    assert sweep(tmp_path / "none") == []
