"""From a choice of rungs to the artifact that accounts for every candidate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..models import (
    AcceptedUnit,
    Counts,
    CoverageState,
    Diagnostic,
    PackedBudget,
    PackedContext,
    PackedZone,
    RejectedUnit,
    Severity,
    SolverReport,
)
from ..models.reading import collector_paused
from .compile import Compiled, Ints, rung_values
from .eligible import Standing
from .priced.terms import Terms, packed_cost
from .reasons import Why, why_accepted, why_out, why_rejected
from .state import NONE, State

COARSE = 1e-3
"""A value that scaling changes by a larger share is worth a warning: the optimum is one of rounded values."""


@dataclass(frozen=True)
class Parts:
    """The lists of an artifact before it is put together."""

    accepted: list[AcceptedUnit]
    rejected: list[RejectedUnit]
    skipped: list[RejectedUnit]


def build_context(
    c: Compiled, choice: Ints, solver: SolverReport, diagnostics: Sequence[Diagnostic] = ()
) -> PackedContext:
    """Return the unsealed artifact of the pack ``choice`` (rung index per unit, -1 where it is out)."""
    with collector_paused():
        return _context(c, State.of(c, choice), solver, diagnostics)


def _context(
    c: Compiled, state: State, solver: SolverReport, diagnostics: Sequence[Diagnostic]
) -> PackedContext:
    parts = _parts(c, state)
    envelope = c.problem.envelope
    problem = c.problem
    return PackedContext(
        schema_version="packed-context.v1",
        task_id=problem.task_id,
        task=problem.task,
        model_profile=problem.profile,
        budget=PackedBudget(
            available_input_tokens=c.available,
            estimated_input_tokens=c.available - state.left,
            max_context_tokens=envelope.max_context_tokens,
            reserved_output_tokens=envelope.reserved_output_tokens,
            safety_margin_tokens=envelope.reserved_safety_margin_tokens,
            fixed_overhead_tokens=envelope.fixed_overhead_tokens,
        ),
        counts=Counts(
            candidates=len(problem.units),
            accepted=len(parts.accepted),
            rejected=len(parts.rejected),
            skipped=len(parts.skipped),
        ),
        zones=tuple(_zones(c, parts.accepted)),
        coverage=_coverage(c, state),
        accepted_units=tuple(parts.accepted),
        rejected_units=tuple(parts.rejected),
        skipped_units=tuple(parts.skipped),
        diagnostics=(*_diagnostics(c, state, parts), *diagnostics),
        solver=solver,
        cost=packed_cost(c, state),
    )


def _parts(c: Compiled, state: State) -> Parts:
    parts = Parts([], [], [])
    terms = Terms.of(c, state)
    for name, standing in c.eligibility.standings.items():
        if standing.out is not None:
            (parts.skipped if standing.skipped else parts.rejected).append(
                _left_out(standing, why_out(standing))
            )
            continue
        u = c.index[name]
        if state.choice[u] == NONE:
            parts.rejected.append(_left_out(standing, why_rejected(c, state, u, terms)))
        else:
            parts.accepted.append(_accepted(c, state, u))
    return parts


def _left_out(standing: Standing, why: Why) -> RejectedUnit:
    unit = standing.unit
    return RejectedUnit(
        id=unit.id,
        kind=unit.kind,
        title=unit.title,
        zone=unit.zone,
        token_estimate=standing.rungs[0].tokens,
        reason=why.code,
        detail=why.detail,
        data=why.data,
        source_refs=unit.source_refs,
    )


def _accepted(c: Compiled, state: State, u: int) -> AcceptedUnit:
    standing = c.standings[u]
    unit, rung = standing.unit, standing.rungs[state.choice[u] - int(c.rung_start[u])]
    # The ladder is the unit's own form, where it has one, and its renderings.
    place = rung.place - (unit.token_estimate is not None or unit.text is not None)
    form = unit.renderings[place] if place >= 0 else None
    why = why_accepted(c, state, u)
    return AcceptedUnit(
        id=unit.id,
        kind=unit.kind,
        title=unit.title,
        zone=unit.zone,
        compression_state=unit.compression_state if form is None else form.state,
        rung=rung.place,
        token_estimate=rung.tokens,
        value=state.values[state.choice[u]],
        reason=why.code,
        detail=why.detail,
        data=why.data,
        source_refs=unit.source_refs if form is None else form.source_refs or unit.source_refs,
        stability=unit.stability,
        trust=unit.trust,
    )


def _zones(c: Compiled, accepted: Sequence[AcceptedUnit]) -> list[PackedZone]:
    """Return the declared zones in their order, then the others that hold something, by name."""
    envelope = c.problem.envelope
    names = [zone.name for zone in envelope.zones]
    names += sorted({unit.zone for unit in accepted} - set(names))
    sizes: dict[str, list[int]] = {name: [] for name in names}
    for unit in accepted:
        sizes[unit.zone].append(unit.token_estimate)
    zones: list[PackedZone] = []
    for name, inside in sizes.items():
        limits = envelope.zone(name)
        zones.append(
            PackedZone(
                name=name,
                units=len(inside),
                estimated_tokens=sum(inside),
                min_tokens=limits.min_tokens,
                target_tokens=limits.target_tokens,
                max_tokens=limits.max_tokens,
                shortfall=max(0, limits.min_tokens - sum(inside)),
            )
        )
    return zones


def _coverage(c: Compiled, state: State) -> dict[str, CoverageState]:
    """Return covered (one full cover or more), partial (above 0) or missing by dimension (design §2)."""
    states: dict[str, CoverageState] = {}
    for cover, amount in zip(c.covers, state.amounts, strict=True):
        states[cover.name] = "covered" if amount >= c.amount_scale else "partial" if amount > 0 else "missing"
    return states


def _diagnostics(c: Compiled, state: State, parts: Parts) -> list[Diagnostic]:
    notes: list[Diagnostic] = []
    if not parts.accepted:
        smallest = min((int(t) for t in c.tokens), default=None)
        text = "the pack is empty"
        if smallest is not None:
            text += f": the smallest candidate needs {smallest} tokens, {c.available} are available"
        notes.append(_warn("empty_pack", text, {"available": c.available}))
    for zone, used in zip(c.zones, state.zone_used, strict=True):
        if zone.relax and used < zone.minimum:
            text = f"zone {zone.name} holds {used} of its minimum of {zone.minimum} tokens"
            notes.append(_warn("zone_below_minimum", text, {"zone": zone.name, "lacks": zone.minimum - used}))
    for name, covered in _coverage(c, state).items():
        if covered != "covered":
            notes.append(_warn(f"coverage_{covered}", f"{name} is {covered}", {"dimension": name}))
    notes += _unmatched(c)
    return notes


def _unmatched(c: Compiled) -> list[Diagnostic]:
    """Say what was written and has no effect: a rule that matches nothing, a tag that no dimension weighs."""
    notes: list[Diagnostic] = []
    declared = {dimension.name for dimension in c.problem.coverage}
    unknown = sorted({name for unit in c.problem.units for name in unit.coverage} - declared)
    if unknown:
        text = f"coverage of {', '.join(unknown[:5])} counts for nothing: no such dimension is declared"
        notes.append(
            Diagnostic(
                severity=Severity.INFO, code="dimension_undeclared", message=text, data={"names": unknown}
            )
        )
    given = rung_values(c.problem, c.standings) if c.standings else np.zeros(0)
    rounded = given * c.scale
    # Values made of scores are nobody's to multiply, and are not meant to a thousandth.
    stated = np.array([s.unit.value is not None or r.value is not None for s in c.standings for r in s.rungs])
    lossy = (given != 0) & (np.abs(rounded - np.rint(rounded)) > COARSE * np.abs(rounded))
    coarse = int((lossy & stated).sum()) if len(stated) else 0
    if coarse:
        text = f"{coarse} values are rounded by more than 0.1 % at the scale 1/{c.scale}: multiply all values"
        notes.append(_warn("values_rounded", text, {"values": coarse, "scale": c.scale}))
    bonus = [s.unit.id for s in c.standings if s.bonus and s.unit.value is not None]
    if bonus:
        text = f"shouldInclude adds nothing to {len(bonus)} units whose explicit value is taken as it stands"
        notes.append(
            Diagnostic(severity=Severity.INFO, code="bonus_ignored", message=text, data={"units": bonus})
        )
    return notes


def _warn(code: str, message: str, data: dict[str, object]) -> Diagnostic:
    return Diagnostic(severity=Severity.WARNING, code=code, message=message, data=data)
