"""Markdown and MDX by section."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Final

from .base import Document, Extraction
from .sections import Heading, sections

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

_LANGUAGES: Final = frozenset({"markdown", "mdx"})
_TITLE: Final = re.compile(r"^title\s*:\s*[\"']?(.*?)[\"']?\s*$", re.MULTILINE)
_FRONT_MATTER: Final = re.compile(r"\A---[ \t]*\n(.*?\n)?---[ \t]*(?:\n|\Z)", re.DOTALL)
_LINK: Final = re.compile(r"!?\[([^\]]*)\]\([^)]*\)|\{#[^}]*\}\s*$|<[^>]+>")
_MARKUP: Final = re.compile(r"[`*]|(?<!\w)_+|_+(?!\w)")


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark")
    # Only the borders of blocks are asked for: what is inside a paragraph is not parsed.
    parser.core.ruler.disable("inline")
    return parser


class MarkdownExtractor:
    """Cuts Markdown at its headings, as CommonMark finds them: none inside code, quotes or lists."""

    name = "markdown"
    version = "1"

    def accepts(self, document: Document) -> bool:
        """Whether the document's language is Markdown or MDX."""
        return document.language in _LANGUAGES

    def extract(self, document: Document) -> Extraction:
        """Return the sections; front matter stays with the first of them."""
        front = _FRONT_MATTER.match(document.text)
        skipped = front.group().count("\n") if front else 0
        body = document.text[front.end() :] if front else document.text
        headings: list[Heading] = []
        borders: list[int] = []
        tokens = _parser().parse(body)
        for n, token in enumerate(tokens):
            if token.level or token.map is None:
                continue
            first, last = token.map[0] + 1 + skipped, token.map[1] + skipped
            borders.append(last)
            if token.type == "heading_open":
                text = " ".join(_MARKUP.sub("", _LINK.sub(r"\1", tokens[n + 1].content)).split())
                headings.append(Heading(int(token.tag[1:]), text, first, last))
        title = _TITLE.search(front.group()) if front else None
        return sections(document, headings, borders, title.group(1) if title else "")
