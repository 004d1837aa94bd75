"""A prompt from segments, without a repository: select, compress, fit, order, isolate (seed 003).

Each stage is a function of its own, for hosts that build another pipeline. Two orders are kept apart: rank
(pinned, priority, relevance, then as given) decides what survives; placement (stable ones first) decides
where it sits, so that a prompt is not reshuffled by every change of rank. Every candidate ends in the
segments or in the drops, never in neither.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any, Final

from ..models import Boundary, InfeasibleError, Stability, Trust, UsageError
from .boundary import find_cache_breakpoint, text_digest
from .counting import Count, counted, estimate_tokens
from .knapsack import Choice, Fit, checked_fit, greedy_fit
from .order import ORDERS, Order
from .segments import DroppedSegment, Segment, Sized, Stage, bad_segment, check_segment, rank_of

JOINER: Final = "\n\n"
"""What stands between two segments."""

TRIED: Final = 50
"""Segments that are joined and counted in vain before the room that is left is taken to be spent."""

PRECISION: Final = 10**6
"""Relevance as a whole number of these parts, where a fitter adds values up."""


@dataclass(frozen=True, slots=True)
class Assembly:
    """An assembled prompt.

    Attributes
    ----------
    tokens
        Of the whole text, recounted; never more than ``limit``.
    breakpoint
        Where the stable prefix ends; its ``tokens`` are those of :attr:`prefix_text`.
    accounting
        How many candidates each stage let through.
    """

    text: str
    tokens: int
    limit: int
    segments: tuple[Sized, ...]
    dropped: tuple[DroppedSegment, ...]
    breakpoint: Boundary
    prefix_text: str
    untrusted_ids: tuple[str, ...]
    accounting: dict[str, int] = field(default_factory=dict)

    @property
    def suffix_text(self) -> str:
        """What is new input on every call."""
        return self.text[len(self.prefix_text) :]


def cache_split(assembly: Assembly) -> tuple[int, int]:
    """Return the tokens of an assembly that a cache can hold, and the fresh ones."""
    cached = assembly.breakpoint.tokens if assembly.breakpoint.cacheable else 0
    return cached, max(0, assembly.tokens - cached)


@dataclass(frozen=True)
class Budget:
    """What a prompt may take: the window less what is kept for the answer.

    Raises
    ------
    UsageError
        ``invalid_budget``: a number is no whole number of 0 or more, or nothing is left for the prompt.
    """

    max_tokens: int
    reserve_for_output: int = 0
    min_cacheable_tokens: int = 0
    count_tokens: Count = estimate_tokens

    def __post_init__(self) -> None:
        for name in ("max_tokens", "reserve_for_output", "min_cacheable_tokens"):
            number = getattr(self, name)
            if not isinstance(number, int) or isinstance(number, bool) or number < 0:
                raise _bad_budget(name, number, "accepted: whole numbers, 0 or more")
        if self.reserve_for_output >= self.max_tokens:
            hint = f"it must be below the {self.max_tokens} tokens of the whole"
            raise _bad_budget("reserve_for_output", self.reserve_for_output, hint)

    @property
    def input_tokens(self) -> int:
        """Tokens that the prompt may hold."""
        return self.max_tokens - self.reserve_for_output

    def assemble(self, segments: Iterable[Segment], **options: Any) -> Assembly:
        """Return :func:`assemble` of ``segments`` within this budget; ``options`` are passed on."""
        return assemble(segments, self, **options)


def assemble(
    segments: Iterable[Segment],
    budget: Budget,
    *,
    order: Order = "stable-first",
    min_relevance: float = 0.0,
    max_segments: int | None = None,
    compress: Callable[[Segment], str] | None = None,
    fit: Fit = greedy_fit,
    redact: Callable[[str], str] | None = None,
) -> Assembly:
    """Return the prompt of the segments that fit best.

    Parameters
    ----------
    compress
        Returns a shorter text of a segment, or the same; what is not shorter is not used.
    fit
        Who stays: greedy by rank, or an exact fitter.
    redact
        Replaces secrets in each text before it is counted.

    Raises
    ------
    InfeasibleError
        ``pinned_does_not_fit``: names the segment that does not fit and the smallest limit that works.
    SchemaError
        ``invalid_segment``, ``duplicate_segment_id``, ``invalid_token_count``.
    UsageError
        An option is out of range.
    """
    count, limit = budget.count_tokens, budget.input_tokens
    given = list(segments)
    if redact is not None:
        given = [replace(s, text=redact(s.text)) if isinstance(s, Segment) else s for s in given]
    prepared, empty = prepare_segments(given, count)
    selected, unwanted = select_segments(prepared, min_relevance=min_relevance, max_segments=max_segments)
    compressed, emptied = compress_segments(selected, compress, count)
    joiner = counted(count, JOINER, "joiner") if len(compressed) > 1 else 0
    kept, lacking = fit_segments(compressed, limit, joiner=joiner, fit=fit)
    excess: list[DroppedSegment] = []
    joined = _Joined.of(kept, order, count)
    while joined.tokens > limit:
        # A tokenizer that is not additive counts more for the whole than for its parts.
        kept, last = _without_last(kept, joined.tokens, limit)
        excess.append(last)
        joined = _Joined.of(kept, order, count)
    if not excess:
        joined, lacking = _filled_up(joined, compressed, lacking, joiner, limit, order, count)
    placed, text, tokens = joined.placed, joined.text, joined.tokens
    prefix, boundary = _prefix(placed, budget)
    return Assembly(
        text=text,
        tokens=tokens,
        limit=limit,
        segments=tuple(placed),
        dropped=tuple(chain(empty, unwanted, emptied, lacking, excess)),
        breakpoint=boundary,
        prefix_text=prefix,
        untrusted_ids=isolate_segments(placed),
        accounting={
            "given": len(given),
            "prepared": len(prepared),
            "selected": len(selected),
            "compressed": len(compressed),
            "fitted": len(placed),
        },
    )


def prepare_segments(segments: Iterable[Segment], count: Count = estimate_tokens) -> Stage:
    """Check and count segments; those without any visible character are dropped as ``empty``.

    A pinned segment without text raises ``invalid_segment``: what the prompt cannot do without is missing.
    """
    kept: list[Sized] = []
    dropped: list[DroppedSegment] = []
    seen: set[str] = set()
    for position, segment in enumerate(segments):
        check_segment(segment, position, seen)
        if segment.text.strip():
            tokens = counted(count, segment.text, f"segments[{position}].text")
            kept.append(Sized(segment, tokens, position))
        elif segment.pinned:
            raise bad_segment(position, "text", segment.text, "a pinned segment needs a text")
        else:
            dropped.append(DroppedSegment(segment.id, "empty", 0, "holds no text"))
    return kept, dropped


def select_segments(
    prepared: Sequence[Sized], *, min_relevance: float = 0.0, max_segments: int | None = None
) -> Stage:
    """Rank segments, and drop those below the floor or beyond the limit; pinned ones are never dropped here.

    Rank is: pinned, priority, relevance, position.
    """
    if not isinstance(min_relevance, int | float) or not 0 <= min_relevance <= 1:
        raise UsageError("must be 0 to 1", field="min_relevance", value=min_relevance, hint="give a share")
    if max_segments is not None and (isinstance(max_segments, bool) or max_segments < 0):
        raise UsageError("must be 0 or more", field="max_segments", value=max_segments, hint="or None")
    ranked = sorted(prepared, key=rank_of)
    kept: list[Sized] = []
    dropped: list[DroppedSegment] = []
    for entry in ranked:
        segment = entry.segment
        if not segment.pinned and segment.relevance < min_relevance:
            detail = f"relevance {segment.relevance:g} is below the floor of {min_relevance:g}"
            dropped.append(DroppedSegment(entry.id, "below_relevance", entry.tokens, detail))
        elif not segment.pinned and max_segments is not None and len(kept) >= max_segments:
            detail = f"{max_segments} segments of higher rank are in"
            dropped.append(DroppedSegment(entry.id, "over_segment_limit", entry.tokens, detail))
        else:
            kept.append(entry)
    return kept, dropped


def compress_segments(
    selected: Sequence[Sized], compress: Callable[[Segment], str] | None, count: Count = estimate_tokens
) -> Stage:
    """Have each segment shortened; a text that takes no fewer tokens than before is not used."""
    if compress is None:
        return list(selected), []
    kept: list[Sized] = []
    dropped: list[DroppedSegment] = []
    for entry in selected:
        text = compress(entry.segment)
        where = f"segments[{entry.position}]"
        if not isinstance(text, str):
            raise bad_segment(entry.position, "compress", text, "the compressor must return a text")
        if not text.strip():
            if entry.segment.pinned:
                raise bad_segment(entry.position, "compress", text, "a pinned segment needs a text")
            dropped.append(DroppedSegment(entry.id, "empty", entry.tokens, "compressed to nothing"))
            continue
        tokens = counted(count, text, f"{where}.compressed")
        shorter = tokens < entry.tokens
        kept.append(Sized(replace(entry.segment, text=text), tokens, entry.position) if shorter else entry)
    return kept, dropped


def fit_segments(ranked: Sequence[Sized], limit: int, *, joiner: int = 0, fit: Fit = greedy_fit) -> Stage:
    """Keep the pinned segments, and of the others what ``fit`` chooses for the room that is left.

    ``joiner`` tokens stand in front of every segment but the first.
    """
    room, kept = limit + joiner, []
    for entry in ranked:
        if entry.segment.pinned:
            room -= entry.tokens + joiner
            kept.append(entry)
    if room < 0:
        raise _pinned_does_not_fit(kept, limit, limit - room)
    optional = [entry for entry in ranked if not entry.segment.pinned]
    choices = [
        Choice(
            id=entry.id,
            tokens=entry.tokens + joiner,
            priority=entry.segment.priority,
            value=round(entry.segment.relevance * PRECISION) + 1,
        )
        for entry in optional
    ]
    chosen = checked_fit(fit, choices, room)
    dropped: list[DroppedSegment] = []
    # What was left is told as a reader in rank order meets it.
    for entry, choice in zip(optional, choices, strict=True):
        if entry.id in chosen:
            kept.append(entry)
            room -= choice.tokens
    for entry in optional:
        if entry.id not in chosen:
            needed = entry.tokens + (joiner if kept else 0)
            left = room - (0 if kept else joiner)
            detail = f"needs {needed} tokens, {left} left of the {limit}-token input budget"
            dropped.append(DroppedSegment(entry.id, "over_budget", entry.tokens, detail))
    return sorted(kept, key=rank_of), dropped


def order_segments(kept: Iterable[Sized], order: Order = "stable-first") -> list[Sized]:
    """Return segments as they are placed: stable ones first, the given order within; or ``as-given``."""
    if order not in ORDERS:
        raise UsageError("unknown order", field="order", value=order, hint=f"accepted: {', '.join(ORDERS)}")
    placed = sorted(kept, key=lambda entry: entry.position)
    if order == "stable-first":
        placed.sort(key=lambda entry: entry.segment.stability is not Stability.STABLE)
    return placed


def isolate_segments(placed: Iterable[Sized]) -> tuple[str, ...]:
    """Return the ids of the untrusted segments, in prompt order: the host routes their text as data."""
    return tuple(entry.id for entry in placed if entry.segment.trust is Trust.UNTRUSTED)


def _prefix(placed: Sequence[Sized], budget: Budget) -> tuple[str, Boundary]:
    segments = [(entry.id, entry.tokens, entry.segment.stability) for entry in placed]
    index = find_cache_breakpoint(segments).index
    prefix = JOINER.join(entry.segment.text for entry in placed[:index])
    if 0 < index < len(placed):
        prefix += JOINER
    tokens = counted(budget.count_tokens, prefix, "prefix") if prefix else 0
    own = sum(count for _, count, _ in segments[:index])
    boundary = find_cache_breakpoint(
        segments,
        min_tokens=max(0, budget.min_cacheable_tokens - (tokens - own)),
    )
    return prefix, boundary.model_copy(update={"tokens": tokens, "prefix_digest": text_digest(prefix)})


@dataclass(frozen=True, slots=True)
class _Joined:
    """Segments as they are placed, with their text and its tokens."""

    placed: list[Sized]
    text: str
    tokens: int

    @classmethod
    def of(cls, kept: Iterable[Sized], order: Order, count: Count) -> _Joined:
        placed = order_segments(kept, order)
        text = JOINER.join(entry.segment.text for entry in placed)
        return cls(placed, text, counted(count, text, "text"))


def _filled_up(
    joined: _Joined,
    ranked: Sequence[Sized],
    lacking: Sequence[DroppedSegment],
    joiner: int,
    limit: int,
    order: Order,
    count: Count,
) -> tuple[_Joined, list[DroppedSegment]]:
    """Take in what fits after all, in rank order: a joined text may count less than its parts.

    Each try counts the whole text, so that there is a limit of vain ones.
    """
    left_out = {drop.id: drop for drop in lacking}
    tries = TRIED
    for entry in ranked:
        if entry.id not in left_out:
            continue
        detail = ""
        if entry.tokens <= limit - joined.tokens + joiner and tries:
            more = _Joined.of([*joined.placed, entry], order, count)
            if more.tokens <= limit:
                joined = more
                del left_out[entry.id]
                continue
            tries -= 1
            detail = f"with it the prompt holds {more.tokens} of the {limit} tokens of the input budget"
        elif joined.placed:
            left = limit - joined.tokens
            detail = f"needs {entry.tokens + joiner} tokens, {left} left of the {limit}-token input budget"
        if detail:
            left_out[entry.id] = replace(left_out[entry.id], detail=detail)
    return joined, list(left_out.values())


def _without_last(kept: list[Sized], tokens: int, limit: int) -> tuple[list[Sized], DroppedSegment]:
    last = kept[-1]
    if last.segment.pinned:
        raise _pinned_does_not_fit(kept, limit, tokens)
    detail = f"the joined text holds {tokens} tokens of the {limit}-token input budget, more than its parts"
    return kept[:-1], DroppedSegment(last.id, "over_budget", last.tokens, detail)


def _pinned_does_not_fit(pinned: Sequence[Sized], limit: int, needed: int) -> InfeasibleError:
    largest = max(pinned, key=lambda entry: (entry.tokens, entry.id))
    return InfeasibleError(
        f"the pinned segments hold {needed} tokens, the input budget {limit}",
        code="pinned_does_not_fit",
        field="segments",
        value=largest.id,
        hint=f"a budget of {needed} tokens works; the largest is {largest.id!r} with {largest.tokens}",
        data={"smallestBudget": needed, "pinned": [entry.id for entry in pinned], "largest": largest.id},
    )


def _bad_budget(name: str, value: object, hint: str) -> UsageError:
    return UsageError("is no budget", code="invalid_budget", field=name, value=value, hint=hint)
