"""``satchel compare`` as a command."""

from __future__ import annotations

from pathlib import Path

from processes import Satchel


def test_engines_are_compared_and_the_results_written(satchel: Satchel, smallest: Path) -> None:
    args = [
        "compare",
        "problem.json",
        "--engines",
        "highs-mip, density-greedy",
        "--time-limit",
        "5",
        "--plain",
    ]
    done = satchel(*args, "--out", "results")
    assert done.code == 0, done.err
    assert done.out.splitlines()[0].split()[:3] == ["engine", "runs", "keeps"]
    folder = smallest.parent / "results"
    assert {path.name for path in folder.iterdir()} == {
        *("runs.jsonl", "comparison.json", "engines.csv", "engines.tex", "quality.csv", "lacks.csv"),
        "times.csv",
    }
    again = satchel(*args, "--out", "results", "--json")
    assert [row["engine"] for row in again.json()] == ["highs-mip", "density-greedy"]
    assert again.json()[0]["proved"] == 1


def test_wrong_options_are_named(here: Satchel, smallest: Path) -> None:
    for args, part in (
        (["--engines", "satchl"], "did you mean 'satchel'"),
        (["--seeds", "0,x"], "--seeds: is no list of seeds"),
        (["--time-limit", "0"], "--time-limit: is out of range"),
        (["--workers", "0"], "--workers: is out of range"),
    ):
        done = here("compare", smallest, "--out", "results", *args)
        assert (done.code, done.out) == (2, "")
        assert part in done.err
    assert not (smallest.parent / "results").exists()


def test_a_problem_that_cannot_be_read_is_named(here: Satchel, smallest: Path) -> None:
    done = here("compare", smallest, "missing.json", "--out", "results")
    assert done.code == 2
    assert "missing.json" in done.err
