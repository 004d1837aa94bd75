"""Which demands clash, as few of them as can be.

The deletion filter (Chinneck and Dravnieks 1991): drop demands; if there is still no pack, they were not
needed for the clash; else put them back, and try fewer. What is left is minimal: without any one of it a pack
exists. The budget is tried last, since it is what a user changes first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .demands import DEMANDS, Allowance, Demands, Extreme, UndecidedError


@dataclass(frozen=True)
class Conflict:
    """Rows (indices into ``linear.rows``) that no pack satisfies together.

    ``minimal`` is False where a limit came before each of them was tried.
    """

    rows: list[int]
    minimal: bool


def find_conflict(demands: Demands, allowance: Allowance) -> Conflict:
    """Return a conflict of a program without any pack: minimal, unless the allowance ends first.

    Large required units stay rather than small ones, so that few of them fill the budget.
    """
    alone = demands.impossible()
    if alone is not None:
        return Conflict([alone], minimal=True)
    found = _filtered(demands, allowance, exact=False)
    if demands.ask(found.rows, allowance, exact=True) == "pack":
        return _filtered(demands, allowance, exact=True)
    return found


def _filtered(demands: Demands, allowance: Allowance, *, exact: bool) -> Conflict:
    rows = demands.linear.rows
    families = {
        name: sorted((i for i in demands.rows if rows[i].family == name), key=lambda i: (demands.size(i), i))
        for name in DEMANDS
    }
    kept = set(demands.rows)
    kept -= demands.idle(kept)
    kept = demands.contradicting(kept, allowance)
    filtered = _Filter(demands, kept, allowance, exact=exact)
    for family in ("coverage", "group", "zone minimum", "zone maximum"):
        filtered.drop(families[family])
    # Dependencies leave together or are sifted last: few are left once few units are wanted in.
    together = filtered.drop_all(families["dependency"])
    filtered.drop(families["required"])
    if not together:
        kept -= demands.idle(kept)
        filtered.drop(families["dependency"])
    filtered.drop(families["budget"])
    return Conflict(sorted(kept), filtered.complete)


class _Filter:
    def __init__(self, demands: Demands, kept: set[int], allowance: Allowance, *, exact: bool) -> None:
        self.demands = demands
        self.kept = kept
        self.allowance = allowance
        self.exact = exact
        self.complete = True

    def drop(self, rows: Sequence[int]) -> None:
        """Drop what the clash does not need of ``rows``, as many as possible at a time."""
        rows = [i for i in rows if i in self.kept]
        if self.drop_all(rows) or len(rows) == 1:
            return
        middle = len(rows) // 2
        self.drop(rows[:middle])
        self.drop(rows[middle:])

    def drop_all(self, rows: Sequence[int]) -> bool:
        """Drop ``rows`` if the others clash without them; return whether they are gone."""
        if not self.kept.intersection(rows):
            return True
        verdict = self.demands.ask(self.kept.difference(rows), self.allowance, exact=self.exact)
        if verdict == "clash":
            self.kept.difference_update(rows)
        elif verdict == "unknown":
            self.complete = False
        return verdict == "clash"


def smallest_budget(demands: Demands, allowance: Allowance) -> Extreme | None:
    """Return the fewest tokens at which a pack satisfies all but the budget, or None where none is known."""
    (budget,) = (i for i in demands.rows if demands.linear.rows[i].family == "budget")
    try:
        return demands.extreme([i for i in demands.rows if i != budget], budget, allowance)
    except UndecidedError:
        return None
