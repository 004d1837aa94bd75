"""One more demand on a pack, as a change of the compiled problem: a unit in, out, or at one of its forms."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

import numpy as np

from ..compile import Compiled, Ints
from ..state import NONE, State


def taken_in(c: Compiled, unit: int, rungs: Iterable[int] | None = None) -> Compiled:
    """Return ``c`` whose packs hold ``unit``, at one of ``rungs`` where they are given."""
    required = c.required.copy()
    required[unit] = True
    changed = dataclasses.replace(c, required=required)
    if rungs is None:
        return changed
    kept = set(rungs)
    return closed(changed, [rung for rung in c.rungs_of(unit) if rung not in kept])


def taken_out(c: Compiled, unit: int) -> Compiled:
    """Return ``c`` whose packs do not hold ``unit``, whether it was required or not."""
    required = c.required.copy()
    required[unit] = False
    return closed(dataclasses.replace(c, required=required), c.rungs_of(unit))


def closed(c: Compiled, rungs: Iterable[int]) -> Compiled:
    """Return ``c`` where ``rungs`` are too large for any pack; the program keeps its rows and columns."""
    shut = np.array(sorted(rungs), dtype=np.int64)
    tokens = c.tokens.copy()
    tokens[shut] = c.available + 1
    return dataclasses.replace(c, tokens=tokens)


def shrunk(c: Compiled, rung: int, tokens: int) -> Compiled:
    """Return ``c`` where ``rung`` takes ``tokens``."""
    sizes = c.tokens.copy()
    sizes[rung] = tokens
    return dataclasses.replace(c, tokens=sizes)


def near(c: Compiled, choice: Ints, unit: int, rungs: Iterable[int] | None = None) -> Ints:
    """Return ``choice`` with ``unit`` in it, and all that it needs, whether there is room or not."""
    state = State.of(c, choice)
    for rung in sorted(c.rungs_of(unit) if rungs is None else rungs, key=lambda r: (state.tokens[r], r)):
        changes = state.closure(unit, rung)
        if changes is not None:
            around = choice.copy()
            for changed, reached in changes.items():
                around[changed] = reached
            return around
    return choice


def apart(c: Compiled, choice: Ints, unit: int) -> Ints:
    """Return ``choice`` without ``unit`` and what needs it."""
    around, queue = choice.copy(), [unit]
    while queue:
        gone = queue.pop()
        if around[gone] == NONE:
            continue
        around[gone] = NONE
        queue += c.layout.needed_by.get(gone, ())
    return around
