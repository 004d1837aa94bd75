"""Cached, scaled and injected estimators, and token amounts."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from satchel.models import InputError, UsageError
from satchel.sources.tokens import (
    ApproximateEstimator,
    CachedEstimator,
    CounterEstimator,
    ExactEstimator,
    MemoryStore,
    ScaledEstimator,
    TokenProfile,
    check_counter,
    parse_tokens,
    plausible_count,
)

# --- cached


class Tally(ApproximateEstimator):
    """The byte estimate, which also notes how many texts it was asked for."""

    def __init__(self) -> None:
        self.counted: list[str] = []

    def count_batch(self, texts: Sequence[str]) -> list[int]:
        self.counted += texts
        return super().count_batch(texts)


def test_second_pass_counts_nothing() -> None:
    """E07: 5,000 units counted twice are tokenized once, also across duplicates within a batch."""
    texts = [f"def f_{i % 4_000}(): pass\n" for i in range(5_000)]
    inner = Tally()
    cached = CachedEstimator(inner)
    first = cached.count_batch(texts)
    assert len(inner.counted) == 4_000
    assert cached.count_batch(texts) == first == ApproximateEstimator().count_batch(texts)
    assert len(inner.counted) == 4_000


def test_cached_estimate_says_so_and_keeps_warnings() -> None:
    """D08: a hit still notes the replaced surrogate."""
    cached = CachedEstimator(ExactEstimator("cl100k_base"))
    fresh, hit = cached.estimate("x = '\ud800'"), cached.estimate("x = '\ud800'")
    assert (fresh.method, hit.method) == ("exact", "cached")
    assert hit.token_count == fresh.token_count
    assert hit.warnings == fresh.warnings == ("1 lone surrogate counted as U+FFFD",)
    assert cached.name == ExactEstimator("cl100k_base").name


def test_one_store_keeps_encodings_apart() -> None:
    store = MemoryStore()
    text = "모든 인간은 태어날 때부터 자유롭다" * 4
    cl100k = CachedEstimator(ExactEstimator("cl100k_base"), store)
    o200k = CachedEstimator(ExactEstimator("o200k_base"), store)
    assert cl100k.count_batch([text]) != o200k.count_batch([text])
    assert o200k.estimate(text).method == "cached"
    assert o200k.estimate(text).token_count == ExactEstimator("o200k_base").count_batch([text])[0]


def test_memory_store_forgets_the_least_recently_used() -> None:
    store = MemoryStore(limit=2)
    store.put_many({"a": 1, "b": 2})
    store.get_many(["a"])
    store.put_many({"c": 3})
    assert store.get_many(["a", "b", "c"]) == {"a": 1, "c": 3}
    assert len(store) == 2
    with pytest.raises(UsageError, match="limit"):
        MemoryStore(limit=0)


def test_cache_is_right_when_the_store_is_smaller_than_the_batch() -> None:
    cached = CachedEstimator(ExactEstimator(), MemoryStore(limit=3))
    texts = [f"text number {i}" for i in range(10)]
    assert cached.count_batch(texts) == ExactEstimator().count_batch(texts)


def test_cache_is_safe_between_threads() -> None:
    cached = CachedEstimator(ExactEstimator(), MemoryStore(limit=50))
    texts = [f"text {i} " * (i % 5) for i in range(200)]
    expected = ExactEstimator().count_batch(texts)
    results: list[list[int]] = []
    workers = [threading.Thread(target=lambda: results.append(cached.count_batch(texts))) for _ in range(8)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert results == [expected] * 8


# --- scaled

PROFILE = TokenProfile(
    provider="vendor",
    model_id="model-x",
    encoding="cl100k_base",
    mode="approximate",
    factor=1.4,
    byte_factor=0.9,
    band=(0.5, 1.1),
    confidence="medium",
)


def test_scaled_count_is_rounded_up_and_flagged() -> None:
    """C03: a factor over a known vocabulary is approximate, states its band, and is never called exact."""
    scaled = ScaledEstimator(ExactEstimator("cl100k_base"), PROFILE)
    text = "The packer chooses the evidence that a page needs."
    (base,) = ExactEstimator("cl100k_base").count_batch([text])
    (floor,) = ApproximateEstimator().count_batch([text])
    estimate = scaled.estimate(text)
    # ceil(base * 1.4) and ceil(floor * 0.9), in integers
    assert estimate.token_count == max(-(-base * 14 // 10), -(-floor * 9 // 10))
    assert (estimate.method, estimate.confidence) == ("approximate", "medium")
    assert "0.5 to 1.1" in estimate.warnings[0]
    assert scaled.count_batch([text, ""]) == [estimate.token_count, 0]


def test_scaled_count_holds_where_the_base_compresses_too_well() -> None:
    """C18: 64 equal characters are one token of cl100k, but not of every model."""
    text = "=" * 640
    assert ExactEstimator("cl100k_base").count_batch([text])[0] <= 11
    assert ScaledEstimator(ExactEstimator("cl100k_base"), PROFILE).count_batch([text])[0] > 250


# --- injected counters


@pytest.mark.parametrize(
    ("counter", "wrong"),
    [
        (lambda text: 4, "4"),
        (lambda text: len(text.encode()) * 2, "outside"),
        (lambda text: len(text) // 40, "outside"),
        (lambda text: 2.5, "whole number"),
        (lambda text: -1, "whole number"),
        (lambda text: True, "whole number"),
        (lambda text: None, "whole number"),
        (lambda text: float("nan"), "whole number"),
    ],
)
def test_a_counter_that_cannot_be_right_is_refused(counter: Any, wrong: str) -> None:
    """C09: a constant, a count above the bytes or below characters / 12, and what is no count at all."""
    with pytest.raises(InputError, match=wrong) as caught:
        CounterEstimator(counter, name="remote")
    assert caught.value.code == "invalid_token_count"
    assert caught.value.exit_code == 2


def test_a_counter_that_turns_bad_later_is_refused_then() -> None:
    """C09: every result is checked, not only the probes."""
    good = ExactEstimator()
    answers = {"bad": -3}
    counter = CounterEstimator(lambda text: answers.get(text) or good.count_batch([text])[0], name="remote")
    assert counter.count_batch(["hello world"]) == [2]
    with pytest.raises(InputError, match="whole number"):
        counter.count_batch(["hello", "bad"])


def test_a_plausible_counter_is_taken() -> None:
    """C02, C15: a counter of characters / 4 is believed, and flagged as approximate."""
    counter = CounterEstimator(lambda text: -(-len(text) // 4) + text.count("，"), name="quarter/1")
    check_counter(lambda text: len(text.encode()), name="bytes")
    assert counter.estimate("x" * 400).token_count == 100
    assert (counter.method, counter.estimate("x").confidence) == ("approximate", "low")
    assert plausible_count("hello world, this is a text", 7)
    assert not plausible_count("hello world, this is a text", 1)


# --- amounts


@pytest.mark.parametrize(
    ("amount", "tokens"),
    [
        ("8000", 8_000),
        ("8k", 8_000),
        ("8K", 8_000),
        ("32k", 32_000),
        ("1m", 1_000_000),
        ("1M", 1_000_000),
        ("1_000", 1_000),
        ("8,000", 8_000),
        ("1,048,576", 1_048_576),
        ("128_000", 128_000),
        ("1.5k", 1_500),
        ("0.25m", 250_000),
        (" 8k ", 8_000),
        (4_096, 4_096),
    ],
)
def test_amounts_that_are_accepted(amount: str | int, tokens: int) -> None:
    assert parse_tokens(amount) == tokens


@pytest.mark.parametrize(
    "amount",
    [
        "__import__('os')",
        "8*1000",
        "🙂k",
        "８k",
        "",
        "k",
        "8 k",
        "8kb",
        "8g",
        "-8k",
        "+8k",
        "1e3",
        "0x10",
        "1.2345k",
        "1,00",
        "1,0000",
        "1__000",
        "_1000",
        "1000_",
        "nan",
        "inf",
        "8k\n9k",
        "9" * 5_000,
        "0",
        "99999999m",
        True,
        8.0,
        None,
    ],
)
def test_amounts_that_are_refused(amount: Any) -> None:
    """H17, F10: an expression is never evaluated, an emoji is no number; the error says what works."""
    with pytest.raises(UsageError) as caught:
        parse_tokens(amount)
    assert caught.value.field == "--budget"
    assert "8000, 8k, 128_000, 1m" in str(caught.value)
    assert len(str(caught.value)) < 300


def test_amount_limits_and_option() -> None:
    assert parse_tokens("0", minimum=0, option="--reserve") == 0
    with pytest.raises(UsageError, match="--reserve"):
        parse_tokens("x", option="--reserve")


@given(st.integers(1, 10**9))
def test_amounts_round_trip(tokens: int) -> None:
    assert parse_tokens(str(tokens)) == parse_tokens(f"{tokens:,}") == parse_tokens(f"{tokens:_}") == tokens


@given(st.text(max_size=12))
def test_amounts_never_raise_anything_else(text: str) -> None:
    """F10, H17: any text is a number or a usage error."""
    with contextlib.suppress(UsageError):
        assert parse_tokens(text) >= 1
