"""Several folders as one tree: each path begins with the label of the folder that it is from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from ..models.errors import UsageError
from .paths import display_path
from .walk import WalkOptions, WalkResult, walk

Root = str | Path | Sequence[str | Path]
"""One folder, or several that are read as one tree."""


def folders(root: Root) -> tuple[Path, ...]:
    """Return the folders of ``root``, in order; raises ``UsageError`` when there are none."""
    found = (Path(root),) if isinstance(root, str | Path) else tuple(Path(one) for one in root)
    if not found:
        raise UsageError("names no folder", field="root", hint="give at least one folder")
    return found


def labels_of(roots: Sequence[Path]) -> tuple[str, ...]:
    """Return a label for each folder: its name, with as many of the names above it as tell it apart.

    Raises
    ------
    UsageError
        A folder is given twice.
    """
    parts = [Path(root).resolve().parts for root in roots]
    for place, root in zip(parts, roots, strict=True):
        if parts.count(place) > 1:
            raise UsageError("is given twice", field="root", value=str(root), hint="give each folder once")
    length = [1] * len(parts)
    while True:
        labels = [_label(place, count) for place, count in zip(parts, length, strict=True)]
        same = [n for n, label in enumerate(labels) if labels.count(label) > 1]
        longer = [n for n in same if length[n] < len(parts[n])]
        if not longer:
            return tuple(labels)
        for n in longer:
            length[n] += 1


def _label(parts: Sequence[str], count: int) -> str:
    named = [part for part in parts if part.strip("/\\")]
    return display_path("-".join(named[-count:])) or "root"


def walk_roots(roots: Sequence[Path], options: WalkOptions | None = None) -> WalkResult:
    """Walk each folder by itself and return what all of them hold; raises as :func:`.walk.walk`.

    One folder alone has no label. Patterns are on paths within each folder; a pattern is unmatched when
    it matches in none. Named paths begin with a label where there are several folders.
    """
    options = options or WalkOptions()
    if len(roots) == 1:
        return walk(roots[0], options)
    labels = labels_of(roots)
    _check(options.explicit, labels)
    results = [walk(root, _within(options, label)) for root, label in zip(roots, labels, strict=True)]
    files = [
        replace(file, path=f"{label}/{file.path}")
        for label, result in zip(labels, results, strict=True)
        for file in result.files
    ]
    skipped = [
        replace(item, path=f"{label}/{item.path}")
        for label, result in zip(labels, results, strict=True)
        for item in result.skipped
    ]
    unmatched = [pattern for pattern in results[0].unmatched if all(pattern in r.unmatched for r in results)]
    return WalkResult(
        files=tuple(sorted(files, key=lambda file: file.path)),
        skipped=tuple(sorted(skipped, key=lambda item: (item.path, item.reason))),
        unmatched=tuple(unmatched),
        notes=tuple(f"{label}: {note}" for label, r in zip(labels, results, strict=True) for note in r.notes),
    )


def _check(named: Sequence[str], labels: Sequence[str]) -> None:
    for path in named:
        if path.strip("/").partition("/")[0] not in labels:
            raise UsageError(
                "is in none of the folders",
                field="explicit",
                value=path,
                hint=f"begin it with one of {', '.join(labels)}",
            )


def _within(options: WalkOptions, label: str) -> WalkOptions:
    def own(paths: Sequence[str]) -> tuple[str, ...]:
        split = [path.strip("/").partition("/") for path in paths]
        return tuple(rest for first, _, rest in split if first == label)

    return replace(options, explicit=own(options.explicit), own_outputs=own(options.own_outputs))
