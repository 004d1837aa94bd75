"""Damage inside of rows, which SQLite does not see: told, mended, and never in the way of the work."""

from __future__ import annotations

import random
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from satchel import (
    CacheOptions,
    PackOptions,
    Task,
    cache_savings,
    cache_status,
    make_estimator,
    prepare,
    verify_cache,
    work_cache,
)
from satchel.sources import units
from satchel.sources.cache import contexts
from satchel.sources.cache.location import database_path

LINKBOX = Path(__file__).parents[2] / "data" / "linkbox"

NOT_UTF8 = "CAST(x'7b22ff80fe41' AS TEXT)"
COLUMNS = [
    *(("contexts", name) for name in ("path", "size", "digest", "version", "content", "facts")),
    *(("contents", name) for name in ("key", "digest", "units", "words")),
    *(("counts", name) for name in ("recipe", "tokens")),
    *(("plain", name) for name in ("content", "recipe", "units")),
    *(("summaries", name) for name in ("key", "shape", "body")),
    *(("facts", name) for name in ("key", "value")),
    *(("jobs", name) for name in ("path", "raw", "error")),
]
VALUES = [NOT_UTF8, "7", "x'00ff'", "'{'"]


@pytest.fixture(scope="module", autouse=True)
def _old_enough() -> Iterator[None]:
    """Times of change cannot be set: let every file be believed by them. And few units be of a task's own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(contexts, "RACY_NS", 0)
        patch.setattr(units, "_WANTED", 6)
        yield


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository, its cache with summaries and jobs, and what a run without a cache finds."""
    home = tmp_path_factory.mktemp("damage")
    shutil.copytree(LINKBOX, home / "linkbox")
    run(home, cached=True)
    assert cache_status(home / "linkbox", CacheOptions(home / "caches")).stale == 0
    shutil.copy(database_path(home / "linkbox", home / "caches"), home / "good")
    (home / "right").write_text(run(home, cached=False)[0])
    return home


@pytest.fixture
def copy(made: Path) -> Path:
    """The same, with the cache as it was made."""
    restore(made)
    return made


def restore(home: Path) -> Path:
    file = database_path(home / "linkbox", home / "caches")
    shutil.rmtree(home / "caches")
    file.parent.mkdir()
    shutil.copy(home / "good", file)
    return file


def run(home: Path, *, cached: bool) -> tuple[str, list[str]]:
    """Return what a scan with counts finds, and the notices."""
    notices: list[str] = []
    options = PackOptions(
        cache=CacheOptions(home / "caches") if cached else None,
        on_notice=notices.append,
    )
    _, problem = prepare(home / "linkbox", Task(kind="overview"), options)
    return problem.model_dump_json(), notices


def looks(home: Path) -> list[Callable[[], object]]:
    where = CacheOptions(home / "caches")
    estimator = make_estimator(approximate=True)
    root = home / "linkbox"
    return [
        lambda: cache_status(root, where),
        lambda: cache_savings(root, estimator, where),
        lambda: verify_cache(root, where),
    ]


def spoil(home: Path, table: str, column: str, value: str) -> None:
    file = database_path(home / "linkbox", home / "caches")
    with closing(sqlite3.connect(file, isolation_level=None)) as db:
        some = f"(SELECT {column} FROM {table} LIMIT 1)"
        db.execute("PRAGMA ignore_check_constraints = 1")
        db.execute(f"UPDATE OR REPLACE {table} SET {column} = {value} WHERE {column} IS {some}")


@pytest.mark.parametrize("value", VALUES)
@pytest.mark.parametrize(("table", "column"), COLUMNS)
def test_a_row_of_wrong_values_stops_nothing(copy: Path, table: str, column: str, value: str) -> None:
    """A text that is no UTF-8, a number, bytes, or half of a JSON text in any column."""
    spoil(copy, table, column, value)
    right = (copy / "right").read_text()
    found, notices = run(copy, cached=True)
    assert found == right
    assert len(notices) <= 1
    assert all(notice.isascii() and "{" not in notice and "\\x" not in notice for notice in notices)
    again, _ = run(copy, cached=True)
    assert again == right


@pytest.mark.parametrize("value", VALUES)
@pytest.mark.parametrize(("table", "column"), COLUMNS)
def test_the_commands_read_past_wrong_values(copy: Path, table: str, column: str, value: str) -> None:
    """None of them raises."""
    for number in range(3):
        restore(copy)
        spoil(copy, table, column, value)
        looks(copy)[number]()


@pytest.mark.parametrize(
    ("table", "column"), [("contexts", "facts"), ("contents", "units"), ("summaries", "body")]
)
def test_verify_names_what_cannot_be_read(copy: Path, table: str, column: str) -> None:
    spoil(copy, table, column, NOT_UTF8)
    where = CacheOptions(copy / "caches")
    assert verify_cache(copy / "linkbox", where).faults
    assert not verify_cache(copy / "linkbox", where).faults


@pytest.mark.parametrize("seed", range(8))
def test_flipped_bytes_anywhere_stop_nothing(copy: Path, seed: int) -> None:
    file = database_path(copy / "linkbox", copy / "caches")
    chance = random.Random(seed)
    data = bytearray(file.read_bytes())
    for _ in range((1, 5, 20, 60, 200, 1000, 3000, 5000)[seed]):
        data[chance.randrange(100, len(data))] ^= chance.choice((1, 2, 32, 255))
    file.write_bytes(data)
    run(copy, cached=True)
    file.write_bytes(data)
    for look in looks(copy):
        look()
    file.write_bytes(data)
    work_cache(copy / "linkbox", CacheOptions(copy / "caches"))
    verify_cache(copy / "linkbox", CacheOptions(copy / "caches"))
    assert not verify_cache(copy / "linkbox", CacheOptions(copy / "caches")).faults
