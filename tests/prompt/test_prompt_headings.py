"""One heading above several units of a file: what it says, and what its units leave out."""

from __future__ import annotations

from typing import Any

import pytest
import toktok

from satchel.models import ContextUnit, Problem, SchemaError, heading_of
from satchel.prompt import FORMATS, render, render_block

PATH = "src/click/core.py"
HEADING = heading_of(PATH)


def member(name: str, first: int, **fields: Any) -> dict[str, Any]:
    """A unit of ``PATH`` under its heading."""
    return {
        "id": f"py:{PATH}#{name}",
        "kind": "symbol",
        "title": name,
        "authorityScore": 0.9,
        "text": f"def {name.rpartition('.')[2]}(): ...\n",
        "sourceRefs": [{"path": PATH, "startLine": first, "endLine": first + 1, "totalLines": 3799}],
        "dependencies": [HEADING],
        **fields,
    }


def heading(**fields: Any) -> dict[str, Any]:
    """The heading of ``PATH``."""
    file = {"path": PATH, "totalLines": 3799}
    return {"id": HEADING, "kind": "heading", "text": "", "value": 0, "sourceRefs": [file], **fields}


def problem(*units: dict[str, Any]) -> Problem:
    return Problem.model_validate(
        {
            "schemaVersion": "packing-problem.v1",
            "envelope": {"availableInputTokens": 1},
            "units": list(units),
        }
    )


def shown(fmt: str, *units: dict[str, Any]) -> list[str]:
    """The block of each unit, in prompt order."""
    found = problem(*units)
    prompt = render(found, [(unit.id, 0) for unit in found.units], fmt)
    return [prompt.text[span.start : span.end] for span in prompt.spans]


@pytest.mark.parametrize(
    ("fmt", "expected"),
    [
        (
            "markdown",
            [
                "`src/click/core.py, 3799 lines`:\n\n",
                "```20-21\ndef echo(): ...\n```\n\n",
                "```#Command.main:30-31\ndef main(): ...\n```\n\n",
            ],
        ),
        (
            "plain",
            [
                "=== src/click/core.py, 3799 lines:\n",
                "=== 20-21\ndef echo(): ...\n===\n",
                "=== #Command.main:30-31\ndef main(): ...\n===\n",
            ],
        ),
        (
            "xml",
            [
                '<source-unit file="src/click/core.py" lines="3799"/>\n',
                '<source-unit at=":20-21">\ndef echo(): ...\n</source-unit>\n',
                '<source-unit at=":30-31" name="Command.main">\ndef main(): ...\n</source-unit>\n',
            ],
        ),
        (
            "json",
            [
                '{"lines":"3799","file":"src/click/core.py"}\n',
                '{"at":":20-21","text":"def echo(): ...\\n"}\n',
                '{"at":":30-31","name":"Command.main","text":"def main(): ...\\n"}\n',
            ],
        ),
    ],
)
def test_a_file_is_named_once(fmt: str, expected: list[str]) -> None:
    """C14: of several units of a file, only the heading pays for its path."""
    assert shown(fmt, heading(), member("echo", 20), member("Command.main", 30)) == expected


def test_what_a_heading_saves() -> None:
    """In o200k_base, for each unit of a file after the first."""
    alone = ContextUnit.from_data(member("Command.main", 1295, dependencies=[]))
    under = ContextUnit.from_data(member("Command.main", 1295))
    blocks = [render_block(unit, 0, fmt) for fmt in FORMATS for unit in (alone, under)]
    sizes = toktok.batch_count(blocks, "o200k_base", 1)
    saved = [before - after for before, after in zip(sizes[::2], sizes[1::2], strict=True)]
    assert dict(zip(FORMATS, saved, strict=True)) == {"markdown": 8, "xml": 8, "plain": 8, "json": 8}


def test_units_follow_their_heading_wherever_they_were_given() -> None:
    units = [member("echo", 20), {"id": "n", "text": "note"}, heading(), member("main", 30)]
    found = problem(*units)
    for order in ("stable-first", "as-given"):
        prompt = render(found, [(unit.id, 0) for unit in found.units], "markdown", order)
        assert prompt.order == ("n", HEADING, f"py:{PATH}#echo", f"py:{PATH}#main")


@pytest.mark.parametrize(
    "fields",
    [
        {"dependencies": []},
        {"stability": "volatile"},
        {"sourceRefs": [{"path": "other.py", "startLine": 1, "endLine": 1}]},
        {"sourceRefs": [{"path": PATH}, {"path": "other.py"}]},
    ],
)
def test_a_unit_that_stands_under_no_heading_names_its_files(fields: dict[str, Any]) -> None:
    unit = ContextUnit.from_data(member("echo", 20, **fields))
    assert unit.heading is None
    assert unit.source_refs[0].path in render_block(unit, 0).split("\n")[0]


@pytest.mark.parametrize(
    "fields",
    [
        {"text": "x"},
        {"id": "file-heading:other.py"},
        {"id": "u"},
        {"kind": "symbol"},
        {"stability": "volatile"},
        {"sourceRefs": []},
        {"sourceRefs": [{"path": PATH, "startLine": 1}]},
    ],
)
def test_a_heading_names_one_file_and_nothing_else(fields: dict[str, Any]) -> None:
    """What stands under it leaves the path out, so it must be there."""
    with pytest.raises(SchemaError, match="must name one file, hold no text and be stable"):
        ContextUnit.from_data(heading(**fields))
