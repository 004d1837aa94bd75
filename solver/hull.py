"""Ladders as steps: the upper hull of each unit's (tokens, value) points, found for all units at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..models import Certificate, RowDual
from .compile import Bools, Compiled, Doubles, Ints
from .flat import held_of

DENOMINATOR = 2**16
"""Of the price of a token in :func:`simple_bound`; any price is valid, a finer one is tighter."""


@dataclass(frozen=True)
class Steps:
    """Steps of units: from rung ``before`` (-1 for out) to ``after``, at so much value per token.

    Along one unit they have falling density, so taking them in order of density climbs its hull.
    """

    unit: Ints
    before: Ints
    after: Ints
    density: Doubles

    def sizes(self, c: Compiled) -> Ints:
        """Return the tokens that each step adds."""
        return c.tokens[self.after] - np.where(self.before >= 0, c.tokens[self.before], 0)

    def at(self, index: Ints | Bools | slice) -> Steps:
        """Return the steps at ``index``."""
        return Steps(self.unit[index], self.before[index], self.after[index], self.density[index])


def hull_steps(c: Compiled, choice: Ints, extra: Ints | None = None, only: Bools | None = None) -> Steps:
    """Return the steps that raise value from where ``choice`` stands (rung per unit, -1 for out).

    Sorted by falling density; see :func:`unsorted_steps`.
    """
    steps = unsorted_steps(c, choice, extra, only)
    # Stable, and found one level after the other: along one unit the steps stay in order at equal density.
    return steps.at(np.argsort(-steps.density, kind="stable"))


def unsorted_steps(c: Compiled, choice: Ints, extra: Ints | None = None, only: Bools | None = None) -> Steps:
    """Return the steps that raise value from where ``choice`` stands, those of each unit in their order.

    With ``only`` (a flag per rung), the steps to those rungs. ``extra`` is added to the value of each rung
    (what a first cover may be worth). For the multiple-choice knapsack the hull holds every rung that a
    fractional optimum uses (Sinha and Zoltners 1979).
    """
    values = c.values if extra is None else c.values + extra
    current = choice.copy()
    gain = values - held_of(choice, values)[c.rung_unit]
    more = c.tokens - held_of(choice, c.tokens)[c.rung_unit]
    able = (gain > 0) & (more >= 0)
    rung = np.flatnonzero(able if only is None else able & only)
    unit, gain, more = c.rung_unit[rung], gain[rung], more[rung]
    found: list[tuple[Ints, Ints, Ints, Doubles]] = []
    while len(rung):
        first = np.flatnonzero(np.diff(unit, prepend=-1))
        segment = np.repeat(np.arange(len(first), dtype=np.int64), np.diff(first, append=len(unit)))
        with np.errstate(divide="ignore"):
            slope = gain / more
        best = np.maximum.reduceat(slope, first)
        # The first rung with the best slope is the fullest one: equal slopes are taken in one step.
        hits = np.flatnonzero(slope == best[segment])
        hits = hits[np.diff(segment[hits], prepend=-1) > 0]
        units = unit[first]
        found.append((units, current[units], rung[hits], best))
        current[units] = rung[hits]
        gain, more = gain - gain[hits][segment], more - more[hits][segment]
        on = (gain > 0) & (more >= 0)
        rung, unit, gain, more = rung[on], unit[on], gain[on], more[on]
    if not found:
        empty = np.zeros(0, dtype=np.int64)
        return Steps(empty, empty, empty, np.zeros(0))
    return Steps(*(np.concatenate(part) for part in zip(*found, strict=True)))


def simple_bound(c: Compiled) -> Certificate:
    """Return an upper bound on the objective of every pack, with its proof in exact integers.

    The budget is priced at the density where the hull steps fill it, all coverage is granted, all other rows
    are ignored: weak duality with one multiplier, which is valid for any price.
    """
    steps = hull_steps(c, np.full(c.n, -1, dtype=np.int64))
    last = int(np.searchsorted(np.cumsum(steps.sizes(c)), c.available, side="right"))
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
