"""Rounds of violated rows: the relaxation is solved, cut off, and solved again."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

from ..backends.highs import Relaxation
from ..compile import Compiled
from ..linear import Linear
from .rounding import rounding_cuts
from .rows import only_rows, with_rows

Relax = Callable[[Linear], Relaxation]

ROUNDS = 20
"""Most rounds: later ones bring little."""

EACH_ROUND = 60
"""Most rows added in one round, the most violated ones."""

PATIENCE = 3
LITTLE = 0.05
"""The rounds end when the last ``PATIENCE`` together brought less than this share of what all have."""


def tighten(c: Compiled, linear: Linear, relax: Relax, *, rounds: int = ROUNDS) -> tuple[Linear, Relaxation]:
    """Add violated rows and solve again, until that brings little; return the program and its relaxation.

    Of the rows added those stay that the final bound rests on: their duals are not 0. Every pack satisfies
    them, so the program has the same packs, and no other answer.

    Parameters
    ----------
    relax
        Solves the relaxation. From one call to the next rows are only added, at the end, which is what a warm
        start needs. What it returns without columns or duals ends the rounds.
    """
    known = len(linear.rows)
    relaxed = relax(linear)
    bounds: list[float] = []
    for _ in range(rounds):
        if relaxed.found != "optimal":
            break
        bounds.append(float(linear.objective @ relaxed.columns))
        if len(bounds) > PATIENCE and bounds[-1 - PATIENCE] - bounds[-1] <= LITTLE * (bounds[0] - bounds[-1]):
            break
        cuts = rounding_cuts(c, linear, relaxed.columns)
        if not cuts:
            break
        longer = with_rows(linear, cuts[:EACH_ROUND])
        again = relax(longer)
        if again.found != "optimal":
            break
        linear, relaxed = longer, again
    if len(relaxed.duals) != len(linear.rows):
        return linear, relaxed
    kept = relaxed.duals != 0
    kept[:known] = True
    return only_rows(linear, kept), dataclasses.replace(relaxed, duals=relaxed.duals[kept])
