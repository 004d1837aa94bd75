"""What the engines that compute in floats share: how a program is handed over, and how answers are read.

The helper columns (segments, surplus, shortfall) follow from the choice of rungs and are whole whenever that
choice is, so they are handed over as continuous: it helps such engines, and loses nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ..compile import Bools, Ints
from ..linear import UNBOUNDED, Linear

Floats = NDArray[np.float64]

OnPoint = Callable[[int | None, int | None], None]
"""Told (objective, bound) as the search goes on; None where one is not known yet."""

WHOLE_GAP = 0.999
"""Absolute gap at which an engine may stop: between whole numbers that is a proof."""

INFINITE = 1e20
"""From here on, these engines mean no number at all."""


def whole_columns(linear: Linear) -> Bools:
    """Return which columns must be whole: the choices of rungs."""
    return np.arange(linear.columns) < linear.m


def row_sides(linear: Linear) -> tuple[Floats, Floats]:
    """Return both sides of every row, infinite where there is no limit."""
    low = np.where(linear.lo <= -UNBOUNDED, -np.inf, linear.lo.astype(np.float64))
    high = np.where(linear.hi >= UNBOUNDED, np.inf, linear.hi.astype(np.float64))
    return low, high


def whole_objective(value: float) -> int | None:
    """Return an objective in floats as the whole number that it stands for, or None."""
    return round(value) if abs(value) < INFINITE else None


def whole_bound(value: float) -> int | None:
    """Return the largest whole objective below a bound in floats, or None.

    A bound that misses a whole number by the engine's own tolerance means that number.
    """
    return math.floor(value + 1e-6 + 1e-9 * abs(value)) if abs(value) < INFINITE else None


def nearest(columns: Floats) -> Ints:
    """Return columns within the engine's tolerance of whole numbers as those numbers."""
    return np.rint(columns).astype(np.int64)
