"""Rungs that do not fit together with all that their unit needs."""

from __future__ import annotations

import numpy as np

from ..compile import Ints
from ..linear import UNBOUNDED
from .bounds import settled
from .program import Program

NEVER = 2**40
"""Tokens of a unit that has no rung left: more than any budget, and millions of them fit 64 bits."""


def oversized_rungs(p: Program) -> Program:
    """Close the rungs that, with what their unit needs at its smallest and all that is required anyway at
    its smallest, exceed the budget or the maximum of a zone.

    Proof: a pack with the rung holds the closure of its unit and every required unit, each at one of the
    rungs that will do; their smallest sizes add up to no more than the pack's tokens.
    """
    c, linear = p.c, p.linear
    if not c.n or not p.feasible:
        return p
    shut = np.zeros(c.m, dtype=np.bool_)
    for family in ("budget", "zone maximum"):
        for row in p.rows_of(family).tolist():
            cols, _ = p.entries(row)
            inside = np.zeros(c.n, dtype=np.bool_)
            inside[c.rung_unit[cols]] = True
            if linear.hi[row] < UNBOUNDED:
                shut |= _least_beside(p, inside.astype(np.int64)) > linear.hi[row]
    return settled(p, shut)


def _least_beside(p: Program, counts: Ints) -> Ints:
    """Return per rung the fewest tokens of any pack that holds it, over the units with ``counts`` 1."""
    c, closure = p.c, p.closure
    sizes = np.where(p.open, c.tokens, NEVER) * counts[c.rung_unit]
    smallest = np.minimum.reduceat(sizes, c.rung_start[:-1])
    base = np.where(p.required, smallest, 0)
    more = np.where(p.required[closure.target], 0, smallest[closure.target])
    needs = np.zeros(c.n, dtype=np.int64)
    np.add.at(needs, closure.unit, more)
    beside = int(base.sum()) - base + needs
    return np.asarray(sizes + beside[c.rung_unit], dtype=np.int64)
