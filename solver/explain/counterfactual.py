"""The best pack under one more demand: what it loses, what it pushes out, and what would tip the balance.

A rejected unit is taken in, an accepted one out, or held at another of its forms, and the problem is solved
again. The loss is exact where that ends with a proof; else it lies between what the best pack found loses and
what the bound leaves possible.

A unit that is worth ``d`` more at each of its forms makes every pack with it worth ``d`` more, and no other.
So it enters once ``d`` exceeds the loss, or equals it where the rules on ties favour the pack with it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

from ..compile import Compiled, Ints
from ..greedy import Pack
from ..state import NONE
from .demand import apart, near, shrunk, taken_in, taken_out
from .solved import Outcome, Solved, place_of

SOLVES: Final = 12
"""Solves, at most, to find out how many tokens are too many."""

Demand = Literal["in", "out", "rung"]


@dataclass(frozen=True)
class Shift:
    """A unit that two packs have differently: its place in its ladder (None: out) before and after."""

    id: str
    before: int | None
    after: int | None
    tokens: int


@dataclass(frozen=True)
class Range:
    """A whole number that is known (``least == most``) or lies between two; ``most`` None: no end known."""

    least: int
    most: int | None

    @property
    def exact(self) -> bool:
        """Whether it is known."""
        return self.least == self.most


@dataclass(frozen=True)
class Counterfactual:
    """The best pack with ``unit`` in (at ``place``), out, or at another form, beside the pack as it is.

    ``lost`` is the value lost, scaled; below 0 where the demand makes a better pack possible, as when a
    requirement is lifted. ``possible`` is False where no pack meets the demand (``why`` says what is against
    it), None where a limit came before that was known. ``shortfall`` is what relaxed minima lack more.
    ``value_needed`` is how much more the unit would have to be worth to enter (or less, to leave), and
    ``tokens_fewer`` how many fewer its form ``place`` would have to take; None where that is not known.
    """

    unit: str
    demand: Demand
    place: int | None
    possible: bool | None
    lost: Range | None
    shifts: tuple[Shift, ...] = ()
    shortfall: int = 0
    value_needed: Range | None = None
    tokens_fewer: Range | None = None
    why: str = ""

    @property
    def exact(self) -> bool:
        """Whether the loss is known exactly."""
        return self.possible is False or (self.lost is not None and self.lost.exact)


def if_in(solved: Solved, unit: int, *, tokens: bool = True) -> Counterfactual:
    """Return what the best pack with the rejected ``unit`` is like.

    With ``tokens``, also how many fewer its form would have to take; that takes a few more solves.
    """
    c = solved.c
    outcome = solved.again(taken_in(c, unit), around=near(c, solved.pack.choice, unit))
    found = _compared(solved, unit, "in", outcome)
    if outcome.pack is None or found.lost is None or not solved.proven or _decided_by_prices(c):
        return found
    found = dataclasses.replace(found, value_needed=_tipping(solved, outcome, found.lost))
    if not tokens or outcome.pack.shortfall or solved.pack.shortfall:
        return found  # relaxed minima decide before tokens do
    # A limit that the one solve did not keep, several solves would not keep either.
    solves = SOLVES if found.exact else 0
    rung = int(outcome.pack.choice[unit])
    return dataclasses.replace(found, tokens_fewer=_tokens_fewer(solved, unit, rung, solves))


def if_out(solved: Solved, unit: int) -> Counterfactual:
    """Return what the best pack without the accepted ``unit`` is like, any requirement of it lifted."""
    c = solved.c
    outcome = solved.again(taken_out(c, unit), around=apart(c, solved.pack.choice, unit))
    found = _compared(solved, unit, "out", outcome)
    held = bool(c.required[unit])
    if outcome.pack is None or found.lost is None or held or not solved.proven or _decided_by_prices(c):
        return found
    return dataclasses.replace(found, value_needed=_tipping(solved, outcome, found.lost))


def if_rung(solved: Solved, unit: int, rung: int) -> Counterfactual:
    """Return what the best pack with ``unit`` at ``rung`` is like."""
    c = solved.c
    around = near(c, solved.pack.choice, unit, [rung])
    around[unit] = rung
    outcome = solved.again(taken_in(c, unit, [rung]), around=around)
    found = _compared(solved, unit, "rung", outcome)
    return dataclasses.replace(found, place=place_of(c, rung))


def shifts(c: Compiled, before: Ints, after: Ints) -> tuple[Shift, ...]:
    """Return the units that two choices of rungs have differently, in unit order."""
    found = []
    for unit in np.flatnonzero(before != after).tolist():
        old, new = int(before[unit]), int(after[unit])
        tokens = (int(c.tokens[new]) if new != NONE else 0) - (int(c.tokens[old]) if old != NONE else 0)
        found.append(
            Shift(
                c.ids[unit],
                None if old == NONE else place_of(c, old),
                None if new == NONE else place_of(c, new),
                tokens,
            )
        )
    return tuple(found)


def beats(pack: Pack, other: Pack) -> bool:
    """Whether ``pack`` is the answer rather than ``other`` (design §3): value, tokens, then unit order."""
    if pack.rank != other.rank:
        return pack.rank < other.rank
    return _order(pack.choice) < _order(other.choice)


def _order(choice: Ints) -> list[tuple[bool, int]]:
    return [(rung == NONE, rung) for rung in choice.tolist()]


def _compared(solved: Solved, unit: int, demand: Demand, outcome: Outcome) -> Counterfactual:
    c, pack = solved.c, outcome.pack
    name = c.ids[unit]
    if pack is None:
        return Counterfactual(name, demand, None, False if outcome.proven else None, None, why=outcome.why)
    rung = int(pack.choice[unit])
    assert outcome.bound is not None
    lost = Range(solved.value - outcome.bound, solved.value - pack.objective)
    return Counterfactual(
        unit=name,
        demand=demand,
        place=None if rung == NONE else place_of(c, rung),
        possible=True,
        lost=lost,
        shifts=shifts(c, solved.pack.choice, pack.choice),
        shortfall=pack.shortfall - solved.pack.shortfall,
    )


def _tipping(solved: Solved, outcome: Outcome, lost: Range) -> Range | None:
    """Return how much a unit's value has to change until the other pack is the answer.

    None where relaxed minima decide before value does.
    """
    pack = outcome.pack
    assert pack is not None
    assert lost.most is not None
    if pack.shortfall != solved.pack.shortfall:
        return None
    if not outcome.proven or not outcome.canonical:
        return Range(max(0, lost.least), lost.most + 1)
    as_good = Pack(pack.choice, solved.value, pack.tokens, pack.shortfall)
    needed = lost.most if beats(as_good, solved.pack) else lost.most + 1
    return Range(needed, needed)


def _decided_by_prices(c: Compiled) -> bool:
    pricing = c.problem.pricing
    return pricing is not None and pricing.decides


def _tokens_fewer(solved: Solved, unit: int, rung: int, solves: int) -> Range | None:
    """Return how many tokens fewer ``rung`` would have to take for the answer to hold it.

    Fewer tokens never make a pack worse, but for the minimum of its zone: there a number that is enough is
    told, and the least one is not known. None where no size is small enough. The relaxation says what is too
    little; from there on sizes are solved for, ``solves`` times at most.
    """
    c, size = solved.c, int(solved.c.tokens[rung])

    def smaller(by: int) -> Compiled:
        return taken_in(shrunk(c, rung, size - by), unit, [rung])

    def enters(by: int) -> bool | None:
        changed = smaller(by)
        around = near(changed, solved.pack.choice, unit, [rung])
        outcome = solved.again(changed, around=around, wanted=solved.value)
        pack = outcome.pack
        if outcome.bound is None or outcome.bound < solved.value or outcome.shortfall_bound > 0:
            return False
        if pack is None or pack.rank[:2] < solved.pack.rank[:2]:
            return None if pack is None else True
        return beats(pack, solved.pack) if outcome.proven and outcome.canonical else None

    def may(by: int) -> bool:
        most = solved.most(smaller(by))
        return most is None or most >= solved.value

    zone = int(c.unit_zone[unit])
    falling = zone == NONE or c.zones[zone].minimum == 0
    if not may(size):
        return None
    least, most, step = _first(may, 0, size), None, 1
    while solves > 0 and least != most:
        # Ever larger steps up to one that is enough, then halves.
        tried = min(size, least + step - 1) if most is None else (least + most) // 2
        verdict, solves = enters(tried), solves - 1
        if verdict is None:
            break
        if verdict:
            most = tried
        elif tried == size:
            return None
        else:
            least, step = tried + 1, 2 * step
    if falling:
        return Range(least, most)
    return None if most is None else Range(min(1, most), most)


def _first(holds: Callable[[int], bool], low: int, high: int) -> int:
    """Return the least number from ``low`` to ``high`` from which on ``holds``, which it does at ``high``."""
    while low < high:
        middle = (low + high) // 2
        if holds(middle):
            high = middle
        else:
            low = middle + 1
    return low
