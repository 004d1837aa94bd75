"""One unit as text: header, provenance, body."""

from __future__ import annotations

import re
from typing import Any

import pytest
import toktok

from satchel.models import ContextUnit, SchemaError, UsageError
from satchel.prompt import FORMATS, authority_level, frame_texts, render_block
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
            title="adds",
            authorityScore=0.5,
            sourceRefs=[{"path": "src/a.py", "startLine": 3, "endLine": 4, "totalLines": 90}],
            text="def f() -> int:\n    return 1\n",
        ),
        0,
        "markdown",
    )
    assert block == (
        "## symbol:a.f src/a.py:3-4/90 · `adds` medium\n```python\ndef f() -> int:\n    return 1\n```\n\n"
    )


def test_xml_block() -> None:
    block = render_block(unit(id="a", title="A & B", trust="trusted", kind="file_full"), 0, "xml")
    assert block == (
        '<source-unit id="a" source="src/a.py" title="A &amp; B" is="1 of 1 line low trusted">\n'
        "x = 1\n</source-unit>\n"
    )


def test_plain_block() -> None:
    block = render_block(unit(id="a", title='A "B"'), 0, "plain")
    assert block == '=== "a" src/a.py title "A \\"B\\"" 1 line low\nx = 1\n===\n'


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
    lines = 'lines="{}"' if fmt == "xml" else "file:big.py:{}"
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
def test_every_form_keeps_id_and_path(fmt: str, rung: int) -> None:
    """B18: a shortened unit can be fetched whole, for it says who it is and where from."""
    header = render_block(ladder(), rung, fmt).split("\n")[0]
    assert "file:big.py" in header
    assert ("excerpted" in header, "summarized" in header) == (rung == 1, rung == 2)
    other = ladder().model_copy(update={"id": "another"})
    source = {"markdown": "`big.py`:1", "xml": 'source="big.py:1', "plain": '"big.py":1'}[fmt]
    assert source in render_block(other, rung, fmt).split("\n")[0]


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
        "## py:src/a.py#f:11-20 low",
        "## py:src/a.py#f:11 excerpted 1 of 10 lines low",
        "## py:src/a.py#f:11 summarized from 10 lines low",
    ]


def test_a_unit_of_many_files_names_three_and_counts_the_rest() -> None:
    repo_map = unit(id="map", sourceRefs=[{"path": f"f{i}.py"} for i in range(40)])
    assert render_block(repo_map, 0, "markdown").startswith("## `map` `f0.py`, `f1.py`, `f2.py` and 37 more ")
    assert 'source="f0.py, f1.py, f2.py and 37 more"' in render_block(repo_map, 0, "xml")


@pytest.mark.parametrize(
    ("name", "title", "shown"),
    [
        ("src/a.py", "src/a.py", False),
        ("py:src/a.py", "a.py", False),
        ("py:src/a.py#A.f", "A.f", False),
        ("py:src/a.py#A~2", "class A", False),
        ("doc:src/a.py#Use", "Guide > Advanced > Use", False),
        ("cfg:src/a.py#name", "name, version", False),
        ("doc:src/a.py#" + "x" * 80, "x" * 90, False),
        ("py:src/a.py#A~2", "impl Display for A", True),
        ("py:src/a.py#A", "B", True),
        ("doc:src/a.py#How", "However", True),
    ],
)
def test_a_title_is_left_out_where_the_id_says_it(name: str, title: str, shown: bool) -> None:
    block = render_block(unit(id=name, title=title), 0, "markdown")
    assert (" · " in block) is shown
    assert block.count("src/a.py") == 1


def test_a_source_is_left_out_only_where_the_id_holds_it_whole() -> None:
    for name in ("py:src/a.pyx", "x-src/a.py", "py:lib/src/a.py#f"):
        assert " src/a.py 1 line" in render_block(unit(id=name), 0, "markdown")
    without_source = render_block(unit(id="note", title="note", sourceRefs=[]), 0, "markdown")
    assert without_source.startswith("## `note` low\n")


@pytest.mark.parametrize(
    ("name", "kind", "word"),
    [
        ("py:src/a.py#f", "symbol", ""),
        ("u", "symbol", "symbol "),
        ("doc:src/a.py#f", "doc_page", ""),
        ("cfg:src/a.py#f", "config_key", ""),
        ("py:src/a.py#f", "test_case", "test "),
        ("file:src/a.py", "doc_page", "doc "),
        ("file:src/a.py", "file_excerpt", ""),
        ("contract:x", "contract", ""),
        ("k", "km_note", "note "),
    ],
)
def test_a_kind_is_named_where_the_id_does_not_say_it(name: str, kind: str, word: str) -> None:
    head = render_block(unit(id=name, kind=kind), 0, "markdown").split("\n")[0]
    assert head.endswith(f"{name if 'src/a.py' in name else 'src/a.py'} {word}1 line low")


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
    assert overhead == {"markdown": 27, "xml": 32, "plain": 23}


@pytest.mark.parametrize("fmt", FORMATS)
def test_the_frame_is_small(fmt: str) -> None:
    """C14: guide and request are paid for in every pack."""
    frame = frame_texts(None, fmt)
    assert sum(toktok.batch_count([frame.guide, frame.request], "o200k_base", 1)) <= 110
