"""What a unit that was left out stands behind: units of the pack that say as much, or beat it outright."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..compile import Compiled, Ints
from ..state import NONE


@dataclass(frozen=True)
class Rivals:
    """Ids of units of the pack.

    ``redundant`` share a group with the unit; ``covering`` cover all that it covers, where that is full;
    ``dominating`` are of its zone, worth as much or more in as few tokens or fewer, and cover as much.
    """

    redundant: tuple[str, ...]
    covering: tuple[str, ...]
    dominating: tuple[str, ...]


def rivals_of(c: Compiled, choice: Ints, unit: int) -> Rivals:
    """Return the rivals of ``unit`` in the pack ``choice``; none where it is in itself."""
    if choice[unit] != NONE:
        return Rivals((), (), ())
    inside = np.flatnonzero(choice != NONE)
    return Rivals(
        _names(c, _grouped(c, choice, unit)),
        _names(c, _covering(c, choice, unit)),
        _names(c, {other for other in inside.tolist() if _dominates(c, int(choice[other]), unit)}),
    )


def _names(c: Compiled, units: set[int]) -> tuple[str, ...]:
    return tuple(c.ids[unit] for unit in sorted(units))


def _grouped(c: Compiled, choice: Ints, unit: int) -> set[int]:
    """Return the members of the unit's groups that the pack holds: hard groups and those with a penalty."""
    found: set[int] = set()
    for units in [*(clique.units for clique in c.cliques), *(group.units for group in c.soft)]:
        if unit in units:
            found.update(other for other in units.tolist() if choice[other] != NONE)
    return found


def _covering(c: Compiled, choice: Ints, unit: int) -> set[int]:
    """Return what covers the unit's dimensions, where they are so full that it would add nothing to any."""
    covers = list(c.layout.covers(int(c.rung_start[unit])))
    amounts = c.flat.amounts(choice)
    full = c.flat.full
    if not covers or any(amounts[d] < full[d] for d, _ in covers):
        return set()
    wanted = {d for d, _ in covers}
    return {
        other
        for other in np.flatnonzero(choice != NONE).tolist()
        if wanted <= {d for d, amount in c.layout.covers(int(choice[other])) if amount > 0}
    }


def _dominates(c: Compiled, rung: int, unit: int) -> bool:
    """Whether ``rung`` is no worse than any form of ``unit`` in value, tokens and coverage, in one zone."""
    other = int(c.rung_unit[rung])
    if c.standings[other].zone.name != c.standings[unit].zone.name:
        return False
    rungs = c.rungs_of(unit)
    span = slice(rungs.start, rungs.stop)
    if c.tokens[rung] > c.tokens[span].min() or c.values[rung] < c.values[span].max():
        return False
    mine = dict(c.layout.covers(rung))
    return all(mine.get(d, 0) >= amount for r in rungs for d, amount in c.layout.covers(r))
