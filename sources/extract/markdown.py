"""Markdown and MDX by section."""

from __future__ import annotations

import re
from typing import Final

from .base import Document, Extraction
from .commonmark import HeadingScanner
from .sections import Heading, sections

_LANGUAGES: Final = frozenset({"markdown", "mdx"})
_TITLE: Final = re.compile(r"^title\s*:\s*[\"']?(.*?)[\"']?\s*$", re.MULTILINE)
_FRONT_MATTER: Final = re.compile(r"\A---[ \t]*\n(.*?\n)?---[ \t]*(?:\n|\Z)", re.DOTALL)
_LINK: Final = re.compile(r"!?\[([^\]]*)\]\([^)]*\)|\{#[^}]*\}\s*$|<[^>]+>")
_MARKUP: Final = re.compile(r"[`*]|(?<!\w)_+|_+(?!\w)")


class MarkdownExtractor:
    """Cuts Markdown at its headings, as CommonMark finds them: none inside code, quotes or lists."""

    name = "markdown"
    version = "2"

    def accepts(self, document: Document) -> bool:
        """Whether the document's language is Markdown or MDX."""
        return document.language in _LANGUAGES

    def extract(self, document: Document) -> Extraction:
        """Return the sections; front matter stays with the first of them."""
        front = _FRONT_MATTER.match(document.text)
        scanner = HeadingScanner()
        scanner.scan(document.lines, front.group().count("\n") if front else 0)
        headings = [Heading(level, _plain(text), start, end) for level, text, start, end in scanner.headings]
        title = _TITLE.search(front.group()) if front else None
        return sections(document, headings, scanner.borders, title.group(1) if title else "")


def _plain(text: str) -> str:
    """Return a heading without its mark-up."""
    return " ".join(_MARKUP.sub("", _LINK.sub(r"\1", text)).split())
