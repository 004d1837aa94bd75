"""The sums that an artifact states: envelope, zones, coverage, objective."""

from __future__ import annotations

import math
from typing import Final

from ...models import DEFAULT_ZONES, PackedContext
from .facts import Facts
from .pack import Pack
from .report import Complaints

ROUNDING: Final = 1e-9
"""What a sum of decimal fractions may miss of a full cover: 0.7 + 0.3 is one."""


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
    """Each zone once, with its units, tokens, limits and what a relaxed minimum lacks."""
    check = "zones"
    complaints.open(check, f"{len(context.zones)} zones")
    names = [zone.name for zone in context.zones]
    declared = {zone.name for zone in facts.problem.envelope.zones}
    possible = declared | set(DEFAULT_ZONES) | {unit.unit.zone for unit in facts.units.values()}
    complaints.require(check, len(set(names)) == len(names), "a zone is listed twice")
    for name in sorted((declared | set(pack.zone_units)) - set(names)):
        complaints.add(check, f"zone {name!r} is not listed")
    for stated in context.zones:
        if stated.name not in possible:
            complaints.add(check, f"zone {stated.name!r} is no zone of the problem")
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
    computed = {}
    for dimension in facts.problem.coverage:
        amount = math.fsum(
            facts.units[name].unit.coverage.get(dimension.name, 0.0) * rung.fidelity
            for name, rung in pack.rungs.items()
        )
        full = amount >= 1 - ROUNDING
        computed[dimension.name] = "covered" if full else "partial" if amount > 0 else "missing"
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
