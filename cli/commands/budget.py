"""``satchel budget``: the envelope of a task, or where the tokens of a pack went (seed 000 §4)."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..console import Line, columns, count, print_json, print_lines, shown, width
from ..groups import Counting, TaskOptions, spread
from ..options import Budget, Json
from ..summary import HEADING, status_lines, zone_lines

if TYPE_CHECKING:
    from ... import BudgetEnvelope, PackedContext


@spread
def command(
    *,
    artifact: Annotated[
        str | None,
        typer.Argument(
            metavar="ARTIFACT",
            help="A packed-context.v1 file: show where its tokens went. Without one: what a task would get.",
            show_default=False,
        ),
    ] = None,
    task: TaskOptions,
    budget: Budget = None,
    counting: Counting,
    json: Json = False,
) -> None:
    """Show the budget of a task or a pack.

    The envelope that a task would get, or where the tokens of a pack went, by zone.
    """
    if artifact is not None:
        from ... import read_artifact, summarise

        context = read_artifact(artifact)
        summary = summarise(context)
        if json:
            print_json(summary.to_data())
            return
        lines = [Line("Budget envelope", HEADING), *_packed(context)]
        lines += [Line(), *zone_lines(summary, width()), Line(), *status_lines(summary, width())]
        print_lines(lines)
        return
    from ... import ScanOptions, plan_budget, read_settings

    options = counting.pack_options(budget, scan=ScanOptions(settings=read_settings(Path())))
    envelope = plan_budget(task.task(), options)
    if json:
        print_json(envelope.to_data())
    else:
        print_lines([Line(f"Budget envelope for {shown(task.kind)}", HEADING), *_planned(envelope)])


def _packed(context: PackedContext) -> list[Line]:
    budget, profile = context.budget, context.model_profile
    counted = (profile.model or profile.tokenizer) if profile is not None else ""
    return _rows(
        counted,
        [
            ("max context", budget.max_context_tokens),
            ("reserved output", budget.reserved_output_tokens),
            ("safety margin", budget.safety_margin_tokens),
            ("frame of the prompt", budget.fixed_overhead_tokens),
            ("available input", budget.available_input_tokens),
            ("estimated input", budget.estimated_input_tokens),
        ],
    )


def _planned(envelope: BudgetEnvelope) -> list[Line]:
    lines = _rows(
        envelope.model_id or "",
        [
            ("max context", envelope.max_context_tokens),
            ("reserved output", envelope.reserved_output_tokens),
            ("safety margin", envelope.reserved_safety_margin_tokens),
            ("frame of the prompt", envelope.fixed_overhead_tokens),
            ("available input", envelope.available),
        ],
    )
    rows = [["zone", "min", "target", "max", "when it overflows"]]
    rows += [
        [
            shown(zone.name),
            f"{zone.min_tokens:,}",
            "-" if zone.target_tokens is None else f"{zone.target_tokens:,}",
            "-" if zone.max_tokens is None else f"{zone.max_tokens:,}",
            zone.overflow_policy.value.replace("_", " "),
        ]
        for zone in envelope.zones
    ]
    table = columns(rows, right={1, 2, 3}, limit=width())
    return [*lines, Line(), Line("Zones", HEADING), *(Line(text) for text in table)]


def _rows(counted: str, sizes: list[tuple[str, int | None]]) -> list[Line]:
    rows = [[name, count(size, "token")] for name, size in sizes if size is not None]
    texts = columns(rows, right={1}, limit=width())
    model = [f"  counted for {shown(counted)}"] if counted else []
    return [Line(text) for text in (*model, *texts)]
