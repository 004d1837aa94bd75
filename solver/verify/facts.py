"""What a problem says about each unit, worked out from the problem alone.

Written from the model's definition and not from the solver: plain integers and floats, no arrays, and
no line shared with what it checks.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from ...models import (
    EXAMPLE_KINDS,
    BudgetZone,
    ContextUnit,
    GroupPolicy,
    Objective,
    OverflowPolicy,
    Problem,
    RedundancyGroup,
    SourceRef,
    State,
    selects,
)

AUTHORITATIVE: Final = (GroupPolicy.KEEP_AUTHORITATIVE, GroupPolicy.KEEP_AUTHORITATIVE_PLUS_ONE_EXAMPLE)
"""Policies that prefer one member."""

EXACT_LIMIT: Final = 2**53
"""Objectives stay below it, so that every one of them is exact in a double too."""


@dataclass(slots=True)
class Rung:
    """One form that a unit may take: tokens, unscaled value, and the share of coverage that it keeps."""

    index: int
    state: State
    tokens: int
    value: float
    fidelity: float
    source_refs: tuple[SourceRef, ...]


@dataclass(slots=True)
class UnitFacts:
    """A unit with its offered rungs by ladder index, and what the policy says of it.

    ``covers`` are the declared dimensions that it covers at all, by name.
    """

    unit: ContextUnit
    zone: BudgetZone
    rungs: Mapping[int, Rung]
    includes: tuple[str, ...]
    excludes: tuple[str, ...]
    should: bool
    risk_ceiling: float
    covers: tuple[str, ...]

    @property
    def demanded(self) -> bool:
        """Whether the unit is required by its own flag or by a mustInclude selector."""
        return self.unit.required or bool(self.includes)

    @property
    def excluded(self) -> bool:
        """Whether a mustExclude selector matches."""
        return bool(self.excludes)

    @property
    def over_risk(self) -> bool:
        """Whether the unit is optional and at or above the risk ceiling."""
        return not self.demanded and self.unit.risk_score >= self.risk_ceiling

    @property
    def smallest(self) -> int:
        """Tokens of the smallest offered rung."""
        return min(rung.tokens for rung in self.rungs.values())

    def offers(self, shortest: State) -> bool:
        """Whether some offered rung is as full as ``shortest``, or fuller."""
        return any(rung.state.depth <= shortest.depth for rung in self.rungs.values())


class Facts:
    """The problem, resolved: eligibility, rungs, values, zones, groups, coverage and the scale.

    Raises
    ------
    ValueError
        A form has no token count: such a problem has not been counted, and nothing can be verified.
    """

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.available = problem.envelope.available
        self._zones = {zone.name: zone for zone in problem.envelope.zones}
        self._dimensions = frozenset(dimension.name for dimension in problem.coverage)
        self._known: dict[tuple[str, Hashable], bool] = {}
        self.units: dict[str, UnitFacts] = {unit.id: self._unit(unit) for unit in problem.units}
        self.groups: dict[str, RedundancyGroup] = {group.id: group for group in problem.redundancy_groups}
        self.members: dict[str, tuple[str, ...]] = problem.groups
        self.groups_of: dict[str, list[str]] = defaultdict(list)
        for group, members in self.members.items():
            for name in members:
                self.groups_of[name].append(group)
        self.dependants: dict[str, list[str]] = defaultdict(list)
        for unit in problem.units:
            for name in unit.dependency_ids:
                self.dependants[name].append(unit.id)

    def zone(self, name: str) -> BudgetZone:
        """Return the declared zone, or one without limits."""
        if name not in self._zones:
            self._zones[name] = BudgetZone(name=name)
        return self._zones[name]

    def _unit(self, unit: ContextUnit) -> UnitFacts:
        policy, zone = self.problem.policy, self.zone(unit.zone)
        should = any(self._selects(rule, unit) for rule in policy.should_include)
        covers = unit.coverage
        return UnitFacts(
            unit=unit,
            zone=zone,
            rungs=self._rungs(unit, zone, bonus=policy.should_include_bonus if should else 0.0),
            includes=tuple([rule for rule in policy.must_include if self._selects(rule, unit)]),
            excludes=tuple([rule for rule in policy.must_exclude if self._selects(rule, unit)]),
            should=should,
            risk_ceiling=policy.risk_ceiling,
            covers=tuple(sorted([d for d in covers if covers[d] > 0 and d in self._dimensions]))
            if covers
            else (),
        )

    def _selects(self, rule: str, unit: ContextUnit) -> bool:
        """Return what the selector says of ``unit``, asked once for all that has the same names."""
        if rule.startswith("id:"):
            return selects(rule, unit)
        names: Hashable
        if rule.startswith("path:"):
            names = tuple([ref.path for ref in unit.source_refs])
        else:  # by kind, tag or zone, or a category, which is made of such
            names = (unit.kind, unit.tags, unit.zone)
        known = self._known.get((rule, names))
        if known is None:
            known = self._known[rule, names] = selects(rule, unit)
        return known

    def _rungs(self, unit: ContextUnit, zone: BudgetZone, *, bonus: float) -> dict[int, Rung]:
        offered: dict[int, Rung] = {}
        last = index = 0
        if unit.token_estimate is not None or unit.text is not None:
            last = self._counted(unit, unit.compression_state, unit.token_estimate)
            value = unit.value if unit.value is not None else self._value(unit, 1.0, bonus)
            offered[0] = Rung(0, unit.compression_state, last, value, 1.0, unit.source_refs)
            index = 1
        for form in unit.renderings:
            tokens = self._counted(unit, form.state, form.tokens)
            saves = tokens < last and form.state in zone.overflow_policy.states
            if not index or saves or index == unit.held:
                last = tokens
                fidelity = 1.0 if form.fidelity is None else form.fidelity
                value = form.value if form.value is not None else self._value(unit, fidelity, bonus)
                refs = form.source_refs or unit.source_refs
                offered[index] = Rung(index, form.state, tokens, value, fidelity, refs)
            index += 1
        return offered if unit.held is None else {unit.held: offered[unit.held]}

    @staticmethod
    def _counted(unit: ContextUnit, state: State, tokens: int | None) -> int:
        if tokens is None:
            raise ValueError(f"unit {unit.id!r} has a form without a token count ({state.value})")
        return tokens

    def _value(self, unit: ContextUnit, fidelity: float, bonus: float) -> float:
        # Design §3; the order of the operations is part of the definition, for the last bit's sake.
        if unit.value is not None:
            return fidelity * unit.value
        w = self.problem.weights
        base = (w.relevance * unit.relevance_score + w.authority * unit.authority_score) + (
            w.freshness * unit.freshness_score
        )
        return fidelity * base - w.risk * unit.risk_score + bonus

    # -- eligibility -------------------------------------------------------------------------------

    @cached_property
    def ineligible(self) -> frozenset[str]:
        """Units that no pack may hold: excluded, over the risk ceiling, or in need of such a unit."""
        out = {name for name, facts in self.units.items() if facts.excluded or facts.over_risk}
        out |= {
            name
            for name, facts in self.units.items()
            for need in facts.unit.dependencies
            if not self.units[need.id].offers(need.min_rung)
        }
        return self._closure(out, self.dependants)

    def kept_by_zone(self, name: str) -> bool:
        """Whether the zone of ``name`` keeps all of its eligible units."""
        return self.units[name].zone.overflow_policy is OverflowPolicy.FAIL and name not in self.ineligible

    def must_stay(self, name: str) -> bool:
        """Whether no pack may be without ``name``."""
        return self.units[name].demanded or self.kept_by_zone(name)

    @cached_property
    def _preferred(self) -> dict[str, str | None]:
        preferred: dict[str, str | None] = {}
        for group, members in self.members.items():
            able = [name for name in members if name not in self.ineligible]
            if self.groups[group].policy is GroupPolicy.KEEP_AUTHORITATIVE_PLUS_ONE_EXAMPLE:
                able = [name for name in able if not self.is_example(name)] or able
            ranked = sorted(able, key=lambda name: (-self.units[name].unit.authority_score, name))
            preferred[group] = ranked[0] if ranked else None
        return preferred

    def authoritative(self, group: str) -> str | None:
        """Return the eligible member that ``group`` prefers: highest authority, then smallest id."""
        return self._preferred[group]

    def is_example(self, name: str) -> bool:
        """Whether ``name`` is an example or a test."""
        return self.units[name].unit.kind in EXAMPLE_KINDS

    @cached_property
    def hopeless(self) -> frozenset[str]:
        """Units that no pack can hold once group policies are counted in as well.

        The ineligible ones, members that their group never keeps, and all that need any of these (an
        example needs the member that its group prefers).
        """
        out = set(self.ineligible)
        needed_by: dict[str, list[str]] = defaultdict(list)
        for name, users in self.dependants.items():
            needed_by[name] += users
        for group in self.groups:
            for member in self.members[group]:
                anchor = self.anchor_of(group, member)
                if anchor is not None and self.may_join(group, member):
                    needed_by[anchor].append(member)
                elif anchor is not None:
                    out.add(member)
        return self._closure(out, needed_by)

    def anchor_of(self, group: str, member: str) -> str | None:
        """Return the other member without which ``group`` never keeps ``member``, if there is one."""
        if self.groups[group].policy not in AUTHORITATIVE:
            return None
        anchor = self.authoritative(group)
        return None if anchor == member else anchor

    def anchors_of(self, name: str) -> set[str]:
        """Return the other members without which some group never keeps ``name``."""
        anchors = (self.anchor_of(group, name) for group in self.groups_of.get(name, ()))
        return {anchor for anchor in anchors if anchor is not None}

    def may_join(self, group: str, member: str) -> bool:
        """Whether ``member`` may stand beside the member that ``group`` prefers."""
        with_example = self.groups[group].policy is GroupPolicy.KEEP_AUTHORITATIVE_PLUS_ONE_EXAMPLE
        return with_example and self.is_example(member)

    @staticmethod
    def _closure(seeds: set[str], needed_by: Mapping[str, list[str]]) -> frozenset[str]:
        out, waiting = set(seeds), list(seeds)
        while waiting:
            for name in needed_by.get(waiting.pop(), ()):
                if name not in out:
                    out.add(name)
                    waiting.append(name)
        return frozenset(out)

    # -- scaling -----------------------------------------------------------------------------------

    @cached_property
    def amount_scale(self) -> int:
        """Units of coverage amount in one full cover: 1 when all covers are whole, else 1000."""
        whole = all(
            strength * rung.fidelity in (0.0, 1.0)
            for facts in self._eligible()
            for strength in facts.unit.coverage.values()
            for rung in facts.rungs.values()
        )
        return 1 if whole else 1000

    @cached_property
    def scale(self) -> int:
        """What every value is multiplied by before it is rounded to an integer."""
        values = [rung.value for facts in self._eligible() for rung in facts.rungs.values()]
        if all(number.is_integer() for number in (*values, *self._prices())):
            return self.amount_scale
        scale = 10**6
        while scale > 1000 and self._largest * scale >= self._limit:
            scale //= 10
        return scale

    @property
    def _limit(self) -> int:
        """What no objective may reach; value times cost, which are weighed as integers, may be larger."""
        pricing = self.problem.pricing
        if pricing is None or pricing.objective is Objective.VALUE:
            return EXACT_LIMIT
        whole = pricing.expected_calls * pricing.input_per_million
        reads = (pricing.expected_calls - pricing.cache_writes) * pricing.cached_input_per_million
        held = pricing.cache_writes * pricing.cache_write_per_million + reads
        answers = pricing.expected_calls * pricing.answer_tokens * pricing.output_per_million
        unit = math.gcd(whole, held, answers) or 1
        overhead = self.problem.envelope.fixed_overhead_tokens
        dearest = (whole * (overhead + self.available) + answers) // unit
        return min(EXACT_LIMIT, 2**58 // (2 * max(1, dearest)))

    @property
    def overflows(self) -> bool:
        """Whether even the chosen scale leaves objectives too large to be exact."""
        return self._largest * self.scale >= self._limit

    def _eligible(self) -> Iterable[UnitFacts]:
        return (facts for name, facts in self.units.items() if name not in self.ineligible)

    def _prices(self) -> list[float]:
        penalties = [self.problem.weights.redundancy * group.penalty for group in self.groups.values()]
        return [*self._unit_gains(), *penalties, *(zone.target_price for zone in self.problem.envelope.zones)]

    def _unit_gains(self) -> list[float]:
        return [
            self._weight(index) * gain
            for index, dimension in enumerate(self.problem.coverage)
            for gain in dimension.gains
        ]

    @cached_property
    def _largest(self) -> float:
        """An upper limit on the size of any objective, unscaled."""
        parts = [max(abs(rung.value) for rung in facts.rungs.values()) for facts in self._eligible()]
        parts += self._unit_gains()
        for name, group in self.groups.items():
            parts.append(self.problem.weights.redundancy * group.penalty * len(self.members[name]))
        parts += [zone.target_price * self.available for zone in self.problem.envelope.zones]
        return math.fsum(parts)

    def _weight(self, dimension: int) -> float:
        weight = self.problem.coverage[dimension].weight
        return self.problem.weights.coverage if weight is None else weight

    def scaled_value(self, rung: Rung) -> int:
        """Return the value of a rung as an integer."""
        return round(rung.value * self.scale)

    @cached_property
    def gains(self) -> tuple[tuple[int, ...], ...]:
        """Scaled gain per unit of amount, for each full cover of each dimension in the problem's order."""
        return tuple(
            tuple(
                round(self._weight(index) * gain * self.scale / self.amount_scale) for gain in dimension.gains
            )
            for index, dimension in enumerate(self.problem.coverage)
        )

    def penalty(self, group: str) -> int:
        """Return the scaled cost of each member of ``group`` beyond the first."""
        return round(self.problem.weights.redundancy * self.groups[group].penalty * self.scale)

    def zone_price(self, zone: str) -> int:
        """Return the scaled cost of each token above the target of ``zone``."""
        return round(self.zone(zone).target_price * self.scale)

    def amount(self, name: str, rung: Rung, dimension: str) -> int:
        """Return how much of ``dimension`` the unit covers at ``rung``, in units of ``amount_scale``."""
        strength = self.units[name].unit.coverage.get(dimension, 0.0)
        return round(strength * rung.fidelity * self.amount_scale)
