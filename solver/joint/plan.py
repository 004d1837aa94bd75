"""Prefixes for the pages of a run: total cost is least while total value keeps its floor.

Which page is in which group is decided here; what a group shares, in :mod:`.search`, or where all pages
together are small, by the joint program as a whole (:mod:`.exact`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from .clusters import moved, seeded
from .exact import solve_exact
from .packs import PagePack
from .page import PageProgram, Shared
from .rates import Rates
from .relaxed import Floats
from .search import Grouping, Part, Search

Tell = Callable[[str], None]

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
        How many prefixes there may be at most. One group of pages more may have none.
    page_loss
        Share of its value that any one page may lose; None for no limit but that of the total.
    exact
        Whether the joint program is solved as a whole; where it is small when None.
    work
        CP-SAT work units that an exact solve may take.
    tell
        Told what is being done.
    """

    loss: Fraction
    prefixes: int = 1
    page_loss: Fraction | None = None
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
) -> JointPlan:
    """Return the plan of least cost that was found.

    Raises
    ------
    InfeasibleError
        A page has no pack at all.
    """
    tell = options.tell or (lambda _: None)
    tell("weighing pages on their own")
    search = Search(programs, shared, rates, options.loss, options.page_loss)
    return _Planner(search, scale, options, tell).plan()


class _Planner:
    def __init__(self, search: Search, scale: int, options: PlanOptions, tell: Tell) -> None:
        self.search, self.scale, self.options, self.tell = search, scale, options, tell
        self.programs, self.shared, self.rates = search.programs, search.shared, search.rates
        self.is_small = options.exact
        if self.is_small is None:
            columns = sum(program.linear.columns for program in self.programs)
            self.is_small = columns <= EXACT_COLUMNS

    def plan(self) -> JointPlan:
        self.tell("packing less without a prefix")
        best = self.trimmed = self._trimmed()
        starts: list[list[Part]] = [[Part(range(len(self.programs)))]]
        for count in range(1, self.options.prefixes + 1):
            self.tell("choosing a prefix" if count == 1 else f"choosing {count} prefixes")
            for parts in starts:
                found = self._shared(parts)
                if found is not None and found.cost < best.cost:
                    best = found
            if 2 * (count + 1) > len(self.programs):
                break
            starts = self._starts(best, count + 1)
        return replace(best, cost_trimmed=self.trimmed.cost)

    def _trimmed(self) -> JointPlan:
        """Return the plan that loses value and shares nothing."""
        search = self.search
        if self.is_small:
            parts = [Part([p], shares=False) for p in range(len(self.programs))]
            trimmed = self._exact(parts) or self._plan(search.every(), search.alone, 0, None)
        else:
            trimmed = self._settled(search.every(), max(1, search.highest_price() // 64))
        if trimmed.cost > trimmed.cost_alone:  # rounding a price may miss the packs that are there already
            trimmed = self._plan(search.every(), search.alone, trimmed.bound, trimmed.price)
        return trimmed

    def _starts(self, best: JointPlan, count: int) -> list[list[Part]]:
        """Return where to begin with ``count`` prefixes: from what pages like, and from the best so far, if
        it leaves pages without a prefix, which may get one of their own."""
        found = [[Part(pages) for pages in seeded(self._likings(), count)]]
        shares = [any(group.inside) for group in best.groups]
        if any(shares) and not all(shares) and len(shares) <= count:
            found.append([Part(group.pages) for group in best.groups])
        return found

    def _shared(self, parts: list[Part]) -> JointPlan | None:
        """Return the best plan of these groups, and of those that pages move to from them."""
        best: JointPlan | None = None
        for _ in range(1 + MOVES):
            plan = self._of(parts)
            if plan is not None and (best is None or plan.cost < best.cost):
                best = plan
            elif best is not None:
                break
            known = self._known(parts, plan)
            other = None if known is None else self._moved(*known)
            if other is None:
                break
            parts = other
        return best

    def _of(self, parts: list[Part]) -> JointPlan | None:
        if self.is_small:
            return self._exact(parts)
        groups, price = self.search.prefixes(parts, self.trimmed.price or self.search.highest_price())
        return self._settled(groups, price) if groups else None

    def _known(self, parts: list[Part], plan: JointPlan | None) -> tuple[Grouping, int] | None:
        """Return the groups and the price by which pages may change groups: those of a plan that shares
        something, or else those of the search that come nearest to the floor."""
        if plan is None or not any(any(group.inside) for group in plan.groups):
            return self.search.hope
        insides = [np.array(group.inside, dtype=np.int64) for group in plan.groups]
        tokens = sum(pack.tokens for pack in plan.packs)
        return list(zip(parts, insides, strict=True)), plan.price or max(1, plan.value // max(1, tokens))

    def _moved(self, groups: Grouping, price: int) -> list[Part] | None:
        """Return the pages by the prefix that serves each best at ``price``, None for no change.

        Pages that none serves are a group without one.
        """
        if not any(inside.any() for _, inside in groups):
            return None
        if all(part.shares for part, _ in groups):
            groups = [*groups, (Part([], shares=False), self.search.none)]
        saved = price * (self.rates.input - self.rates.read) / self.rates.input
        worths = np.full((len(self.programs), len(groups)), -np.inf)
        for g, (_, inside) in enumerate(groups):
            cached = self.rates.cached(self.rates.lead + self.shared.prefix_tokens(inside))
            bonus = saved * cached if inside.any() else 0.0
            for p, program in enumerate(self.programs):
                if (inside <= program.offers).all():
                    plane = self.search.page(p).plane(inside.astype(np.float64), price)
                    if plane is not None:
                        worths[p, g] = plane.value - price * plane.tokens + bonus
        found = moved([part.pages for part, _ in groups], worths)
        if found is None:
            return None
        return [Part(pages, part.shares) for pages, (part, _) in zip(found, groups, strict=True) if pages]

    def _likings(self) -> Floats:
        """Return, for each page, the tokens of each form that its own relaxation holds."""
        rows = []
        for p, program in enumerate(self.programs):
            self.search.relaxed_value(p)
            shares = np.where(program.forms >= 0, self.search.page(p).columns[program.forms], 0.0)
            rows.append(shares * self.shared.tokens)
        return np.array(rows)

    # -- plans ----------------------------------------------------------------------------------

    def _settled(self, groups: Grouping, guess: int) -> JointPlan:
        settled = self.search.settled(groups, guess)
        return self._plan(settled.groups, settled.packs, settled.bound, settled.price)

    def _exact(self, parts: list[Part]) -> JointPlan | None:
        search = self.search
        found = solve_exact(
            self.programs,
            [part.pages for part in parts],
            self.shared,
            self.rates,
            search.floor,
            self.options.work,
            [search.refund(part) for part in parts],
        )
        if found is None:
            return None
        return self._plan(list(zip(parts, found.insides, strict=True)), found.packs, found.bound, None)

    def _plan(self, groups: Grouping, packs: Sequence[PagePack], bound: int, price: int | None) -> JointPlan:
        search = self.search
        cost = search.cost(groups, packs)
        return JointPlan(
            groups=tuple(PlannedGroup(tuple(part.pages), tuple(inside.tolist())) for part, inside in groups),
            packs=tuple(packs),
            alone=tuple(search.alone),
            scale=self.scale,
            floor=search.floor,
            value_bound=search.value_bound,
            cost=cost,
            cost_alone=search.cost(search.every(), search.alone),
            cost_trimmed=cost,
            bound=min(bound, cost),
            price=price,
            method="joint program" if self.is_small else "decomposition",
        )


__all__ = ["JointPlan", "PlanOptions", "PlannedGroup", "plan_joint"]
