"""Steps up the ladders, one by one: by value per token in one order, or whichever pays best again and again.

Gains only shrink while a pack fills (coverage saturates), so steps are kept in one order of their first,
largest gains and weighed anew when they come up (Minoux 1978). A unit without ties is not weighed at all: the
steps of its hull have a fixed density, and are taken as they stand.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Literal

import numpy as np

from .compile import Bools, Compiled, Ints
from .hull import Steps, hull_steps
from .state import NONE, State

Order = Literal["density", "gain"]
Move = tuple[float, dict[int, int]]

RESORT = 256
"""Steps weighed one by one before it is asked whether coverage has filled up."""

MANY = 5_000
AHEAD = 2
"""Steps looked at in one go: those that would fill so many times what is left, and ``MANY`` at least."""

TOP_UP = 2_000
"""Rungs that still fit and are tried at the end, best value per token first."""


def climb(state: State, units: Ints | None = None, until: Callable[[], bool] | None = None) -> None:
    """Take steps up the ladders of ``units`` (or all), best value per token first, until none adds value.

    Coverage fills up early; what it made worth weighing has a fixed worth from then on, so the steps are
    sorted anew whenever half of the dimensions that were open have filled.
    """
    while True:
        if _climb(state, _open_dims(state), units, until):
            return


def _climb(state: State, open_dims: list[int], units: Ints | None, until: Callable[[], bool] | None) -> bool:
    """Take steps in order; return False where they are to be sorted anew first."""
    c, layout, choice, zone = state.c, state.layout, state.choice, state.zone
    only = None
    if units is not None:
        only = np.zeros(c.n, dtype=np.bool_)
        only[units] = True
        only = only[c.rung_unit]
    steps = hull_steps(c, np.array(choice, dtype=np.int64), first_covers(c, open_dims), only)
    if c.priced is not None and c.priced.dear is not None:
        density = steps.density / c.priced.dear[steps.unit]
        steps = replace(steps, density=density).at(np.argsort(-density, kind="stable"))
    steps = steps.at(steps.sizes(c) <= _room(state)[steps.unit])  # what does not fit now never will
    enough = max(MANY, int(np.searchsorted(np.cumsum(steps.sizes(c)), AHEAD * state.left)))
    partial, steps, start = enough < len(steps.unit), steps.at(slice(enough)), state.left
    queue = _Queue(state, steps)
    sizes = steps.sizes(c)
    stream = zip(
        steps.unit.tolist(),
        steps.before.tolist(),
        steps.after.tolist(),
        steps.density.tolist(),
        sizes.tolist(),
        np.minimum.accumulate(sizes[::-1])[::-1].tolist(),
        (~_moving(c, open_dims))[steps.unit].tolist(),
        strict=True,
    )
    for unit, before, after, density, more, smallest, fixed in stream:
        if smallest > state.left:
            break  # neither this step nor a later one fits
        queue.take_above(density)
        if queue.weighed > RESORT and open_dims:
            queue.weighed = 0
            if 2 * len(_open_dims(state)) <= len(open_dims):
                return False
        if until is not None and until():
            return True
        if choice[unit] != before or more > state.left:
            continue
        if not fixed or not all(choice[v] in good for v, good in layout.needs.get(unit, ())):
            queue.push(density, after)
            continue
        if zone[unit] != NONE and not state.zone_takes(zone[unit], more):
            continue
        if state.costs is not None and not state.pays({unit: after}):
            continue
        if before != NONE or state.groups_take(unit):
            state.apply({unit: after})
            queue.wake(unit, density)
    while queue.heap and not (until is not None and until()):
        queue.take_above(-queue.heap[0][0])
    return not partial or state.left == start


def _open_dims(state: State) -> list[int]:
    full = state.c.amount_scale
    gains = state.layout.gains
    return [
        d
        for d, cover in enumerate(state.c.covers)
        if len(cover.rungs) and any(gain > 0 for gain in gains[d]) and state.amounts[d] < full * len(gains[d])
    ]


class _Queue:
    """Steps whose worth depends on what is in the pack: each is weighed when its turn comes."""

    def __init__(self, state: State, steps: Steps) -> None:
        self.state = state
        self.heap: list[tuple[float, int, int]] = []
        self.weighed = 0
        last = np.lexsort((np.arange(len(steps.unit)), steps.unit))
        follows = np.full(state.c.m, NONE, dtype=np.int64)
        first = np.full(state.c.n, NONE, dtype=np.int64)
        unit, after = steps.unit[last], steps.after[last]
        same = unit[1:] == unit[:-1]
        follows[after[:-1][same]] = after[1:][same]
        starts = np.flatnonzero(np.concatenate([[True], ~same])) if len(unit) else last
        first[unit[starts]] = after[starts]
        self.follows: list[int] = follows.tolist()
        self.first: list[int] = first.tolist()

    def push(self, key: float, rung: int) -> None:
        """Queue the step to ``rung``, worth ``key`` per token at most."""
        heapq.heappush(self.heap, (-key, self.state.layout.rung_unit[rung], rung))

    def wake(self, arrived: int, key: float) -> None:
        """Queue again what needs ``arrived``: it has become cheaper."""
        for unit in self.state.needed_by.get(arrived, ()):
            rung = self.first[unit]
            if rung != NONE and self.state.choice[unit] == NONE:
                self.push(key, rung)

    def take_above(self, density: float) -> None:
        """Weigh and take steps while one may be worth ``density`` per token or more."""
        state, heap = self.state, self.heap
        while heap and -heap[0][0] >= density:
            _, unit, rung = heapq.heappop(heap)
            self.weighed += 1
            current = state.choice[unit]
            more = state.tokens[rung] - (state.tokens[current] if current != NONE else 0)
            if more > state.left or (current != NONE and more <= 0):
                continue
            move = _weigh(state, unit, rung)
            if move is None:
                continue
            key, changes = move
            if key < density or (heap and -heap[0][0] > key):
                self.push(key, rung)
                continue
            state.apply(changes)
            for changed, reached in changes.items():
                self.wake(changed, key)
                if self.follows[reached] != NONE:
                    self.push(key, self.follows[reached])


def _weigh(state: State, unit: int, rung: int) -> Move | None:
    """Return (value per token, changes) of bringing ``unit`` to ``rung``, or None where it cannot pay."""
    changes = state.closure(unit, rung)
    if changes is None:
        return None
    size = state.size(changes)
    if not state.fits(changes, size):
        return None
    gain = state.gain(changes)
    if gain <= 0:
        return None
    return (gain / state.load(changes, size) if size > 0 else math.inf), changes


def top_up(state: State) -> None:
    """Spend what is left on rungs that are on no hull, or that no step came by."""
    c = state.c
    choice = np.array(state.choice, dtype=np.int64)
    held = np.where(choice >= 0, c.tokens[choice], 0)[c.rung_unit]
    more = c.tokens - held
    better = (
        c.values + first_covers(c, _open_dims(state))
        > np.where(choice >= 0, c.values[choice], 0)[c.rung_unit]
    )
    room = _room(state)
    fits = (more > 0) & (more <= room[c.rung_unit]) & better
    density = np.where(
        fits, (c.values - np.where(choice >= 0, c.values[choice], 0)[c.rung_unit]) / np.maximum(more, 1), 0
    )
    if c.priced is not None and c.priced.dear is not None:
        density = density / c.priced.dear[c.rung_unit]
    rungs = np.flatnonzero(fits)
    order = rungs[np.lexsort((rungs, -density[rungs]))][:TOP_UP]
    fill(state, np.unique(c.rung_unit[order]).tolist(), "density")


def first_covers(c: Compiled, open_dims: Iterable[int] | None = None) -> Ints:
    """Return, per rung, what it would gain as the first to cover its dimensions: never too little."""
    extra = np.zeros(c.m, dtype=np.int64)
    for d in range(len(c.covers)) if open_dims is None else open_dims:
        cover = c.covers[d]
        if len(cover.gains):
            np.add.at(extra, cover.rungs, cover.amounts * int(cover.gains[0]))
    return extra


def _room(state: State) -> Ints:
    """Return the tokens that each unit may add: what is left of the budget, or of its zone."""
    room = np.full(state.c.n, state.left, dtype=np.int64)
    for z, zone in enumerate(state.c.zones):
        if zone.maximum is not None:
            room[zone.units] = min(state.left, zone.maximum - state.zone_used[z])
    return room


def _moving(c: Compiled, open_dims: Iterable[int]) -> Bools:
    """Return which units' worth changes with what else is in the pack."""
    moving = np.zeros(c.n, dtype=np.bool_)
    for group in c.soft:
        moving[group.units] = True
    for zone in c.zones:
        if zone.price:
            moving[zone.units] = True
    for d in open_dims:
        moving[c.covers[d].units] = True
    return moving


def fill(
    state: State,
    units: Iterable[int],
    order: Order,
    *,
    until: Callable[[], bool] | None = None,
    once: bool = False,
) -> None:
    """Make the best move among ``units`` again and again, each weighed anew when it comes up.

    With ``until``, a demand is being met: moves that lose value are taken too. With ``once``, a unit that is
    in is not moved up.
    """
    any_gain = until is not None
    mine = set(units)
    heap = [(-move[0], unit) for unit in sorted(mine) if (move := best_move(state, unit, order, any_gain))]
    heapq.heapify(heap)
    while heap and not (until is not None and until()):
        _, unit = heapq.heappop(heap)
        move = best_move(state, unit, order, any_gain)
        if move is None:
            continue
        if heap and -move[0] > heap[0][0]:
            heapq.heappush(heap, (-move[0], unit))
            continue
        state.apply(move[1])
        again = {other for changed in move[1] for other in state.needed_by.get(changed, ())}
        if not once:
            again.add(unit)
        for other in sorted(again & mine):
            # A unit that a new arrival makes cheaper, and this one's next rung, come up again.
            following = best_move(state, other, order, any_gain)
            if following is not None:
                heapq.heappush(heap, (-following[0], other))


def best_move(state: State, unit: int, order: Order, any_gain: bool) -> Move | None:
    """Return (key, changes) of the unit's best step from where it stands, or None."""
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
            key = gain / state.load(changes, size) if size > 0 else math.inf
        if best is None or key > best[0]:
            best = (key, changes)
    return best
