"""The prefix of a page as part of its problem: what :mod:`.plan` decided, in terms that every page knows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from ...models import (
    BudgetEnvelope,
    ContextUnit,
    Dependency,
    Kind,
    Problem,
    Rendering,
    State,
    UnknownReferenceError,
    heading_of,
    lead_heading_of,
)


@dataclass(frozen=True)
class LeadUnit:
    """A unit of a prefix in the form in which it is there, and the file whose heading it is under, if any.

    Attributes
    ----------
    text_digest
        SHA-256 of the form's text; empty where it has none.
    """

    id: str
    state: State
    tokens: int
    text_digest: str
    file: str = ""

    @classmethod
    def of(cls, unit: ContextUnit, place: int) -> LeadUnit:
        """Return the unit at a place of its ladder."""
        form = unit.ladder()[place]
        assert form.tokens is not None, "a compiled unit is counted"
        file = unit.source_refs[0].path if unit.heading is not None else ""
        return cls(unit.id, form.state, form.tokens, _digest(form.text), file)


def with_lead(problem: Problem, lead: Sequence[LeadUnit], room: int | None = None) -> Problem:
    """Return ``problem`` behind a prefix.

    The units of the prefix are required, in their form and no other; those under a heading get one of their
    own in front, for the file's other units stand further down. The task's own units have what is left.

    Parameters
    ----------
    lead
        In prompt order, those of a heading right behind each other; without any nothing leads.
    room
        Tokens that all units may take, the prefix included; as the problem says when None. What is left of
        the budget becomes part of the safety margin.

    Raises
    ------
    UnknownReferenceError
        The problem does not offer a unit of the prefix in that form.
    """
    wanted = {unit.id: unit for unit in lead}
    units: list[ContextUnit] = []
    headings: dict[str, ContextUnit] = {}
    for unit in problem.units:
        if unit.id in wanted:
            units.append(_held(unit, wanted.pop(unit.id)))
        else:
            units.append(unit)
    if wanted:
        raise _missing(next(iter(wanted.values())))
    names: list[str] = []
    for member in lead:
        if member.file:
            name = lead_heading_of(member.file)
            if name not in headings:
                headings[name] = _heading(problem.by_id[heading_of(member.file)], name)
                names.append(name)
        names.append(member.id)
    data: dict[str, Any] = {name: getattr(problem, name) for name in Problem.model_fields}
    return Problem(
        **{
            **data,
            "units": (*headings.values(), *units),
            "lead": tuple(names) or None,
            "envelope": _narrowed(problem.envelope, room),
        }
    )


def _held(unit: ContextUnit, wanted: LeadUnit) -> ContextUnit:
    """Return the unit held at the wanted form, below the heading of the prefix."""
    place = next((place for place, form in enumerate(unit.ladder()) if _same(form, wanted)), None)
    if place is None:
        raise _missing(wanted)
    needs = unit.dependencies
    if wanted.file:
        heading = heading_of(wanted.file)
        needs = tuple(
            Dependency(id=lead_heading_of(wanted.file)) if need.id == heading else need for need in needs
        )
    return unit.model_copy(update={"required": True, "dependencies": needs, "held": place})


def _same(form: Rendering, wanted: LeadUnit) -> bool:
    return (form.state, form.tokens) == (wanted.state, wanted.tokens) and _digest(
        form.text
    ) == wanted.text_digest


def _heading(unit: ContextUnit, name: str) -> ContextUnit:
    assert unit.kind is Kind.HEADING, "members of a heading depend on it"
    return unit.model_copy(update={"id": name, "required": True})


def _narrowed(envelope: BudgetEnvelope, room: int | None) -> BudgetEnvelope:
    if room is None or room >= envelope.available:
        return envelope
    values = {name: getattr(envelope, name) for name in BudgetEnvelope.model_fields}
    values["reserved_safety_margin_tokens"] = (
        envelope.reserved_safety_margin_tokens + envelope.available - room
    )
    values["available_input_tokens"] = room
    return BudgetEnvelope(**values)


def _missing(unit: LeadUnit) -> UnknownReferenceError:
    return UnknownReferenceError(
        f"the page does not offer it in its {unit.state.value} form",
        code="prefix_changed",
        field="lead",
        value=unit.id,
        hint="plan the prefix anew: what the pages share has changed",
    )


def _digest(text: str | None) -> str:
    return "" if text is None else sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
