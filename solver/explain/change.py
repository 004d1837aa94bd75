"""A problem with another budget, all parts of its envelope still adding up."""

from __future__ import annotations

from ...models import BudgetEnvelope, Problem


def with_budget(problem: Problem, available: int) -> Problem:
    """Return ``problem`` with ``available`` tokens for units; zones, reserves and overhead as they stand."""
    envelope = problem.envelope
    parts = {name: getattr(envelope, name) for name in BudgetEnvelope.model_fields}
    parts["available_input_tokens"] = available
    if envelope.max_context_tokens is not None:
        parts["max_context_tokens"] = envelope.max_context_tokens + available - envelope.available
    return problem.model_copy(update={"envelope": BudgetEnvelope(**parts)})
