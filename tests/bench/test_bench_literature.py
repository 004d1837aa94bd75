"""The bench of public instances: what it reads, what it says, and that a contradiction shows."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from bench import literature
from bench.literature import main

SITES = [(0, 0, 5), (500, 0, 3), (0, 700, 4), (3000, 0, 9), (3000, 500, 2)]
"""Within 800 of the first site live 5 + 3 + 4, of the fourth 9 + 2."""


def put(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


@pytest.fixture
def clones(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Folders of the same layout as the clones, with instances small enough to check by hand."""
    root = tmp_path / "knapsack-01-instances" / "pisinger_instances_01_KP"
    put(root / "low-dimensional" / "f1_l-d_kp_3_5", "3 5\n4 3\n5 4\n3 2\n")
    put(root / "low-dimensional-optimum" / "f1_l-d_kp_3_5", "7")
    put(root / "large_scale" / "knapPI_1_100_1000_1", "2 5\n4 3\n5 4\n0 1\n")
    put(root / "large_scale-optimum" / "knapPI_1_100_1000_1", "5")
    lines = [f"{len(SITES)}\t9999\tp\tS\t", *("\t".join(map(str, site)) + "\t" for site in SITES)]
    put(tmp_path / "2024.0611" / "data" / "SJC" / "SJC324.txt", "\n".join(lines) + "\n")
    monkeypatch.setattr(literature, "MCLP", {"SJC324": {1: 12, 2: 23}})
    return tmp_path


def test_stated_optima_are_reproduced(clones: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = clones / "table.csv"
    assert main(["--from", str(clones), "--csv", str(table)]) == 0
    printed = capsys.readouterr()
    assert "not there: KPCG (github.com/psanse/KPCG" in printed.err
    rows = list(csv.DictReader(table.read_text().splitlines()))
    assert {row["family"] for row in rows} == {"knapsack", "mckp", "bmcp", "summary"}
    assert {row["status"] for row in rows} == {"optimal"}
    assert {row["agrees"] for row in rows} == {"True"}
    assert [row["ours"] for row in rows if row["family"] == "bmcp"] == ["12.0", "23.0"]
    assert "| summary (restated) | 2 | 2 | 2 of 2 | 0 |" in printed.out


def test_a_contradicted_optimum_is_no_success(clones: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root = clones / "knapsack-01-instances" / "pisinger_instances_01_KP"
    put(root / "low-dimensional-optimum" / "f1_l-d_kp_3_5", "8")
    assert main(["--from", str(clones), "--only", "f1_"]) == 1
    assert "| knapsack | 1 | 1 | 0 of 1 | 0 |" in capsys.readouterr().out
