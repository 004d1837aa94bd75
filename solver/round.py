"""Rounding and repair: from a fractional relaxation to a feasible pack close to it."""

from __future__ import annotations

import numpy as np

from .backends.highs import Floats
from .compile import Compiled, Ints
from .greedy import Pack, climb_to_the_end, finished, include_required, meet_demands
from .state import NONE, State

WHOLE = 1 - 1e-6
"""A unit with at least this share is taken as in."""

SOME = 1e-6


def round_relaxation(c: Compiled, x: Floats) -> Pack | None:
    """Return the pack that holds the units that ``x`` has wholly in, filled up greedily, or None.

    A unit whose share is split among rungs comes in at the one with fewest tokens: what the split ones hold
    of budget and zones is enough for it, and a rung that has a share will do for every unit that is wholly
    in and needs it.
    """
    choice = _whole(c, x)
    state = State.of(c, choice)
    if not _kept(state):
        state = _one_by_one(c, choice)  # the relaxation holds its rows only within its tolerance
    if not include_required(state) or not meet_demands(state):
        return None
    climb_to_the_end(state)
    return finished(state)


def _whole(c: Compiled, x: Floats) -> Ints:
    choice = np.full(c.n, NONE, dtype=np.int64)
    if c.n == 0:
        return choice
    inside = np.add.reduceat(x, c.rung_start[:-1]) >= WHOLE
    rungs = np.flatnonzero((x > SOME) & inside[c.rung_unit])
    # Of several rungs of a unit the last one written stays: the smallest, of equal ones the fullest.
    order = np.lexsort((-rungs, -c.tokens[rungs]))
    choice[c.rung_unit[rungs[order]]] = rungs[order]
    return choice


def _kept(state: State) -> bool:
    """Whether budget, zone maxima, groups and dependencies hold."""
    c = state.c
    zones = zip(c.zones, state.zone_used, strict=True)
    cliques = zip(c.cliques, state.clique_used, strict=True)
    choice = np.array(state.choice, dtype=np.int64)
    good = np.zeros(c.m, dtype=np.bool_)
    good[choice[choice != NONE]] = True
    served = np.ones(len(c.dep_unit), dtype=np.bool_)
    if len(served):
        served = np.logical_or.reduceat(good[c.dep_rungs], c.dep_start[:-1])
    return (
        state.left >= 0
        and state.cost_left >= 0
        and all(zone.maximum is None or used <= zone.maximum for zone, used in zones)
        and all(used <= clique.k for clique, used in cliques)
        and bool((served | (choice[c.dep_unit] == NONE)).all())
    )


def _one_by_one(c: Compiled, choice: Ints) -> State:
    """Take what fits of ``choice``: required units first, then by value per token."""
    state = State(c)
    wanted = choice[choice != NONE]
    density = c.values[wanted] / np.maximum(c.tokens[wanted], 1)
    for rung in wanted[np.lexsort((wanted, -density, ~c.required[c.rung_unit[wanted]]))].tolist():
        unit = int(c.rung_unit[rung])
        if state.choice[unit] != NONE:
            continue
        changes = state.closure(unit, rung)
        if changes is not None and state.fits(changes, state.size(changes)):
            state.apply(changes)
    return state
