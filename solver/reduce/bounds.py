"""Forced ins and outs: what a single row decides, and rows that decide nothing any more."""

from __future__ import annotations

import dataclasses

import numpy as np

from ..compile import Bools
from .activity import Activity
from .closure import in_mask
from .program import Program

ROUNDS = 4
"""Most passes over the matrix: chains of consequences are short, and stopping early loses no pack."""


def required_needs(p: Program) -> Program:
    """Require what required units need, and close its rungs that will not do for them.

    Proof: every pack holds the required unit, hence all of its closure, at rungs that will do.
    """
    c, closure = p.c, p.closure
    pairs = p.required[closure.unit]
    masks = np.full(c.n, -1, dtype=np.int64)
    np.bitwise_and.at(masks, closure.target[pairs], closure.mask[pairs])
    needed = np.zeros(c.n, dtype=np.bool_)
    needed[closure.target[pairs]] = True
    shut = needed[c.rung_unit] & ~in_mask(c, np.arange(c.m, dtype=np.int64), masks[c.rung_unit])
    return settled(p.require(needed), shut)


def propagate(p: Program) -> Program:
    """Close the rungs, and require the units, that every pack which keeps one single row must.

    Proof: let the other parts of the row add as little as they can. If rung ``r`` then takes the row above
    its upper side, no pack holds ``r``; likewise for most and the lower side. If being out of the row does,
    the unit is in, at a rung that the row holds. So no pack is lost, whatever it is worth.

    This covers rungs that do not fit beside the required units (budget and zone maxima), rivals of a required
    member of a group, units that need a closed rung, dimensions with no candidate to spare, and hard zone
    minima that hold with all units at their fullest only.
    """
    for _ in range(ROUNDS):
        if not p.c.n or not p.feasible:
            return p
        after = _pass(p)
        if after is p:
            break
        p = after
    return p


def _pass(p: Program) -> Program:
    c, linear, parts, activity = p.c, p.linear, p.parts, Activity.of(p)
    shut = np.zeros(c.m, dtype=np.bool_)
    needed = np.zeros(c.n, dtype=np.bool_)
    entries = np.flatnonzero(parts.is_rung)
    entries = entries[p.open[linear.cols[entries]]]
    broken = activity.beyond(p, linear.coefs[entries], parts.of_entry[entries])
    shut[linear.cols[entries[broken]]] = True
    missed = np.flatnonzero(activity.outside)
    missed = missed[activity.beyond(p, np.zeros(len(missed), dtype=np.int64), missed)]
    needed[parts.unit[missed]] = True
    ends = np.append(parts.first, len(linear.cols))
    for part in missed.tolist():
        # The rungs that such a row does not hold are out with it.
        outside = np.zeros(c.m, dtype=np.bool_)
        outside[p.rungs(parts.unit[part : part + 1])] = True
        outside[linear.cols[ends[part] : ends[part + 1]]] = False
        shut |= outside
    return settled(p.require(needed), shut)


def settled(p: Program, shut: Bools) -> Program:
    """Close ``shut``; mark the program as infeasible where a required unit has no rung left.

    The mark is a column with no value left: its lower bound is above its upper one.
    """
    c = p.c
    p = p.close(shut)
    if not c.n:
        return p
    lost = p.required & ~p.alive_units
    lost[c.rung_unit[p.linear.col_lo[: c.m] > p.linear.col_hi[: c.m]]] = False
    if not lost.any():
        return p
    low = p.linear.col_lo.copy()
    low[c.rung_start[:-1][lost]] = 1
    return p.with_linear(dataclasses.replace(p.linear, col_lo=low))


def drop_slack(p: Program) -> Program:
    """Drop the rows that hold whatever is chosen among the open rungs, one per unit at most.

    Proof: the row's sum lies between what its parts add at least and at most; if both are within its sides,
    every choice keeps it. The rows that say "one per unit" are assumed by that argument and stay.
    """
    if not p.c.n or not p.feasible:
        return p
    activity, linear = Activity.of(p), p.linear
    loose = (activity.rows_least >= linear.lo) & (activity.rows_most <= linear.hi)
    for family in ("choice", "required"):
        loose[p.rows_of(family)] = False
    return p.keep_rows(~loose)
