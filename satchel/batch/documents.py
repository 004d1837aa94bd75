"""Data of a tasks file in YAML, TOML or JSONL, and the line on which each value stands."""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from ..files import read_bytes
from ..models import SchemaError, UsageError
from ..models.reading import load_json

FORMATS: Final = (".yaml", ".yml", ".toml", ".jsonl")
"""How the names of tasks files end."""

MOST_REPEATED: Final = 100_000
"""Values that aliases of a YAML file may stand for."""

_HEADER: Final = frozenset({"schemaVersion", "schema_version", "repo", "defaults"})
_TABLE: Final = re.compile(r"^\s*\[{1,2}\s*([\w.\"'-]+(?:\s*\.\s*[\w\"'-]+)*)\s*\]{1,2}")
_KEY: Final = re.compile(r"^\s*([\w\"'.-]+)\s*=")

Place = tuple[str | int, ...]
"""Where a value stands: the keys and indexes that lead to it."""


@dataclass(frozen=True)
class Document:
    """What a file holds, and where.

    Attributes
    ----------
    data
        As ``json.loads`` gives it.
    lines
        1-based line of each value, by its path.
    """

    data: dict[str, Any]
    lines: Mapping[Place, int]

    def line(self, field: str | None) -> int | None:
        """Return the line of a field such as ``tasks[3].budget``, or of the nearest value that holds it."""
        path: Place = tuple(
            int(part) if part.isdigit() else part for part in re.findall(r"[^.\[\]]+", field or "")
        )
        while path and path not in self.lines:
            path = path[:-1]
        return self.lines.get(path)


def read_document(path: Path) -> Document:
    """Read a tasks file.

    Raises
    ------
    UsageError
        Its name says of no format that is known.
    FileError
        It is missing or unreadable.
    SchemaError
        It is malformed: file and line are named.
    """
    suffix = path.suffix.lower()
    if suffix not in FORMATS:
        hint = f"name it by its format: {', '.join(FORMATS)}"
        raise UsageError("is of no known format", field="TASKS", value=str(path), hint=hint)
    raw = read_bytes(path)
    if suffix == ".jsonl":
        return _jsonl(raw, path)
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise SchemaError(
            f"is not UTF-8 at byte {error.start}", file=str(path), hint="save it as UTF-8"
        ) from None
    return _toml(text, path) if suffix == ".toml" else _yaml(text, path)


def _jsonl(raw: bytes, path: Path) -> Document:
    data: dict[str, Any] = {"tasks": []}
    lines: dict[Place, int] = {}
    for number, line in enumerate(raw.removeprefix(b"\xef\xbb\xbf").splitlines(), start=1):
        if not line.strip():
            continue
        entry = load_json(line, file=str(path), line=number)
        if isinstance(entry, dict) and entry.keys() & _HEADER - {"repo"} and not data["tasks"]:
            data |= entry
            lines |= {(key,): number for key in entry}
            continue
        lines["tasks", len(data["tasks"])] = number
        data["tasks"].append(entry)
    data.setdefault("schemaVersion", data.pop("schema_version", "batch-tasks.v1"))
    return Document(data, lines)


def _toml(text: str, path: Path) -> Document:
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        place = re.search(r"line (\d+)", str(error))
        raise SchemaError(
            f"is no TOML: {error}", code="syntax", file=str(path), line=int(place[1]) if place else None
        ) from None
    return Document(data, _toml_lines(text))


def _toml_lines(text: str) -> dict[Place, int]:
    """Return the lines of tables, and of the keys that stand on a line of their own in them."""
    lines: dict[Place, int] = {}
    counts: dict[Place, int] = {}
    table: Place = ()
    for number, line in enumerate(text.splitlines(), start=1):
        head = _TABLE.match(line)
        if head is not None:
            names = tuple(part.strip().strip("\"'") for part in head[1].split("."))
            if line.lstrip().startswith("[["):
                counts[names] = counts.get(names, -1) + 1
            table = ()
            for depth in range(1, len(names) + 1):
                index = counts.get(names[:depth])
                table = (*table, names[depth - 1], *(() if index is None else (index,)))
            lines[table] = number
        elif key := _KEY.match(line):
            lines.setdefault((*table, key[1].strip("\"'")), number)
    return lines


def _yaml(text: str, path: Path) -> Document:
    # Imported here: whoever writes no YAML must not wait for it.
    import yaml

    try:
        node = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        why = getattr(error, "problem", None) or str(error).splitlines()[0]
        raise SchemaError(
            f"is no YAML: {why}", code="syntax", file=str(path), line=mark.line + 1 if mark else None
        ) from None
    if node is None:
        raise SchemaError("is empty", code="empty_file", file=str(path), hint="list tasks under 'tasks:'")
    lines: dict[Place, int] = {}
    return Document(_Plain(path, lines).of(node, ()), lines)


class _Plain:
    """Makes plain data of YAML nodes: keys are texts and stand once, dates stay texts, no cycles."""

    def __init__(self, path: Path, lines: dict[Place, int]) -> None:
        import yaml

        self._nodes = yaml.nodes
        self._scalars = yaml.constructor.SafeConstructor()
        self._path, self._lines = path, lines
        self._left = MOST_REPEATED
        self._seen: set[int] = set()
        self._open: list[object] = []

    def of(self, node: Any, at: Place) -> Any:
        """Return the data of ``node``, which stands at ``at``."""
        line = node.start_mark.line + 1
        self._lines.setdefault(at, line)
        self._left -= id(node) in self._seen
        self._seen.add(id(node))
        if self._left < 0 or any(node is outer for outer in self._open):
            raise self._fault("its aliases hold too much, or themselves", line, "write them out")
        if isinstance(node, self._nodes.ScalarNode):
            return self._scalar(node)
        self._open.append(node)
        data: Any
        if isinstance(node, self._nodes.SequenceNode):
            data = [self.of(child, (*at, i)) for i, child in enumerate(node.value)]
        else:
            data = self._mapping(node, at)
        self._open.pop()
        return data

    def _mapping(self, node: Any, at: Place) -> dict[str, Any]:
        data: dict[str, Any] = {}
        merged: list[dict[str, Any]] = []
        for key, value in node.value:
            line = key.start_mark.line + 1
            if key.tag == "tag:yaml.org,2002:merge":
                found = self.of(value, at)
                merged += found if isinstance(found, list) else [found]
                continue
            if not isinstance(key, self._nodes.ScalarNode):
                raise self._fault("has a key that is no text", line, "write plain names")
            if key.value in data:
                raise self._fault(f"names the key {key.value!r} twice", line, "keep one of the two")
            self._lines[(*at, key.value)] = line
            data[key.value] = self.of(value, (*at, key.value))
        for other in merged:
            if not isinstance(other, dict):
                raise self._fault(
                    "merges something that is no mapping", node.start_mark.line + 1, "merge one"
                )
            data = {**other, **data}
        return data

    def _scalar(self, node: Any) -> Any:
        kind = node.tag.removeprefix("tag:yaml.org,2002:")
        if kind == "null":
            return None
        if kind in ("bool", "int", "float"):
            value = getattr(self._scalars, f"construct_yaml_{kind}")(node)
            if isinstance(value, float) and not math.isfinite(value):
                return node.value
            return value
        if kind in ("str", "timestamp", "value"):
            return node.value
        raise self._fault(
            f"holds a value of kind {node.tag!r}", node.start_mark.line + 1, "write plain texts"
        )

    def _fault(self, message: str, line: int, hint: str) -> SchemaError:
        return SchemaError(message, code="syntax", file=str(self._path), line=line, hint=hint)
