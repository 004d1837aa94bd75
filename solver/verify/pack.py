"""The selection that an artifact claims, with the sums that follow from it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from ...models import MinPolicy, Stability, State
from .facts import Facts, Rung


class Pack:
    """Accepted units at their rungs: tokens, coverage amounts and objective, recomputed."""

    def __init__(self, facts: Facts, rungs: Mapping[str, Rung]) -> None:
        self.facts = facts
        self.rungs = rungs

    @cached_property
    def tokens(self) -> int:
        """Tokens of all accepted units."""
        return sum(rung.tokens for rung in self.rungs.values())

    @cached_property
    def by_stability(self) -> tuple[int, int]:
        """Tokens of the stable and of the volatile units."""
        stable = sum(
            rung.tokens
            for name, rung in self.rungs.items()
            if self.facts.units[name].unit.stability is Stability.STABLE
        )
        return stable, self.tokens - stable

    @cached_property
    def zone_tokens(self) -> dict[str, int]:
        """Accepted tokens by zone; zones without accepted units are absent."""
        sums: dict[str, int] = {}
        for name, rung in self.rungs.items():
            zone = self.facts.units[name].unit.zone
            sums[zone] = sums.get(zone, 0) + rung.tokens
        return sums

    @cached_property
    def zone_units(self) -> dict[str, int]:
        """Number of accepted units by zone; zones without any are absent."""
        counts: dict[str, int] = {}
        for name in self.rungs:
            zone = self.facts.units[name].unit.zone
            counts[zone] = counts.get(zone, 0) + 1
        return counts

    @cached_property
    def amounts(self) -> list[int]:
        """Coverage amount of each dimension, in units of ``facts.amount_scale``."""
        sums = {dimension.name: 0 for dimension in self.facts.problem.coverage}
        for name, rung in self.rungs.items():
            for dimension in self.facts.units[name].covers:
                sums[dimension] += self.facts.amount(name, rung, dimension)
        return list(sums.values())

    @cached_property
    def coverage(self) -> dict[str, str]:
        """Each dimension as covered (one full cover or more), partial or missing."""
        full = self.facts.amount_scale
        return {
            dimension.name: "covered" if amount >= full else "partial" if amount > 0 else "missing"
            for dimension, amount in zip(self.facts.problem.coverage, self.amounts, strict=True)
        }

    def kept(self, group: str) -> list[str]:
        """Accepted members of ``group``, by id."""
        return [name for name in self.facts.members[group] if name in self.rungs]

    def lacks(self, name: str) -> tuple[str, ...]:
        """Return the dependencies of ``name`` that this pack lacks, or holds in too short a form."""
        return tuple(
            need.id
            for need in self.facts.units[name].unit.dependencies
            if need.id not in self.rungs or self.rungs[need.id].state.depth > need.min_rung.depth
        )

    def missing(self, name: str) -> list[str]:
        """Return what ``name`` needs and this pack lacks: dependencies, and anchors of groups, by id."""
        anchors = {anchor for anchor in self.facts.anchors_of(name) if anchor not in self.rungs}
        return sorted(anchors | set(self.lacks(name)))

    def growth(self, name: str) -> dict[str, int] | None:
        """Return the tokens by zone that ``name`` adds at its smallest, with all that it needs.

        What is missing comes in at its smallest form that will do. None where no forms go together.
        """
        facts = self.facts
        joins = {name: min(facts.units[name].rungs.values(), key=lambda rung: (rung.tokens, rung.index))}
        deepest: dict[str, int] = {}
        waiting = [name]
        while waiting:
            user = waiting.pop()
            needs = [(need.id, need.min_rung.depth) for need in facts.units[user].unit.dependencies]
            needs += [(anchor, State.SUMMARIZED.depth) for anchor in sorted(facts.anchors_of(user))]
            for other, depth in needs:
                deepest[other] = min(depth, deepest.get(other, depth))
                held = joins.get(other) or self.rungs.get(other)
                if held is not None and held.state.depth <= deepest[other]:
                    continue
                forms = facts.units[other].rungs.values()
                able = [rung for rung in forms if rung.state.depth <= deepest[other]]
                if not able or other == name:
                    return None
                joins[other] = min(able, key=lambda rung: (rung.tokens, rung.index))
                waiting.append(other)
        added: dict[str, int] = {}
        for other, rung in joins.items():
            zone = facts.units[other].unit.zone
            before = self.rungs[other].tokens if other in self.rungs else 0
            added[zone] = added.get(zone, 0) + rung.tokens - before
        return added

    def users(self, name: str) -> list[str]:
        """Return the accepted units that need ``name`` as a dependency or as their group's anchor, by id."""
        users = set(self.facts.dependants.get(name, ()))
        if not users and name not in self.facts.groups_of:
            return []
        for group in self.facts.groups_of.get(name, ()):
            users |= {other for other in self.kept(group) if self.facts.anchor_of(group, other) == name}
        return sorted(user for user in users if user in self.rungs)

    @cached_property
    def objective(self) -> int:
        """The scaled objective: values and coverage, less redundancy and the price of passing targets."""
        facts = self.facts
        total = sum(facts.scaled_value(rung) for rung in self.rungs.values())
        for index, amount in enumerate(self.amounts):
            total += self.cover_value(index, amount)
        for group in facts.groups:
            total -= facts.penalty(group) * max(0, len(self.kept(group)) - 1)
        for zone in facts.problem.envelope.zones:
            total -= self.target_cost(zone.name, self.zone_tokens.get(zone.name, 0))
        return total

    def cover_value(self, dimension: int, amount: int) -> int:
        """Return what ``amount`` of a dimension earns: each full cover at its own gain."""
        full = self.facts.amount_scale
        gains = self.facts.gains[dimension]
        return sum(gain * min(full, max(0, amount - k * full)) for k, gain in enumerate(gains))

    def target_cost(self, zone: str, tokens: int) -> int:
        """Return the scaled price of ``tokens`` in ``zone``."""
        limits = self.facts.zone(zone)
        if limits.target_tokens is None:
            return 0
        return round(limits.target_price * self.facts.scale) * max(0, tokens - limits.target_tokens)

    def gain_of(self, name: str, rung: Rung) -> int:
        """Return by how much the objective would rise if ``name`` joined the pack at ``rung``."""
        facts = self.facts
        unit = facts.units[name].unit
        gain = facts.scaled_value(rung)
        for index, dimension in enumerate(facts.problem.coverage):
            more = facts.amount(name, rung, dimension.name) if dimension.name in unit.coverage else 0
            if not more:
                continue
            before = self.amounts[index]
            after = before + more
            gain += self.cover_value(index, after) - self.cover_value(index, before)
        for group in facts.groups_of.get(name, ()):
            if self.kept(group):
                gain -= facts.penalty(group)
        held = self.zone_tokens.get(unit.zone, 0)
        return gain - self.target_cost(unit.zone, held + rung.tokens) + self.target_cost(unit.zone, held)

    @cached_property
    def shortfalls(self) -> dict[str, int]:
        """Tokens that each declared zone with a relaxed minimum lacks of it."""
        return {
            zone.name: max(0, zone.min_tokens - self.zone_tokens.get(zone.name, 0))
            for zone in self.facts.problem.envelope.zones
            if zone.effective_min_policy is MinPolicy.RELAX
        }

    @property
    def shortfall(self) -> int:
        """Tokens that all relaxed minima lack together."""
        return sum(self.shortfalls.values())
