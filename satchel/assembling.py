"""Prompts from segments of a file: read, counted exactly, redacted, fitted by the integer program."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, cast

from pydantic import Field

from .exits import clean_data, redacted
from .files import read_bytes
from .fitting import exact_fit
from .models import Model, SchemaError, Stability, Trust, UnknownReferenceError
from .models.base import Flag, Listed, NonEmpty, Score
from .prompt import (
    Assembly,
    Budget,
    Order,
    PrefixBreaker,
    Segment,
    assemble,
    cache_split,
    find_cache_rule,
    greedy_fit,
    lint_text,
)
from .sources.tokens import TokenEstimator


class SegmentRecord(Model):
    """A segment as it stands in a file."""

    id: NonEmpty
    text: str
    stability: Stability = Stability.VOLATILE
    trust: Trust = Trust.UNTRUSTED
    pinned: Flag = False
    priority: Annotated[int, Field(strict=True)] = 0
    relevance: Score = 1.0

    def segment(self) -> Segment:
        """Return it as the assembler takes it."""
        return Segment(
            self.id, self.text, self.stability, self.trust, self.pinned, self.priority, self.relevance
        )


class SegmentFile(Model):
    """Segments of a prompt, in the order in which they were written."""

    SCHEMA: ClassVar[str] = "prompt-segments.v1"

    schema_version: Literal["prompt-segments.v1"]
    segments: Annotated[tuple[SegmentRecord, ...], Listed]


def read_segments(path: str | Path) -> tuple[Segment, ...]:
    """Read segments: a ``prompt-segments.v1`` JSON file, or a JSONL file of segments, one a line.

    Raises
    ------
    FileError
        The file is missing or unreadable.
    SchemaError
        The content is at fault: file, line or field, and value are named.
    """
    data = read_bytes(Path(path))
    if _is_lines(data, str(path)):
        return tuple(
            SegmentRecord.from_json(line, file=str(path), line=number).segment()
            for number, line in enumerate(data.splitlines(), 1)
            if line.strip()
        )
    return tuple(record.segment() for record in SegmentFile.from_json(data, file=str(path)).segments)


def assemble_segments(
    segments: tuple[Segment, ...],
    estimator: TokenEstimator,
    *,
    max_tokens: int,
    reserve_for_output: int = 0,
    min_cacheable_tokens: int = 0,
    order: str = "stable-first",
    min_relevance: float = 0.0,
    max_segments: int | None = None,
    greedy: bool = False,
) -> Assembly:
    """Return the prompt of ``segments`` that is worth most, counted by ``estimator``, without secrets.

    Raises as :func:`satchel.prompt.assemble`.
    """
    budget = Budget(
        max_tokens=max_tokens,
        reserve_for_output=reserve_for_output,
        min_cacheable_tokens=min_cacheable_tokens,
        count_tokens=lambda text: estimator.count_batch([text])[0],
    )
    return assemble(
        segments,
        budget,
        order=cast("Order", order),  # the assembler refuses every other
        min_relevance=min_relevance,
        max_segments=max_segments,
        fit=greedy_fit if greedy else exact_fit,
        redact=redacted,
    )


def min_cacheable(model: str) -> int | None:
    """Return the shortest prefix that ``model`` is sure to cache, or None where nothing is known of it."""
    try:
        return find_cache_rule(model).safe_minimum
    except UnknownReferenceError:
        return None


def breakers_of(assembly: Assembly) -> tuple[PrefixBreaker, ...]:
    """Return what in the stable prefix of an assembly is unlikely to be the same at the next call."""
    prefix = assembly.segments[: assembly.breakpoint.index]
    return tuple(breaker for entry in prefix for breaker in lint_text(entry.id, entry.segment.text))


def assembly_data(assembly: Assembly) -> dict[str, Any]:
    """Return an assembly as JSON data, the secrets in its ids replaced."""
    cached, fresh = cache_split(assembly)
    data = {
        "text": assembly.text,
        "tokens": assembly.tokens,
        "limit": assembly.limit,
        "segments": [{"id": entry.id, "tokens": entry.tokens} for entry in assembly.segments],
        "dropped": [
            {"id": drop.id, "reason": drop.reason, "tokens": drop.tokens, "detail": drop.detail}
            for drop in assembly.dropped
        ],
        "breakpoint": assembly.breakpoint.to_data(),
        "cachedTokens": cached,
        "freshTokens": fresh,
        "prefixText": assembly.prefix_text,
        "suffixText": assembly.suffix_text,
        "untrustedIds": list(assembly.untrusted_ids),
        "accounting": assembly.accounting,
        "prefixBreakers": [str(breaker) for breaker in breakers_of(assembly)],
    }
    cleaned: dict[str, Any] = clean_data(data)
    return cleaned


def _is_lines(data: bytes, file: str) -> bool:
    first = data.removeprefix(b"\xef\xbb\xbf").lstrip().partition(b"\n")[0]
    try:
        head = json.loads(first)
    except (ValueError, RecursionError):
        return False
    if isinstance(head, list):
        raise SchemaError(
            "is a bare list",
            file=file,
            code="schema",
            hint=f'write {{"schemaVersion": "{SegmentFile.SCHEMA}", "segments": […]}}, or one segment a line',
        )
    if not isinstance(head, dict) or "schemaVersion" in head:
        return False
    if "segments" in head:
        raise SchemaError(
            "is required",
            file=file,
            code="schema",
            field="schemaVersion",
            hint=f'add "schemaVersion": "{SegmentFile.SCHEMA}"',
        )
    return True
