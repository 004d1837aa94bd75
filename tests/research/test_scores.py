"""Scorers, terms and covers of one's own, and the log of a solve."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from oracle import best
from strategies import problems

from satchel import ContextUnit, Problem, SolveOptions, UsageError, solve
from satchel.models import InfeasibleError, PolicyError
from satchel.research import Form, SolveLog, rescored, with_coverage, with_terms


@given(problem=problems(max_units=6))
@settings(max_examples=60, deadline=None)
def test_values_by_the_weights_given_back_leave_the_optimum(problem: Problem) -> None:
    """What the scorer sees as ``form.value`` is what the program weighs."""
    try:
        before = best(problem)
        after = best(rescored(problem, lambda _, form: form.value))
    except (PolicyError, InfeasibleError):
        return
    assert (before is None) == (after is None)
    if before is not None:
        assert after is not None
        assert (after.objective, after.selection) == (before.objective, before.selection)


def test_a_scorer_decides_what_is_packed() -> None:
    problem = Problem.build(5, [5, 4, 1], [9, 3, 1], shorter={0: [(2, 1)]})
    assert [unit.id for unit in solve(problem).accepted_units] == ["u0"]
    seen: list[tuple[str, int]] = []

    def small(unit: ContextUnit, form: Form) -> float:
        seen.append((unit.id, form.rung))
        return 10 - form.tokens

    answer = solve(rescored(problem, small))
    assert seen == [("u0", 0), ("u0", 1), ("u1", 0), ("u2", 0)]
    # The short form of the first and the last are worth 8 + 9; the last two 6 + 9.
    assert {(unit.id, unit.rung) for unit in answer.accepted_units} == {("u0", 1), ("u2", 0)}
    assert answer.solver.objective == 17


def test_terms_add_up() -> None:
    problem = Problem.build(4, [4, 4], [2, 3])
    richer = with_terms(
        problem, first=lambda unit, _: 5 if unit.id == "u0" else 0, size=lambda _, form: -form.tokens / 4
    )
    assert [unit.value for unit in richer.units] == [6, 2]
    assert [unit.id for unit in solve(richer).accepted_units] == ["u0"]


def test_a_cover_adds_dimensions() -> None:
    problem = Problem.build(2, [1, 1, 1], [2, 2, 1])
    added = with_coverage(
        problem, lambda unit: {"odd": 1} if unit.id in ("u0", "u2") else {"even": 0.5}, {"odd": 3, "even": 3}
    )
    # u0 and u1: 2 + 2 + 3 + 1.5.
    assert solve(added).solver.objective == 8.5 * solve(added).solver.scale
    with pytest.raises(UsageError, match="is a dimension already"):
        with_coverage(added, lambda _: {}, {"odd": 1})
    with pytest.raises(UsageError, match="names no dimension"):
        with_coverage(problem, lambda _: {"other": 1}, {"odd": 1})


@pytest.mark.parametrize("wrong", [math.nan, math.inf, 1e16])
def test_what_is_no_number_is_refused_by_name(wrong: float) -> None:
    problem = Problem.build(4, [4], [2])
    with pytest.raises(UsageError) as caught:
        with_terms(problem, mine=lambda *_: wrong)
    assert caught.value.field == "mine"


def test_a_log_keeps_the_steps_of_a_solve() -> None:
    problem = Problem.build(10, [6, 5, 5], [0.9, 0.7, 0.7])
    log = SolveLog()
    answer = solve(problem, SolveOptions(on_progress=log)).solver
    frame = log.to_frame()
    assert list(frame.columns) == ["seconds", "stage", "objective", "bound", "gap"]
    assert frame["seconds"].is_monotonic_increasing
    known = frame["objective"].dropna()
    assert known.iloc[-1] == pytest.approx(answer.objective / answer.scale) == pytest.approx(1.4)
