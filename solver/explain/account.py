"""What a unit is worth and what it has to pay, at the prices that the relaxation puts on each limit."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from ..compile import Compiled, Ints
from ..duals import losses
from ..state import NONE
from .solved import Root, place_of


@dataclass(frozen=True)
class Charge:
    """What one row of the program takes from a unit's value (above 0), or gives (below 0), scaled.

    ``family``, ``name`` and ``other`` are those of :class:`..linear.Row`.
    """

    family: str
    name: str
    other: str
    amount: Fraction

    def to_data(self, scale: int) -> dict[str, Any]:
        """Return the charge as JSON data, in value."""
        data = {"family": self.family, "name": self.name, "other": self.other}
        return {key: text for key, text in data.items() if text} | {"amount": float(self.amount / scale)}


@dataclass(frozen=True)
class Account:
    """The best form of a unit at the prices of the optimum: ``net = value - sum of charges``, scaled.

    Above 0 the unit earns more than its room is worth, below 0 less.
    """

    place: int
    tokens: int
    value: int
    charges: tuple[Charge, ...]

    @property
    def net(self) -> Fraction:
        """What is left of the value."""
        return self.value - sum((charge.amount for charge in self.charges), Fraction(0))

    def to_data(self, scale: int) -> dict[str, Any]:
        """Return the account as JSON data, in value."""
        return {
            "rung": self.place,
            "tokens": self.tokens,
            "value": self.value / scale,
            "charges": [charge.to_data(scale) for charge in self.charges],
            "net": float(self.net / scale),
        }


def account_of(c: Compiled, root: Root, unit: int, rung: int | None = None) -> Account:
    """Return the account of ``unit`` at ``rung``, or at the form that is worth most beyond its charges."""
    bound, linear = root.bound, root.linear
    if rung is None:
        rung = max(c.rungs_of(unit), key=lambda r: (int(bound.worth[r]), -r))
    entries = np.flatnonzero(linear.cols == rung)
    rows = np.searchsorted(linear.start, entries, side="right") - 1
    charges: list[Charge] = []
    for row, entry in zip(rows.tolist(), entries.tolist(), strict=True):
        paid = int(bound.multipliers[row]) * int(linear.coefs[entry])
        if paid:
            name = linear.rows[row]
            amount = Fraction(paid, bound.denominator)
            charges.append(Charge(name.family, name.name, name.other, amount))
    charges.sort(key=lambda charge: (-abs(charge.amount), charge.family, charge.name, charge.other))
    return Account(place_of(c, rung), int(c.tokens[rung]), int(c.values[rung]), tuple(charges))


@dataclass(frozen=True)
class Entry:
    """What no pack with a unit that was left out can be worth more than, by reduced costs alone.

    ``lost`` is the least that the best pack loses with the unit in, scaled; 0 where the bound says nothing.
    """

    unit: str
    tokens: int
    lost: int


def entries(c: Compiled, root: Root, choice: Ints, value: int) -> list[Entry]:
    """Return, for every eligible unit that ``choice`` (worth ``value``) leaves out, what it would cost.

    One pass over the reduced costs: the loss of a unit's best form against being out, taken from the bound,
    bounds every pack that holds it (Dantzig, Fulkerson and Johnson 1954).
    """
    if c.n == 0:
        return []
    loss, _ = losses(c, root.bound)
    least = np.minimum.reduceat(loss, c.rung_start[:-1])
    found = []
    for unit in np.flatnonzero(choice == NONE).tolist():
        most = (root.bound.total - int(least[unit])) // root.bound.denominator
        smallest = int(c.tokens[c.rung_start[unit] : c.rung_start[unit + 1]].min())
        found.append(Entry(c.ids[unit], smallest, max(0, value - most)))
    return found
