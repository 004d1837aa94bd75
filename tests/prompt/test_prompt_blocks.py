"""One unit as text: header, provenance, body."""

from __future__ import annotations

import re
from typing import Any

import pytest
import toktok

from satchel.models import ContextUnit, SchemaError, UsageError
from satchel.prompt import FORMATS, authority_level, frame_texts, render_block


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
            title="adds",
            authorityScore=0.5,
            sourceRefs=[{"path": "src/a.py", "startLine": 3, "endLine": 4, "totalLines": 90}],
            text="def f() -> int:\n    return 1\n",
        ),
        0,
        "markdown",
    )
    assert block == ('```symbol:a.f src/a.py:3-4/90 "adds" medium\ndef f() -> int:\n    return 1\n```\n\n')


def test_xml_block() -> None:
    block = render_block(unit(id="a", title="A & B", trust="trusted", kind="file_full"), 0, "xml")
    assert block == (
        '<source-unit id="a" at="src/a.py" name="A &amp; B" is="1 of 1 line low trusted">\n'
        "x = 1\n</source-unit>\n"
    )


def test_plain_block() -> None:
    block = render_block(unit(id="a", title='A "B"'), 0, "plain")
    assert block == '=== "a" src/a.py "A \\"B\\"" 1 line low\nx = 1\n===\n'


def ladder() -> ContextUnit:
    """A file of 10,000 lines with an excerpt of two ranges and a summary."""
    path = "big.py"
    return unit(
        id="file:big.py",
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
    """B07, B08: which lines of how many; of more than two runs, marked in the text, bounds and sum."""
    lines = ("" if fmt in ("xml", "json") else " " if fmt == "plain" else "```") + "big.py:{}"
    assert lines.format("1-10000/10000") in render_block(ladder(), 0, fmt)
    assert lines.format("1-40,200-220/10000") in render_block(ladder(), 1, fmt)
    assert lines.format("1-10000/10000") in render_block(ladder(), 2, fmt)
    gaps = ladder().model_dump(by_alias=True, mode="json")
    gaps["renderings"][0]["sourceRefs"].append({"path": "big.py", "startLine": 900})
    block = render_block(ContextUnit.from_data(gaps), 1, fmt)
    assert lines.format("1-900/10000") in block
    assert "excerpted 62 shown" in block
    gaps["renderings"][0]["text"] = "nothing here says what is left out"
    assert lines.format("1-40,200-220,900/10000") in render_block(ContextUnit.from_data(gaps), 1, fmt)


@pytest.mark.parametrize("fmt", FORMATS)
@pytest.mark.parametrize("rung", [0, 1, 2])
def test_every_form_says_where_it_is_from(fmt: str, rung: int) -> None:
    """B18: a shortened unit can be fetched whole, by its place or by its id where the place is not enough."""
    header = render_block(ladder(), rung, fmt).split("\n")[0]
    assert "big.py:1" in header
    assert "file:" not in header
    assert ("excerpted" in header, "summarized" in header) == (rung == 1, rung == 2)
    other = ladder().model_copy(update={"id": "contract:big"})
    header = render_block(other, rung, fmt).split("\n")[0]
    assert "contract:big" in header
    assert "big.py:1" in header


def test_an_excerpt_without_line_numbers_is_measured_by_its_text() -> None:
    whole = "a\nb\nc\r\nd"
    plain = unit(text=whole, renderings=[{"state": "excerpted", "fidelity": 0.5, "text": "b\nc"}])
    assert " 4 lines low\n" in render_block(plain, 0, "markdown")
    assert " excerpted 2 of 4 lines low\n" in render_block(plain, 1, "markdown")


def test_an_excerpt_of_a_file_of_unknown_length_is_measured_by_its_unit() -> None:
    fields = {"path": "src/a.py", "startLine": 11}
    symbol = unit(
        id="py:src/a.py#f",
        kind="symbol",
        sourceRefs=[{**fields, "endLine": 20}],
        renderings=[
            {"state": "excerpted", "fidelity": 0.5, "text": "b\n", "sourceRefs": [fields]},
            {"state": "summarized", "fidelity": 0.1, "text": "b", "sourceRefs": [fields]},
        ],
    )
    heads = [render_block(symbol, rung, "markdown").split("\n")[0] for rung in range(3)]
    assert heads == [
        "```src/a.py#f:11-20 low",
        "```src/a.py#f:11 excerpted 1 of 10 lines low",
        "```src/a.py#f:11 summarized from 10 lines low",
    ]


def test_a_unit_of_many_files_names_three_and_counts_the_rest() -> None:
    repo_map = unit(id="map", sourceRefs=[{"path": f"f{i}.py"} for i in range(40)])
    assert render_block(repo_map, 0, "markdown").startswith('```"map" f0.py, f1.py, f2.py and 37 more ')
    assert 'at="f0.py, f1.py, f2.py and 37 more"' in render_block(repo_map, 0, "xml")


@pytest.mark.parametrize(
    ("name", "title", "text", "shown"),
    [
        ("src/a.py", "src/a.py", "x = 1", ""),
        ("py:src/a.py", "a.py", "x = 1", ""),
        ("py:src/a.py#A.f", "A.f", "def f(): ...", "#A.f"),
        ("py:src/a.py#A.f", "", "class A:\n    def f(): ...", ""),
        ("py:src/a.py#A~2", "class A", "x = 1", "#A"),
        ("py:src/a.py#A", "class A", "class A: ...", ""),
        ("doc:src/a.py#Use", "Guide > Advanced > Use", "# Use\n", ""),
        ("doc:src/a.py#Use", "Guide > Advanced > Use", "Do it.", "#Use"),
        ("doc:src/a.py#Use it", "Use it", "Do.", '"Use it"'),
        ("doc:src/a.py#" + "x" * 80, "x" * 90, "text", "#" + "x" * 80),
        ("py:src/a.py#A~2", "impl Display for A", "x", '"impl Display for A"'),
        ("py:src/a.py#A", "B", "x", "#B"),
        ("doc:src/a.py#How", "However", "x", "#However"),
        ("py:src/a.py#f", "a", "x", ""),
    ],
)
def test_a_name_is_shown_where_nothing_beside_it_says_it(
    name: str, title: str, text: str, shown: str
) -> None:
    refs = [{"path": "src/a.py", "startLine": 1, "endLine": 1}]
    head = render_block(unit(id=name, title=title, text=text, sourceRefs=refs), 0).split("\n")[0]
    place = f"```src/a.py{shown}:1" if shown.startswith("#") else f"```src/a.py:1 {shown}".rstrip()
    assert head.removesuffix(" low") == place


def test_an_id_is_left_out_only_where_the_place_stands_for_it() -> None:
    """Two units of one file without lines must be told apart; an id of the user's own is always shown."""
    for name in ("py:src/a.pyx", "x-src/a.py", "py:lib/src/a.py#f", "contract:a"):
        head = render_block(unit(id=name), 0, "markdown").split("\n")[0]
        assert head.startswith((f"```{name} src/a.py", f'```"{name}" src/a.py'))
    assert render_block(unit(id="py:src/a.py#f"), 0).startswith("```py:src/a.py#f src/a.py 1 line")
    assert render_block(unit(id="py:src/a.py"), 0).startswith("```src/a.py 1 line")
    without_source = render_block(unit(id="note", title="note", sourceRefs=[]), 0, "markdown")
    assert without_source.startswith('```"note" low\n')


@pytest.mark.parametrize(
    ("name", "kind", "word"),
    [
        ("py:src/a.py#f", "symbol", ""),
        ("u", "symbol", "symbol "),
        ("doc:src/a.py#f", "doc_page", ""),
        ("cfg:src/a.py#f", "config_key", ""),
        ("py:src/a.py#f", "test_case", "test "),
        ("file:src/a.py", "doc_page", ""),
        ("file:src/a.py", "file_excerpt", ""),
        ("contract:x", "contract", ""),
        ("contract:src/a.py", "contract", "contract "),
        ("k", "km_note", "note "),
    ],
)
def test_a_kind_is_named_where_nothing_else_says_it(name: str, kind: str, word: str) -> None:
    refs = [{"path": "src/a.py", "startLine": 1, "endLine": 1}]
    head = render_block(unit(id=name, kind=kind, sourceRefs=refs, text="f"), 0).split("\n")[0]
    assert head.endswith(f"src/a.py:1 {word}low")


@pytest.mark.parametrize("fmt", FORMATS)
@pytest.mark.parametrize("trust", ["trusted", "untrusted"])
@pytest.mark.parametrize(("score", "level"), [(0.9, ""), (0.5, "medium"), (0.1, "low")])
def test_defaults_go_unmarked_and_the_guide_says_them(fmt: str, trust: str, score: float, level: str) -> None:
    """Trust and authority of every unit are said, the frequent ones by their absence."""
    block = render_block(
        unit(id="py:src/a.py#f", kind="symbol", trust=trust, authorityScore=score,
             sourceRefs=[{"path": "src/a.py", "startLine": 1, "totalLines": 9}]),
        0, fmt,
    )  # fmt: skip
    words = set(re.findall(r"\w+", block.split("\n")[0]))
    assert words & {"medium", "low", "high"} == ({level} if level else set())
    assert ("trusted" in words, "untrusted" in words) == (trust == "trusted", False)
    assert "Unmarked means verbatim, high authority, untrusted." in frame_texts(None, fmt).guide


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
    assert ("a\\nb\\nc \ufffd end" if fmt == "json" else "\na\nb\nc \ufffd end\n") in block
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
    with pytest.raises(UsageError, match="markdown, xml, plain, json"):
        render_block(unit(), 0, "html")


@pytest.mark.parametrize(
    ("score", "level"),
    [(1.0, "high"), (0.7, "high"), (0.69, "medium"), (0.4, "medium"), (0.39, "low"), (0, "low")],
)
def test_authority_levels(score: float, level: str) -> None:
    assert authority_level(score) == level


def test_headers_are_small_and_plain_is_the_cheapest() -> None:
    """L20: what a block adds to its text, in o200k_base, for a symbol as a repository gives it."""
    symbol = unit(
        id="py:src/click/core.py#Command.format_options",
        kind="symbol",
        title="Command.format_options",
        authorityScore=0.9,
        text="x = 1\n",
        sourceRefs=[{"path": "src/click/core.py", "startLine": 1295, "endLine": 1305, "totalLines": 3799}],
    )
    blocks = ["x = 1\n", *(render_block(symbol, 0, fmt) for fmt in FORMATS)]
    text, *sizes = toktok.batch_count(blocks, "o200k_base", 1)
    overhead = dict(zip(FORMATS, (size - text for size in sizes), strict=True))
    assert overhead == {"markdown": 22, "xml": 30, "plain": 21, "json": 27}


@pytest.mark.parametrize("fmt", FORMATS)
def test_the_frame_is_small(fmt: str) -> None:
    """C14: guide and request are paid for in every pack."""
    frame = frame_texts(None, fmt)
    assert sum(toktok.batch_count([frame.guide, frame.request], "o200k_base", 1)) <= 111
