"""From named entries of a file to fragments: what all extractors of keyed and listed formats share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from ...models import State
from .base import Document, Extraction, Fragment, Span, merge, subtract, trim
from .blocks import divide
from .cuts import cut, ladder

SMALL_CHARS: Final = 1_600
"""About 400 tokens: a file up to this size is not divided; short neighbours join up to it."""

JOINED_CHARS: Final = 400
"""Short definitions join their neighbours up to this size."""

_REST_LINES: Final = 60
"""What no entry owns is divided into blocks of about this many lines."""

_NAMES: Final = 4
"""A title lists at most so many names."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A part of a file that has a name.

    Attributes
    ----------
    span
        Its lines, comments in front included.
    signature, doc
        As in :class:`.base.Fragment`.
    shown
        Lines of its short form; none when there is no shorter one.
    state
        Which rung that form is.
    needs
        Names of entries of the same file without which it cannot be understood.
    defines
        Names that it defines besides its own.
    joins
        Up to how many characters it may stand in one fragment with its neighbours; 0 for never.
    silent
        Whether its name is the format's own (``info``, ``servers``) and defines nothing of the project.
    """

    role: str
    name: str
    span: Span
    title: str = ""
    signature: str = ""
    doc: str = ""
    shown: tuple[Span, ...] = ()
    state: State = State.CONTRACT
    needs: tuple[str, ...] = ()
    defines: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    joins: int = 0
    silent: bool = False


@dataclass(slots=True)
class _Run:
    entries: list[Entry] = field(default_factory=list)
    chars: int = 0


def assemble(document: Document, entries: Iterable[Entry], *, divide_small: bool = False) -> Extraction:
    """Return the fragments of a file: its entries, short neighbours joined, and what is left over.

    A small file is one fragment unless ``divide_small``. No line belongs to two fragments: an entry
    that overlaps the one before it loses the lines that both have.
    """
    lines = document.lines
    own = trim((Span(1, len(lines)),), lines) if lines else ()
    if not own:
        return Extraction(())
    given = _with_brackets(_disjoint(entries, lines), own[0], lines)
    if not given or (len(document.text) <= SMALL_CHARS and not divide_small):
        return Extraction((_whole(document, own[0], given),))
    taken = sorted(entry.span for entry in given)
    fragments = [_fragment(document, run) for run in _runs(given, lines)]
    rest = trim(subtract(own[0], taken), lines)
    fragments.extend(_left_over(document, rest))
    return Extraction(tuple(sorted(fragments, key=lambda fragment: fragment.spans[0])))


def comments_above(lines: Sequence[str], start: int, marks: tuple[str, ...], first: int = 1) -> int:
    """Return the first of the comment lines right above line ``start``, not above line ``first``."""
    while start > first and lines[start - 2].lstrip().startswith(marks):
        start -= 1
    return start


def _disjoint(entries: Iterable[Entry], lines: Sequence[str]) -> list[Entry]:
    out: list[Entry] = []
    last = 0
    for entry in sorted(entries, key=lambda entry: (entry.span.start, -entry.span.end)):
        start = max(entry.span.start, last + 1)
        spans = trim((Span(start, entry.span.end),), lines) if start <= entry.span.end else ()
        if spans:
            shown = tuple(Span(max(s.start, start), s.end) for s in entry.shown if s.end >= start)
            out.append(replace(entry, span=spans[0], shown=shown))
            last = spans[0].end
    return out


def _with_brackets(entries: Sequence[Entry], own: Span, lines: Sequence[str]) -> list[Entry]:
    """Give brackets that stand on lines of their own to the entry above them, the first ones to the first."""
    out: list[Entry] = []
    for n, entry in enumerate(entries):
        start = entry.span.start
        if not out and _is_bare(lines[own.start - 1 : start - 1]):
            start = own.start
        limit = entries[n + 1].span.start - 1 if n + 1 < len(entries) else own.end
        end = entry.span.end
        while end < limit and _is_bare(lines[end : end + 1]):
            end += 1
        (span,) = trim((Span(start, end),), lines)
        out.append(replace(entry, span=span))
    return out


def _is_bare(lines: Iterable[str]) -> bool:
    return all(not line.strip(" \t{}[](),;") for line in lines)


def _runs(entries: Sequence[Entry], lines: Sequence[str]) -> Iterator[list[Entry]]:
    """Yield entries that stand together: short neighbours with nothing but blank lines between them."""
    run = _Run()
    for entry in entries:
        chars = sum(len(line) + 1 for line in lines[entry.span.start - 1 : entry.span.end])
        last = run.entries[-1] if run.entries else None
        near = last is not None and not any(
            line.strip() for line in lines[last.span.end : entry.span.start - 1]
        )
        alike = near and last is not None and last.role == entry.role and last.joins > 0
        if run.entries and not (alike and chars <= entry.joins and run.chars + chars <= SMALL_CHARS):
            yield run.entries
            run = _Run()
        run.entries.append(entry)
        run.chars += chars if chars <= entry.joins else SMALL_CHARS
    if run.entries:
        yield run.entries


def _fragment(document: Document, run: Sequence[Entry]) -> Fragment:
    first, lines = run[0], document.lines
    span = Span(first.span.start, run[-1].span.end)
    text = cut(lines, (span,))
    names = list(dict.fromkeys(entry.name for entry in run))
    shown = merge(span for entry in run for span in entry.shown)
    titles = list(dict.fromkeys(entry.title or entry.name for entry in run))
    return Fragment(
        role=first.role,
        name=first.name,
        title=", ".join(titles[:_NAMES]) + (" …" if len(titles) > _NAMES else ""),
        spans=(span,),
        text=text,
        forms=ladder(lines, (span,), text, {first.state: shown}) if shown else (),
        signature="\n".join(entry.signature or entry.title or entry.name for entry in run),
        doc="\n".join(entry.doc for entry in run if entry.doc),
        defines=_defined(run),
        needs=tuple(dict.fromkeys(need for entry in run for need in entry.needs if need not in names)),
        tags=tuple(sorted({tag for entry in run for tag in entry.tags})),
    )


def _whole(document: Document, own: Span, entries: Sequence[Entry]) -> Fragment:
    text = cut(document.lines, (own,))
    shown = merge(span for entry in entries for span in entry.shown)
    state = entries[0].state if entries else State.CONTRACT
    return Fragment(
        role="file",
        name="",
        title=document.path.rpartition("/")[2],
        spans=(own,),
        text=text,
        forms=ladder(document.lines, (own,), text, {state: shown}, extent=own) if shown else (),
        signature="\n".join(entry.signature or entry.title or entry.name for entry in entries),
        doc="\n".join(entry.doc for entry in entries if entry.doc),
        defines=_defined(entries),
    )


def _defined(entries: Sequence[Entry]) -> tuple[str, ...]:
    named = [entry for entry in entries if not entry.silent]
    return tuple(dict.fromkeys([*(e.name for e in named), *(name for e in named for name in e.defines)]))


def _left_over(document: Document, rest: Sequence[Span]) -> Iterator[Fragment]:
    """Yield what no entry owns: one fragment, long runs of it divided."""
    lines = document.lines
    head: list[Span] = []
    for span in rest:
        parts = [span]
        if len(span) > _REST_LINES * 3 // 2:
            borders = [n for n in range(span.start, span.end) if not lines[n].strip()]
            parts = divide(span, lines, borders, _REST_LINES)
        head.append(parts[0])
        for part in parts[1:]:
            yield Fragment(
                "block", f"L{part.start}", f"lines {part.start}-{part.end}", (part,), cut(lines, (part,))
            )
    if head:
        title = document.path.rpartition("/")[2]
        yield Fragment("module", "", title, tuple(head), cut(lines, head))
