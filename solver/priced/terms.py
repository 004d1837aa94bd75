"""What prices say of a finished pack: what it costs, and which units they keep out of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...models import Objective, PackedCost
from ..compile import Bools, Compiled
from ..state import State
from .cases import stable_units, tokens_of
from .tariff import MILLION, Tariff, micro


@dataclass(frozen=True)
class Terms:
    """A pack of ``stable`` and ``volatile`` tokens under prices that decide, with the value of ``state``."""

    tariff: Tariff
    state: State
    is_stable: Bools
    stable: int
    volatile: int

    @classmethod
    def of(cls, c: Compiled, state: State) -> Terms | None:
        """Return the terms of the pack in ``state``, or None where prices decide nothing."""
        if c.problem.pricing is None or not c.problem.pricing.decides:
            return None
        stable, volatile = tokens_of(c, np.array(state.choice, dtype=np.int64))
        return cls(Tariff.of(c.problem), state, stable_units(c), stable, volatile)

    @property
    def words(self) -> str:
        """What amounts are in."""
        return f"millionths of {self.tariff.pricing.currency}"

    @property
    def cost(self) -> int:
        """The cost of the pack."""
        return self.tariff.cost(self.stable, self.volatile)

    def with_rung(self, unit: int, rung: int) -> int:
        """Return the cost of the pack with ``unit``, which is not in it, at ``rung``."""
        tokens = self.state.tokens[rung]
        if self.is_stable[unit]:
            return self.tariff.cost(self.stable + tokens, self.volatile)
        return self.tariff.cost(self.stable, self.volatile + tokens)

    def affordable(self, unit: int, rungs: Sequence[int]) -> tuple[list[int], dict[str, Any]]:
        """Return the ``rungs`` within the limit; for none, what the cheapest needs and what is left."""
        limit = self.tariff.limit
        costs = {rung: self.with_rung(unit, rung) for rung in rungs}
        within = [rung for rung in rungs if limit is None or costs[rung] <= limit]
        if within or limit is None:
            return within, {}
        more = min(costs.values()) - self.cost
        return [], {"needs": -(-more // MILLION), "left": (limit - self.cost) // MILLION}

    def dear(self, unit: int, rungs: Sequence[int], gains: Sequence[int]) -> dict[str, Any] | None:
        """Return gain and cost of the rung that gains most, where none brings more value per cost."""
        if self.tariff.pricing.objective is Objective.VALUE:
            return None
        value, cost = self.state.objective, self.cost
        for rung, gain in zip(rungs, gains, strict=True):
            if (value + gain) * cost > value * self.with_rung(unit, rung):
                return None
        best = max(range(len(rungs)), key=lambda i: gains[i])
        return {"gain": gains[best], "cost": micro(self.with_rung(unit, rungs[best]) - cost)}


def packed_cost(c: Compiled, state: State) -> PackedCost | None:
    """Return what the pack in ``state`` costs, where the problem states prices."""
    if c.problem.pricing is None:
        return None
    return Tariff.of(c.problem).packed(*tokens_of(c, np.array(state.choice, dtype=np.int64)))
