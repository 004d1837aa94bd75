"""What providers say about their prompt caches: dated data, one row per family of models.

No row is a promise: providers change minima without notice, and a prefix below the minimum is not cached
without any error (K04, K06). Where documents and observation differ, ``observed`` is the larger number,
and what lies between the two is a band of doubt.
"""

from __future__ import annotations

from datetime import date
from fnmatch import fnmatchcase
from functools import cache
from importlib import resources
from typing import Annotated, Final, Literal, Self

from pydantic import Field, model_validator

from ..models import Model, SchemaError, UnknownReferenceError
from ..models.base import Count, Listed, NonEmpty, Tokens

SCHEMA: Final = "cache-rules.v1"

Seconds = Annotated[int, Field(strict=True, gt=0)]


class CacheRule(Model):
    """How one provider caches prefixes for some models."""

    provider: NonEmpty
    match: Annotated[tuple[NonEmpty, ...], Listed] = Field(description="lower-case globs of model names")
    kind: Literal["explicit", "automatic"] = Field(
        description="whether the caller places markers, or the provider finds prefixes"
    )
    minimum: Tokens = Field(description="a shorter prefix is ignored, by the documents")
    observed: Tokens | None = Field(default=None, description="what it took in practice, where more")
    step: Annotated[Tokens, Field(ge=1)] = Field(description="beyond the minimum, whole steps are cached")
    breakpoints: Count = Field(description="markers that a request may hold, the caller's own included")
    implicit_breakpoints: Count = Field(default=0, description="of these, what the provider may place itself")
    lifetimes: dict[str, Seconds] = Field(default_factory=dict, description="seconds by the provider's name")
    as_of: date
    source: NonEmpty
    note: str = ""

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if self.observed is not None and self.observed <= self.minimum:
            raise ValueError("observed must be above the minimum, or be left out")
        if (self.kind == "automatic") != (self.breakpoints == 0):
            raise ValueError("markers go with explicit caching, and only with it")
        return self

    @property
    def safe_minimum(self) -> int:
        """Tokens from which on nobody has seen a prefix ignored."""
        return self.minimum if self.observed is None else self.observed

    def cached(self, tokens: int) -> int:
        """Return how many of the ``tokens`` of a stable prefix the cache holds."""
        if tokens < self.minimum:
            return 0
        return self.minimum + (tokens - self.minimum) // self.step * self.step

    def doubt(self, tokens: int) -> str:
        """Return a warning where documents and observation differ on a prefix of ``tokens``, or nothing."""
        if not self.minimum <= tokens < self.safe_minimum:
            return ""
        return (
            f"a prefix of {tokens} tokens lies between the {self.minimum} that {self.provider} documents and "
            f"the {self.safe_minimum} that were needed in practice: it may not be cached"
        )


class CacheRules(Model):
    """The file of rules; the first row that matches a model holds."""

    schema_version: Literal["cache-rules.v1"]
    rules: Annotated[tuple[CacheRule, ...], Listed]


@cache
def list_cache_rules() -> tuple[CacheRule, ...]:
    """Return all rows, in the order in which they are asked."""
    text = resources.files(__package__).joinpath("cache_rules.json").read_text("utf-8")
    return CacheRules.from_json(text, file="cache_rules.json").rules


def find_cache_rule(model: str, provider: str | None = None) -> CacheRule:
    """Return the rule for ``model``, at ``provider`` where the model's name does not tell.

    Routing prefixes (``openrouter/anthropic/claude-…``) are passed over.

    Raises
    ------
    UnknownReferenceError
        ``unknown_cache_rule``: no row matches.
    SchemaError
        ``model`` is blank.
    """
    if not model.strip():
        raise SchemaError("names no model", field="model", value=model, hint="give a model's name")
    name = model.strip().lower().rpartition("/")[2]
    for rule in list_cache_rules():
        if provider in (None, rule.provider) and any(fnmatchcase(name, glob) for glob in rule.match):
            return rule
    known = sorted({rule.provider for rule in list_cache_rules()})
    raise UnknownReferenceError(
        "nothing is known of this model's prompt cache",
        code="unknown_cache_rule",
        field="model",
        value=model,
        hint=f"state the minimum yourself; rules are known for {', '.join(known)}",
    )
