"""Rules of a pack: what must, should, could and must not be in it, and the limits on risk (seed 000 §10)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any, Final

from pydantic import AfterValidator, BeforeValidator, Field
from pydantic_core import PydanticCustomError

from .base import Listed, Model, NonNegative, Number, Score
from .globs import id_glob, path_glob
from .unit import ContextUnit

CATEGORIES: Final[Mapping[str, tuple[str, ...]]] = {
    "matching_openapi_operation": ("tag:matching_openapi_operation",),
    "page_spec": ("tag:page_spec", "zone:task"),
    "output_contract": ("tag:output_contract", "zone:output_contract"),
    "implementation_handler": ("tag:implementation_handler",),
    "request_response_tests": ("tag:request_response_tests",),
    "authentication_config": ("tag:authentication_config",),
    "readme_mentions": ("tag:readme_mentions",),
    "sdk_examples": ("tag:sdk_examples",),
    "old_docs_page": ("tag:old_docs_page", "zone:existing_docs"),
    "secrets": ("tag:secrets",),
    "production_customer_data": ("tag:production_customer_data",),
    "generated_minified_assets": ("tag:generated", "tag:minified"),
}
"""The named categories of seed 000 §10: each is any of the selectors behind it."""

SELECTOR_FIELDS: Final = ("kind", "tag", "id", "path", "zone")


def _selector_text(value: Any) -> Any:
    if isinstance(value, Mapping):
        if len(value) == 1:
            (by, pattern), *_ = value.items()
            if isinstance(pattern, str):
                return pattern if by == "category" else f"{by}:{pattern}"
        raise PydanticCustomError(
            "selector", "a selector object names exactly one of kind, tag, id, path, zone, and its pattern"
        )
    return value


def _selector(text: str) -> str:
    by, colon, pattern = text.partition(":")
    if colon and by in SELECTOR_FIELDS and pattern and "\0" not in pattern:
        try:
            (path_glob if by == "path" else id_glob)(pattern)
        except re.error:
            raise PydanticCustomError(
                "selector", "is not a valid pattern", {"hint": "check the [...] of the pattern"}
            ) from None
        return text
    if text in CATEGORIES:
        return text
    raise PydanticCustomError(
        "selector",
        "is not a selector",
        {
            "hint": "accepted: kind:K, tag:T, id:GLOB, path:GLOB, zone:Z, or one of the categories "
            + ", ".join(CATEGORIES)
        },
    )


Selector = Annotated[str, BeforeValidator(_selector_text), AfterValidator(_selector)]
"""``kind:K``, ``tag:T``, ``id:GLOB``, ``path:GLOB``, ``zone:Z``, or a named category."""


def selects(selector: str, unit: ContextUnit) -> bool:
    """Whether ``selector`` matches ``unit``: by kind, tag, zone or id glob, or by any of its source paths."""
    alternatives = CATEGORIES.get(selector)
    if alternatives is not None:
        return any(selects(alternative, unit) for alternative in alternatives)
    by, _, pattern = selector.partition(":")
    if by == "path":
        glob = path_glob(pattern)
        return any(glob.fullmatch(ref.path) for ref in unit.source_refs)
    glob = id_glob(pattern)
    names: tuple[str, ...] = {
        "kind": (unit.kind.value,),
        "tag": unit.tags,
        "id": (unit.id,),
        "zone": (unit.zone,),
    }[by]
    return any(glob.fullmatch(name) for name in names)


class PackingPolicy(Model):
    """Selectors by category, and the limits on risk.

    An optional unit with ``risk_score >= risk_ceiling`` is out; a required one with
    ``risk_score > required_risk_ceiling`` is an error (seed 000 §7).
    """

    must_include: Annotated[tuple[Selector, ...], Listed] = ()
    should_include: Annotated[tuple[Selector, ...], Listed] = ()
    could_include: Annotated[tuple[Selector, ...], Listed] = ()
    must_exclude: Annotated[tuple[Selector, ...], Listed] = ()
    should_include_bonus: Number = Field(default=0.10, description="added to the value of each rung")
    risk_ceiling: Score = 0.7
    required_risk_ceiling: Score = 0.8


class Weights(Model):
    """Weights of the value formula (seed 000 §7, design §3)."""

    relevance: NonNegative = 0.40
    authority: NonNegative = 0.30
    freshness: NonNegative = 0.15
    risk: NonNegative = 0.20
    coverage: NonNegative = Field(default=0.10, description="weight of a dimension that states none")
    redundancy: NonNegative = Field(default=0.10, description="times a group's penalty, per surplus member")
