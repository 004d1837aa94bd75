"""How definitions are called, and where their bodies begin, by the shapes of syntax nodes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from ast_grep_py import SgNode

from .grammar import Grammar

EXPORTS: Final = re.compile(r"^(?:module\.)?exports(?:\.|$)")
"""Targets of assignments by which a CommonJS module exports."""

IDENTIFIER: Final = re.compile(r"[A-Za-z_$][\w$]*")

_TYPE_BODIES: Final = frozenset({"struct_type", "interface_type", "object_type"})
_WORD: Final = re.compile(r"[^\W\d][\w$]*(?:[?!=](?!\w))?|[^\s\w(){}\[\];,:]+", re.UNICODE)
_QUOTED: Final = re.compile(r"\"([^\"\n]*)\"|'([^'\n]*)'|`([^`\n]*)`")
_ANNOTATION: Final = re.compile(
    r"@[\w.:]+(?:\([^()]*(?:\([^()]*\)[^()]*)*\))?|^\s*(?:\[[^\]]*\]|#\[[^\]]*\])", re.MULTILINE
)
_COMPOUND: Final = re.compile(r"::|[$\\]")
_DEEPEST: Final = 8


def body_of(inner: SgNode, grammar: Grammar) -> SgNode | None:
    """Return the body of a definition, ``None`` for a mere declaration."""
    found = inner.field("body") or _value_body(inner)
    if found is None and grammar.bodies:
        found = next((child for child in inner.children() if child.kind() in grammar.bodies), None)
    if found is None and grammar.blocks and inner.kind() in grammar.cases:
        found = block_of(inner, grammar)
    return found


def _value_body(inner: SgNode) -> SgNode | None:
    """Return the body of a function that is bound to a name, or of a type that is."""
    value = inner.field("value")
    if value is None:
        spec = next((child for child in inner.children() if child.kind() == "type_spec"), None)
        value = spec.field("type") if spec is not None else None
    if value is None or value.kind() in _TYPE_BODIES:
        return value
    return value.field("body")


def block_of(node: SgNode, grammar: Grammar) -> SgNode | None:
    """Return the block that a call ends in, if it does: ``it "works" do … end``."""
    for _ in range(_DEEPEST):
        if node.kind() in grammar.blocks:
            return node
        named = [child for child in node.children() if child.is_named()]
        if not named:
            return None
        node = named[-1]
    return None


def case_name(node: SgNode, block: SgNode) -> str:
    """Return what a case is called: the texts in quotes in front of its block, or its first argument."""
    whole, inside = node.text(), block.text()
    head = whole[: whole.rfind(inside)] if inside else whole
    quoted = " ".join(next(filter(None, found), "") for found in _QUOTED.findall(head))
    if quoted.strip():
        return " ".join(quoted.split())
    given = node.field("arguments")
    first = next((child for child in given.children() if child.is_named()), None) if given else None
    if first is not None and first.range().start.index < block.range().start.index:
        return " ".join(first.text().split()).lstrip(":")
    called = IDENTIFIER.findall(head.partition("(")[0])
    return called[-1] if called else ""


def assigned_name(target: str, value: SgNode) -> str:
    """``module.exports.x`` is x, ``A.prototype.f`` is A.f; failing that, a function's own name serves."""
    name = EXPORTS.sub("", target).replace(".prototype.", ".")
    own = value.field("name")
    parts = IDENTIFIER.findall(name)
    return ".".join(parts[-3:]) or (own.text() if own is not None else "exports")


def name_of(node: SgNode, grammar: Grammar) -> str:
    """Return the name that a node defines, with the type that it belongs to where the language says so."""
    kind = node.kind()
    if kind in grammar.unnamed:
        return grammar.unnamed[kind]
    if kind == "impl_item":
        of = _bare(node.field("type"))
        trait = _bare(node.field("trait"))
        return f"{of} as {trait}" if trait else of
    if grammar.declarators and (declared := declarator_of(node)) is not None:
        return _dotted(declared[0].text())
    name = node.field("name")
    if kind == "method_declaration" and (receiver := node.field("receiver")) is not None:
        found = IDENTIFIER.findall(re.sub(r"\[.*", "", receiver.text()))
        owner = found[-1] if found else ""
        return f"{owner}.{name.text()}" if name is not None and owner else ""
    if name is None and kind == "type_declaration":
        spec = next((c for c in node.children() if c.kind() in ("type_spec", "type_alias")), None)
        name = spec.field("name") if spec is not None else None
    if name is None and kind == "type_alias_statement":
        name = node.field("left")
    if name is None and (pattern := node.field("pattern")) is not None:
        bound = IDENTIFIER.search(pattern.text())
        return bound[0] if bound else ""
    if name is None:
        name = _child_name(node, grammar)
    if name is None:
        return {"foreign_mod_item": "extern", "function_expression": "default"}.get(kind, "")
    text = name.text().strip("\"'`")
    if grammar.keywords and (extended := extends(node, grammar)):
        bases = [child for child in node.children() if child.kind() == "inheritance_specifier"]
        return f"{_bare(name)} as {_bare(bases[0])}" if bases and extended == "impl" else _bare(name)
    if (receiver := node.field("receiver")) is not None and grammar.names:
        return f"{_bare(receiver)}.{text}"
    return _dotted(text) if grammar.names or grammar.declarators or _COMPOUND.search(text) else text


def extends(node: SgNode, grammar: Grammar) -> str:
    """Return the role that a keyword of the node gives it, empty when none does."""
    for child in node.children():
        if not child.is_named() and child.kind() in grammar.keywords:
            return grammar.keywords[child.kind()]
    return ""


def _child_name(node: SgNode, grammar: Grammar) -> SgNode | None:
    """Look for a name in the children of a node: of a kind that names, or with a name of their own."""
    children = [child for child in node.children() if child.is_named()]
    for child in children:
        if child.kind() in grammar.names:
            return child
    for child in children:
        if (name := child.field("name")) is not None:
            return name
    for child in children:
        for inside in child.children():
            if (name := inside.field("name")) is not None:
                return name
    return None


def declarator_of(node: SgNode) -> tuple[SgNode, bool] | None:
    """Return what a C declaration declares, and whether that is a function."""
    at = node.field("declarator")
    function = False
    for _ in range(_DEEPEST):
        if at is None:
            return None
        if at.kind() == "function_declarator":
            inner = at.field("declarator")
            function = inner is None or inner.kind() != "parenthesized_declarator"
        below = at.field("declarator")
        if below is None and at.kind().endswith("declarator"):
            below = next((child for child in at.children() if child.is_named()), None)
        if below is None:
            return at, function
        at = below
    return None


def _dotted(text: str) -> str:
    """``Foo<T>::bar`` is Foo.bar, ``A\\B`` is A.B, ``size: Int`` is size, ``$x`` is x."""
    bare = re.sub(r"(?<=\w)<[^<>]*(?:<[^<>]*>[^<>]*)*>(?=::|$)", "", " ".join(text.split()))
    parts = []
    for part in re.split(r"::|\\", bare):
        named = part if part.startswith(("operator", "~")) else _first_word(part)
        parts.append(named.replace(" ", ""))
    return ".".join(part for part in parts if part)


def _first_word(text: str) -> str:
    found = _WORD.findall(re.sub(r"^(?:(?:let|var|val)\s+)?[$*&(]*", "", text.strip()))
    return found[0] if found else ""


def head_of(lines: Sequence[str]) -> str:
    """Return the lines of a declaration as one, without annotations and attributes."""
    return " ".join(_ANNOTATION.sub(" ", "\n".join(lines)).split())


def _bare(node: SgNode | None) -> str:
    """Return a type without its generic arguments and path: ``std::fmt::Display<T>`` is Display."""
    if node is None:
        return ""
    text = re.sub(r"<.*", "", " ".join(node.text().split()))
    text = re.sub(r"&\s*(?:'\w+\s+)?(?:mut\s+)?|\bdyn\s+", "", text)
    return text.rpartition("::")[2].strip() or text
