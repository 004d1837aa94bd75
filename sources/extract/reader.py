"""From a syntax tree to definitions: one walk for every language of the table."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from ast_grep_py import SgNode

from .base import Span
from .grammar import Grammar
from .naming import (
    EXPORTS,
    IDENTIFIER,
    assigned_name,
    block_of,
    body_of,
    case_name,
    declarator_of,
    extends,
    head_of,
    name_of,
)
from .outline import Member, lines_of

_LONG_VALUE: Final = 4
"""A constant of at least this many lines is a definition of its own; shorter ones stay together."""

_LONG_FUNCTION: Final = 100
"""Functions of at least this many lines are looked into for functions inside them."""

_INNER_LINES: Final = 8
"""Functions inside a long function, and properties of a class, count from this many lines on."""

_NEVER_JOINED: Final = frozenset({"class", "case", "impl", "trait", "namespace"})

_FAMILY_LINES: Final = 60
"""Declarations of one name, one below the other, are one fragment while those before are not longer."""

_SIGNATURE_LINES: Final = 12
"""No signature is longer; what seems to be is a body that the table does not know."""

_DEEPEST: Final = 24
"""Definitions nested deeper than this stay in the one around them."""

_PATTERNS: Final = frozenset({"object_pattern", "array_pattern"})
"""What is taken apart on the way in comes from elsewhere: such statements are imports in all but name."""

_LICENCE: Final = re.compile(r"copyright|licen[sc]e|SPDX-", re.IGNORECASE)
_HIDDEN: Final = re.compile(r"(private|protected|private_class_method)\b")
_SHOWN: Final = re.compile(r"(public|module_function|Q_SIGNALS|signals)\b")


def is_licence(lines: Sequence[str], span: Span) -> bool:
    """Whether comment lines are the text of a licence."""
    return len(span) > 1 and bool(_LICENCE.search("\n".join(lines[span.start - 1 : span.end])))


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


@dataclass(slots=True)
class _Definition:
    """A defining node, and what it defines."""

    node: SgNode
    role: str
    name: str
    exported: bool
    light: bool = False


class Reader:
    """Walks the statements of one file; goes into bodies only where members are looked for."""

    def __init__(self, lines: Sequence[str], grammar: Grammar) -> None:
        self._lines = lines
        self._grammar = grammar
        self._depth = 0

    def members(
        self, nodes: Sequence[SgNode], *, exported: bool, top: bool = False, hidden: bool = False
    ) -> list[Member]:
        """Return the definitions among the nodes, in order, each line in at most one of them."""
        if self._depth >= _DEEPEST:
            return []
        self._depth += 1
        found = list(self._found(nodes, exported=exported, top=top, hidden=hidden))
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
        if a.name != b.name or not a.name or not near:
            return False
        if {a.role, b.role} & _NEVER_JOINED or (a.members and not a.family):
            return False
        # A type and the value of the same name make one thing in TypeScript; kept together while short.
        size = len(a.span) if a.role == b.role else len(a.span) + len(b.span)
        return size < _FAMILY_LINES

    def _found(self, nodes: Sequence[SgNode], *, exported: bool, top: bool, hidden: bool) -> Iterator[Member]:
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
            if kind in grammar.access:
                text = node.text()
                hidden = bool(_HIDDEN.match(text)) or (hidden and not _SHOWN.match(text))
            definition = self._definition(node, exported=exported, top=top)
            if definition is not None:
                member = self._member(node, definition, lead, top=top)
                if member is not None:
                    member.public = member.public and not hidden
                    yield member
            elif kind in grammar.transparent or kind == "ERROR":
                yield from self.members(node.children(), exported=exported, top=top, hidden=hidden)
            lead, before = _Lead(), end

    # -- what defines --------------------------------------------------------------------------

    def _definition(self, node: SgNode, *, exported: bool, top: bool) -> _Definition | None:
        """Return what a statement defines."""
        grammar, kind = self._grammar, node.kind()
        if grammar.case_line and (found := grammar.case_line.match(self._lines[lines_of(node)[0] - 1])):
            return _Definition(node, "case", _label(found[1]), exported)
        if kind in grammar.containers or kind in grammar.definitions:
            if kind in grammar.with_body and node.field("body") is None:
                return None
            role = grammar.containers.get(kind) or grammar.definitions[kind]
            if grammar.declarators and role == "constant":
                return self._declaration(node, exported=exported, top=top)
            if grammar.keywords:
                role = extends(node, grammar) or role
            return _Definition(node, role, name_of(node, grammar), exported, kind in grammar.light)
        if kind in grammar.wrappers:
            shown = exported or kind == "export_statement"
            for child in node.children():
                if child.is_named() and (inner := self._definition(child, exported=shown, top=top)):
                    return inner
            return None
        if kind in grammar.cases:
            return self._case(node, exported=exported)
        if kind in grammar.values:
            return self._value(node, exported=exported, top=top)
        return None

    def _declaration(self, node: SgNode, *, exported: bool, top: bool) -> _Definition | None:
        """A declaration in C: of a function, of a type that it defines on the way, or of a value."""
        declared = declarator_of(node)
        of = node.field("type")
        if of is not None and of.kind() in self._grammar.with_body and of.field("body") is not None:
            name = name_of(of, self._grammar) or (name_of(node, self._grammar) if declared else "")
            role = self._grammar.containers.get(of.kind(), "type")
            return _Definition(of, role, name, exported)
        if declared is None or not (declared[1] or top):
            return None
        role = "function" if declared[1] else "constant"
        return _Definition(node, role, name_of(node, self._grammar), exported, light=True)

    def _value(self, node: SgNode, *, exported: bool, top: bool) -> _Definition | None:
        grammar = self._grammar
        named = [
            child for child in node.children() if child.is_named() and child.kind() not in grammar.comments
        ]
        if not named:
            return None
        start, end = lines_of(node)
        is_long = end - start + 1 >= _LONG_VALUE
        first = named[0]
        kind = first.kind()
        if kind in grammar.containers:
            return _Definition(first, grammar.containers[kind], name_of(first, grammar), exported)
        if kind == "call_expression":
            return self._call(first, is_long=is_long, exported=exported)
        if node.kind() in ("public_field_definition", "field_definition"):
            value = node.field("value")
            if value is not None and value.kind() in grammar.functions:
                return _Definition(node, "method", name_of(node, grammar), exported)
            return None
        declared = [child for child in named if child.kind() == "variable_declarator"] or [first]
        bound = declared[0]
        target = bound.field("left") or bound.field("name") or node.field("name") or node.field("left")
        value = bound.field("right") or bound.field("value") or node.field("right") or node.field("value")
        if value is not None and len(declared) == 1 and value.kind() in grammar.functions:
            name = target.text() if target else ""
            shown = exported or bool(EXPORTS.match(name))
            role = "class" if value.kind() == "class" else "function"
            return _Definition(value, role, assigned_name(name, value), shown)
        if target is not None and target.kind() in _PATTERNS:
            return None
        if value is not None and value.kind() in grammar.cases and is_long and block_of(value, grammar):
            return _Definition(value, "class", target.text() if target else "", exported)
        if is_long and top and (target is not None or node.kind() != "expression_statement"):
            text = target.text() if target else ""
            found = IDENTIFIER.findall(EXPORTS.sub("", text))
            return _Definition(node, "constant", ".".join(found[:3]), exported or bool(EXPORTS.match(text)))
        return None

    def _call(self, call: SgNode, *, is_long: bool, exported: bool) -> _Definition | None:
        """``describe("x", () => ...)``: a case named by its first argument."""
        arguments = call.field("arguments")
        if not self._grammar.calls or not is_long or arguments is None:
            return None
        given = [child for child in arguments.children() if child.is_named()]
        if len(given) < 2 or given[0].kind() not in ("string", "template_string"):
            return None
        if given[-1].kind() not in self._grammar.functions:
            return None
        return _Definition(given[-1], "case", " ".join(given[0].text()[1:-1].split()), exported)

    def _case(self, node: SgNode, *, exported: bool) -> _Definition | None:
        """``it "works" do … end``; a definition that stands as an argument (``private def x``) is itself."""
        arguments = node.field("arguments")
        given = arguments is not None and arguments.kind() not in self._grammar.blocks
        for child in arguments.children() if arguments is not None and given else ():
            if child.kind() in self._grammar.definitions:
                return self._definition(child, exported=exported, top=False)
        start, end = lines_of(node)
        if end - start + 1 < _LONG_VALUE or (block := block_of(node, self._grammar)) is None:
            return None
        return _Definition(node, "case", case_name(node, block), exported)

    # -- what a definition holds ---------------------------------------------------------------

    def _member(self, node: SgNode, found: _Definition, lead: _Lead, *, top: bool) -> Member | None:
        grammar, inner = self._grammar, found.node
        start, end = lines_of(node)
        begin = min(lead.start or start, start)
        if found.light and top and end - begin + 1 < _LONG_VALUE:
            return None
        body = body_of(inner, grammar)
        declared = min(lead.attributes or start, start)
        signature_end = self._signature_end(start, end, inner, body)
        docs = self._docstring(body) if grammar.docstrings else lead.docs
        head = self._lines[min(declared, lines_of(inner)[0]) - 1 : signature_end]
        mark = grammar.test_mark
        stays = found.name in grammar.constructors or inner.kind() in grammar.constructors
        member = Member(
            role=found.role,
            name=found.name,
            start=begin,
            declared=declared,
            signature_end=signature_end,
            end=end,
            docs=docs,
            public=grammar.public(found.name.rpartition(".")[2], head_of(head), found.exported),
            stays=stays or (found.light and not top and end - begin + 1 < _INNER_LINES),
            bare=body is None,
            light=found.light and not top,
            is_test=bool(mark and (mark.search(lead.text) or mark.search("\n".join(head)))),
        )
        if body is not None:
            self._fill(member, inner, body, found.exported)
        return member

    def _fill(self, member: Member, inner: SgNode, body: SgNode, exported: bool) -> None:
        """Look for members in the body of a container, a case or a long function."""
        is_container = inner.kind() in self._grammar.containers or member.role in ("class", "case", "impl")
        if not is_container and member.end - member.start + 1 < _LONG_FUNCTION:
            return
        is_open = member.role in ("class", "case", "trait") or " as " in member.name
        closed = self._grammar.closed
        found = self.members(
            body.children(),
            exported=exported or is_open,
            hidden=bool(closed and closed.match(self._lines[lines_of(inner)[0] - 1])),
        )
        # What is bound inside a case is local to it.
        is_case = member.role == "case"
        found = [m for m in found if m.start > member.signature_end and not (is_case and m.light)]
        for inside in found:
            inside.stays = inside.stays or (is_container and inside.bare)
        if not is_container:
            found = [m for m in found if m.end - m.start + 1 >= _INNER_LINES]
        member.members = found

    def _signature_end(self, start: int, end: int, inner: SgNode, body: SgNode | None) -> int:
        if body is None:
            return start if inner.kind() in self._grammar.values else min(end, start + _SIGNATURE_LINES - 1)
        around = body.range().start
        first = around.line + 1
        text = self._lines[first - 1]
        # A body that begins a line without a bracket stands below its head: none of it is signature.
        opens_below = first > lines_of(inner)[0] and not text[: around.column].strip()
        line = first - 1 if opens_below and not text.lstrip().startswith("{") else first
        return max(start, min(line, end, start + _SIGNATURE_LINES + 8))

    def _docstring(self, body: SgNode | None) -> Span | None:
        for child in body.children() if body is not None else ():
            if child.kind() != "comment":
                return self.docstring_at(child)
        return None

    def docstring_at(self, child: SgNode) -> Span | None:
        """Return the lines of a statement that is nothing but a string."""
        first = next(iter(child.children()), None)
        if child.kind() == "expression_statement" and first is not None and first.kind() == "string":
            return Span(*lines_of(child))
        return None

    def mark_exported(self, text: str, members: Sequence[Member]) -> None:
        """Mark what the file names in its export statements; without any, all of it is a script's own."""
        exports = self._grammar.exports
        if exports is None:
            return
        named = {name for found in exports.finditer(text) for name in IDENTIFIER.findall(found.group())}
        for member in members:
            member.public = member.public or member.name in named


def _label(arguments: str) -> str:
    """``Suite, Name`` is Suite.Name; a text in quotes stands for itself."""
    quoted = re.match(r"\s*\"([^\"]*)\"", arguments)
    if quoted:
        return " ".join(quoted[1].split())
    return ".".join(part.strip() for part in arguments.split(",")[:2] if part.strip())


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
