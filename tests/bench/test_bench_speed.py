"""The bench of speed measures what it says, on a small project."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from bench.sources.speed import main, measured, tools

LINKBOX = Path(__file__).resolve().parents[1] / "data" / "linkbox"


@pytest.mark.slow
def test_a_row_for_each_program(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(LINKBOX), "--repeat", "1", "--repomix", "none"]) == 0
    lines = capsys.readouterr().out.strip().splitlines()
    assert lines[0].startswith("linkbox: ")
    rows = [line.split("|") for line in lines[4:] if line.startswith("| ")]
    assert [row[1].strip() for row in rows[:4]] == [
        "satchel, cold",
        "satchel, cold, filling a cache",
        "satchel, warm",
        "satchel, one file touched",
    ]
    assert all(float(row[2]) > 0 for row in rows[:4])
    assert float(rows[0][6]) == 1.0


def test_a_program_that_fails_is_no_figure(tmp_path: Path) -> None:
    shutil.copytree(LINKBOX, tmp_path / "tree")
    found = tools(tmp_path / "tree", tmp_path / "cache", "links", None)
    shutil.rmtree(tmp_path / "tree")
    with pytest.raises(RuntimeError, match="satchel, cold ended with 2"):
        measured(found[:1], 1)
