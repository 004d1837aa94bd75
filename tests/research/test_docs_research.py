"""What docs/research.md shows runs, and lists what there is."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from satchel.formats import EXPORTERS, IMPORTERS
from satchel.research import FAMILIES
from satchel.research.compare import COLUMNS

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "docs" / "research.md").read_text("utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)


@pytest.mark.parametrize("block", BLOCKS, ids=["ten lines", "build"])
def test_the_examples_run(
    block: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "agg")
    exec(compile(block, "research.md", "exec"), {})
    printed = capsys.readouterr().out
    assert "optimal" in printed or "packing-problem.v1" in printed


def test_ten_lines_are_ten_lines_and_draw(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert len(BLOCKS[0].strip().split("\n\n")[1].splitlines()) <= 10
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "agg")
    exec(compile(BLOCKS[0], "research.md", "exec"), {})
    assert "<svg" in (tmp_path / "pack.svg").read_text("utf-8")


def test_every_format_family_and_table_is_documented() -> None:
    rows = set(re.findall(r"^\| `(\w+)` \|", TEXT, re.MULTILINE))
    assert set(IMPORTERS) | set(FAMILIES) | set(COLUMNS) <= rows
    assert "|".join(EXPORTERS) in TEXT
    for family in FAMILIES.values():
        (line,) = [
            line
            for line in TEXT.splitlines()
            if line.startswith(f"| `{family.name}` |") and "tightness" in line
        ]
        assert set(re.findall(r"`(\w+)`", line.rpartition("|")[0].rpartition("|")[2])) == set(family.dials)


def test_the_citation_names_the_version() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    citation = (ROOT / "CITATION.cff").read_text("utf-8")
    assert f"version: {project['version']}\n" in citation
    assert f"license: {project['license']}\n" in citation
