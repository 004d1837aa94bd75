"""What would be otherwise for a candidate, in sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from .solver.explain.counterfactual import Counterfactual, Range, Shift

if TYPE_CHECKING:
    from .countering import Otherwise

SHOWN: Final = 5
"""Units that a line names; the data names all of them."""

LEAST: Final = 1e-3
"""Charges below this share of a unit's value are not told."""

ROWS: Final = {
    "budget": "the budget",
    "zone maximum": "the maximum of zone {name}",
    "zone minimum": "the minimum of zone {name}",
    "zone target": "the target of zone {name}",
    "group": "group {name}",
    "redundancy": "the penalty of group {name}",
    "dependency": "the dependency of {name!r} on {other!r}",
    "cover": "covering {name}",
    "coverage": "dimension {name}, which is required",
    "shortfall": "what zone minima lack",
}


def lines_of(found: Otherwise) -> list[str]:
    """Return ``found`` as lines of text."""
    lines: list[str] = []
    for case in found.cases:
        lines += _case(found, case)
    if found.by == "reduced costs" and found.lost_at_least is not None:
        lines.append(_bound(found))
    lines += _account(found)
    if found.rivals.redundant:
        lines.append(f"of its group in the pack: {_names(found.rivals.redundant)}")
    if found.rivals.covering:
        lines.append(f"what it covers is covered to the full: {_names(found.rivals.covering)}")
    if found.rivals.dominating:
        lines.append(f"worth no less in no more tokens, and in the pack: {_names(found.rivals.dominating)}")
    return lines


def _bound(found: Otherwise) -> str:
    if not found.lost_at_least:
        return "with it in, the pack may be as good: reduced costs say no more"
    return f"with it in, the best pack loses {_worth(found.lost_at_least)} or more (bound by reduced costs)"


def _case(found: Otherwise, case: Counterfactual) -> list[str]:
    demand = _demand(found, case)
    if case.possible is None:
        return [f"{demand}: no pack was found in time; give it more with --time-limit"]
    if case.lost is None:
        return [f"{demand} no pack is possible: {case.why}"]
    lines = [f"{demand} the best pack {_loses(found, case.lost)}"]
    if not found.proven:
        lines[0] += ", beside a pack that is not proven to be the best"
    if case.shortfall:
        more = "more" if case.shortfall > 0 else "less"
        lines.append(f"  zone minima would lack {_tokens(abs(case.shortfall))} {more}")
    moved = [shift for shift in case.shifts if shift.id != case.unit]
    for words, shifts in (
        ("pushed out", [s for s in moved if s.after is None]),
        ("let in", [s for s in moved if s.before is None]),
    ):
        if shifts:
            lines.append(f"  {words}: {_names(tuple(shift.id for shift in shifts))}")
    changed = [s for s in moved if s.after is not None and s.before is not None]
    if changed:
        shown = [_reshaped(found, shift) for shift in changed[:SHOWN]]
        rest = [f"{len(changed) - SHOWN} more"] if len(changed) > SHOWN else []
        lines.append(f"  other forms: {', '.join([*shown, *rest])}")
    return [*lines, *_thresholds(found, case)]


def _demand(found: Otherwise, case: Counterfactual) -> str:
    if case.demand == "out":
        return "without it,"
    form = "" if case.place is None else _state(found, case.unit, case.place)
    if case.demand == "in":
        return f"with it in ({form})," if form else "with it in"
    return f"as {form},"


def _loses(found: Otherwise, lost: Range) -> str:
    scale = found.scale
    if lost.exact:
        if lost.least < 0:
            return f"would be worth {_worth(-lost.least / scale)} more"
        return f"loses {_worth(lost.least / scale)}" if lost.least else "would be worth as much"
    most = "" if lost.most is None else f" and {_worth(lost.most / scale)} at most"
    least = max(0, lost.least) if found.proven else lost.least
    return f"loses {_worth(least / scale)} at least{most}: a limit came before the proof"


def _thresholds(found: Otherwise, case: Counterfactual) -> list[str]:
    needed = case.value_needed
    if needed is None:
        return []
    by = _change(found, needed, case.lost)
    if case.demand == "out":
        return [f"  it would leave if it were worth {by} less"]
    text = f"  it would enter if it were worth {by} more"
    if found.relevance is not None:
        now, enough = found.relevance
        text += (
            f" (relevance {enough:.6g} is enough, it has {now:.6g})"
            if enough is not None
            else f" (relevance 1 is not enough, it has {now:.6g})"
        )
    lines = [text]
    if (fewer := case.tokens_fewer) is not None:
        lines.append(f"  or if this form took {_fewer(fewer)}")
    return lines


def _change(found: Otherwise, needed: Range, lost: Range | None) -> str:
    """Return the change of value that is needed; where ties go to the pack as it is, anything above the loss.

    The next whole number would say too much: on a scale of whole values half a unit may do.
    """
    if needed.exact and lost is not None and lost.exact and needed.least == lost.least + 1:
        return f"over {_worth(lost.least / found.scale)}" if lost.least else "any"
    return _between(needed, lambda number: _worth(number / found.scale))


def _fewer(found: Range) -> str:
    """Return how many tokens fewer are needed; what is not known to be the least may still be enough."""
    if found.exact:
        return f"{_tokens(found.least)} fewer"
    if found.most is None:
        return f"at least {_tokens(found.least)} fewer: how many are enough was not found in time"
    return f"{_tokens(found.most)} fewer: perhaps a few less are enough"


def _tokens(number: int) -> str:
    return "1 token" if number == 1 else f"{number} tokens"


def _between(found: Range, words: object) -> str:
    assert callable(words)
    if found.exact:
        return str(words(found.least))
    if found.most is None:
        return f"{words(found.least)} or more"
    return f"{words(found.least)} to {words(found.most)}"


def _account(found: Otherwise) -> list[str]:
    account = found.account
    if account is None:
        return []
    value = account.value / found.scale
    told = [c for c in account.charges if abs(c.amount) >= LEAST * max(1, abs(account.value))]
    parts = []
    for charge in told[:SHOWN]:
        row = ROWS.get(charge.family, charge.family).format(name=charge.name, other=charge.other)
        amount = float(charge.amount / found.scale)
        parts.append(f"{row} takes {_worth(amount)}" if amount > 0 else f"{row} gives {_worth(-amount)}")
    if not parts:
        return [f"at the prices of the optimum nothing that it needs is scarce: it is worth {_worth(value)}"]
    net = float(account.net / found.scale)
    # What the shares of one denominator leave over is no amount.
    rest = f"{_worth(net)} is left" if abs(net) >= LEAST * max(1, abs(value)) else "nothing is left"
    return [f"at the prices of the optimum it is worth {_worth(value)}; {', '.join(parts)}: {rest}"]


def _state(found: Otherwise, name: str, place: int) -> str:
    ladder = found.states.get(name, ())
    return ladder[place] if place < len(ladder) else f"rung {place}"


def _reshaped(found: Otherwise, shift: Shift) -> str:
    assert shift.before is not None
    assert shift.after is not None
    return f"{shift.id!r} ({_state(found, shift.id, shift.before)} to {_state(found, shift.id, shift.after)})"


def _names(names: tuple[str, ...]) -> str:
    more = len(names) - SHOWN
    return ", ".join(repr(name) for name in names[:SHOWN]) + (f" and {more} more" if more > 0 else "")


def _worth(value: float) -> str:
    return f"{value:.6g}"
