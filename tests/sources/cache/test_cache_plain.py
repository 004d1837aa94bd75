"""Units that are kept counted are those of a run without a cache, whatever was kept and whatever is asked."""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from satchel import CacheOptions, PackOptions, Task, open_cache, prepare
from satchel.models import ContextUnit
from satchel.sources import units as units_module
from satchel.sources.cache.plain import PlainUnits
from satchel.sources.cache.upkeep import prune

LINKBOX = Path(__file__).parents[2] / "data" / "linkbox"
KINDS = ("api-reference", "overview", "tutorial", "troubleshooting")
ABOUT = ("Making, following and deleting links", "storage", "")


@pytest.fixture(autouse=True)
def few_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the task make forms of its own for a few units only, as in a large repository."""
    monkeypatch.setattr(units_module, "_WANTED", 6)


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    shutil.copytree(LINKBOX, tmp_path / "repo")
    return tmp_path / "repo"


def prepared(
    repo: Path, cache: Path | None, kind: str = KINDS[0], about: str = ABOUT[0], **other: Any
) -> str:
    focus = other.pop("focus", ())
    options = PackOptions(
        budget=3000, cache=CacheOptions(cache) if cache else None, on_notice=pytest.fail, **other
    )
    found, problem = prepare(repo, Task(kind=kind, about=about, focus=focus), options)
    return problem.to_json() + repr((found.skipped, found.diagnostics, found.report, found.groups))


@pytest.fixture
def known(monkeypatch: pytest.MonkeyPatch) -> list[ContextUnit]:
    """Collect the units that are taken from the cache."""
    taken: list[ContextUnit] = []
    counted = PlainUnits.counted

    def spy(self: PlainUnits, unit: ContextUnit) -> None:
        taken.append(unit)
        counted(self, unit)

    monkeypatch.setattr(PlainUnits, "counted", spy)
    return taken


def rows(repo: Path, cache: Path, sql: str) -> list[tuple[Any, ...]]:
    with open_cache(repo, CacheOptions(cache)) as opened:
        return opened.database.rows(sql)


def test_most_units_are_known_the_second_time(repo: Path, tmp_path: Path, known: list[ContextUnit]) -> None:
    first = prepared(repo, tmp_path / "cache")
    assert not known
    assert prepared(repo, tmp_path / "cache") == first == prepared(repo, None)
    assert len(known) > 20


def test_units_that_are_known_are_valid_records(repo: Path, tmp_path: Path, known: list[ContextUnit]) -> None:
    prepared(repo, tmp_path / "cache")
    prepared(repo, tmp_path / "cache")
    for unit in known:
        assert ContextUnit.model_validate(unit.model_dump()) == unit


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    asks=st.lists(
        st.fixed_dictionaries(
            {"kind": st.sampled_from(KINDS), "about": st.sampled_from(ABOUT)},
            optional={
                "format": st.sampled_from(("markdown", "xml", "plain")),
                "encoding": st.just("cl100k_base"),
                "volatile": st.just(("**/*.md",)),
                "focus": st.sampled_from((("README.md",), ("linkbox",), ("openapi.yaml",))),
            },
        ),
        min_size=2,
        max_size=5,
    )
)
def test_whatever_was_asked_before_changes_nothing(repo: Path, asks: list[dict[str, Any]]) -> None:
    """Another kind of task, format, tokenizer, named path: each has what a run without a cache has."""
    with tempfile.TemporaryDirectory() as cache:
        for ask in asks:
            assert prepared(repo, Path(cache), **ask) == prepared(repo, None, **ask)


def test_a_named_file_is_not_taken_for_one_of_many(
    repo: Path, tmp_path: Path, known: list[ContextUnit]
) -> None:
    """Its tags and risks are others than those that were kept of it."""
    prepared(repo, tmp_path / "cache")
    prepared(repo, tmp_path / "cache")
    path = known[-1].source_refs[0].path
    known.clear()
    assert prepared(repo, tmp_path / "cache", focus=(path,)) == prepared(repo, None, focus=(path,))
    assert path not in {unit.source_refs[0].path for unit in known}
    # And the other way round: what is kept of a named file is nobody's.
    assert prepared(repo, tmp_path / "new", focus=(path,)) == prepared(repo, None, focus=(path,))
    assert prepared(repo, tmp_path / "new") == prepared(repo, None)


def test_an_edited_file_is_counted_anew_and_its_old_units_stay_its_own(
    repo: Path, tmp_path: Path, known: list[ContextUnit]
) -> None:
    prepared(repo, tmp_path / "cache")
    prepared(repo, tmp_path / "cache")
    place = repo / known[-1].source_refs[0].path
    old = place.read_text("utf-8")
    for text in (f"{old}\n\nMore at the end.\n", f"First.\n\n{old}", old[: len(old) // 2], old):
        place.write_text(text, "utf-8")
        assert prepared(repo, tmp_path / "cache") == prepared(repo, None)


def test_a_changed_kind_of_task_has_units_of_its_own(repo: Path, tmp_path: Path) -> None:
    """The recipe is of everything that a kind of task says, not of its name."""
    prepared(repo, tmp_path / "cache")
    (repo / "satchel.toml").write_text("[tasks.api-reference.authority]\nsource = 0.31\n")
    changed = prepared(repo, tmp_path / "cache")
    assert changed == prepared(repo, None)
    assert "0.31" in changed
    (repo / "satchel.toml").unlink()
    assert prepared(repo, tmp_path / "cache") == prepared(repo, None)


@pytest.mark.parametrize("value", ["x'00ff00ff00ff'", "7", "'{'", "x''", "x'00000000'", "NULL"])
def test_a_row_that_cannot_be_read_is_made_anew(
    repo: Path, tmp_path: Path, known: list[ContextUnit], value: str
) -> None:
    right = prepared(repo, tmp_path / "cache")
    good = rows(repo, tmp_path / "cache", "SELECT * FROM plain ORDER BY content")
    with open_cache(repo, CacheOptions(tmp_path / "cache")) as opened:
        opened.database.write(lambda db: db.execute(f"UPDATE OR IGNORE plain SET units = {value}"))
    known.clear()
    assert prepared(repo, tmp_path / "cache") == right
    if value != "NULL":  # which the table does not take
        assert not known
    assert rows(repo, tmp_path / "cache", "SELECT * FROM plain ORDER BY content") == good


@given(at=st.integers(0, 10_000), bit=st.integers(0, 7))
@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_flipped_bit_is_seen(repo: Path, tmp_path: Path, at: int, bit: int) -> None:
    """A checksum covers every byte: what rots on a disk is no token count."""
    cache = tmp_path / "cache"
    prepared(repo, cache)

    def flip(db: sqlite3.Connection) -> None:
        key, recipe, data = db.execute("SELECT content, recipe, units FROM plain ORDER BY content").fetchone()
        bad = bytearray(data)
        bad[at % len(bad)] ^= 1 << bit
        db.execute("UPDATE plain SET units = ? WHERE content = ? AND recipe = ?", (bytes(bad), key, recipe))

    with open_cache(repo, CacheOptions(cache)) as opened:
        opened.database.write(flip)
    assert prepared(repo, cache) == prepared(repo, None)


def test_units_of_contents_that_are_gone_are_forgotten(repo: Path, tmp_path: Path) -> None:
    prepared(repo, tmp_path / "cache")
    with open_cache(repo, CacheOptions(tmp_path / "cache")) as opened:
        opened.database.write(lambda db: db.execute("DELETE FROM contents"))
        opened.database.write(lambda db: db.execute("DELETE FROM facts WHERE name = 'pruned'"))
        assert opened.database.write(prune)
        assert opened.database.rows("SELECT * FROM plain") == []
