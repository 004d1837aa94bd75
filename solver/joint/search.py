"""What groups of pages cost, and the price per token at which they keep their floor.

The floor is dualised: at a price per token (in units of value) the pages of a group come apart but for their
prefix, which :mod:`.group` finds. The price is raised until the floor binds. Each price that was tried bounds
the cost from below, for any packs that keep the floor (Lagrange; Everett 1963)::

    cost >= input * frame + input / price * (floor - most)

where ``most`` is the largest sum of values, less the price of all tokens, plus that of refunded ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from ..compile import Ints
from ..linear import UNBOUNDED, Row
from .group import Group
from .packs import PagePack, rounded, solved_alone
from .page import PageProgram, Shared
from .rates import Rates
from .relaxed import RelaxedPage

SAMPLE = 24
"""Pages of a group that prices and prefixes are searched on; all pages are weighed at the end."""

HALVINGS = 6
"""How often an interval of prices is halved."""

REFINED = 4
"""How often the price of whole packs is corrected until they keep the floor."""

ROUNDS = 8
"""Planes that a search at one price takes; each is a solve of every page of the sample."""

FINAL_ROUNDS = 20
"""The same at the end, over all pages."""


@dataclass(frozen=True)
class Part:
    """Pages, by their number, that are one group; without ``shares`` they are to have no prefix."""

    pages: Sequence[int]
    shares: bool = True


Grouping = list[tuple[Part, Ints]]
"""Groups, and the prefix of each."""


@dataclass(frozen=True)
class Settled:
    """Groups with a whole pack of each page, in the pages' order, and what no packs of them cost less than.

    ``price`` is that per token at which they were found, 0 for that of the packs alone.
    """

    groups: Grouping
    packs: list[PagePack]
    bound: int
    price: int


@dataclass
class _Tried:
    """Groups at a price, and what their relaxations are worth there and cost."""

    groups: Grouping
    price: int
    value: float
    cost: float


class Search:
    """The pages of a run, each packed on its own first, and the search for what groups of them share.

    Parameters
    ----------
    loss, page_loss
        Share of the total value that may be lost, and of that of any one page, where there is such a limit.

    Attributes
    ----------
    programs
        Those of the pages, each with the least that it must be worth as a row.
    alone
        Each page's pack without a prefix and without any loss.
    value_bound, floor
        What these are worth together at most, and what all packs together must be worth.
    floors
        What each page's pack must be worth; None without a limit.
    """

    def __init__(
        self,
        programs: Sequence[PageProgram],
        shared: Shared,
        rates: Rates,
        loss: Fraction,
        page_loss: Fraction | None = None,
    ) -> None:
        self.shared, self.rates, self._kept = shared, rates, 1 - loss
        self.none = np.zeros(shared.size, dtype=np.int64)
        solved = [solved_alone(program) for program in programs]
        self.alone = [pack for pack, _ in solved]
        self.value_bound = sum(bound for _, bound in solved)
        wanted = (self.value_bound * self._kept).__ceil__()
        # Where the packs alone are not proven to be the best, they are all that can be asked for.
        self.floor = min(wanted, sum(pack.value for pack in self.alone))
        self.floors = [_floor(pack, page_loss) for pack in self.alone]
        self.programs = [
            program if least is None else _at_least(program, least)
            for program, least in zip(programs, self.floors, strict=True)
        ]
        self._pages: dict[int, RelaxedPage] = {}
        self.tops = [self.relaxed_value(p) for p in range(len(programs))]
        self.hope: tuple[Grouping, int] | None = None
        """Groups of the last search that share something and come nearest to the floor, below it."""

    def page(self, p: int) -> RelaxedPage:
        """Return the relaxation of a page."""
        if p not in self._pages:
            self._pages[p] = RelaxedPage(self.programs[p], self.shared)
        return self._pages[p]

    def relaxed_value(self, p: int) -> float:
        """Return what a page is worth on its own in its relaxation, which stays solved at no price."""
        plane = self.page(p).plane(self.none.astype(np.float64), 0)
        assert plane is not None, "a page that has a pack has a relaxation"
        return plane.value

    def every(self) -> Grouping:
        """Return all pages as one group that has no prefix yet."""
        return [(Part(range(len(self.programs))), self.none)]

    def highest_price(self) -> int:
        """Return a price at which nothing is worth its tokens any more."""
        highest = 2
        for program in self.programs:
            c = program.compiled
            density = c.values / np.maximum(c.tokens, 1)
            highest = max(highest, 2 + int(density.max(initial=0) * program.weight))
        return highest

    def refund(self, part: Part) -> int:
        """Return what each cached token saves over all pages of a group."""
        return self.rates.refund(len(part.pages)) if part.shares else 0

    def cost(self, groups: Grouping, packs: Sequence[PagePack]) -> int:
        """Return the cost of all prompts, as tokens times micro-units per million."""
        tokens = sum(pack.tokens for pack in packs) + sum(program.frame for program in self.programs)
        return self.rates.input * tokens - sum(self._refunded(part, inside) for part, inside in groups)

    def _refunded(self, part: Part, inside: Ints) -> int:
        if not inside.any():
            return 0
        return self.refund(part) * self.rates.cached(self.rates.lead + self.shared.prefix_tokens(inside))

    # -- what to share --------------------------------------------------------------------------

    def prefixes(self, parts: Sequence[Part], top: int) -> tuple[Grouping, int]:
        """Return the groups with the prefixes of the highest price that keeps the floor, by samples.

        Parameters
        ----------
        top
            The price at which the floor binds without a prefix. With one, value goes into it as well, and
            the price is below that.
        """
        self.hope = None
        samples = [replace(part, pages=_sample(part.pages)) for part in parts]
        groups = [
            self._group(sample.pages, Fraction(self.refund(part) * len(sample.pages), len(part.pages)))
            for part, sample in zip(parts, samples, strict=True)
        ]
        floor = sum(self.tops[p] for sample in samples for p in sample.pages) * float(self._kept)
        best: _Tried | None = None
        insides = [self.none] * len(groups)
        low, high = max(1, top // 12), top + top // 4 + 2
        for _ in range(HALVINGS):
            price = _between(low, high)
            if price is None:
                break
            insides = [g.search(price, inside, ROUNDS) for g, inside in zip(groups, insides, strict=True)]
            tried = self._tried(list(zip(samples, insides, strict=True)), price)
            if tried is not None and tried.value >= floor:
                low = price
                if best is None or tried.cost <= best.cost:
                    best = tried
            else:
                high = price
                if any(inside.any() for inside in insides):
                    self.hope = list(zip(parts, insides, strict=True)), price
        if best is None or not any(inside.any() for _, inside in best.groups):
            return [], 0
        return [(part, inside) for part, (_, inside) in zip(parts, best.groups, strict=True)], best.price

    def _group(self, pages: Sequence[int], refund: Fraction) -> Group:
        return Group([self.page(p) for p in pages], self.shared, self.rates, refund)

    def _tried(self, groups: Grouping, price: int) -> _Tried | None:
        value = cost = 0.0
        for part, inside in groups:
            planes = [self.page(p).plane(inside.astype(np.float64), price) for p in part.pages]
            if any(plane is None for plane in planes):
                return None
            known = [plane for plane in planes if plane is not None]
            tokens = sum(plane.tokens for plane in known)
            value += sum(plane.value for plane in known)
            cost += self.rates.input * tokens - self._refunded(part, inside)
        return _Tried(groups, price, value, cost)

    # -- groups whose prefixes are settled ------------------------------------------------------

    def settled(self, groups: Grouping, guess: int) -> Settled:
        """Return ``groups`` at the highest price whose whole packs keep the floor, and the bound there.

        Whole packs are worth a little less than relaxed ones; how much is learned from one round to the next.
        """
        aim = sum(self.tops) * float(self._kept)
        price, packs = 0, None
        for _ in range(REFINED):
            price = guess = self._highest(groups, aim, guess)
            packs = self._packs(groups, price)
            value = 0 if packs is None else sum(pack.value for pack in packs)
            if value >= self.floor or price == 0 or value == 0:
                break
            aim *= 1.0001 * self.floor / value
        if packs is None or sum(pack.value for pack in packs) < self.floor:
            # The prefix leaves too little room for whole packs: nothing is shared, and nothing left out.
            groups, packs, price = self.every(), list(self.alone), 0
        return Settled(groups, packs, self._bound(groups, max(1, price or guess)), price)

    def _highest(self, groups: Grouping, aim: float, guess: int) -> int:
        """Return about the highest price at which relaxed packs are worth ``aim``, 0 where there is none."""
        low, high = 0, self.highest_price()
        price: int | None = max(1, min(guess, high - 1))
        for _ in range(3 * HALVINGS):
            if price is None:
                break
            tried = self._tried(groups, price)
            if tried is not None and tried.value >= aim:
                low = price
                price = 2 * price if high > 4 * price else _between(low, high)
            else:
                high = price
                price = price // 2 if low == 0 else _between(low, high)
            if price == 0 or (low and high <= low + max(1, low // 50)):
                break
        return low

    def _packs(self, groups: Grouping, price: int) -> list[PagePack] | None:
        packs: dict[int, PagePack] = {}
        for part, inside in groups:
            for p in part.pages:
                pack = self._pack(p, inside, price)
                if pack is None:
                    return None
                packs[p] = pack
        return [packs[p] for p in sorted(packs)]

    def _pack(self, p: int, inside: Ints, price: int) -> PagePack | None:
        """Return a whole pack of a page at ``price``, or at the next lower one that keeps its floor."""
        least = self.floors[p]
        while True:
            pack = rounded(self.page(p), self.shared, inside, price)
            if pack is None or least is None or pack.value >= least:
                return pack
            if price == 0:
                return None if inside.any() else self.alone[p]
            price //= 4

    def _bound(self, groups: Grouping, price: int) -> int:
        """Return what no packs cost less than: of these groups at this price, over all prefixes."""
        most = Fraction(0)
        for part, inside in groups:
            group = self._group(part.pages, Fraction(self.refund(part)))
            group.search(price, inside, FINAL_ROUNDS)
            most += group.bound()
        frames = self.rates.input * sum(program.frame for program in self.programs)
        return frames + (self.rates.input * (self.floor - most) / price).__ceil__()


def _floor(alone: PagePack, loss: Fraction | None) -> int | None:
    return None if loss is None or alone.value <= 0 else (alone.value * (1 - loss)).__ceil__()


def _at_least(program: PageProgram, least: int) -> PageProgram:
    """Return the program with a row that asks for so much value."""
    cols = np.flatnonzero(program.values).astype(np.int64)
    row = Row("least value", "")
    linear = program.linear.with_row(row, cols, program.values[cols], least, UNBOUNDED)
    return replace(program, linear=linear)


def _between(low: int, high: int) -> int | None:
    """Return the price halfway between two by ratio, or None where there is no other."""
    middle = max(low + 1, int((low * high) ** 0.5))
    return middle if middle < high else None


def _sample(pages: Sequence[int]) -> list[int]:
    """Return pages evenly spread over ``pages``, ``SAMPLE`` at most."""
    if len(pages) <= SAMPLE:
        return list(pages)
    return [pages[i * len(pages) // SAMPLE] for i in range(SAMPLE)]
