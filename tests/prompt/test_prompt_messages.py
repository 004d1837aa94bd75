"""Requests in the providers' shapes, and what differs between two prompts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from satchel.models import Problem, UsageError
from satchel.prompt import (
    FORMATS,
    SHAPES,
    Marker,
    RenderedPrompt,
    chat_request,
    diff_packs,
    first_difference,
    render,
    shared_units,
    split_parts,
)

ACCEPTED = [("question", 0), ("handler", 1), ("map", 0), ("style", 0), ("test", 0)]
MARKERS = (Marker("map", 2, 900, "1h"), Marker("test", 4, 1500))


@pytest.fixture(scope="module")
def pack() -> Problem:
    return Problem.from_json((Path(__file__).parent / "data" / "pack.json").read_bytes())


@pytest.fixture(scope="module")
def prompt(pack: Problem) -> RenderedPrompt:
    return render(pack, ACCEPTED)


def texts(value: Any) -> str:
    """All prompt text of a request, in the order in which providers read it: system first."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "".join(map(texts, value))
    keys = (
        "system",
        "systemInstruction",
        "instructions",
        "messages",
        "input",
        "contents",
        "content",
        "parts",
    )
    return "".join(texts(value[key]) for key in (*keys, "text") if key in value)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("fmt", FORMATS)
def test_the_parts_joined_are_the_prompt(pack: Problem, shape: str, fmt: str) -> None:
    rendered = render(pack, ACCEPTED, fmt)
    markers = () if shape == "gemini" else MARKERS
    assert texts(chat_request(rendered, shape, markers)) == rendered.text
    assert texts(chat_request(rendered, shape)) == rendered.text
    assert "".join(part.text for part in split_parts(rendered, MARKERS)) == rendered.text


def test_repository_text_never_speaks_as_the_system(prompt: RenderedPrompt) -> None:
    """Untrusted text is the user's turn, as data; the guide alone is the system's."""
    guide = prompt.text[: prompt.spans[0].start]
    assert chat_request(prompt, "anthropic")["system"] == [{"type": "text", "text": guide}]
    assert chat_request(prompt, "openai")["messages"][0] == {"role": "system", "content": guide}
    assert chat_request(prompt, "responses")["instructions"] == guide
    assert chat_request(prompt, "gemini")["systemInstruction"] == {"parts": [{"text": guide}]}
    assert chat_request(prompt, "bedrock")["system"] == [{"text": guide}]


def test_markers_end_the_parts_that_they_follow(prompt: RenderedPrompt) -> None:
    blocks = chat_request(prompt, "anthropic", MARKERS)["messages"][0]["content"]
    marks = [block.get("cache_control") for block in blocks]
    assert marks == [{"type": "ephemeral", "ttl": "1h"}, {"type": "ephemeral"}, None]
    assert "".join(block["text"] for block in blocks[:2]) == prompt.prefix[prompt.spans[0].start :]
    blocks = chat_request(prompt, "bedrock", MARKERS)["messages"][0]["content"]
    assert blocks[1] == {"cachePoint": {"type": "default", "ttl": "1h"}}
    assert blocks[3] == {"cachePoint": {"type": "default"}}
    request = chat_request(prompt, "openai", MARKERS)
    content = request["messages"][1]["content"]
    assert [block.get("prompt_cache_breakpoint") for block in content] == [{"mode": "explicit"}] * 2 + [None]
    assert request["prompt_cache_options"] == {"mode": "explicit"}
    assert "prompt_cache_options" not in chat_request(prompt, "responses")


def test_the_prefix_of_a_request_is_the_same_for_another_task(pack: Problem, prompt: RenderedPrompt) -> None:
    """K03: two tasks, one prefix, in every shape."""
    other = Problem.from_data(pack.to_data() | {"task": {"kind": "tutorial", "about": "Something else"}})
    again = render(other, ACCEPTED)
    for shape in ("anthropic", "openai", "responses", "bedrock"):
        one, two = (chat_request(p, shape, MARKERS) for p in (prompt, again))
        assert texts(one)[: prompt.prefix_end] == texts(two)[: prompt.prefix_end]
        assert one != two


def test_misplaced_markers_and_shapes_are_refused(prompt: RenderedPrompt) -> None:
    for marker in (Marker("nobody", 1, 1), Marker("question", 5, 1)):
        with pytest.raises(UsageError, match="stable prefix"):
            chat_request(prompt, "anthropic", [marker])
    with pytest.raises(UsageError, match="no cache markers"):
        chat_request(prompt, "gemini", MARKERS)
    with pytest.raises(UsageError, match="anthropic, openai"):
        chat_request(prompt, "smoke-signals")


def test_a_prompt_of_nothing_but_volatile_units(pack: Problem) -> None:
    rendered = render(pack, [("question", 0)])
    for shape in SHAPES:
        assert texts(chat_request(rendered, shape)) == rendered.text
    as_given = render(pack, ACCEPTED, order="as-given")
    assert texts(chat_request(as_given, "anthropic")) == as_given.text


def test_the_first_difference_names_byte_and_unit(pack: Problem, prompt: RenderedPrompt) -> None:
    """K15: which byte ends the shared prefix, and what holds it."""
    data = pack.to_data()
    (handler,) = (unit for unit in data["units"] if unit["id"] == "handler")
    text = handler["renderings"][0]["text"]
    handler["renderings"][0]["text"] = text.replace("one user", "onę user")
    other = render(Problem.from_data(data), ACCEPTED)
    found = first_difference(prompt.text, other.text, prompt.spans, other.spans)
    assert found is not None
    assert (found.in_a, found.in_b) == ("handler", "handler")
    assert prompt.text.encode()[: found.byte] == other.text.encode()[: found.byte]
    assert prompt.text.encode()[found.byte] != other.text.encode()[found.byte]
    assert prompt.text.split("\n")[found.line - 1][found.column - 1] == "e"
    assert shared_units(prompt, other) == ("style", "map")
    assert first_difference(prompt.text, prompt.text) is None
    shorter = first_difference("abc", "ab")
    assert shorter is not None
    assert (shorter.byte, shorter.line, shorter.column, shorter.in_a) == (2, 1, 3, "")


def test_half_a_character_can_be_shared() -> None:
    """Bytes are what a cache compares: é and è share one."""
    found = first_difference("aé", "aè")
    assert found is not None
    assert found.byte == 2


@settings(max_examples=300, deadline=None)
@given(st.text("aé\n🙂", max_size=12), st.text("aé\n🙂", max_size=12))
def test_the_first_difference_is_the_first(a: str, b: str) -> None:
    found = first_difference(a, b)
    one, two = a.encode(), b.encode()
    if found is None:
        assert a == b
        return
    assert one[: found.byte] == two[: found.byte]
    assert one[found.byte : found.byte + 1] != two[found.byte : found.byte + 1]


def test_what_came_went_and_changed() -> None:
    found = diff_packs({"a": 0, "b": 1, "c": 0, "d": 0}, {"a": 0, "d": 0, "b": 2, "e": 0})
    assert (found.entered, found.left, found.changed_rung) == (("e",), ("c",), (("b", 1, 2),))
    assert len(found.moved) == 1
    assert set(found.moved) <= {"b", "d"}
    assert not found.is_empty
    assert diff_packs({"a": 0}, {"a": 0}).is_empty


@given(st.permutations(list("abcdef")))
def test_moved_units_are_as_few_as_can_be(order: list[str]) -> None:
    found = diff_packs(dict.fromkeys("abcdef", 0), dict.fromkeys(order, 0))
    stayed = [name for name in order if name not in found.moved]
    assert stayed == sorted(stayed)
    longest = 1
    for mask in range(1 << 6):
        kept = [name for i, name in enumerate(order) if mask >> i & 1]
        if kept == sorted(kept):
            longest = max(longest, len(kept))
    assert len(stayed) == longest
