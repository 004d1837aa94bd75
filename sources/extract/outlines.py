"""Documents whose headings a line tells by its first characters: AsciiDoc, Org, wiki text and others."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

from .base import Document, Extraction
from .sections import Heading, sections


@dataclass(frozen=True, slots=True)
class Style:
    """One format.

    Attributes
    ----------
    heading
        Finds a heading: its marks in group ``level`` (as many as it is deep, or a name of
        :attr:`names`), its text in ``text``.
    fence
        Finds the line that opens a block in which there are no headings; the same line closes it, or
        what ``closing`` makes of it.
    names
        Depth of headings whose level has a name.
    closing
        What a line that opens a block is closed by, where not by itself; ``{}`` is the name of the block.
    """

    heading: re.Pattern[str]
    fence: re.Pattern[str] | None = None
    names: Mapping[str, int] = field(default_factory=dict)
    closing: str = ""


_LATEX: Final = {"part": 1, "chapter": 2, "section": 3, "subsection": 4, "subsubsection": 5}

STYLES: Final[Mapping[str, Style]] = MappingProxyType(
    {
        "asciidoc": Style(
            re.compile(r"(?P<level>={1,6}|#{1,6})[ \t]+(?P<text>\S.*?)(?:[ \t]+\1)?[ \t]*$"),
            re.compile(r"(-{4,}|\.{4,}|={4,}|\+{4,}|\*{4,}|_{4,}|/{4,}|```|\|={3,}|--)(?:[\w,]*)[ \t]*$"),
        ),
        "org": Style(
            re.compile(
                r"(?P<level>\*+)[ \t]+(?:(?:TODO|DONE)[ \t]+)?(?P<text>\S.*?)(?:[ \t]+:[\w:@]+:)?[ \t]*$"
            ),
            re.compile(r"\s*#\+begin_(\w+)", re.IGNORECASE),
            closing=r"\s*#\+end_{}\b",
        ),
        "wiki": Style(re.compile(r"(?P<level>={1,6})[ \t]*(?P<text>[^=].*?)[ \t]*\1[ \t]*$")),
        "rdoc": Style(re.compile(r"(?P<level>={1,6}|#{1,6})[ \t]+(?P<text>\S.*?)[ \t]*$")),
        "typst": Style(
            re.compile(r"(?P<level>={1,6})[ \t]+(?P<text>\S.*?)[ \t]*$"), re.compile(r"(```)\w*[ \t]*$")
        ),
        "textile": Style(
            re.compile(r"h(?P<level>[1-6])\.[ \t]+(?P<text>\S.*?)[ \t]*$"),
            names={str(n): n for n in range(1, 7)},
        ),
        "pod": Style(
            re.compile(r"=head(?P<level>[1-6])[ \t]+(?P<text>\S.*?)[ \t]*$"),
            names={str(n): n for n in range(1, 7)},
        ),
        "man": Style(
            re.compile(r"\.(?P<level>S[HS])[ \t]+\"?(?P<text>[^\"\n]+)\"?[ \t]*$"), names={"SH": 1, "SS": 2}
        ),
        "latex": Style(
            re.compile(
                r"\s*\\(?P<level>part|chapter|(?:sub){0,2}section)\*?(?:\[[^\]]*\])?\{(?P<text>[^}]*)\}"
            ),
            re.compile(r"\s*\\begin\{(verbatim\*?|lstlisting|minted)\}"),
            names=_LATEX,
            closing=r"\s*\\end\{{{}\}}",
        ),
    }
)
"""By the language names of the classifier."""

_FRONT_MATTER: Final = re.compile(r"\A(---|\+\+\+)[ \t]*\n(?:.*?\n)?\1[ \t]*(?:\n|\Z)", re.DOTALL)
_MARKUP: Final = re.compile(r"[`*]|(?<!\w)_+|_+(?!\w)|<<[^>]*>>|\[\[(?:[^\]|]*\|)?|\]\]")


class OutlineExtractor:
    """Cuts documents at the headings that :data:`STYLES` knows."""

    name = "outlines"
    version = "1"

    def accepts(self, document: Document) -> bool:
        """Whether the document's language is in the table."""
        return document.language in STYLES

    def extract(self, document: Document) -> Extraction:
        """Return the sections; front matter stays with the first of them."""
        lines = document.lines
        borders = [n for n in range(1, len(lines)) if lines[n - 1].strip() and not lines[n].strip()]
        return sections(document, list(_headings(document, STYLES[document.language])), borders)


def _headings(document: Document, style: Style) -> Iterator[Heading]:
    front = _FRONT_MATTER.match(document.text)
    skipped = front.group().count("\n") if front else 0
    closing: re.Pattern[str] | None = None
    for n, line in enumerate(document.lines[skipped:], skipped + 1):
        if closing is not None:
            if closing.match(line):
                closing = None
            continue
        if style.fence and (opened := style.fence.match(line)):
            ending = (
                style.closing.format(re.escape(opened[1]))
                if style.closing
                else re.escape(opened[1]) + r"[ \t]*$"
            )
            closing = re.compile(ending, re.IGNORECASE)
            continue
        found = style.heading.match(line)
        if found:
            level = style.names.get(found["level"]) or len(found["level"])
            yield Heading(level, " ".join(_MARKUP.sub("", found["text"]).split()), n, n)
