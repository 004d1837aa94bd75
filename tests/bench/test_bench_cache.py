"""The bench of the cache: many processes on one file, and the table of scans."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.cache import main, together

LINKBOX = Path(__file__).resolve().parents[1] / "data" / "linkbox"


def test_four_workers_three_packs_and_a_watcher_share_a_cache() -> None:
    found = together(8.0)
    assert found.errors == ()
    assert found.lost == ()
    assert found.doubled == 0
    assert found.faults == ()
    assert found.packs > 0
    assert found.rounds > 0


@pytest.mark.slow
def test_they_do_so_for_a_minute() -> None:
    found = together(60.0, seed=2)
    assert found.passed, found


@pytest.mark.slow
def test_warm_scans_give_the_bytes_of_cold_ones(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["scan", str(LINKBOX)]) == 0
    head, _, table = capsys.readouterr().out.partition("\n\n")
    assert "files" in head
    assert table.count("| yes |") == 4
