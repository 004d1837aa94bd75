"""What constructive methods read of a compiled problem, as Python lists made once.

Lists instead of arrays: these methods read single numbers, where lists are several times faster.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from .compile import Compiled


class Layout:
    """The structure of a problem by unit and by rung.

    ``cover_start[r]:cover_start[r + 1]`` are the entries of rung ``r`` in ``cover_dim`` and ``cover_amount``.
    ``needs[u]`` are (unit, rungs that will do); ``needed_by``, ``cliques_of``, ``soft_of`` and ``counts_of``
    (the required dimensions that a unit counts for) hold entries only for units that have any. ``crooked``
    are units whose fuller rungs may be too short for what needs them.
    """

    def __init__(self, c: Compiled) -> None:
        self.tokens: list[int] = c.tokens.tolist()
        self.values: list[int] = c.values.tolist()
        self.zone: list[int] = c.unit_zone.tolist()
        self.start: list[int] = c.rung_start.tolist()
        self.rung_unit: list[int] = c.rung_unit.tolist()
        self.gains: list[list[int]] = [cover.gains.tolist() for cover in c.covers]
        # What the first k full covers of a dimension add up to, times the amount of a full cover.
        self.gain_sums: list[list[int]] = [
            [0, *(c.amount_scale * total for total in accumulate(gains))] for gains in self.gains
        ]
        # What each rung costs where that is limited, and which units count towards a cached prefix.
        self.costs: list[int] | None = None
        self.prefix: frozenset[int] = frozenset()
        if c.priced is not None:
            self.costs = None if c.priced.most is None else c.priced.costs.tolist()
            self.prefix = frozenset(c.priced.prefix.tolist())
        self.dear: list[float] | None = None
        if c.priced is not None and c.priced.dear is not None:
            self.dear = c.priced.dear.tolist()
        self._cover(c)
        self.counts_of = _membership(cover.units.tolist() if cover.required else () for cover in c.covers)
        self.cliques_of = _membership(clique.units.tolist() for clique in c.cliques)
        self.soft_of = _membership(group.units.tolist() for group in c.soft)
        self.needs: dict[int, list[tuple[int, list[int]]]] = defaultdict(list)
        self.needed_by: dict[int, list[int]] = defaultdict(list)
        # Units with a rung that is too short for a user above one that will do.
        self.crooked = set(c.dep_target[~c.flat.straight].tolist())
        starts, rungs = c.dep_start.tolist(), c.dep_rungs.tolist()
        for e, (u, v) in enumerate(zip(c.dep_unit.tolist(), c.dep_target.tolist(), strict=True)):
            self.needs[u].append((v, rungs[starts[e] : starts[e + 1]]))
            self.needed_by[v].append(u)

    def _cover(self, c: Compiled) -> None:
        rungs = np.concatenate([cover.rungs for cover in c.covers] or [np.zeros(0, dtype=np.int64)])
        sizes = [len(cover.rungs) for cover in c.covers]
        dims = np.repeat(np.arange(len(sizes), dtype=np.int64), sizes)
        amounts = np.concatenate([cover.amounts for cover in c.covers] or [np.zeros(0, dtype=np.int64)])
        order = np.lexsort((dims, rungs))
        counts = np.bincount(rungs, minlength=c.m) if len(rungs) else np.zeros(c.m, dtype=np.int64)
        self.cover_start: list[int] = np.concatenate([[0], np.cumsum(counts)]).tolist()
        self.cover_dim: list[int] = dims[order].tolist()
        self.cover_amount: list[int] = amounts[order].tolist()

    def covers(self, rung: int) -> Iterable[tuple[int, int]]:
        """Return (dimension, amount) of what ``rung`` covers."""
        first, last = self.cover_start[rung], self.cover_start[rung + 1]
        if first == last:
            return ()
        return zip(self.cover_dim[first:last], self.cover_amount[first:last], strict=True)


def _membership(groups: Iterable[Sequence[int]]) -> dict[int, list[int]]:
    of: dict[int, list[int]] = defaultdict(list)
    for g, units in enumerate(groups):
        for unit in units:
            of[unit].append(g)
    return of
