"""What tokens are worth at the optimum: the price of the budget and of each limit of a zone.

The prices are the duals of the relaxation, which is nearly tight (design §4). Each holds over the range in
which the same basis stays the best one; beyond it the price falls as the limit rises, for the value of the
relaxation is concave in every limit.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Final, Literal

from ..backends.highs import Simplex
from .solved import Solved

PER: Final = 1_000
"""Tokens that a price is stated for."""

SLACK: Final = 1e-6
"""An end of a range this near to a whole number is that number."""

Limit = Literal["budget", "zone maximum", "zone minimum", "zone target"]

FAMILIES: Final[dict[str, Limit]] = {
    "budget": "budget",
    "zone maximum": "zone maximum",
    "zone minimum": "zone minimum",
    "zone target": "zone target",
}
"""Families of rows whose sides are tokens."""


@dataclass(frozen=True)
class TokenPrice:
    """What the objective gains per 1,000 tokens that a limit is raised by, in value.

    ``limit`` are the tokens that it allows (or, a minimum, asks for), ``used`` those that the pack has there.
    The price holds while the limit is between ``low`` and ``high`` (None: however high). It is below 0 for a
    minimum that asks for tokens which would be worth more elsewhere.
    """

    family: Limit
    zone: str
    per_thousand: float
    limit: int
    used: int
    low: int
    high: int | None

    def to_data(self) -> dict[str, Any]:
        """Return the price as JSON data."""
        return {
            "limit": self.family,
            **({"zone": self.zone} if self.zone else {}),
            "valuePer1000Tokens": self.per_thousand,
            "tokens": self.limit,
            "used": self.used,
            "holdsFrom": self.low,
            "holdsTo": self.high,
        }


def prices(solved: Solved) -> list[TokenPrice]:
    """Return the price of the budget and of each limit of a zone, the budget first, then by zone.

    Empty where the relaxation cannot be solved.
    """
    c, root = solved.c, solved.root
    if root is None:
        return []
    linear = root.linear
    simplex = Simplex(linear, root.basis)
    relaxed = simplex.solve(seconds=solved.options.time_limit)
    ranges = simplex.ranges() if relaxed.found == "optimal" else None
    if ranges is None:
        return []
    used = _used(solved)
    products = linear.coefs * relaxed.columns[linear.cols]
    found: list[TokenPrice] = []
    for i, row in enumerate(linear.rows):
        family = FAMILIES.get(row.family)
        if family is None:
            continue
        per_token = float(relaxed.duals[i]) / c.scale
        limit = int(linear.lo[i] if family == "zone minimum" else linear.hi[i])
        ends = ranges[i]
        if per_token == 0:  # a limit that does not bind may move up to where the relaxation stands
            stands = float(products[linear.start[i] : linear.start[i + 1]].sum())
            ends = (-math.inf, stands) if family == "zone minimum" else (stands, math.inf)
        low, high = _whole(ends)
        found.append(TokenPrice(family, row.name, PER * per_token, limit, used[row.name], low, high))
    return sorted(found, key=lambda price: (price.family != "budget", price.zone, price.family))


def _used(solved: Solved) -> dict[str, int]:
    """Return the tokens of the pack in each zone with a limit, and in all under the empty name."""
    c = solved.c
    zones = c.flat.zone_used(solved.pack.choice).tolist()
    return {"": solved.pack.tokens} | {zone.name: used for zone, used in zip(c.zones, zones, strict=True)}


def _whole(ends: tuple[float, float]) -> tuple[int, int | None]:
    """Return the whole tokens between two ends; None for no upper end."""
    low, high = ends
    least = math.ceil(low - SLACK) if math.isfinite(low) else 0
    return max(0, least), math.floor(high + SLACK) if math.isfinite(high) else None
