"""The greedy packer: a feasible pack in milliseconds, honestly labelled (design §3, seed 000 §7 and §12).

Required units come first with all they need, then what required dimensions ask for. Then a few waves fill
most of the budget (:mod:`.waves`), and single steps the rest (:mod:`.climb`). Each brings in units with their
dependencies or moves one up its ladder, weighed against the coverage that is already there.

Small problems are packed twice more without waves, by value per token and by value, and the best pack stands.
The run by value starts with the best single step, so the result is never worse than the best single item.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial

import numpy as np

from ..models.reading import collector_paused
from .climb import best_move, climb, fill, first_covers, top_up
from .compile import Compiled, Ints
from .state import NONE, State
from .waves import Waves

SMALL = 500
"""Units up to which all three runs are made."""

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
    """Return the best of the packs by waves, by density and by value, or None when none is feasible.

    Above ``SMALL`` units the runs without waves are made only where waves end short of a demand, or where the
    best single step beats their pack. None proves nothing: a feasible pack may still exist.
    """
    with collector_paused():
        packs: list[Pack] = []
        required = State(c)
        if not include_required(required):
            return None
        valuable = _most_valuable(c)
        single = required.objective + _largest_gain(required, valuable)
        waved = _by_waves(required)
        if waved is not None:
            packs.append(waved)
        if waved is None or c.n <= SMALL or single > waved.objective:
            packs += _step_by_step(c, valuable)
        return min(packs, key=lambda pack: pack.rank, default=None)


def _by_waves(required: State) -> Pack | None:
    """Return the pack that waves fill most of, or None where they leave a demand that cannot be met, or know
    nothing of a limit."""
    if required.costs is not None:
        return None
    state = required.copy()
    _meet_dimensions(state)
    state = State.of(state.c, Waves(state.c, np.array(state.choice, dtype=np.int64)).run())
    if not meet_demands(state):
        return None
    climb_to_the_end(state)
    return finished(state)


def _step_by_step(c: Compiled, valuable: list[int]) -> list[Pack]:
    """Return the packs by density and, where it can matter, by value."""
    base = _base(c)
    if base is None:
        return []
    state = base.copy()
    climb_to_the_end(state)
    packs = [finished(state)]
    if c.n <= SMALL or base.objective + _largest_gain(base, valuable) > packs[0].objective:
        fill(base, valuable, "gain")
        climb_to_the_end(base)
        packs.append(finished(base))
    return packs


def climb_to_the_end(state: State) -> None:
    """Fill ``state`` with all that still adds value."""
    climb(state)
    top_up(state)


def _most_valuable(c: Compiled) -> list[int]:
    """Return the units whose best rung may be worth most, a first cover of all their dimensions included."""
    if c.n == 0:
        return []
    best = np.maximum.reduceat(c.values + first_covers(c), c.rung_start[:-1])
    return [int(unit) for unit in np.lexsort((np.arange(c.n), -best))[:LARGE]]


def _largest_gain(state: State, units: Iterable[int]) -> float:
    moves = (best_move(state, unit, "gain", any_gain=False) for unit in units)
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
    steps = [_meet_dimensions, _meet_minima, _meet_prefix]
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
    # What must not be missed comes before what may be.
    for z, zone in sorted(enumerate(state.c.zones), key=lambda entry: entry[1].relax):
        filled = partial(_filled, state, z)
        if not filled():
            climb(state, zone.units, until=filled)
        if not filled():
            fill(state, zone.units.tolist(), "density", until=filled)


def _meet_prefix(state: State) -> None:
    priced = state.c.priced
    if priced is not None and not state.prefix_filled():
        climb(state, priced.prefix, until=state.prefix_filled)
        fill(state, priced.prefix.tolist(), "density", until=state.prefix_filled)


def _counted(state: State, d: int) -> bool:
    return state.counts[d] >= state.c.covers[d].required


def _filled(state: State, z: int) -> bool:
    return state.zone_used[z] >= state.c.zones[z].minimum
