"""The part of a long text that answers the task: whole blocks of lines, chosen by the task's words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import sqrt
from typing import Final

from ..extract.base import Fragment, Span, merge, subtract
from .words import WORD, terms

SHARE: Final = 0.45
"""An excerpt holds about this share of the characters of the text."""

_FENCES: Final = ("```", "~~~")
_BLOCK_LINES: Final = 24
"""A run of lines without a blank one is divided where the margin allows once it is longer."""


def excerpt(fragment: Fragment, lines: Sequence[str], query: Mapping[str, float]) -> tuple[Span, ...]:
    """Return the lines to show: what the shortest form shows, and the blocks that the task asks for.

    Parameters
    ----------
    fragment
        The text; only its own lines are considered.
    lines
        All lines of its file.
    query
        Terms of the task with their weights.

    Notes
    -----
    Blocks end at blank lines (not within a fenced block) or at the margin, so nothing half looks whole.
    Where nothing matches, blocks are taken from the top: texts say first what matters most.
    """
    head = fragment.forms[-1].spans if fragment.forms else ()
    room = SHARE * len(fragment.text) - sum(_size(span, lines) for span in head)
    blocks = [
        block for own in fragment.spans for rest in subtract(own, head) for block in _blocks(rest, lines)
    ]
    scored = sorted(
        (-_score(block, lines, query) / (1.0 + 0.02 * n), n, block) for n, block in enumerate(blocks)
    )
    taken = list(head)
    for _, _, block in scored:
        size = _size(block, lines)
        if size <= room:
            taken.append(block)
            room -= size
    return merge(taken)


def _size(span: Span, lines: Sequence[str]) -> int:
    return sum(len(line) + 1 for line in lines[span.start - 1 : span.end])


def _score(block: Span, lines: Sequence[str], query: Mapping[str, float]) -> float:
    """Weight of the distinct terms asked for, lessened by length; a little for any block."""
    found = {
        term
        for line in lines[block.start - 1 : block.end]
        for word in WORD.findall(line)
        for term in terms(word)
    }
    return (0.2 + sum(query[term] for term in sorted(found) if term in query)) / sqrt(4 + len(block))


def _blocks(span: Span, lines: Sequence[str]) -> list[Span]:
    out: list[Span] = []
    start: int | None = None
    fenced = False
    for n in range(span.start, span.end + 1):
        line = lines[n - 1]
        if line.lstrip().startswith(_FENCES):
            fenced = not fenced
        if not line.strip() and not fenced:
            if start is not None:
                out.extend(_at_margin(Span(start, n - 1), lines))
            start = None
        elif start is None:
            start = n
    if start is not None:
        out.extend(_at_margin(Span(start, span.end), lines))
    return out


def _at_margin(block: Span, lines: Sequence[str]) -> list[Span]:
    """Divide a long block in front of lines that stand at its margin."""
    if len(block) <= _BLOCK_LINES:
        return [block]
    inside = range(block.start, block.end + 1)
    margins = {n: len(lines[n - 1]) - len(lines[n - 1].lstrip()) for n in inside}
    margin = min(margins.values())
    out: list[Span] = []
    start = block.start
    for n in inside:
        if (
            n > start
            and n - start >= _BLOCK_LINES // 2
            and margins[n] == margin
            and lines[n - 1].strip(" \t)]}")
        ):
            out.append(Span(start, n - 1))
            start = n
    return [*out, Span(start, block.end)]
