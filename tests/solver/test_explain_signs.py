"""Changes with a sign are so much more or less, of whatever they are."""

from __future__ import annotations

import pytest

from satchel import Problem, UsageError, what_if

PROBLEM = Problem.from_data(
    {
        "schemaVersion": "packing-problem.v1",
        "envelope": {"availableInputTokens": 10},
        "units": [
            {"id": "a", "tokenEstimate": 10, "value": 11},
            {"id": "b", "tokenEstimate": 10, "value": 6},
            {"id": "c", "tokenEstimate": 10, "relevanceScore": 0.5},
        ],
        "redundancyGroups": [{"id": "g", "members": ["a", "b"], "policy": "keep_at_most", "k": 1}],
    }
)


def value(change: str) -> float:
    solver = what_if(PROBLEM, [change]).after.solver
    return solver.objective / solver.scale


def test_a_value_with_a_sign_is_added() -> None:
    assert value("value.a=+1") == 12
    assert value("value.a=-3") == 8
    assert value("value.b=+6") == 12
    assert value("value.a=7") == 7


@pytest.mark.parametrize("change", ["value.c=+1", "group.g=+1"])
def test_nothing_is_added_to_what_states_no_number(change: str) -> None:
    with pytest.raises(UsageError):
        what_if(PROBLEM, [change])


def test_a_weight_with_a_sign_is_added() -> None:
    doubled = what_if(PROBLEM, ["weight.relevance=+0.4", "exclude=a", "exclude=b"]).after.solver
    assert doubled.objective / doubled.scale == pytest.approx(0.4)


def test_a_number_in_parentheses_is_itself() -> None:
    assert value("value.a=(-3)") == value("exclude=a")
    assert value("value.a=(7)") == 7
    stated = what_if(PROBLEM, ["value.c=(-2)", "require=c", "exclude=a", "exclude=b"]).after.solver
    assert stated.objective / stated.scale == -2
    with pytest.raises(UsageError, match="no number"):
        value("value.a=(-)")
