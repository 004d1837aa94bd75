"""Rounding and repair: from a fractional relaxation to a feasible pack close to it."""

from __future__ import annotations

import numpy as np

from .backends.highs import Floats
from .compile import Compiled
from .greedy import Pack, climb_to_the_end, finished, include_required, meet_demands
from .state import NONE, State

WHOLE = 0.999
"""A column at least this large is taken as chosen."""


def round_relaxation(c: Compiled, x: Floats) -> Pack | None:
    """Return the pack that takes every whole column of ``x`` that fits, then fills greedily, or None.

    Required units go first, then by value per token, so that what does not fit is worth little.
    """
    state = State(c)
    whole = np.flatnonzero(x >= WHOLE)
    density = c.values[whole] / np.maximum(c.tokens[whole], 1)
    for rung in whole[np.lexsort((whole, -density, ~c.required[c.rung_unit[whole]]))].tolist():
        unit = int(c.rung_unit[rung])
        if state.choice[unit] != NONE:
            continue
        changes = state.closure(unit, rung)
        if changes is not None and state.fits(changes, state.size(changes)):
            state.apply(changes)
    if not include_required(state) or not meet_demands(state):
        return None
    climb_to_the_end(state)
    return finished(state)
