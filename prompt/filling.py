"""A stable prefix below the provider's minimum: whether one more stable unit makes caching worth it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from .cost import check_count
from .prices import MILLION, Price


@dataclass(frozen=True, slots=True)
class Filler:
    """A stable unit that was left out: its tokens, and what it is worth in any unit of value."""

    id: str
    tokens: int
    value: int = 0


@dataclass(frozen=True, slots=True)
class Fill:
    """The unit that lifts a prefix to the minimum, and what that changes over all calls, in micro-units.

    Attributes
    ----------
    saved_micro
        Whole micro-units that the calls cost less with the unit in and cached than without both; rounded
        down, so never more than is saved.
    """

    id: str
    prefix_tokens: int
    saved_micro: int


def fill_below_minimum(
    prefix_tokens: int,
    minimum: int,
    room: int,
    fillers: Iterable[Filler],
    price: Price,
    calls: int,
    *,
    long_lived: bool = False,
) -> Fill | None:
    """Return the best stable unit that fits, reaches the minimum and pays for itself, or None.

    Without it, ``calls`` calls pay the prefix as input. With it, the first call writes prefix and unit to
    the cache and the others read both. Of those that pay the most valuable is returned; of equal ones the
    cheapest, then the first by id.

    Parameters
    ----------
    room
        Tokens that are left in the prompt.
    """
    for name, number in (("prefixTokens", prefix_tokens), ("minimum", minimum), ("calls", calls)):
        check_count(name, number)
    if prefix_tokens >= minimum or calls == 0:
        return None
    before = prefix_tokens * calls * price.input_per_million
    per_token = price.write(long_lived=long_lived) + (calls - 1) * price.cache_read
    found: list[tuple[int, int, str, Fill]] = []
    for filler in fillers:
        check_count(filler.id, filler.tokens)
        tokens = prefix_tokens + filler.tokens
        saved = Fraction(before - tokens * per_token, MILLION)
        if filler.tokens <= room and tokens >= minimum and saved > 0:
            fill = Fill(filler.id, tokens, saved.__floor__())
            found.append((-filler.value, filler.tokens, filler.id, fill))
    return min(found)[3] if found else None
