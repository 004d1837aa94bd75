"""Placement: where an accepted unit sits in the prompt.

The solver's ranking decides what survives; placement decides where it sits. The two are kept
apart because a prompt in order of value is reshuffled by every change of task, and a prompt cache
reuses only an unchanged beginning.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, Literal, get_args

from ..models import (
    DEFAULT_ZONES,
    ContextUnit,
    Kind,
    Problem,
    Stability,
    UnknownReferenceError,
    UsageError,
)

Order = Literal["stable-first", "as-given"]
"""``stable-first`` (the default), or ``as-given``: the authored order as it stands."""

ORDERS: Final[tuple[Order, ...]] = get_args(Order)


def place(problem: Problem, accepted: Iterable[str], order: Order = "stable-first") -> tuple[str, ...]:
    """Return the accepted ids in the order in which the prompt shows them.

    ``stable-first`` sorts by stability, then by zone (the default zones in the order of seed 000 §9,
    then the user's own as declared), and keeps the authored order within such a class. In either order, what
    stands under a heading follows it, and the units that lead the problem come first, as it has them.

    Raises
    ------
    UsageError
        Unknown order, or an id that is given twice.
    UnknownReferenceError
        An id that is no unit of the problem.
    """
    if order not in ORDERS:
        raise UsageError("unknown order", field="order", value=order, hint=f"accepted: {', '.join(ORDERS)}")
    wanted = _wanted(problem, accepted)
    lead = tuple(name for name in problem.lead or () if name in wanted)
    wanted.difference_update(lead)
    units = [unit for unit in problem.units if unit.id in wanted]
    if order == "stable-first":
        rank = _zone_ranks(problem)
        units.sort(key=lambda unit: (unit.stability is not Stability.STABLE, rank[unit.zone]))
    return lead + _under_headings(units)


def _under_headings(units: Sequence[ContextUnit]) -> tuple[str, ...]:
    """Return the ids, those that stand under a heading right behind it, in their order."""
    present = {unit.id for unit in units if unit.kind is Kind.HEADING}
    members: dict[str, list[str]] = {}
    others: list[str] = []
    for unit in units:
        heading = unit.heading
        (members.setdefault(heading, []) if heading in present else others).append(unit.id)
    return tuple(name for other in others for name in (other, *members.get(other, ())))


def _wanted(problem: Problem, accepted: Iterable[str]) -> set[str]:
    wanted: set[str] = set()
    for name in accepted:
        if name not in problem.by_id:
            raise UnknownReferenceError("no unit of the problem has this id", field="accepted", value=name)
        if name in wanted:
            raise UsageError("a unit is accepted twice", field="accepted", value=name, hint="give it once")
        wanted.add(name)
    return wanted


def _zone_ranks(problem: Problem) -> dict[str, int]:
    declared = (zone.name for zone in problem.envelope.zones)
    return {name: rank for rank, name in enumerate(dict.fromkeys((*DEFAULT_ZONES, *declared)))}
