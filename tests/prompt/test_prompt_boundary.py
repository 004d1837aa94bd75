"""The cache boundary of any ordered list of segments (seed 003)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from satchel.models import Boundary, SchemaError, Stability
from satchel.prompt import SegmentSize, find_cache_breakpoint

STABLE, VOLATILE = Stability.STABLE, Stability.VOLATILE


def test_quickstart_of_the_seed() -> None:
    """Three stable segments before the question: index 3, nothing stranded."""
    found = find_cache_breakpoint(
        [
            ("system", 1200, "stable"),
            ("tools", 900, "stable"),
            ("invoice", 1290, "stable"),
            ("question", 8, "volatile"),
        ],
        min_tokens=1024,
    )
    assert found == Boundary(
        index=3,
        segment_ids=("system", "tools", "invoice"),
        reason="volatile_segment",
        ended_by="question",
        cacheable=True,
        tokens=3390,
    )


def test_a_volatile_segment_strands_the_stable_ones_behind_it() -> None:
    """The as-given example of seed 003: system, question, tools."""
    found = find_cache_breakpoint(
        [("system", 900, STABLE), ("question", 8, VOLATILE), ("tools", 900, STABLE)]
    )
    assert (found.index, found.segment_ids, found.stranded_ids) == (1, ("system",), ("tools",))
    assert (found.reason, found.ended_by, found.cacheable) == ("volatile_segment", "question", True)


@pytest.mark.parametrize(
    ("segments", "minimum", "reason", "index", "ended_by", "cacheable"),
    [
        ([], 0, "empty", 0, None, False),
        ([("a", 5, "stable"), ("b", 5, "stable")], 10, "all_stable", 2, None, True),
        ([("a", 5, "stable"), ("b", 5, "stable")], 11, "below_minimum", 2, None, False),
        ([("a", 5, "volatile"), ("b", 5, "stable")], 0, "no_stable_prefix", 0, "a", False),
        ([("a", 9, "stable"), ("b", 5, "volatile")], 10, "below_minimum", 1, "b", False),
        ([("a", 0, "stable")], 0, "all_stable", 1, None, True),
    ],
)
def test_reasons(
    segments: list[SegmentSize], minimum: int, reason: str, index: int, ended_by: str | None, cacheable: bool
) -> None:
    found = find_cache_breakpoint(segments, min_tokens=minimum)
    assert (found.reason, found.index, found.ended_by) == (reason, index, ended_by)
    assert found.cacheable is cacheable


def test_a_block_below_the_minimum_is_said_to_be() -> None:
    """K04, K06: 377 tokens are not marked for a cache that ignores less than 1,024."""
    found = find_cache_breakpoint([("rules", 377, STABLE), ("q", 9, VOLATILE)], min_tokens=1024)
    assert (found.reason, found.cacheable, found.tokens) == ("below_minimum", False, 377)


def test_the_frame_counts_towards_the_minimum() -> None:
    segments = [("rules", 377, STABLE)]
    assert find_cache_breakpoint(segments, min_tokens=500, frame_tokens=122).reason == "below_minimum"
    assert find_cache_breakpoint(segments, min_tokens=500, frame_tokens=123).tokens == 500


@pytest.mark.parametrize("tokens", [-1, 1.5, float("nan"), True, "7", None])
def test_a_bad_count_raises(tokens: object) -> None:
    with pytest.raises(SchemaError) as caught:
        find_cache_breakpoint([("a", 1, STABLE), ("b", tokens, STABLE)])  # type: ignore[list-item]
    assert caught.value.code == "invalid_token_count"
    assert caught.value.field == "segments[1].tokens"


def test_bad_segments_raise() -> None:
    with pytest.raises(SchemaError) as caught:
        find_cache_breakpoint([("a", 1, "sometimes")])
    assert caught.value.code == "invalid_segment"
    with pytest.raises(SchemaError) as caught:
        find_cache_breakpoint([("a", 1)])  # type: ignore[list-item]
    assert caught.value.code == "invalid_segment"
    with pytest.raises(SchemaError) as caught:
        find_cache_breakpoint([("a", 1, STABLE), ("a", 1, VOLATILE)])
    assert caught.value.code == "duplicate_segment_id"


@given(st.lists(st.tuples(st.integers(0, 500), st.booleans()), max_size=12), st.integers(0, 2000))
def test_the_boundary_is_maximal_and_total(parts: list[tuple[int, bool]], minimum: int) -> None:
    segments = [(f"s{i}", tokens, STABLE if stable else VOLATILE) for i, (tokens, stable) in enumerate(parts)]
    found = find_cache_breakpoint(segments, min_tokens=minimum)
    stable = [name for name, _, kind in segments if kind is STABLE]
    assert [*found.segment_ids, *found.stranded_ids] == stable
    assert found.segment_ids == tuple(name for name, _, _ in segments[: found.index])
    assert found.index == len(segments) or segments[found.index][2] is VOLATILE
    assert found.tokens == sum(tokens for _, tokens, _ in segments[: found.index])
    assert found.cacheable == (found.index > 0 and found.tokens >= minimum)


@pytest.mark.parametrize(
    ("segments", "options", "code"),
    [
        ([("a", 10**30, "stable")], {}, "invalid_token_count"),
        ([("a", 2**40, "stable"), ("b", 1, "stable")], {}, "invalid_token_count"),
        ([("a", 1, "stable")], {"frame_tokens": 2**40}, "invalid_token_count"),
        ([(7, 1, "stable")], {}, "invalid_segment"),
        ([("half \ud800", 1, "stable")], {}, "invalid_segment"),
    ],
)
def test_what_a_boundary_cannot_hold_is_a_named_error(
    segments: list[SegmentSize], options: dict[str, int], code: str
) -> None:
    with pytest.raises(SchemaError) as caught:
        find_cache_breakpoint(segments, **options)
    assert caught.value.code == code
    assert (caught.value.field or "").startswith("segments")
