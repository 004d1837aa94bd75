"""What sharing a prefix saves: cost of a run apart and together, value kept, break-even, page by page."""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from ..models import Currency, Model
from ..models.base import Count, Flag, Listed, NonEmpty, Tokens

Cost = Annotated[int, Field(strict=True, ge=0)]
"""Micro-units of the currency, rounded once."""

MILLION = 10**6


class PageFigures(Model):
    """A page: ``planned`` is of a pack that is known to be possible, ``packed`` of the one that was written.

    Values are scaled integers, at the report's ``scale``; tokens are those of the whole prompt.
    """

    task: NonEmpty
    group: Count = Field(description="place in the report's groups")
    alone_value: int = Field(description="best pack without a prefix")
    alone_tokens: Tokens
    planned_value: int
    planned_tokens: Tokens
    packed_value: int | None = None
    packed_tokens: Tokens | None = None
    shares: Flag | None = Field(
        default=None, description="whether the prompt that was written begins with the group's bytes"
    )

    @property
    def value(self) -> int:
        """Of the pack that was written, or else of the planned one."""
        return self.planned_value if self.packed_value is None else self.packed_value

    @property
    def tokens(self) -> int:
        """The same of the prompt's tokens."""
        return self.planned_tokens if self.packed_tokens is None else self.packed_tokens

    @property
    def kept(self) -> float:
        """Share of the page's own best value that it keeps."""
        return self.value / self.alone_value if self.alone_value > 0 else 1.0


class GroupFigures(Model):
    """Pages that begin with the same bytes, in the order in which they are to be sent."""

    pages: Annotated[tuple[NonEmpty, ...], Listed]
    units: Annotated[tuple[NonEmpty, ...], Listed] = Field(description="of the prefix, in prompt order")
    prefix_tokens: Tokens = Field(description="of the whole prefix, what leads every prompt included")
    cached_tokens: Tokens = Field(description="of these, what the provider's cache holds")
    writes: Count = Field(description="calls that find the cache cold")
    prefix_digest: str = Field(default="", description="SHA-256 of the prefix's bytes, once packed")


class SharingReport(Model):
    """``shared-prefix.v1``: costs are micro-units of ``currency`` for the input of all calls.

    ``costAlone`` is of every page's best pack, without a cache. ``costTrimmed`` is of packs that lose as much
    value and share nothing: what the loss alone would save. ``costBound`` is proven: in these groups no
    packs that keep ``floor`` cost less.
    """

    SCHEMA: ClassVar[str] = "shared-prefix.v1"

    schema_version: Literal["shared-prefix.v1"] = "shared-prefix.v1"
    currency: Currency
    model: str | None = None
    input_per_million: Cost
    cached_input_per_million: Cost
    cache_write_per_million: Cost
    cache_minimum: Tokens
    max_value_loss: str
    max_page_loss: str | None = Field(
        default=None, description="the same of any one page, where it was limited"
    )
    scale: Count
    floor: int = Field(description="value that all pages must keep together")
    alone_value: int = Field(description="value of all pages, each on its own")
    alone_bound: int = Field(description="proven: no packs of pages on their own are worth more")
    value: int
    cost_alone: Cost
    cost_trimmed: Cost
    cost: Cost
    cost_planned: Cost
    cost_bound: Cost
    gap: float = Field(description="(costPlanned - costBound) / costPlanned")
    method: Literal["joint program", "decomposition"]
    break_even: Count | None = Field(
        default=None, description="pages from which on a prefix pays for its write, None for never"
    )
    groups: Annotated[tuple[GroupFigures, ...], Listed]
    pages: Annotated[tuple[PageFigures, ...], Listed]
    left_out: dict[str, str] = Field(
        default_factory=dict, description="pages that were packed on their own, with the reason"
    )

    @property
    def saved(self) -> float:
        """Share of the cost of pages on their own that is saved."""
        return 1 - self.cost / self.cost_alone if self.cost_alone else 0.0

    @property
    def kept(self) -> float:
        """Share of the value of pages on their own that is kept."""
        return self.value / self.alone_value if self.alone_value > 0 else 1.0

    @property
    def worst(self) -> PageFigures | None:
        """The page that keeps the smallest share of its value."""
        return min(self.pages, key=lambda page: (page.kept, page.task), default=None)


def micro(amount: int) -> int:
    """Return tokens times micro-units per million as micro-units, half a unit upwards."""
    return (Fraction(amount, MILLION) + Fraction(1, 2)).__floor__()
