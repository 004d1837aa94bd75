"""The greedy packer: a feasible pack in milliseconds, honestly labelled (design §3, seed 000 §7 and §12).

Required units come first with all they need, then what zone minima and required dimensions ask for, then
whatever adds most: once by value per token and once by value, whichever ends better. Every step brings in a
unit with its dependencies or moves one up its ladder, weighed against the coverage that is already there. The
run by value starts with the best single step, so the result is never worse than the best single item.

Gains only shrink while a pack fills (coverage saturates), so steps are kept in one order of their first,
largest gains and weighed anew when they come up (Minoux 1978). A unit without ties is not weighed at all: the
steps of its hull have a fixed density, and are taken as they stand.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np

from .compile import Bools, Compiled, Ints
from .hull import Steps, hull_steps
from .state import NONE, State

Order = Literal["density", "gain"]
Move = tuple[float, dict[int, int]]

RESORT = 256
"""Steps weighed one by one before it is asked whether coverage has filled up."""

BOTH = 5_000
"""Units up to which both orders are always run."""

TOP_UP = 2_000
"""Rungs that still fit and are tried at the end, best value per token first."""

LARGE = 512
"""Units that the run by value tries in order of value, before it goes on by density."""


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
    """Return the better of the packs by density and by value, or None when neither is feasible.

    Above ``BOTH`` units the run by value is made only where the best single step beats the pack by density,
    which is when it can matter. None proves nothing: a feasible pack may still exist.
    """
    base = _base(c)
    if base is None:
        return None
    state = base.copy()
    climb_to_the_end(state)
    best = finished(state)
    valuable = _most_valuable(c)
    if c.n <= BOTH or base.objective + _largest_gain(base, valuable) > best.objective:
        fill(base, valuable, "gain")
        climb_to_the_end(base)
        best = min(best, finished(base), key=lambda pack: pack.rank)
    return best


def climb_to_the_end(state: State) -> None:
    """Fill ``state`` with all that still adds value."""
    climb(state)
    _top_up(state)


def _most_valuable(c: Compiled) -> list[int]:
    """Return the units whose best rung may be worth most, a first cover of all their dimensions included."""
    if c.n == 0:
        return []
    best = np.maximum.reduceat(c.values + first_covers(c), c.rung_start[:-1])
    return [int(unit) for unit in np.lexsort((np.arange(c.n), -best))[:LARGE]]


def _largest_gain(state: State, units: Iterable[int]) -> float:
    moves = (_best_move(state, unit, "gain", any_gain=False) for unit in units)
    return max((move[0] for move in moves if move is not None), default=0.0)


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
            changes = state.closure(unit, rung, most=state.c.n + 1)
            if changes is not None and state.fits(changes, state.size(changes)):
                state.apply(changes)
                break
        else:
            return False
    return True


def meet_demands(state: State, *, zones_first: bool = False) -> bool:
    """Add units until required dimensions and zone minima are met; False when a hard one cannot be."""
    steps = [_meet_dimensions, _meet_minima]
    for step in reversed(steps) if zones_first else steps:
        step(state)
    return state.complete()


def _base(c: Compiled) -> State | None:
    """Return what must be in the pack, or None: what serves one demand may shut out what serves the other, so
    both orders are tried."""
    for zones_first in (False, True):
        state = State(c)
        if include_required(state) and meet_demands(state, zones_first=zones_first):
            return state
    return None


def _meet_dimensions(state: State) -> None:
    for d, cover in enumerate(state.c.covers):
        if cover.required > state.counts[d]:
            newcomers = [unit for unit in cover.units.tolist() if state.choice[unit] == NONE]
            fill(state, newcomers, "density", until=partial(_counted, state, d), once=True)


def _meet_minima(state: State) -> None:
    for z, zone in enumerate(state.c.zones):
        filled = partial(_filled, state, z)
        if not filled():
            climb(state, zone.units, until=filled)
        if not filled():
            fill(state, zone.units.tolist(), "density", until=filled)


def _counted(state: State, d: int) -> bool:
    return state.counts[d] >= state.c.covers[d].required


def _filled(state: State, z: int) -> bool:
    return state.zone_used[z] >= state.c.zones[z].minimum


def first_covers(c: Compiled, open_dims: Iterable[int] | None = None) -> Ints:
    """Return, per rung, what it would gain as the first to cover its dimensions: never too little."""
    extra = np.zeros(c.m, dtype=np.int64)
    for d in range(len(c.covers)) if open_dims is None else open_dims:
        cover = c.covers[d]
        if len(cover.gains):
            np.add.at(extra, cover.rungs, cover.amounts * int(cover.gains[0]))
    return extra


def climb(state: State, units: Ints | None = None, until: Callable[[], bool] | None = None) -> None:
    """Take steps up the ladders of ``units`` (or all), best value per token first, until none adds value.

    Coverage fills up early; what it made worth weighing has a fixed worth from then on, so the steps are
    sorted anew whenever half of the dimensions that were open have filled.
    """
    while True:
        if _climb(state, _open_dims(state), units, until):
            return


def _open_dims(state: State) -> list[int]:
    full = state.c.amount_scale
    gains = state.layout.gains
    return [
        d
        for d, cover in enumerate(state.c.covers)
        if len(cover.rungs) and any(gain > 0 for gain in gains[d]) and state.amounts[d] < full * len(gains[d])
    ]


def _climb(state: State, open_dims: list[int], units: Ints | None, until: Callable[[], bool] | None) -> bool:
    """Take steps in order; return False where they are to be sorted anew first."""
    c, layout, choice, zone = state.c, state.layout, state.choice, state.zone
    steps = hull_steps(c, np.array(choice, dtype=np.int64), first_covers(c, open_dims), units)
    queue = _Queue(state, steps)
    stream = zip(
        steps.unit.tolist(),
        steps.before.tolist(),
        steps.after.tolist(),
        steps.density.tolist(),
        (~_moving(c, open_dims))[steps.unit].tolist(),
        strict=True,
    )
    for unit, before, after, density, fixed in stream:
        queue.take_above(density)
        if queue.weighed > RESORT and open_dims:
            queue.weighed = 0
            if 2 * len(_open_dims(state)) <= len(open_dims):
                return False
        if until is not None and until():
            return True
        if choice[unit] != before:
            continue
        if not fixed or not all(choice[v] in good for v, good in layout.needs.get(unit, ())):
            queue.push(density, after)
            continue
        more = layout.tokens[after] - (layout.tokens[before] if before != NONE else 0)
        if more > state.left or (zone[unit] != NONE and not state.zone_takes(zone[unit], more)):
            continue
        if before != NONE or state.groups_take(unit):
            state.apply({unit: after})
            queue.wake(unit, density)
    while queue.heap and not (until is not None and until()):
        queue.take_above(-queue.heap[0][0])
    return True


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
            if current != NONE and state.tokens[rung] <= state.tokens[current]:
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
    return (gain / size if size > 0 else math.inf), changes


def _top_up(state: State) -> None:
    """Spend what is left on rungs that are on no hull, or that no step came by."""
    c = state.c
    choice = np.array(state.choice, dtype=np.int64)
    held = np.where(choice >= 0, c.tokens[choice], 0)[c.rung_unit]
    more = c.tokens - held
    better = (
        c.values + first_covers(c, _open_dims(state))
        > np.where(choice >= 0, c.values[choice], 0)[c.rung_unit]
    )
    room = np.full(c.n, state.left, dtype=np.int64)
    for z, zone in enumerate(c.zones):
        if zone.maximum is not None:
            room[zone.units] = min(state.left, zone.maximum - state.zone_used[z])
    fits = (more > 0) & (more <= room[c.rung_unit]) & better
    density = np.where(
        fits, (c.values - np.where(choice >= 0, c.values[choice], 0)[c.rung_unit]) / np.maximum(more, 1), 0
    )
    rungs = np.flatnonzero(fits)
    order = rungs[np.lexsort((rungs, -density[rungs]))][:TOP_UP]
    fill(state, np.unique(c.rung_unit[order]).tolist(), "density")


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
    heap = [(-move[0], unit) for unit in sorted(mine) if (move := _best_move(state, unit, order, any_gain))]
    heapq.heapify(heap)
    while heap and not (until is not None and until()):
        _, unit = heapq.heappop(heap)
        move = _best_move(state, unit, order, any_gain)
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
            following = _best_move(state, other, order, any_gain)
            if following is not None:
                heapq.heappush(heap, (-following[0], other))


def _best_move(state: State, unit: int, order: Order, any_gain: bool) -> Move | None:
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
            key = gain / size if size > 0 else math.inf
        if best is None or key > best[0]:
            best = (key, changes)
    return best
