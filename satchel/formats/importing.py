"""The instance formats by name, and one way to read any of them."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ..models import UsageError
from . import choices, graphs, knapsack, summary, unions
from .instance import Imported
from .scanner import Scanner, lines_of

__all__ = ["IMPORTERS", "Imported", "Importer", "import_problem", "import_problems"]


@dataclass(frozen=True)
class Importer:
    """A format: its name, the problem that it states, and how a file is laid out."""

    name: str
    title: str
    layout: str
    read: Callable[[Scanner], Iterator[Imported]]


IMPORTERS: Final = {
    importer.name: importer
    for importer in (
        Importer("knapsack", "0-1 knapsack", knapsack.LAYOUT, knapsack.read),
        Importer("mckp", "multiple-choice knapsack", choices.LAYOUT, choices.read),
        Importer("pckp", "precedence-constrained knapsack", graphs.LAYOUT, graphs.read_needs),
        Importer("kpcg", "knapsack with a conflict graph", graphs.LAYOUT, graphs.read_conflicts),
        Importer("sukp", "set-union knapsack", unions.LAYOUT, unions.read_union),
        Importer("bmcp", "budgeted maximum coverage", unions.LAYOUT, unions.read_coverage),
        Importer("summary", "concept-coverage summarisation", summary.LAYOUT, summary.read),
    )
}
"""Every format that can be read, by name."""


def import_problems(format: str, path: str | Path) -> Iterator[Imported]:  # noqa: A002
    """Read the instances of a file one by one.

    Raises
    ------
    UsageError
        There is no such format.
    FileError
        The file is missing or cannot be read.
    SchemaError
        It is not what the format says: file, line and value are named.
    """
    importer = IMPORTERS.get(format)
    if importer is None:
        close = difflib.get_close_matches(format, IMPORTERS, n=1)
        hint = f"did you mean {close[0]!r}?" if close else f"accepted: {', '.join(IMPORTERS)}"
        raise UsageError("no such format", field="format", value=format, hint=hint)
    return importer.read(Scanner(lines_of(path), str(path)))


def import_problem(format: str, path: str | Path, instance: str | None = None) -> Imported:  # noqa: A002
    """Read one instance of a file: the only one, or the one called ``instance``.

    Raises
    ------
    UsageError
        The file holds several and none was named, or none of that name.
    UsageError, FileError, SchemaError
        As :func:`import_problems`.
    """
    names: list[str] = []
    found: Imported | None = None
    for imported in import_problems(format, path):
        names.append(imported.name)
        if imported.name == instance or (instance is None and found is None):
            found = imported
    if instance is None and len(names) > 1:
        hint = f"name one: {', '.join(names[:5])}{', …' if len(names) > 5 else ''}"
        raise UsageError(f"holds {len(names)} instances", file=str(path), field="instance", hint=hint)
    if found is None:
        hint = f"it holds {', '.join(names[:5])}{', …' if len(names) > 5 else ''}"
        raise UsageError(
            "holds no such instance", file=str(path), field="instance", value=instance, hint=hint
        )
    return found
