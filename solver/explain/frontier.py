"""Value against budget: exact points, more of them where the curve bends, and the knee.

A pack fits every larger budget too, so the best value never falls as the budget rises, and the pack of one
point is where the search for the next larger one starts. Along the way prices of tokens fall: the line from a
point at its own price lies above the curve, but for what rounding to whole units moves. The next point is set
where two such lines leave most room above the chord (the sandwich algorithm; Rote 1992).
"""

from __future__ import annotations

import dataclasses
import time
from bisect import insort
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from ...models import InfeasibleError, Problem, UsageError
from ..backends.highs import Basis
from ..backends.interruptible import interrupted, listening
from ..compile import Compiled, compile_problem
from ..conflict import least_budget
from ..demands import Allowance
from ..greedy import Pack
from ..options import SolveOptions
from ..search import Warm
from ..solve import searched
from ..state import NONE
from .change import with_budget
from .solved import Solved

POINTS: Final = 12
"""Points that are solved unless told otherwise."""

REACH: Final = 4
"""The curve runs from this part of the problem's budget to this multiple of it, unless told otherwise."""

FLAT: Final = 1e-3
"""Where no more than this share of the curve's rise is open above a chord, no further point is set."""

STRAIGHT: Final = 0.05
"""A curve that bends less than this, as a share of its rise, has no knee."""

LEAST_WORK: Final = 2.0
"""CP-SAT work units to find the smallest budget that works."""


@dataclass(frozen=True)
class FrontierPoint:
    """The best pack at one budget: its value and a bound on it, both scaled; ``price`` per 1,000 tokens more.

    ``shortfall`` are the tokens that relaxed zone minima lack; they come before value.
    """

    budget: int
    value: int
    bound: int
    tokens: int
    units: int
    shortfall: int
    price: float | None

    @property
    def proven(self) -> bool:
        """Whether no pack at this budget is worth more."""
        return self.value == self.bound

    def to_data(self, scale: int) -> dict[str, Any]:
        """Return the point as JSON data, in value."""
        return {
            "budget": self.budget,
            "value": self.value / scale,
            "bound": self.bound / scale,
            "proven": self.proven,
            "tokens": self.tokens,
            "units": self.units,
            "shortfall": self.shortfall,
            "valuePer1000Tokens": self.price,
        }


@dataclass(frozen=True)
class Curve:
    """Points by rising budget, and the budget at the knee, or None where the curve has none."""

    points: tuple[FrontierPoint, ...]
    scale: int
    knee: int | None


@dataclass(frozen=True, order=True)
class _Solved:
    budget: int
    pack: Pack = dataclasses.field(compare=False)
    bound: int = dataclasses.field(compare=False)
    price: float = dataclasses.field(compare=False)
    basis: Basis | None = dataclasses.field(compare=False)


def trace(
    problem: Problem,
    options: SolveOptions | None = None,
    *,
    least: int | None = None,
    most: int | None = None,
    points: int = POINTS,
    at: tuple[int, ...] = (),
    on_point: Callable[[FrontierPoint], None] | None = None,
    known: Solved | None = None,
) -> Curve:
    """Return value against the budget of units, zones as they stand.

    Parameters
    ----------
    least, most
        Ends of the curve in tokens; by default a quarter of the problem's budget (or the smallest that works)
        and four times it (or as much as all units take in their fullest form).
    points
        How many points are solved, ends included. Ctrl-C ends the curve with those that there are.
    at
        Budgets that are points in any case.
    on_point
        Called with each new point.
    known
        The problem solved at its own budget: where its pack is proven, that point need not be solved.

    Raises
    ------
    InfeasibleError
        No pack fits even the largest budget.
    UsageError
        Prices decide what is packed: the curve is of tokens alone.
    """
    if problem.pricing is not None and problem.pricing.decides:
        raise UsageError(
            "a cost limit or value per cost decides here, and the curve is of tokens alone",
            code="frontier_with_prices",
            field="pricing",
            hint="pack without --cost-limit and --objective, or solve at several cost limits",
        )
    with listening():
        return _Tracer(problem, options or SolveOptions(), on_point, known).run(least, most, points, at)


class _Tracer:
    def __init__(
        self,
        problem: Problem,
        options: SolveOptions,
        on_point: Callable[[FrontierPoint], None] | None,
        known: Solved | None,
    ) -> None:
        self.problem = problem
        self.options = options
        self.on_point = on_point
        self.known = known
        self.c = compile_problem(problem) if known is None else known.c
        self.found: list[_Solved] = []

    def run(self, least: int | None, most: int | None, points: int, at: tuple[int, ...]) -> Curve:
        low, high = self._ends(least, most)
        inside = {b for b in (*at, self.c.available) if low < b < high}
        # The largest first: where nothing fits it, nothing fits at all.
        for budget in sorted({low, high} | inside, reverse=True):
            if self.found and (interrupted() or (len(self.found) >= points and budget not in at)):
                break
            self._add(budget)
        while len(self.found) < points and not interrupted():
            following = self._next()
            if following is None:
                break
            self._add(following)
        return self._curve()

    def _ends(self, least: int | None, most: int | None) -> tuple[int, int]:
        c = self.c
        full = self._most_tokens()
        high = max(1, min(REACH * c.available, max(full, c.available))) if most is None else most
        if least is not None:
            return min(least, high), high
        return min(max(min(c.available, high) // REACH, self._smallest() or 0), high), high

    def _most_tokens(self) -> int:
        """Return the tokens of all units in their fullest form, those of a zone up to its maximum."""
        c = self.c
        if c.n == 0:
            return 0
        fullest = c.tokens[c.rung_start[:-1]]
        total = int(fullest.sum())
        for zone in c.zones:
            if zone.maximum is not None:
                total -= max(0, int(fullest[zone.units].sum()) - zone.maximum)
        return total

    def _smallest(self) -> int | None:
        if not self.c.required.any() and not any(zone.minimum for zone in self.c.zones):
            return None
        allowance = Allowance.of(LEAST_WORK, self.options.time_limit, self.options.seed)
        return least_budget(self.problem, allowance)

    def _at(self, budget: int) -> Compiled:
        if any(zone.price for zone in self.c.zones):
            return compile_problem(with_budget(self.problem, budget))  # the scale may depend on the budget
        return dataclasses.replace(self.c, available=budget)

    def _add(self, budget: int) -> None:
        """Solve at ``budget``, from the pack of the next smaller one on and around the nearest one."""
        known = self.known
        if known is not None and known.proven and budget == self.c.available and known.root is not None:
            root, pack = known.root, known.pack
            (row,) = (i for i, row in enumerate(root.linear.rows) if row.family == "budget")
            price = int(root.bound.multipliers[row]) / root.bound.denominator
            self._take(_Solved(budget, pack, pack.objective, price, root.basis))
            return
        below = max((s for s in self.found if s.budget < budget), default=None)
        nearest = min(self.found, key=lambda s: (abs(s.budget - budget), s.budget), default=None)
        warm = None if nearest is None else Warm(nearest.pack.choice, nearest.basis)
        c = self._at(budget)
        start = below.pack if below is not None and c.scale == self.c.scale else None
        try:
            search = searched(c, self.options, time.monotonic(), 0.0, start, warm=warm)
        except InfeasibleError:
            if not self.found:
                raise
            return
        assert search.best is not None
        paid = 0.0
        if search.certificate is not None:
            duals = [dual.value for dual in search.certificate.duals if dual.family == "budget"]
            paid = sum(duals) / search.certificate.denominator
        self._take(_Solved(budget, search.best, search.bound, paid, search.basis))

    def _take(self, solved: _Solved) -> None:
        insort(self.found, solved)
        if self.on_point is not None:
            self.on_point(self._point(solved))

    def _next(self) -> int | None:
        """Return the budget between two points above whose chord most is open, or None where little is."""
        rise = self.found[-1].pack.objective - self.found[0].pack.objective
        best: tuple[float, int] | None = None
        for left, right in zip(self.found, self.found[1:], strict=False):
            width = right.budget - left.budget
            if width < 2:
                continue
            open_above, budget = _bend(left, right)
            if open_above > FLAT * max(1, rise) and (best is None or open_above > best[0]):
                best = open_above, budget
        return None if best is None else best[1]

    def _curve(self) -> Curve:
        """Return the points; one that a limit left below a smaller budget's gets that one's pack."""
        points: list[FrontierPoint] = []
        best: Pack | None = None
        for solved in self.found:
            pack = solved.pack
            if best is not None and best.rank[:2] < pack.rank[:2]:
                pack = best
            best = pack
            points.append(self._point(dataclasses.replace(solved, pack=pack)))
        return Curve(tuple(points), self.c.scale, knee(points))

    def _point(self, solved: _Solved) -> FrontierPoint:
        pack = solved.pack
        return FrontierPoint(
            budget=solved.budget,
            value=pack.objective,
            bound=max(solved.bound, pack.objective),
            tokens=pack.tokens,
            units=int((pack.choice != NONE).sum()),
            shortfall=pack.shortfall,
            price=1000 * solved.price / self.c.scale,
        )


def _bend(left: _Solved, right: _Solved) -> tuple[float, int]:
    """Return how much is open above the chord of two points, at most, and at which budget."""
    width = right.budget - left.budget
    rise = right.pack.objective - left.pack.objective
    if left.price <= right.price:
        return max(0.0, rise / 2), left.budget + width // 2
    # Where the line from the left at its price meets the line from the right at its own.
    step = (rise - right.price * width) / (left.price - right.price)
    step = min(max(step, 0.0), float(width))
    height = left.price * step - rise * step / width
    inside = min(max(round(step), 1), width - 1)
    return max(0.0, height), left.budget + inside


def knee(points: list[FrontierPoint]) -> int | None:
    """Return the budget beyond which a token brings less than the average one: the point furthest above the
    chord of the whole curve (Satopaa, Albrecht, Irwin and Raghavan 2011), or None where none stands out.

    Points that lack tokens of zone minima which others do not are left out: their value says little.
    """
    lack = min((point.shortfall for point in points), default=0)
    points = [point for point in points if point.shortfall == lack]
    if len(points) < 3:
        return None
    first, last = points[0], points[-1]
    wide, rise = last.budget - first.budget, last.value - first.value
    if wide == 0 or rise <= 0:
        return None
    above = np.array([(p.value - first.value) / rise - (p.budget - first.budget) / wide for p in points])
    best = int(above.argmax())
    return points[best].budget if above[best] > STRAIGHT else None
