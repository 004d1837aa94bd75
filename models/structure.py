"""What ties units together: redundancy groups and coverage dimensions (seed 000 §11 and §12)."""

from __future__ import annotations

from itertools import pairwise
from typing import Annotated, Self

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from .base import Count, Flag, Listed, Model, NonEmpty, NonNegative
from .names import GroupPolicy


class RedundancyGroup(Model):
    """Units that say the same, and how many of them may stay.

    ``keep_authoritative``: at most one, and if any then the most authoritative eligible member (highest
    authorityScore, then smallest id). ``keep_authoritative_plus_one_example``: that member, chosen among
    those that are no examples or tests where there are any, and beside it at most one example or test.
    """

    id: NonEmpty
    members: Annotated[tuple[NonEmpty, ...], Listed] = ()
    policy: GroupPolicy = GroupPolicy.KEEP_ALL
    k: Count | None = Field(default=None, description="for keep_at_most; 1 when absent")
    penalty: NonNegative = Field(
        default=0.0, description="times weights.redundancy: value lost for each member beyond the first"
    )

    @property
    def limit(self) -> int:
        """The ``k`` of keep_at_most."""
        return 1 if self.k is None else self.k

    @model_validator(mode="after")
    def _k_fits(self) -> Self:
        if self.k is not None and self.policy is not GroupPolicy.KEEP_AT_MOST:
            raise PydanticCustomError(
                "group", "k goes with keep_at_most only", {"field": "k", "value": self.k, "hint": "remove k"}
            )
        return self


class CoverageDimension(Model):
    """An aspect of the task that evidence can cover, with decreasing gains.

    ``gains[i]`` is the share of ``weight`` earned by the (i+1)-th full cover; covers add up
    strength x fidelity over the accepted units, fractions included.
    """

    name: NonEmpty
    weight: NonNegative | None = Field(default=None, description="weights.coverage when absent")
    required: Flag = False
    min_count: Annotated[int, Field(strict=True, ge=1, le=2**31 - 1)] = Field(
        default=1, description="units needed when required"
    )
    gains: Annotated[tuple[NonNegative, ...], Listed] = (1.0, 0.5, 0.25)

    @model_validator(mode="after")
    def _saturates(self) -> Self:
        for index, (a, b) in enumerate(pairwise(self.gains)):
            if b > a:
                raise PydanticCustomError(
                    "gains",
                    "gains must not increase",
                    {"field": f"gains[{index + 1}]", "value": b, "hint": f"at most {a}"},
                )
        return self
