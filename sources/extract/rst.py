"""reStructuredText by section, found by the lines that adorn its titles."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from .base import Document, Extraction
from .sections import Heading, sections

_LANGUAGES: Final = frozenset({"rst", "restructuredtext"})
_ADORNMENT: Final = re.compile(r"([!-/:-@\[-`{-~])\1{2,}\s*$")
_ROLE: Final = re.compile(r":[\w:+.-]+:`~?([^`<]*)(?:<[^>]*>)?`|``?([^`]*)``?_{0,2}")


class RstExtractor:
    """Cuts reStructuredText at its section titles.

    The level of a title is the order in which its style (character, with or without a line above)
    first appears, as the format defines it.
    """

    name = "rst"
    version = "1"

    def accepts(self, document: Document) -> bool:
        """Whether the document's language is reStructuredText."""
        return document.language in _LANGUAGES

    def extract(self, document: Document) -> Extraction:
        """Return the sections."""
        lines = document.lines
        headings = _headings(lines)
        borders = [
            n
            for n, line in enumerate(lines, 1)
            if line.strip() and n < len(lines) and not lines[n].strip() and not _goes_on(lines, n)
        ]
        return sections(document, headings, borders)


def _goes_on(lines: Sequence[str], n: int) -> bool:
    """Whether the next text below the blank line after line ``n`` is indented: the same block still."""
    following = next((line for line in lines[n:] if line.strip()), "")
    return following[:1].isspace()


def _headings(lines: Sequence[str]) -> list[Heading]:
    styles: list[tuple[str, bool]] = []
    out: list[Heading] = []
    for n in range(2, len(lines) + 1):
        under, title = lines[n - 1], lines[n - 2]
        found = _ADORNMENT.match(under)
        if not found or not title.strip() or _ADORNMENT.match(title):
            continue
        above = lines[n - 3] if n >= 3 else ""
        overlined = bool(_ADORNMENT.match(above)) and above.strip() == under.strip()
        if not overlined and (above.strip() or title[:1].isspace()):
            continue
        if len(under.strip()) < len(title.strip()):
            continue
        if out and out[-1].end >= n - 1 - overlined:
            continue
        style = (found.group(1), overlined)
        if style not in styles:
            styles.append(style)
        text = _ROLE.sub(lambda m: m.group(1) or m.group(2) or "", title)
        out.append(Heading(styles.index(style) + 1, " ".join(text.split()), n - 1 - overlined, n))
    return out
