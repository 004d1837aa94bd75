"""The page on prompts shows code that runs and files that are accepted."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import pytest

from satchel import SegmentFile
from satchel.models import ContextUnit
from satchel.prompt import PriceTable, render_block

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "prompt.md").read_text("utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("code", blocks("python"))
def test_examples_run(code: str) -> None:
    exec(compile(code, "docs/prompt.md", "exec"), {})


def test_files_are_accepted() -> None:
    (prices,), (segments,) = blocks("toml"), blocks("json")
    assert PriceTable.from_data(tomllib.loads(prices)).price("claude-sonnet-5").input_per_million == 3_000_000
    assert len(SegmentFile.from_data(json.loads(segments)).segments) == 2


def test_the_header_that_is_explained_is_the_one_that_is_written() -> None:
    unit = ContextUnit.from_data(
        {
            "id": "py:src/click/core.py#Context.get_help",
            "kind": "symbol",
            "title": "Context.get_help",
            "text": "    def get_help(self) -> str:\n        …\n",
            "compressionState": "excerpted",
            "sourceRefs": [
                {"path": "src/click/core.py", "startLine": 835, "endLine": 839, "totalLines": 3799}
            ],
        }
    )
    assert render_block(unit, 0).rstrip() in PAGE
