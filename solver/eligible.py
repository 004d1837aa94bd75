"""Who takes part: policy, risk and dependencies decide before anything is solved.

Each decision here is a hard rule of the contract (design §2), so none of it can cost optimality.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any, Final, NamedTuple

from ..models import (
    CATEGORIES,
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
    State,
    selects,
)

DEPTHS: Final = {state: state.depth for state in State}


class Rung(NamedTuple):
    """An offered form of a unit: its place in the ladder, size in tokens, depth of its state, and worth."""

    place: int
    tokens: int
    depth: int
    fidelity: float
    value: float | None


@dataclass(slots=True)
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
    for unit in sorted(problem.units, key=attrgetter("id")):
        zone = zones.get(unit.zone)
        if zone is None:
            zone = zones[unit.zone] = BudgetZone(name=unit.zone)
        standings[unit.id] = Standing(unit, zone, offered_rungs(unit, zone))
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
    """Return the forms that may stand in the pack: the zone allows each, and each saves tokens.

    A unit that is held at a form has that one, whatever its zone allows.
    """
    if unit.held is not None:
        return [_held_rung(unit, unit.held)]
    rungs: list[Rung] = []
    place = last = 0
    if unit.token_estimate is not None or unit.text is not None:
        last = _stated(unit, unit.token_estimate, None)
        rungs.append(Rung(0, last, DEPTHS[unit.compression_state], 1.0, unit.value))
        place = 1
    allowed = zone.overflow_policy.states if unit.renderings else frozenset()
    for form in unit.renderings:
        state, tokens = form.state, form.tokens
        if tokens is None:
            tokens = _stated(unit, None, state)
        if not rungs or (tokens < last and state in allowed):
            fidelity = form.fidelity
            rungs.append(
                Rung(place, tokens, DEPTHS[state], 1.0 if fidelity is None else fidelity, form.value)
            )
            last = tokens
        place += 1
    return rungs


def _held_rung(unit: ContextUnit, place: int) -> Rung:
    form = unit.ladder()[place]
    is_own = place == 0 and (unit.token_estimate is not None or unit.text is not None)
    tokens = form.tokens
    if tokens is None:
        tokens = _stated(unit, None, None if is_own else form.state)
    return Rung(
        place, tokens, DEPTHS[form.state], 1.0 if form.fidelity is None else form.fidelity, form.value
    )


def _stated(unit: ContextUnit, tokens: int | None, rendering: State | None) -> int:
    if tokens is None:
        what = "tokenEstimate" if rendering is None else f"the tokens of its {rendering.value} rendering"
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
        hits = _selected(selector, everyone)
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
    for selector in policy.should_include:
        for standing in _selected(selector, everyone):
            standing.bonus = True
    for number, selector in enumerate(policy.must_exclude):
        for standing in _selected(selector, everyone):
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


def _selected(selector: str, everyone: list[Standing]) -> list[Standing]:
    """Return the standings of the units that ``selector`` matches; each distinct name is matched once."""
    fields = sorted({part.partition(":")[0] for part in CATEGORIES.get(selector, (selector,))})
    if "id" in fields:
        return [standing for standing in everyone if selects(selector, standing.unit)]
    keys = [SELECTED_BY[name] for name in fields]
    known: dict[Any, bool] = {}
    found: list[Standing] = []
    for standing in everyone:
        unit = standing.unit
        names = keys[0](unit) if len(keys) == 1 else tuple([key(unit) for key in keys])
        hit = known.get(names)
        if hit is None:
            hit = known[names] = selects(selector, unit)
        if hit:
            found.append(standing)
    return found


def _paths(unit: ContextUnit) -> tuple[str, ...]:
    return tuple([ref.path for ref in unit.source_refs])


SELECTED_BY: Final[dict[str, Callable[[ContextUnit], Hashable]]] = {
    "kind": attrgetter("kind"),
    "tag": attrgetter("tags"),
    "zone": attrgetter("zone"),
    "path": _paths,
}
"""What a selector of each field looks at; ids are matched one by one."""


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
            deepest = DEPTHS[dependency.min_rung]
            if not any(rung.depth <= deepest for rung in standings[dependency.id].rungs):
                _take_out(standing, dependency.id, f"offers no rung down to {dependency.min_rung.value}")
                queue.append(name)
                break
    while queue:
        gone = queue.pop()
        for name in needed_by.get(gone, ()):
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
