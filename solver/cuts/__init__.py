"""Cuts: rows that every pack satisfies and a point of the relaxation does not, in exact integers."""

from __future__ import annotations

import numpy as np

from ..backends.highs import Floats, Simplex
from ..compile import Ints
from ..linear import Linear
from ..reduce.rows import Addition
from .rounding import rounding_cuts
from .tableau import tableau_cuts

__all__ = ["separate"]

KEPT = 40
"""Cuts of one round, the deepest first."""

PARALLEL = 0.5
"""Cosine above which two cuts of a round say the same."""


def separate(units: Ints, linear: Linear, simplex: Simplex, columns: Floats) -> list[Addition]:
    """Return the deepest cuts against ``columns``, the last point of ``simplex`` over ``linear``.

    ``units`` is the unit of each rung column. Of cuts that run nearly parallel the deepest is taken.
    """
    found = rounding_cuts(units, linear, columns) + tableau_cuts(linear, simplex, columns)
    found.sort(key=lambda pair: -pair[0])
    chosen: list[Addition] = []
    directions: list[Floats] = []
    for _, cut in found:
        _, cols, coefs, _ = cut
        direction = np.zeros(linear.columns)
        direction[cols] = coefs / np.linalg.norm(coefs.astype(np.float64))
        if all(abs(float(direction @ other)) < PARALLEL for other in directions):
            chosen.append(cut)
            directions.append(direction)
        if len(chosen) == KEPT:
            break
    return chosen
