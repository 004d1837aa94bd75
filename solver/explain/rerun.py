"""A changed problem, solved from where another one ended: what enters, leaves and changes its form."""

from __future__ import annotations

import time

import numpy as np

from ...models import PackedContext, Problem
from ..backends.interruptible import listening
from ..compile import compile_problem
from ..options import SolveOptions
from ..search import Warm
from ..solve import context_of, searched, solve
from ..state import NONE
from .demand import near
from .solved import Solved, choice_of, places_of


def rerun(solved: Solved, problem: Problem, options: SolveOptions | None = None) -> PackedContext:
    """Return the artifact of ``problem``, which resembles the solved one: the same as a fresh solve's pack.

    Raises as :func:`..solve.solve`. Only the multipliers of the certificate may be others than a fresh
    solve's: several prove the same bound.
    """
    options = options or solved.options
    pricing = problem.pricing
    if pricing is not None and pricing.decides:
        return solve(problem, options)
    with listening():
        started = time.monotonic()
        c = compile_problem(problem)
        around = choice_of(c, places_of(solved.c, solved.pack.choice))
        for unit in np.flatnonzero(c.required & (around == NONE)).tolist():
            around = near(c, around, unit)
        return context_of(searched(c, options, started, 0.0, warm=Warm(around, solved.basis)))
