"""Solving as the public face offers it: a rule that contradicts itself is explained like any other clash."""

from __future__ import annotations

import time

from .models import InfeasibleError, PackedContext, Problem
from .solver.options import SolveOptions
from .solver.rules import explain_rules
from .solver.solve import solve as search


def solve(problem: Problem, options: SolveOptions | None = None) -> PackedContext:
    """Choose the units and rungs of greatest value within the problem's hard limits.

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
        return search(problem, options)
    except InfeasibleError as error:
        raise explain_rules(
            problem, error, seed=options.seed, seconds=seconds_left(options, started)
        ) from None


def seconds_left(options: SolveOptions, started: float) -> float | None:
    """Return what the time limit leaves of a run that ``started`` then, or None without one."""
    limit = options.time_limit
    return None if limit is None else max(0.0, limit - (time.monotonic() - started))
