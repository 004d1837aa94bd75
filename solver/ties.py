"""The canonical answer: among packs of equal value the one with fewest tokens, then the first in unit order.

CP-SAT returns any of several equal packs, and which one changes with workers and versions, so the choice is
made here, in a second stage with limits of its own (design §3). "First in unit order" compares unit by unit,
in order of ids: a unit that is in goes before one that is out, a fuller rung before a shorter one.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .backends.cpsat import Answer, CpSat, Limits
from .compile import Compiled, Ints
from .linear import UNBOUNDED

DIGITS = 2**48
"""Room for the weights of one block of units: keeps the stage's objective exact in a double."""


def canonical(
    c: Compiled, model: CpSat, columns: Ints, objective: int, limits: Callable[[], Limits]
) -> tuple[Ints, bool]:
    """Return the canonical choice among the packs worth ``objective``, and whether it is proven to be it.

    Parameters
    ----------
    columns
        A pack worth ``objective``, all columns of the model.
    limits
        Returns what is left for the next solve.
    """
    linear = model.linear
    worth = np.flatnonzero(linear.objective)
    model.add_row(worth.tolist(), linear.objective[worth].tolist(), objective, UNBOUNDED)
    tokens = np.arange(c.m, dtype=np.int64)
    model.maximise(-linear.tokens)
    answer = _improve(model, columns, limits())
    if answer.columns is None or answer.found != "optimal":
        return columns, False
    columns = answer.columns
    fewest = int(linear.tokens @ columns)
    model.add_row(tokens.tolist(), c.tokens.tolist(), -UNBOUNDED, fewest)
    if not _has_other(model, c, columns, limits()):
        return columns, True
    return _first_in_order(c, model, columns, limits)


def _improve(model: CpSat, columns: Ints, limits: Limits) -> Answer:
    model.hint(columns)
    return model.solve(limits)


def _has_other(model: CpSat, c: Compiled, columns: Ints, limits: Limits) -> bool:
    """Whether another choice of rungs satisfies the model, or might: False only when none is proven to."""
    other = model.fork()
    chosen = columns[: c.m]
    # At least one rung differs: sum over chosen of (1 - x) + sum over the others of x >= 1.
    signs = np.where(chosen > 0, -1, 1)
    other.add_row(list(range(c.m)), signs.tolist(), 1 - int(chosen.sum()), UNBOUNDED)
    other.maximise(np.zeros(model.linear.columns, dtype=np.int64))
    return other.solve(limits).found != "infeasible"


def _first_in_order(
    c: Compiled, model: CpSat, columns: Ints, limits: Callable[[], Limits]
) -> tuple[Ints, bool]:
    """Settle the units block by block, each block by one solve whose weights are positional digits."""
    for block in _blocks(c):
        weights = np.zeros(model.linear.columns, dtype=np.int64)
        place = 1
        for u in reversed(block):
            rungs = c.rungs_of(u)
            for position, rung in enumerate(rungs):
                weights[rung] = place * (len(rungs) - position)
            place *= len(rungs) + 1
        model.maximise(weights)
        answer = _improve(model, columns, limits())
        if answer.columns is None or answer.found != "optimal":
            return columns, False
        columns = answer.columns
        for u in block:
            for rung in c.rungs_of(u):
                model.fix(rung, int(columns[rung]))
    return columns, True


def _blocks(c: Compiled) -> list[list[int]]:
    blocks: list[list[int]] = []
    room = 0
    for u in range(c.n):
        size = len(c.rungs_of(u)) + 1
        if room < size:
            blocks.append([])
            room = DIGITS
        blocks[-1].append(u)
        room //= size
    return blocks
