"""The budget: how many tokens there are, and how they are shared out between zones."""

from __future__ import annotations

from itertools import pairwise
from typing import Annotated, Self

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from .base import Listed, Model, NonEmpty, NonNegative, Tokens
from .names import MinPolicy, OverflowPolicy


class BudgetZone(Model):
    """A part of the prompt with a purpose of its own, and its share of the budget (seed 000 §3)."""

    name: NonEmpty
    min_tokens: Tokens = 0
    target_tokens: Tokens | None = Field(default=None, description="tokens above it cost targetPrice each")
    max_tokens: Tokens | None = Field(default=None, description="no limit of its own when absent")
    overflow_policy: OverflowPolicy = OverflowPolicy.SUMMARIZE
    min_policy: MinPolicy | None = Field(
        default=None, description="default: fail where overflowPolicy is fail, else relax"
    )
    target_price: NonNegative = Field(default=0.0, description="value lost for each token above targetTokens")

    @property
    def effective_min_policy(self) -> MinPolicy:
        """The minimum policy after its default (design §2)."""
        if self.min_policy is not None:
            return self.min_policy
        return MinPolicy.FAIL if self.overflow_policy is OverflowPolicy.FAIL else MinPolicy.RELAX

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        steps = [
            ("minTokens", self.min_tokens),
            ("targetTokens", self.target_tokens),
            ("maxTokens", self.max_tokens),
        ]
        known = [(name, number) for name, number in steps if number is not None]
        for (low, a), (high, b) in pairwise(known):
            if a > b:
                raise PydanticCustomError(
                    "envelope",
                    "zone {zone}: {low} {a} is above {high} {b}",
                    {
                        "zone": self.name,
                        "low": low,
                        "a": a,
                        "high": high,
                        "b": b,
                        "field": low,
                        "value": a,
                        "hint": "minTokens <= targetTokens <= maxTokens must hold",
                    },
                )
        if self.target_price > 0 and self.target_tokens is None:
            raise PydanticCustomError(
                "envelope",
                "zone {zone}: targetPrice needs targetTokens",
                {"zone": self.name, "field": "targetPrice", "hint": "give targetTokens as well"},
            )
        return self


class BudgetEnvelope(Model):
    """The tokens of one call: window, reserves, overhead, and what is left for evidence.

    ``available_input_tokens = max_context_tokens - reserved_output_tokens -
    reserved_safety_margin_tokens - fixed_overhead_tokens`` (seed 000 §2 and §3). Either side may be
    left out; when both are given they must agree.
    """

    model_id: str | None = None
    max_context_tokens: Tokens | None = None
    reserved_output_tokens: Tokens = 0
    reserved_safety_margin_tokens: Tokens = 0
    fixed_overhead_tokens: Tokens = Field(
        default=0, description="what the prompt holds besides units: frame, tool definitions"
    )
    available_input_tokens: Tokens | None = None
    zones: Annotated[tuple[BudgetZone, ...], Listed] = ()

    @property
    def available(self) -> int:
        """Tokens that units may fill, given or computed."""
        if self.available_input_tokens is not None:
            return self.available_input_tokens
        assert self.max_context_tokens is not None  # held by _adds_up
        return self.max_context_tokens - self._reserved()

    def zone(self, name: str) -> BudgetZone:
        """Return the zone called ``name``; one that is not declared has no limits and offers every rung."""
        for zone in self.zones:
            if zone.name == name:
                return zone
        return BudgetZone(name=name)

    def _reserved(self) -> int:
        return self.reserved_output_tokens + self.reserved_safety_margin_tokens + self.fixed_overhead_tokens

    @model_validator(mode="after")
    def _adds_up(self) -> Self:
        window, available, reserved = self.max_context_tokens, self.available_input_tokens, self._reserved()
        if window is None:
            if available is None:
                raise PydanticCustomError(
                    "envelope",
                    "neither availableInputTokens nor maxContextTokens is given",
                    {"field": "availableInputTokens", "hint": "give one of them as a whole number"},
                )
            return self
        parts = (
            f"reservedOutputTokens {self.reserved_output_tokens} + reservedSafetyMarginTokens "
            f"{self.reserved_safety_margin_tokens} + fixedOverheadTokens {self.fixed_overhead_tokens}"
        )
        if reserved > window:
            raise PydanticCustomError(
                "envelope",
                "the reserves are larger than the window: {parts} = {reserved} of {window}",
                {
                    "parts": parts,
                    "reserved": reserved,
                    "window": window,
                    "field": "maxContextTokens",
                    "value": window,
                    "hint": f"the smallest window that works is {reserved}",
                },
            )
        if available is not None and available != window - reserved:
            raise PydanticCustomError(
                "envelope",
                "does not add up: maxContextTokens {window} - ({parts}) = {rest}",
                {
                    "window": window,
                    "parts": parts,
                    "rest": window - reserved,
                    "field": "availableInputTokens",
                    "value": available,
                    "hint": f"accepted: {window - reserved}, or leave the field out",
                },
            )
        return self

    @model_validator(mode="after")
    def _zones_once(self) -> Self:
        seen: set[str] = set()
        for index, zone in enumerate(self.zones):
            if zone.name in seen:
                raise PydanticCustomError(
                    "envelope",
                    "zone {zone} is declared twice",
                    {
                        "zone": zone.name,
                        "field": f"zones[{index}].name",
                        "value": zone.name,
                        "hint": "merge the two entries into one",
                    },
                )
            seen.add(zone.name)
        return self
