"""Prefixes for the pages of a run: total cost is least while total value keeps its floor.

The floor is dualised: at a price per token (in units of value) the pages of a group come apart but for their
prefix, which :mod:`.group` finds. The price is raised until the floor binds. Each price that was tried bounds
the cost from below, for any packs that keep the floor (Lagrange; Everett 1963)::

    cost >= input * frame + input / price * (floor - most)

where ``most`` is the largest sum of values, less the price of all tokens, plus that of refunded ones.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from ..compile import Ints
from .clusters import moved, seeded
from .exact import solve_exact
from .group import Group
from .packs import PagePack, rounded, solved_alone
from .page import PageProgram, Shared
from .rates import Rates
from .relaxed import Floats, Plane, RelaxedPage

Grouping = list[tuple[list[int], Ints]]
"""Pages by their number, and the prefix that they share."""

Tell = Callable[[str], None]

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

MOVES = 3
"""How often pages may change between groups."""

EXACT_COLUMNS = 1500
"""Columns of all pages together up to which the joint program is solved as a whole."""


@dataclass(frozen=True)
class PlanOptions:
    """What the plan may give up, and how hard it tries.

    Attributes
    ----------
    loss
        Share of the total value that may be lost against pages packed on their own.
    prefixes
        How many groups of pages there may be, each with a prefix of its own.
    exact
        Whether the joint program is solved as a whole; where it is small when None.
    work
        CP-SAT work units that an exact solve may take.
    tell
        Told what is being done.
    """

    loss: Fraction
    prefixes: int = 1
    exact: bool | None = None
    work: float = 20.0
    tell: Tell | None = None


@dataclass(frozen=True)
class PlannedGroup:
    """Pages, by their number, and the prefix that they share (0 or 1 per form and heading; all 0: none)."""

    pages: tuple[int, ...]
    inside: tuple[int, ...]


@dataclass(frozen=True)
class JointPlan:
    """Which pages share what, and the figures, in exact integers; costs are tokens times micro per million.

    Attributes
    ----------
    groups
        Every page is in one.
    packs, alone
        For each page a pack behind its prefix, and one without a prefix and without any loss.
    floor, value_bound
        What total value is kept, and what no pages packed on their own are worth more than together.
    cost, cost_alone, cost_trimmed
        Of the plan; of the packs alone; of packs that lose as much in value and share nothing.
    bound
        No packs that keep the floor cost less, in these groups; ``proven`` where the cost equals it.
    price
        Per token, in units of value: None where the program was solved as a whole.
    """

    groups: tuple[PlannedGroup, ...]
    packs: tuple[PagePack, ...]
    alone: tuple[PagePack, ...]
    scale: int
    floor: int
    value_bound: int
    cost: int
    cost_alone: int
    cost_trimmed: int
    bound: int
    price: int | None
    method: str

    @property
    def proven(self) -> bool:
        """Whether no other plan of these groups costs less."""
        return self.cost <= self.bound

    @property
    def value(self) -> int:
        """What all pages are worth together."""
        return sum(pack.value for pack in self.packs)


def plan_joint(
    programs: Sequence[PageProgram], shared: Shared, rates: Rates, scale: int, options: PlanOptions
) -> JointPlan | None:
    """Return the plan of least cost that was found, or None where a page has no pack at all."""
    return _Planner(programs, shared, rates, scale, options).plan()


@dataclass
class _Tried:
    """Groups at a price: pages, prefix of each, and their planes there."""

    groups: Grouping
    price: int
    value: float
    cost: float


class _Planner:
    def __init__(
        self,
        programs: Sequence[PageProgram],
        shared: Shared,
        rates: Rates,
        scale: int,
        options: PlanOptions,
    ) -> None:
        self.programs, self.shared, self.rates = programs, shared, rates
        self.scale, self.options = scale, options
        self.none = np.zeros(shared.size, dtype=np.int64)
        self._pages: dict[int, RelaxedPage] = {}
        self._hope: tuple[Grouping, int] | None = None

    def page(self, p: int) -> RelaxedPage:
        if p not in self._pages:
            self._pages[p] = RelaxedPage(self.programs[p], self.shared)
        return self._pages[p]

    def tell(self, words: str) -> None:
        if self.options.tell is not None:
            self.options.tell(words)

    def plan(self) -> JointPlan | None:
        self.tell("weighing pages on their own")
        every = [(list(range(len(self.programs))), self.none)]
        solved = [solved_alone(program) for program in self.programs]
        self.alone = [pack for pack, _ in solved]
        self.value_bound = sum(bound for _, bound in solved)
        kept = 1 - self.options.loss
        wanted = (self.value_bound * kept).__ceil__()
        # Where the packs alone are not proven to be the best, they are all that can be asked for.
        self.floor = min(wanted, sum(pack.value for pack in self.alone))
        self.tops = [self._plane(p, self.none, 0).value for p in range(len(self.programs))]
        self.tell("packing less without a prefix")
        guess = max(1, self._high() // 64)
        trimmed = self._exact_alone() if self._is_small() else self._finished(every, guess)
        if trimmed.cost > trimmed.cost_alone:  # rounding a price may miss the packs that are there already
            trimmed = self._plan(every, self.alone, trimmed.bound, trimmed.price, trimmed.method)
        best = self.trimmed = trimmed
        for count in range(1, self.options.prefixes + 1):
            self.tell("choosing a prefix" if count == 1 else f"choosing {count} prefixes")
            found = self._shared(count)
            if found is not None and found.cost < best.cost:
                best = found
        return replace(best, cost_trimmed=self.trimmed.cost)

    # -- one number of prefixes -----------------------------------------------------------------

    def _shared(self, count: int) -> JointPlan | None:
        if count > len(self.programs) // 2 and count > 1:
            return None
        everything = list(range(len(self.programs)))
        parts = [everything] if count == 1 else seeded(self._likings(), count)
        best: JointPlan | None = None
        for _ in range(1 + MOVES):
            plan = self._finished_search(parts)
            if plan is not None and (best is None or plan.cost < best.cost):
                best = plan
            elif best is not None:
                break
            settled = self._settled(plan)
            moved_parts = None if settled is None else self._moved(*settled)
            if moved_parts is None:
                break
            parts = moved_parts
        return best

    def _settled(self, plan: JointPlan | None) -> tuple[Grouping, int] | None:
        """Return the groups and the price by which pages may change groups: those of a plan that shares
        something, or else those of the search that come nearest to the floor."""
        if plan is None or not any(any(group.inside) for group in plan.groups):
            return self._hope
        groups = [(list(group.pages), np.array(group.inside, dtype=np.int64)) for group in plan.groups]
        return groups, plan.price or self._price_of(plan)

    def _finished_search(self, parts: list[list[int]]) -> JointPlan | None:
        if self._is_small():
            return self._exact(parts)
        groups, price = self._search(parts)
        return self._finished(groups, price) if groups else None

    def _is_small(self) -> bool:
        if self.options.exact is not None:
            return self.options.exact
        return sum(program.linear.columns for program in self.programs) <= EXACT_COLUMNS

    def _search(self, parts: list[list[int]]) -> tuple[Grouping, int]:
        """Return the groups with the prefixes of the highest price that keeps the floor, by samples.

        With a prefix, value goes into the prefix as well: the price is below that of leaving out alone.
        """
        self._hope = None
        samples = [_sample(part) for part in parts]
        groups = [
            Group(
                [self.page(p) for p in sample],
                self.shared,
                self.rates,
                Fraction(self.rates.refund(len(part)) * len(sample), len(part)),
            )
            for part, sample in zip(parts, samples, strict=True)
        ]
        pages = [p for sample in samples for p in sample]
        floor = sum(self.tops[p] for p in pages) * float(1 - self.options.loss)
        best: _Tried | None = None
        insides = [self.none] * len(groups)
        top = self.trimmed.price or self._high()
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
                    self._hope = list(zip(parts, insides, strict=True)), price
        if best is None or not any(inside.any() for _, inside in best.groups):
            return [], 0
        return [(part, inside) for part, (_, inside) in zip(parts, best.groups, strict=True)], best.price

    def _high(self) -> int:
        """Return a price at which nothing is worth its tokens any more."""
        highest = 2
        for program in self.programs:
            c = program.compiled
            density = c.values / np.maximum(c.tokens, 1)
            highest = max(highest, 2 + int(density.max(initial=0) * program.weight))
        return highest

    def _tried(self, groups: Grouping, price: int) -> _Tried | None:
        value = cost = 0.0
        for pages, inside in groups:
            planes = [self.page(p).plane(inside.astype(np.float64), price) for p in pages]
            if any(plane is None for plane in planes):
                return None
            known = [plane for plane in planes if plane is not None]
            tokens = sum(plane.tokens for plane in known)
            value += sum(plane.value for plane in known)
            cost += self.rates.input * tokens - self._refund(len(pages), inside)
        return _Tried(groups, price, value, cost)

    def _refund(self, pages: int, inside: Ints) -> int:
        if not inside.any():
            return 0
        prefix = self.rates.lead + self.shared.prefix_tokens(inside)
        return self.rates.refund(pages) * self.rates.cached(prefix)

    # -- groups whose prefixes are settled -----------------------------------------------------

    def _finished(self, groups: Grouping, guess: int) -> JointPlan:
        """Return the plan of ``groups``: the highest price whose whole packs keep the floor, and its bound.

        Whole packs are worth a little less than relaxed ones; how much is learned from one round to the next.
        """
        aim = sum(self.tops) * float(1 - self.options.loss)
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
            groups, packs, price = [(list(range(len(self.programs))), self.none)], list(self.alone), 0
        bound = self._bound(groups, max(1, price or guess))
        return self._plan(groups, packs, bound, price, "decomposition")

    def _highest(self, groups: Grouping, aim: float, guess: int) -> int:
        """Return about the highest price at which relaxed packs are worth ``aim``, 0 where there is none."""
        low, high = 0, self._high()
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
            for p in part:
                pack = rounded(self.page(p), self.shared, inside, price)
                if pack is None:
                    return None
                packs[p] = pack
        return [packs[p] for p in sorted(packs)]

    def _bound(self, groups: Grouping, price: int) -> int:
        """Return what no packs cost less than: of these groups at this price, over all prefixes."""
        most = Fraction(0)
        for part, inside in groups:
            refund = Fraction(self.rates.refund(len(part)))
            group = Group([self.page(p) for p in part], self.shared, self.rates, refund)
            group.search(price, inside, FINAL_ROUNDS)
            most += group.bound()
        frames = self.rates.input * sum(program.frame for program in self.programs)
        return frames + (self.rates.input * (self.floor - most) / price).__ceil__()

    def _plan(
        self,
        groups: Grouping,
        packs: Sequence[PagePack],
        bound: int,
        price: int | None,
        method: str,
    ) -> JointPlan:
        cost = self.cost(groups, packs)
        return JointPlan(
            groups=tuple(PlannedGroup(tuple(part), tuple(inside.tolist())) for part, inside in groups),
            packs=tuple(packs),
            alone=tuple(self.alone),
            scale=self.scale,
            floor=self.floor,
            value_bound=self.value_bound,
            cost=cost,
            cost_alone=self.cost([(list(range(len(packs))), self.none)], self.alone),
            cost_trimmed=cost,
            bound=min(bound, cost),
            price=price,
            method=method,
        )

    def cost(self, groups: Grouping, packs: Sequence[PagePack]) -> int:
        """Return the cost of all prompts, as tokens times micro-units per million."""
        tokens = sum(pack.tokens for pack in packs) + sum(program.frame for program in self.programs)
        return self.rates.input * tokens - sum(self._refund(len(part), inside) for part, inside in groups)

    def _exact_alone(self) -> JointPlan:
        """Return the plan without prefixes, solved as a whole: each page is a group of its own."""
        parts = [[p] for p in range(len(self.programs))]
        return self._exact(parts) or self._plan(
            [(list(range(len(parts))), self.none)], self.alone, 0, None, "joint program"
        )

    def _exact(self, parts: list[list[int]]) -> JointPlan | None:
        found = solve_exact(self.programs, parts, self.shared, self.rates, self.floor, self.options.work)
        if found is None:
            return None
        groups = list(zip(parts, found.insides, strict=True))
        return self._plan(groups, found.packs, found.bound, None, "joint program")

    # -- pages between groups ------------------------------------------------------------------

    def _plane(self, p: int, inside: Ints, price: int) -> Plane:
        plane = self.page(p).plane(inside.astype(np.float64), price)
        assert plane is not None, "a page that has a pack has a relaxation"
        return plane

    def _likings(self) -> Floats:
        """Return, for each page, the tokens of each form that its own relaxation holds."""
        rows = []
        for p, program in enumerate(self.programs):
            self._plane(p, self.none, 0)
            shares = np.where(program.forms >= 0, self.page(p).columns[program.forms], 0.0)
            rows.append(shares * self.shared.tokens)
        return np.array(rows)

    def _moved(self, groups: Grouping, price: int) -> list[list[int]] | None:
        """Return the pages by the prefix that serves each best at ``price``, None for no change."""
        insides = [inside for _, inside in groups]
        bonus = [
            price
            * (self.rates.input - self.rates.read)
            / self.rates.input
            * self.rates.cached(self.rates.lead + self.shared.prefix_tokens(inside))
            if inside.any()
            else 0.0
            for inside in insides
        ]
        if not any(inside.any() for inside in insides):
            return None
        if not any(not inside.any() for inside in insides):
            insides.append(self.none)
            bonus.append(0.0)
        worths = np.full((len(self.programs), len(insides)), -np.inf)
        for p, program in enumerate(self.programs):
            for g, inside in enumerate(insides):
                if (inside <= program.offers).all():
                    plane = self.page(p).plane(inside.astype(np.float64), price)
                    if plane is not None:
                        worths[p, g] = plane.value - price * plane.tokens + bonus[g]
        return moved([part for part, _ in groups], worths)

    def _price_of(self, plan: JointPlan) -> int:
        """Return a price per token for a plan that has none: total value by total tokens."""
        return max(1, plan.value // max(1, sum(pack.tokens for pack in plan.packs)))


def _between(low: int, high: int) -> int | None:
    """Return the price halfway between two by ratio, or None where there is no other."""
    middle = max(low + 1, int((low * high) ** 0.5))
    return middle if middle < high else None


def _sample(pages: Sequence[int]) -> list[int]:
    """Return pages evenly spread over ``pages``, ``SAMPLE`` at most."""
    if len(pages) <= SAMPLE:
        return list(pages)
    return [pages[i * len(pages) // SAMPLE] for i in range(SAMPLE)]
