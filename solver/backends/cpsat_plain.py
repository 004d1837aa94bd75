"""CP-SAT as it comes, on the whole program, for comparison: only limits, seed and workers are set."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..linear import Linear
from .cpsat import Answer, CpSat, Limits
from .floats import OnPoint
from .interruptible import run_interruptible


def maximise(linear: Linear, limits: Limits, on_point: OnPoint) -> Answer:
    """Maximise the objective of ``linear`` with the default parameters."""
    from ortools.sat.python import cp_model

    model = CpSat(linear)
    model.maximise(linear.objective)
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = limits.workers
    solver.parameters.random_seed = limits.seed
    solver.parameters.relative_gap_limit = limits.gap
    solver.parameters.catch_sigint_signal = False
    if limits.seconds is not None:
        solver.parameters.max_time_in_seconds = max(0.0, limits.seconds)

    class Report(cp_model.CpSolverSolutionCallback):
        def on_solution_callback(self) -> None:
            on_point(round(self.objective_value), round(self.best_objective_bound))

    solver.best_bound_callback = lambda bound: on_point(None, round(bound))
    interrupted = run_interruptible(lambda: solver.solve(model.model, Report()), solver.stop_search)
    response: Any = solver.response_proto
    if response.status == cp_model.INFEASIBLE:
        return Answer("infeasible", None, None, 0.0, interrupted)
    # Exact, where the reported bound is a float: the stored objective is the negated one.
    bound = -int(response.inner_objective_lower_bound)
    if response.status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        return Answer("unknown", None, None, 0.0, interrupted)
    columns = np.array(list(response.solution), dtype=np.int64)
    proved = response.status == cp_model.OPTIMAL
    return Answer("optimal" if proved else "feasible", columns, bound, 0.0, interrupted)
