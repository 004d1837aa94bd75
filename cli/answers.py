"""Answers to questions about a pack as lines: what if, prices of tokens, and all that was left out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from .console import Line, columns, count, number, shown, worth

if TYPE_CHECKING:
    from .. import LeftOut, TokenPrice, TokenPrices, UnitShift, WhatIf

NAMED: Final = 10
"""Units of one kind of change that are named; --json names all."""

LISTED: Final = 40
"""Candidates that are listed; --json and --csv list all."""

LIMITS: Final = {
    "budget": "budget",
    "zone maximum": "max of {zone}",
    "zone minimum": "min of {zone}",
    "zone target": "target of {zone}",
}


def what_if_lines(found: WhatIf, width: int) -> list[Line]:
    """Return what a change would do."""
    before, after = found.before, found.after
    values = [context.solver.objective / context.solver.scale for context in (before, after)]
    proof = "both proven" if found.exact else f"at most {worth(after.solver.bound / after.solver.scale)}"
    sizes = [number(context.budget.estimated_input_tokens) for context in (before, after)]
    facts = [
        ["value", f"{worth(values[0])} to {worth(values[1])} ({found.value:+,.4g}; {proof})"],
        ["tokens", f"{sizes[0]} to {sizes[1]} of {number(after.budget.available_input_tokens)}"],
    ]
    if before.solver.shortfall or after.solver.shortfall:
        lacks = f"{number(before.solver.shortfall)} to {number(after.solver.shortfall)} tokens"
        facts.append(["minima lack", lacks])
    lines = [Line(shown(f"What if {' and '.join(found.changes)}"), "bold")]
    lines += [Line(text) for text in columns(facts, limit=width)]
    for head, shifts in (
        ("Entered", found.entered),
        ("Left", found.left),
        ("Changed form", found.reshaped),
    ):
        lines += _shifts(head, shifts, width)
    if not (found.entered or found.left or found.reshaped):
        lines.append(Line("  the same units in the same forms"))
    return lines


def _shifts(head: str, shifts: Sequence[UnitShift], width: int) -> list[Line]:
    if not shifts:
        return []
    rows = []
    for shift in shifts[:NAMED]:
        moved = f"rung {shift.before} to {shift.after}" if head == "Changed form" else ""
        rows.append([f"{shift.tokens:+,}", moved, shown(shift.id)])
    more = len(shifts) - NAMED
    return [
        Line(f"{head}: {count(len(shifts), 'unit')}", "bold"),
        *(Line(text) for text in columns(rows, right={0}, limit=width)),
        *([Line(f"  and {number(more)} more")] if more > 0 else []),
    ]


def price_lines(found: TokenPrices) -> list[Line]:
    """Return what tokens are worth."""
    if found.total is None:
        return [Line("no prices: the relaxation could not be solved", "yellow")]
    rows = [["limit", "per 1,000 tokens", "stands at", "used", "holds between"]]
    for price in (found.total, *found.zones):
        high = "any more" if price.high is None else number(price.high)
        rows.append(
            [
                LIMITS[price.family].format(zone=shown(price.zone)),
                f"{price.per_thousand:,.6g}",
                number(price.limit),
                number(price.used),
                f"{number(price.low)} and {high}",
            ]
        )
    head, *body = columns(rows, right={1, 2, 3})  # a range that is cut says nothing
    return [Line(head, "bold"), *(Line(text, _dim(price)) for text, price in _with(found, body))]


def _with(found: TokenPrices, body: Sequence[str]) -> list[tuple[str, TokenPrice]]:
    assert found.total is not None
    return list(zip(body, (found.total, *found.zones), strict=True))


def _dim(price: TokenPrice) -> str:
    return "" if price.per_thousand else "dim"


def left_out_lines(found: Sequence[LeftOut]) -> list[Line]:
    """Return what was left out, those that would cost least first."""
    if not found:
        return [Line("nothing was left out")]
    rows = [["loses at least", "tokens", "reason", "candidate"]]
    for entry in found[:LISTED]:
        lost = "-" if entry.lost is None else f"{entry.lost:,.4g}"
        rows.append([lost, number(entry.tokens), entry.reason, shown(entry.id)])
    head, *body = columns(rows, right={0, 1})  # an id that is cut names nothing
    lines = [Line(head, "bold"), *(Line(text) for text in body)]
    if len(found) > LISTED:
        lines.append(Line(f"  and {number(len(found) - LISTED)} more: --json and --csv list all"))
    ruled = sum(entry.lost is None for entry in found)
    if ruled:
        lines.append(Line(f"  {count(ruled, 'candidate')} may be in no pack: a rule keeps them out"))
    return [*lines, Line("  bounds by reduced costs; --why-rejected solves for one candidate exactly")]
