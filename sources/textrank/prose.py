"""The sentences of a text in prose, plain or with light markup, block by block.

Markdown, reStructuredText, AsciiDoc and plain text mostly agree on how a block looks. What is no paragraph (a
heading, a table, a block of code) is one sentence: half a table is none.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from ..extract import Span
from .base import Part, Sentence
from .sentences import ends_like_a_sentence, split

_FENCE: Final = re.compile(r"\s*(?:>\s*)*(`{3,}|~{3,}|-{4,}$|\.{4,}$)")
_HEADING: Final = re.compile(r"\s{0,3}#{1,6}(?:\s|$)|={1,6} \S")
_ADORNMENT: Final = re.compile(r"\s{0,3}([=\-~^\"'`*+#.:_])\1{2,}\s*$")
_RULE: Final = re.compile(r"\s{0,3}(?:([-*_=])[ \t]*)(?:\1[ \t]*){2,}$")
_ITEM: Final = re.compile(r"\s*(?:>\s*)*(?:[-*+•⁃‣·◦▪–]|\(?\d{1,3}[.)]|\(?[A-Za-z][.)])\s+(?=\S)")
_GRID: Final = re.compile(r"\s*(?:\||\+[-=+]{3,}\s*$)")
_INDENTED: Final = re.compile(r"(?: {4}|\t)\s*\S")
_QUOTE: Final = re.compile(r"\s*>")
_MARKUP: Final = re.compile(
    r"\s*(?:<!--|</?[A-Za-z][\w-]*(?:\s[^<>]*)?>?\s*$|\[[^\]]+\]:\s|\.\.\s|:[\w-]+:|!\[|\[!\[|\{%|import\s.*from\s|export\s)"
    r"|\s*(?:<[^<>]*>\s*)+$|\s*(?:\[?!\[[^\]]*\]\([^)]*\)(?:\]\([^)]*\))?\s*)+$|\s*\W+$"
)
_FRONT_MATTER: Final = ("---", "+++")
_LINES_ALONE: Final = 4
"""So many lines of a paragraph, or :data:`_CHARS_ALONE` characters, without a full stop go by lines."""

_CHARS_ALONE: Final = 300

_LONG_LINE: Final = 2_000
"""No line that marks a block is as long; longer ones are not asked."""


def read(lines: Sequence[str], extent: Span) -> list[Sentence]:
    """Return the sentences of the lines of ``extent``; each that is not blank is in at least one of them."""
    # Lines after the extent are not seen; blocks begin where it begins.
    lines = ["" if n < extent.start else line for n, line in enumerate(lines[: extent.end], 1)]
    out: list[Sentence] = []
    for part, span in _blocks(lines):
        if part in (Part.PROSE, Part.ITEM):
            out.extend(_sentences(lines, part, span, place=len(out)))
        else:
            shown = "\n".join(lines[span.start - 1 : span.end])
            out.append(Sentence(shown.strip("\n").rstrip(), span, part, place=len(out)))
    return out


def _blocks(lines: Sequence[str]) -> Iterator[tuple[Part, Span]]:
    """Yield the blocks of a text; lines are counted from 1."""
    n = _front_matter(lines)
    if n:
        yield Part.MARKUP, Span(1, n)
    total, after_blank = len(lines), True
    while n < total:
        line = lines[n]
        if not line.strip():
            n, after_blank = n + 1, True
            continue
        part, end = _block(lines, n, after_blank=after_blank)
        yield part, Span(n + 1, end)
        n, after_blank = end, False


def _front_matter(lines: Sequence[str]) -> int:
    """Return how many lines of front matter the text begins with."""
    mark = lines[0].rstrip() if lines else ""
    if mark not in _FRONT_MATTER:
        return 0
    closing = next((n for n, line in enumerate(lines[1:60], 2) if line.rstrip() == mark), 0)
    return closing if closing > 2 and all(line.strip() for line in lines[1 : closing - 1]) else 0


def _block(lines: Sequence[str], n: int, *, after_blank: bool) -> tuple[Part, int]:
    """Return what the block at line ``n`` (from 0) is, and the line (from 0) after its last."""
    line = lines[n]
    if len(line) > _LONG_LINE:
        return Part.PROSE, n + 1
    fence = _FENCE.match(line)
    if fence:
        closing = _closing(lines, n, fence.group(1))
        if closing:
            return Part.CODE, closing
    if _HEADING.match(line):
        return Part.HEADING, n + 1
    if (
        n + 2 < len(lines)
        and _ADORNMENT.match(line)
        and _ADORNMENT.match(lines[n + 2])
        and lines[n + 1].strip()
    ):
        return Part.HEADING, n + 3
    if _RULE.match(line) or _MARKUP.match(line):
        return Part.MARKUP, _end_of_markup(lines, n)
    if _is_titled(lines, n):
        return Part.HEADING, n + 2
    if _is_row(line):
        return Part.TABLE, _while(lines, n, _is_row)
    if after_blank and _is_indented(line) and not _ITEM.match(line):
        return Part.CODE, _while(lines, n, _is_indented)
    part = Part.ITEM if _ITEM.match(line) else Part.PROSE
    end = n + 1
    while end < len(lines) and not _interrupts(lines, end):
        end += 1
    return part, end


def _closing(lines: Sequence[str], n: int, mark: str) -> int:
    """Return the line after the one that closes a fence; without one, Markdown's goes on to the end."""
    for m in range(n + 1, len(lines)):
        body = lines[m].lstrip("> \t")
        if body.startswith(mark) and not body.strip(mark[0] + " \t"):
            return m + 1
    return len(lines) if mark[0] in "`~" else 0


def _is_titled(lines: Sequence[str], n: int) -> bool:
    """Whether the line is a title that the next one underlines."""
    if n + 1 >= len(lines) or _ITEM.match(lines[n]):
        return False
    under = _ADORNMENT.match(lines[n + 1])
    return bool(under) and len(lines[n + 1].strip()) >= min(3, len(lines[n].strip()))


def _end_of_markup(lines: Sequence[str], n: int) -> int:
    if lines[n].lstrip().startswith("<!--"):
        for m in range(n, len(lines)):
            if "-->" in lines[m]:
                return m + 1
    return n + 1


def _while(lines: Sequence[str], n: int, test: Callable[[str], bool]) -> int:
    while n < len(lines) and test(lines[n]):
        n += 1
    return n


def _is_row(line: str) -> bool:
    return bool(_GRID.match(line)) or line.count(" | ") >= 2


def _is_indented(line: str) -> bool:
    return bool(_INDENTED.match(line))


def _interrupts(lines: Sequence[str], n: int) -> bool:
    """Whether a line begins another block than the paragraph above."""
    line = lines[n]
    if not line.strip() or len(line) > _LONG_LINE:
        return True
    return (
        bool(_HEADING.match(line) or _ITEM.match(line) or _RULE.match(line) or _is_row(line))
        or bool(_FENCE.match(line) or _MARKUP.match(line))
        or bool(_QUOTE.match(line)) != bool(_QUOTE.match(lines[n - 1]))
        or _is_titled(lines, n)
    )


def _sentences(lines: Sequence[str], part: Part, span: Span, place: int) -> Iterator[Sentence]:
    """Yield the sentences of a paragraph, or its lines where it has no full stops."""
    own = lines[span.start - 1 : span.end]
    text = "\n".join(own)
    pieces = split(text)
    no_stops = len(pieces) == 1 or not any(p.whole for p in pieces)
    long = len(own) >= _LINES_ALONE or len(text) > _CHARS_ALONE
    if len(own) > 1 and long and no_stops and not ends_like_a_sentence(text):
        for number in range(span.start, span.end + 1):
            yield from _sentences(lines, part, Span(number, number), place + number - span.start)
        return
    starts = [0]
    for line in own:
        starts.append(starts[-1] + len(line) + 1)
    for n, piece in enumerate(pieces):
        first, last = bisect_right(starts, piece.start) - 1, bisect_right(starts, piece.end - 1) - 1
        yield Sentence(
            text[piece.start : piece.end],
            Span(span.start + first, span.start + last),
            part,
            begins=not text[starts[first] : piece.start].strip(),
            ends=not text[piece.end : starts[last + 1] - 1].strip(),
            place=place + n,
            whole=piece.whole,
        )
