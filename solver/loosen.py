"""One change of a problem that a user can make, as data: what it is, in words, and the problem after it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from ..models import (
    BudgetEnvelope,
    BudgetZone,
    ContextUnit,
    Dependency,
    GroupPolicy,
    OverflowPolicy,
    Problem,
    RedundancyGroup,
    State,
    selects,
)

Kind = Literal[
    "budget",
    "zone maximum",
    "zone minimum",
    "overflow policy",
    "group",
    "group policy",
    "coverage",
    "required",
    "exclude",
    "dependency",
    "dependency rung",
    "must exclude",
    "risk ceiling",
    "required risk ceiling",
]


@dataclass(frozen=True)
class Relaxation:
    """One change that alone makes a pack possible.

    ``name`` is the zone, unit, group, dimension or selector that changes, ``value`` what it gets; a
    dependency is of unit ``name`` on unit ``other``. ``cost`` ranks it: tokens, units or members given up.
    ``least`` is False where a smaller change of the same kind may do.
    """

    kind: Kind
    name: str
    value: int | float | str | None
    cost: int
    words: str
    other: str = ""
    least: bool = True

    @property
    def rank(self) -> tuple[int, str, str, str]:
        """Cheap ones first."""
        return (self.cost, self.kind, self.name, self.other)

    def to_data(self) -> dict[str, Any]:
        """Return the relaxation as JSON data."""
        data: dict[str, Any] = {"kind": self.kind, "name": self.name, "other": self.other}
        data |= {"value": self.value, "cost": self.cost, "words": self.words}
        return {key: part for key, part in data.items() if part not in (None, "")} | {"least": self.least}


def loosened(problem: Problem, change: Relaxation) -> Problem:
    """Return ``problem`` after ``change``, which a user would make by hand in the same way."""
    return _CHANGES[change.kind](problem, change)


def id_selector(name: str) -> str:
    """Return the selector that matches the unit ``name`` alone."""
    return "id:" + re.sub(r"([*?\[\\])", r"\\\1", name)


def _budget(problem: Problem, change: Relaxation) -> Problem:
    envelope = BudgetEnvelope(available_input_tokens=_whole(change), zones=problem.envelope.zones)
    return problem.model_copy(update={"envelope": envelope})


def _zone(field: str, value: Callable[[Relaxation], object]) -> Callable[[Problem, Relaxation], Problem]:
    def change_zone(problem: Problem, change: Relaxation) -> Problem:
        zones = problem.envelope.zones
        if all(zone.name != change.name for zone in zones):
            zones = (*zones, BudgetZone(name=change.name))
        changed = tuple(
            zone.model_copy(update={field: value(change)}) if zone.name == change.name else zone
            for zone in zones
        )
        return problem.model_copy(update={"envelope": problem.envelope.model_copy(update={"zones": changed})})

    return change_zone


def _group(problem: Problem, change: Relaxation) -> Problem:
    def change_group(group: RedundancyGroup) -> RedundancyGroup:
        if change.kind == "group":
            return group.model_copy(update={"k": _whole(change)})
        return group.model_copy(update={"policy": GroupPolicy(str(change.value)), "k": None})

    changed = tuple(change_group(g) if g.id == change.name else g for g in problem.redundancy_groups)
    return problem.model_copy(update={"redundancy_groups": changed})


def _coverage(problem: Problem, change: Relaxation) -> Problem:
    count = _whole(change)
    update = {"min_count": count} if count else {"required": False}
    changed = tuple(d.model_copy(update=update) if d.name == change.name else d for d in problem.coverage)
    return problem.model_copy(update={"coverage": changed})


def _required(problem: Problem, change: Relaxation) -> Problem:
    """Drop the unit's flag, and narrow the selectors that match it to the others that they match."""
    policy, name = problem.policy, change.name
    freed = next(unit for unit in problem.units if unit.id == name)
    narrowed = [selector for selector in policy.must_include if selects(selector, freed)]

    def keep_others(unit: ContextUnit) -> ContextUnit:
        if unit.id == name:
            return unit.model_copy(update={"required": False})
        if not unit.required and any(selects(selector, unit) for selector in narrowed):
            return unit.model_copy(update={"required": True})
        return unit

    rules = tuple(selector for selector in policy.must_include if selector not in narrowed)
    units = tuple(keep_others(unit) for unit in problem.units)
    return problem.model_copy(
        update={"units": units, "policy": policy.model_copy(update={"must_include": rules})}
    )


def _exclude(problem: Problem, change: Relaxation) -> Problem:
    rules = (*problem.policy.must_exclude, id_selector(change.name))
    return problem.model_copy(update={"policy": problem.policy.model_copy(update={"must_exclude": rules})})


def _dependency(problem: Problem, change: Relaxation) -> Problem:
    def change_needs(needs: tuple[Dependency, ...]) -> tuple[Dependency, ...]:
        if change.kind == "dependency":
            return tuple(need for need in needs if need.id != change.other)
        rung = State(str(change.value))
        return tuple(
            need.model_copy(update={"min_rung": rung}) if need.id == change.other else need for need in needs
        )

    units = tuple(
        unit.model_copy(update={"dependencies": change_needs(unit.dependencies)})
        if unit.id == change.name
        else unit
        for unit in problem.units
    )
    return problem.model_copy(update={"units": units})


def _policy(problem: Problem, change: Relaxation) -> Problem:
    policy = problem.policy
    rules = tuple(selector for selector in policy.must_exclude if selector != change.name)
    field, value = {
        "must exclude": ("must_exclude", rules),
        "risk ceiling": ("risk_ceiling", change.value),
        "required risk ceiling": ("required_risk_ceiling", change.value),
    }[change.kind]
    return problem.model_copy(update={"policy": policy.model_copy(update={field: value})})


def _whole(change: Relaxation) -> int:
    assert isinstance(change.value, int)
    return change.value


_CHANGES: Final[Mapping[Kind, Callable[[Problem, Relaxation], Problem]]] = {
    "budget": _budget,
    "zone maximum": _zone("max_tokens", _whole),
    "zone minimum": _zone("min_tokens", _whole),
    "overflow policy": _zone("overflow_policy", lambda change: OverflowPolicy(str(change.value))),
    "group": _group,
    "group policy": _group,
    "coverage": _coverage,
    "required": _required,
    "exclude": _exclude,
    "dependency": _dependency,
    "dependency rung": _dependency,
    "must exclude": _policy,
    "risk ceiling": _policy,
    "required risk ceiling": _policy,
}
