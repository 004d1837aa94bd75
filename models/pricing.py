"""What a pack costs over all the calls that it will serve, as part of the problem.

Amounts are whole micro-units (millionths) of an explicit currency. What they add up to, and how they enter
the integer program, is said in docs/cost-in-the-solve.md.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Final, Self

from pydantic import AfterValidator, Field, model_validator
from pydantic_core import PydanticCustomError

from .base import Flag, Model, Tokens

LONGEST_NAME: Final = 32
"""Characters of the name of a currency."""


def _currency(text: str) -> str:
    words = text.replace("-", " ").replace(".", " ").split(" ")
    if not (2 <= len(text) <= LONGEST_NAME and all(word.isalpha() for word in words)):
        raise PydanticCustomError(
            "currency",
            "is no code or name of a currency",
            {"hint": "give a code such as USD or EUR, or a name in letters such as credits"},
        )
    return text


Currency = Annotated[str, AfterValidator(_currency)]
"""A currency by its code (``USD``) or by a name in letters: no signs, no digits."""

Micro = Annotated[int, Field(strict=True, ge=0, le=10**15)]
"""Micro-units of a currency: millionths, as a whole number."""

Calls = Annotated[int, Field(strict=True, ge=1, le=10**9)]
"""A number of calls, 1 or more."""


class Objective(StrEnum):
    """What is made as great as can be."""

    VALUE = "value"
    VALUE_PER_COST = "value-per-cost"


class Pricing(Model):
    """Prices of one model, the calls that a pack is for, and what the cost decides.

    A prompt is sent ``expected_calls`` times. Where its stable prefix can be cached, ``cache_writes`` of
    them write it, at ``cache_write_per_million``, and the others read it, at ``cached_input_per_million``.
    """

    currency: Currency
    input_per_million: Micro
    cached_input_per_million: Micro = Field(description="read from the cache")
    cache_write_per_million: Micro = Field(description="written to the cache")
    output_per_million: Micro = 0
    expected_calls: Calls = 1
    cache_writes: Calls = Field(default=1, description="calls that find the cache cold and write it")
    cacheable: Flag = Field(default=True, description="whether the provider caches prefixes at all")
    cache_minimum: Tokens = Field(default=0, description="a shorter prefix is not cached")
    cache_step: Annotated[Tokens, Field(ge=1)] = Field(default=1, description="whole steps are cached")
    prefix_tokens: Tokens = Field(
        default=0, description="of the fixed overhead: what stands, unchanging, in front of the first unit"
    )
    answer_tokens: Tokens = Field(default=0, description="output that each call is expected to hold")
    cost_limit: Annotated[int, Field(strict=True, ge=0, le=10**18)] | None = Field(
        default=None, description="micro-units that all calls together may cost"
    )
    objective: Objective = Objective.VALUE

    @property
    def decides(self) -> bool:
        """Whether prices have a say in what is packed, rather than being told beside it."""
        return self.cost_limit is not None or self.objective is Objective.VALUE_PER_COST

    @model_validator(mode="after")
    def _writes_are_calls(self) -> Self:
        if self.cache_writes > self.expected_calls:
            raise PydanticCustomError(
                "cache_writes",
                "is more than the {calls} calls that are expected",
                {
                    "calls": self.expected_calls,
                    "field": "cacheWrites",
                    "value": self.cache_writes,
                    "hint": f"accepted: 1 to {self.expected_calls}",
                },
            )
        return self
