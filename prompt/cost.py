"""What a call costs: integers of a millionth of a currency, from exact fractions, rounded once.

A price is whole micro-units per million tokens, so a class of tokens costs ``tokens x price / 10**6``
micro-units, a fraction. Fractions are added as they are and a sum is rounded once, half a micro-unit
upwards. Where a sum is shown in parts, each part is the difference of two rounded partial sums, so that
the parts add up to it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from ..models import SchemaError
from .prices import MILLION, Price
from .usage import TokenUsage

PARTS: Final = ("input", "cacheRead", "cacheWrite", "cacheWriteLong", "output")
"""The classes of tokens; each token is in one of them."""


@dataclass(frozen=True, slots=True)
class TurnCost:
    """One call with and without its cache, in micro-units of ``currency`` (seed 003).

    Attributes
    ----------
    uncached_micro
        Everything at the price of input.
    cache_hit_micro, cache_write_micro
        The prefix read from the cache, or written to it, and the rest as input.
    saved_per_hit_micro
        What a hit costs less than no cache: the difference of the two amounts above.
    break_even_hits
        Hits after one write that pay back its premium; 0 where there is none, None where no number does:
        hits that cost more than no cache never pay.
    """

    currency: str
    cached_tokens: int
    fresh_tokens: int
    uncached_micro: int
    cache_hit_micro: int
    cache_write_micro: int
    saved_per_hit_micro: int
    break_even_hits: int | None


@dataclass(frozen=True, slots=True)
class Bill:
    """What used tokens cost: the total, and its parts by class, which add up to it."""

    currency: str
    total_micro: int
    parts_micro: dict[str, int]


def estimate_turn_cost(
    cached_tokens: int, fresh_tokens: int, price: Price, *, long_lived: bool = False
) -> TurnCost:
    """Return the cost of a call whose first ``cached_tokens`` can be cached.

    ``long_lived`` writes the prefix at the price of the longer lifetime.

    Raises
    ------
    SchemaError
        A count is no whole number of 0 or more (``invalid_token_count``), or the price states no price for
        a long-lived write (``invalid_price``).
    """
    check_count("cachedTokens", cached_tokens)
    check_count("freshTokens", fresh_tokens)
    fresh = Fraction(fresh_tokens * price.input_per_million, MILLION)
    uncached = fresh + Fraction(cached_tokens * price.input_per_million, MILLION)
    hit = fresh + Fraction(cached_tokens * price.cache_read, MILLION)
    write = fresh + Fraction(cached_tokens * price.write(long_lived=long_lived), MILLION)
    return TurnCost(
        currency=price.currency,
        cached_tokens=cached_tokens,
        fresh_tokens=fresh_tokens,
        uncached_micro=half_up(uncached),
        cache_hit_micro=half_up(hit),
        cache_write_micro=half_up(write),
        saved_per_hit_micro=half_up(uncached) - half_up(hit),
        break_even_hits=_break_even(write - uncached, uncached - hit),
    )


def cost_of_calls(cost: TurnCost, price: Price, calls: int, *, long_lived: bool = False) -> tuple[int, int]:
    """Return what ``calls`` calls in a row cost without the cache, and with it: one write, then hits."""
    check_count("calls", calls)
    fresh = cost.fresh_tokens * calls * price.input_per_million
    without = fresh + cost.cached_tokens * calls * price.input_per_million
    written = cost.cached_tokens if calls else 0
    cached = fresh + written * price.write(long_lived=long_lived)
    cached += cost.cached_tokens * max(0, calls - 1) * price.cache_read
    return half_up(Fraction(without, MILLION)), half_up(Fraction(cached, MILLION))


def bill(usages: Sequence[TokenUsage], price: Price) -> Bill:
    """Return what ``usages`` cost together, each token once (K08, K09, K10).

    Raises
    ------
    SchemaError
        Tokens of a class for which the price says nothing (``invalid_price``).
    """
    return bill_each([(usage, price) for usage in usages], price.currency)


def bill_each(priced: Sequence[tuple[TokenUsage, Price]], currency: str) -> Bill:
    """Return what usages cost together, each at its own price in ``currency``; raises as :func:`bill`."""
    sums = dict.fromkeys(PARTS, 0)
    for usage, price in priced:
        sums["input"] += usage.fresh * price.input_per_million
        sums["cacheRead"] += usage.cache_read * price.cache_read
        sums["cacheWrite"] += usage.cache_write * price.write(long_lived=False)
        if usage.cache_write_long:
            sums["cacheWriteLong"] += usage.cache_write_long * price.write(long_lived=True)
        if usage.output:
            sums["output"] += usage.output * price.output()
    parts, total, shown = {}, Fraction(0), 0
    for name in PARTS:
        total += Fraction(sums[name], MILLION)
        parts[name] = half_up(total) - shown
        shown = half_up(total)
    return Bill(currency, shown, parts)


def half_up(amount: Fraction) -> int:
    """Return the nearest integer; halves go up."""
    return (amount + Fraction(1, 2)).__floor__()


def check_count(field: str, value: object) -> None:
    """Raise ``invalid_token_count`` unless ``value`` is a whole number, 0 or more."""
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise SchemaError(
            "is not a token count",
            code="invalid_token_count",
            field=field,
            value=value,
            hint="accepted: whole numbers, 0 or more",
        )


def _break_even(premium: Fraction, saved: Fraction) -> int | None:
    """Return the fewest hits whose savings reach the premium of one write."""
    if saved < 0 or (saved == 0 and premium > 0):
        return None
    return (premium / saved).__ceil__() if premium > 0 else 0
