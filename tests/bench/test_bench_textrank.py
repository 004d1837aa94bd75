"""The bench of summaries: its baselines rank as ours does, and its tables hold what was measured."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.textrank import (
    BASELINES,
    SummaryOptions,
    loops,
    loops_sums_kept,
    report,
    savings,
    seconds,
    zipf_sentences,
)
from satchel.sources.textrank.rank import rank


def test_both_baselines_give_the_same_scores() -> None:
    words = zipf_sentences(25)
    assert loops(words) == pytest.approx(loops_sums_kept(words))


def test_the_baselines_rank_as_ours_does_where_no_word_is_common() -> None:
    words = [[f"w{n}", f"w{n + 1}", f"x{n // 3}"] for n in range(12)]
    ours = rank(words).scores
    theirs = loops(words)
    assert [score / sum(theirs) for score in theirs] == pytest.approx(list(ours), abs=2e-3)


def test_ours_is_a_hundred_times_faster_at_160_sentences() -> None:
    """Issue: the triple loop is to be beaten by 100 times; about 2,500 was measured."""
    words = zipf_sentences(160)
    assert seconds(lambda: BASELINES["loops"](words), repeat=1) > 100 * seconds(lambda: rank(words))


def test_savings_are_counted_file_by_file(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# A\n\n" + "The cache keeps rows. It rains in May. " * 60, "utf-8")
    (tmp_path / "short.md").write_text("Short.\n", "utf-8")
    (tmp_path / "a.json").write_text("{}", "utf-8")
    (row,) = savings(tmp_path, SummaryOptions(sentences=2))
    assert row.path == "a.md"
    assert 0 < row.after < row.before
    assert row.saved == 1 - row.after / row.before
    assert any(line.startswith("| prose | 1 |") for line in report([row]))
