"""Model profiles: valid data, found under the names that hosts use, and the estimators they lead to."""

from __future__ import annotations

import json
from datetime import date
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
import tiktoken.model

from satchel.models import EnvelopeError, ModelProfile, SchemaError, UnknownReferenceError, UsageError
from satchel.sources.tokens import (
    EXACT_ENCODINGS,
    ApproximateEstimator,
    ExactEstimator,
    ModelSpec,
    ScaledEstimator,
    estimator_for,
    find_profile,
    list_profiles,
    load_profiles,
    make_estimator,
    model_profile,
)

PROFILES = list_profiles()
CODE = "def total(rows):\n    return sum(row.tokens for row in rows if row.kept)\n" * 20


@pytest.mark.parametrize("spec", PROFILES, ids=lambda spec: spec.model_id)
def test_every_profile_is_sound(spec: ModelSpec) -> None:
    """A22: window, input limit, output limit and reserve are kept apart, and leave room for an input."""
    assert find_profile(spec.model_id) == spec  # no earlier glob hides it
    assert spec.encoding in EXACT_ENCODINGS
    assert all(glob == glob.lower() for glob in spec.match)
    assert date(2026, 1, 1) < spec.as_of < date(2027, 1, 1)
    assert "limits: " in spec.source
    assert 0 < spec.default_output_reserve <= spec.max_output_tokens
    assert 0 < spec.input_room() <= spec.context_window - spec.default_output_reserve
    assert spec.input_room() <= (spec.max_input_tokens or spec.context_window)
    if spec.mode == "exact":
        assert spec.confidence == "high"
        assert isinstance(estimator_for(spec), ExactEstimator)
    else:
        assert isinstance(estimator_for(spec), ScaledEstimator)
        assert spec.band[0] < 1 <= spec.band[1]


def test_vendors_are_covered() -> None:
    vendors = {spec.provider for spec in PROFILES}
    assert vendors == {"openai", "anthropic", "google", "qwen", "meta", "mistral", "deepseek"}
    assert all(spec.mode == "approximate" for spec in PROFILES if spec.provider != "openai")


@pytest.mark.parametrize(
    "model",
    [
        name
        for name, encoding in tiktoken.model.MODEL_TO_ENCODING.items()
        if encoding in EXACT_ENCODINGS and name.startswith(("gpt", "o"))
    ],
)
def test_encodings_agree_with_tiktoken(model: str) -> None:
    assert find_profile(model).encoding == tiktoken.model.MODEL_TO_ENCODING[model]


@pytest.mark.parametrize(
    ("asked", "model", "window", "encoding"),
    [
        ("gpt-4o", "gpt-4o", 128_000, "o200k_base"),
        ("openai/gpt-4o-mini", "gpt-4o-mini", 128_000, "o200k_base"),
        ("ft:gpt-4o-mini-2024-07-18:org/team::id", "gpt-4o-mini-2024-07-18", 128_000, "o200k_base"),
        ("GPT-4", "gpt-4", 8_192, "cl100k_base"),
        ("gpt-4-turbo", "gpt-4-turbo", 128_000, "cl100k_base"),
        ("gpt-5", "gpt-5", 400_000, "o200k_base"),
        ("gpt-5.4-mini", "gpt-5.4-mini", 400_000, "o200k_base"),
        ("gpt-5.6-sol", "gpt-5.6-sol", 1_050_000, "o200k_base"),
        ("gpt-oss:20b", "gpt-oss", 131_072, "o200k_harmony"),
        ("anthropic/claude-sonnet-4.5", "claude-sonnet-4-5", 200_000, "cl100k_base"),
        (
            "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
            "claude-sonnet-4-5-20250929",
            200_000,
            "cl100k_base",
        ),
        ("claude-sonnet-4@20250514", "claude-sonnet-4", 200_000, "cl100k_base"),
        ("claude-opus-4-6[1m]", "claude-opus-4-6", 1_000_000, "cl100k_base"),
        ("models/gemini-2.5-pro", "gemini-2.5-pro", 1_048_576, "o200k_base"),
        ("meta.llama3-1-70b-instruct-v1:0", "llama3-1-70b-instruct", 131_072, "cl100k_base"),
        ("meta-llama/Llama-3.3-70B-Instruct", "llama-3.3-70b-instruct", 131_072, "cl100k_base"),
        ("Qwen/Qwen3.5-397B-A17B", "qwen3.5-397b-a17b", 262_144, "qwen3.5"),
        ("qwen3:8b", "qwen3", 40_960, "qwen3.5"),
        ("deepseek/deepseek-v3.2", "deepseek-v3.2", 131_072, "o200k_base"),
        ("mistral/mistral-large-latest", "mistral-large-latest", 256_000, "o200k_base"),
    ],
)
def test_names_of_hosts_are_understood(asked: str, model: str, window: int, encoding: str) -> None:
    spec = find_profile(asked)
    assert (spec.model_id, spec.context_window, spec.encoding) == (model, window, encoding)


@pytest.mark.parametrize(
    ("asked", "near"), [("gpt5", "gpt-5"), ("claud-opus-5", "claude-opus-5"), ("zzz", "")]
)
def test_unknown_model_lists_near_ones_and_what_works(asked: str, near: str) -> None:
    with pytest.raises(UnknownReferenceError) as caught:
        find_profile(asked)
    text = str(caught.value)
    assert near in text
    assert "--encoding NAME or --tokenizer FILE works for any model" in text
    assert repr(asked) in text


def test_newer_claude_models_count_more_than_older_and_never_exactly() -> None:
    """C02, C03: no public tokenizer: a factor over a known one, larger since Opus 4.7."""
    (base,) = ExactEstimator("cl100k_base").count_batch([CODE])
    counts = {}
    for model in ("claude-sonnet-4-5", "claude-opus-4-7", "claude-opus-5", "claude-haiku-5-5"):
        estimate = make_estimator(model=model).estimate(CODE)
        assert estimate.method == "approximate"
        assert estimate.confidence == "medium"
        assert f"approximate count for {model}" in estimate.warnings[0]
        counts[model] = estimate.token_count
    assert 1.3 * base < counts["claude-sonnet-4-5"] < 1.9 * base
    assert 1.7 * base < counts["claude-opus-4-7"] < 2.5 * base
    assert counts["claude-opus-4-7"] == counts["claude-opus-5"] == counts["claude-haiku-5-5"]


def test_limits_of_gpt_5_are_not_mixed_up() -> None:
    """A22: the window is 400k, the input limit 272k, the answer 128k; each has its own name."""
    spec = find_profile("gpt-5")
    assert (spec.context_window, spec.max_input_tokens, spec.max_output_tokens) == (400_000, 272_000, 128_000)
    assert spec.default_output_reserve == 16_384
    assert spec.input_room() == 272_000
    assert spec.input_room(reserved_output=128_000) == 272_000
    assert spec.input_room(safety_margin=2_000) == 270_000


def test_reserve_that_does_not_fit_names_every_limit() -> None:
    """A22: a reserve above the output limit, or one that leaves nothing, is an error with the numbers."""
    with pytest.raises(EnvelopeError, match="at most 16384 tokens") as caught:
        find_profile("gpt-4o").input_room(reserved_output=20_000)
    assert caught.value.data["contextWindow"] == 128_000
    with pytest.raises(EnvelopeError, match="window of 8192 tokens; 4096 for the answer") as caught:
        find_profile("gpt-4").input_room(reserved_output=4_096, safety_margin=4_096)
    assert caught.value.field == "reservedOutputTokens"


def test_default_estimator_is_exact_o200k() -> None:
    assert make_estimator().name.endswith("/o200k_base")
    assert make_estimator().method == "exact"


def test_each_way_to_ask(tmp_path: Path) -> None:
    assert make_estimator(encoding="cl100k_base").count_batch(["hello world"]) == [2]
    assert isinstance(make_estimator(approximate=True), ApproximateEstimator)
    assert make_estimator(model="gpt-4").profile.model_id == "gpt-4"
    with pytest.raises(UnknownReferenceError, match="known: "):
        make_estimator(encoding="p50k")


@pytest.mark.parametrize(
    "asked",
    [
        {"model": "gpt-4o", "encoding": "o200k_base"},
        {"encoding": "o200k_base", "approximate": True},
        {"model": "gpt-4o", "tokenizer_file": "tokenizer.json"},
    ],
)
def test_two_ways_at_once_are_refused(asked: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="in one way only"):
        make_estimator(**asked)


def test_record_for_the_artifact() -> None:
    """C02: count, factor and model of the artifact come from one profile."""
    estimator = make_estimator(model="anthropic/claude-sonnet-4.5")
    record = model_profile(estimator)
    assert record == ModelProfile(
        provider="anthropic",
        model="claude-sonnet-4-5",
        tokenizer=estimator.name,
        mode="approximate",
        factor=1.4,
    )
    assert "cl100k_base x1400/1000" in record.tokenizer
    assert model_profile(make_estimator()).model == ""


def _data() -> dict[str, Any]:
    file = resources.files("satchel.sources.tokens").joinpath("profiles.json")
    data: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return data


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("contextWindow", 0, "contextWindow"),
        ("contextWindow", 1_000, "neither input nor output limit"),
        ("contextWindow", "128k", "contextWindow"),
        ("maxOutputTokens", None, "maxOutputTokens"),
        ("factor", 1.2, "exact profile"),
        ("mode", "guess", "mode"),
        ("asOf", "soon", "asOf"),
        ("colour", "red", "colour"),
    ],
)
def test_broken_profile_data_names_the_field(field: str, value: object, message: str) -> None:
    data = _data()
    data["profiles"][0][field] = value
    with pytest.raises(SchemaError, match=message) as caught:
        load_profiles(json.dumps(data), file="mine.json")
    assert caught.value.file == "mine.json"


@pytest.mark.parametrize("band", [[0.0, 1.0], [1.2, 0.8], [1.0], "wide"])
def test_broken_band_is_refused(band: object) -> None:
    data = _data()
    data["profiles"][1] |= {"mode": "approximate", "band": band}
    with pytest.raises(SchemaError, match="profiles"):
        load_profiles(json.dumps(data), file="mine.json")


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", "{", '{"schemaVersion": "model-profiles.v9", "profiles": []}']
)
def test_a_file_that_is_no_profile_data_is_refused(text: str) -> None:
    with pytest.raises(SchemaError):
        load_profiles(text, file="mine.json")
