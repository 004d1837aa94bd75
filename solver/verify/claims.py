"""What the solver claims of its answer: bound, gap, status and limits must follow from each other."""

from __future__ import annotations

from typing import Any, Final

from ...models import PackedContext, SolverReport, Status, StopReason
from .report import Complaints

OUTCOMES: Final[dict[Status, frozenset[StopReason]]] = {
    Status.OPTIMAL: frozenset(StopReason),
    Status.WITHIN_GAP: frozenset(StopReason)
    - {StopReason.PROOF, StopReason.HEURISTIC_END, StopReason.TOLERANCE},
    Status.FEASIBLE: frozenset(StopReason) - {StopReason.PROOF, StopReason.GAP, StopReason.HEURISTIC_END},
    Status.HEURISTIC: frozenset({StopReason.HEURISTIC_END}),
}
"""Stop reasons that can go with each status; a pack can turn out optimal whatever ended the search."""

LIMIT_OF: Final = {
    StopReason.WALL_CLOCK: "timeLimitSeconds",
    StopReason.DETERMINISTIC_LIMIT: "deterministicLimit",
    StopReason.GAP: "gap",
}
"""The limit that must have been set for the search to end so."""


HEURISTICS: Final = ("greedy", "density-greedy", "lazy-greedy", "seed-greedy")
"""Engines that prove nothing."""

IN_FLOATS: Final = ("highs-mip", "scip")
"""Engines whose own bound proves nothing exactly."""

ENGINES: Final = ("cp-sat", "cp-sat-plain", *IN_FLOATS, *HEURISTICS)
"""Engines that an artifact may come from."""


def check_claims(context: PackedContext, complaints: Complaints) -> None:
    """Bound, gap, status, stop reason and limits agree with each other."""
    solver = context.solver
    complaints.open("bound", f"objective {solver.objective}, bound {solver.bound}")
    complaints.require(
        "bound",
        solver.objective <= solver.bound,
        f"objective {solver.objective} is above the bound {solver.bound}",
    )
    complaints.require(
        "bound",
        solver.shortfall >= solver.shortfall_bound,
        f"shortfall {solver.shortfall} is below its bound {solver.shortfall_bound}",
    )
    complaints.open("gap", f"{solver.gap}")
    gap = (solver.bound - solver.objective) / max(1, abs(solver.objective))
    complaints.expect("gap", "solver.gap", solver.gap, gap)
    _check_status(solver, complaints)
    _check_limits(solver, complaints)


def _check_status(solver: SolverReport, complaints: Complaints) -> None:
    check, status = "status", solver.status
    complaints.open(check, f"{status.value}, stopped by {solver.stop_reason.value}")
    closed = solver.objective == solver.bound and solver.shortfall == solver.shortfall_bound
    complaints.require(
        check,
        closed == (status is Status.OPTIMAL),
        f"{status.value}, with objective {solver.objective} of {solver.bound} and shortfall "
        f"{solver.shortfall} of {solver.shortfall_bound}",
    )
    complaints.require(
        check,
        solver.stop_reason in OUTCOMES[status],
        f"{status.value} does not go with the stop reason {solver.stop_reason.value}",
    )
    complaints.require(check, solver.engine in ENGINES, f"no engine is called {solver.engine!r}")
    complaints.require(
        check,
        (solver.engine in HEURISTICS) == (solver.stop_reason is StopReason.HEURISTIC_END)
        and (solver.engine in IN_FLOATS or solver.stop_reason is not StopReason.TOLERANCE),
        f"engine {solver.engine} does not go with the stop reason {solver.stop_reason.value}",
    )
    proof = solver.certificate
    complaints.require(
        check,
        solver.engine not in IN_FLOATS or proof is None or solver.bound == proof.bound,
        f"engine {solver.engine} proves no bound, so {solver.bound} should be the certificate's",
    )
    if status is Status.WITHIN_GAP:
        limit = _number(solver.limits.get("gap"))
        complaints.require(
            check,
            limit is not None and solver.gap <= limit and solver.shortfall == solver.shortfall_bound,
            f"within_gap, with gap {solver.gap} and limits.gap {solver.limits.get('gap')}",
        )


def _check_limits(solver: SolverReport, complaints: Complaints) -> None:
    check = "limits"
    complaints.open(check, "limits, seed and workers are such as can be given")
    for name, limit in solver.limits.items():
        number = _number(limit)
        complaints.require(
            check, number is not None and number >= 0, f"limits.{name} is {limit!r}, should be a number >= 0"
        )
    name = LIMIT_OF.get(solver.stop_reason, "")
    complaints.require(
        check,
        not name or name in solver.limits,
        f"stopped by {solver.stop_reason.value} without limits.{name}",
    )
    cut_short = solver.stop_reason in (StopReason.WALL_CLOCK, StopReason.INTERRUPT)
    complaints.require(
        check,
        not (cut_short and solver.reproducible and solver.status is not Status.OPTIMAL),
        "a run that a clock or a person ended is called reproducible",
    )
    complaints.require(check, "satchel" in solver.versions, "versions does not name satchel")
    complaints.require(check, 0 <= solver.seed < 2**31, f"seed is {solver.seed}")
    complaints.require(check, solver.workers >= 1, f"workers is {solver.workers}")


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
