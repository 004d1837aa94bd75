"""The stable prefix of a pack: where its cache markers go, and the request that holds them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from .exits import redacted
from .models import (
    Diagnostic,
    ModelProfile,
    PackedContext,
    Problem,
    PromptReport,
    Severity,
    UnknownReferenceError,
    UsageError,
)
from .prompt import (
    CachePlan,
    CacheRule,
    Order,
    chat_request,
    find_cache_rule,
    lint_prefix,
    plan_breakpoints,
    render,
)

_SERVED: Final = {
    "anthropic": frozenset({"anthropic"}),
    "bedrock": frozenset({"bedrock"}),
    "openai": frozenset({"openai"}),
    "responses": frozenset({"openai"}),
}
"""Whose markers each shape of request can hold."""


@dataclass(frozen=True)
class PromptRequest:
    """A prompt as a provider's request; ``plan`` says where the prefix ends, None without a model."""

    data: dict[str, Any]
    plan: CachePlan | None
    warnings: tuple[str, ...]


def prompt_of(context: PackedContext) -> PromptReport:
    """Return the prompt's report of an artifact; UsageError where it has none."""
    if context.prompt is None:
        raise UsageError("the artifact has no prompt", field="ARTIFACT", hint="make it with 'satchel pack'")
    return context.prompt


def order_of(context: PackedContext) -> Order:
    """Return how the units of a pack's prompt are ordered."""
    return "stable-first" if context.prompt is None else context.prompt.placement or "stable-first"


def rule_of(profile: ModelProfile | None) -> CacheRule | None:
    """Return what is known of the prompt cache of the model that a pack is counted for, or None."""
    if profile is None or not profile.model:
        return None
    try:
        return find_cache_rule(profile.model)
    except UnknownReferenceError:
        return None


def prefix_diagnostics(
    report: PromptReport, problem: Problem, rule: CacheRule | None
) -> tuple[Diagnostic, ...]:
    """Return what is to be known of a prompt's stable prefix: that it is not cached, or will not stay so."""
    found: list[Diagnostic] = []
    boundary = report.boundary
    if rule is not None and boundary.reason == "below_minimum":
        data: dict[str, Any] = {"tokens": boundary.tokens, "minimum": rule.minimum, "provider": rule.provider}
        text = f"the stable prefix of {boundary.tokens} tokens is not cached: {rule.provider} caches"
        text += f" {rule.minimum} or more of this model"
        found.append(Diagnostic(severity=Severity.INFO, code="prefix_below_minimum", message=text, data=data))
    elif rule is not None and boundary.cacheable and (doubt := rule.doubt(boundary.tokens)):
        data = {"tokens": boundary.tokens, "minimum": rule.minimum, "observed": rule.safe_minimum}
        found.append(Diagnostic(severity=Severity.INFO, code="prefix_in_doubt", message=doubt, data=data))
    for breaker in lint_prefix(problem.by_id[name] for name in boundary.segment_ids):
        data = {"id": breaker.id, "rule": breaker.rule, "line": breaker.line}
        found.append(
            Diagnostic(severity=Severity.WARNING, code="prefix_breaker", message=str(breaker), data=data)
        )
    return tuple(found)


def plan_of(
    context: PackedContext, rule: CacheRule, *, used: int = 0, lifetimes: Mapping[str, str] | None = None
) -> CachePlan:
    """Return the cache markers of a pack's prompt: behind its stable prefix, and between its zones.

    Raises as :func:`satchel.prompt.plan_breakpoints`.
    """
    report = prompt_of(context)
    units = {unit.id: unit for unit in context.accepted_units}
    sizes = {entry.id: entry.tokens for entry in report.manifest}
    leading = report.order[: report.boundary.index]
    zones = [units[name].zone for name in leading]
    # Behind a shared beginning nothing is cached, be it stable or not: other pages do not have it.
    stable = {*leading, *report.boundary.stranded_ids}
    return plan_breakpoints(
        [(name, sizes[name], "stable" if name in stable else "volatile") for name in report.order],
        rule,
        borders=[leading[i] for i in range(len(leading) - 1) if zones[i] != zones[i + 1]],
        lifetimes=lifetimes,
        used=used,
        frame_tokens=max(0, report.boundary.tokens - sum(sizes[name] for name in leading)),
    )


def request_of(
    context: PackedContext,
    problem: Problem,
    shape: str,
    *,
    model: str | None = None,
    used: int = 0,
    lifetimes: Mapping[str, str] | None = None,
) -> PromptRequest:
    """Return the prompt of a pack in the shape of a provider's request, with its cache markers.

    Parameters
    ----------
    shape
        ``anthropic``, ``openai``, ``responses``, ``bedrock`` or ``gemini``.
    model
        Whose rules say where markers go; the model that the pack was counted for when None. Without any
        model there are none.
    used
        Markers that the caller's request holds already, on tool definitions for example.

    Raises
    ------
    UsageError
        ``problem`` is not the one that the artifact answers, or an option cannot be used.
    UnknownReferenceError
        Nothing is known of the model's cache.
    """
    if problem.digest != context.solver.problem_digest:
        raise UsageError(
            "the artifact answers another problem than the one given",
            code="other_problem",
            field="problem",
            hint="give the problem file that was written with the artifact",
        )
    report = prompt_of(context)
    rungs = {unit.id: unit.rung for unit in context.accepted_units}
    accepted = [(name, rungs[name]) for name in report.order]
    rendered = render(problem, accepted, report.format, order_of(context), redacted)
    name = model or (context.model_profile.model if context.model_profile else "")
    if not name:
        return PromptRequest(chat_request(rendered, shape), None, ("no model is named: no cache markers",))
    rule = find_cache_rule(name)
    plan = plan_of(context, rule, used=used, lifetimes=lifetimes)
    warnings = list(plan.warnings)
    markers = plan.markers if rule.provider in _SERVED.get(shape, ()) else ()
    if plan.markers and not markers:
        warnings.append(f"requests of this shape take no markers for {rule.provider}")
    if not plan.boundary.cacheable:
        warnings.append(
            f"the stable prefix is not cached: {plan.boundary.tokens} tokens, "
            f"{plan.boundary.reason.replace('_', ' ')}; the minimum is {rule.minimum}"
        )
    return PromptRequest(chat_request(rendered, shape, markers), plan, tuple(warnings))
