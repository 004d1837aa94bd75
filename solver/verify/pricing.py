"""What a pack costs, recomputed from the prices of the problem: plain sums, nothing of the solver."""

from __future__ import annotations

from dataclasses import dataclass
from math import gcd
from typing import Final

from ...models import Objective, PackedContext, PackedCost, Pricing, Stability
from .facts import Facts
from .pack import Pack
from .report import Complaints

CHECK: Final = "cost"
MILLION: Final = 10**6


@dataclass(frozen=True)
class Side:
    """The packs that are paid for in one way: ``stable`` and ``volatile`` per token of a unit, and ``fixed``.

    Costs are in the largest unit that divides all of them. ``available`` tokens are left by the limit, and
    stable units hold ``needed`` tokens or more.
    """

    stable: int
    volatile: int
    fixed: int
    most: int | None
    available: int
    needed: int


class Prices:
    """The prices of a problem, and what they make of tokens.

    A call pays its tokens as input and its answer as output. Where the prefix is long enough to be cached,
    and that is cheaper over all calls, some calls write it, the others read it; a last step that need not be
    full is paid for as input.
    """

    def __init__(self, facts: Facts, pricing: Pricing) -> None:
        self.facts, self.pricing = facts, pricing
        self.frame = facts.problem.envelope.fixed_overhead_tokens
        calls, writes = pricing.expected_calls, pricing.cache_writes
        self.input = calls * pricing.input_per_million
        reads = (calls - writes) * pricing.cached_input_per_million
        self.held = writes * pricing.cache_write_per_million + reads
        self.answers = calls * pricing.answer_tokens * pricing.output_per_million
        self.unit = gcd(self.input, self.held, self.answers) or 1
        self.pays = pricing.cacheable and self.held < self.input
        shortest = max(pricing.cache_minimum, pricing.cache_step - 1)
        self.needed = max(0, shortest - pricing.prefix_tokens)

    def cached(self, stable: int) -> int:
        """Return the tokens that are held by the cache, with ``stable`` tokens of units in the prefix."""
        if not self.pays or stable < self.needed:
            return 0
        return self.pricing.prefix_tokens + stable - (self.pricing.cache_step - 1)

    def cost(self, stable: int, volatile: int) -> int:
        """Return what all calls cost, in millionths of a micro-unit."""
        held = self.cached(stable)
        fresh = self.frame + stable + volatile - held
        return fresh * self.input + held * self.held + self.answers

    @property
    def limit(self) -> int | None:
        """What all calls may cost, in millionths of a micro-unit."""
        stated = self.pricing.cost_limit
        return None if stated is None else stated * MILLION

    def affords(self, pack: Pack, name: str, tokens: int) -> int:
        """Return what ``pack`` costs with ``tokens`` of ``name`` more."""
        stable, volatile = pack.by_stability
        if self.facts.units[name].unit.stability is Stability.STABLE:
            return self.cost(stable + tokens, volatile)
        return self.cost(stable, volatile + tokens)

    def sides(self) -> dict[str, Side]:
        """Return the two ways to pay, those by which no pack can be paid for left out."""
        facts, found = self.facts, {}
        fixed = self.frame * self.input + self.answers
        lead = self.pricing.prefix_tokens - (self.pricing.cache_step - 1)
        longest = sum(
            max(rung.tokens for rung in unit.rungs.values())
            for name, unit in facts.units.items()
            if unit.unit.stability is Stability.STABLE and name not in facts.hopeless
        )
        if self.pays:
            side = self._side(self.held, fixed - lead * (self.input - self.held), self.needed)
            if side is not None and min(longest, side.available) >= self.needed:
                found["cached"] = side
        if "cached" not in found or self.needed:
            side = self._side(self.input, fixed, 0)
            if side is not None:
                found["uncached"] = side
        return found

    def _side(self, stable: int, fixed: int, needed: int) -> Side | None:
        most = None if self.limit is None else (self.limit - fixed) // self.unit
        if most is not None and most < 0:
            return None
        stable, available = stable // self.unit, self.facts.available
        if most is not None and stable:
            available = min(available, most // stable)
        return Side(stable, self.input // self.unit, fixed // self.unit, most, available, needed)


def prices_of(facts: Facts) -> Prices | None:
    """Return the prices of the problem where they decide what is packed."""
    pricing = facts.problem.pricing
    return None if pricing is None or not pricing.decides else Prices(facts, pricing)


def check_cost(facts: Facts, context: PackedContext, pack: Pack, complaints: Complaints) -> None:
    """The cost that is stated is that of the pack, and within the limit."""
    stated, pricing = context.cost, facts.problem.pricing
    if pricing is None:
        if stated is not None:
            complaints.add(CHECK, "the problem states no prices")
        return
    prices = Prices(facts, pricing)
    stable, volatile = pack.by_stability
    exact = prices.cost(stable, volatile)
    complaints.open(CHECK, f"{_rounded(exact)} millionths of {pricing.currency}")
    limit = prices.limit
    complaints.require(
        CHECK, limit is None or exact <= limit, f"costs {exact} millionths of a micro-unit, at most {limit}"
    )
    if stated is None:
        complaints.add(CHECK, "the problem states prices, and the artifact no cost")
        return
    held = prices.cached(stable)
    due = PackedCost(
        currency=pricing.currency,
        objective=pricing.objective,
        expected_calls=pricing.expected_calls,
        cache_writes=pricing.cache_writes,
        prefix_tokens=pricing.prefix_tokens + stable,
        cached_tokens=held,
        fresh_tokens=prices.frame + stable + volatile - held,
        cost_micro=_rounded(exact),
        uncached_micro=_rounded((prices.frame + stable + volatile) * prices.input + prices.answers),
        exact_cost=exact,
        cost_limit=pricing.cost_limit,
    )
    for name in PackedCost.model_fields:
        complaints.expect(CHECK, f"cost.{name}", getattr(stated, name), getattr(due, name))
    _check_rendered(prices, context, exact, complaints)


def _check_rendered(prices: Prices, context: PackedContext, exact: int, complaints: Complaints) -> None:
    """The rendered prompt costs no more than its units account for, and all that is stable leads it."""
    prompt = context.prompt
    if prompt is None or not prices.pricing.decides:
        return
    stranded = prompt.boundary.stranded_ids
    complaints.require(CHECK, not stranded, f"{len(stranded)} stable units stand behind a volatile one")
    prefix, pricing = prompt.boundary.tokens, prices.pricing
    held = prefix - (pricing.cache_step - 1)
    if not prices.pays or prefix < pricing.cache_minimum or held < 0:
        held = 0
    rendered = (prompt.tokens - held) * prices.input + held * prices.held + prices.answers
    complaints.require(
        CHECK, rendered <= exact, f"the prompt costs {rendered}, its units account for {exact}"
    )


def _rounded(cost: int) -> int:
    return (2 * cost + MILLION) // (2 * MILLION)


def best_per_cost(facts: Facts) -> bool:
    """Whether value per cost is asked for."""
    pricing = facts.problem.pricing
    return pricing is not None and pricing.objective is Objective.VALUE_PER_COST
