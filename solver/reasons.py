"""Why each candidate is in or out, with the ids and numbers behind the reason."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from ..models import AcceptReason, RejectReason
from .compile import Compiled
from .eligible import Standing
from .priced.terms import Terms
from .state import NONE, State


@dataclass(frozen=True)
class Why:
    """A reason code, the sentence that words it, and its data."""

    code: Any
    detail: str
    data: dict[str, Any]


def why_out(standing: Standing) -> Why:
    """Return the reason of a unit that a rule took out before the solve."""
    data = standing.data
    assert standing.out is not None
    sentence = SENTENCES[standing.out]
    return Why(standing.out, sentence.format(**{key: _words(value) for key, value in data.items()}), data)


SENTENCES: Final = {
    RejectReason.MUST_EXCLUDE: "excluded by the rule {rule}",
    RejectReason.RISK_CEILING: "risk {risk} is at or above the ceiling {ceiling}",
    RejectReason.DEPENDENCY_UNAVAILABLE: "needs {missing}, which cannot be had",
    RejectReason.NOT_AUTHORITATIVE: "group {group} keeps {authoritative}, its most authoritative member",
}


def why_rejected(c: Compiled, state: State, unit: int, terms: Terms | None = None) -> Why:
    """Return what keeps an eligible unit out of the pack in ``state``: the first constraint that does.

    ``terms`` are what prices decide of that pack, if anything.
    """
    for q in state.layout.cliques_of.get(unit, ()):
        clique = c.cliques[q]
        if state.clique_used[q] >= clique.k:
            kept = [c.ids[other] for other in clique.units.tolist() if state.choice[other] != NONE]
            data = {"group": clique.name, "kept": kept}
            text = f"says the same as {_words(kept)} (group {clique.name}, at most {clique.k} kept)"
            return Why(RejectReason.REDUNDANT, text, data)
    names = [c.ids[v] for v, good in state.needs.get(unit, ()) if state.choice[v] not in good]
    smallest = min(c.rungs_of(unit), key=lambda rung: (state.tokens[rung], rung))
    bundle = state.closure(unit, smallest) if names else {unit: smallest}
    if bundle is not None and (why := _why_no_room(c, state, unit, bundle, names)) is not None:
        return why
    if names:
        text = f"needs {_words(names)}, which the pack does not hold in a form that is good enough"
        return Why(RejectReason.DEPENDENCY_NOT_INCLUDED, text, {"missing": names})
    return _why_no_use(c, state, unit, terms)


def _why_no_room(
    c: Compiled, state: State, unit: int, bundle: Mapping[int, int], missing: list[str]
) -> Why | None:
    """Return why ``bundle``, the unit and what it is ``missing``, finds no room, or None where it does."""
    along = {"with": missing} if missing else {}
    together = f" with {_words(missing)}" if missing else ""
    zone = state.zone[unit]
    if zone != NONE and (maximum := c.zones[zone].maximum) is not None:
        left = maximum - state.zone_used[zone]
        needs = state.size({u: rung for u, rung in bundle.items() if state.zone[u] == zone})
        if needs > left:
            name = c.zones[zone].name
            text = f"needs {needs} tokens{together}, {left} left of the {maximum} of zone {name}"
            data = {"zone": name, "needs": needs, "left": left, "max": maximum, **along}
            return Why(RejectReason.ZONE_CAPACITY_EXCEEDED, text, data)
    needs = state.size(bundle)
    if needs > state.left:
        text = f"needs {needs} tokens{together}, {state.left} left of the budget of {c.available}"
        return Why(RejectReason.TOKEN_BUDGET_EXCEEDED, text, {"needs": needs, "left": state.left, **along})
    return None


def _why_no_use(c: Compiled, state: State, unit: int, terms: Terms | None) -> Why:
    fitting = [rung for rung in c.rungs_of(unit) if state.fits({unit: rung}, state.size({unit: rung}))]
    if terms is not None:
        fitting, beyond = terms.affordable(unit, fitting)
        if not fitting:
            text = f"would cost {beyond['needs']} {terms.words} more, {beyond['left']} left of the limit"
            return Why(RejectReason.COST_LIMIT_EXCEEDED, text, beyond)
    gains = [state.gain({unit: rung}) for rung in fitting]
    best = max(gains)
    if best <= 0:
        text = "would fit, and would add nothing: value and new coverage do not outweigh what it costs"
        return Why(RejectReason.NO_GAIN, text, {"gain": best})
    if terms is not None and (dear := terms.dear(unit, fitting, gains)) is not None:
        text = f"would add value at {dear['cost']} {terms.words}: less per cost than the pack has"
        return Why(RejectReason.NOT_WORTH_ITS_COST, text, dear)
    return Why(RejectReason.NOT_SELECTED, "would fit; the search ended before it was tried", {"gain": best})


def why_accepted(c: Compiled, state: State, unit: int) -> Why:
    """Return why a unit of the pack is in it."""
    standing = c.standings[unit]
    rung = state.choice[unit]
    value, tokens = state.values[rung], state.tokens[rung]
    data: dict[str, Any] = {"value": value, "tokens": tokens}
    if standing.required is AcceptReason.REQUIRED:
        return Why(AcceptReason.REQUIRED, "required", data)
    if standing.required is AcceptReason.MUST_INCLUDE:
        return Why(
            AcceptReason.MUST_INCLUDE,
            f"matched by mustInclude {standing.rule}",
            {**data, "rule": standing.rule},
        )
    if standing.required is AcceptReason.ZONE_KEEPS_ALL:
        return Why(
            AcceptReason.ZONE_KEEPS_ALL,
            f"zone {standing.rule} keeps every unit",
            {**data, "zone": standing.rule},
        )
    dependents = [
        c.ids[other]
        for other in state.needed_by.get(unit, ())
        if state.choice[other] != NONE and any(v == unit for v, _ in state.needs[other])
    ]
    covered = standing.unit.coverage.items()
    covers = sorted(name for name, strength in covered if strength > 0 and name in c.dimensions)
    if value <= 0 and dependents:
        return Why(
            AcceptReason.DEPENDENCY, f"needed by {_words(dependents)}", {**data, "neededBy": dependents}
        )
    if value <= 0 and covers:
        return Why(AcceptReason.COVERAGE, f"covers {_words(covers)}", {**data, "covers": covers})
    zone = state.zone[unit]
    if value <= 0 and zone != NONE and c.zones[zone].minimum > 0:
        return Why(AcceptReason.ZONE_MINIMUM, f"fills zone {standing.zone.name} to its minimum", data)
    if standing.bonus:
        return Why(AcceptReason.SHOULD_INCLUDE, "matched by shouldInclude, and worth its tokens", data)
    if covers:
        data["covers"] = covers
    if dependents:
        data["neededBy"] = dependents
    return Why(AcceptReason.VALUE, "worth its tokens", data)


def _words(value: object) -> str:
    if isinstance(value, list):
        names = [str(name) for name in value]
        return ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")
    return str(value)
