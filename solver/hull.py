"""Ladders as steps: the upper hull of each unit's (tokens, value) points, found for all units at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..models import Certificate, RowDual
from .compile import Compiled, Ints

DENOMINATOR = 2**16
"""Of the price of a token in :func:`simple_bound`; any price is valid, a finer one is tighter."""


@dataclass(frozen=True)
class Steps:
    """Steps of all units, best value per token first: from rung ``before`` (-1 for out) to ``after``.

    Along one unit the steps have falling density, so taking them in order climbs its hull.
    """

    unit: Ints
    before: Ints
    after: Ints
    density: np.ndarray[tuple[int], np.dtype[np.float64]]


def hull_steps(c: Compiled, choice: Ints, extra: Ints | None = None, only: Ints | None = None) -> Steps:
    """Return the steps that raise value from where ``choice`` stands (rung per unit, -1 for out).

    With ``only``, the steps of those units.

    ``extra`` is added to the value of each rung (what a first cover may be worth). For the multiple-choice
    knapsack the hull holds every rung that a fractional optimum uses (Sinha and Zoltners 1979).
    """
    values = c.values if extra is None else c.values + extra
    current = choice.copy()
    wanted = np.ones(c.m, dtype=np.bool_)
    if only is not None:
        inside = np.zeros(c.n, dtype=np.bool_)
        inside[only] = True
        wanted = inside[c.rung_unit]
    found: list[tuple[Ints, Ints, Ints, np.ndarray[tuple[int], np.dtype[np.float64]]]] = []
    while True:
        held = current >= 0
        tokens = np.where(held, c.tokens[current], 0)[c.rung_unit]
        value = np.where(held, values[current], 0)[c.rung_unit]
        more, gain = c.tokens - tokens, values - value
        slope = np.where(wanted & (gain > 0) & (more >= 0), gain / np.maximum(more, 1), 0.0)
        slope[wanted & (gain > 0) & (more == 0)] = np.inf
        best = np.maximum.reduceat(slope, c.rung_start[:-1]) if c.n else np.zeros(0)
        # The first rung with the best slope is the fullest one: equal slopes are taken in one step.
        hits = np.flatnonzero((slope == best[c.rung_unit]) & (slope > 0))
        units, first = np.unique(c.rung_unit[hits], return_index=True)
        if len(units) == 0:
            break
        rungs = hits[first]
        found.append((units, current[units], rungs, best[units]))
        current[units] = rungs
    if not found:
        empty = np.zeros(0, dtype=np.int64)
        return Steps(empty, empty, empty, np.zeros(0))
    unit, before, after, density = (np.concatenate(part) for part in zip(*found, strict=True))
    level = np.repeat(np.arange(len(found)), [len(part[0]) for part in found])
    order = np.lexsort((level, unit, -density))
    return Steps(unit[order], before[order], after[order], density[order])


def simple_bound(c: Compiled) -> Certificate:
    """Return an upper bound on the objective of every pack, with its proof in exact integers.

    The budget is priced at the density where the hull steps fill it, all coverage is granted, all other rows
    are ignored: weak duality with one multiplier, which is valid for any price.
    """
    steps = hull_steps(c, np.full(c.n, -1, dtype=np.int64))
    held = np.where(steps.before >= 0, c.tokens[steps.before], 0)
    sizes = c.tokens[steps.after] - held
    last = int(np.searchsorted(np.cumsum(sizes), c.available, side="right"))
    price = float(steps.density[last]) if last < len(steps.density) else 0.0
    multiplier = round(price * DENOMINATOR) if np.isfinite(price) else 0
    if c.n == 0:
        return Certificate(denominator=1, bound=0)
    # Python integers where a product could leave 64 bits: explicit values may be as large as 2**53.
    small = int(np.abs(c.values).max()) < 2**46 and int(c.tokens.max()) * multiplier < 2**62
    exact: type = np.int64 if small else object
    worth: np.ndarray[tuple[int], np.dtype[Any]]
    worth = c.values.astype(exact) * DENOMINATOR - c.tokens.astype(exact) * multiplier
    best = np.maximum.reduceat(worth, c.rung_start[:-1])
    best = np.where(c.required, best, np.maximum(best, 0))
    total = sum(best.tolist()) + multiplier * c.available
    # All coverage of a dimension that any rung covers: its segments are columns that no row holds down.
    total += DENOMINATOR * sum(
        gain * c.amount_scale
        for cover in c.covers
        if len(cover.rungs)
        for gain in cover.gains.tolist()
        if gain > 0
    )
    duals = (RowDual(family="budget", value=multiplier),) if multiplier else ()
    return Certificate(denominator=DENOMINATOR, bound=total // DENOMINATOR, duals=duals)
