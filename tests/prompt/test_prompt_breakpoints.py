"""Several cache markers, the providers' rules as data, and what breaks a prefix."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from satchel.models import ContextUnit, SchemaError, UnknownReferenceError, UsageError
from satchel.prompt import (
    CacheRule,
    find_cache_breakpoint,
    find_cache_rule,
    lint_prefix,
    lint_text,
    list_cache_rules,
    plan_breakpoints,
)


def rule(**fields: Any) -> CacheRule:
    return CacheRule.from_data(
        {
            "provider": "p",
            "match": ["m"],
            "kind": "explicit",
            "minimum": 100,
            "step": 1,
            "breakpoints": 4,
            "lifetimes": {"5m": 300, "1h": 3600},
            "asOf": "2026-11-30",
            "source": "test",
            **fields,
        }
    )


FIVE = [(name, 100, "stable") for name in "abcde"]


def test_each_row_is_dated_and_says_where_it_is_from() -> None:
    """K06: a minimum for each model, with its source."""
    rules = list_cache_rules()
    assert len(rules) > 10
    for row in rules:
        assert row.as_of.year >= 2026
        assert row.source
        assert row.minimum < 10_000
        assert row.breakpoints <= 4


@pytest.mark.parametrize(
    ("model", "provider", "minimum", "step", "breakpoints"),
    [
        ("claude-opus-5", "anthropic", 512, 1, 4),
        ("claude-sonnet-5", "anthropic", 1024, 1, 4),
        ("claude-haiku-4-5-20251001", "anthropic", 4096, 1, 4),
        ("openrouter/anthropic/claude-opus-4.6", "anthropic", 4096, 1, 4),
        ("us.anthropic.claude-opus-4-7-v1:0", "bedrock", 4096, 1, 4),
        ("amazon.nova-pro-v1:0", "bedrock", 1000, 1, 4),
        ("gpt-4o", "openai", 1024, 128, 0),
        ("gpt-5.6-sol", "openai", 1024, 1, 4),
        ("gemini-2.5-flash", "google", 2048, 1, 0),
        ("GEMINI-3.5-flash", "google", 4096, 1, 0),
    ],
)
def test_rules_by_model(model: str, provider: str, minimum: int, step: int, breakpoints: int) -> None:
    """K06: the minimum of each model is shown."""
    found = find_cache_rule(model)
    assert (found.provider, found.minimum, found.step, found.breakpoints) == (
        provider,
        minimum,
        step,
        breakpoints,
    )
    assert find_cache_rule(model, provider) == found


def test_an_unknown_model_is_said_to_be() -> None:
    with pytest.raises(UnknownReferenceError, match="anthropic"):
        find_cache_rule("llama-9")
    with pytest.raises(UnknownReferenceError):
        find_cache_rule("gpt-4o", "anthropic")
    with pytest.raises(SchemaError):
        find_cache_rule(" ")


def test_what_a_cache_holds_goes_in_steps() -> None:
    steps = find_cache_rule("gpt-4o")
    assert [steps.cached(n) for n in (1023, 1024, 1151, 1152, 1280)] == [0, 1024, 1024, 1152, 1280]


def test_a_prefix_in_the_band_of_doubt_is_warned_of() -> None:
    """K04: documents say 1,024, practice said 2,048."""
    found = find_cache_rule("claude-sonnet-4-6")
    for tokens, warned in ((1023, False), (1024, True), (2047, True), (2048, False)):
        plan = plan_breakpoints([("a", tokens, "stable"), ("q", 5, "volatile")], found)
        assert bool(plan.warnings) is warned
        assert plan.boundary.cacheable is (tokens >= 1024)
        assert all("2048" in text and "1024" in text for text in plan.warnings)


def test_the_last_marker_ends_the_prefix() -> None:
    plan = plan_breakpoints([*FIVE, ("q", 9, "volatile")], rule())
    assert [(m.after_id, m.index, m.tokens) for m in plan.markers] == [("e", 5, 500)]
    assert plan.cached_tokens == 500
    assert plan_breakpoints([("q", 9, "volatile"), *FIVE], rule()).markers == ()
    assert plan_breakpoints([("a", 99, "stable")], rule()).markers == ()
    assert plan_breakpoints([("a", 99, "stable")], rule(), frame_tokens=1).markers[0].tokens == 100


def test_markers_of_the_caller_count() -> None:
    """K17: two used, two may be placed; four used is an error and not a fifth."""
    segments = [*FIVE, ("q", 9, "volatile")]
    borders = ["a", "b", "c", "d"]
    for used, placed in ((0, 4), (1, 3), (2, 2), (3, 1)):
        plan = plan_breakpoints(segments, rule(), borders=borders, used=used)
        assert len(plan.markers) == placed
        assert plan.markers[-1].after_id == "e"
    assert len(plan_breakpoints(segments, rule(), borders=borders, max_breakpoints=2).markers) == 2
    assert len(plan_breakpoints(segments, rule(implicitBreakpoints=1), borders=borders).markers) == 3
    none = plan_breakpoints(segments, rule(), borders=borders, max_breakpoints=0)
    assert (none.markers, none.cached_tokens, none.boundary.cacheable) == ((), 0, True)
    for options in ({"used": 4}, {"used": 2, "max_breakpoints": 2}, {"used": -1}):
        with pytest.raises(UsageError) as caught:
            plan_breakpoints(segments, rule(), **options)  # type: ignore[arg-type]
        assert caught.value.code == "too_many_breakpoints"


def test_where_prefixes_are_found_there_are_no_markers() -> None:
    plan = plan_breakpoints(
        [("a", 1300, "stable"), ("q", 9, "volatile")], find_cache_rule("gpt-4o"), borders=["a"]
    )
    assert (plan.markers, plan.cached_tokens) == ((), 1280)


def test_longer_lifetimes_come_first() -> None:
    """A 1h marker behind a 5m one is refused by providers; here it is before it is sent."""
    segments = [*FIVE, ("q", 9, "volatile")]
    plan = plan_breakpoints(segments, rule(), lifetimes={"b": "1h", "e": "5m"})
    assert [(m.after_id, m.lifetime) for m in plan.markers] == [("b", "1h"), ("e", "5m")]
    for lifetimes, code in (
        ({"b": "5m", "e": "1h"}, "lifetime_order"),
        ({"e": "1h", "c": ""}, "lifetime_order"),
        ({"e": "2h"}, "unknown_lifetime"),
    ):
        with pytest.raises(UsageError) as caught:
            plan_breakpoints(segments, rule(), lifetimes=lifetimes)
        assert caught.value.code == code
    with pytest.raises(UsageError):
        plan_breakpoints(segments, rule(), borders=["nobody"])


def kept_in_the_mean(sums: list[int], chosen: tuple[int, ...]) -> int:
    """What survives when the part behind each border changes first, added up: the definition."""
    return sum(max((sums[i] for i in chosen if i <= j), default=0) for j in range(len(sums)))


@settings(max_examples=200, deadline=None)
@given(st.lists(st.integers(1, 400), min_size=1, max_size=7), st.integers(0, 3), st.integers(0, 300))
def test_markers_are_maximal_and_best(sizes: list[int], used: int, frame: int) -> None:
    """Never above the maximum, each prefix at least the minimum, and no other choice keeps more."""
    segments = [(f"s{i}", size, "stable") for i, size in enumerate(sizes)] + [("q", 1, "volatile")]
    names = [name for name, _, _ in segments[:-1]]
    plan = plan_breakpoints(segments, rule(), borders=names, used=used, frame_tokens=frame)
    total = frame + sum(sizes)
    assert plan.boundary.index == len(sizes)
    if total < 100:
        assert plan.markers == ()
        return
    assert len(plan.markers) <= 4 - used
    assert plan.markers[-1].tokens == total
    assert all(marker.tokens >= 100 for marker in plan.markers)
    sums = [frame + sum(sizes[: i + 1]) for i in range(len(sizes) - 1)]
    sums = [s for s in sums if s >= 100]
    mine = tuple(sums.index(marker.tokens) for marker in plan.markers[:-1])
    best = max(
        kept_in_the_mean(sums, chosen)
        for k in range(4 - used)
        for chosen in combinations(range(len(sums)), k)
    )
    assert kept_in_the_mean(sums, mine) == best


@given(
    st.lists(st.tuples(st.integers(0, 50), st.sampled_from(["stable", "volatile"])), max_size=8),
    st.integers(0, 120),
)
def test_the_boundary_is_maximal(parts: list[tuple[int, str]], minimum: int) -> None:
    """All in front of it is stable, and what stands there is not; every stable one is in it or stranded."""
    segments = [(str(i), size, stability) for i, (size, stability) in enumerate(parts)]
    found = find_cache_breakpoint(segments, min_tokens=minimum)
    assert all(stability == "stable" for _, stability in parts[: found.index])
    assert found.index == len(parts) or parts[found.index][1] == "volatile"
    stable = [name for name, _, stability in segments if stability == "stable"]
    assert [*found.segment_ids, *found.stranded_ids] == stable
    assert found.tokens == sum(size for size, _ in parts[: found.index])
    assert found.cacheable == (found.index > 0 and found.tokens >= minimum)


@pytest.mark.parametrize(
    ("text", "rule_name"),
    [
        ("Today is 2026-11-30.", "date"),
        ("As of 3 November 2026:", "date"),
        ("Nov 3, 2026", "date"),
        ("3.11.2026", "date"),
        ("at 14:05:33Z", "time"),
        ("It is 09:15 now", "time"),
        ("ts=1764543210", "unix time"),
        ("id 123e4567-e89b-12d3-a456-426614174000", "uuid"),
        ("session_9fK2mQ81xz0P", "random id"),
        ("trace 4bf92f3577b34da6a3ce929d0e0e4736", "random id"),
        ("cwd: /home/ada/project/src", "absolute path"),
        (r"C:\Users\ada\project", "absolute path"),
        ("/tmp/build-1/x.py", "absolute path"),
    ],
)
def test_what_breaks_a_prefix_is_found(text: str, rule_name: str) -> None:
    """K01: no time, date, random id or absolute path in the prefix."""
    found = lint_text("system", f"You are a writer.\n{text}\n")
    assert [(entry.rule, entry.line) for entry in found] == [(rule_name, 2)]
    article = "an" if rule_name == "absolute path" else "a"
    assert f": {article} {rule_name} in a stable unit breaks" in str(found[0])


@pytest.mark.parametrize(
    "text",
    [
        "Version 1.2.3 of 10:1 odds, ratio 3:4",
        "https://example.org/home/docs and src/tmp/x",
        "lines 120-123, 170/410",
        "a deadbeef and cafe 12345678",
        "session_started, run_all, call_me_maybe",
        "2026 plans, 99-12-31",
        "`path:lines` and app/home/page.py",
    ],
)
def test_ordinary_text_breaks_nothing(text: str) -> None:
    assert lint_text("system", text) == ()


def test_only_stable_units_that_come_from_no_file_are_linted() -> None:
    units = [
        ContextUnit.from_data({"id": name, "text": "at 2026-11-30 10:00:00", **fields})
        for name, fields in {
            "system": {},
            "question": {"stability": "volatile"},
            "changelog": {"sourceRefs": [{"path": "CHANGELOG.md"}]},
        }.items()
    ]
    assert [(f.id, f.rule) for f in lint_prefix(units)] == [("system", "date"), ("system", "time")]
    assert {f.id for f in lint_prefix(units, files=True)} == {"system", "changelog"}
