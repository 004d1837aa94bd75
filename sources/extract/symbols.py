"""Symbols of a source file: one table-driven extractor for every language of :data:`.grammars.GRAMMARS`.

A small file is one fragment. In a larger one each function is a fragment; a class that is not small is
a head (declaration, documentation, fields, constructor) and its methods; what is left at the top of the
file (imports, constants, statements) is one more. A licence text at the top belongs to none. Methods do
not depend on the head of their class: their qualified name says what it would.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from ...models import State
from .base import Document, Extraction, Form, Fragment, Span, merge, subtract, trim
from .blocks import divide
from .cuts import cut, ladder
from .grammars import GRAMMARS
from .pages import Page
from .syntax import Member, read

SMALL_CHARS: Final = 1_600
"""About 400 tokens: a file, or a class, up to this size is not divided."""

SMALL_LINES: Final = 60
"""Up to this many lines, half as much text again is still small."""

_HEAD_CHARS: Final = 6_000
"""A constructor stays in the head of its class while both together are no longer."""

_PROPERTY_LINES: Final = 3
"""A property up to this many lines stays in the head of its class however long the head is."""

_BLOCK_LINES: Final = 60
"""Statements at the top of a file are divided into blocks of about this many lines."""

_CLOSING: Final = re.compile(r"[ \t{}()\[\];,]*(?:end)?[ \t]*")
"""A line that only closes what stands around it."""


class SymbolExtractor:
    """Cuts source files into symbols by their syntax tree."""

    name = "symbols"
    version = "2"

    def accepts(self, document: Document) -> bool:
        """Whether a grammar is at hand for the document's language."""
        return document.language in GRAMMARS

    def extract(self, document: Document) -> Extraction:
        """Return the symbols; raises ``NotParsedError`` when most of the text has another syntax."""
        grammar = GRAMMARS[document.language]
        outline = read(document.text, document.lines, grammar)
        fragments = tuple(_Units(Page(document, grammar, outline)).fragments())
        notes: list[str] = []
        if outline.errors:
            wrong = merge(outline.errors)
            count = sum(len(span) for span in wrong)
            notes.append(f"{count} lines do not parse as {document.language}, from line {wrong[0].start} on")
        return Extraction(fragments, tuple(notes))


class _Units:
    """Decides which lines of one file stand together."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._lines = page.lines
        self._members = page.outline.members
        every = sorted(_every(self._members), key=lambda member: member.declared)
        self._named_members = [(m.declared, _last(m.name)) for m in every if m.role != "case"]

    def fragments(self) -> list[Fragment]:
        licence = self._page.outline.licence
        begin = licence.end + 1 if licence else 1
        own = trim((Span(begin, len(self._lines)),), self._lines) if begin <= len(self._lines) else ()
        if not own:
            return []
        if self._is_small(own[0]):
            return [self._whole_file(own[0])]
        rest = trim(subtract(own[0], [m.span for m in self._members]), self._lines)
        head, blocks = self._left_over(rest)
        units = [*self._module(head), *map(self._block, blocks), *self._symbols(self._members, parent="")]
        return sorted(units, key=lambda fragment: fragment.spans[0])

    def _is_small(self, span: Span) -> bool:
        chars = self._page.chars(span)
        return chars <= SMALL_CHARS or (len(span) <= SMALL_LINES and chars <= SMALL_CHARS * 3 // 2)

    # -- the file ------------------------------------------------------------------------------

    def _whole_file(self, own: Span) -> Fragment:
        page, members = self._page, self._members
        shown = page.docs_shown(page.outline.docs)
        for member in members:
            shown.extend(page.short(member))
        rest = subtract(own, [m.span for m in members])
        text = cut(self._lines, [own])
        return Fragment(
            role="file",
            name="",
            title=page.path.rpartition("/")[2],
            spans=(own,),
            text=text,
            forms=self._forms((own,), text, [*shown, *page.constants(rest)]),
            signature="\n".join(page.signature(member) for member in members),
            doc="\n".join([page.text(page.outline.docs), page.docs(_every(members))]).strip("\n"),
            public=not members or any(member.public for member in members),
            defines=_unique([*self._defined(members), *page.names(rest, top=True)]),
            imports=page.imports(),
            tags=("test",) if members and all(member.is_test for member in members) else (),
        )

    def _left_over(self, rest: Sequence[Span]) -> tuple[tuple[Span, ...], list[Span]]:
        """Divide the lines that no definition owns into the head of the file, and long runs in blocks."""
        head: list[Span] = []
        blocks: list[Span] = []
        for span in rest:
            parts = [span]
            if len(span) > _BLOCK_LINES * 3 // 2:
                parts = divide(span, self._lines, self._page.outline.borders, _BLOCK_LINES)
            if len(parts) == 1 or not head:
                head.append(parts.pop(0))
            blocks.extend(parts)
        return tuple(head), blocks

    def _block(self, span: Span) -> Fragment:
        names = _unique(self._page.names((span,), top=True))
        return Fragment(
            role="block",
            name=names[0] if names else f"L{span.start}",
            title=", ".join(names[:4]) or f"lines {span.start}-{span.end}",
            spans=(span,),
            text=cut(self._lines, [span]),
            signature="\n".join(names),
            defines=names,
        )

    def _module(self, spans: tuple[Span, ...]) -> Iterator[Fragment]:
        if not spans:
            return
        page = self._page
        docs = page.outline.docs
        text = cut(self._lines, spans, named=self._named)
        names = _unique(page.names(spans, top=True))
        says_something = docs is not None or any(True for _ in page.code(spans, imports=False))
        yield Fragment(
            role="module",
            name="",
            title=page.path.rpartition("/")[2],
            spans=spans,
            text=text,
            forms=self._forms(spans, text, [*page.docs_shown(docs), *page.constants(spans)]),
            signature="\n".join(names),
            doc=page.text(docs),
            defines=names,
            imports=page.imports(),
            tags=() if says_something else ("imports_only",),
        )

    # -- definitions ---------------------------------------------------------------------------

    def _symbols(self, members: Sequence[Member], parent: str) -> Iterator[Fragment]:
        for member in members:
            inner = self._apart(member)
            if inner:
                yield from self._divided(member, inner, parent)
            else:
                yield self._symbol(member, (member.span,), parent, whole=True)

    def _apart(self, member: Member) -> list[Member]:
        """Return the members that become fragments of their own."""
        if member.family or not member.members or self._is_small(member.span):
            return []
        others = [m.span for m in member.members if not m.stays]
        head = subtract(member.span, others)
        if sum(map(self._page.chars, head)) > _HEAD_CHARS:
            return [m for m in member.members if not (m.light and len(m.span) <= _PROPERTY_LINES)]
        return [m for m in member.members if not m.stays]

    def _divided(self, member: Member, inner: list[Member], parent: str) -> Iterator[Fragment]:
        """The head of a container and its members."""
        head = trim(subtract(member.span, [m.span for m in inner]), self._lines)
        units = list(self._symbols(inner, parent=_qualified(parent, member)))
        if member.role in self._page.grammar.joined and self._says_nothing(member, head):
            units[0] = self._with_lines(units[0], [span for span in head if span.end < inner[0].start])
            units[-1] = self._with_lines(units[-1], [span for span in head if span.start > inner[-1].end])
        else:
            yield self._symbol(member, head, parent, whole=False)
        yield from units

    def _says_nothing(self, member: Member, head: Sequence[Span]) -> bool:
        """Whether a container's head is nothing but its declaration and its closing brackets."""
        first, last = member.members[0].start, member.members[-1].end
        between = any(first < span.start and span.end < last for span in head)
        code = (n for n in self._page.code(head) if n > member.signature_end)
        return not between and all(_CLOSING.fullmatch(self._lines[n - 1]) for n in code)

    def _symbol(self, member: Member, spans: tuple[Span, ...], parent: str, *, whole: bool) -> Fragment:
        page = self._page
        # The head of a class says at its end which members there are, though they are units of their own.
        extent = None if whole else member.span
        text = cut(self._lines, spans, extent=extent, named=self._named)
        inner = [m for m in member.members if whole or m.stays]
        return Fragment(
            role="method" if parent and member.role == "function" else member.role,
            name=_qualified(parent, member),
            title=_title(parent, member),
            spans=spans,
            text=text,
            forms=self._forms(spans, text, page.short(member, whole=whole), extent),
            signature=page.signature(member),
            doc=page.docs([member, *([] if member.family else _every(inner))]),
            public=member.public,
            parent=parent,
            defines=_unique(self._defined([member] if whole else [replace(member, members=inner)])),
            tags=("test",) if member.is_test else (),
        )

    def _with_lines(self, fragment: Fragment, more: Sequence[Span]) -> Fragment:
        """Give a fragment the opening or closing lines of the container that it stands in."""
        if not more:
            return fragment
        spans = merge((*fragment.spans, *more))
        text = cut(self._lines, spans, named=self._named)
        wanted = {form.state: merge((*form.spans, *more)) for form in fragment.forms}
        return replace(
            fragment, spans=spans, text=text, forms=ladder(self._lines, spans, text, wanted, self._named)
        )

    def _forms(
        self, spans: tuple[Span, ...], text: str, short: Iterable[Span], extent: Span | None = None
    ) -> tuple[Form, ...]:
        wanted = {State.SYMBOLIZED: merge(short)}
        return ladder(self._lines, spans, text, wanted, self._named, extent=extent)

    def _defined(self, members: Iterable[Member]) -> list[str]:
        """Return the names of the members, of all inside them, and of their fields."""
        out: list[str] = []
        for member in _every(members):
            if member.role != "case":
                out.append(_last(member.name))
            out.extend(self._page.fields(member))
        return out

    def _named(self, gap: Span) -> Sequence[str]:
        """Name the definitions of which a gap holds the beginning."""
        first = bisect_left(self._named_members, (gap.start, ""))
        last = bisect_left(self._named_members, (gap.end + 1, ""))
        return _unique(name for _, name in self._named_members[first:last])


def _every(members: Iterable[Member]) -> list[Member]:
    out: list[Member] = []
    for member in members:
        out.append(member)
        if not member.family:
            out.extend(_every(member.members))
    return out


def _last(name: str) -> str:
    """``Context.invoke`` is invoke, ``S as Display`` is S."""
    return name.partition(" as ")[0].rpartition(".")[2] if " as " in name else name.rpartition(".")[2]


def _qualified(parent: str, member: Member) -> str:
    own = member.name.partition(" as ")[0] if member.role == "impl" else member.name
    return f"{parent}.{own}" if parent else own


def _title(parent: str, member: Member) -> str:
    name = f"{parent}.{member.name}" if parent else member.name
    return f"{member.role} {name}" if member.role in ("class", "trait", "impl", "macro") else name


def _unique(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for name in names if name))
