"""The summary of a pack (seed 000 §16): budget, included, rejected, coverage, status, tokens by zone."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

from pydantic.alias_generators import to_camel

from .exits import redacted
from .models import PackedContext, RejectedUnit, Severity

NAMED = 3
"""How many candidates of one reason are named."""


@dataclass(frozen=True)
class Line:
    """Candidates that share a kind or a reason: how many, their tokens, and the first of them by size."""

    name: str
    units: int
    tokens: int
    examples: list[str]


@dataclass(frozen=True)
class ZoneLine:
    """One zone: tokens held beside its limits, and its share of what the pack holds (0..1)."""

    name: str
    units: int
    tokens: int
    minimum: int
    target: int | None
    maximum: int | None
    share: float


@dataclass(frozen=True)
class Summary:
    """What a person wants to know of a pack at a glance; all sizes in tokens."""

    task: str
    """Kind and subject, or the id of the task."""
    available: int
    used: int
    overhead: int
    reserved_output: int
    safety_margin: int
    prompt_tokens: int | None
    prompt_limit: int | None
    zones: list[ZoneLine]
    included: list[Line]
    left_out: list[Line]
    files_skipped: dict[str, int]
    coverage: dict[str, str]
    status: str
    objective: float
    bound: float
    gap: float
    engine: str
    stop_reason: str
    reproducible: bool
    cost: dict[str, Any] | None
    """What all expected calls cost, as the artifact has it, where prices are known."""
    warnings: list[str]
    """What the reader should know besides the coverage."""

    def to_data(self) -> dict[str, Any]:
        """Return the summary as JSON data, in camelCase."""
        return {to_camel(name): _camel(value) for name, value in asdict(self).items()}


def summarise(context: PackedContext) -> Summary:
    """Return the summary of ``context``."""
    budget, solver = context.budget, context.solver
    grave = [d for d in context.diagnostics if d.severity is not Severity.INFO]
    return Summary(
        task=_task(context),
        available=budget.available_input_tokens,
        used=budget.estimated_input_tokens,
        overhead=budget.fixed_overhead_tokens,
        reserved_output=budget.reserved_output_tokens,
        safety_margin=budget.safety_margin_tokens,
        prompt_tokens=context.prompt.tokens if context.prompt else None,
        prompt_limit=context.prompt.limit if context.prompt else None,
        zones=[
            ZoneLine(
                name=zone.name,
                units=zone.units,
                tokens=zone.estimated_tokens,
                minimum=zone.min_tokens,
                target=zone.target_tokens,
                maximum=zone.max_tokens,
                share=zone.estimated_tokens / max(1, budget.estimated_input_tokens),
            )
            for zone in context.zones
        ],
        included=_lines(
            (f"{unit.kind.value} {unit.compression_state.value}", unit.token_estimate, unit.title or unit.id)
            for unit in context.accepted_units
        ),
        left_out=_lines(
            (unit.reason.value, unit.token_estimate, unit.title or unit.id)
            for unit in (*context.rejected_units, *(u for u in context.skipped_units if not _is_file(u)))
        ),
        files_skipped=dict(context.scan.skipped) if context.scan else {},
        coverage=dict(context.coverage),
        status=f"{solver.status.value}{' with warnings' if grave else ''}",
        objective=solver.objective / solver.scale,
        bound=solver.bound / solver.scale,
        gap=solver.gap,
        engine=solver.engine,
        stop_reason=solver.stop_reason.value,
        reproducible=solver.reproducible,
        cost=None if context.cost is None else context.cost.to_data(),
        warnings=[d.message for d in grave if not d.code.startswith("coverage_")],
    )


def _camel(value: Any) -> Any:
    if isinstance(value, list):
        return [
            {to_camel(name): part for name, part in entry.items()} if isinstance(entry, dict) else entry
            for entry in value
        ]
    return value


def _task(context: PackedContext) -> str:
    task = context.task
    if task is None or task.id:
        return context.task_id
    return ": ".join(part for part in (task.kind, task.title or task.about) if part)


def _lines(entries: Iterable[tuple[str, int, str]]) -> list[Line]:
    groups: dict[str, list[tuple[int, str]]] = defaultdict(list)
    for name, tokens, title in entries:
        groups[name].append((tokens, title))
    return [
        Line(
            name=name,
            units=len(members),
            tokens=sum(tokens for tokens, _ in members),
            # A title may be the name of a file, which no redactor has seen yet.
            examples=[redacted(title) for _, title in sorted(members, key=lambda m: (-m[0], m[1]))[:NAMED]],
        )
        for name, members in sorted(groups.items(), key=lambda g: (-sum(t for t, _ in g[1]), g[0]))
    ]


def _is_file(unit: RejectedUnit) -> bool:
    return unit.id.startswith("file:") and unit.kind is None
