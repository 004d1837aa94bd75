"""CP-SAT, fed from the arrays of :class:`..linear.Linear`.

ortools is imported inside :class:`CpSat` only: it costs about 0.4 s and 90 MB.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import metadata
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from ...models import BackendError
from ..compile import EXACT, Ints
from ..linear import UNBOUNDED, Linear
from .interruptible import run_interruptible

if TYPE_CHECKING:
    from ortools.sat.python import cp_model

Found = Literal["optimal", "feasible", "infeasible", "unknown"]


@dataclass(frozen=True)
class Answer:
    """What one run found: the best columns (or None), and a proven bound on the maximum (or None)."""

    found: Found
    columns: Ints | None
    bound: int | None
    deterministic_time: float
    interrupted: bool = False


@dataclass(frozen=True)
class Limits:
    """Limits of one run: wall clock seconds, work units, relative gap, seed, workers."""

    seconds: float | None = None
    work: float | None = None
    gap: float = 0.0
    seed: int = 0
    workers: int = 1


SUBSOLVERS = ("max_lp", "pseudo_costs", "reduced_costs", "quick_restart", "lb_tree_search", "core", "no_lp")
"""Searches in the order in which workers are given to them: those that follow the relaxation first."""

PORTFOLIO = 8
"""From this number of workers on CP-SAT's own portfolio is complete."""


def unavailable() -> str | None:
    """Return why CP-SAT cannot be used here, or None when it can."""
    if importlib.util.find_spec("ortools") is None:
        return "ortools is not installed"
    try:
        from ortools.sat.python import cp_model  # noqa: F401
    except Exception as error:  # noqa: BLE001 - a broken wheel may raise anything while it is loaded
        return f"ortools cannot be imported: {type(error).__name__}: {error}"
    return None


def version() -> str:
    """Return the version of ortools."""
    return metadata.version("ortools")


class CpSat:
    """One model that is built once, and solved under several objectives and added rows."""

    def __init__(self, linear: Linear) -> None:
        from ortools.sat.python import cp_model

        self._cp = cp_model
        self.linear = linear
        self._in_doubles = True
        self.model: Any = cp_model.CpModel()  # parts of its interface are not typed
        low, high = linear.col_lo.tolist(), linear.col_hi.tolist()
        self.vars: list[Any] = [
            self.model.new_bool_var("") if j < linear.m else self.model.new_int_var(low[j], high[j], "")
            for j in range(linear.columns)
        ]
        for j in range(linear.m):
            if low[j] == high[j]:
                self.model.add(self.vars[j] == low[j])
        start, cols, coefs = linear.start.tolist(), linear.cols.tolist(), linear.coefs.tolist()
        lo, hi = linear.lo.tolist(), linear.hi.tolist()
        for i, row in enumerate(linear.rows):
            span = slice(start[i], start[i + 1])
            self._add(row.family, cols[span], coefs[span], lo[i], hi[i])

    def _add(self, family: str, cols: list[int], coefs: list[int], lo: int, hi: int) -> None:
        if lo <= -UNBOUNDED and hi >= UNBOUNDED:
            return
        terms = [self.vars[j] for j in cols]
        # The solver recognises cliques and implications by their own constraints.
        if family == "choice" or (family == "group" and hi == 1):
            self.model.add_at_most_one(terms)
        elif family == "required":
            self.model.add_exactly_one(terms)
        elif family == "dependency" and len(terms) == 2:
            self.model.add_implication(terms[0], terms[1])
        else:
            self.add_row(cols, coefs, lo, hi)

    def add_row(self, cols: Sequence[int], coefs: Sequence[int], lo: int, hi: int) -> None:
        """Add ``lo <= sum(coefs * columns) <= hi``; a side of ``UNBOUNDED`` is none."""
        expression = self._sum(cols, coefs)
        if lo <= -UNBOUNDED:
            self.model.add(expression <= hi)
        elif hi >= UNBOUNDED:
            self.model.add(expression >= lo)
        else:
            self.model.add_linear_constraint(expression, lo, hi)

    def fix(self, col: int, value: int) -> None:
        """Hold a column at ``value``."""
        self.model.add(self.vars[col] == value)

    def _sum(self, cols: Sequence[int], coefs: Sequence[int]) -> Any:
        return self._cp.LinearExpr.weighted_sum([self.vars[j] for j in cols], list(coefs))

    def maximise(self, objective: Ints) -> None:
        """Set the objective; replaces the one before."""
        cols = np.flatnonzero(objective)
        self.model.clear_objective()
        self.model.maximize(self._sum(cols.tolist(), objective[cols].tolist()))
        # Reported bounds are doubles: larger sums are left to the status, which is exact.
        reach = np.maximum(np.abs(self.linear.col_lo), np.abs(self.linear.col_hi))[cols].astype(np.float64)
        self._in_doubles = float((np.abs(objective[cols]) * reach).sum()) < EXACT

    def at_least(self, objective: int) -> None:
        """Look only for solutions worth ``objective`` or more under the objective that was set last.

        Stated as the objective's domain: as a row it would weaken the relaxation, while this prunes like an
        incumbent does.
        """
        self.model.proto.objective.domain.extend([-(2**62), -objective])

    def other_than(self, columns: Ints) -> None:
        """Look only for solutions that differ from ``columns`` in a rung, now and later."""
        rungs = self.linear.m
        chosen = columns[:rungs]
        # Sum over chosen of (1 - x) + sum over the others of x is at least 1.
        signs = np.where(chosen > 0, -1, 1)
        self.add_row(list(range(rungs)), signs.tolist(), 1 - int(chosen.sum()), UNBOUNDED)

    def hint(self, columns: Ints) -> None:
        """Offer a complete solution as the start; replaces the one before."""
        self.model.clear_hints()
        for var, value in zip(self.vars, columns.tolist(), strict=True):
            self.model.add_hint(var, value)

    def solve(
        self,
        limits: Limits,
        on_incumbent: Callable[[int, int], bool] | None = None,
        enough: int | None = None,
    ) -> Answer:
        """Solve the model under the objective that was set last.

        With ``enough``, the search ends as soon as the bound is proven to be below it: ``bound`` of the
        answer then says so, even where no solution was found.

        ``on_incumbent`` is called with (objective, bound) at each new solution, and ends the search by
        returning True. Ctrl-C ends it with the best solution so far, marked ``interrupted``.

        Raises
        ------
        BackendError
            CP-SAT refuses the model.
        """
        solver = self._cp.CpSolver()
        _set_parameters(solver, limits)
        callback = _callback(self._cp, on_incumbent) if on_incumbent else None
        proven: list[int] = []
        if enough is not None and self._in_doubles:

            def watch(bound: float) -> None:
                # A whole number below 2**53, but for what scaling the objective did to its double.
                if round(bound) < enough:
                    proven.append(round(bound))
                    solver.stop_search()

            solver.best_bound_callback = watch
        interrupted = run_interruptible(lambda: solver.solve(self.model, callback), solver.stop_search)
        if callback is not None and callback.error is not None:
            raise callback.error
        response = solver.response_proto
        names = {
            self._cp.OPTIMAL: "optimal",
            self._cp.FEASIBLE: "feasible",
            self._cp.INFEASIBLE: "infeasible",
            self._cp.UNKNOWN: "unknown",
        }
        found: Any = names.get(response.status)
        if found is None:
            raise BackendError(
                f"CP-SAT refuses the model: {self.model.validate() or response.solution_info}",
                code="model_invalid",
                hint="this is a fault of Satchel; please report it with the problem file",
            )
        columns = None
        bound = None
        if found in ("optimal", "feasible"):
            columns = np.array(list(response.solution), dtype=np.int64)
            # Exact, where the reported bound is a float: the stored objective is the negated one.
            bound = -int(response.inner_objective_lower_bound) if self.model.has_objective() else None
        if proven:
            bound = min(proven[-1], bound if bound is not None else proven[-1])
        return Answer(found, columns, bound, float(response.deterministic_time), interrupted)


def _set_parameters(solver: cp_model.CpSolver, limits: Limits) -> None:
    parameters = solver.parameters
    parameters.num_workers = limits.workers
    if limits.workers < PORTFOLIO:
        # The LP bound decides this family of problems; the default portfolio starves it on few workers.
        parameters.subsolvers.extend(SUBSOLVERS[: limits.workers])
    # Dominance between similar items blows presolve up quadratically, and may cut off a hinted solution.
    parameters.keep_all_feasible_solutions_in_presolve = True
    parameters.random_seed = limits.seed
    parameters.relative_gap_limit = limits.gap
    parameters.absolute_gap_limit = 0.0
    parameters.catch_sigint_signal = False
    if limits.seconds is not None:
        parameters.max_time_in_seconds = max(0.0, limits.seconds)
    if limits.work is not None:
        parameters.max_deterministic_time = limits.work


def _callback(cp: Any, on_incumbent: Callable[[int, int], bool]) -> Any:
    class Report(cp.CpSolverSolutionCallback):  # type: ignore[misc]
        """Passes incumbents on; an error is kept and raised after the solve, where it can be caught."""

        def __init__(self) -> None:
            super().__init__()
            self.error: Exception | None = None

        def on_solution_callback(self) -> None:
            try:
                if on_incumbent(round(self.objective_value), round(self.best_objective_bound)):
                    self.stop_search()
            except Exception as error:  # noqa: BLE001 - raised again by solve()
                self.error = error
                self.stop_search()

    return Report()
