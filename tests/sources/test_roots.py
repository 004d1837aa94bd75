"""Several folders at once: no path is ambiguous."""

from __future__ import annotations

from pathlib import Path

import pytest

from satchel.models.errors import UsageError
from satchel.sources.candidates import read_candidates
from satchel.sources.extract import default_registry
from satchel.sources.roots import labels_of, walk_roots
from satchel.sources.walk import WalkOptions, walk


@pytest.fixture
def two(tmp_path: Path) -> list[Path]:
    for name in ("api", "web"):
        (tmp_path / name / "src").mkdir(parents=True)
        (tmp_path / name / "src" / "a.py").write_text(f"NAME = '{name}'\n", encoding="utf-8")
        (tmp_path / name / "x.log").write_text("x\n", encoding="utf-8")
    (tmp_path / "api" / ".ignore").write_text("*.log\n", encoding="utf-8")
    return [tmp_path / "api", tmp_path / "web"]


def test_each_path_has_its_label(two: list[Path]) -> None:
    """I04, L06."""
    found = walk_roots(two)
    assert [file.path for file in found.files] == ["api/.ignore", "api/src/a.py", "web/src/a.py", "web/x.log"]
    assert [file.read_bytes() for file in found.files][2] == b"NAME = 'web'\n"
    assert [item.path for item in found.skipped] == ["api/x.log"]
    reading = read_candidates(two, WalkOptions(), default_registry())
    assert {"file:api/src/a.py", "file:web/src/a.py"} <= {candidate.id for candidate in reading.candidates}


def test_one_folder_has_none(two: list[Path]) -> None:
    assert walk_roots(two[:1]) == walk(two[0])


def test_named_paths_and_patterns(two: list[Path]) -> None:
    options = WalkOptions(explicit=("api/x.log",), include=("*.py", "*.log", "*.none"))
    found = walk_roots(two, options)
    assert [file.path for file in found.files] == ["api/src/a.py", "api/x.log", "web/src/a.py", "web/x.log"]
    assert found.unmatched == ("*.none",)
    with pytest.raises(UsageError, match="in none of the folders"):
        walk_roots(two, WalkOptions(explicit=("src/a.py",)))


def test_labels_are_unique(tmp_path: Path) -> None:
    places = [tmp_path / "a" / "core", tmp_path / "b" / "core", tmp_path / "c"]
    assert labels_of(places) == ("a-core", "b-core", "c")
    with pytest.raises(UsageError, match="given twice"):
        labels_of([tmp_path / "c", tmp_path / "x" / ".." / "c"])
