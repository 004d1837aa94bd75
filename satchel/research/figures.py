"""Figures of a run from its trajectory and from the best that any engine knows of the instance."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

GAPS = (1e-2, 1e-3, 1e-4, 1e-5)

TOLERANCE = (1.1, 0.2)
"""A limit counts as kept within a tenth and 0.2 s; what comes later does not count."""

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Reference:
    """The best known of one instance: least bound, and largest objective of a feasible pack."""

    bound: int | None
    objective: int | None
    shortfall: int

    @property
    def contradiction(self) -> bool:
        """Whether some pack is worth more than some engine's bound: one of the two is wrong."""
        return self.bound is not None and self.objective is not None and self.objective > self.bound


@dataclass(frozen=True)
class Figures:
    """What the tables show of one run; times in seconds, infinite where something was not reached.

    ``found[i]``: the pack is within ``GAPS[i]`` of the best bound known. ``proved[i]``: the engine's own
    bound says so. ``integral``: the primal integral over the time limit, in seconds.
    """

    row: Row
    found: tuple[float, ...]
    proved: tuple[float, ...]
    proof: float
    gap: float
    own_gap: float
    integral: float


def reference(rows: Iterable[Row]) -> Reference:
    """Return the best known of the instance that ``rows`` are about."""
    answers = [row for row in rows if usable(row)]
    shortfall = min((row["shortfall"] for row in answers), default=0)
    best = [row for row in answers if row["shortfall"] == shortfall]
    bounds = [row["bound"] for row in best if row["bound"] is not None]
    return Reference(
        bound=min(bounds, default=None),
        objective=max((row["objective"] for row in best), default=None),
        shortfall=shortfall,
    )


def usable(row: Row) -> bool:
    """Whether the row holds a pack that keeps every rule."""
    return bool(row.get("feasible")) and row.get("objective") is not None


def relative(objective: int, bound: int) -> float:
    """Return ``(bound - objective) / max(1, |objective|)``."""
    return (bound - objective) / max(1, abs(objective))


def figures(row: Row, best: Reference) -> Figures:
    """Measure ``row`` against the best known of its instance."""
    missing = (math.inf,) * len(GAPS)
    limit = float(row["case"]["limit"])
    if not usable(row) or row["shortfall"] > best.shortfall or best.bound is None:
        return Figures(row, missing, missing, math.inf, _final_gap(row, best), math.inf, limit)
    last = TOLERANCE[0] * limit + TOLERANCE[1]
    points = [(t, o, b) for t, o, b in row["trajectory"] if o is not None and t <= last]
    found = tuple(_first(t for t, o, _ in points if relative(o, best.bound) <= gap) for gap in GAPS)
    proved = tuple(_first(t for t, o, b in points if b is not None and relative(o, b) <= gap) for gap in GAPS)
    proof = _first(t for t, o, b in points if o == b) if row["status"] == "optimal" else math.inf
    own = math.inf if row["bound"] is None else relative(row["objective"], row["bound"])
    return Figures(
        row, found, proved, proof, _final_gap(row, best), own, primal_integral(points, best.objective, limit)
    )


def _final_gap(row: Row, best: Reference) -> float:
    if row.get("objective") is None or best.bound is None:
        return math.inf
    return relative(row["objective"], best.bound)


def _first(times: Iterable[float]) -> float:
    return next(iter(times), math.inf)


def primal_integral(points: Sequence[tuple[float, int, Any]], best: int | None, limit: float) -> float:
    """Return the integral over ``[0, limit]`` of the primal gap (Berthold 2013), in seconds.

    The gap is 1 before the first pack and where signs differ, else ``|best - z| / max(|best|, |z|)``.
    """
    total, since, gap = 0.0, 0.0, 1.0
    for seconds, objective, _ in points:
        now = min(seconds, limit)
        total += gap * (now - since)
        since, gap = now, primal_gap(objective, best)
    return total + gap * (limit - since)


def primal_gap(objective: int, best: int | None) -> float:
    """Return ``|best - objective| / max(|best|, |objective|)``, 1 where signs differ or no best is known."""
    if best is None or objective * best < 0:
        return 1.0
    if objective == best:
        return 0.0
    return abs(best - objective) / max(abs(best), abs(objective))


def median(numbers: Sequence[float]) -> float:
    """Return the median; infinite entries count as larger than all others."""
    return statistics.median_high(numbers) if numbers else math.inf
