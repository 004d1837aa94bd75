"""What a pack is for, and whose tokens it is counted in."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from .base import Listed, Model, NonEmpty, NonNegative


class Task(Model):
    """One documentation task: its kind, and the words that say what it is about."""

    id: str = Field(default="", description="stable name; derived from kind and about when empty")
    kind: NonEmpty = "overview"
    title: str = ""
    about: str = ""
    outline: Annotated[tuple[str, ...], Listed] = Field(
        default=(), description="headings of the page, in order"
    )
    focus: Annotated[tuple[NonEmpty, ...], Listed] = Field(default=(), description="paths the user named")


class ModelProfile(Model):
    """Which model a pack is counted for, and how (seed 000 §4 and §13)."""

    provider: str = ""
    model: str = ""
    tokenizer: str = Field(default="", description="encoding or file that counts, with its version")
    mode: Literal["exact", "approximate"] = "exact"
    factor: NonNegative = Field(default=1.0, description="an approximate count is the base count times this")
