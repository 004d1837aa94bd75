"""Headings of Markdown: the same as a CommonMark parser finds, whatever stands around them."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from satchel.sources.extract.commonmark import HeadingScanner

PARSER = MarkdownIt("commonmark")


def expected(text: str) -> list[tuple[int, str, int, int]]:
    tokens = PARSER.parse(text)
    return [
        (int(token.tag[1:]), " ".join(tokens[n + 1].content.split()), token.map[0] + 1, token.map[1])
        for n, token in enumerate(tokens)
        if token.type == "heading_open" and token.level == 0 and token.map
    ]


def found(text: str) -> list[tuple[int, str, int, int]]:
    scanner = HeadingScanner()
    scanner.scan(text.split("\n"))
    return [(level, " ".join(title.split()), start, end) for level, title, start, end in scanner.headings]


LINES = [
    *("# one", "## two ##", "###", "####### seven", "#none", "   # three", "    # code", "\t# tab"),
    *("text", "  more", "    deep", "a - b", "===", "---", "-----  ", "= =", "- - -", "***", "_ _ _"),
    *("```", "```py", "~~~", "````", "  ```", "``` a`b", "> quote", ">", "> # inner", "> ```"),
    *("- item", "-", "-     code", "* star", "+ plus", "1. one", "2. two", "10) ten", "  - inner", "   # x"),
    *("- # head", "- ```", "  # in item", "  text in item", "    - deep item", "1.", "-\t# tab"),
    *("<div>", "</div>", "<!-- a", "-->", "<!-- a -->", "<b>", "<b> text", "<pre>", "</pre>", "<?x", "?>"),
    *("[a]: /url", "[a]: /url 'title'", "[a]", "", "", "", "  ", "\t"),
]


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(LINES), max_size=9).map("\n".join))
def test_headings_are_those_of_commonmark(text: str) -> None:
    assert found(text) == expected(text)


@pytest.mark.parametrize(
    ("text", "headings"),
    [
        ("# a\n\n```\n# b\n```\n\n# c\n", ["a", "c"]),
        ("- x\n\n  # inside\n\n# outside\n", ["outside"]),
        ("> # quoted\n\n# mine\n", ["mine"]),
        ("<!--\n# hidden\n-->\n# shown\n", ["shown"]),
        ("two\nlines\n===\n", ["two lines"]),
        ("> quote\n---\n", []),
    ],
)
def test_examples(text: str, headings: list[str]) -> None:
    assert [title for _, title, _, _ in found(text)] == headings


def test_many_headings_are_found() -> None:
    """E03: 100,000 headings, each by one look at its line."""
    text = "".join(f"# Heading {n}\n\nText {n}.\n\n" for n in range(100_000))
    assert len(found(text)) == 100_000


@pytest.mark.parametrize("piece", ["> ", "- ", "[", "<a ", "`", "#", "* ", "[a](", "\t"])
def test_hostile_lines_end(piece: str) -> None:
    """H04."""
    found(piece * 50_000 + "a")
    found((piece + "a\n") * 20_000)
