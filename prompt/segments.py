"""Segments: parts of a prompt that need not come from a repository, and what may be wrong with one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ..models import SchemaError, Stability, Trust

SegmentDrop = Literal["over_budget", "below_relevance", "over_segment_limit", "empty"]


@dataclass(frozen=True, slots=True)
class Segment:
    """A part of a prompt.

    Attributes
    ----------
    stability
        Whether its bytes are the same at the next call.
    trust
        Whether its text may be read as instruction; only marked here, never cleaned.
    pinned
        Without it the prompt is wrong: it skips floor and limit, and not fitting is an error.
    priority
        A higher one goes first, whatever the relevance.
    relevance
        0 to 1.
    """

    id: str
    text: str
    stability: Stability = Stability.VOLATILE
    trust: Trust = Trust.UNTRUSTED
    pinned: bool = False
    priority: int = 0
    relevance: float = 1.0


@dataclass(frozen=True, slots=True)
class Sized:
    """A segment with its tokens and its place among those that were given."""

    segment: Segment
    tokens: int
    position: int

    @property
    def id(self) -> str:
        """Id of the segment."""
        return self.segment.id


@dataclass(frozen=True, slots=True)
class DroppedSegment:
    """A segment that is not in the prompt, and why; ``tokens`` are its own, without a joiner."""

    id: str
    reason: SegmentDrop
    tokens: int
    detail: str


Stage = tuple[list[Sized], list[DroppedSegment]]
"""What a stage lets through, and what it drops."""


def check_segment(segment: object, position: int, seen: set[str]) -> None:
    """Raise ``invalid_segment`` or ``duplicate_segment_id`` unless ``segment`` can be used; note its id."""
    if not isinstance(segment, Segment):
        raise bad_segment(position, "", segment, "give Segment(id, text, ...)")
    if not isinstance(segment.id, str) or not segment.id:
        raise bad_segment(position, "id", segment.id, "a segment needs an id")
    if segment.id in seen:
        raise SchemaError(
            "duplicate id",
            code="duplicate_segment_id",
            field=f"segments[{position}].id",
            value=segment.id,
            hint="each id must be unique",
        )
    seen.add(segment.id)
    if not isinstance(segment.text, str):
        raise bad_segment(position, "text", segment.text, "a segment needs a text")
    relevance = segment.relevance
    if isinstance(relevance, bool) or not isinstance(relevance, int | float) or not 0 <= relevance <= 1:
        raise bad_segment(position, "relevance", relevance, "accepted: 0 to 1")
    if isinstance(segment.priority, bool) or not isinstance(segment.priority, int):
        raise bad_segment(position, "priority", segment.priority, "accepted: whole numbers")
    for name, kind in (("stability", Stability), ("trust", Trust)):
        if getattr(segment, name) not in set(kind):
            raise bad_segment(position, name, getattr(segment, name), f"accepted: {', '.join(kind)}")


def bad_segment(position: int, name: str, value: object, hint: str) -> SchemaError:
    """Return the error of a segment's field."""
    where = f"segments[{position}]"
    return SchemaError(
        "is not a segment that can be used",
        code="invalid_segment",
        field=f"{where}.{name}" if name else where,
        value=value,
        hint=hint,
    )


def rank_of(entry: Sized) -> tuple[bool, int, float, int]:
    """Return the sort key of the rank: pinned, priority, relevance, position."""
    segment = entry.segment
    return (not segment.pinned, -segment.priority, -segment.relevance, entry.position)
