"""The one way to show part of a file: whole lines, and a mark for every run of lines left out."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Final

from ...models import State
from .base import Form, Span, merge, trim

_NAMED: Final = 12
"""A mark names at most this many of the things that it stands for."""

_SMALLEST_GAP: Final = 2
"""Shorter runs are shown instead of marked: the mark would cost as much."""

_SAVES: Final = 0.85
"""A form must be at most this share of the one above it, in characters, to be worth weighing."""

_DOC_LINES: Final = 6
"""The first paragraph of a documentation text is shown up to this many lines."""

_BARE_COMMENT: Final = re.compile(r"^[\s/*#!;\"'`<>-]*$")
_FIELD_LIST: Final = re.compile(
    r"^[\s/*#!]*(?:[@\\:](?:param|return|throws|raises|arg|type|see|since|author|example|deprecated)"
    r"|(?:Args?|Arguments|Parameters|Returns?|Raises|Yields|Examples?|Attributes|Notes?):?\s*$|-{3,})"
)


def left_out(gap: Span, total: int, *, first: bool, names: Sequence[str] = ()) -> str:
    """Return the mark that stands for the lines of ``gap``; the first one of a text tells the total."""
    lines = f"{gap.start}-{gap.end}" if len(gap) > 1 else f"{gap.start}"
    word = "lines" if len(gap) > 1 else "line"
    mark = f"… {word} {lines} of {total} left out" if first else f"… {lines} left out"
    if names:
        more = len(names) - _NAMED
        mark += ": " + ", ".join(names[:_NAMED]) + (f" and {more} more" if more > 0 else "")
    return mark


def cut(
    lines: Sequence[str],
    shown: Sequence[Span],
    *,
    extent: Span | None = None,
    named: Callable[[Span], Sequence[str]] | None = None,
) -> str:
    """Return the shown lines of a file, with a mark for every gap between them.

    Parameters
    ----------
    lines
        All lines of the file.
    shown
        Sorted, disjoint.
    extent
        Lines that the whole text has; gaps before the first and after the last shown line are marked
        too when it is given.
    named
        Gives the names of what a gap holds.
    """
    parts: list[str] = []
    first = True

    def mark(start: int, end: int) -> None:
        nonlocal first
        for gap in trim((Span(start, end),), lines) if start <= end else ():
            line = lines[gap.start - 1]
            indent = line[: len(line) - len(line.lstrip())]
            names = named(gap) if named else ()
            parts.append(indent + left_out(gap, len(lines), first=first, names=names))
            first = False

    at = extent.start if extent else (shown[0].start if shown else 1)
    for span in shown:
        if at < span.start:
            blank = parts and not any(line.strip() for line in lines[at - 1 : span.start - 1])
            if blank:
                parts.append("")
            mark(at, span.start - 1)
        parts.extend(lines[span.start - 1 : span.end])
        at = span.end + 1
    if extent and at <= extent.end:
        mark(at, extent.end)
    return "\n".join(parts)


def close_small_gaps(shown: Sequence[Span], own: Sequence[Span]) -> tuple[Span, ...]:
    """Return the spans with gaps that are not worth a mark filled, where the lines are one's own."""
    out = list(merge(shown))
    for before, after in pairwise(tuple(out)):
        gap = Span(before.end + 1, after.start - 1)
        if len(gap) < _SMALLEST_GAP and any(o.start <= gap.start and gap.end <= o.end for o in own):
            out.append(gap)
    return merge(out)


def ladder(
    lines: Sequence[str],
    own: Sequence[Span],
    text: str,
    wanted: Mapping[State, Sequence[Span]],
    named: Callable[[Span], Sequence[str]] | None = None,
    *,
    extent: Span | None = None,
) -> tuple[Form, ...]:
    """Return the wanted forms that save enough over the one before, fullest first.

    Parameters
    ----------
    lines
        All lines of the file.
    own
        The lines of the fragment; ``text`` shows them.
    wanted
        The lines that each form shows.
    named
        Gives the names of what a gap holds.
    extent
        Lines that the whole text has, from the first to the last of its own when absent.
    """
    forms: list[Form] = []
    size = len(text)
    extent = extent or Span(own[0].start, own[-1].end)
    for state in sorted(wanted, key=lambda state: state.depth):
        shown = close_small_gaps(trim(wanted[state], lines), own)
        if not shown:
            continue
        short = cut(lines, shown, extent=extent, named=named)
        if len(short) <= size * _SAVES:
            forms.append(Form(state, short, shown))
            size = len(short)
    return tuple(forms)


def first_paragraph(lines: Sequence[str], span: Span, limit: int = _DOC_LINES) -> Span:
    """Return the lines of the first paragraph of a comment or docstring, its opening line included."""
    end = span.start
    seen_text = False
    for number in range(span.start, min(span.end, span.start + limit - 1) + 1):
        line = lines[number - 1]
        if seen_text and (_BARE_COMMENT.match(line) or _FIELD_LIST.match(line)):
            break
        seen_text = seen_text or not _BARE_COMMENT.match(line)
        end = number
    if end == span.end - 1 and _BARE_COMMENT.match(lines[span.end - 1]):
        end = span.end
    return Span(span.start, end)
