"""From a syntax tree to an outline: definitions with their lines, read by the table of their language."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from ast_grep_py import SgNode, SgRoot

from .base import NotParsedError, Span
from .grammars import Grammar
from .naming import EXPORTS, IDENTIFIER, assigned_name, name_of, other_body

_LONG_VALUE: Final = 4
"""A constant of at least this many lines is a definition of its own; shorter ones stay together."""

_LONG_FUNCTION: Final = 100
"""Functions of at least this many lines are looked into for functions inside them."""

_INNER_LINES: Final = 8
"""Functions inside a long function count from this many lines on."""

_NEVER_JOINED: Final = frozenset({"class", "case", "impl", "trait", "namespace"})

_FAMILY_LINES: Final = 60
"""Declarations of one name, one below the other, are one fragment while those before are not longer."""

_SIGNATURE_LINES: Final = 12
"""No signature is longer; what seems to be is a body that the table does not know."""

_DEEPEST: Final = 24
"""Definitions nested deeper than this stay in the one around them."""

_MOSTLY: Final = 0.5
"""A file is given up when more than this share of its lines is inside syntax errors."""

_PATTERNS: Final = frozenset({"object_pattern", "array_pattern"})
"""What is taken apart on the way in comes from elsewhere: such statements are imports in all but name."""

_LICENCE: Final = re.compile(r"copyright|licen[sc]e|SPDX-", re.IGNORECASE)


@dataclass(slots=True)
class Member:
    """A definition and its lines (1-based).

    Attributes
    ----------
    start, end
        First and last line, documentation and decorators in front included.
    declared
        First line of the declaration, decorators included.
    signature_end
        Last line of the declaration's head.
    docs
        Lines of its documentation, in front of or inside it.
    stays
        Whether it belongs with the head of its container: a constructor, or a mere declaration.
    bare
        Whether it has no body.
    members
        Definitions inside it, or the several declarations that it is made of (``family``).
    """

    role: str
    name: str
    start: int
    declared: int
    signature_end: int
    end: int
    docs: Span | None
    public: bool
    stays: bool = False
    bare: bool = False
    is_test: bool = False
    family: bool = False
    members: list[Member] = field(default_factory=list)

    @property
    def span(self) -> Span:
        return Span(self.start, self.end)


@dataclass(slots=True)
class Outline:
    """What a file defines.

    Attributes
    ----------
    members
        Top-level definitions in order, without common lines.
    borders
        Last lines of the top-level statements: where what is left over may be divided.
    imports
        Lines of imports and of the package clause.
    licence
        Lines of a licence text at the top of the file.
    docs
        Documentation of the file as a whole.
    errors
        Lines inside syntax errors.
    """

    members: list[Member]
    borders: list[int]
    imports: list[Span]
    licence: Span | None
    docs: Span | None
    errors: list[Span]


def lines_of(node: SgNode) -> tuple[int, int]:
    """Return the first and last line of a node, 1-based."""
    around = node.range()
    start, end = around.start.line + 1, around.end.line + 1
    if around.end.column == 0 and end > start:
        end -= 1
    return start, end


def read(text: str, lines: Sequence[str], grammar: Grammar) -> Outline:
    """Parse a file and return its outline.

    Raises
    ------
    NotParsedError
        Most of the text is not of that language.
    """
    try:
        root = SgRoot(text, grammar.parser).root()
    except UnicodeEncodeError:
        raise NotParsedError("holds characters that are not text") from None
    errors = [Span(*lines_of(node)) for node in root.find_all(kind="ERROR")]
    wrong = sum(any(e.start <= n <= e.end for e in errors) for n in range(1, len(lines) + 1)) if errors else 0
    if root.kind() == "ERROR" or wrong > _MOSTLY * len(lines):
        raise NotParsedError(f"is not {grammar.parser} that can be parsed, from line {errors[0].start} on")
    reader = _Reader(lines, grammar)
    children = root.children()
    members = reader.members(children, exported=False, top=True)
    reader.mark_exported(text, members)
    licence, docs = reader.top_comments(children, members)
    return Outline(
        members=members,
        borders=sorted({lines_of(child)[1] for child in children}),
        imports=[Span(*lines_of(child)) for child in children if child.kind() in grammar.imports],
        licence=licence,
        docs=docs,
        errors=errors,
    )


@dataclass(slots=True)
class _Lead:
    """Comments and attributes in front of what comes next."""

    start: int = 0
    end: int = 0
    docs: Span | None = None
    attributes: int = 0
    text: str = ""

    def add(self, start: int, end: int, text: str, *, is_comment: bool) -> None:
        self.start = self.start or start
        self.end = end
        self.text += text
        if is_comment:
            self.docs = Span(self.docs.start if self.docs else start, end)
        elif not self.attributes:
            self.attributes = start


class _Reader:
    """Walks the statements of one file; goes into bodies only where members are looked for."""

    def __init__(self, lines: Sequence[str], grammar: Grammar) -> None:
        self._lines = lines
        self._grammar = grammar
        self._depth = 0

    def members(self, nodes: Sequence[SgNode], *, exported: bool, top: bool = False) -> list[Member]:
        """Return the definitions among the nodes, in order, each line in at most one of them."""
        if self._depth >= _DEEPEST:
            return []
        self._depth += 1
        found = list(self._found(nodes, exported=exported, top=top))
        self._depth -= 1
        out: list[Member] = []
        for member in found:
            last = out[-1] if out else None
            if last is not None and member.declared <= last.end:
                last.end = max(last.end, member.end)
                last.members = []
                continue
            if last is not None:
                member.start = max(member.start, last.end + 1)
            if last is not None and self._one_family(last, member):
                out[-1] = _family(last, member)
            else:
                out.append(member)
        return out

    def _one_family(self, a: Member, b: Member) -> bool:
        """Overloads, and a property's getter and setter: one name, one place, not too long together."""
        near = all(not line.strip() for line in self._lines[a.end : b.start - 1])
        if a.name != b.name or not near or {a.role, b.role} & _NEVER_JOINED or (a.members and not a.family):
            return False
        # A type and the value of the same name make one thing in TypeScript; kept together while short.
        size = len(a.span) if a.role == b.role else len(a.span) + len(b.span)
        return size < _FAMILY_LINES

    def _found(self, nodes: Sequence[SgNode], *, exported: bool, top: bool = False) -> Iterator[Member]:
        grammar = self._grammar
        lead, before = _Lead(), 0
        for node in nodes:
            kind = node.kind()
            start, end = lines_of(node)
            is_comment = kind in grammar.comments
            if is_comment or kind in grammar.attributes:
                if start > before:
                    if lead.end < start - 1:
                        lead = _Lead()
                    lead.add(start, end, node.text(), is_comment=is_comment)
                continue
            if not node.is_named():
                before = max(before, end)
                continue
            if lead.end < start - 1:
                lead = _Lead()
            definition = self._definition(node, exported=exported, top=top)
            if definition is not None:
                inner, role, name, is_exported = definition
                member = self._member(node, inner, role, name, lead, is_exported)
                if member is not None:
                    yield member
            elif kind in grammar.transparent:
                yield from self.members(node.children(), exported=exported)
            lead, before = _Lead(), end

    def _definition(self, node: SgNode, *, exported: bool, top: bool) -> tuple[SgNode, str, str, bool] | None:
        """Return the defining node, its role, its name, and whether it is exported."""
        grammar, kind = self._grammar, node.kind()
        if kind in grammar.containers or kind in grammar.definitions:
            role = grammar.containers.get(kind) or grammar.definitions[kind]
            return node, role, name_of(node), exported
        if kind in grammar.wrappers:
            shown = exported or kind == "export_statement"
            for child in node.children():
                if child.is_named() and (found := self._definition(child, exported=shown, top=top)):
                    return found
            return None
        if kind in grammar.values:
            return self._value(node, exported=exported, top=top)
        return None

    def _value(self, node: SgNode, *, exported: bool, top: bool) -> tuple[SgNode, str, str, bool] | None:
        comments = self._grammar.comments
        named = [child for child in node.children() if child.is_named() and child.kind() not in comments]
        if not named:
            return None
        start, end = lines_of(node)
        is_long = end - start + 1 >= _LONG_VALUE
        first = named[0]
        kind = first.kind()
        if kind in self._grammar.containers:
            return first, self._grammar.containers[kind], name_of(first), exported
        if kind == "call_expression":
            return self._call(first, is_long=is_long, exported=exported)
        if node.kind() in ("public_field_definition", "field_definition"):
            value = node.field("value")
            if value is not None and value.kind() in self._grammar.functions:
                return node, "method", name_of(node), exported
            return None
        declared = [child for child in named if child.kind() == "variable_declarator"] or [first]
        bound = declared[0]
        target = bound.field("left") or bound.field("name") or node.field("name")
        value = bound.field("right") or bound.field("value")
        if value is not None and len(declared) == 1 and value.kind() in self._grammar.functions:
            name = target.text() if target else ""
            shown = exported or bool(EXPORTS.match(name))
            role = "class" if value.kind() == "class" else "function"
            return value, role, assigned_name(name, value), shown
        if target is not None and target.kind() in _PATTERNS:
            return None
        if is_long and top and (target is not None or node.kind() != "expression_statement"):
            text = target.text() if target else ""
            found = IDENTIFIER.findall(EXPORTS.sub("", text))
            return node, "constant", ".".join(found[:3]), exported or bool(EXPORTS.match(text))
        return None

    def _call(self, call: SgNode, *, is_long: bool, exported: bool) -> tuple[SgNode, str, str, bool] | None:
        """``describe("x", () => ...)``: a case named by its first argument."""
        arguments = call.field("arguments")
        if not self._grammar.calls or not is_long or arguments is None:
            return None
        given = [child for child in arguments.children() if child.is_named()]
        if len(given) < 2 or given[0].kind() not in ("string", "template_string"):
            return None
        if given[-1].kind() not in self._grammar.functions:
            return None
        label = " ".join(given[0].text()[1:-1].split())
        return given[-1], "case", label, exported

    def _member(
        self, node: SgNode, inner: SgNode, role: str, name: str, lead: _Lead, exported: bool
    ) -> Member | None:
        grammar = self._grammar
        start, end = lines_of(node)
        body = inner.field("body") or other_body(inner)
        declared = lead.attributes or start
        signature_end = self._signature_end(start, end, inner, body)
        docs = lead.docs
        if grammar.docstrings:
            docs = self._docstring(body)
        line = self._lines[lines_of(inner)[0] - 1]
        member = Member(
            role=role,
            name=name,
            start=min(lead.start or start, start),
            declared=min(declared, start),
            signature_end=signature_end,
            end=end,
            docs=docs,
            public=grammar.public(name.rpartition(".")[2], line, exported),
            stays=name in grammar.constructors or inner.kind() in grammar.constructors,
            bare=body is None,
            is_test=bool(grammar.test_mark and (grammar.test_mark.search(lead.text) or self._marked(inner))),
        )
        if body is not None:
            self._fill(member, inner, body, exported)
        return member

    def _marked(self, inner: SgNode) -> bool:
        first = next(iter(inner.children()), None)
        mark = self._grammar.test_mark
        return bool(mark and first is not None and first.kind() == "modifiers" and mark.search(first.text()))

    def _fill(self, member: Member, inner: SgNode, body: SgNode, exported: bool) -> None:
        """Look for members in the body of a container, a case or a long function."""
        is_container = inner.kind() in self._grammar.containers or member.role in ("class", "case")
        if not is_container and member.end - member.start + 1 < _LONG_FUNCTION:
            return
        is_open = member.role in ("class", "case", "trait") or " as " in member.name
        found = self.members(body.children(), exported=exported or is_open)
        found = [m for m in found if m.start > member.signature_end]
        for inside in found:
            inside.stays = inside.stays or (is_container and inside.bare)
        if not is_container:
            found = [m for m in found if m.end - m.start + 1 >= _INNER_LINES]
        member.members = found

    def _signature_end(self, start: int, end: int, inner: SgNode, body: SgNode | None) -> int:
        if body is None:
            return start if inner.kind() in self._grammar.values else min(end, start + _SIGNATURE_LINES - 1)
        first = lines_of(body)[0]
        opens_below = first > lines_of(inner)[0] and not self._lines[first - 1].lstrip().startswith("{")
        line = first - 1 if self._grammar.docstrings and opens_below else first
        return max(start, min(line, end, start + _SIGNATURE_LINES + 8))

    def _docstring(self, body: SgNode | None) -> Span | None:
        for child in body.children() if body is not None else ():
            if child.kind() == "comment":
                continue
            first = next(iter(child.children()), None)
            if child.kind() == "expression_statement" and first is not None and first.kind() == "string":
                return Span(*lines_of(child))
            return None
        return None

    def mark_exported(self, text: str, members: Sequence[Member]) -> None:
        """Mark what the file names in its export statements; without any, all of it is a script's own."""
        exports = self._grammar.exports
        if exports is None:
            return
        named = {name for found in exports.finditer(text) for name in IDENTIFIER.findall(found.group())}
        for member in members:
            member.public = member.public or member.name in named

    def top_comments(
        self, children: Sequence[SgNode], members: Sequence[Member]
    ) -> tuple[Span | None, Span | None]:
        """Return the licence text at the top, and the documentation of the file as a whole."""
        taken = members[0].start if members else len(self._lines) + 1
        licence: Span | None = None
        docs: Span | None = None
        for child in children:
            start, end = lines_of(child)
            if child.kind() not in self._grammar.comments or start >= taken:
                if self._grammar.docstrings and (found := self._docstring_at(child)) is not None:
                    return (docs if docs and self._is_licence(docs) else None), found
                break
            if docs is not None and start == docs.end + 1:
                docs = Span(docs.start, end)
            elif docs is not None and licence is None and self._is_licence(docs):
                licence, docs = docs, Span(start, end)
            else:
                docs = Span(start, end)
        if docs is not None and licence is None and self._is_licence(docs):
            return docs, None
        return licence, docs

    def _docstring_at(self, child: SgNode) -> Span | None:
        first = next(iter(child.children()), None)
        if child.kind() == "expression_statement" and first is not None and first.kind() == "string":
            return Span(*lines_of(child))
        return None

    def _is_licence(self, span: Span) -> bool:
        return len(span) > 1 and bool(_LICENCE.search("\n".join(self._lines[span.start - 1 : span.end])))


def _family(a: Member, b: Member) -> Member:
    """Join two declarations of one name."""
    parts = [*(a.members if a.family else [a]), b]
    return Member(
        role=a.role,
        name=a.name,
        start=a.start,
        declared=a.declared,
        signature_end=a.signature_end,
        end=b.end,
        docs=a.docs or b.docs,
        public=a.public or b.public,
        stays=a.stays,
        bare=a.bare and b.bare,
        is_test=a.is_test,
        family=True,
        members=parts,
    )
