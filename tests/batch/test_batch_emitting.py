"""Ready requests: the prompt byte by byte, markers in place, limits of a file respected."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from satchel import BatchResult, InfeasibleError, PageRecord, UsageError
from satchel.batch.emitting import custom_id, write_requests

Batch = Callable[..., BatchResult]
Tree = Callable[[Path], dict[str, bytes]]


def with_model(box: Path, model: str) -> None:
    path = box / "tasks.yaml"
    path.write_text(path.read_text("utf-8").replace("defaults:", f"defaults:\n  model: {model}"), "utf-8")


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def matched(found: list[dict[str, Any]], result: BatchResult) -> list[tuple[dict[str, Any], PageRecord]]:
    """Pages with a prefix in common stand together: their order is not that of the manifest."""
    records = {custom_id(record.task): record for record in result.records}
    return [(entry, records.pop(entry["custom_id"])) for entry in found]


def test_an_openai_file_holds_every_prompt(box: Path, batch: Batch) -> None:
    with_model(box, "gpt-4o")
    result = batch(emit="openai-batch", answer_tokens=700)
    (path,) = result.requests
    found = lines(path)
    assert len(found) == len(result.records)
    for entry, record in matched(found, result):
        assert entry.keys() == {"custom_id", "method", "url", "body"}
        assert (entry["method"], entry["url"]) == ("POST", "/v1/chat/completions")
        body = entry["body"]
        assert (body["model"], body["max_completion_tokens"]) == ("gpt-4o", 700)
        system, user = body["messages"]
        text = system["content"] + "".join(part["text"] for part in user["content"])
        assert text == (box / "out" / record.output / "prompt.md").read_text("utf-8")


def test_an_anthropic_file_has_markers_where_the_prefix_is_long_enough(box: Path, batch: Batch) -> None:
    with_model(box, "claude-sonnet-4-5")
    (box / "tasks.yaml").write_text(
        (box / "tasks.yaml").read_text("utf-8").replace("budget: 1200", "budget: 3k"), "utf-8"
    )
    result = batch(emit="anthropic-batch")
    found = lines(result.requests[0])
    for entry, record in matched(found, result):
        assert entry["params"]["max_tokens"] > 0
        blocks = [*entry["params"]["system"], *entry["params"]["messages"][0]["content"]]
        assert record.boundary is not None
        assert any("cache_control" in block for block in blocks) == record.boundary.cacheable
        text = "".join(block["text"] for block in blocks)
        assert text == (box / "out" / record.output / "prompt.md").read_text("utf-8")
    assert any(record.boundary and record.boundary.cacheable for record in result.records)


def test_files_are_split_at_either_limit_and_old_ones_go(box: Path, batch: Batch) -> None:
    with_model(box, "gpt-4o")
    result = batch(emit="openai-batch")
    out = box / "out"
    whole = result.requests[0].read_bytes()
    parts = write_requests(out, result.records, "openai-batch", most_requests=3)
    assert [len(lines(part)) for part in parts] == [3, 3, 2]
    size = max(len(line) for line in whole.splitlines(keepends=True))
    parts = write_requests(out, result.records, "openai-batch", most_bytes=2 * size)
    assert all(part.stat().st_size <= 2 * size for part in parts)
    assert b"".join(part.read_bytes() for part in parts) == whole
    write_requests(out, result.records, "openai-batch")
    assert [path.name for path in out.glob("openai-batch-*")] == ["openai-batch-001.jsonl"]
    with pytest.raises(InfeasibleError, match="smaller budget"):
        write_requests(out, result.records, "openai-batch", most_bytes=100)


def test_an_openai_file_is_of_one_model(box: Path, batch: Batch) -> None:
    models = ("gpt-4o", "gpt-4o", "gpt-4.1")
    entries = [f"  - {{id: p{i}, budget: 900, model: {model}}}\n" for i, model in enumerate(models)]
    tasks = "repo: linkbox\ntasks:\n" + "".join(entries)
    (box / "two.yaml").write_text(tasks, "utf-8")
    result = batch(tasks="two.yaml", emit="openai-batch")
    assert [{line["body"]["model"] for line in lines(path)} for path in result.requests] == [
        {"gpt-4o"},
        {"gpt-4.1"},
    ]


def test_requests_are_gone_on_with_like_all_files(box: Path, batch: Batch, tree: Tree) -> None:
    with_model(box, "gpt-4o")
    batch("whole", emit="openai-batch", jobs=2)
    batch("out")
    assert batch("out", emit="openai-batch", resume=True).kept == 0
    assert tree(box / "out") == tree(box / "whole")
    assert batch("out", emit="openai-batch", resume=True).kept == 8


def test_a_task_without_a_model_is_told_before_anything_is_packed(box: Path, batch: Batch) -> None:
    with pytest.raises(UsageError, match="names no model"):
        batch(emit="openai-batch")
    with pytest.raises(UsageError, match="anthropic-batch"):
        batch(emit="gemini-batch")


@given(st.lists(st.text(min_size=1, max_size=90), min_size=2, max_size=6, unique=True))
def test_ids_are_what_providers_take_and_differ(pages: list[str]) -> None:
    ids = [custom_id(page) for page in pages]
    assert len(set(ids)) == len(ids)
    for name in ids:
        assert re.fullmatch(r"[A-Za-z0-9_-]{1,64}", name)
