"""The reason given for each unit that was left out, against the problem and the pack."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from ...models import GroupPolicy, PackedContext, RejectedUnit, RejectReason, State, Status, selects
from .facts import AUTHORITATIVE, Facts, Rung
from .pack import Pack
from .pricing import MILLION, best_per_cost, prices_of
from .report import Complaints

Data = Mapping[str, Any]
Rule = Callable[[Facts, Pack, str, Data], "str | None"]

BY_RULE: Final = frozenset({RejectReason.MUST_EXCLUDE, RejectReason.RISK_CEILING})
"""Units left out by a rule about themselves: skipped, never weighed."""

NO_ROOM: Final = frozenset({RejectReason.ZONE_CAPACITY_EXCEEDED, RejectReason.TOKEN_BUDGET_EXCEEDED})
"""Reasons of units that come with what they need."""


def check_reasons(facts: Facts, context: PackedContext, pack: Pack, complaints: Complaints) -> None:
    """Each reason holds, and its data are the numbers and ids that make it hold."""
    check = "reject_reasons"
    complaints.open(check, "why each other unit is out")
    for listed_as, entries in (("rejected", context.rejected_units), ("skipped", context.skipped_units)):
        for entry in entries:
            if entry.id not in facts.units:
                complaints.require(
                    check, entry.reason not in RULES, f"{entry.id!r}: {entry.reason.value} is for units only"
                )
                continue
            complaint = _place(facts, listed_as, entry) or _holds(facts, pack, entry)
            if entry.reason is RejectReason.NOT_SELECTED and context.solver.status is Status.OPTIMAL:
                complaint = complaint or "an optimal pack leaves out nothing that fits and adds value"
            if complaint:
                complaints.add(check, f"{entry.id!r}: {complaint}")


def _place(facts: Facts, listed_as: str, entry: RejectedUnit) -> str | None:
    unit = facts.units[entry.id]
    due: RejectReason | None = None
    if unit.excluded:
        due = RejectReason.MUST_EXCLUDE
    elif unit.over_risk:
        due = RejectReason.RISK_CEILING
    elif entry.id in facts.ineligible:
        due = RejectReason.DEPENDENCY_UNAVAILABLE
    if due is not None and entry.reason is not due:
        return f"reason is {entry.reason.value}, should be {due.value}"
    where = "skipped" if entry.reason in BY_RULE else "rejected"
    return None if listed_as == where else f"is listed as {listed_as}, should be {where}"


def _holds(facts: Facts, pack: Pack, entry: RejectedUnit) -> str | None:
    rule = RULES.get(entry.reason)
    if rule is None:
        return f"{entry.reason.value} is no reason for a unit of the problem"
    keys = KEYS[entry.reason]
    if entry.reason in NO_ROOM and pack.missing(entry.id):
        keys |= {"with"}
    if set(entry.data) != keys:
        return f"data of {entry.reason.value} has the keys {sorted(entry.data)}, should have {sorted(keys)}"
    return rule(facts, pack, entry.id, entry.data)


def _must_exclude(facts: Facts, _: Pack, name: str, data: Data) -> str | None:
    rule = data["rule"]
    if rule not in facts.problem.policy.must_exclude or not selects(rule, facts.units[name].unit):
        return f"no mustExclude rule {rule!r} matches it"
    return None


def _risk_ceiling(facts: Facts, _: Pack, name: str, data: Data) -> str | None:
    truth = {"risk": facts.units[name].unit.risk_score, "ceiling": facts.problem.policy.risk_ceiling}
    if not facts.units[name].over_risk:
        return "its risk is below the ceiling, or it is required"
    return None if dict(data) == truth else f"data are {dict(data)}, should be {truth}"


def _unavailable(facts: Facts, _: Pack, name: str, data: Data) -> str | None:
    missing = data["missing"]
    if not _names(missing):
        return "data.missing must name a dependency"
    wanted = [(need.id, need.min_rung) for need in facts.units[name].unit.dependencies]
    wanted += [(anchor, State.SUMMARIZED) for anchor in facts.anchors_of(name)]
    for other in missing:
        forms = [form for wanted_id, form in wanted if wanted_id == other]
        if not forms:
            return f"does not depend on {other!r}"
        if other not in facts.hopeless and all(facts.units[other].offers(form) for form in forms):
            return f"{other!r} could have been kept"
    return None


def _not_included(_: Facts, pack: Pack, name: str, data: Data) -> str | None:
    lacking = pack.missing(name)
    if not lacking:
        return "the pack holds all that it needs"
    return None if data["missing"] == lacking else f"lacks {lacking}, not {data['missing']}"


def _not_authoritative(facts: Facts, _: Pack, name: str, data: Data) -> str | None:
    group, stated = str(data["group"]), data["authoritative"]
    if name not in facts.members.get(group, ()) or facts.groups[group].policy not in AUTHORITATIVE:
        return f"is in no group {group!r} that keeps an authoritative member"
    preferred = facts.authoritative(group)
    if stated != preferred:
        return f"group {group!r} prefers {preferred!r}, not {stated!r}"
    if name == preferred or facts.may_join(group, name):
        return f"group {group!r} allows it"
    return None


def _redundant(facts: Facts, pack: Pack, name: str, data: Data) -> str | None:
    group, stated = str(data["group"]), data["kept"]
    if name not in facts.members.get(group, ()):
        return f"is in no group {group!r}"
    kept, rule = pack.kept(group), facts.groups[group]
    if rule.policy is GroupPolicy.KEEP_AT_MOST:
        limit = rule.limit
    elif facts.anchor_of(group, name) is not None and facts.may_join(group, name):
        # The preferred member has a place of its own; what can be taken is the one beside it.
        kept, limit = [other for other in kept if other != facts.authoritative(group)], 1
    else:
        return f"group {group!r} does not count its members"
    if stated != kept:
        return f"group {group!r} keeps {kept}, not {stated}"
    return f"group {group!r} has room for it" if len(kept) < limit else None


def _zone_capacity(facts: Facts, pack: Pack, name: str, data: Data) -> str | None:
    zone = facts.units[name].zone
    if zone.max_tokens is None:
        return f"zone {zone.name!r} has no maximum"
    left = zone.max_tokens - pack.zone_tokens.get(zone.name, 0)
    growth = pack.growth(name)
    if growth is None:
        return "no forms of it and of what it needs go together"
    needs = growth[zone.name]
    truth = {"zone": zone.name, "needs": needs, "left": left, "max": zone.max_tokens, **_with(pack, name)}
    if dict(data) != truth:
        return f"data are {dict(data)}, should be {truth}"
    return None if needs > left else f"zone {zone.name!r} has room for it"


def _token_budget(facts: Facts, pack: Pack, name: str, data: Data) -> str | None:
    growth = pack.growth(name)
    if growth is None:
        return "no forms of it and of what it needs go together"
    needs, left = sum(growth.values()), facts.available - pack.tokens
    truth = {"needs": needs, "left": left, **_with(pack, name)}
    if dict(data) != truth:
        return f"data are {dict(data)}, should be {truth}"
    return None if needs > left else "there is room for it"


def _with(pack: Pack, name: str) -> dict[str, list[str]]:
    missing = pack.missing(name)
    return {"with": missing} if missing else {}


def _cost_limit(facts: Facts, pack: Pack, name: str, data: Data) -> str | None:
    prices = prices_of(facts)
    if prices is None or prices.limit is None:
        return "no limit on cost is stated"
    now = prices.cost(*pack.by_stability)
    costs = [prices.affords(pack, name, rung.tokens) for rung in _fitting(facts, pack, name)]
    if not costs:
        return "there is no room for it"
    truth = {"needs": -(-(min(costs) - now) // MILLION), "left": (prices.limit - now) // MILLION}
    if dict(data) != truth:
        return f"data are {dict(data)}, should be {truth}"
    return None if min(costs) > prices.limit else "its cost is within the limit"


def _not_worth(facts: Facts, pack: Pack, name: str, data: Data) -> str | None:
    prices = prices_of(facts)
    if prices is None or not best_per_cost(facts):
        return "value per cost was not asked for"
    now, value = prices.cost(*pack.by_stability), pack.objective
    options = [
        (pack.gain_of(name, rung), prices.affords(pack, name, rung.tokens))
        for rung in _affordable(facts, pack, name)
    ]
    if not options:
        return "there is no room for it"
    if any((value + gain) * now > value * cost for gain, cost in options):
        return "would bring more value per cost"
    gain, cost = max(options, key=lambda option: option[0])
    truth = {"gain": gain, "cost": (2 * (cost - now) + MILLION) // (2 * MILLION)}
    if dict(data) != truth:
        return f"data are {dict(data)}, should be {truth}"
    return None if gain > 0 else "would add nothing"


def _no_gain(facts: Facts, pack: Pack, name: str, data: Data) -> str | None:
    best = _best_gain(facts, pack, name)
    if best is None:
        return "there is no room for it"
    if data["gain"] != best:
        return f"gain is {data['gain']}, should be {best}"
    if pack.shortfalls.get(facts.units[name].unit.zone, 0) and facts.units[name].smallest > 0:
        return "would lessen what its zone lacks of its minimum"
    return None if best <= 0 else f"would raise the objective by {best}"


def _not_selected(facts: Facts, pack: Pack, name: str, data: Data) -> str | None:
    best = _best_gain(facts, pack, name)
    if best is None:
        return "there is no room for it"
    return None if data["gain"] == best else f"gain is {data['gain']}, should be {best}"


def _best_gain(facts: Facts, pack: Pack, name: str) -> int | None:
    """Return the most that the unit alone could add at a rung for which there is room."""
    return max((pack.gain_of(name, rung) for rung in _affordable(facts, pack, name)), default=None)


def _fitting(facts: Facts, pack: Pack, name: str) -> list[Rung]:
    """Return the rungs of the unit for which budget and zone have room."""
    zone = facts.units[name].zone
    room = facts.available - pack.tokens
    if zone.max_tokens is not None:
        room = min(room, zone.max_tokens - pack.zone_tokens.get(zone.name, 0))
    return [rung for rung in facts.units[name].rungs.values() if rung.tokens <= room]


def _affordable(facts: Facts, pack: Pack, name: str) -> list[Rung]:
    """Return those of them that the limit on cost leaves, where there is one."""
    rungs, prices = _fitting(facts, pack, name), prices_of(facts)
    if prices is None or prices.limit is None:
        return rungs
    return [rung for rung in rungs if prices.affords(pack, name, rung.tokens) <= prices.limit]


def _names(value: object) -> bool:
    return (
        isinstance(value, list | tuple) and bool(value) and len({str(part) for part in value}) == len(value)
    )


RULES: Final[Mapping[RejectReason, Rule]] = {
    RejectReason.MUST_EXCLUDE: _must_exclude,
    RejectReason.RISK_CEILING: _risk_ceiling,
    RejectReason.DEPENDENCY_UNAVAILABLE: _unavailable,
    RejectReason.DEPENDENCY_NOT_INCLUDED: _not_included,
    RejectReason.NOT_AUTHORITATIVE: _not_authoritative,
    RejectReason.REDUNDANT: _redundant,
    RejectReason.ZONE_CAPACITY_EXCEEDED: _zone_capacity,
    RejectReason.TOKEN_BUDGET_EXCEEDED: _token_budget,
    RejectReason.COST_LIMIT_EXCEEDED: _cost_limit,
    RejectReason.NO_GAIN: _no_gain,
    RejectReason.NOT_WORTH_ITS_COST: _not_worth,
    RejectReason.NOT_SELECTED: _not_selected,
}

KEYS: Final[Mapping[RejectReason, frozenset[str]]] = {
    RejectReason.MUST_EXCLUDE: frozenset({"rule"}),
    RejectReason.RISK_CEILING: frozenset({"risk", "ceiling"}),
    RejectReason.DEPENDENCY_UNAVAILABLE: frozenset({"missing"}),
    RejectReason.DEPENDENCY_NOT_INCLUDED: frozenset({"missing"}),
    RejectReason.NOT_AUTHORITATIVE: frozenset({"group", "authoritative"}),
    RejectReason.REDUNDANT: frozenset({"group", "kept"}),
    RejectReason.ZONE_CAPACITY_EXCEEDED: frozenset({"zone", "needs", "left", "max"}),
    RejectReason.TOKEN_BUDGET_EXCEEDED: frozenset({"needs", "left"}),
    RejectReason.COST_LIMIT_EXCEEDED: frozenset({"needs", "left"}),
    RejectReason.NO_GAIN: frozenset({"gain"}),
    RejectReason.NOT_WORTH_ITS_COST: frozenset({"gain", "cost"}),
    RejectReason.NOT_SELECTED: frozenset({"gain"}),
}
