"""Documents by section: what Markdown and reStructuredText share once their headings are known."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from ...models import State
from .base import Document, Extraction, Fragment, Span, trim
from .blocks import divide
from .cuts import cut, ladder

_SMALL_CHARS: Final = 1_600
"""About 400 tokens: a page, or a section with all below it, up to this size is not divided."""

_PART_LINES: Final = 80
"""A section without headings inside is divided into parts of about this many lines."""

_PART_CHARS: Final = 6_000
"""A section up to this size is not divided into parts."""

_SHORT_CHARS: Final = 240
"""Neighbours up to this size are joined."""

_LABELS_CHARS: Final = 160
"""Less than this above the first heading is labels and front matter, no section."""

_LEAD_LINES: Final = 12
"""The short form of a section shows its heading and its first paragraph, up to this many lines."""


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading: its depth (1 is the top), its text, and its first and last line."""

    level: int
    text: str
    start: int
    end: int


@dataclass(slots=True)
class _Section:
    """A heading with the lines below it; ``own`` ends before the first heading inside."""

    title: str
    level: int
    own: Span
    heading_end: int
    inside: list[_Section] = field(default_factory=list)

    @property
    def end(self) -> int:
        return self.inside[-1].end if self.inside else self.own.end


def sections(
    document: Document, headings: Sequence[Heading], borders: Sequence[int], page_title: str = ""
) -> Extraction:
    """Cut a document at its headings.

    A page or section that is small is one fragment with all below it; a heading with nothing of its own
    joins the first section inside. A long section is divided at ``borders`` (last lines of top-level
    blocks), its parts needing the first of them.
    """
    lines = document.lines
    own = trim((Span(1, len(lines)),), lines) if lines else ()
    if not own:
        return Extraction(())
    title = page_title or (headings[0].text if headings else document.path.rpartition("/")[2])
    cutter = _Cutter(document, borders, title)
    tops = _tree(headings, own[0], lines)
    if len(document.text) <= _SMALL_CHARS or not tops:
        whole = _Section("", 0, own[0], headings[0].end if headings else own[0].start - 1)
        return Extraction(tuple(cutter.leaf(whole, (), role="file")))
    return Extraction(
        tuple(fragment for top in cutter.joined(tops) for fragment in cutter.fragments(top, ()))
    )


def _tree(headings: Sequence[Heading], extent: Span, lines: Sequence[str]) -> list[_Section]:
    """Nest the sections; what stands above the first heading is one without a title, or joins it."""
    tops: list[_Section] = []
    if headings and headings[0].start > extent.start:
        lead = Span(extent.start, headings[0].start - 1)
        if sum(len(line) + 1 for line in lines[lead.start - 1 : lead.end]) > _LABELS_CHARS:
            tops.append(_Section("", 99, lead, extent.start - 1))
        else:
            headings = [replace(headings[0], start=extent.start), *headings[1:]]
    above: list[_Section] = []
    starts = [*(heading.start for heading in headings), extent.end + 1]
    for heading, following in zip(headings, starts[1:], strict=True):
        end = following - 1
        section = _Section(heading.text, heading.level, Span(heading.start, end), heading.end)
        while above and above[-1].level >= section.level:
            above.pop()
        (above[-1].inside if above else tops).append(section)
        above.append(section)
    return tops


class _Cutter:
    def __init__(self, document: Document, borders: Sequence[int], page_title: str) -> None:
        self._document = document
        self._lines = document.lines
        self._borders = borders
        self._page_title = page_title

    def fragments(self, section: _Section, path: tuple[str, ...]) -> Iterator[Fragment]:
        """Yield the section's own fragment and those of the sections inside."""
        extent = Span(section.own.start, section.end)
        if not section.inside or self._chars(extent) <= _SMALL_CHARS:
            whole = _Section(section.title, section.level, extent, section.heading_end)
            yield from self.leaf(whole, path)
            return
        body = Span(section.heading_end + 1, section.own.end)
        below = (*path, section.title)
        if len(body) > 0 and trim((body,), self._lines):
            yield from self.leaf(section, path)
        else:
            first = section.inside[0]
            first.own = Span(section.own.start, first.own.end)
        for inside in self.joined(section.inside):
            yield from self.fragments(inside, below)

    def joined(self, siblings: Sequence[_Section]) -> list[_Section]:
        """Join runs of very short neighbours: one heading and one line each are no units."""
        out: list[_Section] = []
        short: list[bool] = []
        for section in siblings:
            size = self._chars(Span(section.own.start, section.end))
            is_short = not section.inside and size <= _SHORT_CHARS
            if is_short and short and short[-1]:
                last = out[-1]
                if self._chars(last.own) + size <= _SMALL_CHARS:
                    last.own = Span(last.own.start, section.own.end)
                    continue
            out.append(section)
            short.append(is_short)
        return out

    def leaf(self, section: _Section, path: tuple[str, ...], role: str = "section") -> Iterator[Fragment]:
        """Yield one fragment, or the parts of a long one."""
        spans = trim((section.own,), self._lines)
        if not spans:
            return
        parts = [spans[0]]
        if self._chars(spans[0]) > _PART_CHARS:
            parts = divide(spans[0], self._lines, self._borders, _PART_LINES)
        for index, part in enumerate(parts):
            name = section.title if index == 0 else f"{section.title} ({index + 1})".strip()
            label = " > ".join([*(p for p in path if p), *([name] if name else [])])
            title = label if section.title or path else f"{self._page_title} {name}".strip()
            text = cut(self._lines, [part])
            lead = self._lead(part, section.heading_end if index == 0 else part.start - 1)
            yield Fragment(
                role=role if len(parts) == 1 else "section",
                name=name,
                title=title,
                spans=(part,),
                text=text,
                forms=ladder(self._lines, (part,), text, {State.EXCERPTED: (lead,)}),
                signature=section.title or self._page_title,
                doc=" ".join(path),
                parent=path[-1] if path else "",
                needs=(section.title,) if index and section.title else (),
            )

    def _lead(self, span: Span, heading_end: int) -> Span:
        """The heading and the first paragraph."""
        n = max(span.start, heading_end + 1)
        while n <= span.end and not self._lines[n - 1].strip():
            n += 1
        while n < span.end and n - span.start + 1 < _LEAD_LINES and self._lines[n].strip():
            n += 1
        return Span(span.start, min(n, span.end))

    def _chars(self, span: Span) -> int:
        return sum(len(line) + 1 for line in self._lines[span.start - 1 : span.end])
