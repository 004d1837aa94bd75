"""The extractor of last resort: paragraphs of any text, with their lines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ...models import State
from .base import Document, Extraction, Fragment, Span, trim
from .cuts import cut, ladder

_SMALL_CHARS: Final = 1_600
"""About 400 tokens: a text up to this size is not divided."""

_BLOCK_LINES: Final = 60
"""Longer texts are divided into blocks of about this many lines, where a blank line allows it."""

_BLOCK_CHARS: Final = 6_000
"""No block is longer while a line border allows a cut."""

_UNDIVIDED: Final = frozenset({"lock", "minified", "data"})

_DIAGRAMS: Final = frozenset({"mermaid", "plantuml", "dot", "d2"})
"""Languages of diagrams: half a diagram shows nothing."""

_HEAD_LINES: Final = 8
"""The short form of a block shows this many lines."""


class BlockExtractor:
    """Takes everything: a small text whole, a longer one in blocks of whole paragraphs."""

    name = "blocks"
    version = "1"

    def accepts(self, document: Document) -> bool:  # noqa: ARG002 - the protocol's shape
        """Every document."""
        return True

    def extract(self, document: Document) -> Extraction:
        """Return the blocks; an empty text has none."""
        lines = document.lines
        own = trim((Span(1, len(lines)),), lines) if lines else ()
        if not own:
            return Extraction(())
        if len(document.text) <= _SMALL_CHARS:
            return Extraction((whole(document, own[0]),))
        borders = [n for n in range(own[0].start, own[0].end) if not lines[n].strip()]
        parts = divide(own[0], lines, borders, _BLOCK_LINES)
        if len(parts) == 1:
            return Extraction((whole(document, own[0]),))
        return Extraction(tuple(_block(document, part) for part in parts))


class WholeExtractor:
    """Takes what nobody reads part by part (lock files, minified code, data, diagrams): a fragment each."""

    name = "whole"
    version = "1"

    def accepts(self, document: Document) -> bool:
        """Whether the file's class or language says so."""
        return document.file_class in _UNDIVIDED or document.language in _DIAGRAMS

    def extract(self, document: Document) -> Extraction:
        """Return the file; an empty text has no fragment."""
        lines = document.lines
        own = trim((Span(1, len(lines)),), lines) if lines else ()
        return Extraction(tuple(whole(document, span) for span in own))


def whole(document: Document, own: Span) -> Fragment:
    """Return the fragment of a file that is not divided."""
    return _fragment(document, own, "file", "", document.path.rpartition("/")[2])


def _block(document: Document, span: Span) -> Fragment:
    name = document.path.rpartition("/")[2]
    return _fragment(document, span, "block", f"L{span.start}", f"{name}, lines {span.start}-{span.end}")


def _fragment(document: Document, span: Span, role: str, name: str, title: str) -> Fragment:
    text = cut(document.lines, [span])
    head = Span(span.start, min(span.end, span.start + _HEAD_LINES - 1))
    return Fragment(
        role=role,
        name=name,
        title=title,
        spans=(span,),
        text=text,
        forms=ladder(document.lines, (span,), text, {State.EXCERPTED: (head,)}),
    )


def divide(span: Span, lines: Sequence[str], borders: Sequence[int], size: int) -> list[Span]:
    """Cut a run of lines into parts of about ``size`` lines, only after lines that are ``borders``.

    A part without a border within twice the size, or longer than 6,000 characters, is cut at the last
    line that fits: at a line border still.
    """
    allowed = set(borders)
    parts: list[Span] = []
    start, chars, last = span.start, 0, 0
    for n in range(span.start, span.end + 1):
        chars += len(lines[n - 1]) + 1
        if n in allowed and lines[n - 1].strip():
            last = n
        length = n - start + 1
        too_long = chars > _BLOCK_CHARS or length >= 2 * size
        if n == span.end or not (too_long or (length >= size and last == n)):
            continue
        end = last if last >= start else n
        parts.append(Span(start, end))
        start, last = end + 1, 0
        chars = sum(len(line) + 1 for line in lines[start - 1 : n])
    if start <= span.end:
        parts.append(Span(start, span.end))
    return list(trim(parts, lines))
