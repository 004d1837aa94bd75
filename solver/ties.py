"""The canonical answer: among packs of equal value the one with fewest tokens, then the first in unit order.

CP-SAT returns any of several equal packs, and which one changes with workers and versions, so the choice is
made here, in a second stage with limits of its own (design §3). "First in unit order" compares unit by unit,
in order of ids: a unit that is in goes before one that is out, a fuller rung before a shorter one.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import numpy as np

from .backends.cpsat import Answer, CpSat, Limits
from .compile import EXACT, Compiled, Ints
from .linear import UNBOUNDED, Linear
from .restrict import Restricted

DIGITS = 2**48
"""Room for the weights of one block of units: keeps the stage's objective exact in a double."""


def canonical(
    c: Compiled,
    small: Restricted,
    columns: Ints,
    objective: int,
    limits: Callable[[float], Limits],
    work: float,
) -> tuple[Ints, bool]:
    """Return the canonical choice among the packs worth ``objective``, and whether it is proven to be it.

    Parameters
    ----------
    small
        A program that holds every pack worth ``objective`` (here without what held columns add) or more.
    columns
        A pack worth ``objective``, in the columns of ``small``.
    limits
        Returns the limits of a solve of so much work at most.
    work
        What all solves together may spend, in units of CP-SAT's deterministic time.
    """
    linear = small.linear
    if linear.columns == 0:
        return columns, True
    size = int(linear.tokens @ columns)
    rival = _best_other(linear, columns, objective, size, c.available + 1, limits(work))
    if rival is None:
        return columns, False
    if rival.found == "infeasible" or (rival.bound is not None and rival.bound < 0):
        return columns, True  # every other pack is worth less, or as much with more tokens
    if rival.columns is None or rival.found != "optimal":
        return columns, False
    # Another pack is as good: from here on all that are as good are compared.
    columns = rival.columns
    model = CpSat(linear)
    worth, sized = np.flatnonzero(linear.objective), np.flatnonzero(linear.tokens)
    if len(worth):
        model.add_row(worth.tolist(), linear.objective[worth].tolist(), objective, UNBOUNDED)
    if len(sized):
        fewest = int(linear.tokens @ columns)
        model.add_row(sized.tolist(), linear.tokens[sized].tolist(), -UNBOUNDED, fewest)
    return _first_in_order(c, small, model, columns, limits, work - rival.deterministic_time)


def _best_other(
    linear: Linear, columns: Ints, objective: int, size: int, factor: int, limits: Limits
) -> Answer | None:
    """Find the best pack that differs from ``columns`` in a rung: most value, then fewest tokens.

    One solve answers most cases: usually every other pack is worth less. Value is not asked for as a row,
    which would weaken the relaxation, but as the aim ``factor * (value - objective) - (tokens - size)``:
    its bound falls below 0 when no other pack is as good. None where that would not be exact.
    """
    aim = linear.objective * factor - linear.tokens
    base = factor * objective - size
    if float(np.abs(aim).sum()) + abs(base) >= EXACT:
        return None
    model = CpSat(linear)
    model.other_than(columns)
    model.maximise(aim)
    model.at_least(base)
    answer = model.solve(limits, enough=base)
    bound = None if answer.bound is None else answer.bound - base
    return dataclasses.replace(answer, bound=bound)


def _first_in_order(
    c: Compiled,
    small: Restricted,
    model: CpSat,
    columns: Ints,
    limits: Callable[[float], Limits],
    work: float,
) -> tuple[Ints, bool]:
    """Settle the units block by block, each block by one solve whose weights are positional digits."""
    for block in _blocks(c, small):
        if work <= 0:
            return columns, False
        weights = np.zeros(model.linear.columns, dtype=np.int64)
        place = 1
        for rungs in reversed(block):
            for position, column in enumerate(rungs):
                weights[column] = place * (len(rungs) - position)
            place *= len(rungs) + 1
        model.maximise(weights)
        model.hint(columns)
        answer = model.solve(limits(work))
        work -= answer.deterministic_time
        if answer.columns is None or answer.found != "optimal":
            return columns, False
        columns = answer.columns
        for column in (column for rungs in block for column in rungs):
            model.fix(column, int(columns[column]))
    return columns, True


def _blocks(c: Compiled, small: Restricted) -> list[list[list[int]]]:
    """Return the free rung columns by unit, in canonical order, cut into blocks that fit one objective."""
    by_unit: dict[int, list[int]] = {}
    for column, rung in enumerate(small.free[: small.linear.m].tolist()):
        by_unit.setdefault(int(c.rung_unit[rung]), []).append(column)
    blocks: list[list[list[int]]] = []
    room = 0
    for unit in sorted(by_unit):
        size = len(by_unit[unit]) + 1
        if room < size:
            blocks.append([])
            room = DIGITS
        blocks[-1].append(by_unit[unit])
        room //= size
    return blocks
