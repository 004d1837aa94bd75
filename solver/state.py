"""A partial pack with its running sums, for constructive methods: what a change costs, gains and breaks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

from .compile import Compiled, Ints
from .flat import held_of

NONE = -1

WIDEST = 128
"""Units that one step of a constructive method brings in at most."""


class State:
    """The rung chosen for each unit (``NONE`` where there is none), kept feasible by its callers."""

    def __init__(self, c: Compiled) -> None:
        self.c = c
        self.layout = layout = c.layout
        self.choice = [NONE] * c.n
        self.left = c.available
        self.objective = 0
        self.tokens, self.values, self.zone = layout.tokens, layout.values, layout.zone
        self.needs, self.needed_by = layout.needs, layout.needed_by
        self.zone_used = [0] * len(c.zones)
        self.amounts = [0] * len(c.covers)
        self.counts = [0] * len(c.covers)
        self.clique_used = [0] * len(c.cliques)
        self.soft_used = [0] * len(c.soft)
        self.costs, self.prefix = layout.costs, layout.prefix
        self.cost_left = 0 if c.priced is None or c.priced.most is None else c.priced.most
        self.prefix_used = 0

    @classmethod
    def of(cls, c: Compiled, choice: Ints) -> State:
        """Return the state of the pack ``choice`` (rung per unit, ``NONE`` where it is out)."""
        state, flat = cls(c), c.flat
        state.choice = choice.tolist()
        state.objective = flat.objective(choice)
        state.left = c.available - int(held_of(choice, c.tokens).sum())
        state.zone_used = flat.zone_used(choice).tolist()
        state.amounts = flat.amounts(choice).tolist()
        state.counts = [int((choice[cover.units] >= 0).sum()) for cover in c.covers]
        state.clique_used = flat.members(choice, flat.clique, flat.clique_unit, len(c.cliques)).tolist()
        state.soft_used = flat.members(choice, flat.soft, flat.soft_unit, len(c.soft)).tolist()
        if c.priced is not None:
            state.cost_left -= int(held_of(choice, c.priced.costs).sum()) if c.priced.most is not None else 0
            state.prefix_used = int(held_of(choice, c.tokens)[c.priced.prefix].sum())
        return state

    def copy(self) -> State:
        """Return a copy that can be changed without changing this one."""
        other = object.__new__(State)
        other.__dict__.update(self.__dict__)
        for name in ("choice", "zone_used", "amounts", "counts", "clique_used", "soft_used"):
            setattr(other, name, list(getattr(self, name)))
        return other

    def closure(self, unit: int, rung: int, most: int = WIDEST) -> dict[int, int] | None:
        """Return the changes (unit to rung) that put ``unit`` at ``rung`` with all it needs, or None.

        What is missing comes in at the smallest rung that is good enough. None as well where more than
        ``most`` units would come in: weighing a long chain once for each of its units takes quadratic time.
        """
        changes = {unit: rung}
        if unit not in self.needs:
            return changes
        allowed: dict[int, list[int]] = {}
        queue = [unit]
        while queue:
            for v, good in self.needs.get(queue.pop(), ()):
                options = [r for r in allowed.get(v, good) if r in good]
                allowed[v] = options
                current = changes.get(v, self.choice[v])
                if current in options:
                    continue
                if not options or v == unit:
                    return None
                if len(changes) >= most:
                    return None
                changes[v] = min(options, key=lambda r: (self.tokens[r], r))
                queue.append(v)
        return changes

    def size(self, changes: Mapping[int, int]) -> int:
        """Return the tokens that ``changes`` add."""
        tokens, choice, total = self.tokens, self.choice, 0
        for unit, rung in changes.items():
            held = choice[unit]
            total += tokens[rung] - (tokens[held] if held != NONE else 0)
        return total

    def load(self, changes: Mapping[int, int], size: int) -> float:
        """Return what ``changes``, of ``size`` tokens, take of what is left: dear tokens count for more."""
        dear = self.layout.dear
        if dear is None:
            return size
        tokens = self.tokens
        return sum((tokens[r] - self._held(u, tokens)) * dear[u] for u, r in changes.items())

    def fits(self, changes: Mapping[int, int], size: int) -> bool:
        """Whether ``changes`` (of ``size`` tokens) keep budget, zone maxima and groups."""
        if size > self.left or (self.layout.crooked and not self._still_does(changes)):
            return False
        if self.costs is not None and not self.pays(changes):
            return False
        if len(changes) == 1:
            ((unit, rung),) = changes.items()
            zone = self.zone[unit]
            if zone != NONE and not self.zone_takes(zone, self.tokens[rung] - self._held(unit, self.tokens)):
                return False
            return self.choice[unit] != NONE or self.groups_take(unit)
        zones: dict[int, int] = defaultdict(int)
        cliques: dict[int, int] = defaultdict(int)
        for unit, rung in changes.items():
            if self.zone[unit] != NONE:
                zones[self.zone[unit]] += self.tokens[rung] - self._held(unit, self.tokens)
            if self.choice[unit] == NONE:
                for q in self.layout.cliques_of.get(unit, ()):
                    cliques[q] += 1
        return all(self.zone_takes(z, more) for z, more in zones.items()) and all(
            self.clique_used[q] + more <= self.c.cliques[q].k for q, more in cliques.items()
        )

    def pays(self, changes: Mapping[int, int]) -> bool:
        """Whether what may be spent is enough for ``changes``."""
        costs = self.costs
        if costs is None:
            return True
        return sum(costs[r] - self._held(u, costs) for u, r in changes.items()) <= self.cost_left

    def _still_does(self, changes: Mapping[int, int]) -> bool:
        """Whether no unit of the pack loses a form that it needs: not every fuller form is a better one."""
        return all(
            changes[v] in good
            for v in changes.keys() & self.layout.crooked
            for user in self.needed_by[v]
            if self.choice[user] != NONE and user not in changes
            for other, good in self.needs[user]
            if other == v
        )

    def gain(self, changes: Mapping[int, int]) -> int:
        """Return how much ``changes`` add to the scaled objective."""
        total = 0
        amounts: dict[int, int] = {}
        zones: dict[int, int] = {}
        soft: dict[int, int] = {}
        for unit, rung in changes.items():
            old = self.choice[unit]
            total += self.values[rung] - self._held(unit, self.values)
            for d, amount in self.layout.covers(rung):
                amounts[d] = amounts.get(d, 0) + amount
            if old != NONE:
                for d, amount in self.layout.covers(old):
                    amounts[d] = amounts.get(d, 0) - amount
            elif unit in self.layout.soft_of:
                for g in self.layout.soft_of[unit]:
                    soft[g] = soft.get(g, 0) + 1
            zone = self.zone[unit]
            if zone != NONE and self.c.zones[zone].price:
                zones[zone] = zones.get(zone, 0) + self.tokens[rung] - self._held(unit, self.tokens)
        for d, more in amounts.items():
            total += self._covered(d, self.amounts[d] + more) - self._covered(d, self.amounts[d])
        for g, more in soft.items():
            total -= self.c.soft[g].price * (
                max(0, self.soft_used[g] + more - 1) - max(0, self.soft_used[g] - 1)
            )
        for z, more in zones.items():
            row, used = self.c.zones[z], self.zone_used[z]
            total -= row.price * (max(0, used + more - row.target) - max(0, used - row.target))
        return total

    def apply(self, changes: Mapping[int, int]) -> None:
        """Make ``changes``."""
        self.objective += self.gain(changes)
        for unit, rung in changes.items():
            old = self.choice[unit]
            more = self.tokens[rung] - self._held(unit, self.tokens)
            self.left -= more
            if self.costs is not None:
                self.cost_left -= self.costs[rung] - self._held(unit, self.costs)
            if unit in self.prefix:
                self.prefix_used += more
            if self.zone[unit] != NONE:
                self.zone_used[self.zone[unit]] += more
            for d, amount in self.layout.covers(rung):
                self.amounts[d] += amount
            if old == NONE:
                for q in self.layout.cliques_of.get(unit, ()):
                    self.clique_used[q] += 1
                for g in self.layout.soft_of.get(unit, ()):
                    self.soft_used[g] += 1
                for d in self.layout.counts_of.get(unit, ()):
                    self.counts[d] += 1
            else:
                for d, amount in self.layout.covers(old):
                    self.amounts[d] -= amount
            self.choice[unit] = rung

    def shortfall(self) -> int:
        """Return the tokens that relaxed zone minima lack."""
        return sum(
            max(0, zone.minimum - used)
            for zone, used in zip(self.c.zones, self.zone_used, strict=True)
            if zone.relax
        )

    def complete(self) -> bool:
        """Whether hard zone minima and required dimensions are met: what adding units can mend."""
        if not self.prefix_filled():
            return False
        return all(
            zone.relax or used >= zone.minimum
            for zone, used in zip(self.c.zones, self.zone_used, strict=True)
        ) and all(count >= cover.required for cover, count in zip(self.c.covers, self.counts, strict=True))

    def prefix_filled(self) -> bool:
        """Whether the stable units are as long together as the case asks."""
        return self.c.priced is None or self.prefix_used >= self.c.priced.least

    def _held(self, unit: int, numbers: list[int]) -> int:
        rung = self.choice[unit]
        return 0 if rung == NONE else numbers[rung]

    def groups_take(self, unit: int) -> bool:
        """Whether the groups of ``unit`` have room for it."""
        groups = self.layout.cliques_of.get(unit)
        return groups is None or all(self.clique_used[q] < self.c.cliques[q].k for q in groups)

    def zone_takes(self, zone: int, more: int) -> bool:
        """Whether ``zone`` has room for ``more`` tokens."""
        maximum = self.c.zones[zone].maximum
        return maximum is None or self.zone_used[zone] + more <= maximum

    def _covered(self, d: int, amount: int) -> int:
        """Return the scaled gain of dimension ``d`` at a scaled ``amount``: concave, filled in order."""
        gains, sums = self.layout.gains[d], self.layout.gain_sums[d]
        covers, rest = divmod(amount, self.c.amount_scale)
        return sums[covers] + gains[covers] * rest if covers < len(gains) else sums[-1]
