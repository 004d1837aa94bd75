"""Who takes part: policy, risk and dependencies decide before anything is solved.

Each decision here is a hard rule of the contract (design §2), so none of it can cost optimality.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ..models import (
    EXAMPLE_KINDS,
    AcceptReason,
    BudgetZone,
    ContextUnit,
    GroupPolicy,
    InfeasibleError,
    OverflowPolicy,
    PolicyError,
    Problem,
    RedundancyGroup,
    RejectReason,
    SchemaError,
    selects,
)


class Rung(NamedTuple):
    """An offered form of a unit: its place in the ladder, size in tokens, depth of its state, and worth."""

    place: int
    tokens: int
    depth: int
    fidelity: float
    value: float | None


@dataclass
class Standing:
    """What the rules say of one unit before anything is solved."""

    unit: ContextUnit
    zone: BudgetZone
    rungs: list[Rung]
    required: AcceptReason | None = None
    rule: str = ""
    bonus: bool = False
    out: RejectReason | None = None
    data: dict[str, Any] = field(default_factory=dict)

    @property
    def skipped(self) -> bool:
        """Left out by a rule about the unit itself: it was never weighed."""
        return self.out in (RejectReason.MUST_EXCLUDE, RejectReason.RISK_CEILING)


@dataclass(frozen=True)
class Eligibility:
    """The standing of every unit, in canonical order, and what the groups demand of the eligible ones.

    ``anchors`` holds (member, anchor) ids: the member may be kept only with the anchor.
    ``cliques`` holds (group id, member ids, k): at most k of them may be kept.
    ``weighed`` are the ids that policy, risk and dependencies leave in; group rules come after.
    """

    standings: dict[str, Standing]
    anchors: list[tuple[str, str]]
    cliques: list[tuple[str, list[str], int]]
    weighed: frozenset[str]


def resolve(problem: Problem) -> Eligibility:
    """Apply policy, risk, dependencies and group rules.

    Raises
    ------
    PolicyError
        Two rules contradict each other, or a mustInclude selector matches nothing.
    InfeasibleError
        A required unit is too risky, or depends on what cannot be had.
    SchemaError
        A unit or rendering has no token count.
    """
    zones = {zone.name: zone for zone in problem.envelope.zones}
    standings: dict[str, Standing] = {}
    for unit in sorted(problem.units, key=lambda u: u.id):
        zone = zones.get(unit.zone)
        if zone is None:
            zone = zones[unit.zone] = BudgetZone(name=unit.zone)
        standings[unit.id] = Standing(unit=unit, zone=zone, rungs=offered_rungs(unit, zone))
    _apply_policy(problem, standings)
    _close_under_dependencies(standings, [])
    for standing in standings.values():
        # Such a zone keeps its eligible units: one that cannot be had for want of another is none of them.
        keeps_all = standing.zone.overflow_policy is OverflowPolicy.FAIL
        if keeps_all and standing.out is None and standing.required is None:
            standing.required, standing.rule = AcceptReason.ZONE_KEEPS_ALL, standing.zone.name
    weighed = frozenset(name for name, standing in standings.items() if standing.out is None)
    anchors, cliques = _apply_groups(problem, standings)
    _close_under_dependencies(standings, anchors)
    return Eligibility(standings, anchors, cliques, weighed)


def offered_rungs(unit: ContextUnit, zone: BudgetZone) -> list[Rung]:
    """Return the forms that may stand in the pack: the zone allows each, and each saves tokens."""
    rungs: list[Rung] = []
    forms = unit.renderings
    place = 0
    if unit.token_estimate is not None or unit.text is not None:
        tokens = _stated(unit, unit.token_estimate, "tokenEstimate")
        rungs.append(Rung(0, tokens, unit.compression_state.depth, 1.0, unit.value))
        place = 1
    if forms:
        allowed = zone.overflow_policy.states
        for offset, form in enumerate(forms):
            tokens = _stated(unit, form.tokens, f"the tokens of its {form.state.value} rendering")
            if not rungs or (form.state in allowed and tokens < rungs[-1].tokens):
                fidelity = 1.0 if form.fidelity is None else form.fidelity
                rungs.append(Rung(place + offset, tokens, form.state.depth, fidelity, form.value))
    return rungs


def _stated(unit: ContextUnit, tokens: int | None, what: str) -> int:
    if tokens is None:
        raise SchemaError(
            f"unit {unit.id!r} does not state {what}",
            code="tokens_missing",
            field="tokenEstimate",
            hint="state it, or count it from the text (`satchel solve --recount`)",
        )
    return tokens


def _apply_policy(problem: Problem, standings: dict[str, Standing]) -> None:
    policy = problem.policy
    everyone = list(standings.values())
    for number, selector in enumerate(policy.must_include):
        hits = [standing for standing in everyone if selects(selector, standing.unit)]
        if not hits:
            raise PolicyError(
                "matches no unit",
                code="must_include_matches_nothing",
                field=f"policy.mustInclude[{number}]",
                value=selector,
                hint="mend the selector, or move it to shouldInclude",
            )
        for standing in hits:
            if standing.required is None:
                standing.required, standing.rule = AcceptReason.MUST_INCLUDE, selector
    for standing in everyone:
        if standing.unit.required:
            standing.required, standing.rule = AcceptReason.REQUIRED, "required: true"
        standing.bonus = any(selects(selector, standing.unit) for selector in policy.should_include)
    for number, selector in enumerate(policy.must_exclude):
        for standing in everyone:
            if not selects(selector, standing.unit):
                continue
            if standing.required is not None:
                by = "required" if standing.unit.required else f"mustInclude {standing.rule!r}"
                raise PolicyError(
                    f"mustExclude {selector!r} and {by} both match unit {standing.unit.id!r}",
                    code="policy_conflict",
                    field=f"policy.mustExclude[{number}]",
                    value=selector,
                    hint="narrow one of the two rules",
                )
            if standing.out is None:
                standing.out, standing.data = RejectReason.MUST_EXCLUDE, {"rule": selector}
    for standing in everyone:
        _apply_risk(problem, standing)


def _apply_risk(problem: Problem, standing: Standing) -> None:
    policy, risk = problem.policy, standing.unit.risk_score
    if standing.out is not None:
        return
    if standing.required is not None:
        if risk > policy.required_risk_ceiling:
            raise InfeasibleError(
                f"required unit {standing.unit.id!r} has risk {risk}, above requiredRiskCeiling "
                f"{policy.required_risk_ceiling}",
                code="required_too_risky",
                hint="remove the risk from its text, do not require it, or raise the ceiling",
                data={"unit": standing.unit.id, "risk": risk, "ceiling": policy.required_risk_ceiling},
            )
        return
    if risk >= policy.risk_ceiling:
        standing.out = RejectReason.RISK_CEILING
        standing.data = {"risk": risk, "ceiling": policy.risk_ceiling}


def _close_under_dependencies(standings: dict[str, Standing], anchors: list[tuple[str, str]]) -> None:
    """Take out every unit that needs what cannot be had, until nothing changes."""
    needed_by: dict[str, list[str]] = defaultdict(list)
    for member, anchor in anchors:
        needed_by[anchor].append(member)
    for name, standing in standings.items():
        for dependency in standing.unit.dependencies:
            needed_by[dependency.id].append(name)
    queue: list[str] = []
    for name, standing in standings.items():
        if standing.out is not None:
            queue.append(name)
            continue
        for dependency in standing.unit.dependencies:
            target = standings[dependency.id]
            if not any(rung.depth <= dependency.min_rung.depth for rung in target.rungs):
                _take_out(standing, dependency.id, f"offers no rung down to {dependency.min_rung.value}")
                queue.append(name)
                break
    while queue:
        gone = queue.pop()
        for name in needed_by[gone]:
            standing = standings[name]
            if standing.out is None:
                reason = standings[gone].out
                assert reason is not None
                _take_out(standing, gone, f"is out: {reason.value}")
                queue.append(name)


def _take_out(standing: Standing, missing: str, why: str) -> None:
    if standing.required is not None:
        raise InfeasibleError(
            f"required unit {standing.unit.id!r} depends on {missing!r}, which {why}",
            code="required_dependency_unavailable",
            hint=f"allow {missing!r}, or do not require {standing.unit.id!r}",
            data={"unit": standing.unit.id, "missing": [missing]},
        )
    standing.out, standing.data = RejectReason.DEPENDENCY_UNAVAILABLE, {"missing": [missing]}


def _apply_groups(
    problem: Problem, standings: dict[str, Standing]
) -> tuple[list[tuple[str, str]], list[tuple[str, list[str], int]]]:
    anchors: list[tuple[str, str]] = []
    cliques: list[tuple[str, list[str], int]] = []
    losers: list[tuple[str, RedundancyGroup, str]] = []
    for group in sorted(problem.redundancy_groups, key=lambda g: g.id):
        members = [name for name in problem.groups[group.id] if standings[name].out is None]
        if group.policy is GroupPolicy.KEEP_AT_MOST:
            if len(members) > group.limit:
                cliques.append((group.id, members, group.limit))
        elif group.policy is not GroupPolicy.KEEP_ALL and members:
            anchor, examples = _anchor(group, members, standings)
            losers += [(name, group, anchor) for name in members if name != anchor and name not in examples]
            anchors += [(name, anchor) for name in examples]
            if len(examples) > 1:
                cliques.append((group.id, examples, 1))
    # All anchors are chosen before any loser leaves, so that the groups' order cannot matter.
    for name, group, anchor in losers:
        standing = standings[name]
        if standing.required is not None:
            raise InfeasibleError(
                f"required unit {name!r} may not be kept: group {group.id!r} keeps {anchor!r}, its most "
                "authoritative member",
                code="required_not_authoritative",
                hint=f"do not require {name!r}, or take it out of the group",
                data={"unit": name, "group": group.id, "authoritative": anchor},
            )
        standing.out = RejectReason.NOT_AUTHORITATIVE
        standing.data = {"group": group.id, "authoritative": anchor}
    return anchors, cliques


def _anchor(
    group: RedundancyGroup, members: list[str], standings: dict[str, Standing]
) -> tuple[str, list[str]]:
    """Return the most authoritative eligible member and the examples that may stand beside it."""
    ranked = sorted(members, key=lambda name: (-standings[name].unit.authority_score, name))
    if group.policy is GroupPolicy.KEEP_AUTHORITATIVE:
        return ranked[0], []
    plain = [name for name in ranked if standings[name].unit.kind not in EXAMPLE_KINDS]
    anchor = plain[0] if plain else ranked[0]
    examples = [name for name in members if name != anchor and standings[name].unit.kind in EXAMPLE_KINDS]
    return anchor, examples
