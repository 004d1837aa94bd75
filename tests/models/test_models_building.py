"""Problems from plain numbers, and problems and packs as data frames."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest

from satchel import Problem, UsageError, solve
from satchel.models import UnknownReferenceError


def test_a_problem_of_columns_has_the_optimum_of_its_numbers() -> None:
    """Of 10 tokens: 4 and 6 are worth 11; the pair that is worth 12 is in conflict."""
    problem = Problem.build(10, [4, 6, 5], [5, 6, 6], conflicts=[(1, 2), ("u0", 2)])
    answer = solve(problem)
    assert answer.solver.objective == 11
    assert [unit.id for unit in answer.accepted_units] == ["u0", "u1"]


def test_arrays_of_numpy_will_do() -> None:
    tokens, values = np.array([3, 4], dtype=np.int32), np.array([1.5, 2.5], dtype=np.float32)
    problem = Problem.build(4, tokens, values, required=np.array([0]))  # type: ignore[arg-type]
    assert Problem.from_json(problem.to_json()) == problem
    assert [unit.id for unit in solve(problem).accepted_units] == ["u0"]


def test_shorter_forms_needs_and_covers_arrive() -> None:
    problem = Problem.build(
        6,
        [5, 4, 2],
        [4, 1, 1],
        ids=["long", "base", "small"],
        shorter={"long": [(2, 3)]},
        needs={"long": ["base"]},
        covers={"errors": {"small": 0.5}, "setup": ["base", 2]},
        weights={"setup": 2},
        gains=[1, 0.5],
    )
    long, _base, small = problem.units
    assert (long.dependency_ids, long.renderings[0].tokens) == (("base",), 2)
    assert small.coverage == {"errors": 0.5, "setup": 1.0}
    assert [(d.name, d.weight, d.gains) for d in problem.coverage] == [
        ("errors", 1.0, (1.0, 0.5)),
        ("setup", 2.0, (1.0, 0.5)),
    ]
    # long in short with its base is worth 3 + 1 + 2; base and small 1 + 1 + 2 + 1 + half of 1.
    assert solve(problem).solver.objective == 6 * solve(problem).solver.scale


def test_ids_sort_as_they_count() -> None:
    ids = [unit.id for unit in Problem.build(1, [1] * 11, [1] * 11).units]
    assert ids == sorted(ids)
    assert (ids[0], ids[10]) == ("u00", "u10")


@pytest.mark.parametrize(
    ("arguments", "error", "field"),
    [
        ({"values": [1]}, UsageError, "values"),
        ({"ids": ["a"]}, UsageError, "ids"),
        ({"tokens": [1.5, 2]}, UsageError, "tokens"),
        ({"needs": {0: [2]}}, UnknownReferenceError, "needs"),
        ({"needs": {-1: [0]}}, UnknownReferenceError, "needs"),
        ({"required": ["x"]}, UnknownReferenceError, "required"),
        ({"weights": {"errors": 1}}, UnknownReferenceError, "weights"),
    ],
)
def test_what_does_not_fit_is_named(arguments: dict[str, object], error: type[Exception], field: str) -> None:
    given = {"tokens": [1, 2], "values": [1, 2], **arguments}
    with pytest.raises(error) as caught:
        Problem.build(3, **given)  # type: ignore[arg-type]
    assert getattr(caught.value, "field", None) == field


def test_a_problem_as_a_frame_has_a_row_for_each_form() -> None:
    problem = Problem.build(10, [4, 6], [5, 6], shorter={1: [(2, 3)]})
    frame = problem.to_frame()
    assert frame[["id", "rung", "tokens", "value"]].to_numpy().tolist() == [
        ["u0", 0, 4, 5.0],
        ["u1", 0, 6, 6.0],
        ["u1", 1, 2, 3.0],
    ]


def test_a_pack_as_a_frame_accounts_for_every_candidate() -> None:
    problem = Problem.build(7, [4, 6, 9], [0.5, 0.6, 2], shorter={1: [(3, 0.4)]})
    frame = solve(problem).to_frame().set_index("id")
    assert dict(frame["decision"]) == {"u0": "accepted", "u1": "accepted", "u2": "rejected"}
    assert (frame.loc["u1", "rung"], frame.loc["u1", "value"], frame["tokens"].sum()) == (1, 0.4, 16)


def test_without_pandas_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(UsageError, match=r"pip install 'satchel\[research\]'"):
        Problem.build(1, [1], [1]).to_frame()


@pytest.mark.parametrize(
    ("columns", "more"),
    [
        ((-1, [1], [1]), {}),
        ((10, [-1], [1]), {}),
        ((10, [1], [float("nan")]), {}),
        ((10, [10**400], [1]), {}),
        ((10, [1], [10**400]), {}),
        ((10, 5, 5), {}),
        ((10, ["a"], ["b"]), {}),
        ((None, [1], [1]), {}),
        ((10, [[1, 2]], [[1, 2]]), {}),
        ((10, [1, 1], [1, 1]), {"needs": {0: 1}}),
        ((10, [1], [1]), {"needs": [0]}),
        ((10, [1, 1], [1, 1]), {"needs": {0: [0]}}),
        ((10, [1, 1], [1, 1]), {"conflicts": [0, 1]}),
        ((10, [1], [1]), {"conflicts": 5}),
        ((10, [1, 1], [1, 1]), {"covers": {"e": {0: 2}}}),
        ((10, [1, 1], [1, 1]), {"shorter": {0: [(3,)]}}),
        ((10, [1, 1], [1, 1]), {"shorter": {0: (3, 4)}}),
    ],
)
def test_what_cannot_be_built_is_an_error_of_ours(columns: Any, more: Any) -> None:
    """Not one of pydantic or of Python: it says what is accepted."""
    with pytest.raises(UsageError) as caught:
        Problem.build(*columns, **more)
    assert "accepted: a budget" in str(caught.value)
