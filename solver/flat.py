"""What ties units together, as flat arrays: what vectorised methods read of a compiled problem."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .compile import Bools, Compiled, Ints


class Flat:
    """Coverage, groups and dependencies of ``c`` as entries, with the sums that a choice of rungs gives.

    ``cover_dim``, ``cover_rung`` and ``cover_amount`` are the entries of all dimensions;
    ``cover_first`` is the entry of the same unit's fullest rung in the same dimension. ``gains[d, k]`` is
    what a unit of amount earns in the (k+1)-th full cover, ``sums[d, k]`` what the first ``k`` covers earn.
    ``limit[e]`` is the first rung of ``dep_target[e]`` that is too short for dependency ``e``, where the
    fuller ones all will do (``straight``).
    """

    def __init__(self, c: Compiled) -> None:
        self.c = c
        self.cover_rung = _joined([cover.rungs for cover in c.covers])
        self.cover_amount = _joined([cover.amounts for cover in c.covers])
        self.cover_dim = _owners([len(cover.rungs) for cover in c.covers])
        entry = np.arange(len(self.cover_rung), dtype=np.int64)
        self.cover_unit = c.rung_unit[self.cover_rung]
        self.cover_first = entry - (self.cover_rung - c.rung_start[self.cover_unit])
        longest = max((len(cover.gains) for cover in c.covers), default=0)
        self.gains = np.zeros((len(c.covers), longest + 1), dtype=np.int64)
        for d, cover in enumerate(c.covers):
            self.gains[d, : len(cover.gains)] = cover.gains
        full = np.cumsum(self.gains, axis=1) * c.amount_scale
        self.sums = np.concatenate([np.zeros((len(c.covers), 1), dtype=np.int64), full[:, :-1]], axis=1)
        # No gain can come from here on: a dimension is full at its last cover that earns something.
        self.full = (self.gains > 0).sum(axis=1) * c.amount_scale
        self.clique_unit = _joined([clique.units for clique in c.cliques])
        self.clique = _owners([len(clique.units) for clique in c.cliques])
        self.clique_k = np.array([clique.k for clique in c.cliques], dtype=np.int64)
        self.soft_unit = _joined([group.units for group in c.soft])
        self.soft = _owners([len(group.units) for group in c.soft])
        self.soft_price = np.array([group.price for group in c.soft], dtype=np.int64)
        sizes = np.diff(c.dep_start)
        self.limit = c.rung_start[c.dep_target] + sizes
        deepest = np.full(len(sizes), -1, dtype=np.int64)
        some = sizes > 0
        deepest[some] = c.dep_rungs[c.dep_start[1:][some] - 1]
        self.straight: Bools = ~some | (deepest == self.limit - 1)

    def zone_used(self, choice: Ints) -> Ints:
        """Return the tokens in each zone row."""
        tokens = held_of(choice, self.c.tokens)
        return np.array([int(tokens[zone.units].sum()) for zone in self.c.zones], dtype=np.int64)

    def amounts(self, choice: Ints) -> Ints:
        """Return the amount of each dimension."""
        held = choice[self.cover_unit] == self.cover_rung
        return _tally(self.cover_dim[held], self.cover_amount[held], len(self.c.covers))

    def earned(self, dims: Ints, amounts: Ints) -> Ints:
        """Return what ``amounts`` of ``dims`` earn: concave, each full cover at its own gain."""
        covers = np.minimum(amounts // self.c.amount_scale, self.gains.shape[1] - 1)
        rest = amounts - covers * self.c.amount_scale
        earned: Ints = self.sums[dims, covers] + self.gains[dims, covers] * rest
        return earned

    def members(self, choice: Ints, groups: Ints, units: Ints, count: int) -> Ints:
        """Return how many of the ``units`` of each of ``count`` groups are in."""
        return np.bincount(groups[choice[units] >= 0], minlength=count).astype(np.int64)

    def objective(self, choice: Ints) -> int:
        """Return the scaled objective of ``choice``."""
        c = self.c
        total = int(held_of(choice, c.values).sum())
        every = np.arange(len(c.covers), dtype=np.int64)
        total += int(self.earned(every, self.amounts(choice)).sum())
        more = np.maximum(self.members(choice, self.soft, self.soft_unit, len(c.soft)) - 1, 0)
        total -= int((self.soft_price * more).sum())
        for zone, used in zip(c.zones, self.zone_used(choice).tolist(), strict=True):
            total -= zone.price * max(0, used - zone.target)
        return total


def held_of(choice: Ints, numbers: Ints) -> Ints:
    """Return ``numbers`` (per rung) of the rung that each unit holds, 0 where it is out."""
    if len(numbers) == 0:
        return np.zeros(len(choice), dtype=np.int64)
    return np.where(choice >= 0, numbers[choice], 0)


def _joined(parts: list[Ints]) -> Ints:
    return np.concatenate(parts) if parts else np.zeros(0, dtype=np.int64)


def _owners(sizes: list[int]) -> Ints:
    return np.repeat(np.arange(len(sizes), dtype=np.int64), sizes)


def _tally(keys: Ints, amounts: Ints, count: int) -> Ints:
    """Return the exact sum of ``amounts`` by key."""
    sums: NDArray[np.int64] = np.zeros(count, dtype=np.int64)
    np.add.at(sums, keys, amounts)
    return sums
