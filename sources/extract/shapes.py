"""Contracts and configuration in YAML and JSON: which keys of which kind of file are units, as a table."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from .base import Document, Extraction, NotParsedError, Span, subtract
from .entries import SMALL_CHARS, Entry, assemble, comments_above
from .grammar import words
from .keyed import PARSERS, Keyed, documents, without_tail

_METHODS: Final = words("get put post delete options head patch trace query")

_REFERENCE: Final = re.compile(r"[\"']?\$ref[\"']?\s*:\s*[\"']?#/([^\"'\s,}]+)")

_DEPENDS: Final = frozenset({"needs", "depends_on", "extends", "requires"})
"""Keys that name other entries of the same kind."""

_WORDY: Final = words(
    """description example examples externalDocs tags xml x-codeSamples x-examples x-code-samples
    x-swagger-router-controller"""
)
"""Keys whose values a contract can be read without."""

_TOP: Final = 4
"""Most keys above an entry."""


@dataclass(frozen=True, slots=True)
class Level:
    """Entries at a path of keys: ``*`` stands for any key, ``{method}`` for a method of HTTP.

    ``name`` says how an entry is called: the parts of the path that it is joined from.
    """

    path: tuple[str, ...]
    role: str
    name: tuple[int, ...] = (-1,)
    joins: int = 0


@dataclass(frozen=True, slots=True)
class Shape:
    """One kind of file.

    Attributes
    ----------
    path
        Searched in the path of the file, empty for any.
    keys
        Top-level keys of which one must be there, empty for any.
    levels
        What becomes an entry.
    divide_small
        Whether even a small file is divided into its entries.
    """

    name: str
    path: re.Pattern[str] | None
    keys: frozenset[str]
    levels: tuple[Level, ...]
    divide_small: bool = False


def _level(text: str, role: str, *name: int, joins: int = 0) -> Level:
    return Level(tuple(text.split()), role, name or (-1,), joins)


SHAPES: Final = (
    Shape(
        "openapi",
        None,
        frozenset({"openapi", "swagger", "asyncapi"}),
        (
            _level("paths * {method}", "operation", 1, 2),
            _level("webhooks * {method}", "operation", 1, 2),
            _level("channels *", "operation"),
            _level("operations *", "operation"),
            _level("components schemas *", "schema"),
            _level("components * *", "schema", 1, 2, joins=SMALL_CHARS),
            _level("definitions *", "schema"),
            _level("parameters *", "schema", 0, 1, joins=SMALL_CHARS),
            _level("responses *", "schema", 0, 1, joins=SMALL_CHARS),
            _level("securityDefinitions *", "schema", 0, 1, joins=SMALL_CHARS),
        ),
        divide_small=True,
    ),
    Shape(
        "json-schema",
        None,
        frozenset({"$schema", "$defs"}),
        (
            _level("$defs *", "schema"),
            _level("definitions *", "schema"),
            _level("properties *", "key", joins=SMALL_CHARS),
        ),
    ),
    Shape(
        "compose",
        re.compile(r"(?:\A|/)(?:docker-)?compose[^/]*\.ya?ml\Z"),
        frozenset({"services"}),
        (
            _level("services *", "service", joins=SMALL_CHARS),
            _level("* *", "key", 0, 1, joins=SMALL_CHARS),
        ),
    ),
    Shape(
        "workflow",
        re.compile(r"(?:\A|/)\.(?:github/workflows|circleci|gitea/workflows|forgejo/workflows)/"),
        frozenset({"jobs"}),
        (_level("jobs *", "job", joins=SMALL_CHARS), _level("workflows *", "job", 0, 1, joins=SMALL_CHARS)),
    ),
)
"""The first that fits is taken; other files are divided at their top-level keys."""

_DIVIDED: Final = 6_000
"""An entry above this many characters is divided at the keys inside it."""


class ShapeExtractor:
    """Cuts YAML and JSON files at the keys that their kind of file makes units of."""

    name = "shapes"
    version = "2"

    def accepts(self, document: Document) -> bool:
        """Whether the document is YAML or JSON."""
        return document.language in PARSERS

    def extract(self, document: Document) -> Extraction:
        """Return the entries; raises ``NotParsedError`` when the text is neither."""
        roots = documents(document.text, document.language)
        if not roots or len(document.lines) < 2:
            raise NotParsedError
        if len(roots) > 1:
            return assemble(document, _resources(document, roots))
        shape = _shape_of(document, roots[0])
        if shape is None:
            if not roots[0].children():
                raise NotParsedError
            return assemble(document, _keys(document, roots[0].children(), (), 1))
        return assemble(document, _Reader(document, shape).entries(roots[0]), divide_small=shape.divide_small)


def _shape_of(document: Document, root: Keyed) -> Shape | None:
    keys = {child.key for child in root.children()}
    for shape in SHAPES:
        if shape.keys & keys and (shape.path is None or shape.path.search(document.path)):
            return shape
    return None


class _Reader:
    def __init__(self, document: Document, shape: Shape) -> None:
        self._lines = document.lines
        self._document = document
        self._shape = shape

    def entries(self, root: Keyed) -> Iterator[Entry]:
        """Yield the entries of every level, and the other top-level keys."""
        matched: set[str] = set()
        begins: dict[tuple[str, ...], int] = {}
        for path, node in self._below(root, (), begins):
            level = self._level_of(path)
            if level is not None:
                matched.add(path[0])
                yield self._entry(level, path, node, begins)
        others = [child for child in root.children() if child.key not in matched]
        yield from (replace(entry, silent=True) for entry in _keys(self._document, others, (), 1))

    def _below(
        self, node: Keyed, path: tuple[str, ...], begins: dict[tuple[str, ...], int]
    ) -> Iterator[tuple[tuple[str, ...], Keyed]]:
        for child in node.children():
            here = (*path, child.key)
            if self._level_of(here) is not None:
                yield here, child
            elif len(here) < _TOP and self._leads(here):
                begins[here] = child.start
                yield from self._below(child, here, begins)

    def _level_of(self, path: tuple[str, ...]) -> Level | None:
        for level in self._shape.levels:
            if len(level.path) == len(path) and _fits(level.path, path):
                return level
        return None

    def _leads(self, path: tuple[str, ...]) -> bool:
        return any(
            len(level.path) > len(path) and _fits(level.path[: len(path)], path)
            for level in self._shape.levels
        )

    def _entry(
        self, level: Level, path: tuple[str, ...], node: Keyed, begins: dict[tuple[str, ...], int]
    ) -> Entry:
        # The first entry below a key brings the line of that key, and what stands between.
        start = comments_above(self._lines, node.start, ("#",))
        above = path[:-1]
        while above in begins:
            start = min(start, comments_above(self._lines, begins.pop(above), ("#",)))
            above = above[:-1]
        span = without_tail(Span(start, node.end), self._lines)
        text = "\n".join(self._lines[span.start - 1 : span.end])
        names = tuple(path[n] for n in level.name)
        title = " ".join(names)
        if level.role == "operation" and len(names) == 2:
            title = f"{names[1].upper()} {names[0]}"
        elif len(names) > 1:
            title = ".".join(names)
        called = node.child("operationId") if level.role == "operation" else None
        summary = node.child("summary")
        described = node.child("description")
        return Entry(
            role=level.role,
            name=(called.text() if called else "") or title,
            span=span,
            title=title,
            signature=" ".join(part for part in (title, called.text() if called else "") if part),
            doc="\n".join(part.text() for part in (summary, described) if part and part.text()),
            shown=_contract(span, node, self._lines),
            needs=(*_referenced(text, self._shape), *_named(node)),
            defines=tuple(child.key for child in _fields(node)),
            joins=level.joins,
        )


def _fits(pattern: Sequence[str], path: Sequence[str]) -> bool:
    for wanted, key in zip(pattern, path, strict=True):
        if wanted == "{method}":
            if key.lower() not in _METHODS:
                return False
        elif wanted not in ("*", key):
            return False
    return True


def _referenced(text: str, shape: Shape) -> tuple[str, ...]:
    """Return how the entries are called that ``$ref`` points to."""
    found: list[str] = []
    for pointer in _REFERENCE.findall(text):
        path = tuple(part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/"))
        for level in shape.levels:
            if len(path) >= len(level.path) and _fits(level.path, path[: len(level.path)]):
                found.append(".".join(path[n] for n in _positive(level)))
                break
    return tuple(dict.fromkeys(found))


def _positive(level: Level) -> tuple[int, ...]:
    return tuple(n % len(level.path) for n in level.name)


def _named(node: Keyed) -> tuple[str, ...]:
    """Return the entries of the same kind that this one says it needs."""
    found: list[str] = []
    for child in node.children():
        if child.key in _DEPENDS:
            found.extend(item.text() for item in child.items())
            found.extend(inside.key for inside in child.children())
            found.append(child.text())
    return tuple(name for name in found if name)


def _fields(node: Keyed) -> list[Keyed]:
    properties = node.child("properties")
    return properties.children() if properties else []


def _contract(span: Span, node: Keyed, lines: Sequence[str]) -> tuple[Span, ...]:
    """Return the lines without descriptions and examples."""
    wordy = sorted(_wordy(node))
    taken = [without_tail(part, lines) for part in wordy]
    return subtract(span, [part for part in taken if part.start > span.start]) if taken else ()


def _wordy(node: Keyed) -> Iterator[Span]:
    for child in node.children():
        # A property may be called `description` itself: then it is a map.
        if child.key in _WORDY and not (child.key == "description" and child.children()):
            yield child.span
        elif child.key == "content":
            # The same body in other media types says nothing new.
            first, *others = child.children() or [child]
            yield from _wordy(first)
            yield from (other.span for other in others)
        else:
            yield from _wordy(child)
    for item in node.items():
        yield from _wordy(item)


def _resources(document: Document, roots: Sequence[Keyed]) -> Iterator[Entry]:
    """Documents of one file, as Kubernetes has them: ``Deployment/web``."""
    lines = document.lines
    for root in roots:
        kind, name = root.child("kind"), root.at("metadata", "name")
        label = "/".join(part.text() for part in (kind, name) if part and part.text())
        first = next(iter(root.children()), None)
        yield Entry(
            role="resource" if kind else "key",
            name=label or (first.key if first else f"L{root.start}"),
            span=without_tail(Span(comments_above(lines, root.start, ("#",)), root.end), lines),
            defines=tuple(child.key for child in root.children()) if not kind else (),
            joins=SMALL_CHARS,
        )


def _keys(document: Document, nodes: Sequence[Keyed], path: tuple[str, ...], first: int) -> Iterator[Entry]:
    """Yield an entry for each key; a long one is divided at the keys inside it."""
    lines = document.lines
    for node in nodes:
        start = comments_above(lines, node.start, ("#", "//"), first)
        span = without_tail(Span(start, node.end), lines)
        inside = node.children()
        here = (*path, node.key)
        chars = sum(len(line) + 1 for line in lines[span.start - 1 : span.end])
        if chars > _DIVIDED and len(inside) > 1 and len(path) < _TOP:
            parts = list(_keys(document, inside, here, span.start + 1))
            if parts[0].span.start > span.start:
                yield Entry(
                    "key", ".".join(here), Span(span.start, parts[0].span.start - 1), joins=SMALL_CHARS
                )
            yield from parts
        else:
            yield Entry(
                role="key",
                name=".".join(here),
                span=span,
                joins=SMALL_CHARS,
            )
        first = span.end + 1
