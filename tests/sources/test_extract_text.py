"""Sections, keys, blocks, and the one way to leave lines out."""

from __future__ import annotations

import pytest

from satchel.models import State
from satchel.sources.extract import Document, Extraction, Form, Fragment, NotParsedError, Registry, Span
from satchel.sources.extract.base import merge, subtract, trim
from satchel.sources.extract.blocks import BlockExtractor, divide
from satchel.sources.extract.cuts import cut, first_paragraph, ladder, left_out
from satchel.sources.extract.registry import default_registry

LOREM = "Lorem ipsum dolor sit amet, consectetur adipiscing elit, sed do eiusmod tempor.\n" * 6


def extract(language: str, text: str, file_class: str = "doc") -> Extraction:
    document = Document("docs/page.x", text, file_class, language)
    found = default_registry().extract(document)
    owned = [n for f in found.fragments for span in f.spans for n in range(span.start, span.end + 1)]
    assert len(owned) == len(set(owned))
    assert {n for n, line in enumerate(document.lines, 1) if line.strip()} <= set(owned)
    return found


def names(found: Extraction) -> list[str]:
    return [fragment.name for fragment in found.fragments]


class TestMarkdown:
    def test_sections_nest(self) -> None:
        found = extract(
            "markdown",
            f"# Top\n\n{LOREM}\n## A `code` [link](x)\n\n{LOREM}\n### **Deep**\n\n{LOREM}{LOREM}{LOREM}\n"
            f"Setext\n------\n\n{LOREM}",
        )
        assert names(found) == ["Top", "A code link", "Deep", "Setext"]
        assert [f.title for f in found.fragments][2] == "Top > A code link > Deep"
        assert found.fragments[2].parent == "A code link"

    def test_no_heading_inside_code_quotes_and_lists(self) -> None:
        quoted = "```sh\n# comment\n```\n\n> # quoted\n\n- # listed\n\n    # indented\n\n"
        text = f"# Real\n\n{LOREM}{LOREM}\n{quoted}{LOREM}{LOREM}"
        assert names(extract("markdown", text)) == ["Real"]

    def test_front_matter_gives_the_title_and_stays(self) -> None:
        found = extract(
            "mdx", f"---\ntitle: 'My page'\n---\n\n{LOREM}{LOREM}{LOREM}{LOREM}\n## One\n\n{LOREM}"
        )
        assert found.fragments[0].title == "My page"
        assert found.fragments[0].text.startswith("---\ntitle")
        assert names(found)[-1] == "One"

    def test_small_page_is_one(self) -> None:
        found = extract("markdown", "# A\n\nx\n\n## B\n\ny\n")
        assert [f.role for f in found.fragments] == ["file"]

    def test_heading_alone_joins_the_first_inside(self) -> None:
        found = extract("markdown", f"# Top\n\n## A\n\n{LOREM}{LOREM}\n## B\n\n{LOREM}{LOREM}")
        assert names(found) == ["A", "B"]
        assert found.fragments[0].text.startswith("# Top\n\n## A")

    def test_very_short_neighbours_are_joined(self) -> None:
        found = extract(
            "markdown", f"# Log\n\n{LOREM}{LOREM}" + "".join(f"\n## v{n}\n\n- fix\n" for n in range(300))
        )
        assert len(found.fragments) < 10

    def test_long_section_is_divided_between_blocks(self) -> None:
        fence = "```py\n" + "x = 1\n\n" * 30 + "```\n\n"
        found = extract("markdown", "# Long\n\n" + (LOREM + "\n" + fence) * 12)
        assert names(found)[:2] == ["Long", "Long (2)"]
        assert found.fragments[1].needs == ("Long",)
        assert all(f.text.count("```") % 2 == 0 for f in found.fragments)

    def test_short_form_is_the_first_paragraph(self) -> None:
        found = extract(
            "markdown", f"# A\n\n{LOREM}{LOREM}\n## B\n\nFirst.\nStill first.\n\n{LOREM}\n{LOREM}"
        )
        (form,) = found.fragments[1].forms
        assert form.state is State.EXCERPTED
        assert form.text == "## B\n\nFirst.\nStill first.\n… lines 21-33 of 33 left out"


class TestRst:
    def test_levels_are_by_first_appearance(self) -> None:
        found = extract(
            "rst",
            f".. _label:\n\n#####\nTitle\n#####\n\n{LOREM}{LOREM}\nOne\n===\n\n{LOREM}{LOREM}\n"
            f"Deep :ref:`x`\n-------------\n\n{LOREM}{LOREM}\nTwo\n===\n\n{LOREM}{LOREM}",
        )
        assert names(found) == ["Title", "One", "Deep x", "Two"]
        assert found.fragments[2].title == "Title > One > Deep x"
        assert found.fragments[0].text.startswith(".. _label:")

    def test_no_title_in_literal_blocks_and_tables(self) -> None:
        inside = "::\n\n    Not\n    ===\n\n===== =====\na     b\n===== =====\n\n"
        text = f"Title\n=====\n\n{LOREM}{LOREM}\n{inside}{LOREM}{LOREM}"
        assert names(extract("rst", text)) == ["Title"]


class TestConfig:
    def test_small_file_is_one(self) -> None:
        assert [f.role for f in extract("toml", "[a]\nb = 1\n", "config").fragments] == ["file"]

    @pytest.mark.parametrize(
        ("language", "entry"),
        [
            ("toml", "# about {k}\n[{k}]\nvalue = '{v}'\n\n"),
            ("ini", "; about {k}\n[{k}]\nvalue = {v}\n\n"),
            ("yaml", "# about {k}\n{k}:\n  value: {v}\n\n"),
        ],
    )
    def test_by_top_level_key(self, language: str, entry: str) -> None:
        text = "".join(entry.format(k=f"key{n}", v="x" * 700) for n in range(8))
        found = extract(language, text, "config")
        assert names(found) == ["key0", "key2", "key4", "key6"]
        assert all("about" in fragment.text.split("\n")[0] for fragment in found.fragments)
        assert found.fragments[0].defines == ("key0", "key1")

    def test_json_by_the_outermost_indent(self) -> None:
        inner = ",\n".join(f'    "n{n}": "{"x" * 60}"' for n in range(30))
        found = extract(
            "json", f'{{\n  "name": "a",\n  "scripts": {{\n{inner}\n  }},\n  "end": 1\n}}\n', "config"
        )
        assert names(found) == ["name", "scripts", "end"]

    def test_without_keys_it_is_plain_text(self) -> None:
        found = extract("yaml", "- a\n" * 1_000, "config")
        assert {fragment.role for fragment in found.fragments} == {"block"}
        assert found.notes == ()


class TestBlocks:
    def test_text_without_full_stops_is_divided(self) -> None:
        """H12: lines serve where there are no sentences, and no paragraphs."""
        found = extract("", "word and word\n" * 1_000, "data2")
        assert len(found.fragments) > 5

    def test_cut_at_blank_lines(self) -> None:
        found = extract("", ("a\n" * 30 + "\n") * 20, "text")
        assert all(len(fragment.spans) == 1 for fragment in found.fragments)
        assert all(fragment.spans[0].start % 31 == 1 for fragment in found.fragments)

    @pytest.mark.parametrize("file_class", ["lock", "minified", "data"])
    def test_what_nobody_reads_in_part_is_one(self, file_class: str) -> None:
        """G16: one low candidate, not thousands."""
        assert len(extract("json", '{\n  "a": 1,\n' * 5_000, file_class).fragments) == 1

    def test_parts_cover_and_never_exceed(self) -> None:
        lines = ["x" * 50 if n % 9 else "" for n in range(1_000)]
        parts = divide(Span(1, 1_000), lines, [n for n in range(1, 1_000) if not lines[n]], 60)
        covered = [n for part in parts for n in range(part.start, part.end + 1) if lines[n - 1]]
        assert covered == [n for n in range(1, 1_001) if lines[n - 1]]
        assert max(len(part) for part in parts) <= 120


LINES = tuple(f"line {n}" for n in range(1, 21))


class TestCuts:
    def test_marks_name_the_lines_and_the_total(self) -> None:
        """B07, B08, B10: every gap is marked with its lines; the first tells the total."""
        text = cut(LINES, [Span(3, 4), Span(9, 9)], extent=Span(1, 20))
        assert text.split("\n") == [
            "… lines 1-2 of 20 left out",
            "line 3",
            "line 4",
            "… 5-8 left out",
            "line 9",
            "… 10-20 left out",
        ]

    def test_names_are_counted_when_there_are_many(self) -> None:
        mark = left_out(Span(1, 9), 9, first=True, names=[f"n{k}" for k in range(15)])
        assert mark == "… lines 1-9 of 9 left out: " + ", ".join(f"n{k}" for k in range(12)) + " and 3 more"

    def test_blank_lines_are_no_gap(self) -> None:
        assert cut(["a", "", "b"], [Span(1, 1), Span(3, 3)]) == "a\n\nb"

    def test_a_form_must_save(self) -> None:
        """B01: what is as long as the whole is not offered as an excerpt."""
        text = "\n".join(LINES)
        own = (Span(1, 20),)
        assert ladder(LINES, own, text, {State.EXCERPTED: (Span(1, 19),)}) == ()
        forms = ladder(LINES, own, text, {State.SYMBOLIZED: (Span(1, 1),), State.EXCERPTED: (Span(1, 9),)})
        assert [form.state for form in forms] == [State.EXCERPTED, State.SYMBOLIZED]
        assert isinstance(forms[0], Form)

    @pytest.mark.parametrize(
        ("lines", "end"),
        [
            (['"""One.', "", "Two.", '"""'], 1),
            (['"""', "One", "two.", "", "Three.", '"""'], 3),
            (["/**", " * One.", " * @param a x", " */"], 2),
            (["/// One.", "///", "/// Two."], 1),
            (['"""One."""'], 1),
            (['"""', "One.", '"""'], 3),
        ],
    )
    def test_first_paragraph(self, lines: list[str], end: int) -> None:
        assert first_paragraph(lines, Span(1, len(lines))) == Span(1, end)

    def test_spans(self) -> None:
        assert merge([Span(5, 6), Span(1, 2), Span(3, 3)]) == (Span(1, 3), Span(5, 6))
        assert subtract(Span(1, 10), [Span(2, 3), Span(9, 12)]) == (Span(1, 1), Span(4, 8))
        assert trim([Span(1, 3), Span(4, 4)], ["", "a", "", ""]) == (Span(2, 2),)


class _Refuses:
    name = "refuses"
    version = "7"

    def accepts(self, document: Document) -> bool:
        return document.language == "odd"

    def extract(self, document: Document) -> Extraction:
        raise NotParsedError(f"{document.path} is odd")


def test_registry_asks_the_next_and_notes_why() -> None:
    registry = Registry([_Refuses(), BlockExtractor()])
    found = registry.extract(Document("a", "text\n", "doc", "odd"))
    assert [fragment.text for fragment in found.fragments] == ["text"]
    assert found.notes == ("a is odd; taken as plain text",)
    assert registry.versions == "refuses-7,blocks-1"


def test_documents_count_lines_as_files_do() -> None:
    assert Document("a", "x\ny\n").lines == ("x", "y")
    assert Document("a", "x\n\n").lines == ("x", "")
    assert Document("a", "a\u2028b\x0cc\n").lines == ("a\u2028b\x0cc",)
    assert Document("a", "").lines == ()


def test_references_are_names_used_and_not_defined() -> None:
    fragment = Fragment("function", "f", "f", (Span(1, 1),), "def f(a): return g(a, été)", defines=("f",))
    assert {"g", "a", "été"} <= fragment.references
    assert "f" not in fragment.references
