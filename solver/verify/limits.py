"""The hard constraints, each tested on the claimed selection."""

from __future__ import annotations

from collections import Counter

from ...models import GroupPolicy, MinPolicy
from .facts import Facts
from .pack import Pack
from .report import Complaints


def check_limits(facts: Facts, pack: Pack, complaints: Complaints) -> None:
    """Budget, zones, required, excluded, risk, dependencies, groups and required dimensions."""
    _check_tokens(facts, pack, complaints)
    _check_members(facts, pack, complaints)
    _check_dependencies(pack, complaints)
    _check_groups(facts, pack, complaints)
    _check_dimensions(facts, pack, complaints)


def _check_tokens(facts: Facts, pack: Pack, complaints: Complaints) -> None:
    complaints.open("token_limit", f"{pack.tokens} of {facts.available} tokens")
    complaints.require(
        "token_limit",
        pack.tokens <= facts.available,
        f"accepted units hold {pack.tokens} tokens of {facts.available}",
    )
    complaints.open("zone_limits", f"{len(facts.problem.envelope.zones)} declared zones")
    for zone in facts.problem.envelope.zones:
        held = pack.zone_tokens.get(zone.name, 0)
        if zone.max_tokens is not None and held > zone.max_tokens:
            complaints.add(
                "zone_limits", f"zone {zone.name!r} holds {held} tokens, at most {zone.max_tokens}"
            )
        if held < zone.min_tokens and zone.effective_min_policy is MinPolicy.FAIL:
            complaints.add(
                "zone_limits", f"zone {zone.name!r} holds {held} tokens, at least {zone.min_tokens}"
            )


def _check_members(facts: Facts, pack: Pack, complaints: Complaints) -> None:
    policy = facts.problem.policy
    complaints.open("required", "required units, mustInclude and zones that keep all")
    complaints.open("must_exclude", "mustExclude selectors")
    complaints.open("risk", f"ceilings {policy.risk_ceiling} and {policy.required_risk_ceiling}")
    for rule in policy.must_include:
        if not any(rule in unit.includes for unit in facts.units.values()):
            complaints.add("required", f"mustInclude {rule!r} matches no unit")
    for name, unit in facts.units.items():
        if facts.must_stay(name) and name not in pack.rungs:
            complaints.add("required", f"{name!r} must be in the pack")
        if unit.demanded and unit.excluded:
            complaints.add("must_exclude", f"{name!r} is both required and excluded by {unit.excludes[0]!r}")
        if name not in pack.rungs:
            continue
        if unit.excluded:
            complaints.add(
                "must_exclude", f"{name!r} is in the pack against mustExclude {unit.excludes[0]!r}"
            )
        risk = unit.unit.risk_score
        if unit.over_risk or (unit.demanded and risk > policy.required_risk_ceiling):
            complaints.add("risk", f"{name!r} is in the pack with risk {risk}")


def _check_dependencies(pack: Pack, complaints: Complaints) -> None:
    complaints.open("dependencies", "every accepted unit has what it needs")
    for name in pack.rungs:
        for other in pack.lacks(name):
            complaints.add("dependencies", f"{name!r} needs {other!r}, which is out or in too short a form")


def _check_groups(facts: Facts, pack: Pack, complaints: Complaints) -> None:
    complaints.open("redundancy_groups", f"{len(facts.groups)} groups")
    for name, group in facts.groups.items():
        kept = pack.kept(name)
        if group.policy is GroupPolicy.KEEP_AT_MOST and len(kept) > group.limit:
            complaints.add("redundancy_groups", f"group {name!r} keeps {kept}, at most {group.limit} allowed")
        strangers = [other for other in kept if facts.anchor_of(name, other) is not None]
        for other in strangers:
            anchor = facts.anchor_of(name, other)
            if not facts.may_join(name, other) or anchor not in kept:
                complaints.add("redundancy_groups", f"group {name!r} keeps {other!r} and prefers {anchor!r}")
        if len(strangers) > 1:
            complaints.add(
                "redundancy_groups", f"group {name!r} keeps {strangers}, at most one example allowed"
            )


def _check_dimensions(facts: Facts, pack: Pack, complaints: Complaints) -> None:
    complaints.open("required_coverage", "required dimensions have enough units")
    counts = Counter(dimension for name in pack.rungs for dimension in facts.units[name].covers)
    for dimension in facts.problem.coverage:
        if not dimension.required:
            continue
        count = counts[dimension.name]
        complaints.require(
            "required_coverage",
            count >= dimension.min_count,
            f"dimension {dimension.name!r} has {count} units, needs {dimension.min_count}",
        )
