"""Solving as the public face offers it: a rule that contradicts itself is explained like any other clash."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from .models import InfeasibleError, PackedContext, Problem
from .solver.backends.interruptible import listening
from .solver.options import SolveOptions
from .solver.rules import explain_rules
from .solver.solve import solve as search

__all__ = ["listening", "solve"]

if TYPE_CHECKING:
    from .solver.engines import EngineSpec


def solve(
    problem: Problem, options: SolveOptions | None = None, *, engine: str | None = None
) -> PackedContext:
    """Choose the units and rungs of greatest value within the problem's hard limits.

    Parameters
    ----------
    engine
        One of :func:`engines` that solves instead of Satchel's own search, for comparison. The artifact names
        it, and claims only what plain integers bear out.

    Raises
    ------
    InfeasibleError
        No pack satisfies the hard constraints: ``data`` holds a minimal ``conflict``, ``relaxations`` that
        work, and the smallest budget where one helps; or, with ``no_pack_found``, none was found in time.
    SatchelError
        As :func:`satchel.solver.solve.solve`.
    """
    options = options or SolveOptions()
    started = time.monotonic()
    try:
        if engine is not None:
            from .solver.engines.artifact import solve_by

            return solve_by(engine, problem, options)
        return search(problem, options)
    except InfeasibleError as error:
        raise explain_rules(
            problem, error, seed=options.seed, seconds=seconds_left(options, started)
        ) from None


def engines() -> tuple[EngineSpec, ...]:
    """Return the engines that :func:`solve` can be told to use, our own first."""
    from .solver.engines import ENGINES

    return tuple(ENGINES.values())


def seconds_left(options: SolveOptions, started: float) -> float | None:
    """Return what the time limit leaves of a run that ``started`` then, or None without one."""
    limit = options.time_limit
    return None if limit is None else max(0.0, limit - (time.monotonic() - started))
