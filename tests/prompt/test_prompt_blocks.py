"""One unit as text: header, provenance, body."""

from __future__ import annotations

from typing import Any

import pytest
from satchel.models import ContextUnit, SchemaError, UsageError
from satchel.prompt import FORMATS, authority_level, render_block
from satchel.prompt.languages import language_of


def unit(**fields: Any) -> ContextUnit:
    """A unit of one file, with ``fields`` in place of the defaults."""
    return ContextUnit.from_data(
        {"id": "u", "text": "x = 1\n", "sourceRefs": [{"path": "src/a.py"}], **fields}
    )


def test_markdown_block() -> None:
    block = render_block(
        unit(
            id="symbol:a.f",
            kind="symbol",
            title="f",
            authorityScore=0.5,
            sourceRefs=[{"path": "src/a.py", "startLine": 3, "endLine": 4, "totalLines": 90}],
            text="def f() -> int:\n    return 1\n",
        ),
        0,
        "markdown",
    )
    assert block == (
        "## `src/a.py:3-4` · `f`\n\n"
        "id `symbol:a.f` · symbol · raw · 2 of 90 lines · authority medium · untrusted\n\n"
        "```python\ndef f() -> int:\n    return 1\n```\n\n"
    )


def test_xml_block() -> None:
    block = render_block(unit(id="a", title="A & B", trust="trusted", kind="file_full"), 0, "xml")
    assert block == (
        '<source-unit id="a" source="src/a.py" title="A &amp; B" kind="file_full" form="raw" '
        'shows="1 of 1 line" authority="low" trust="trusted">\nx = 1\n</source-unit>\n'
    )


def test_plain_block() -> None:
    block = render_block(unit(id="a", title='A "B"'), 0, "plain")
    first, facts, begin, body, end = block.splitlines()
    assert first == '=== "src/a.py" title "A \\"B\\""'
    assert facts == 'id "a", file_excerpt, raw, 1 line, authority low, untrusted'
    assert body == "x = 1"
    assert begin.removeprefix("--- begin ") == end.removeprefix("=== end ").removesuffix(" ===")


def ladder() -> ContextUnit:
    """A file of 10,000 lines with an excerpt of two ranges and a summary."""
    path = "big.py"
    return unit(
        id="file:big",
        kind="file_full",
        title="big.py",
        text="pass\n" * 10_000,
        sourceRefs=[{"path": path, "startLine": 1, "endLine": 10_000}],
        renderings=[
            {
                "state": "excerpted",
                "fidelity": 0.5,
                "text": "pass\n… lines 41-199 left out …\npass\n",
                "sourceRefs": [
                    {"path": path, "startLine": 200, "endLine": 220},
                    {"path": path, "startLine": 1, "endLine": 40},
                ],
            },
            {"state": "summarized", "fidelity": 0.1, "text": "Ten thousand times nothing."},
        ],
    )


@pytest.mark.parametrize("fmt", FORMATS)
def test_an_excerpt_says_how_much_of_the_file_it_shows(fmt: str) -> None:
    """B07, B08: lines shown of lines total, and which lines."""
    assert "10000 of 10000 lines" in render_block(ladder(), 0, fmt)
    excerpt = render_block(ladder(), 1, fmt)
    assert "61 of 10000 lines" in excerpt
    assert "big.py:1-40,200-220" in excerpt
    assert "condensed from 10000 lines" in render_block(ladder(), 2, fmt)


@pytest.mark.parametrize("fmt", FORMATS)
@pytest.mark.parametrize("rung", [0, 1, 2])
def test_every_form_keeps_id_and_path(fmt: str, rung: int) -> None:
    """B18: a shortened unit can be fetched whole, for it says who it is and where from."""
    block = render_block(ladder(), rung, fmt)
    assert "file:big" in block
    assert "big.py:1" in block
    assert ladder().ladder()[rung].state.value in block


def test_an_excerpt_without_line_numbers_is_measured_by_its_text() -> None:
    whole = "a\nb\nc\r\nd"
    plain = unit(text=whole, renderings=[{"state": "excerpted", "fidelity": 0.5, "text": "b\nc"}])
    assert " 4 lines " in render_block(plain, 0, "markdown")
    assert " 2 of 4 lines " in render_block(plain, 1, "markdown")


def test_a_unit_of_many_files_names_three_and_counts_the_rest() -> None:
    repo_map = unit(id="map", sourceRefs=[{"path": f"f{i}.py"} for i in range(40)])
    assert render_block(repo_map, 0, "markdown").startswith("## `f0.py`, `f1.py`, `f2.py` and 37 more\n")
    assert 'source="f0.py, f1.py, f2.py, and 37 more"' in render_block(repo_map, 0, "xml")


def test_title_and_id_are_not_repeated() -> None:
    block = render_block(unit(id="src/a.py", title="src/a.py"), 0, "markdown")
    assert block.count("src/a.py") == 1
    without_source = render_block(unit(id="note", title="note", sourceRefs=[]), 0, "markdown")
    assert without_source.startswith("## `note`\n\nfile_excerpt · raw · authority low · untrusted\n\n")


@pytest.mark.parametrize("fmt", FORMATS)
def test_an_empty_text_is_a_block_without_lines(fmt: str) -> None:
    """H09: an empty file has one rung; its block holds a header and nothing."""
    block = render_block(unit(text=""), 0, fmt)
    assert "0 lines" in block
    assert "\n\n\n" not in block


@pytest.mark.parametrize("fmt", FORMATS)
def test_line_ends_are_lf_and_half_characters_are_marked(fmt: str) -> None:
    """D08, F04: what leaves can always be written as UTF-8 with LF."""
    block = render_block(unit(title="t\ud800", text="a\r\nb\rc \ud83d end"), 0, fmt)
    assert "\na\nb\nc \ufffd end\n" in block
    assert block.encode("utf-8")


def test_text_that_is_not_there_cannot_be_rendered() -> None:
    with pytest.raises(SchemaError) as caught:
        render_block(ContextUnit.from_data({"id": "bare", "tokenEstimate": 3}), 0)
    assert caught.value.code == "no_text"
    assert "'bare'" in str(caught.value)


def test_bad_rung_and_bad_format_are_named() -> None:
    with pytest.raises(UsageError, match="accepted: 0 to 2"):
        render_block(ladder(), 3)
    with pytest.raises(UsageError, match="accepted: 0 to 2"):
        render_block(ladder(), -1)
    with pytest.raises(UsageError, match="markdown, xml, plain"):
        render_block(unit(), 0, "html")


@pytest.mark.parametrize(
    ("score", "level"),
    [(1.0, "high"), (0.7, "high"), (0.69, "medium"), (0.4, "medium"), (0.39, "low"), (0, "low")],
)
def test_authority_levels(score: float, level: str) -> None:
    assert authority_level(score) == level


@pytest.mark.parametrize(
    ("path", "language"),
    [
        ("a/b.PY", "python"),
        ("Dockerfile", "dockerfile"),
        ("docs/CMakeLists.txt", "cmake"),
        ("x.tar.gz", ""),
        ("LICENSE", ""),
        ("a.py`\nx", ""),
        (".yml", "yaml"),
    ],
)
def test_fence_languages_come_from_our_table(path: str, language: str) -> None:
    assert language_of(path) == language
