"""JSON Schemas of the file formats, made from the models that validate them."""

from __future__ import annotations

from typing import Any

from .assembling import SegmentFile
from .batch.records import PageRecord
from .batch.taskfile import TaskFile
from .models import BudgetEnvelope, ContextUnit, Model, PackedContext, PackingPolicy, Problem, UsageError
from .prompt import PriceTable

SCHEMAS: dict[str, type[Model]] = {
    "packing-problem": Problem,
    "packed-context": PackedContext,
    "context-unit": ContextUnit,
    "budget-envelope": BudgetEnvelope,
    "packing-policy": PackingPolicy,
    "prompt-segments": SegmentFile,
    "price-table": PriceTable,
    "batch-tasks": TaskFile,
    "batch-manifest": PageRecord,
}
"""What ``satchel schema NAME`` can show."""


def schema(name: str) -> dict[str, Any]:
    """Return the JSON Schema called ``name``, with or without ``.v1``; UsageError if unknown."""
    model = SCHEMAS.get(name.removesuffix(".v1"))
    if model is None:
        raise UsageError("is no schema", field="NAME", value=name, hint=f"accepted: {', '.join(SCHEMAS)}")
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **model.model_json_schema(by_alias=True),
    }
