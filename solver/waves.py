"""Fills a pack in a few waves: at a price per token, all that pays is taken at once.

Greedy steps above a price commute, but for what ties units together: coverage that saturates, groups that
have room for few, and what several units need in common. Within a wave those are settled by prefix sums in
order of value per token, and along the levels of the dependencies (:mod:`.bundles`). The last few tokens are
left to the single steps of :mod:`.climb`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .bundles import NEVER, Bundles, Offer
from .compile import Bools, Compiled, Doubles, Ints
from .flat import held_of
from .hull import unsorted_steps

AIM = 0.8
"""Share of the room left that the price of a wave is set for: close to the price that the pack ends at."""

TAKE = 0.6
"""Share of the room left that a wave fills at most, densest moves first: then everything is weighed anew."""

WORTHWHILE = 0.05
"""Share of the room left below which a wave leaves the rest to steps one by one."""

REST = 0.01
"""Share of the budget that is left to steps one by one."""


class Waves:
    """Moves the rungs of ``choice`` (-1 for out) up; no limit that it keeps is broken.

    Zone minima are aimed at, not promised: budget is put by for what zones lack.
    """

    def __init__(self, c: Compiled, choice: Ints) -> None:
        self.c = c
        self.flat = c.flat
        self.choice = choice.copy()
        self.bundles = Bundles(c)
        self.waiting = np.zeros(c.n, dtype=np.bool_)
        self.minimum = np.array([zone.minimum for zone in c.zones], dtype=np.int64)
        far = c.available + int(c.tokens.max(initial=0))
        self.maximum = np.array([far if z.maximum is None else z.maximum for z in c.zones], dtype=np.int64)
        self._refresh()

    def run(self) -> Ints:
        """Return the choice of rungs after the last wave."""
        while self.left > REST * self.c.available:
            before = self.left
            self._wave()
            if before - self.left < WORTHWHILE * before:
                break
        return self.choice

    def _refresh(self) -> None:
        """Take the sums of the choice anew."""
        c, flat, choice = self.c, self.flat, self.choice
        self.held = choice >= 0
        self.tokens = held_of(choice, c.tokens)
        self.left = c.available - int(self.tokens.sum())
        self.used = flat.zone_used(choice)
        self.lack = np.maximum(self.minimum - self.used, 0)
        self.amounts = flat.amounts(choice)
        self.clique_used = flat.members(choice, flat.clique, flat.clique_unit, len(c.cliques))
        self.soft_used = flat.members(choice, flat.soft, flat.soft_unit, len(c.soft))

    def _wave(self) -> None:
        c = self.c
        bonus = self._bonus()
        rungs = np.flatnonzero(self._allowed())
        price = self._prices(bonus, rungs)
        values = c.values + bonus
        unit = c.rung_unit[rungs]
        gain = values[rungs] - held_of(self.choice, values)[unit]
        size = c.tokens[rungs] - self.tokens[unit]
        score = gain.astype(np.float64) - price[unit] * size
        unmet = self.bundles.unmet(self.choice)
        offer = self.bundles.offer(rungs, score, unmet)
        rung, worth = self.bundles.settle(offer, unmet, self.choice)
        # Weighed again as they would come in: later covers and later members of a group earn less.
        profit = self._gain_in_order(rung, self._density(rung, worth, price)) - price * self._size(rung)
        profit = np.where(rung >= 0, profit, 0.0)
        again = Offer(
            alone=np.maximum(profit, 0.0),
            alone_rung=np.where(profit > 0, rung, -1),
            needed=np.where(rung >= 0, profit, NEVER),
            needed_rung=rung,
        )
        rung, worth = self.bundles.settle(again, unmet, self.choice)
        rung = self._within_groups(rung, worth, unmet)
        rung = self._within_zones(rung, self._density(rung, worth, price), unmet)
        chosen = rung >= 0
        self.choice[chosen] = rung[chosen]
        self.waiting[:] = False
        self.waiting[c.dep_unit[unmet]] = True
        self.waiting &= (offer.alone > 0) & ~chosen
        self._refresh()

    def _size(self, rung: Ints) -> Ints:
        """Return the tokens that each unit's move adds; a unit that stays adds none."""
        return np.where(rung >= 0, self.c.tokens[rung] - self.tokens, 0)

    def _density(self, rung: Ints, worth: Doubles, price: Doubles) -> Doubles:
        """Return the value per token of each move, what needs the unit counted in."""
        return price + worth / np.maximum(self._size(rung), 1)

    def _bonus(self) -> Ints:
        """Return, per rung, the coverage that it adds as the next to come, less what its groups charge."""
        c, flat = self.c, self.flat
        bonus = np.zeros(c.m, dtype=np.int64)
        e = np.flatnonzero((self.amounts < flat.full)[flat.cover_dim])
        if len(e):
            dims = flat.cover_dim[e]
            before = self.amounts[dims]
            after = before + flat.cover_amount[e] - self._amount_held(e)
            np.add.at(bonus, flat.cover_rung[e], flat.earned(dims, after) - flat.earned(dims, before))
        charge = np.zeros(c.n, dtype=np.int64)
        np.add.at(charge, flat.soft_unit, flat.soft_price[flat.soft] * (self.soft_used[flat.soft] > 0))
        charge[self.held] = 0
        return bonus - charge[c.rung_unit]

    def _amount_held(self, entries: Ints) -> Ints:
        """Return the amount that the unit of each coverage entry gives to its dimension now."""
        flat = self.flat
        unit = flat.cover_unit[entries]
        step = np.where(self.held[unit], self.choice[unit] - self.c.rung_start[unit], 0)
        return np.where(self.held[unit], flat.cover_amount[flat.cover_first[entries] + step], 0)

    def _allowed(self) -> Bools:
        """Return which rungs are above the one held and have room: in budget, zone and groups."""
        c, flat = self.c, self.flat
        # A unit in no zone row has index -1: the last entry.
        room = np.minimum(np.append(self.maximum - self.used, self.left)[c.unit_zone], self.left)
        full = self.clique_used >= flat.clique_k
        shut = np.zeros(c.n, dtype=np.bool_)
        shut[flat.clique_unit[full[flat.clique]]] = True
        room[self.bundles.apart | (shut & ~self.held)] = -1
        more = c.tokens - self.tokens[c.rung_unit]
        allowed: Bools = (more <= room[c.rung_unit]) & ((more > 0) | ~self.held[c.rung_unit])
        return allowed

    def _prices(self, bonus: Ints, rungs: Ints) -> Doubles:
        """Return what a token costs each unit: what the budget and its zone ask at the end of the wave."""
        c = self.c
        able = np.zeros(c.m, dtype=np.bool_)
        # What waits for others is on offer, and must not keep the price up.
        able[rungs] = ~self.waiting[c.rung_unit[rungs]]
        steps = unsorted_steps(c, self.choice, bonus, able)
        steps = steps.at(np.argsort(-steps.density))  # the order of equals makes no difference to a price
        size, density, zone = steps.sizes(c), steps.density, c.unit_zone[steps.unit]
        counted = np.ones(len(size), dtype=np.bool_)
        own: list[tuple[float, float, float]] = []
        for z, row in enumerate(c.zones):
            mine = np.flatnonzero(zone == z)
            fill, falling = np.cumsum(size[mine]), density[mine]
            limits = (int(self.maximum[z] - self.used[z]), row.target - int(self.used[z]), int(self.lack[z]))
            most, target, least = (_price_at(fill, falling, AIM * limit) for limit in limits)
            counted[mine] = (falling > most) & (self.lack[z] == 0)
            own.append((most, target if limits[1] > 0 else np.inf, least if limits[2] else np.inf))
        room = AIM * max(0, self.left - int(self.lack.sum()))
        budget = _price_at(np.cumsum(np.where(counted, size, 0)), density, room)
        by_zone = np.full(len(c.zones) + 1, budget)
        for z, (row, (most, target, least)) in enumerate(zip(c.zones, own, strict=True)):
            # Above its target a zone asks its own price beside the budget's; at the target, up to that.
            asked = min(max(budget, target), budget + row.price) if row.price else budget
            by_zone[z] = min(max(asked, most), least)
        return by_zone[c.unit_zone]

    def _gain_in_order(self, rung: Ints, density: Doubles) -> Doubles:
        """Return what each move gains when all come in order of ``density``."""
        c, flat = self.c, self.flat
        gain = np.where(rung >= 0, c.values[rung] - held_of(self.choice, c.values), 0).astype(np.float64)
        e = np.flatnonzero(
            (self.amounts < flat.full)[flat.cover_dim] & (rung[flat.cover_unit] == flat.cover_rung)
        )
        unit = flat.cover_unit[e]
        order = np.lexsort((unit, -density[unit], flat.cover_dim[e]))
        e, unit = e[order], unit[order]
        dims = flat.cover_dim[e]
        delta = flat.cover_amount[e] - self._amount_held(e)
        before = np.maximum(self.amounts[dims] + _before(dims, delta), 0)
        after = np.maximum(before + delta, 0)
        np.add.at(gain, unit, (flat.earned(dims, after) - flat.earned(dims, before)).astype(np.float64))
        group, unit = self._entering(rung, density, flat.soft, flat.soft_unit)
        later = _before(group, np.ones(len(group), dtype=np.int64)) + self.soft_used[group] > 0
        np.add.at(gain, unit, -(flat.soft_price[group] * later).astype(np.float64))
        return gain

    def _entering(self, rung: Ints, rank: Doubles, groups: Ints, units: Ints) -> tuple[Ints, Ints]:
        """Return (group, unit) of the members that would enter, by group and then by falling ``rank``."""
        entering = (rung[units] >= 0) & ~self.held[units]
        group, unit = groups[entering], units[entering]
        order = np.lexsort((unit, -rank[unit], group))
        return group[order], unit[order]

    def _within_groups(self, rung: Ints, worth: Doubles, unmet: Ints) -> Ints:
        """Return ``rung`` without the members that groups have no room for: those worth most stay."""
        flat = self.flat
        group, unit = self._entering(rung, worth, flat.clique, flat.clique_unit)
        rank = _before(group, np.ones(len(group), dtype=np.int64)) + self.clique_used[group]
        rung = rung.copy()
        rung[unit[rank >= flat.clique_k[group]]] = -1
        return self.bundles.supplied(rung, unmet, self.choice)

    def _within_zones(self, rung: Ints, density: Doubles, unmet: Ints) -> Ints:
        """Return ``rung`` without the moves that zones or the budget have no room for, densest first."""
        c = self.c
        size = self._size(rung)
        moved = np.flatnonzero(rung >= 0)
        lacking = np.append(self.lack > 0, [False])[c.unit_zone]
        moved = moved[np.lexsort((moved, -density[moved], ~lacking[moved]))]
        rung = rung.copy()
        for z in range(len(c.zones)):
            mine = moved[c.unit_zone[moved] == z]
            rung[mine[np.cumsum(size[mine]) > TAKE * (self.maximum[z] - self.used[z])]] = -1
        moved = moved[rung[moved] >= 0]
        # What zones lack of their minima is put by: the others share the rest.
        free = np.cumsum(np.where(lacking[moved], 0, size[moved]))
        room = self.left - int(self.lack.sum())
        over = (np.cumsum(size[moved]) > TAKE * self.left) | (free > TAKE * room)
        rung[moved[over]] = -1
        return self.bundles.supplied(rung, unmet, self.choice)


def _price_at(fill: Ints, density: Doubles, room: float) -> float:
    """Return the density of the step at which ``room`` tokens end, or 0 where all steps fit."""
    at = int(np.searchsorted(fill, room, side="right"))
    return float(min(density[at], np.finfo(np.float64).max)) if at < len(fill) else 0.0


def _before(groups: Ints, amounts: Ints) -> NDArray[np.int64]:
    """Return, for entries sorted by group, the sum of the amounts before each one in its group."""
    first = np.flatnonzero(np.diff(groups, prepend=-1))
    total = np.cumsum(amounts) - amounts
    return np.asarray(total - np.repeat(total[first], np.diff(first, append=len(groups))), dtype=np.int64)
