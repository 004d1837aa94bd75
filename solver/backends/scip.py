"""SCIP from the OR-Tools wheel on the whole program, for comparison.

It is fed through the messages of MathOpt, whose Python objects would cost more to build than many a solve;
incumbents and bounds are read from its log, which states seven digits. MathOpt's interrupter fails with SCIP
(ortools 9.15: "SCIPcatchEvent does not support variable or row change events"), so Ctrl-C leaves it behind.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..linear import Linear
from .cpsat import Answer, Limits
from .floats import (
    WHOLE_GAP,
    OnPoint,
    nearest,
    row_sides,
    whole_bound,
    whole_columns,
    whole_objective,
)
from .interruptible import run_interruptible

DIGITS = 5e-7
"""Half of the last digit that the log states, as a share of the number."""


def maximise(linear: Linear, limits: Limits, on_point: OnPoint) -> Answer:
    """Maximise the objective of ``linear`` by branch and cut (Achterberg 2009); it runs on one thread."""
    from ortools.math_opt import callback_pb2, model_parameters_pb2, parameters_pb2, result_pb2
    from ortools.math_opt.core.python import solver

    parameters = _parameters(parameters_pb2, limits)
    log = _Log(on_point)
    results: list[Any] = []

    def work() -> None:
        results.append(
            solver.solve(
                _model(linear),
                parameters_pb2.SOLVER_TYPE_GSCIP,
                parameters_pb2.SolverInitializerProto(),
                parameters,
                model_parameters_pb2.ModelSolveParametersProto(),
                log.read,
                callback_pb2.CallbackRegistrationProto(),
                None,
                None,
            )
        )

    if run_interruptible(work, None):
        return Answer("unknown", None, None, 0.0, interrupted=True)
    return _answer(result_pb2, results[0], linear)


def _model(linear: Linear) -> Any:
    from ortools.math_opt import model_pb2

    model: Any = model_pb2.ModelProto()
    low, high = row_sides(linear)
    variables, rows, matrix = model.variables, model.linear_constraints, model.linear_constraint_matrix
    variables.ids.extend(range(linear.columns))
    variables.lower_bounds.extend(linear.col_lo.astype(np.float64).tolist())
    variables.upper_bounds.extend(linear.col_hi.astype(np.float64).tolist())
    variables.integers.extend(whole_columns(linear).tolist())
    rows.ids.extend(range(len(linear.rows)))
    rows.lower_bounds.extend(low.tolist())
    rows.upper_bounds.extend(high.tolist())
    row_of = np.repeat(np.arange(len(linear.rows)), np.diff(linear.start))
    order = np.lexsort((linear.cols, row_of))
    matrix.row_ids.extend(row_of[order].tolist())
    matrix.column_ids.extend(linear.cols[order].tolist())
    matrix.coefficients.extend(linear.coefs[order].astype(np.float64).tolist())
    model.objective.maximize = True
    priced = np.flatnonzero(linear.objective)
    model.objective.linear_coefficients.ids.extend(priced.tolist())
    model.objective.linear_coefficients.values.extend(linear.objective[priced].astype(np.float64).tolist())
    return model


def _parameters(parameters_pb2: Any, limits: Limits) -> Any:
    parameters = parameters_pb2.SolveParametersProto()
    if limits.seconds is not None:
        parameters.time_limit.FromMicroseconds(int(max(0.0, limits.seconds) * 1e6))
    parameters.gscip.real_params["limits/gap"] = limits.gap
    parameters.gscip.real_params["limits/absgap"] = WHOLE_GAP
    parameters.gscip.int_params["randomization/randomseedshift"] = limits.seed
    # Wide enough for the columns with the two bounds, and a line whenever a node is done.
    parameters.gscip.int_params["display/width"] = 200
    parameters.gscip.int_params["display/freq"] = 1
    return parameters


class _Log:
    """Reads the table that SCIP prints: the header names the columns."""

    def __init__(self, on_point: OnPoint) -> None:
        self._on_point = on_point
        self._places: tuple[int, int] | None = None

    def read(self, lines: list[str]) -> None:
        """Take note of the bounds in ``lines``."""
        for line in lines:
            cells = [cell.strip() for cell in line.split("|")]
            if "primalbound" in cells and "dualbound" in cells:
                self._places = cells.index("primalbound"), cells.index("dualbound")
            elif self._places is not None and len(cells) > max(self._places):
                primal, dual = (_number(cells[place]) for place in self._places)
                # What seven digits leave open is read to the engine's disfavour; the last point is exact.
                self._on_point(
                    None if primal is None else whole_objective(primal - DIGITS * abs(primal)),
                    None if dual is None else whole_bound(dual + DIGITS * abs(dual)),
                )


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None  # "--", or a cell of a line that is no row of the table


def _answer(result_pb2: Any, result: Any, linear: Linear) -> Answer:
    reason = result.termination.reason
    if reason in (
        result_pb2.TERMINATION_REASON_INFEASIBLE,
        result_pb2.TERMINATION_REASON_INFEASIBLE_OR_UNBOUNDED,
    ):
        return Answer("infeasible", None, None, 0.0)
    bound = whole_bound(result.termination.objective_bounds.dual_bound)
    if not result.solutions:
        return Answer("unknown", None, bound, 0.0)
    values = result.solutions[0].primal_solution.variable_values
    columns = np.zeros(linear.columns, dtype=np.float64)
    columns[np.array(values.ids, dtype=np.int64)] = np.array(values.values, dtype=np.float64)
    proved = reason == result_pb2.TERMINATION_REASON_OPTIMAL
    return Answer("optimal" if proved else "feasible", nearest(columns), bound, 0.0)
