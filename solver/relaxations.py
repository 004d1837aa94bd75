"""The cheapest single changes that make a pack possible, each checked by a solve.

Limits (budget, zones, groups, counts) are dropped and brought as near to what was asked as the others allow.
What changes who takes part (a rule, a requirement, a dependency) is tried on the changed problem itself,
since it may change the eligibility of others too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..models import (
    AcceptReason,
    GroupPolicy,
    InfeasibleError,
    InputError,
    OverflowPolicy,
    Problem,
    RejectReason,
    State,
)
from .compile import Compiled, compile_problem
from .demands import ASKING, Allowance, Demands, Extreme, UndecidedError
from .eligible import Standing, offered_rungs
from .linear import UNBOUNDED, build
from .loosen import Kind, Relaxation, loosened
from .wording import plural

MOST_TRIED = 20
"""Changes that are tried: a longer list helps nobody. Limits come first, then the largest required units."""

COMPILING = 1e-6
"""CP-SAT work units that compiling a changed problem costs, per unit."""


def has_pack(problem: Problem, allowance: Allowance) -> bool:
    """Tell whether ``problem`` has a pack.

    Raises
    ------
    UndecidedError
        The allowance ended before that was known.
    """
    if allowance.gone:
        raise UndecidedError
    allowance.spend(ASKING + COMPILING * len(problem.units))
    try:
        c = compile_problem(problem)
    except (InfeasibleError, InputError):
        return False
    demands = Demands(build(c))
    verdict = demands.ask(demands.rows, allowance)
    if verdict == "unknown":
        raise UndecidedError
    return verdict == "pack"


def relaxations(
    c: Compiled, demands: Demands, conflict: Sequence[int], budget: Extreme | None, allowance: Allowance
) -> tuple[list[Relaxation], bool]:
    """Return the changes of single demands of ``conflict`` that make a pack possible, cheap ones first.

    ``budget`` is the smallest budget that is known to work.

    The second value tells whether every change was tried; where another conflict stands beside this one, none
    does alone.
    """
    limits = [i for i in conflict if demands.linear.rows[i].family not in ("required", "dependency")]
    units = [i for i in conflict if demands.linear.rows[i].family in ("required", "dependency")]
    units.sort(key=lambda i: (-demands.size(i), i))
    found: list[Relaxation] = []
    try:
        for row in limits[:MOST_TRIED]:
            found += _limit(c, demands, row, budget, allowance)
    except UndecidedError:
        return _ranked(found), False
    changes = list(_changes(c, demands, conflict, units))
    room = max(0, MOST_TRIED - len(limits))
    try:
        for change in changes[:room]:
            if has_pack(loosened(c.problem, change), allowance):
                found.append(change)
    except UndecidedError:
        return _ranked(found), False
    return _ranked(found), len(limits) <= MOST_TRIED and len(changes) <= room


def _ranked(found: list[Relaxation]) -> list[Relaxation]:
    best: dict[tuple[str, str, str], Relaxation] = {}
    for change in found:
        # Of two policies that both work, the milder one was tried first.
        best.setdefault((change.kind, change.name, change.other), change)
    return sorted(best.values(), key=lambda change: change.rank)


def _limit(
    c: Compiled, demands: Demands, row: int, budget: Extreme | None, allowance: Allowance
) -> Iterator[Relaxation]:
    """Yield the least change of a limit that leaves a pack, if there is one."""
    linear = demands.linear
    family, name = linear.rows[row].family, linear.rows[row].name
    low, high = int(linear.lo[row]), int(linear.hi[row])
    group = next((g for g in c.problem.redundancy_groups if g.id == name), None)
    if family == "group" and group is not None and group.policy is not GroupPolicy.KEEP_AT_MOST:
        change = keep_all(name)
        if has_pack(loosened(c.problem, change), allowance):
            yield change
        return
    most = high >= UNBOUNDED
    reached = budget
    if family != "budget" or budget is None:
        reached = demands.extreme([i for i in demands.rows if i != row], row, allowance, most=most)
    if reached is None:
        return
    value = reached.value
    if not most and value <= high:
        return
    kinds: dict[str, tuple[Kind, int, str]] = {
        "budget": ("budget", value - high, f"a budget of {plural(value, 'token')}"),
        "zone maximum": ("zone maximum", value - high, f"raise maxTokens of zone {name} to {value}"),
        "zone minimum": ("zone minimum", low - value, f"lower minTokens of zone {name} to {value}"),
        "group": ("group", value - high, f"let group {name} keep {value}"),
        "coverage": ("coverage", low - value, _coverage_words(name, value)),
    }
    kind, cost, words = kinds[family]
    yield Relaxation(kind, name, value, cost, words, least=reached.proven)


def _coverage_words(name: str, reached: int) -> str:
    if reached == 0:
        return f"do not require dimension {name}"
    return f"ask dimension {name} for {plural(reached, 'unit')}"


def keep_all(name: str) -> Relaxation:
    """Return the change that lets a group keep all of its members."""
    return Relaxation("group policy", name, "keep_all", 1, f"let group {name} keep all (policy keep_all)")


def _changes(
    c: Compiled, demands: Demands, conflict: Sequence[int], units: Sequence[int]
) -> Iterator[Relaxation]:
    """Yield what may help of who takes part: shorter forms, openings, then units and their needs."""
    rows = demands.linear.rows
    required = [c.standings[c.index[rows[i].name]] for i in units if rows[i].family == "required"]
    yield from _policies(required)
    for i in conflict:
        if rows[i].family == "coverage":
            yield from _coverers(c, rows[i].name)
    for i in units:
        standing = c.standings[c.index[rows[i].name]]
        if rows[i].family == "required":
            yield not_required(standing, demands.size(i))
        elif rows[i].other in standing.unit.dependency_ids:
            yield from needs_less(standing, rows[i].other)
        else:  # a group keeps the member with its most authoritative one only
            yield from map(keep_all, _groups_of(c.problem, rows[i].name, rows[i].other))


def _groups_of(problem: Problem, *members: str) -> list[str]:
    tied = GroupPolicy.KEEP_AUTHORITATIVE_PLUS_ONE_EXAMPLE
    return sorted(
        group.id
        for group in problem.redundancy_groups
        if group.policy is tied and set(members) <= set(problem.groups[group.id])
    )


def _policies(required: Sequence[Standing]) -> Iterator[Relaxation]:
    """Yield, for each zone that holds required units, the milder overflow policies that would help them."""
    for name in sorted({standing.zone.name for standing in required}):
        inside = [standing for standing in required if standing.zone.name == name]
        zone = inside[0].zone
        kept = [s for s in inside if s.required is AcceptReason.ZONE_KEEPS_ALL]
        if kept:
            words = f"let zone {name} drop units (overflowPolicy drop_low_rank)"
            yield Relaxation("overflow policy", name, "drop_low_rank", len(kept), words)
        for policy in (OverflowPolicy.COMPRESS, OverflowPolicy.SUMMARIZE):
            if not zone.overflow_policy.states < policy.states:
                continue
            other = zone.model_copy(update={"overflow_policy": policy})
            shorter = [s for s in inside if len(offered_rungs(s.unit, other)) > len(s.rungs)]
            if shorter:
                words = f"let zone {name} shorten its units (overflowPolicy {policy.value})"
                yield Relaxation("overflow policy", name, policy.value, len(shorter), words)


def _coverers(c: Compiled, dimension: str) -> Iterator[Relaxation]:
    """Yield what would let in a unit that covers ``dimension`` and is out by a rule."""
    standings = c.eligibility.standings
    for standing in standings.values():
        if standing.out is not None and standing.unit.coverage.get(dimension, 0.0) > 0:
            yield from openings(c.problem, standings, standing)


def not_required(standing: Standing, tokens: int) -> Relaxation:
    """Return the change that lets the required unit of ``standing`` go, at the cost of its ``tokens``."""
    name = standing.unit.id
    if standing.required is AcceptReason.ZONE_KEEPS_ALL:
        words = f"exclude {name!r}, which zone {standing.zone.name} keeps"
        return Relaxation("exclude", name, None, tokens, words)
    by = f" (mustInclude {standing.rule})" if standing.required is AcceptReason.MUST_INCLUDE else ""
    return Relaxation("required", name, None, tokens, f"do not require {name!r}{by}")


def needs_less(standing: Standing, other: str) -> Iterator[Relaxation]:
    """Yield the changes that let a unit do with a shorter form of ``other``, or without it."""
    name = standing.unit.id
    (need,) = (need for need in standing.unit.dependencies if need.id == other)
    if need.min_rung is not State.SUMMARIZED:
        words = f"let {name!r} do with a shorter form of {other!r} (minRung summarized)"
        yield Relaxation("dependency rung", name, State.SUMMARIZED.value, 1, words, other=other)
    yield Relaxation(
        "dependency", name, None, 1, f"drop the dependency of {name!r} on {other!r}", other=other
    )


def openings(problem: Problem, standings: dict[str, Standing], standing: Standing) -> Iterator[Relaxation]:
    """Yield the changes that may let in a unit that is out: of the rule behind it, or of what it needs."""
    seen: set[str] = set()
    while standing.unit.id not in seen:
        seen.add(standing.unit.id)
        name = standing.unit.id
        if standing.out is RejectReason.MUST_EXCLUDE:
            rule = str(standing.data["rule"])
            yield Relaxation("must exclude", rule, None, 1, f"take {rule!r} out of mustExclude")
        elif standing.out is RejectReason.RISK_CEILING:
            risk = standing.unit.risk_score
            if risk < 1.0:
                value = round(min(1.0, risk + 0.001), 6)
                words = f"raise riskCeiling above the risk {risk} of {name!r}"
                yield Relaxation("risk ceiling", name, value, 1, words)
        elif standing.out is RejectReason.NOT_AUTHORITATIVE:
            yield keep_all(str(standing.data["group"]))
        elif standing.out is RejectReason.DEPENDENCY_UNAVAILABLE:
            (missing,) = standing.data["missing"]
            if missing in standing.unit.dependency_ids:
                yield from needs_less(standing, missing)
            else:
                yield from map(keep_all, _groups_of(problem, name, missing))
            standing = standings[missing]
