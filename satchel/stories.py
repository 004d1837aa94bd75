"""Why there is no pack, as a short story: what clashes, by how much, and what would help, least first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from .models import InfeasibleError

__all__ = ["infeasible_story"]

SHOWN: Final = 8
"""Demands and changes that are told; the error's data holds all of them."""

COSTS: Final = {
    "budget": ("token more", "tokens more"),
    "zone maximum": ("token more", "tokens more"),
    "zone minimum": ("token less", "tokens less"),
    "group": ("member more", "members more"),
    "coverage": ("unit less", "units less"),
    "required": ("token given up", "tokens given up"),
    "exclude": ("token given up", "tokens given up"),
}
"""What a change costs, by its kind: where nothing is said, how many units or rules it touches says little."""


def infeasible_story(error: InfeasibleError) -> list[str]:
    """Return the lines of the story, or none where the error knows of no clash.

    The demands are a minimal conflict, unless a limit came before each of them was tried: without any one of
    them the others hold together. Each change that is told was tried, and makes a pack possible.
    """
    data = error.data
    conflict = data.get("conflict")
    if not conflict:
        return []
    return [*_clash(conflict, minimal=bool(data.get("minimal"))), *_lack(data), *_help(data)]


def _clash(conflict: Sequence[str], *, minimal: bool) -> list[str]:
    if len(conflict) == 1:
        return ["What cannot be met, whatever else is asked:", f"  - {conflict[0]}"]
    if minimal:
        head = "These demands cannot hold together, and without any one of them the others can:"
    else:
        head = "These demands cannot hold together; a limit came before fewer of them were tried:"
    lines = [head, *(f"  - {demand}" for demand in conflict[:SHOWN])]
    if len(conflict) > SHOWN:
        lines.append(f"  - and {len(conflict) - SHOWN} more (--json names all)")
    return lines


def _lack(data: Mapping[str, Any]) -> list[str]:
    """Say how many tokens are missing, and who takes most, where a larger budget helps."""
    smallest, available = data.get("smallestBudget"), data.get("available")
    lines = []
    if smallest is not None and available is not None and "smallestBudgetProven" in data:
        needed = f"{smallest:,}" if data["smallestBudgetProven"] else f"{smallest:,} or a little less"
        lines.append(f"All that must be in takes {needed} tokens; there are {available:,}.")
    elif smallest is not None:
        lines.append(f"A budget of {smallest:,} tokens for the whole prompt works.")
    largest = data.get("largestRequired", ())
    if len(largest) > 1:
        names = ", ".join(f"{entry['unit']!r} {entry['tokens']:,}" for entry in largest)
        lines.append(f"Of what must be in, these take most tokens: {names}.")
    return lines


def _help(data: Mapping[str, Any]) -> list[str]:
    changes: Sequence[Mapping[str, Any]] = data.get("relaxations", ())
    complete = bool(data.get("relaxationsComplete"))
    if not changes:
        if complete and data.get("minimal"):
            return ["No change of one of them alone is enough: something else clashes beside it."]
        return ["No single change that helps was found in time."]
    lines = ["Any one of these would help, the least change first:"]
    lines += [f"  {i}. {_change(change)}" for i, change in enumerate(changes[:SHOWN], start=1)]
    if len(changes) > SHOWN:
        lines.append(f"  and {len(changes) - SHOWN} more (--json names all)")
    if not complete:
        lines.append("Not every change was tried.")
    return lines


def _change(change: Mapping[str, Any]) -> str:
    words, cost = str(change["words"]), int(change["cost"])
    notes = []
    if change["kind"] in COSTS and cost:
        one, many = COSTS[change["kind"]]
        notes.append(f"{cost:,} {one if cost == 1 else many}")
    if not change.get("least", True):
        notes.append("perhaps a smaller change does")
    return f"{words} ({', '.join(notes)})" if notes else words
