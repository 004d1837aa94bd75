"""The greedy packer: a feasible pack in milliseconds, honestly labelled (design §3, seed 000 §7 and §12).

Required units come first with all they need, then what zone minima and required dimensions ask for, then
whatever adds most: once by gain per token and once by gain, whichever ends better. Every step may bring in a
unit with its dependencies or move one up its ladder, weighed against the coverage that is already there. The
run by gain starts with the best single step, so the result is never worse than the best single item.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np

from .compile import Compiled, Ints
from .state import NONE, State

Order = Literal["density", "gain"]
Move = tuple[float, int, dict[int, int]]


@dataclass(frozen=True)
class Pack:
    """A feasible pack: the rung of each unit (-1 where it is out), and its sums."""

    choice: Ints
    objective: int
    tokens: int
    shortfall: int

    @property
    def rank(self) -> tuple[int, int, int]:
        """Smaller is better: shortfall first, then value, then tokens."""
        return (self.shortfall, -self.objective, self.tokens)


def greedy(c: Compiled) -> Pack | None:
    """Return the better of the packs by density and by gain, or None when neither is feasible.

    None proves nothing: a feasible pack may still exist.
    """
    orders: tuple[Order, Order] = ("density", "gain")
    packs = [pack for order in orders if (pack := _run(c, order)) is not None]
    return min(packs, key=lambda pack: pack.rank, default=None)


def simple_bound(c: Compiled) -> int:
    """Return an upper bound on the objective of every pack: the fractional multiple-choice knapsack.

    Each unit is replaced by the upper hull of its rungs, the budget is filled in order of efficiency, the
    last step by a fraction (Sinha and Zoltners 1979); all coverage is granted, all other rows are ignored.
    """
    values, tokens, start = c.values.tolist(), c.tokens.tolist(), c.rung_start.tolist()
    total = 0
    steps: list[tuple[float, int, int]] = []
    for u in range(c.n):
        hull = [(0, 0)]
        for r in range(start[u + 1] - 1, start[u] - 1, -1):
            point = (tokens[r], values[r])
            if point[1] <= hull[-1][1]:
                continue
            while len(hull) > 1 and _cross(hull[-2], hull[-1], point) >= 0:
                hull.pop()
            if point[0] == hull[-1][0]:
                total += point[1] - hull[-1][1]
                hull[-1] = point
            else:
                hull.append(point)
        steps += [(-(b[1] - a[1]) / (b[0] - a[0]), b[0] - a[0], b[1] - a[1]) for a, b in zip(hull, hull[1:])]  # noqa: B905, RUF007
    left = c.available
    for _, size, value in sorted(steps):
        if size > left:
            total += -(-value * left // size)
            break
        left -= size
        total += value
    for cover in c.covers:
        amount = int(cover.amounts.sum())
        for gain in cover.gains.tolist():
            total += gain * max(0, min(c.amount_scale, amount))
            amount -= c.amount_scale
    return total


def _cross(a: tuple[int, int], b: tuple[int, int], c: tuple[int, int]) -> int:
    """Return 0 or more when ``b`` is on or below the line from ``a`` to ``c``."""
    return (c[1] - a[1]) * (b[0] - a[0]) - (b[1] - a[1]) * (c[0] - a[0])


def _run(c: Compiled, order: Order) -> Pack | None:
    state = State(c)
    if not include_required(state):
        return None
    if not meet_demands(state):
        return None
    fill(state, range(c.n), order)
    return finished(state)


def finished(state: State) -> Pack:
    """Return ``state`` as a pack."""
    choice = np.array(state.choice, dtype=np.int64)
    return Pack(choice, state.objective, state.c.available - state.left, state.shortfall())


def include_required(state: State) -> bool:
    """Add every required unit that is not in, with what it needs, at the smallest rung that fits."""
    for unit in np.flatnonzero(state.c.required).tolist():
        if state.choice[unit] != NONE:
            continue
        for rung in sorted(state.c.rungs_of(unit), key=lambda r: (state.tokens[r], r)):
            changes = state.closure(unit, rung)
            if changes is not None and state.fits(changes, state.size(changes)):
                state.apply(changes)
                break
        else:
            return False
    return True


def meet_demands(state: State) -> bool:
    """Add units until required dimensions and zone minima are met; False when a hard one cannot be."""
    for d, cover in enumerate(state.c.covers):
        if cover.required:
            newcomers = [unit for unit in cover.units.tolist() if state.choice[unit] == NONE]
            fill(state, newcomers, "density", until=partial(_counted, state, d), once=True)
    for z, zone in enumerate(state.c.zones):
        if zone.minimum:
            fill(state, zone.units.tolist(), "density", until=partial(_filled, state, z))
    return state.complete()


def _counted(state: State, d: int) -> bool:
    return state.counts[d] >= state.c.covers[d].required


def _filled(state: State, z: int) -> bool:
    return state.zone_used[z] >= state.c.zones[z].minimum


def fill(
    state: State,
    units: Iterable[int],
    order: Order,
    *,
    until: Callable[[], bool] | None = None,
    once: bool = False,
) -> None:
    """Make the best move again and again; a move is weighed anew when it comes up, since gains shrink.

    With ``until``, a demand is being met: moves that lose value are taken too. With ``once``, a unit that is
    in is not moved up.
    """
    any_gain = until is not None
    heap: list[tuple[float, int]] = []
    mine = set(units)
    for unit in sorted(mine):
        move = _best_move(state, unit, order, any_gain)
        if move is not None:
            heap.append((-move[0], unit))
    heapq.heapify(heap)
    while heap and not (until is not None and until()):
        _, unit = heapq.heappop(heap)
        move = _best_move(state, unit, order, any_gain)
        if move is None:
            continue
        if heap and -move[0] > heap[0][0]:
            heapq.heappush(heap, (-move[0], unit))
            continue
        state.apply(move[2])
        again = {other for changed in move[2] for other in state.needed_by.get(changed, ())}
        if not once:
            again.add(unit)
        for other in sorted(again & mine):
            # A unit that a new arrival makes cheaper, and this one's next rung, come up again.
            following = _best_move(state, other, order, any_gain)
            if following is not None:
                heapq.heappush(heap, (-following[0], other))


def _best_move(state: State, unit: int, order: Order, any_gain: bool) -> Move | None:
    """Return (key, unit, changes) of the unit's best step from where it stands, or None."""
    best: Move | None = None
    current = state.choice[unit]
    for rung in state.c.rungs_of(unit):
        if rung == current:
            break  # rungs below the current one are shorter: greedy only moves up
        changes = state.closure(unit, rung)
        if changes is None:
            continue
        size = state.size(changes)
        if not state.fits(changes, size):
            continue
        gain = state.gain(changes)
        if gain <= 0 and not any_gain:
            continue
        key = float(gain)
        if order == "density":
            key = gain / size if size > 0 else math.inf
        if best is None or key > best[0]:
            best = (key, unit, changes)
    return best
