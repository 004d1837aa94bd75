"""Money: the seed's numbers, exact rounding, each token billed once."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from satchel.models import SchemaError, UnknownReferenceError
from satchel.prompt import (
    Filler,
    Price,
    PriceTable,
    TokenUsage,
    bill,
    cost_of_calls,
    estimate_turn_cost,
    fill_below_minimum,
    normalise_usage,
    price_from,
)
from satchel.prompt.cost import half_up

SEED = price_from(
    {
        "currency": "USD",
        "inputPerMillion": 3_000_000,
        "cachedInputPerMillion": 300_000,
        "cacheWritePerMillion": 3_750_000,
    }
)


def test_the_cost_example_of_the_seed() -> None:
    """3,390 cached and 8 fresh tokens: 10194, 1041, 12737, 9153 and 1."""
    cost = estimate_turn_cost(3390, 8, SEED)
    assert (cost.uncached_micro, cost.cache_hit_micro, cost.cache_write_micro) == (10194, 1041, 12737)
    assert (cost.saved_per_hit_micro, cost.break_even_hits, cost.currency) == (9153, 1, "USD")


def test_halves_are_rounded_up_once_per_amount() -> None:
    """12736.5 micro-dollars are 12737; the fraction is exact, whatever the size."""
    assert [half_up(Fraction(n, 2)) for n in (0, 1, 2, 3)] == [0, 1, 1, 2]
    assert half_up(Fraction(49_999_999, 100_000_000)) == 0
    huge = estimate_turn_cost(10**12 + 1, 0, price_from({"currency": "EUR", "inputPerMillion": 10**12 + 1}))
    assert huge.uncached_micro == ((10**12 + 1) ** 2 + 500_000) // 10**6


@pytest.mark.parametrize(
    ("prices", "hits"),
    [
        ((10, 1, 10), 0),
        ((10, 1, 9), 0),
        ((10, 1, 11), 1),
        ((10, 1, 19), 1),
        ((10, 1, 20), 2),
        ((10, 9, 20), 10),
        ((10, 10, 11), None),
        ((10, 12, 11), None),
        ((10, 12, 10), None),
        ((10, 12, 9), None),
        ((10, 10, 10), 0),
    ],
)
def test_break_even(prices: tuple[int, int, int], hits: int | None) -> None:
    """Null where no number of hits pays the premium back: caching everything is not the strategy."""
    names = ("inputPerMillion", "cachedInputPerMillion", "cacheWritePerMillion")
    price = price_from({"currency": "USD", **{n: p * 10**6 for n, p in zip(names, prices, strict=True)}})
    cost = estimate_turn_cost(7, 3, price)
    assert cost.break_even_hits == hits
    if hits:
        without, cached = cost_of_calls(cost, price, hits + 1)
        assert cached <= without
        without, cached = cost_of_calls(cost, price, hits)
        assert cached > without


def test_without_cache_prices_reads_and_writes_cost_what_input_costs() -> None:
    cost = estimate_turn_cost(1000, 10, price_from({"currency": "USD", "inputPerMillion": 1_000_000}))
    assert cost.uncached_micro == cost.cache_hit_micro == cost.cache_write_micro == 1010
    assert (cost.saved_per_hit_micro, cost.break_even_hits) == (0, 0)


@pytest.mark.parametrize(
    "wrong",
    [
        {"currency": "USD", "inputPerMillion": 1.5},
        {"currency": "USD", "inputPerMillion": -1},
        {"currency": "USD", "inputPerMillion": True},
        {"currency": "", "inputPerMillion": 1},
        {"currency": "U$D", "inputPerMillion": 1},
        {"currency": "$", "inputPerMillion": 1},
        {"currency": "USD ", "inputPerMillion": 1},
        {"currency": "US1", "inputPerMillion": 1},
        {"currency": "X", "inputPerMillion": 1},
        {"currency": "\u0000", "inputPerMillion": 1},
        {"currency": "money " * 9 + "x", "inputPerMillion": 1},
        {"inputPerMillion": 1},
        {"currency": "USD"},
        {"currency": "USD", "inputPerMillion": 1, "cachedInputPerMillion": float("nan")},
        {"currency": "USD", "inputPerMillion": 1, "perMillion": 1},
    ],
)
def test_a_bad_price_raises(wrong: dict[str, Any]) -> None:
    with pytest.raises(SchemaError) as caught:
        price_from(wrong)
    assert caught.value.code == "invalid_price"


def test_unstated_prices_are_errors_and_never_zero() -> None:
    for usage in (TokenUsage(output=1), TokenUsage(cache_write_long=1)):
        with pytest.raises(SchemaError) as caught:
            bill([usage], SEED)
        assert caught.value.code == "invalid_price"
    with pytest.raises(SchemaError):
        estimate_turn_cost(1, 1, SEED, long_lived=True)
    for bad in (-1, 1.0, True):
        with pytest.raises(SchemaError) as caught:
            estimate_turn_cost(bad, 1, SEED)  # type: ignore[arg-type]
        assert caught.value.code == "invalid_token_count"


TABLE = PriceTable.from_data(
    {
        "schemaVersion": "price-table.v1",
        "currency": "USD",
        "models": {
            "claude-*": {"inputPerMillion": 1},
            "claude-sonnet-*": {"inputPerMillion": 2},
            "Claude-Sonnet-5": {"inputPerMillion": 3},
        },
    }
)


@pytest.mark.parametrize(
    ("model", "rate"),
    [
        ("claude-haiku-9", 1),
        ("claude-sonnet-4-6", 2),
        ("claude-sonnet-5", 3),
        ("openrouter/Claude-sonnet-5", 3),
    ],
)
def test_the_most_specific_entry_of_a_table_holds(model: str, rate: int) -> None:
    assert TABLE.price(model).input_per_million == rate


def test_a_model_without_a_price_is_named() -> None:
    with pytest.raises(UnknownReferenceError, match=r"claude-\*") as caught:
        TABLE.price("gpt-9")
    assert caught.value.code == "unknown_price"
    with pytest.raises(UnknownReferenceError, match="several"):
        TABLE.price()
    one = PriceTable.from_data({**TABLE.to_data(), "models": {"m": {"inputPerMillion": 4}}})
    assert one.price().input_per_million == 4


@pytest.mark.parametrize(
    ("record", "usage"),
    [
        # Anthropic: cached tokens stand beside the input.
        (
            {"input_tokens": 21, "cache_creation_input_tokens": 188086, "cache_read_input_tokens": 0,
             "output_tokens": 393},
            TokenUsage(21, 0, 188086, 0, 393),
        ),
        (
            {"input_tokens": 5, "cache_read_input_tokens": 9, "cache_creation_input_tokens": 30,
             "output_tokens": 1,
             "cache_creation": {"ephemeral_5m_input_tokens": 10, "ephemeral_1h_input_tokens": 20}},
            TokenUsage(5, 9, 10, 20, 1),
        ),
        # OpenAI: they are part of it.
        (
            {"prompt_tokens": 2006, "completion_tokens": 300, "total_tokens": 2306,
             "prompt_tokens_details": {"cached_tokens": 1920}},
            TokenUsage(86, 1920, 0, 0, 300),
        ),
        (
            {"input_tokens": 125, "output_tokens": 48,
             "input_tokens_details": {"cached_tokens": 90, "cache_write_tokens": 30},
             "output_tokens_details": {"reasoning_tokens": 10}},
            TokenUsage(5, 90, 30, 0, 48),
        ),
        # Gemini: part of it; thoughts beside the answer.
        (
            {"promptTokenCount": 100, "cachedContentTokenCount": 60, "candidatesTokenCount": 7,
             "thoughtsTokenCount": 5, "totalTokenCount": 112},
            TokenUsage(40, 60, 0, 0, 12),
        ),
        ({"prompt_token_count": 100, "cached_content_token_count": 60}, TokenUsage(40, 60)),
        # Bedrock: beside it, unless its own total says that they are part of it.
        (
            {"inputTokens": 5, "outputTokens": 2, "totalTokens": 37, "cacheReadInputTokens": 10,
             "cacheWriteInputTokens": 20},
            TokenUsage(5, 10, 20, 0, 2),
        ),
        (
            {"inputTokens": 35, "outputTokens": 2, "totalTokens": 37, "cacheReadInputTokens": 10,
             "cacheWriteInputTokens": 20},
            TokenUsage(5, 10, 20, 0, 2),
        ),
        # DeepSeek: hits and misses.
        (
            {"prompt_tokens": 50, "prompt_cache_hit_tokens": 40, "prompt_cache_miss_tokens": 10,
             "completion_tokens": 3},
            TokenUsage(10, 40, 0, 0, 3),
        ),
    ],
)  # fmt: skip
def test_usage_records_are_normalised(record: dict[str, Any], usage: TokenUsage) -> None:
    assert normalise_usage(record) == usage
    wrapped = "usageMetadata" if "promptTokenCount" in record else "usage"
    assert normalise_usage({"id": "x", wrapped: record}) == usage


@pytest.mark.parametrize(
    ("record", "fresh"),
    [
        ({"prompt_tokens": 17_111, "prompt_tokens_details": {"cached_tokens": 17_102}}, 9),
        (
            {"prompt_tokens": 2_000, "cache_read_input_tokens": 500, "cache_creation_input_tokens": 300},
            1_200,
        ),
        ({"prompt_tokens": 20_212, "prompt_tokens_details": {"cached_tokens": 16_298}}, 3_914),
    ],
)
def test_cached_tokens_are_billed_once(record: dict[str, Any], fresh: int) -> None:
    """K08, K09, K10: 17,111 with 17,102 read; 2,000 = 1,200 + 500 + 300; 20,212 with 16,298 read."""
    usage = normalise_usage(record)
    assert usage.fresh == fresh
    assert usage.input == record["prompt_tokens"]
    exact = Fraction(
        usage.fresh * 3_000_000 + usage.cache_read * 300_000 + usage.cache_write * 3_750_000, 10**6
    )
    assert bill([usage], SEED).total_micro == half_up(exact)


@pytest.mark.parametrize(
    "record",
    [
        {},
        {"tokens": 3},
        {"prompt_tokens": -1},
        {"prompt_tokens": 1.5},
        {"prompt_tokens": 5, "prompt_tokens_details": {"cached_tokens": 6}},
        {"promptTokenCount": 1, "cachedContentTokenCount": 2},
        {"input_tokens": 1, "cache_creation_input_tokens": 1,
         "cache_creation": {"ephemeral_1h_input_tokens": 2}},
    ],
)  # fmt: skip
def test_a_record_that_cannot_be_is_refused(record: dict[str, Any]) -> None:
    with pytest.raises(SchemaError) as caught:
        normalise_usage(record)
    assert caught.value.code == "invalid_usage"


counts = st.integers(0, 10**7)
usages = st.lists(st.builds(TokenUsage, counts, counts, counts, counts, counts), max_size=5)
rates = st.integers(0, 10**8)


@given(usages, rates, rates, rates, rates, rates)
def test_parts_of_a_bill_add_up_and_are_near_the_exact_amounts(
    used: list[TokenUsage], fresh: int, read: int, write: int, long: int, output: int
) -> None:
    price = Price(
        currency="USD",
        input_per_million=fresh,
        cached_input_per_million=read,
        cache_write_per_million=write,
        cache_write_long_per_million=long,
        output_per_million=output,
    )
    found = bill(used, price)
    exact = {
        "input": sum(u.fresh for u in used) * fresh,
        "cacheRead": sum(u.cache_read for u in used) * read,
        "cacheWrite": sum(u.cache_write for u in used) * write,
        "cacheWriteLong": sum(u.cache_write_long for u in used) * long,
        "output": sum(u.output for u in used) * output,
    }
    assert sum(found.parts_micro.values()) == found.total_micro
    assert found.total_micro == half_up(Fraction(sum(exact.values()), 10**6))
    assert all(abs(found.parts_micro[name] - Fraction(part, 10**6)) <= 1 for name, part in exact.items())


def test_filling_a_prefix_below_the_minimum_where_it_pays() -> None:
    """K04: 900 tokens are not cached; with a unit of 200 they are, and ten calls cost less."""
    fillers = [Filler("a", 200, 5), Filler("b", 150, 5), Filler("small", 50, 9), Filler("big", 700, 9)]
    fill = fill_below_minimum(900, 1024, 600, fillers, SEED, 10)
    assert fill is not None
    assert (fill.id, fill.prefix_tokens) == ("b", 1050)
    without = 900 * 10 * 3
    cached = Fraction(1050 * (3_750_000 + 9 * 300_000), 10**6)
    assert fill.saved_micro == int(without - cached)
    assert fill_below_minimum(900, 1024, 600, fillers, SEED, 1) is None, "a single call pays the write alone"
    assert fill_below_minimum(1024, 1024, 600, fillers, SEED, 10) is None
    assert fill_below_minimum(900, 1024, 100, fillers, SEED, 10) is None
    bigger = fill_below_minimum(900, 1024, 700, fillers, SEED, 100)
    assert bigger is not None
    assert bigger.id == "big"


@pytest.mark.parametrize("name", ["USD", "usd", "credits", "Swiss francs", "złoty", "R-points", "円元"])
def test_currencies_are_codes_or_names(name: str) -> None:
    assert price_from({"currency": name, "inputPerMillion": 1}).currency == name


def test_a_sign_is_no_currency_and_the_error_says_what_is() -> None:
    with pytest.raises(SchemaError, match="is no code or name of a currency") as caught:
        PriceTable.from_data({"schemaVersion": "price-table.v1", "currency": "U$D", "models": {}})
    assert caught.value.field == "currency"
    assert "such as USD" in str(caught.value.hint)
