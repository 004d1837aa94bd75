"""Builds the artifact that claims a given selection, right or wrong: what the checker is tested with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from oracle import Model

from satchel.models import Certificate, PackedContext, Problem
from satchel.solver.verify.certificate import Proof
from satchel.solver.verify.facts import Facts

Reasons = Mapping[str, tuple[str, dict[str, Any]]]


def artifact(
    problem: Problem,
    selection: Mapping[str, int],
    *,
    reasons: Reasons | None = None,
    solver: Mapping[str, Any] | None = None,
) -> PackedContext:
    """Return a sealed artifact whose sums are right for ``selection``, feasible or not.

    Units left out are ``no_gain`` unless ``reasons`` (by id: code and data) says otherwise; the solver
    section claims no more than a feasible pack, with ``solver`` laid over it.
    """
    model = Model(problem)
    accepted = [_accepted(model, name, rung) for name, rung in sorted(selection.items())]
    skipped, rejected = [], []
    for name in sorted(set(model.units) - set(selection)):
        code, data = (reasons or {}).get(name) or _why_out(model, name)
        entry = _labels(model, name) | {
            "tokenEstimate": model.forms[name][0].tokens,
            "sourceRefs": _refs(model.units[name].source_refs),
            "reason": code,
            "data": data,
        }
        (skipped if code in ("must_exclude", "risk_ceiling") else rejected).append(entry)
    envelope, objective = problem.envelope, model.objective(selection)
    bound = objective + 1000
    context = PackedContext.from_data(
        {
            "schemaVersion": "packed-context.v1",
            "taskId": problem.task_id,
            "task": problem.task and problem.task.to_data(),
            "modelProfile": problem.profile and problem.profile.to_data(),
            "budget": {
                "availableInputTokens": envelope.available,
                "estimatedInputTokens": model.tokens(selection),
                "maxContextTokens": envelope.max_context_tokens,
                "reservedOutputTokens": envelope.reserved_output_tokens,
                "safetyMarginTokens": envelope.reserved_safety_margin_tokens,
                "fixedOverheadTokens": envelope.fixed_overhead_tokens,
            },
            "counts": {
                "candidates": len(problem.units),
                "accepted": len(accepted),
                "rejected": len(rejected),
                "skipped": len(skipped),
            },
            "zones": _zones(model, selection),
            "coverage": _coverage(model, selection),
            "diagnostics": _warnings(model, selection),
            "acceptedUnits": accepted,
            "rejectedUnits": rejected,
            "skippedUnits": skipped,
            "solver": {
                "status": "feasible",
                "stopReason": "deterministic_limit",
                "engine": "cp-sat",
                "objective": objective,
                "bound": bound,
                "gap": (bound - objective) / max(1, abs(objective)),
                "scale": model.scale,
                "shortfall": model.shortfall(selection),
                "shortfallBound": 0,
                "limits": {"deterministicLimit": 1.0},
                "versions": {"satchel": "0"},
                "problemDigest": problem.digest,
                "certificate": {
                    "denominator": 1,
                    "bound": _weakest_bound(problem, model.shortfall(selection)),
                },
                **(solver or {}),
            },
        }
    )
    return context.seal()


def _weakest_bound(problem: Problem, shortfall: int) -> int:
    """Return what no multipliers at all prove: everything of value together."""
    return Proof(Facts(problem), Certificate(denominator=1, bound=0), shortfall).total()


def _labels(model: Model, name: str) -> dict[str, Any]:
    unit = model.units[name]
    return {"id": name, "kind": unit.kind, "title": unit.title, "zone": unit.zone}


def _accepted(model: Model, name: str, rung: int) -> dict[str, Any]:
    unit, form = model.units[name], model.form(name, rung)
    rules = model.matches(model.problem.policy.must_include, name)
    data: dict[str, Any] = {"value": model.value(form), "tokens": form.tokens}
    reason = "value"
    if unit.required:
        reason = "required"
    elif rules:
        reason, data["rule"] = "must_include", rules[0]
    elif name in model.must:
        reason, data["zone"] = "zone_keeps_all", unit.zone
    return _labels(model, name) | {
        "compressionState": form.state,
        "rung": rung,
        "tokenEstimate": form.tokens,
        "value": model.value(form),
        "reason": reason,
        "data": data,
        "sourceRefs": _refs(unit.ladder()[rung].source_refs or unit.source_refs),
        "stability": unit.stability,
        "trust": unit.trust,
    }


def _refs(refs: tuple[Any, ...]) -> list[dict[str, Any]]:
    return [ref.to_data() for ref in refs]


def _why_out(model: Model, name: str) -> tuple[str, dict[str, Any]]:
    unit, policy = model.units[name], model.problem.policy
    reason = model.out.get(name)
    if reason == "must_exclude":
        return reason, {"rule": model.matches(policy.must_exclude, name)[0]}
    if reason == "risk_ceiling":
        return reason, {"risk": unit.risk_score, "ceiling": policy.risk_ceiling}
    if reason == "dependency_unavailable":
        return reason, {"missing": [need for need in unit.dependency_ids if need in model.out]}
    return "no_gain", {"gain": 0}


def _zones(model: Model, selection: Mapping[str, int]) -> list[dict[str, Any]]:
    names = [*model.zones, *sorted({model.units[name].zone for name in selection} - set(model.zones))]
    return [
        {
            "name": name,
            "units": sum(model.units[unit].zone == name for unit in selection),
            "estimatedTokens": model.tokens(selection, name),
            "minTokens": model.zones[name].min_tokens if name in model.zones else 0,
            "targetTokens": model.zones[name].target_tokens if name in model.zones else None,
            "maxTokens": model.zones[name].max_tokens if name in model.zones else None,
            "shortfall": model.shortfalls(selection)[name]
            if name in model.zones and model.relaxed(name)
            else 0,
        }
        for name in names
    ]


def _coverage(model: Model, selection: Mapping[str, int]) -> dict[str, str]:
    states = {}
    for dimension in model.problem.coverage:
        amount = model.amount(dimension.name, selection)
        states[dimension.name] = (
            "covered" if amount >= model.amount_scale else "partial" if amount else "missing"
        )
    return states


def _warnings(model: Model, selection: Mapping[str, int]) -> list[dict[str, Any]]:
    notes: list[tuple[str, dict[str, Any]]] = []
    if not selection:
        notes.append(("empty_pack", {"available": model.problem.envelope.available}))
    for name, lacks in model.shortfalls(selection).items():
        if lacks and model.relaxed(name):
            notes.append(("zone_below_minimum", {"zone": name, "lacks": lacks}))
    for name, state in _coverage(model, selection).items():
        if state != "covered":
            notes.append((f"coverage_{state}", {"dimension": name}))
    return [{"severity": "warning", "code": code, "message": code, "data": data} for code, data in notes]
