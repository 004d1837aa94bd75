"""The sums that an artifact states: envelope, zones, coverage, objective."""

from __future__ import annotations

from ...models import PackedContext, Severity
from .facts import Facts
from .pack import Pack
from .report import Complaints


def check_budget(facts: Facts, context: PackedContext, pack: Pack, complaints: Complaints) -> None:
    """Each number of the envelope is the problem's, and the estimate is the sum of the pack."""
    check, stated, envelope = "budget", context.budget, facts.problem.envelope
    complaints.open(check, "the envelope's numbers and the sum of accepted tokens")
    for what, given, computed in (
        ("availableInputTokens", stated.available_input_tokens, envelope.available),
        ("estimatedInputTokens", stated.estimated_input_tokens, pack.tokens),
        ("maxContextTokens", stated.max_context_tokens, envelope.max_context_tokens),
        ("reservedOutputTokens", stated.reserved_output_tokens, envelope.reserved_output_tokens),
        ("safetyMarginTokens", stated.safety_margin_tokens, envelope.reserved_safety_margin_tokens),
        ("fixedOverheadTokens", stated.fixed_overhead_tokens, envelope.fixed_overhead_tokens),
    ):
        complaints.expect(check, what, given, computed)


def check_zones(facts: Facts, context: PackedContext, pack: Pack, complaints: Complaints) -> None:
    """Declared zones in their order, then others that hold something; sums, limits, what each lacks."""
    check = "zones"
    complaints.open(check, f"{len(context.zones)} zones")
    declared = [zone.name for zone in facts.problem.envelope.zones]
    others = sorted(set(pack.zone_units) - set(declared))
    complaints.expect(check, "names", [zone.name for zone in context.zones], [*declared, *others])
    for stated in context.zones:
        zone = facts.zone(stated.name)
        for what, given, computed in (
            ("units", stated.units, pack.zone_units.get(stated.name, 0)),
            ("estimatedTokens", stated.estimated_tokens, pack.zone_tokens.get(stated.name, 0)),
            ("minTokens", stated.min_tokens, zone.min_tokens),
            ("targetTokens", stated.target_tokens, zone.target_tokens),
            ("maxTokens", stated.max_tokens, zone.max_tokens),
            ("shortfall", stated.shortfall, pack.shortfalls.get(stated.name, 0)),
        ):
            complaints.expect(check, f"zone {stated.name!r}: {what}", given, computed)


def check_coverage(facts: Facts, context: PackedContext, pack: Pack, complaints: Complaints) -> None:
    """Each dimension is covered (one full cover or more), partial, or missing."""
    check = "coverage"
    complaints.open(check, f"{len(facts.problem.coverage)} dimensions")
    computed = pack.coverage
    for name in sorted(set(computed) | set(context.coverage)):
        complaints.expect(
            check, f"dimension {name!r}", context.coverage.get(name, "absent"), computed.get(name, "absent")
        )


def check_objective(facts: Facts, context: PackedContext, pack: Pack, complaints: Complaints) -> None:
    """The scale, the objective in scaled integers, and the total shortfall."""
    solver = context.solver
    complaints.open("scale", f"{facts.scale}")
    complaints.expect("scale", "solver.scale", solver.scale, facts.scale)
    complaints.require("scale", not facts.overflows, "the values are too large to be exact at any scale")
    complaints.open("objective", f"{pack.objective} at scale {facts.scale}")
    complaints.expect("objective", "solver.objective", solver.objective, pack.objective)
    complaints.open("shortfall", f"{pack.shortfall} tokens")
    complaints.expect("shortfall", "solver.shortfall", solver.shortfall, pack.shortfall)


def check_warnings(facts: Facts, context: PackedContext, pack: Pack, complaints: Complaints) -> None:
    """What a reader must be told is told: an empty pack, a missed minimum, a dimension not covered."""
    check = "warnings"
    due: list[tuple[str, dict[str, object]]] = []
    if not pack.rungs:
        due.append(("empty_pack", {"available": facts.available}))
    for name, lacks in pack.shortfalls.items():
        if lacks:
            due.append(("zone_below_minimum", {"zone": name, "lacks": lacks}))
    for name, state in pack.coverage.items():
        if state != "covered":
            due.append((f"coverage_{state}", {"dimension": name}))
    complaints.open(check, f"{len(due)} due")
    given = [(note.code, note.data) for note in context.diagnostics if note.severity is Severity.WARNING]
    for code, data in due:
        times = given.count((code, data))
        complaints.require(check, times == 1, f"{code} {data} is given {times} times, should be once")
    codes = ("empty_pack", "zone_below_minimum", "coverage_partial", "coverage_missing")
    for note in context.diagnostics:
        if note.code in codes and (note.code, note.data) not in due:
            complaints.add(check, f"{note.code} {note.data} is not so")
