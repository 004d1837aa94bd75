"""Usage records that contradict themselves."""

from __future__ import annotations

from typing import Any

import pytest

from satchel.models import SchemaError
from satchel.prompt import normalise_usage

CHAT = {"prompt_tokens": 10, "completion_tokens": 2}
WRITTEN = {"input_tokens": 1, "output_tokens": 2, "cache_creation_input_tokens": 100}

RESPONSES = {"input_tokens": 10, "output_tokens": 2, "input_tokens_details": {"cached_tokens": 4}}
GEMINI = {"promptTokenCount": 10, "candidatesTokenCount": 2, "thoughtsTokenCount": 3}


@pytest.mark.parametrize(
    ("record", "field"),
    [
        ({**WRITTEN, "cache_creation": {"ephemeral_5m_input_tokens": 40}}, "cache_creation_input_tokens"),
        ({**WRITTEN, "cache_creation": []}, "cache_creation"),
        ({**CHAT, "total_tokens": 99}, "total_tokens"),
        ({**CHAT, "prompt_cache_hit_tokens": 3, "prompt_cache_miss_tokens": 3}, "prompt_tokens"),
        ({**CHAT, "prompt_tokens_details": "x"}, "prompt_tokens_details"),
        ({**CHAT, "input_tokens": 11}, "input_tokens"),
        ({**RESPONSES, "total_tokens": 99}, "total_tokens"),
        ({**GEMINI, "totalTokenCount": 99}, "totalTokenCount"),
        ({"usage": None}, "usage"),
    ],
)
def test_a_record_that_contradicts_itself_is_refused(record: dict[str, Any], field: str) -> None:
    with pytest.raises(SchemaError) as caught:
        normalise_usage(record)
    assert (caught.value.code, caught.value.field) == ("invalid_usage", field)


def test_a_record_that_adds_up_is_read() -> None:
    halves = {"prompt_cache_hit_tokens": 4, "prompt_cache_miss_tokens": 6}
    usage = normalise_usage({**CHAT, **halves, "total_tokens": 12, "input_tokens": 10})
    assert (usage.fresh, usage.cache_read, usage.output) == (6, 4, 2)


def test_reasoning_that_is_counted_beside_the_completion_is_output() -> None:
    details = {"completion_tokens_details": {"reasoning_tokens": 5}}
    assert normalise_usage({**CHAT, **details, "total_tokens": 17}).output == 7
    assert normalise_usage({**CHAT, "completion_tokens": 7, **details, "total_tokens": 17}).output == 7


def test_totals_of_all_shapes_are_read_where_they_add_up() -> None:
    assert normalise_usage({**RESPONSES, "total_tokens": 12}).output == 2
    assert normalise_usage({**GEMINI, "totalTokenCount": 15}).output == 5
    # What tools brought is in some totals, and not in others.
    for total in (15, 19):
        tools = normalise_usage({**GEMINI, "toolUsePromptTokenCount": 4, "totalTokenCount": total})
        assert (tools.fresh, tools.output) == (14, 5)
    live = {"promptTokenCount": 10, "responseTokenCount": 2, "totalTokenCount": 12}
    assert normalise_usage(live).output == 2


def test_an_answer_without_output_is_read() -> None:
    """A refused answer states no candidates."""
    assert normalise_usage({"promptTokenCount": 10, "totalTokenCount": 10}).output == 0
    assert normalise_usage({**CHAT, "completion_tokens": None}).output == 0


def test_a_null_usage_says_that_none_was_sent() -> None:
    with pytest.raises(SchemaError, match="sent no usage"):
        normalise_usage({"id": "1", "usage": None})
