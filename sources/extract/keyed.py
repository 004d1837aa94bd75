"""YAML and JSON as a tree of keys with exact lines, also where a file holds mistakes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from ast_grep_py import SgNode, SgRoot

from .base import NotParsedError, Span

PARSERS: Final = {"yaml": "yaml", "json": "json", "jsonc": "json", "json5": "json"}
"""Language to the grammar that reads it."""

_PAIRS: Final = frozenset({"block_mapping_pair", "flow_pair", "pair"})
_MAPS: Final = frozenset({"block_mapping", "flow_mapping", "object"})
_LISTS: Final = frozenset({"block_sequence", "flow_sequence", "array"})
_WRAPPERS: Final = frozenset({"block_node", "flow_node", "block_sequence_item"})
_INLINE: Final = re.compile(r"(?:[-?:](?: +|\t+))+")
"""Lists and keys that begin in one another on one line."""

_DEEPEST: Final = 100
"""Blocks of YAML deeper than this are not read."""

_NO_VALUE: Final = frozenset({"comment", "anchor", "tag"})


@dataclass(frozen=True, slots=True)
class Keyed:
    """A key (or, in a list, an item without one) with its lines, and its value behind it."""

    key: str
    start: int
    end: int
    value: SgNode | None

    @property
    def span(self) -> Span:
        return Span(self.start, self.end)

    def children(self) -> list[Keyed]:
        """Return the entries of a map; none for anything else."""
        return list(_pairs(self.value))

    def child(self, key: str) -> Keyed | None:
        """Return the entry of that name."""
        return next((child for child in self.children() if child.key == key), None)

    def at(self, *path: str) -> Keyed | None:
        """Return what lies at a path of keys."""
        found: Keyed | None = self
        for key in path:
            found = found.child(key) if found else None
        return found

    def items(self) -> list[Keyed]:
        """Return the items of a list; none for anything else."""
        value = _inner(self.value)
        if value is None or value.kind() not in _LISTS:
            return []
        found = [child for child in value.children() if child.is_named() and child.kind() not in _NO_VALUE]
        return [Keyed("", *_lines(child), child) for child in found]

    def text(self) -> str:
        """Return a plain value without its quotes; empty for maps and lists."""
        value = _inner(self.value)
        if value is None or value.kind() in _MAPS | _LISTS:
            return ""
        text = value.text().strip()
        return text[1:-1] if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'" else text


def documents(text: str, language: str) -> list[Keyed]:
    """Return the documents of a file, each with its lines.

    Raises
    ------
    NotParsedError
        The text has another syntax.
    """
    if language == "yaml" and _is_too_deep(text):
        raise NotParsedError("is nested too deep")
    try:
        root = SgRoot(text, PARSERS[language]).root()
    except UnicodeEncodeError:
        raise NotParsedError("holds characters that are not text") from None
    if root.kind() == "ERROR":
        raise NotParsedError(f"is not {language} that can be parsed")
    found = [child for child in root.children() if child.is_named() and child.kind() not in _NO_VALUE]
    return [Keyed("", *_lines(child), child) for child in found]


def _is_too_deep(text: str) -> bool:
    """Whether blocks stand in one another deeper than the grammar can remember, which ends the process."""
    open_at: list[int] = []
    for line in text.split("\n"):
        body = line.lstrip(" ")
        if not body:
            continue
        indent = len(line) - len(body)
        while open_at and open_at[-1] >= indent:
            open_at.pop()
        open_at.append(indent)
        inline = _INLINE.match(body)
        if len(open_at) + (inline[0].count(" ") if inline else 0) > _DEEPEST:
            return True
    return False


def _pairs(node: SgNode | None) -> Iterator[Keyed]:
    inner = _inner(node)
    if inner is None or inner.kind() not in _MAPS:
        return
    for child in inner.children():
        if child.kind() in _PAIRS:
            key, value = child.field("key"), child.field("value")
            if key is not None:
                yield Keyed(key.text().strip().strip("\"'"), *_lines(child), value)


def _inner(node: SgNode | None) -> SgNode | None:
    """Go down to the map, list or plain value that a node stands around."""
    while node is not None and (node.kind() in _WRAPPERS or node.kind() == "document"):
        below = [c for c in node.children() if c.is_named() and c.kind() not in _NO_VALUE]
        if not below:
            return None
        node = below[-1]
    return node


def _lines(node: SgNode) -> tuple[int, int]:
    around = node.range()
    start, end = around.start.line + 1, around.end.line + 1
    return start, end - 1 if around.end.column == 0 and end > start else end


def without_tail(span: Span, lines: Sequence[str]) -> Span:
    """Return the span without blank and comment lines at its end: those belong to what comes next."""
    end = span.end
    while end > span.start and (not lines[end - 1].strip() or lines[end - 1].lstrip().startswith("#")):
        end -= 1
    return Span(span.start, end)
