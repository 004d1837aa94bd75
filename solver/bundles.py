"""Dependencies weighed for all units at once: what is needed is worth what its users leave over.

Units that need each other are taken as one part, and parts by levels, users first. A user's surplus is shared
out among all that it lacks, so no part is taken for the sake of a surplus that is counted twice.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from .compile import Bools, Compiled, Doubles, Ints

DEEPEST = 200
"""Levels that are told apart: longer chains are left to methods that take units one by one."""


ROUNDS = 4
"""Times that parts are settled anew without the users that turn out not to come."""

NEVER = -np.inf


@dataclass(frozen=True)
class Offer:
    """Per unit: the move that pays best, as the rung it leads to, and its profit above the price of tokens.

    ``alone`` is never below 0: a unit may stay as it is (rung -1). ``needed`` is the same at a rung that will
    do for all that need the unit, at whatever loss.
    """

    alone: Doubles
    alone_rung: Ints
    needed: Doubles
    needed_rung: Ints


class Bundles:
    """The dependencies of ``c``, which decide what is taken together.

    ``apart`` are the units that are left out of it: their chains are too deep, or have rungs that will do
    below rungs that will not.
    """

    def __init__(self, c: Compiled) -> None:
        self.c = c
        self.limit = c.flat.limit
        ranks = levels(c.n, c.dep_unit, c.dep_target)
        self.part = part = ranks.part
        self.members = np.flatnonzero(np.bincount(part, minlength=c.n)[part] > 1)
        self.apart = ~ranks.ordered[part]
        crooked = ~c.flat.straight
        self.apart[c.dep_unit[crooked]] = self.apart[c.dep_target[crooked]] = True
        self.level = ranks.level[part[c.dep_unit]]
        self.by_level = np.argsort(self.level, kind="stable")

    def unmet(self, choice: Ints) -> Ints:
        """Return the dependencies, by level, of units that are out on what is not there as it should be."""
        c, held = self.c, choice >= 0
        met = held[c.dep_unit] | (held[c.dep_target] & (choice[c.dep_target] < self.limit))
        return np.asarray(self.by_level[~met[self.by_level]], dtype=np.int64)

    def offer(self, rungs: Ints, profit: Doubles, unmet: Ints) -> Offer:
        """Return the best of ``rungs`` (sorted) for each unit, at the ``profit`` of each."""
        c = self.c
        strict = c.rung_start[1:].copy()
        np.minimum.at(strict, c.dep_target[unmet], self.limit[unmet])
        alone, alone_rung = self._best(rungs, profit)
        will_do = rungs < strict[c.rung_unit[rungs]]
        needed, needed_rung = self._best(rungs[will_do], profit[will_do])
        pays = alone > 0
        return Offer(np.where(pays, alone, 0.0), np.where(pays, alone_rung, -1), needed, needed_rung)

    def _best(self, rungs: Ints, profit: Doubles) -> tuple[Doubles, Ints]:
        unit = self.c.rung_unit[rungs]
        first = np.flatnonzero(np.diff(unit, prepend=-1))
        best, rung = np.full(self.c.n, NEVER), np.full(self.c.n, -1, dtype=np.int64)
        if len(first):
            best[unit[first]] = np.maximum.reduceat(profit, first)
            hits = np.flatnonzero(profit == best[unit])[::-1]
            rung[unit[hits]] = rungs[hits]  # the fullest one comes last, and stands
        return best, rung

    def settle(self, offer: Offer, unmet: Ints, choice: Ints) -> tuple[Ints, Doubles]:
        """Return the rung that each unit moves to, or -1, and what it is worth with all that needs it."""
        c, part = self.c, self.part
        tied = np.zeros(c.n, dtype=np.bool_)
        tied[c.dep_target[unmet]] = True
        source, target = part[c.dep_unit[unmet]], part[c.dep_target[unmet]]
        across = source != target
        alone = self._sum(offer.alone)
        # Units that need each other come together or not at all, unless all of them are there.
        alone[source[~across]] = NEVER
        bundle = self._sum(np.where(tied, offer.needed, offer.alone))
        source, target, level = source[across], target[across], self.level[unmet[across]]
        bounds = np.flatnonzero(np.diff(level, prepend=-1, append=-1)).tolist()
        shares = np.maximum(np.bincount(source, minlength=c.n), 1)
        alive = np.ones(c.n, dtype=np.bool_)
        for _ in range(ROUNDS):
            together = bundle.copy()
            for first, last in pairwise(bounds):
                users = source[first:last]
                surplus = np.maximum(np.maximum(alone[users], together[users]), 0.0) / shares[users]
                np.add.at(together, target[first:last], np.where(alive[users], surplus, 0.0))
            worth = np.where(alive, np.maximum(alone, together), 0.0)
            as_needed = (together > alone)[part] & tied
            wanted = np.where((worth > 0)[part], np.where(as_needed, offer.needed_rung, offer.alone_rung), -1)
            rung = self.supplied(wanted, unmet, choice)
            lost = part[(wanted >= 0) & (rung < 0)]
            if len(lost) == 0:
                break
            alive[lost] = False
        own = np.where(as_needed, offer.needed, offer.alone)
        return rung, np.where(rung >= 0, np.maximum(worth[part], own), 0.0)

    def _sum(self, numbers: Doubles) -> Doubles:
        """Return the sum of ``numbers`` by part; most parts are one unit."""
        sums = numbers.copy()
        sums[self.members] = 0.0
        np.add.at(sums, self.part[self.members], numbers[self.members])
        return sums

    def supplied(self, rung: Ints, unmet: Ints, choice: Ints) -> Ints:
        """Return ``rung`` without the units that would enter and lack something, and all that need those."""
        c, rung = self.c, rung.copy()
        users, target, limit = c.dep_unit[unmet], c.dep_target[unmet], self.limit[unmet]
        before = choice[target]
        while True:
            after = np.where(rung[target] >= 0, rung[target], before)
            bad = users[(rung[users] >= 0) & ((after < 0) | (after >= limit))]
            if len(bad) == 0:
                return rung
            rung[bad] = -1


@dataclass(frozen=True)
class Levels:
    """``part[u]`` is the set of units that need each other which ``u`` belongs to, mostly ``u`` alone.

    ``level[part]`` is 0 where nothing needs the part, and above that of every part that needs it; ``ordered``
    is false where the chain is too deep to say. Edges lead from a part of a lower level to one of a higher.
    """

    part: Ints
    level: Ints
    ordered: Bools


def levels(units: int, needs: Ints, needed: Ints) -> Levels:
    """Return the levels of ``units`` units, of which ``needs[e]`` needs ``needed[e]``."""
    part = np.arange(units, dtype=np.int64)
    level, rest = _peel(units, needs, needed)
    if rest.any():
        # What is left once both ends are peeled is on a cycle, or on a path between two.
        _, rest_up = _peel(units, needed, needs)
        core = rest & rest_up
        inside = core[needs] & core[needed]
        for cycle in _cycles(needs[inside].tolist(), needed[inside].tolist()):
            part[cycle] = min(cycle)
        level, rest = _peel(units, part[needs], part[needed])
    return Levels(part, level, ~rest)


def _peel(units: int, needs: Ints, needed: Ints) -> tuple[Ints, Bools]:
    """Take off the units that no other needs, round by round; return the round of each, and who is left."""
    apart = needs != needed
    needs, needed = needs[apart], needed[apart]
    level = np.zeros(units, dtype=np.int64)
    left = np.zeros(units, dtype=np.bool_)
    for number in range(DEEPEST):
        if len(needs) == 0:
            return level, left
        waiting = np.zeros(units, dtype=np.bool_)
        waiting[needed] = True
        stays = waiting[needs]
        level[needed] = number + 1
        if stays.all():
            break
        needs, needed = needs[stays], needed[stays]
    left[needs] = left[needed] = True
    return level, left


def _cycles(needs: list[int], needed: list[int]) -> list[list[int]]:
    """Return the sets of two units or more that need each other (Tarjan 1972, without recursion)."""
    targets: dict[int, list[int]] = defaultdict(list)
    for u, v in zip(needs, needed, strict=True):
        targets[u].append(v)
    index: dict[int, int] = {}
    low: dict[int, int] = {}
    open_units: list[int] = []
    place: dict[int, int] = {}  # of the open ones
    found: list[list[int]] = []
    for root in sorted(targets):
        if root in index:
            continue
        path = [(root, iter(targets[root]))]
        while path:
            unit, rest = path[-1]
            if unit not in index:
                index[unit] = low[unit] = len(index)
                place[unit] = len(open_units)
                open_units.append(unit)
            following = next((v for v in rest if v not in index or v in place), None)
            if following is not None and following not in index:
                path.append((following, iter(targets.get(following, ()))))
            elif following is not None:
                low[unit] = min(low[unit], index[following])
            else:
                path.pop()
                if path:
                    low[path[-1][0]] = min(low[path[-1][0]], low[unit])
                if low[unit] == index[unit]:
                    cycle = open_units[place[unit] :]
                    del open_units[place[unit] :]
                    for closed in cycle:
                        del place[closed]
                    if len(cycle) > 1:
                        found.append(cycle)
    return found
