"""The best pack over all cases so far: by value, or by value per cost."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import gcd

from ...models import Objective
from ..compile import Compiled, Ints
from ..flat import held_of
from ..greedy import Pack
from .cases import Case, tokens_of
from .tariff import Tariff


@dataclass(frozen=True)
class Pick:
    """A pack by its choice of rungs: value (scaled), true cost (in the tariff's unit), tokens, and what zones
    lack of relaxed minima."""

    choice: Ints
    value: int
    cost: int
    tokens: int
    shortfall: int

    @classmethod
    def of(cls, c: Compiled, tariff: Tariff, pack: Pack) -> Pick:
        """Weigh the rungs of ``pack`` by ``c``, the problem without a case."""
        cost = tariff.cost(*tokens_of(c, pack.choice)) // tariff.unit
        return cls(pack.choice, c.flat.objective(pack.choice), cost, pack.tokens, pack.shortfall)

    def rank(self, objective: Objective) -> tuple[int, int, Fraction, int]:
        """Smaller is better: shortfall, then value or value per cost, then tokens.

        What is worth nothing or less has no value per cost to speak of: it is compared by value, and comes
        behind all that is worth something.
        """
        if objective is Objective.VALUE or self.value <= 0:
            return (self.shortfall, int(objective is not Objective.VALUE), Fraction(-self.value), self.tokens)
        return (self.shortfall, 0, Fraction(-self.value, self.cost), self.tokens)

    def beats(self, other: Pick | None, objective: Objective) -> bool:
        """Whether this is the answer rather than ``other``; of equals the first in unit order (design §3)."""
        if other is None:
            return True
        mine, theirs = self.rank(objective), other.rank(objective)
        return mine < theirs or (mine == theirs and self._order() < other._order())

    def _order(self) -> list[tuple[bool, int]]:
        return [(rung < 0, rung) for rung in self.choice.tolist()]

    def weights(self, objective: Objective) -> tuple[int, int]:
        """Return ``(a, b)`` so that a x value - b x cost is 0 for this pack and above it for better ones."""
        if objective is Objective.VALUE or self.value <= 0:
            return (1, 0)
        shared = gcd(self.value, self.cost)
        return (self.cost // shared, self.value // shared)

    def within(self, case: Case, weighed: Compiled) -> Pack | None:
        """Return this pack as one of ``case``, at the objective of ``weighed``; None where it is none."""
        c = case.c
        assert c.priced is not None
        tokens = held_of(self.choice, c.tokens)
        spent = int(held_of(self.choice, c.priced.costs).sum())
        fits = self.tokens <= c.available and int(tokens[c.priced.prefix].sum()) >= c.priced.least
        if not fits or (c.priced.most is not None and spent > c.priced.most):
            return None
        return Pack(self.choice, weighed.flat.objective(self.choice), self.tokens, self.shortfall)
