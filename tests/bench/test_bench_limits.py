"""The measurement of how well a time limit is kept, run for real on the smallest size."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from bench.limits import Kept, main, table


def test_both_clocks_are_measured_and_the_rows_are_kept(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["--sizes", "50", "--limits", "5", "--csv", str(tmp_path / "limits.csv")])
    (line,) = [text for text in capsys.readouterr().out.splitlines() if text.startswith("| 50 |")]
    assert "| 5 s |" in line
    with (tmp_path / "limits.csv").open(encoding="utf-8") as file:
        (row,) = csv.DictReader(file)
    assert row["status"] == "optimal"
    assert 0 < float(row["solve"]) < float(row["command"])


def test_a_limit_is_kept_within_a_tenth_and_a_fifth_of_a_second() -> None:
    """By hand: 10 s may last 11.2 s, and 1 s may last 1.3 s."""

    def kept(limit: float, solve: float) -> Kept:
        return Kept(50, 1, limit, solve, solve + 1, "feasible", "wall_clock", 0.01)

    assert kept(10, 11.19).within
    assert not kept(10, 11.21).within
    assert kept(1, 1.29).within
    assert not kept(1, 1.31).within
    text = table([kept(1, 1.5), kept(2, 1.5)])
    assert "| 50 | 1 s | 1.50 s | 0.50 s | **no** |" in text
    assert "| 50 | 2 s | 1.50 s | 0.00 s | yes |" in text
