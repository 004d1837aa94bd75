"""The two programs of a problem whose prices decide: prefix paid for as cached, and as uncached.

Within a case every token has a price, ``full`` or (stable, cached) ``kept``, so the cost is linear:

- *cached*: stable units hold ``needed`` tokens or more; sum over units of price x tokens <= limit - fixed;
- *uncached*: all tokens cost ``full``, so a limit on cost is one on tokens. A long prefix may be paid for
  like that too, at more than its true cost: whoever can have it cheaper has it in the other case.

Every pack is in one of the cases at its true cost, hence the better of two proven answers is proven.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ...models import Stability
from ..compile import Bools, Compiled, Doubles, Ints, PriceRows
from ..flat import held_of
from .tariff import Tariff

Name = Literal["cached", "uncached"]


@dataclass(frozen=True)
class Case:
    """A case as a compiled problem. Costs are in the tariff's ``unit``; every pack of it costs ``fixed`` and
    what its rungs cost."""

    name: Name
    c: Compiled
    fixed: int

    def weighed(self, value: int, cost: int) -> Compiled:
        """Return the case with ``value`` x value - ``cost`` x cost as its objective, fixed cost left out."""
        c = self.c
        if (value, cost) == (1, 0):
            return c
        assert c.priced is not None
        return dataclasses.replace(
            c,
            values=c.values * value - c.priced.costs * cost,
            zones=[dataclasses.replace(zone, price=zone.price * value) for zone in c.zones],
            covers=[dataclasses.replace(cover, gains=cover.gains * value) for cover in c.covers],
            soft=[dataclasses.replace(group, price=group.price * value) for group in c.soft] if value else [],
        )


def cases(c: Compiled, tariff: Tariff, *, limited: bool = True) -> list[Case]:
    """Return the cases that may hold a pack, the cached one first; without the limit unless ``limited``."""
    stable = stable_units(c)
    limit = tariff.limit if limited else None
    found = [_cached(c, tariff, stable, limit), _uncached(c, tariff, limit)]
    if found[0] is not None and tariff.needed == 0:
        found[1] = None  # whatever is packed is cached, and cheaper so
    return [case for case in found if case is not None]


def stable_units(c: Compiled) -> Bools:
    """Return which units are stable: they form the prefix of the prompt."""
    return np.array([s.unit.stability is Stability.STABLE for s in c.standings], dtype=np.bool_)


def tokens_of(c: Compiled, choice: Ints) -> tuple[int, int]:
    """Return the tokens of the stable and of the volatile units of the pack ``choice``."""
    tokens, stable = held_of(choice, c.tokens), stable_units(c)
    return int(tokens[stable].sum()), int(tokens[~stable].sum())


def _cached(c: Compiled, tariff: Tariff, stable: Bools, limit: int | None) -> Case | None:
    most = None if limit is None else (limit - tariff.fixed_cached) // tariff.unit
    longest = int(c.tokens[c.rung_start[:-1]][stable].sum()) if c.n else 0
    if not tariff.saved or (most is not None and most < 0):
        return None
    full, kept = tariff.full // tariff.unit, tariff.kept // tariff.unit
    costs = c.tokens * np.where(stable, kept, full)[c.rung_unit]
    available = c.available if most is None or kept == 0 else min(c.available, most // kept)
    if min(longest, available) < tariff.needed:
        return None
    prefix = np.flatnonzero(stable).astype(np.int64)
    # Where all units are stable, what may be spent is a number of tokens.
    if most is None or stable.all():
        rows = PriceRows("cached", costs, None, prefix, tariff.needed)
    else:
        rows = PriceRows(
            "cached", costs, most, prefix, tariff.needed, _dear(stable, kept, full, most, available)
        )
    inside = dataclasses.replace(c, available=available, priced=rows)
    return Case("cached", inside, tariff.fixed_cached // tariff.unit)


def _dear(stable: Bools, kept: int, full: int, most: int, available: int) -> Doubles:
    """Return the share of what is left that a token of each unit takes, the larger of tokens and money."""
    paid = np.where(stable, kept, full) / max(1, most)
    share = np.maximum(paid, 1 / max(1, available))
    return np.asarray(share / share.min(initial=np.inf), dtype=np.float64)


def _uncached(c: Compiled, tariff: Tariff, limit: int | None) -> Case | None:
    most = None if limit is None else (limit - tariff.fixed_uncached) // tariff.unit
    if most is not None and most < 0:
        return None
    full = tariff.full // tariff.unit
    available = c.available if most is None or full == 0 else min(c.available, most // full)
    rows = PriceRows("uncached", c.tokens * full, None, np.zeros(0, dtype=np.int64), 0)
    inside = dataclasses.replace(c, available=available, priced=rows)
    return Case("uncached", inside, tariff.fixed_uncached // tariff.unit)
