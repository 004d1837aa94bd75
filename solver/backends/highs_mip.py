"""HiGHS as a MIP solver on the whole program, for comparison."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..linear import Linear
from .cpsat import Answer, Limits
from .floats import (
    WHOLE_GAP,
    OnPoint,
    nearest,
    whole_bound,
    whole_columns,
    whole_objective,
)
from .highs import program, quiet
from .interruptible import run_interruptible


def maximise(linear: Linear, limits: Limits, on_point: OnPoint) -> Answer:
    """Maximise the objective of ``linear`` by branch and cut (Huangfu and Hall 2018; HiGHS MIP)."""
    import highspy

    # Its threads are one pool per process, whose size cannot change while it lives.
    highspy.Highs.resetGlobalScheduler(True)
    highs = quiet(highspy)
    base: Any = super(highspy.Highs, highs)
    highs.setOptionValue("log_to_console", False)
    highs.setOptionValue("threads", limits.workers)
    highs.setOptionValue("random_seed", limits.seed)
    highs.setOptionValue("mip_rel_gap", limits.gap)
    highs.setOptionValue("mip_abs_gap", WHOLE_GAP)
    if limits.seconds is not None:
        highs.setOptionValue("time_limit", max(0.0, limits.seconds))
    highs.passModel(_model(highspy, linear))
    stopped = False

    def stop() -> None:
        nonlocal stopped
        stopped = True

    kinds = highspy.cb.HighsCallbackType
    points = {int(kinds.kCallbackMipImprovingSolution), int(kinds.kCallbackMipLogging)}

    def event(kind: int, _message: str, out: Any, into: Any, _data: object) -> None:
        if int(kind) in points:
            on_point(whole_objective(-out.mip_primal_bound), whole_bound(-out.mip_dual_bound))
        elif stopped and into is not None:
            into.user_interrupt = True

    base.setCallback(event, None)
    for kind in (*sorted(points), int(kinds.kCallbackMipInterrupt), int(kinds.kCallbackSimplexInterrupt)):
        base.startCallbackInt(kind)
    interrupted = run_interruptible(base.run, stop)
    return _answer(highspy, highs, interrupted)


def _model(highspy: Any, linear: Linear) -> Any:
    model = program(highspy, linear)
    whole, real = highspy.HighsVarType.kInteger, highspy.HighsVarType.kContinuous
    model.integrality_ = [whole if is_whole else real for is_whole in whole_columns(linear).tolist()]
    return model


def _answer(highspy: Any, highs: Any, interrupted: bool) -> Answer:
    status, info = highs.getModelStatus(), highs.getInfo()
    states = highspy.HighsModelStatus
    if status in (states.kInfeasible, states.kUnboundedOrInfeasible):
        return Answer("infeasible", None, None, 0.0, interrupted)
    bound = whole_bound(-info.mip_dual_bound)
    if info.primal_solution_status != int(highspy.SolutionStatus.kSolutionStatusFeasible):
        return Answer("unknown", None, bound, 0.0, interrupted)
    columns = nearest(np.array(highs.getSolution().col_value, dtype=np.float64))
    return Answer("optimal" if status == states.kOptimal else "feasible", columns, bound, 0.0, interrupted)
