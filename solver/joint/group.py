"""The best prefix of one group of pages at one price per token, by cutting planes.

What all pages are worth behind a prefix, less what their tokens cost, plus what the cache refunds for the
prefix, is concave in the shares ``s`` of forms in it (:mod:`.relaxed`). The master is its outer
approximation. Planes are taken between the best prefix so far and the master's proposal, which keeps the
proposals from leaping about (Ben-Ameur and Neto 2007), and then at whole prefixes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from ..backends.parametric import Planes
from ..compile import Ints
from .page import Shared
from .rates import Rates
from .relaxed import DENOMINATOR, Floats, Plane, RelaxedPage

STEP = 0.5
"""How far from the best prefix so far towards the master's proposal a plane is taken."""

SHORTENED = 5
"""How often that is brought nearer where a page has no pack behind a proposal."""

CLOSE = 2e-4
"""Relative gap of a group at which no more planes are taken."""

THRESHOLDS = (0.5, 0.9, 0.1)
"""Shares from which on a form is taken into a whole prefix."""

WEIGHTS = 2**20
"""Denominator of the weights of planes in a bound."""


@dataclass
class Group:
    """Pages that share a prefix, and the planes that are known of them at the current price.

    ``refund`` is what each cached token saves over all of them: :meth:`.rates.Rates.refund`, or the share of
    it that a sample of pages stands for.
    """

    pages: Sequence[RelaxedPage]
    shared: Shared
    rates: Rates
    refund: Fraction
    price: int = 0
    planes: list[Plane] = field(default_factory=list)
    bare: Plane | None = None

    @property
    def allowed(self) -> Ints:
        """Which forms and headings all pages of the group offer, 0 or 1."""
        offered = np.logical_and.reduce([page.program.offers for page in self.pages])
        count = len(self.shared.tokens)
        heading = self.shared.heading
        has_heading = (heading < 0) | offered[count:][heading] if len(offered) > count else heading < 0
        offered[:count] &= has_heading
        allowed: Ints = offered.astype(np.int64)
        return allowed

    def at(self, s: Floats) -> Plane | None:
        """Return the sum of the planes of all pages over ``s``; None where a page has no pack behind it."""
        total: Plane | None = None
        for page in self.pages:
            plane = page.plane(s, self.price)
            if plane is None:
                return None
            total = plane if total is None else total + plane
        return total

    def reward(self, s: Floats) -> float:
        """Return what the cache refunds for ``s``, in units of value, where it is cached."""
        prefix = self.rates.lead + float(self.shared.weights @ s)
        return self.price * float(self.refund) / self.rates.input * prefix

    def whole_reward(self, inside: Ints) -> float:
        """Return the same of a whole prefix, which is cached in steps and from the minimum on."""
        if not inside.any():
            return 0.0
        cached = self.rates.cached(self.rates.lead + self.shared.prefix_tokens(inside))
        return self.price * float(self.refund) / self.rates.input * cached

    def search(self, price: int, start: Ints, rounds: int) -> Ints:
        """Return the best whole prefix found at ``price``; ``start`` is one that is known to be possible."""
        self.price, self.planes = price, []
        bare = np.zeros(self.shared.size, dtype=np.int64)
        best, worth = bare, -np.inf
        for inside in (bare, start) if start.any() else (bare,):
            plane = self.at(inside.astype(np.float64))
            if plane is None:
                continue
            self.planes.append(plane)
            if inside is bare:
                self.bare = plane
            height = plane.at(inside.astype(np.float64)) + self.whole_reward(inside)
            if height > worth:
                best, worth = inside, height
        if self.refund == 0 or not self.planes:
            return best
        return self._improved(best, worth, rounds)

    def _improved(self, best: Ints, worth: float, rounds: int) -> Ints:
        master = self._master()
        center, height = best.astype(np.float64), worth
        for _ in range(rounds):
            proposal, weights = master.solve()
            bound = float(self.bound(weights))
            if bound - max(worth, height) <= CLOSE * max(1.0, abs(worth)):
                break
            point, plane = self._between(center, proposal)
            if plane is None:
                break
            self._add(master, plane)
            here = plane.at(point) + self.reward(point)
            if here > height:
                center, height = point, here
                best, worth = self._tried(master, _whole(self.shared, point, THRESHOLDS[0]), best, worth)
                best, worth = self._tried(master, self._reaching(point), best, worth)
        for share in THRESHOLDS[1:]:
            best, worth = self._tried(master, _whole(self.shared, center, share), best, worth)
        return best

    def _reaching(self, s: Floats) -> Ints:
        """Return the prefix of the forms of which ``s`` has most, as many as reach the provider's minimum."""
        count, lacking = len(self.shared.tokens), self.rates.minimum - self.rates.lead
        order = np.lexsort((np.arange(count), -s[:count]))
        order = order[s[order] > 0]
        _, first = np.unique(self.shared.unit[order], return_index=True)
        order = order[np.sort(first)]
        enough = int(np.searchsorted(np.cumsum(self.shared.tokens[order]), lacking)) + 1
        return self.shared.closed(np.sort(order[:enough]))

    def _between(self, center: Floats, proposal: Floats) -> tuple[Floats, Plane | None]:
        """Return a point towards the proposal behind which every page has packs, and the plane there."""
        step = STEP
        for _ in range(SHORTENED):
            point = center + step * (proposal - center)
            plane = self.at(point)
            if plane is not None:
                return point, plane
            step /= 4
        return center, None

    def _tried(self, master: Planes, inside: Ints, best: Ints, worth: float) -> tuple[Ints, float]:
        if (inside == best).all():
            return best, worth
        plane = self.at(inside.astype(np.float64))
        if plane is None:
            return best, worth
        self._add(master, plane)
        height = plane.at(inside.astype(np.float64)) + self.whole_reward(inside)
        return (inside, height) if height > worth else (best, worth)

    def _add(self, master: Planes, plane: Plane) -> None:
        self.planes.append(plane)
        master.add(plane.constant / DENOMINATOR, plane.slope / DENOMINATOR)

    def _master(self) -> Planes:
        shared, count = self.shared, len(self.shared.tokens)
        rows: list[tuple[Ints, Floats, float, float]] = []
        for f in np.flatnonzero(shared.heading >= 0).tolist():
            cols = np.array([f, count + shared.heading[f]], dtype=np.int64)
            rows.append((cols, np.array([1.0, -1.0]), -np.inf, 0.0))
        for h in range(len(shared.heading_tokens)):  # no heading alone
            under = np.flatnonzero(shared.heading == h).astype(np.int64)
            rows.append((np.append(under, count + h), np.append(-np.ones(len(under)), 1.0), -np.inf, 0.0))
        for unit in np.flatnonzero(np.bincount(shared.unit) > 1).tolist():
            cols = np.flatnonzero(shared.unit == unit)
            rows.append((cols, np.ones(len(cols)), -np.inf, 1.0))
        lacking = max(0, self.rates.minimum - self.rates.lead)
        allowed = self.allowed
        every = np.arange(shared.size, dtype=np.int64)
        if int(shared.weights @ allowed) < lacking:
            lacking = 0
        most = min(page.program.compiled.available for page in self.pages)
        rows.append((every, shared.weights.astype(np.float64), float(lacking), float(most)))
        master = Planes(allowed.astype(np.float64), rows)
        master.reward(self.price * float(self.refund) / self.rates.input * shared.weights.astype(np.float64))
        for plane in self.planes:
            master.add(plane.constant / DENOMINATOR, plane.slope / DENOMINATOR)
        return master

    def bound(self, weights: Floats | None = None) -> Fraction:
        """Return what no prefix and no packs behind it are worth more than, at the current price.

        ``weights`` are those of the planes in the master's proof; without them the master is solved.
        """
        assert self.bare is not None
        uncached = Fraction(self.bare.constant, DENOMINATOR)
        if self.refund == 0:
            return uncached
        if weights is None:
            _, weights = self._master().solve()
        return max(uncached, self._cached_bound(weights))

    def _cached_bound(self, weights: Floats) -> Fraction:
        """Return the bound of weighted planes over all cached prefixes, in exact integers."""
        parts = np.rint(weights[-len(self.planes) :] * WEIGHTS).astype(np.int64).tolist()
        parts[int(np.argmax(parts))] += WEIGHTS - sum(parts)
        slope: Any = np.zeros(self.shared.size, dtype=object)
        constant = 0
        for part, plane in zip(parts, self.planes, strict=True):
            if part:
                constant += part * plane.constant
                slope = slope + part * plane.slope.astype(object)
        per_token = self.refund * self.price * WEIGHTS * DENOMINATOR / self.rates.input
        gains = slope * per_token.denominator + per_token.numerator * self.shared.weights.astype(object)
        total = constant * per_token.denominator + per_token.numerator * self.rates.lead
        total += _most(self.shared, np.where(self.allowed == 1, gains, -1))
        return Fraction(total, per_token.denominator * WEIGHTS * DENOMINATOR)


def _whole(shared: Shared, s: Floats, share: float) -> Ints:
    """Return the prefix of forms of which ``s`` has ``share`` or more; of a unit, the one it has most of."""
    count = len(shared.tokens)
    order = np.lexsort((np.arange(count), -s[:count]))
    taken = order[s[order] >= share]
    _, first = np.unique(shared.unit[taken], return_index=True)
    return shared.closed(np.sort(taken[first]))


def _most(shared: Shared, gains: Any) -> int:
    """Return the largest sum of ``gains`` of a prefix: one form of a unit at most, headings where needed."""
    best: dict[int, int] = {}
    place: dict[int, int] = {}
    for f, (unit, heading) in enumerate(zip(shared.unit.tolist(), shared.heading.tolist(), strict=True)):
        if gains[f] > best.get(unit, 0):
            best[unit] = int(gains[f])
        place[unit] = heading
    count = len(shared.tokens)
    total, below = 0, [int(gain) for gain in gains[count:]]
    for unit, gain in best.items():
        if place[unit] < 0:
            total += gain
        else:
            below[place[unit]] += gain
    return total + sum(max(0, gain) for gain in below)
