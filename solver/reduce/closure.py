"""What each unit needs, directly or through others, and at which rungs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..compile import Bools, Compiled, Ints

LARGEST = 64
"""A unit that needs more than so many others, all told, is left out of the closure: each row that rests on it
would be long, and chains of thousands would make the closure quadratic. What is left out is not wrong, only
not strengthened."""

BITS = 62
"""Rungs of one unit that a mask tells apart; those beyond share its last bit, which only weakens a row."""


@dataclass(frozen=True)
class Closure:
    """Pairs of units: ``unit[i]`` can only be in together with ``target[i]``, at a rung in ``mask[i]``.

    Bit ``r`` of a mask stands for the target's rung ``r``. Sorted by unit, then target.
    """

    unit: Ints
    target: Ints
    mask: Ints

    @classmethod
    def of(cls, c: Compiled) -> Closure:
        """Follow the dependencies of every unit that has any.

        A target reached through several units has to satisfy each of them: the masks are intersected, and
        every edge into it counts, from whatever unit of the closure.
        """
        direct = _direct(c)
        needs: dict[int, list[tuple[int, int]]] = {}
        for u, v, mask in zip(c.dep_unit.tolist(), c.dep_target.tolist(), direct.tolist(), strict=True):
            needs.setdefault(u, []).append((v, mask))
        units: list[int] = []
        targets: list[int] = []
        masks: list[int] = []
        for u in sorted(needs):
            found = _follow(u, needs)
            units += [u] * len(found)
            for v in sorted(found):
                targets.append(v)
                masks.append(found[v])
        return cls(_ints(units), _ints(targets), _ints(masks))

    def of_unit(self, unit: int) -> tuple[Ints, Ints]:
        """Return the targets of ``unit`` and their masks."""
        a, b = np.searchsorted(self.unit, [unit, unit + 1])
        return self.target[a:b], self.mask[a:b]


def _ints(numbers: list[int]) -> Ints:
    return np.array(numbers, dtype=np.int64)


def _follow(u: int, needs: dict[int, list[tuple[int, int]]]) -> dict[int, int]:
    """Return what ``u`` needs besides itself, with masks; nothing where that is too much."""
    found: dict[int, int] = {}
    waiting = [u]
    while waiting:
        for v, mask in needs.get(waiting.pop(), ()):
            if v in found:
                found[v] &= mask
            elif v != u:
                found[v] = mask
                waiting.append(v)
                if len(found) > LARGEST:
                    return {}
    return found


def _direct(c: Compiled) -> Ints:
    """Return the rungs that satisfy each dependency as a mask."""
    edge = np.repeat(np.arange(len(c.dep_unit), dtype=np.int64), np.diff(c.dep_start))
    place = np.minimum(c.dep_rungs - c.rung_start[c.dep_target[edge]], BITS - 1)
    masks = np.zeros(len(c.dep_unit), dtype=np.int64)
    np.bitwise_or.at(masks, edge, np.int64(1) << place)
    return masks


def in_mask(c: Compiled, rungs: Ints, masks: Ints) -> Bools:
    """Return whether each of ``rungs`` is in the mask given for it."""
    place = np.minimum(rungs - c.rung_start[c.rung_unit[rungs]], BITS - 1)
    return np.asarray((masks >> place) & 1 > 0)
