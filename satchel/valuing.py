"""What tokens are worth at a pack, and what each candidate that was left out would cost it at least."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .models import PackedContext, Problem
from .solver.options import SolveOptions

if TYPE_CHECKING:
    from .solver.explain.prices import TokenPrice

__all__ = ["LeftOut", "TokenPrices", "explain_all", "left_out_csv", "token_prices"]


@dataclass(frozen=True)
class TokenPrices:
    """The price of the budget, and of each zone's limits, in value per 1,000 tokens.

    ``total`` is None, and ``zones`` empty, where the relaxation cannot be solved.
    """

    total: TokenPrice | None
    zones: tuple[TokenPrice, ...]

    def to_data(self) -> dict[str, Any]:
        """Return the prices as JSON data."""
        total = None if self.total is None else self.total.to_data()
        return {"total": total, "zones": [price.to_data() for price in self.zones]}


@dataclass(frozen=True)
class LeftOut:
    """A candidate that is not in the pack, and the least value that the best pack would lose with it in.

    ``lost`` is in value, from reduced costs: a bound, 0 where they say nothing, None where a rule keeps the
    candidate out and no pack may hold it. ``tokens`` is the size of its shortest form on offer.
    """

    id: str
    title: str
    path: str
    zone: str
    verdict: str
    reason: str
    tokens: int
    lost: float | None

    def to_data(self) -> dict[str, Any]:
        """Return the candidate as JSON data."""
        return {
            "id": self.id,
            "title": self.title,
            "path": self.path,
            "zone": self.zone,
            "verdict": self.verdict,
            "reason": self.reason,
            "tokens": self.tokens,
            "lostAtLeast": self.lost,
            "exact": False,
        }


def token_prices(
    problem: Problem, context: PackedContext | None = None, *, options: SolveOptions | None = None
) -> TokenPrices:
    """Return what tokens are worth at the best pack of ``problem``.

    Parameters
    ----------
    context
        The artifact of ``problem``; without it the problem is solved first.

    Raises
    ------
    UsageError
        ``context`` answers another problem.
    InfeasibleError
        There is no pack.
    """
    from .solver.explain.prices import prices
    from .solver.explain.solved import Solved

    solved = Solved.afresh(problem, options) if context is None else Solved.of(problem, context, options)
    found = prices(solved)
    total = next((price for price in found if price.family == "budget"), None)
    return TokenPrices(total, tuple(price for price in found if price.family != "budget"))


def explain_all(
    context: PackedContext, problem: Problem, *, options: SolveOptions | None = None
) -> list[LeftOut]:
    """Return every candidate that is not in the pack, those that would cost least first.

    Raises
    ------
    UsageError
        ``context`` answers another problem.
    """
    from .solver.explain.account import entries
    from .solver.explain.solved import Solved

    solved = Solved.of(problem, context, options)
    root, scale = solved.root, solved.c.scale
    bounds = {}
    if root is not None:
        bounds = {entry.unit: entry for entry in entries(solved.c, root, solved.pack.choice, solved.value)}
    found = []
    for verdict, units in (("rejected", context.rejected_units), ("skipped", context.skipped_units)):
        for unit in units:
            entry = bounds.get(unit.id)
            found.append(
                LeftOut(
                    id=unit.id,
                    title=unit.title,
                    path=unit.source_refs[0].path if unit.source_refs else "",
                    zone=unit.zone,
                    verdict=verdict,
                    reason=unit.reason.value,
                    tokens=unit.token_estimate if entry is None else entry.tokens,
                    lost=None if entry is None else entry.lost / scale,
                )
            )
    return sorted(found, key=lambda entry: (entry.lost is None, entry.lost or 0.0, entry.id))


def left_out_csv(entries: list[LeftOut]) -> str:
    """Return the candidates as CSV with a header."""
    text = io.StringIO()
    columns = ("id", "title", "path", "zone", "verdict", "reason", "tokens", "lostAtLeast")
    writer = csv.DictWriter(text, columns, extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    writer.writerows(entry.to_data() for entry in entries)
    return text.getvalue()
