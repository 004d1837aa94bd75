"""The study of greedy against optimal."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench import study
from bench.study import Case, Row, cases, figure, instance, rows_of, table, tokens_for
from satchel import Problem
from satchel.solver.engines import run_engine

TWO = {
    "schemaVersion": "packing-problem.v1",
    "envelope": {"availableInputTokens": 64},
    "units": [
        {"id": "long", "tokenEstimate": 40, "value": 41},
        {"id": "left", "tokenEstimate": 32, "value": 30},
        {"id": "right", "tokenEstimate": 32, "value": 30},
    ],
}


def test_a_loss_is_against_the_optimum() -> None:
    """One order takes the long unit first, and has no room for the pair that is worth more."""
    rows = {row.packer: row for row in rows_of(Case("real", 0.0, "two", lambda: Problem.from_data(TWO)))}
    assert rows["density-greedy"].loss == pytest.approx((60 - 41) / 60)
    assert rows["seed-greedy"].loss == pytest.approx((60 - 41) / 60)
    assert all(row.proven for row in rows.values())


def test_more_tokens_is_the_least_growth_that_will_do() -> None:
    problem = Problem.from_data(TWO)
    value = 71  # long and left, 72 tokens: an eighth more
    assert tokens_for(problem, value, 0) == 8 / 64
    assert tokens_for(problem, 41, 0) == 0.0
    assert tokens_for(problem, 10**6, 0) is None


@pytest.mark.parametrize("factor", sorted(study.FACTORS))
def test_each_level_is_another_problem(factor: str) -> None:
    digests = {instance(factor, level, 0).digest for level in study.FACTORS[factor]}
    assert len(digests) == len(study.FACTORS[factor])


def test_the_plain_problems_hold_the_plainest_packer() -> None:
    problem = instance("plain", 0.2, 1)
    verdict = run_engine("seed-greedy", problem).verdict
    assert verdict is not None
    assert verdict.feasible


def test_table_and_figure(tmp_path: Path) -> None:
    names = [case.name for case in cases(["units"], range(2), [])]
    assert names == ["seed 0", "seed 1"] * len(study.FACTORS["units"])
    rows = [
        Row("units", 50, "seed 0", packer, None if packer == "seed-greedy" else 0.02, True, 0.125)
        for packer in study.PACKERS
    ]
    assert "| units | 50 | – | 2.00 (2.0) | 2.00 (2.0) | 2.00 (2.0) | 1 of 1 | 12 % |" in table(rows)
    figure(rows, tmp_path / "a.svg")
    figure(rows, tmp_path / "b.svg")
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()
