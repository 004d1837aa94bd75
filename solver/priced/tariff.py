"""What packs cost, in exact integers.

The unit of cost here is a millionth of a micro-unit: tokens times micro-units per million tokens. With ``N``
calls, of which ``R`` write the cache, at the prices of input, reads, writes and output,

    full = N * input          what a token costs that no cache holds
    kept = R * write + (N - R) * read      what one costs that the cache holds
    cost = full * (F + S + V) + N * answer * output - max(0, full - kept) * cached

for ``F`` tokens of frame, ``S`` of stable and ``V`` of volatile units. The prefix ``P`` is the stable part of
the frame and ``S``; ``cached`` is 0 where ``P`` is below the minimum, else ``P`` less a last step that is not
full: it is counted as such always, so that no cost is understated (by ``step - 1`` tokens it may be over).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import gcd

from ...models import PackedCost, Pricing, Problem, UsageError

MILLION = 10**6
"""Micro-units are so many units of cost."""


@dataclass(frozen=True)
class Tariff:
    """The numbers of the formula above. ``frame`` are all tokens of the frame, ``lead`` its stable ones."""

    pricing: Pricing
    full: int
    kept: int
    answers: int
    frame: int
    lead: int

    @classmethod
    def of(cls, problem: Problem) -> Tariff:
        """Read the prices of ``problem``, which has some.

        Raises
        ------
        UsageError
            Value per cost is asked for, and a pack could cost nothing.
        """
        pricing = problem.pricing
        assert pricing is not None
        calls, writes = pricing.expected_calls, pricing.cache_writes
        tariff = cls(
            pricing=pricing,
            full=calls * pricing.input_per_million,
            kept=writes * pricing.cache_write_per_million
            + (calls - writes) * pricing.cached_input_per_million,
            answers=calls * pricing.answer_tokens * pricing.output_per_million,
            frame=problem.envelope.fixed_overhead_tokens,
            lead=pricing.prefix_tokens,
        )
        if pricing.objective == "value-per-cost" and tariff.least <= 0:
            raise UsageError(
                "value per cost needs a cost that every pack has: without it one unit would be the best pack",
                code="no_fixed_cost",
                field="pricing.objective",
                value=pricing.objective.value,
                hint="state the frame as envelope.fixedOverheadTokens, or answerTokens and their price",
            )
        return tariff

    @property
    def saved(self) -> int:
        """What a cached token costs less, or 0 where caching does not pay."""
        return max(0, self.full - self.kept) if self.pricing.cacheable else 0

    @property
    def short(self) -> int:
        """Tokens of a last step that is counted as not cached."""
        return self.pricing.cache_step - 1

    @property
    def least(self) -> int:
        """What no pack costs less than."""
        return min(self.fixed_uncached, self.fixed_cached)

    @property
    def fixed_uncached(self) -> int:
        """What is paid whatever is packed, without a cache."""
        return self.full * self.frame + self.answers

    @property
    def fixed_cached(self) -> int:
        """The same where the prefix is cached: units come on top at ``kept`` if stable, else at ``full``."""
        return self.fixed_uncached - self.saved * (self.lead - self.short)

    def cached(self, stable: int) -> int:
        """Return how many tokens are paid for as cached, with ``stable`` tokens of units in the prefix."""
        prefix = self.lead + stable
        return prefix - self.short if self.saved and stable >= self.needed else 0

    def cost(self, stable: int, volatile: int) -> int:
        """Return what all calls cost with units of so many tokens."""
        tokens = self.frame + stable + volatile
        return self.full * tokens + self.answers - self.saved * self.cached(stable)

    @property
    def unit(self) -> int:
        """The largest unit that all costs are whole numbers of: it keeps the program's numbers small."""
        return gcd(self.full, self.kept, self.answers) or 1

    @property
    def needed(self) -> int:
        """Tokens of stable units from which on the prefix is cached."""
        return max(0, max(self.pricing.cache_minimum, self.short) - self.lead)

    def most(self, available: int) -> int:
        """Return what no pack of so many tokens costs more than."""
        return self.full * (self.frame + available) + self.answers

    @property
    def limit(self) -> int | None:
        """What all calls may cost."""
        stated = self.pricing.cost_limit
        return None if stated is None else stated * MILLION

    def packed(self, stable: int, volatile: int) -> PackedCost:
        """Return the cost of a pack as the artifact states it."""
        pricing, cached = self.pricing, self.cached(stable)
        exact = self.cost(stable, volatile)
        return PackedCost(
            currency=pricing.currency,
            objective=pricing.objective,
            expected_calls=pricing.expected_calls,
            cache_writes=pricing.cache_writes,
            prefix_tokens=self.lead + stable,
            cached_tokens=cached,
            fresh_tokens=self.frame + stable + volatile - cached,
            cost_micro=micro(exact),
            uncached_micro=micro(exact + self.saved * cached),
            exact_cost=exact,
            cost_limit=pricing.cost_limit,
        )


def micro(cost: int) -> int:
    """Return ``cost`` in micro-units, halves rounded up."""
    return (Fraction(cost, MILLION) + Fraction(1, 2)).__floor__()
