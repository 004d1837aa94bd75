"""How definitions are called, and where their bodies begin, by the shapes of syntax nodes."""

from __future__ import annotations

import re
from typing import Final

from ast_grep_py import SgNode

EXPORTS: Final = re.compile(r"^(?:module\.)?exports(?:\.|$)")
"""Targets of assignments by which a CommonJS module exports."""

IDENTIFIER: Final = re.compile(r"[A-Za-z_$][\w$]*")

_TYPE_BODIES: Final = frozenset({"struct_type", "interface_type", "object_type"})


def other_body(inner: SgNode) -> SgNode | None:
    """Return the body of a function that is bound to a name, or of a type that is."""
    value = inner.field("value")
    if value is None:
        spec = next((child for child in inner.children() if child.kind() == "type_spec"), None)
        value = spec.field("type") if spec is not None else None
    if value is None or value.kind() in _TYPE_BODIES:
        return value
    return value.field("body")


def assigned_name(target: str, value: SgNode) -> str:
    """``module.exports.x`` is x, ``A.prototype.f`` is A.f; failing that, a function's own name serves."""
    name = EXPORTS.sub("", target).replace(".prototype.", ".")
    own = value.field("name")
    parts = IDENTIFIER.findall(name)
    return ".".join(parts[-3:]) or (own.text() if own is not None else "exports")


def name_of(node: SgNode) -> str:
    """Return the name that a node defines, with the type that it belongs to where the language says so."""
    kind = node.kind()
    if kind == "impl_item":
        of = _bare(node.field("type"))
        trait = _bare(node.field("trait"))
        return f"{of} as {trait}" if trait else of
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
    if name is None:
        return {"foreign_mod_item": "extern", "function_expression": "default"}.get(kind, "")
    return name.text().strip("\"'`")


def _bare(node: SgNode | None) -> str:
    """Return a type without its generic arguments and path: ``std::fmt::Display<T>`` is Display."""
    if node is None:
        return ""
    text = re.sub(r"<.*", "", " ".join(node.text().split()))
    text = re.sub(r"&\s*(?:'\w+\s+)?(?:mut\s+)?|\bdyn\s+", "", text)
    return text.rpartition("::")[2].strip() or text
