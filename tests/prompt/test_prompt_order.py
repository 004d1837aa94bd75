"""Placement of units."""

from __future__ import annotations

import pytest

from satchel.models import Problem, UnknownReferenceError, UsageError
from satchel.prompt import Order, place


def problem(*units: dict[str, object], zones: tuple[str, ...] = ()) -> Problem:
    """A problem of units of one token each."""
    return Problem.from_data(
        {
            "schemaVersion": "packing-problem.v1",
            "envelope": {"availableInputTokens": 100, "zones": [{"name": name} for name in zones]},
            "units": [{"tokenEstimate": 1, **unit} for unit in units],
        }
    )


MIXED = problem(
    {"id": "q", "zone": "task", "stability": "volatile"},
    {"id": "custom-b", "zone": "b"},
    {"id": "custom-a", "zone": "a"},
    {"id": "old", "zone": "existing_docs"},
    {"id": "z", "zone": "source_evidence"},
    {"id": "a", "zone": "source_evidence"},
    {"id": "live", "zone": "system", "stability": "volatile"},
    {"id": "map", "zone": "repo_map"},
    {"id": "rules", "zone": "system"},
    {"id": "shape", "zone": "output_contract"},
    zones=("b", "source_evidence", "a"),
)


def test_stable_first_then_zones_then_as_authored() -> None:
    """K14: static parts lead; user zones follow the default ones as declared, not by name."""
    placed = place(MIXED, [unit.id for unit in MIXED.units])
    assert placed == ("rules", "shape", "map", "z", "a", "old", "custom-b", "custom-a", "live", "q")


def test_order_of_acceptance_does_not_matter() -> None:
    assert place(MIXED, ["a", "map", "z"]) == place(MIXED, ["z", "a", "map"]) == ("map", "z", "a")


def test_as_given_is_the_authored_order() -> None:
    assert place(MIXED, ["shape", "z", "q", "map"], "as-given") == ("q", "z", "map", "shape")


def test_nothing_accepted_places_nothing() -> None:
    assert place(MIXED, []) == ()


def test_bad_input_is_named() -> None:
    with pytest.raises(UnknownReferenceError, match="nowhere"):
        place(MIXED, ["a", "nowhere"])
    with pytest.raises(UsageError, match="twice"):
        place(MIXED, ["a", "a"])
    bad: Order = "by-value"  # type: ignore[assignment]
    with pytest.raises(UsageError, match="stable-first, as-given"):
        place(MIXED, ["a"], bad)
