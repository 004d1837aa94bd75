"""Requirements that the rules themselves contradict: what clashes, and what would help.

:mod:`.eligible` stops at the first required unit that is too risky, needs what is out, or loses its place in
a group to a more authoritative member. Here the chain behind it is told, and each change is tried.
"""

from __future__ import annotations

from typing import Any, Final

from ..models import (
    AcceptReason,
    ContextUnit,
    InfeasibleError,
    OverflowPolicy,
    Problem,
    RejectReason,
    selects,
)
from .demands import Allowance, UndecidedError
from .eligible import Standing, offered_rungs, resolve
from .loosen import Relaxation, loosened
from .relaxations import has_pack, keep_all, not_required, openings
from .wording import required_words, tied_words

CODES: Final = frozenset(
    {"required_too_risky", "required_dependency_unavailable", "required_not_authoritative"}
)
"""Codes of the errors that :func:`explain_rules` tells more of."""

WORK: Final = 1.0
"""CP-SAT work units for all changes together."""


def explain_rules(
    problem: Problem, error: InfeasibleError, *, seed: int = 0, seconds: float | None = None
) -> InfeasibleError:
    """Return ``error`` with the conflict in sentences and the changes that make a pack possible.

    ``data`` gets ``conflict``, ``minimal``, ``relaxations`` and ``relaxationsComplete`` as
    :func:`..conflict.explain_infeasible` has them; no budget helps against a rule.
    """
    if error.code not in CODES:
        return error
    standing = _as_required(problem, str(error.data["unit"]))
    demands = [required_words(standing)]
    changes = [not_required(standing, min(rung.tokens for rung in standing.rungs))]
    if error.code == "required_too_risky":
        risk, ceiling = standing.unit.risk_score, problem.policy.required_risk_ceiling
        demands.append(f"requiredRiskCeiling {ceiling}")
        words = f"raise requiredRiskCeiling to {risk}"
        changes.append(Relaxation("required risk ceiling", standing.unit.id, risk, 1, words))
    elif error.code == "required_not_authoritative":
        group, best = str(error.data["group"]), str(error.data["authoritative"])
        demands.append(f"group {group} keeps {best!r}, its most authoritative member")
        changes.append(keep_all(group))
    else:
        free = _without_requirements(problem)
        demands += _chain(free, standing.unit.id)
        changes += openings(problem, free, free[standing.unit.id])
    found, complete = _tried(problem, changes, Allowance.of(WORK, seconds, seed))
    data: dict[str, Any] = {
        **error.data,
        "conflict": demands,
        "minimal": True,
        "available": problem.envelope.available,
        "relaxations": [change.to_data() for change in found],
        "relaxationsComplete": complete,
    }
    hint = error.hint
    if found:
        hint = f"one of these would do: {'; '.join(change.words for change in found[:3])}"
    return InfeasibleError(error.message, code=error.code, hint=hint, data=data)


def _tried(
    problem: Problem, changes: list[Relaxation], allowance: Allowance
) -> tuple[list[Relaxation], bool]:
    found: list[Relaxation] = []
    for change in changes:
        try:
            if has_pack(loosened(problem, change), allowance):
                found.append(change)
        except UndecidedError:
            return sorted(found, key=lambda change: change.rank), False
    return sorted(found, key=lambda change: change.rank), True


def _as_required(problem: Problem, name: str) -> Standing:
    """Return the standing of a unit as the required one that it is."""
    unit = next(unit for unit in problem.units if unit.id == name)
    zone = problem.envelope.zone(unit.zone)
    standing = Standing(unit=unit, zone=zone, rungs=offered_rungs(unit, zone))
    rules = [selector for selector in problem.policy.must_include if selects(selector, unit)]
    if unit.required:
        standing.required = AcceptReason.REQUIRED
    elif rules:
        standing.required, standing.rule = AcceptReason.MUST_INCLUDE, rules[0]
    else:
        standing.required = AcceptReason.ZONE_KEEPS_ALL
    return standing


def _without_requirements(problem: Problem) -> dict[str, Standing]:
    """Return how all units stand where none is required: who is out, and why, without a contradiction."""
    policy, zones = problem.policy, problem.envelope.zones
    keeping = {zone.name for zone in zones if zone.overflow_policy is OverflowPolicy.FAIL}

    def freed(unit: ContextUnit) -> ContextUnit:
        wanted = unit.required or any(selects(selector, unit) for selector in policy.must_include)
        # A required unit may be riskier than others: it is not out for that.
        return unit.model_copy(update={"required": False, "risk_score": 0.0}) if wanted else unit

    drop = {"overflow_policy": OverflowPolicy.DROP_LOW_RANK}
    envelope = problem.envelope.model_copy(
        update={"zones": tuple(z.model_copy(update=drop) if z.name in keeping else z for z in zones)}
    )
    changed = {
        "units": tuple(freed(unit) for unit in problem.units),
        "policy": policy.model_copy(update={"must_include": ()}),
        "envelope": envelope,
    }
    return resolve(problem.model_copy(update=changed)).standings


def _chain(standings: dict[str, Standing], name: str) -> list[str]:
    """Return what leads from a unit to the rule that takes out what it needs, in sentences."""
    words: list[str] = []
    while standings[name].out is RejectReason.DEPENDENCY_UNAVAILABLE:
        (missing,) = standings[name].data["missing"]
        if missing in standings[name].unit.dependency_ids:
            words.append(f"dependency of {name!r} on {missing!r}")
        else:
            words.append(tied_words(name, missing))
        if _too_short(standings[name].unit, standings[missing]):
            return [*words, f"no form of {missing!r} that its zone offers is long enough"]
        name = missing
    standing = standings[name]
    if standing.out is RejectReason.MUST_EXCLUDE:
        words.append(f"mustExclude {standing.data['rule']} matches {name!r}")
    elif standing.out is RejectReason.RISK_CEILING:
        words.append(f"riskCeiling {standing.data['ceiling']} is not above the risk of {name!r}")
    elif standing.out is RejectReason.NOT_AUTHORITATIVE:
        words.append(f"group {standing.data['group']} keeps {standing.data['authoritative']!r}, not {name!r}")
    return words


def _too_short(unit: ContextUnit, target: Standing) -> bool:
    """Whether ``unit`` needs a longer form of ``target`` than its zone offers, whatever else takes it out."""
    needs = [need for need in unit.dependencies if need.id == target.unit.id]
    return any(all(rung.depth > need.min_rung.depth for rung in target.rungs) for need in needs)
