"""Prompts from segments: the seed's examples, each stage, and what always holds."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from satchel.models import InfeasibleError, SatchelError, SchemaError, Stability, Trust, UsageError
from satchel.prompt import (
    Assembly,
    Budget,
    Choice,
    Segment,
    assemble,
    cache_split,
    compress_segments,
    estimate_tokens,
    estimate_turn_cost,
    fit_segments,
    greedy_fit,
    isolate_segments,
    order_segments,
    prepare_segments,
    price_from,
    select_segments,
)

STABLE, VOLATILE = Stability.STABLE, Stability.VOLATILE


def words(tokens: int) -> str:
    """A text of so many tokens by the estimate."""
    return "word " * (tokens * 4 // 5) + "x" * (tokens * 4 % 5)


def segment(name: str, tokens: int = 10, **fields: Any) -> Segment:
    return Segment(name, words(tokens), **fields)


def quickstart() -> list[Segment]:
    """System, tools, invoice and question of seed 003: a prefix of 3,390 tokens and 8 fresh ones."""
    return [
        segment("system", 1200, stability=STABLE, trust=Trust.TRUSTED, pinned=True),
        segment("tools", 900, stability=STABLE, trust=Trust.TRUSTED),
        Segment("invoice", words(1290)[:-6], STABLE, Trust.UNTRUSTED, relevance=0.8),
        segment("question", 8, stability=VOLATILE),
    ]


def test_quickstart_of_the_seed() -> None:
    """Index 3, nothing stranded, nothing lost, untrusted are invoice and question; never above the limit."""
    budget = Budget(max_tokens=128_000, reserve_for_output=4_000, min_cacheable_tokens=1024)
    prompt = budget.assemble(quickstart())
    assert prompt.tokens == 3398 <= budget.input_tokens == 124_000
    assert prompt.breakpoint.index == 3
    assert prompt.breakpoint.segment_ids == ("system", "tools", "invoice")
    assert prompt.breakpoint.stranded_ids == ()
    assert prompt.untrusted_ids == ("invoice", "question")
    assert prompt.dropped == ()
    assert prompt.prefix_text + prompt.suffix_text == prompt.text
    digest = sha256(prompt.prefix_text.encode()).hexdigest()
    assert prompt.breakpoint.prefix_digest == f"sha256:{digest}"
    assert cache_split(prompt) == (3390, 8)
    price = {"currency": "USD", "inputPerMillion": 3_000_000, "cachedInputPerMillion": 300_000}
    cost = estimate_turn_cost(*cache_split(prompt), price_from({**price, "cacheWritePerMillion": 3_750_000}))
    amounts = (cost.uncached_micro, cost.cache_hit_micro, cost.cache_write_micro, cost.saved_per_hit_micro)
    assert (*amounts, cost.break_even_hits) == (10194, 1041, 12737, 9153, 1)


def test_a_tight_budget_drops_the_document_and_says_why() -> None:
    """The seed's second example, word by word: the joiner is what makes 251 of 250."""
    prompt = Budget(max_tokens=100, reserve_for_output=20).assemble(
        [segment("system", 20, pinned=True), segment("doc", 250)]
    )
    (dropped,) = prompt.dropped
    assert (dropped.id, dropped.reason, dropped.tokens) == ("doc", "over_budget", 250)
    assert dropped.detail == "needs 251 tokens, 60 left of the 80-token input budget"


def test_the_given_order_strands_what_stable_first_does_not() -> None:
    """The seed's third example: system, question, tools."""
    system, tools, _, question = quickstart()
    given_order = [system, question, tools]
    budget = Budget(128_000)
    found = budget.assemble(given_order, order="as-given").breakpoint
    assert (found.index, found.segment_ids, found.reason) == (1, ("system",), "volatile_segment")
    assert (found.ended_by, found.stranded_ids, found.cacheable) == ("question", ("tools",), True)
    found = budget.assemble(given_order).breakpoint
    assert (found.index, found.segment_ids, found.stranded_ids) == (2, ("system", "tools"), ())


def test_rank_decides_what_survives_and_placement_where_it_sits() -> None:
    given_segments = [
        segment("low", relevance=0.1),
        segment("first", priority=2, relevance=0.2),
        segment("high", relevance=0.9, stability=STABLE),
        segment("pin", relevance=0.0, pinned=True),
    ]
    prepared, _ = prepare_segments(given_segments)
    kept, dropped = select_segments(prepared, min_relevance=0.15, max_segments=2)
    assert [entry.id for entry in kept] == ["pin", "first"]
    assert [(entry.id, entry.reason) for entry in dropped] == [
        ("high", "over_segment_limit"),
        ("low", "below_relevance"),
    ]
    assert "floor of 0.15" in dropped[1].detail
    kept, _ = select_segments(prepared)
    assert [entry.id for entry in order_segments(kept)] == ["high", "low", "first", "pin"]
    assert [entry.id for entry in order_segments(kept, "as-given")] == ["low", "first", "high", "pin"]
    assert isolate_segments(order_segments(kept)) == ("high", "low", "first", "pin")


def test_a_compressor_shortens_and_what_is_not_shorter_is_not_used() -> None:
    prepared, _ = prepare_segments([segment("a", 100), segment("b", 10), segment("c", 10)])
    texts = {"a": "short", "b": "much longer than before, " * 10, "c": " "}
    kept, dropped = compress_segments(prepared, lambda s: texts[s.id])
    assert [(entry.id, entry.tokens) for entry in kept] == [("a", 2), ("b", 10)]
    assert kept[1].segment.text == words(10)
    assert [(entry.id, entry.reason) for entry in dropped] == [("c", "empty")]


def test_fit_goes_on_past_what_is_too_large() -> None:
    ranked, _ = prepare_segments([segment("big", 90), segment("a", 10), segment("b", 10), segment("c", 10)])
    kept, dropped = fit_segments(ranked, 32, joiner=1)
    assert [entry.id for entry in kept] == ["a", "b", "c"]
    assert [entry.id for entry in dropped] == ["big"]
    kept, dropped = fit_segments(ranked, 31, joiner=1)
    assert [entry.id for entry in kept] == ["a", "b"]
    assert dropped[1].detail == "needs 11 tokens, 10 left of the 31-token input budget"


def test_empty_segments_are_told() -> None:
    prompt = assemble([Segment("blank", " \n"), segment("a")], Budget(100))
    assert [(entry.id, entry.reason) for entry in prompt.dropped] == [("blank", "empty")]
    assert prompt.accounting == {"given": 2, "prepared": 1, "selected": 1, "compressed": 1, "fitted": 1}
    nothing = assemble([], Budget(100))
    assert (nothing.text, nothing.tokens, nothing.breakpoint.reason) == ("", 0, "empty")


def test_pinned_that_does_not_fit_raises_and_says_what_would_work() -> None:
    """A23, A27, A28: never a prompt without its instructions; the smallest budget that works is exact."""
    pinned = [segment("rules", 30, pinned=True), segment("case", 15, pinned=True)]
    with pytest.raises(InfeasibleError) as caught:
        assemble(pinned, Budget(45))
    assert caught.value.code == "pinned_does_not_fit"
    assert caught.value.data["smallestBudget"] == 46
    assert caught.value.data["largest"] == "rules"
    assert assemble(pinned, Budget(46)).tokens == 46


@pytest.mark.parametrize("bad", [-1, 2.0, float("nan"), True, None, "7"])
def test_a_counter_that_does_not_count_raises(bad: object) -> None:
    """C09, seed 003: NaN would look like a text that is too large."""
    with pytest.raises(SchemaError) as caught:
        assemble([segment("a")], Budget(100, count_tokens=lambda _: bad))  # type: ignore[arg-type, return-value]
    assert caught.value.code == "invalid_token_count"


@pytest.mark.parametrize(
    ("segments", "code"),
    [
        ([segment("a"), segment("a")], "duplicate_segment_id"),
        ([Segment("", "x")], "invalid_segment"),
        ([Segment("a", None)], "invalid_segment"),  # type: ignore[arg-type]
        ([Segment("a", "x", relevance=1.5)], "invalid_segment"),
        ([Segment("a", "x", relevance=float("nan"))], "invalid_segment"),
        ([Segment("a", "x", priority=1.5)], "invalid_segment"),  # type: ignore[arg-type]
        ([Segment("a", "x", stability="sometimes")], "invalid_segment"),  # type: ignore[arg-type]
        ([Segment("a", "x", trust="some")], "invalid_segment"),  # type: ignore[arg-type]
        ([Segment("a", " ", pinned=True)], "invalid_segment"),
        (["a"], "invalid_segment"),
    ],
)
def test_bad_segments_raise(segments: list[Segment], code: str) -> None:
    with pytest.raises(SchemaError) as caught:
        assemble(segments, Budget(100))
    assert caught.value.code == code
    assert "segments[" in str(caught.value)


@pytest.mark.parametrize("numbers", [(-1,), (1.5,), (True,), (10, 10), (10, 11), (10, -1), (10, 1, -1)])
def test_bad_budgets_raise(numbers: tuple[Any, ...]) -> None:
    with pytest.raises(UsageError) as caught:
        Budget(*numbers)
    assert caught.value.code == "invalid_budget"


def test_bad_options_raise() -> None:
    for options in ({"order": "random"}, {"min_relevance": 2}, {"max_segments": -1}):
        with pytest.raises(UsageError):
            assemble([segment("a")], Budget(100), **options)  # type: ignore[arg-type]
    for fit in (lambda *_: ["nobody"], lambda choices, _: [choice.id for choice in choices]):
        with pytest.raises(SchemaError) as caught:
            assemble([segment("a", 80), segment("b", 80)], Budget(100), fit=fit)
        assert caught.value.code == "invalid_fit"


def test_a_tokenizer_that_counts_more_for_the_whole_never_breaks_the_limit() -> None:
    """The recount holds: the last in rank goes, with its reason."""

    def seams(text: str) -> int:
        return estimate_tokens(text) + 5 * text.count("\n\n") * (len(text) > 2)

    segments = [segment(name, 10, relevance=1 - i / 10) for i, name in enumerate("abcd")]
    prompt = assemble(segments, Budget(43, count_tokens=seams))
    assert [entry.id for entry in prompt.segments] == ["a", "b", "c"]
    assert prompt.tokens == seams(prompt.text) <= 43
    assert prompt.dropped[0].id == "d"
    assert "more than its parts" in prompt.dropped[0].detail
    with pytest.raises(InfeasibleError, match="pinned"):
        assemble([segment("a", pinned=True), segment("b", pinned=True)], Budget(22, count_tokens=seams))


def test_secrets_are_replaced_before_anything_is_counted() -> None:
    prompt = assemble([Segment("a", "key=12345678")], Budget(9), redact=lambda t: t.replace("12345678", "*"))
    assert (prompt.text, prompt.tokens) == ("key=*", 2)


segments_of_all_kinds = st.lists(
    st.builds(
        Segment,
        id=st.text("abcdef", min_size=1, max_size=3),
        text=st.text(max_size=60),
        stability=st.sampled_from(Stability),
        trust=st.sampled_from(Trust),
        pinned=st.booleans(),
        priority=st.integers(-2, 2),
        relevance=st.floats(0, 1),
    ),
    max_size=8,
    unique_by=lambda s: s.id,
)


@settings(max_examples=300, deadline=None)
@given(
    segments_of_all_kinds,
    st.integers(1, 60),
    st.floats(0, 1),
    st.none() | st.integers(0, 5),
    st.sampled_from(["stable-first", "as-given"]),
)
def test_what_always_holds(
    segments: list[Segment], limit: int, floor: float, most: int | None, order: Any
) -> None:
    """Nothing over the cap, every candidate in one place, the boundary maximal, the same again."""
    options: dict[str, Any] = {"order": order, "min_relevance": floor, "max_segments": most}
    pinned = [s for s in segments if s.pinned]
    needed = sum(estimate_tokens(s.text) + 1 for s in pinned) - 1
    blank = any(not s.text.strip() for s in pinned)
    if blank or needed > limit:
        with pytest.raises(SatchelError) as caught:
            assemble(segments, Budget(limit), **options)
        assert caught.value.code == ("invalid_segment" if blank else "pinned_does_not_fit")
        return
    prompt: Assembly = assemble(segments, Budget(limit), **options)
    assert prompt.tokens == estimate_tokens(prompt.text) <= limit
    ids = [entry.id for entry in prompt.segments] + [entry.id for entry in prompt.dropped]
    assert sorted(ids) == sorted(s.id for s in segments)
    assert all(s.id in {entry.id for entry in prompt.segments} for s in segments if s.pinned)
    assert all(entry.detail for entry in prompt.dropped)
    stable = [entry.segment.stability is STABLE for entry in prompt.segments]
    index = prompt.breakpoint.index
    assert all(stable[:index])
    assert not stable[index : index + 1] or not stable[index]
    if order == "stable-first":
        assert prompt.breakpoint.stranded_ids == ()
        assert index == sum(stable)
    assert prompt.prefix_text + prompt.suffix_text == prompt.text
    assert assemble(segments, Budget(limit), **options) == prompt


@settings(max_examples=100, deadline=None)
@given(segments_of_all_kinds, st.text("xyz ", min_size=1, max_size=30))
def test_the_prefix_is_stable_under_changes_behind_it(segments: list[Segment], text: str) -> None:
    """K03: what follows the boundary never moves it, as long as all fits."""
    stable = [s for s in segments if s.stability is STABLE and s.text.strip()]
    budget = Budget(10_000)
    one = budget.assemble([*stable, Segment("first question", f"? {text}")])
    two = budget.assemble([Segment("zz", f"! {text}{text}"), *stable, Segment("later", "?")])
    assert one.prefix_text == two.prefix_text
    assert one.breakpoint.segment_ids == two.breakpoint.segment_ids


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.integers(0, 30), max_size=8),
    st.integers(0, 60),
)
def test_greedy_never_exceeds_its_cap_and_leaves_nothing_that_fits(sizes: list[int], cap: int) -> None:
    choices = [Choice(str(i), size) for i, size in enumerate(sizes)]
    kept = greedy_fit(choices, cap)
    used = sum(sizes[int(name)] for name in kept)
    assert used <= cap
    assert all(used + size > cap for i, size in enumerate(sizes) if str(i) not in kept)


def test_what_fits_into_the_joined_text_is_not_left_out() -> None:
    """A counter for which joined texts hold less than their parts: what is in is maximal all the same."""

    def count(text: str) -> int:
        return (len(text) + 5) // 6

    segments = [Segment(f"s{i}", "=") for i in range(40)]
    prompt = Budget(max_tokens=12, count_tokens=count).assemble(segments)
    assert prompt.tokens == count(prompt.text) <= 12
    assert count(prompt.text + "\n\n=") > 12
    assert [entry.id for entry in prompt.segments] == [f"s{i}" for i in range(len(prompt.segments))]
    assert len(prompt.segments) + len(prompt.dropped) == 40
    assert prompt.accounting["fitted"] == len(prompt.segments)
    assert all("12" in drop.detail for drop in prompt.dropped)
