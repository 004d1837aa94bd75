"""HiGHS for the linear relaxation, fed from the arrays of :class:`..linear.Linear`."""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass
from importlib import metadata
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ..linear import UNBOUNDED, Linear

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Relaxation:
    """An optimal basis of the relaxation, in floats: nothing is claimed from it that was not recomputed.

    ``duals[i]`` is the gain of the objective per unit of row ``i``'s active side: positive where the upper
    side binds, negative where the lower one does.
    """

    found: Literal["optimal", "infeasible", "unknown"]
    columns: Floats
    duals: Floats


def available() -> bool:
    """Whether highspy is installed."""
    return importlib.util.find_spec("highspy") is not None


def version() -> str:
    """Return the version of highspy."""
    return metadata.version("highspy")


def relax(linear: Linear, *, seconds: float | None = None) -> Relaxation:
    """Solve the relaxation of ``linear`` by the dual simplex, on one thread.

    Cut by ``seconds``, the columns and duals so far are returned: any duals prove a bound.
    """
    import highspy

    highs = quiet(highspy)
    highs.silent()
    highs.setOptionValue("threads", 1)
    highs.setOptionValue("solver", "simplex")
    if seconds is not None:
        highs.setOptionValue("time_limit", max(0.0, seconds))
    highs.passModel(program(highspy, linear))
    highs.run()
    status = highs.getModelStatus()
    found: Literal["optimal", "infeasible", "unknown"] = "unknown"
    if status == highspy.HighsModelStatus.kOptimal:
        found = "optimal"
    elif status == highspy.HighsModelStatus.kInfeasible:
        found = "infeasible"
    solution = highs.getSolution()
    return Relaxation(
        found=found,
        columns=np.array(solution.col_value, dtype=np.float64),
        duals=-np.array(solution.row_dual, dtype=np.float64),  # HiGHS minimises the negated objective
    )


def quiet(highspy: Any) -> Any:
    """Return an instance of HiGHS that has said nothing.

    The public constructor prints a banner to stdout, which carries our data; the base one does not.
    """
    highs: Any = highspy.Highs.__new__(highspy.Highs)
    super(highspy.Highs, highs).__init__()
    return highs


def program(highspy: Any, linear: Linear) -> Any:
    """Return ``linear`` as HiGHS takes it: minimising, every column continuous."""
    model = highspy.HighsLp()
    model.num_col_ = linear.columns
    model.num_row_ = len(linear.rows)
    model.col_cost_ = -linear.objective.astype(np.float64)
    model.col_lower_ = linear.col_lo.astype(np.float64)
    model.col_upper_ = linear.col_hi.astype(np.float64)
    model.row_lower_ = np.where(linear.lo <= -UNBOUNDED, -np.inf, linear.lo).astype(np.float64)
    model.row_upper_ = np.where(linear.hi >= UNBOUNDED, np.inf, linear.hi).astype(np.float64)
    model.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    model.a_matrix_.start_ = linear.start.astype(np.int32)
    model.a_matrix_.index_ = linear.cols.astype(np.int32)
    model.a_matrix_.value_ = linear.coefs.astype(np.float64)
    return model
