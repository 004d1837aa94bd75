"""Files of people: whatever JSON they hold, it is understood or refused, and never a fault of ours."""

from __future__ import annotations

import contextlib
import json
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from satchel import SatchelError, read_history, read_prices, read_segments, read_usages

KEYS = (
    *("messages", "input", "contents", "role", "content", "parts", "type", "text", "tool_calls", "id"),
    *("function", "name", "arguments", "tool_call_id", "call_id", "output", "tool_use_id", "functionCall"),
    *("functionResponse", "usage", "usageMetadata", "input_tokens", "prompt_tokens", "cached_tokens"),
    *("prompt_tokens_details", "inputTokens", "promptTokenCount", "cache_creation", "input_tokens_details"),
    *("segments", "schemaVersion", "models", "currency", "inputPerMillion", "stability", "pinned"),
)
WORDS = (
    *("user", "assistant", "system", "tool", "text", "tool_use", "tool_result", "function_call"),
    *("function_call_output", "prompt-segments.v1", "price-table.v1", "stable", "x"),
)

values = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 9) | st.floats(allow_nan=False) | st.sampled_from(WORDS),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=5),
    max_leaves=14,
)


def as_files(value: Any) -> list[bytes]:
    """One document, and one value a line."""
    whole = json.dumps(value).encode()
    return [
        whole,
        b"\n".join(json.dumps(part).encode() for part in value) if isinstance(value, list) else whole,
    ]


@settings(max_examples=120, deadline=None)
@given(values)
def test_any_json_is_understood_or_refused(value: Any) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "file.json"
        for data in as_files(value):
            path.write_bytes(data)
            for read in (read_history, read_usages, read_segments, read_prices):
                with contextlib.suppress(SatchelError):
                    read(path)


messages = st.dictionaries(st.sampled_from(KEYS), values, max_size=5).map(lambda m: {"role": "user", **m})


@settings(max_examples=120, deadline=None)
@given(st.lists(messages, min_size=1, max_size=4), st.sampled_from(["messages", "input", "contents", None]))
def test_messages_that_are_read_come_back_as_they_were(given_messages: list[Any], key: str | None) -> None:
    request = given_messages if key is None else {"model": "m", key: given_messages}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "file.json"
        path.write_text(json.dumps(request))
        with contextlib.suppress(SatchelError):
            history = read_history(path)
            assert json.loads(history.write(history.turns)) == request
