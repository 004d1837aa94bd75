"""Our own solve, under the same clock as the others."""

from __future__ import annotations

from ...models import InfeasibleError, Problem, Status, StoppedError, StopReason
from ..options import Progress, SolveOptions
from ..solve import solve
from .result import EngineStatus, Found, Run

_STATUS = {
    Status.OPTIMAL: EngineStatus.OPTIMAL,
    Status.WITHIN_GAP: EngineStatus.WITHIN_GAP,
    Status.FEASIBLE: EngineStatus.FEASIBLE,
    Status.HEURISTIC: EngineStatus.HEURISTIC,
}


def satchel(problem: Problem, run: Run) -> Found:
    """Solve ``problem`` as ``satchel solve`` does: canonical answer, artifact and check included."""

    def report(progress: Progress) -> None:
        run.stage = progress.stage
        run.note(progress.objective, progress.bound)

    options = SolveOptions(
        solver="cp-sat",
        time_limit=run.time_limit,
        gap=run.gap,
        seed=run.seed,
        workers=run.workers,
        on_progress=report,
    )
    try:
        context = solve(problem, options)
    except InfeasibleError as error:
        if error.code == "no_pack_found":
            return Found(EngineStatus.NO_ANSWER, note=error.message)
        raise
    except StoppedError as error:
        return Found(EngineStatus.NO_ANSWER, interrupted=True, note=error.message)
    answer = context.solver
    run.note(answer.objective, answer.bound)
    return Found(
        _STATUS[answer.status],
        answer.objective,
        answer.bound,
        answer.shortfall,
        answer.scale,
        {unit.id: unit.rung for unit in context.accepted_units},
        answer.stop_reason is StopReason.INTERRUPT,
    )
