"""What can be read off the lines of one source file, once its outline is known."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from typing import Final

from .base import Document, Span, subtract
from .cuts import first_paragraph
from .grammar import Grammar
from .syntax import Member, Outline

_COMMENT_STARTS: Final = ("//", "#", "/*", "*")
_FIELD_OF_SELF: Final = ("self.", "this.")
_MAX_NAMES: Final = 200
_NO_NAMES: Final = frozenset(
    {
        *("if", "else", "elif", "for", "while", "do", "switch", "case", "default", "return", "throw"),
        *("raise", "try", "catch", "except", "finally", "with", "new", "get", "set", "async", "await"),
        *("yield", "import", "from", "export", "package", "use", "mod", "self", "this", "super", "true"),
        *("false", "null", "None", "public", "private", "protected", "static", "final", "const", "let"),
        *("var", "def", "class", "function", "interface"),
    }
)


class Page:
    """The lines of a file, its grammar and its outline."""

    def __init__(self, document: Document, grammar: Grammar, outline: Outline) -> None:
        self.path = document.path
        self.lines = document.lines
        self.grammar = grammar
        self.outline = outline
        self._offsets = [0, *accumulate(len(line) + 1 for line in document.lines)]
        self._imported = frozenset(n for span in outline.imports for n in range(span.start, span.end + 1))

    def chars(self, span: Span) -> int:
        """Return the number of characters of the lines, line breaks included."""
        return self._offsets[span.end] - self._offsets[span.start - 1]

    def text(self, span: Span | None) -> str:
        """Return the lines as they stand."""
        return "\n".join(self.lines[span.start - 1 : span.end]) if span else ""

    def signature(self, member: Member) -> str:
        """Return the declaration of a member, or of each of a family."""
        if member.family:
            return "\n".join(self.signature(part) for part in member.members)
        return self.text(Span(member.declared, member.signature_end))

    def docs(self, members: Iterable[Member]) -> str:
        """Return the documentation of the members."""
        parts: list[str] = []
        for member in members:
            parts.append(self.text(member.docs))
            if member.family:
                parts.append(self.docs(member.members[1:]))
        return "\n".join(part for part in parts if part)

    def code(self, spans: Iterable[Span], *, imports: bool = True) -> Iterator[int]:
        """Yield the numbers of the lines that are no blank, comment or documentation of the file."""
        docs = self.outline.docs
        for span in spans:
            for n in range(span.start, span.end + 1):
                line = self.lines[n - 1].strip()
                if not line or line.startswith(_COMMENT_STARTS) or (docs and docs.start <= n <= docs.end):
                    continue
                if imports or n not in self._imported:
                    yield n

    def names(self, spans: Iterable[Span], *, top: bool = False, of_self: bool = False) -> list[str]:
        """Return the names that the lines declare.

        Parameters
        ----------
        spans
            Where to look; imports and comments are passed over.
        top
            Only lines without indentation.
        of_self
            Only fields of the object that is being made.
        """
        out: list[str] = []
        for n in self.code(spans, imports=False):
            line = self.lines[n - 1]
            if (top and line[:1].isspace()) or (of_self and not line.lstrip().startswith(_FIELD_OF_SELF)):
                continue
            found = self.grammar.member_line.match(line)
            name = found[found.lastindex or 0] if found else ""
            if name and name not in _NO_NAMES:
                out.append(name)
        return out[:_MAX_NAMES]

    def fields(self, member: Member) -> list[str]:
        """Return the names of the fields of a type, those that its constructor sets included."""
        if member.family:
            return [name for part in member.members for name in self.fields(part)]
        if member.role not in ("type", "class", "trait", "constant") or member.end == member.signature_end:
            return []
        body = Span(member.signature_end + 1, member.end)
        taken = sorted([m.span for m in member.members] + ([member.docs] if member.docs else []))
        out = self.names(subtract(body, taken))
        for made in member.members:
            if made.stays:
                out.extend(self.names([made.span], of_self=True))
        return out

    def constants(self, spans: Sequence[Span]) -> list[Span]:
        """Return the lines of a file's head that bind a name at the left margin."""
        return [
            Span(n, n)
            for n in self.code(spans, imports=False)
            if not self.lines[n - 1][:1].isspace() and self.grammar.member_line.match(self.lines[n - 1])
        ]

    def short(self, member: Member, *, whole: bool = True) -> list[Span]:
        """Return the lines of the symbolized form: first paragraphs of documentation, and heads.

        ``whole`` tells whether the members inside are part of it.
        """
        if member.family:
            return [span for part in member.members for span in self.short(part)]
        shown = [*self.docs_shown(member.docs), Span(member.declared, member.signature_end)]
        for inner in member.members:
            if inner.stays or (whole and inner.public):
                shown.extend(self.short(inner))
        return shown

    def docs_shown(self, docs: Span | None) -> list[Span]:
        """Return the first paragraph of a documentation, if there is one."""
        return [first_paragraph(self.lines, docs)] if docs else []

    def imports(self) -> tuple[str, ...]:
        """Return the import statements, each on one line."""
        return tuple(" ".join(self.text(span).split()) for span in self.outline.imports)
