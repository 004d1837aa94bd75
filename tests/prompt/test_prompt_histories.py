"""Conversations at fault, and calls of tools without ids."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from satchel import SatchelError, read_history


def saved(folder: Path, messages: list[Any]) -> Path:
    path = folder / "h.json"
    path.write_text(json.dumps(messages), encoding="utf-8")
    return path


def test_results_nested_too_deeply_are_an_error_of_the_conversation(tmp_path: Path) -> None:
    content: Any = "x"
    for _ in range(300):
        content = [{"type": "tool_result", "tool_use_id": "a", "content": content}]
    with pytest.raises(SatchelError, match="is nested too deeply") as caught:
        read_history(saved(tmp_path, [{"role": "user", "content": content}]))
    assert caught.value.code == "invalid_history"


@pytest.mark.parametrize("role", [5, ["user"], True])
def test_a_role_that_is_no_text_is_refused(tmp_path: Path, role: object) -> None:
    with pytest.raises(SatchelError, match="is no role") as caught:
        read_history(saved(tmp_path, [{"role": role, "content": "x"}]))
    assert caught.value.code == "invalid_history"


@pytest.mark.parametrize("given", [{}, {"id": "a"}])
def test_results_without_an_id_answer_calls_in_order(tmp_path: Path, given: dict[str, str]) -> None:
    call = {"type": "tool_use", "name": "f", "input": {}}
    messages = [
        {"role": "assistant", "content": [{**call, **given}, call]},
        {"role": "user", "content": [{"type": "tool_result", "content": "1"}]},
        {"role": "user", "content": [{"type": "tool_result", "content": "2"}]},
    ]
    calls, first, second = read_history(saved(tmp_path, messages)).turns
    assert len(set(calls.calls)) == 2
    assert (first.results + second.results) == calls.calls


def test_bedrock_results_without_an_id_answer_calls_in_order(tmp_path: Path) -> None:
    messages = [
        {"role": "assistant", "content": [{"toolUse": {"name": "f", "input": {}}}]},
        {"role": "user", "content": [{"toolResult": {"content": [{"text": "1"}]}}]},
    ]
    call, result = read_history(saved(tmp_path, messages)).turns
    assert call.calls
    assert call.calls == result.results


@pytest.mark.parametrize(
    ("call", "result"),
    [
        (
            {"role": "assistant", "content": [{"type": "tool_use", "name": "f", "input": {}}]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "x", "content": "1"}]},
        ),
        (
            {"role": "assistant", "tool_calls": [{"function": {"name": "f", "arguments": "{}"}}]},
            {"role": "tool", "tool_call_id": "x", "content": "1"},
        ),
        (
            {"role": "model", "parts": [{"functionCall": {"name": "f", "args": {}}}]},
            {"role": "user", "parts": [{"functionResponse": {"id": "x", "name": "f", "response": {}}}]},
        ),
    ],
)
def test_a_result_with_an_id_answers_the_call_that_has_none(
    tmp_path: Path, call: dict[str, Any], result: dict[str, Any]
) -> None:
    first, second = read_history(saved(tmp_path, [call, result])).turns
    assert first.calls
    assert first.calls == second.results
