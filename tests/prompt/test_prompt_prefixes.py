"""What the face says of a pack's stable prefix."""

from __future__ import annotations

import pytest

from satchel.models import Boundary, ModelProfile, Problem, PromptReport
from satchel.prefixes import prefix_diagnostics, rule_of


def report(tokens: int, reason: str = "all_stable") -> PromptReport:
    boundary = Boundary(
        index=1,
        segment_ids=("system",),
        reason=reason,  # type: ignore[arg-type]
        cacheable=reason == "all_stable",
        tokens=tokens,
    )
    return PromptReport(
        format="markdown",
        order=("system",),
        boundary=boundary,
        tokens=tokens,
        limit=9000,
        method="exact",
        digest="x",
    )


def problem(text: str) -> Problem:
    return Problem.from_data(
        {
            "schemaVersion": "packing-problem.v1",
            "envelope": {"availableInputTokens": 9},
            "units": [{"id": "system", "text": text}],
        }
    )


@pytest.mark.parametrize(
    ("model", "tokens", "reason", "codes"),
    [
        ("claude-haiku-4-5", 377, "below_minimum", ["prefix_below_minimum"]),
        ("claude-sonnet-4-6", 1500, "all_stable", ["prefix_in_doubt"]),
        ("claude-sonnet-4-6", 2048, "all_stable", []),
        ("unheard-of-1", 5, "all_stable", []),
        ("", 5, "all_stable", []),
    ],
)
def test_what_is_said_of_a_prefix(model: str, tokens: int, reason: str, codes: list[str]) -> None:
    """K04: why nothing is cached, and where it is in doubt."""
    rule = rule_of(ModelProfile(model=model))
    found = prefix_diagnostics(report(tokens, reason), problem("Write well."), rule)
    assert [entry.code for entry in found] == codes
    assert all(str(tokens) in entry.message for entry in found)


def test_a_clock_in_the_prefix_is_a_warning() -> None:
    """K01: written every turn, never read."""
    (found,) = prefix_diagnostics(report(9), problem("Now: 2026-11-30."), None)
    assert (found.code, found.severity, found.data["rule"]) == ("prefix_breaker", "warning", "date")
    assert rule_of(None) is None
