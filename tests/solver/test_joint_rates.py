"""Prices of a group of prompts, and units that are held at one of their forms."""

from __future__ import annotations

from typing import Any

import pytest

from satchel.models import Problem, SchemaError
from satchel.solver.joint.rates import Rates
from satchel.solver.solve import solve
from satchel.solver.verify import verify

USUAL = Rates(input=300, read=30, write=375, minimum=1024, step=128, lead=100)


def test_cost_is_written_once_and_read_by_every_later_page() -> None:
    """By hand: 10 pages of 2,000 tokens, 1,200 of them common; 1,024 + 128 are cached."""
    assert USUAL.cached(1200) == 1152
    fresh = 10 * (2000 - 1152) * 300
    assert USUAL.cost(10, 20_000, 1200) == fresh + 1152 * 375 + 9 * 1152 * 30


def test_below_the_minimum_nothing_is_cached() -> None:
    """K06: one token less, and all is paid in full; at the minimum it is cached."""
    assert USUAL.cached(1023) == 0
    assert USUAL.cached(1024) == 1024
    assert USUAL.cost(10, 20_000, 1023) == 20_000 * 300


def test_a_prefix_is_written_again_after_its_lifetime() -> None:
    """With 4 pages to a lifetime 9 pages write it three times."""
    short = Rates(input=300, read=30, write=375, pages_per_write=4)
    assert [short.writes(pages) for pages in (0, 1, 4, 5, 8, 9)] == [0, 1, 1, 2, 2, 3]
    assert short.refund(9) == 9 * 300 - 3 * 375 - 6 * 30


@pytest.mark.parametrize(
    ("rates", "pages"),
    [
        (USUAL, 2),
        (Rates(input=300, read=300, write=375), None),
        (Rates(input=300, read=30, write=300), 2),
        (Rates(input=300, read=30, write=3000), 12),
        (Rates(input=300, read=30, write=3000, pages_per_write=5), None),
    ],
)
def test_break_even_is_the_smallest_group_that_pays_for_its_write(rates: Rates, pages: int | None) -> None:
    """And one page fewer does not; where reads save too little in a lifetime, no number does."""
    assert rates.break_even() == pages
    if pages is not None:
        assert rates.refund(pages) > 0
        assert rates.refund(pages - 1) == 0


def problem(held: int | None, **zone: Any) -> Problem:
    """A unit of three forms and one beside it, within 10 tokens."""
    unit: dict[str, Any] = {
        "id": "a",
        "tokenEstimate": 10,
        "value": 9,
        "renderings": [
            {"state": "excerpted", "tokens": 6, "value": 5},
            {"state": "summarized", "tokens": 2, "value": 1},
        ],
    }
    if held is not None:
        unit["held"] = held
    return Problem.from_data(
        {
            "schemaVersion": "packing-problem.v1",
            "envelope": {"availableInputTokens": 10, "zones": [{"name": "source_evidence", **zone}]},
            "units": [unit, {"id": "b", "tokenEstimate": 4, "value": 2}],
        }
    )


@pytest.mark.parametrize(("held", "value", "rung"), [(None, 9, 0), (0, 9, 0), (1, 7, 1), (2, 3, 2)])
def test_a_held_unit_has_the_form_that_it_is_held_at(held: int | None, value: int, rung: int) -> None:
    """The others are not offered, be they better or smaller; the checker agrees."""
    given = problem(held)
    context = solve(given)
    assert context.solver.objective == value * context.solver.scale
    assert {unit.id: unit.rung for unit in context.accepted_units}["a"] == rung
    assert verify(context, given).passed


def test_a_held_form_stands_even_where_its_zone_would_not_shorten() -> None:
    """The zone drops units and offers raw forms only; what is held was decided elsewhere."""
    given = problem(2, overflowPolicy="drop_low_rank")
    context = solve(given)
    assert {unit.id: unit.rung for unit in context.accepted_units} == {"a": 2, "b": 0}
    assert verify(context, given).passed


def test_checker_refuses_another_form_than_the_held_one() -> None:
    """A pack of the same problem without the hold is not a pack of this one."""
    context = solve(problem(None))
    given = problem(1)
    digest = context.solver.model_copy(update={"problem_digest": given.digest})
    assert not verify(context.model_copy(update={"solver": digest}).seal(), given).passed


def test_held_at_no_form_is_refused() -> None:
    """With the forms that there are."""
    with pytest.raises(SchemaError, match="no such form"):
        problem(3)
