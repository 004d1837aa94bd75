"""Why a relaxation has no solution: the rows that contradict each other, as HiGHS weighs them."""

from __future__ import annotations

import numpy as np

from ..linear import Linear
from .highs import Floats, program, quiet, run


def dual_ray(linear: Linear, *, seconds: float | None = None) -> Floats | None:
    """Return one weight per row whose sum contradicts the column bounds (Farkas 1902), or None.

    In floats, so a hint and no proof. None where the relaxation has a solution, or the time was too short.
    """
    import highspy

    highs = quiet(highspy)
    highs.silent()
    for option, value in (("threads", 1), ("solver", "simplex"), ("presolve", "off")):
        highs.setOptionValue(option, value)  # presolve would find the contradiction and not say where
    if seconds is not None:
        highs.setOptionValue("time_limit", max(0.0, seconds))
    highs.passModel(program(highspy, linear))
    run(highs)
    if highs.getModelStatus() != highspy.HighsModelStatus.kInfeasible:
        return None
    _, has_ray, ray = highs.getDualRay()
    return np.array(ray, dtype=np.float64) if has_ray else None
