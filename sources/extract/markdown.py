"""Markdown and MDX by section."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from .base import Document, Extraction
from .commonmark import HeadingScanner
from .sections import Heading, sections

_LANGUAGES: Final = frozenset({"markdown", "mdx"})
_TITLE: Final = re.compile(r"^title\s*:\s*[\"']?(.*?)[\"']?\s*$", re.MULTILINE)
_FRONT_MATTER: Final = re.compile(r"\A---[ \t]*\n(.*?\n)?---[ \t]*(?:\n|\Z)", re.DOTALL)
_LINK: Final = re.compile(r"!?\[([^\]]*)\]\([^)]*\)|\{#[^}]*\}\s*$|<[^>]+>")
_NOTE: Final = re.compile(r"(?<!!)\[\[[^\[\]\n]+\]\](?!\()|^\s*(?:- )?[\w-]+:: \S", re.MULTILINE)
"""What notes of Logseq and Obsidian hold and other Markdown does not: links to pages, properties."""

_TARGET: Final = re.compile(
    r"\[\[([^\[\]|#\n]+)(?:[|#][^\[\]\n]*)?\]\]"
    r"|\]\((?![a-z][\w+.-]*:|//|#)<?([^()\s#?>]+)(?:[#?][^()\s>]*)?>?(?:\s+\"[^\"]*\")?\)"
)
_MARKUP: Final = re.compile(r"[`*]|(?<!\w)_+|_+(?!\w)")


class MarkdownExtractor:
    """Cuts Markdown at its headings, as CommonMark finds them: none inside code, quotes or lists."""

    name = "markdown"
    version = "4"

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
        found = sections(document, headings, scanner.borders, title.group(1) if title else "")
        is_note = document.language == "markdown" and bool(_NOTE.search(document.text))
        fragments = tuple(
            replace(fragment, imports=_links(fragment.text), tags=("note",) if is_note else fragment.tags)
            for fragment in found.fragments
        )
        return Extraction(fragments, found.notes)


def _links(text: str) -> tuple[str, ...]:
    """Return the pages and files of the same project that a text links to, as written, without anchors."""
    found = [page or path for page, path in _TARGET.findall(text)]
    return tuple(dict.fromkeys(target.strip() for target in found if target.strip()))


def _plain(text: str) -> str:
    """Return a heading without its mark-up."""
    return " ".join(_MARKUP.sub("", _LINK.sub(r"\1", text)).split())
