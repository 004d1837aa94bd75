"""Usage records that contradict themselves."""

from __future__ import annotations

from typing import Any

import pytest

from satchel.models import SchemaError
from satchel.prompt import normalise_usage

CHAT = {"prompt_tokens": 10, "completion_tokens": 2}
WRITTEN = {"input_tokens": 1, "output_tokens": 2, "cache_creation_input_tokens": 100}


@pytest.mark.parametrize(
    ("record", "field"),
    [
        ({**WRITTEN, "cache_creation": {"ephemeral_5m_input_tokens": 40}}, "cache_creation_input_tokens"),
        ({**WRITTEN, "cache_creation": []}, "cache_creation"),
        ({**CHAT, "total_tokens": 99}, "total_tokens"),
        ({**CHAT, "prompt_cache_hit_tokens": 3, "prompt_cache_miss_tokens": 3}, "prompt_tokens"),
        ({**CHAT, "prompt_tokens_details": "x"}, "prompt_tokens_details"),
        ({**CHAT, "input_tokens": 11}, "input_tokens"),
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
