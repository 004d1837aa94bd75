"""The map of a repository: its folders and files, and the names that the most relevant of them define."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from ..models import ContextUnit, Kind, Rendering, SourceRef, State

MAP_ID: Final = "repo:map"

_SIZES: Final = (12_000, 3_600, 1_600, 700)
"""Characters that each form may hold."""

_FIDELITIES: Final = (1.0, 0.85, 0.65, 0.4)
_STATES: Final = (State.RAW, State.EXCERPTED, State.EXCERPTED, State.SYMBOLIZED)
_NAMES: Final = 8
"""A file is shown with at most this many names."""

_EXTENT: Final = (SourceRef(path="."),)


@dataclass(frozen=True, slots=True)
class MapFile:
    """A file as the map shows it: its path, public names in order, and its relevance 0..1."""

    path: str
    names: tuple[str, ...] = ()
    relevance: float = 0.0


@dataclass(slots=True)
class _Folder:
    files: list[MapFile] = field(default_factory=list)
    folders: dict[str, _Folder] = field(default_factory=dict)

    def count(self) -> int:
        return len(self.files) + sum(folder.count() for folder in self.folders.values())


def repo_map(
    files: Sequence[MapFile], *, name: str, relevance: float, authority: float
) -> ContextUnit | None:
    """Return the map as a unit with four forms, or None when there is no file.

    The fullest form names what every file defines as far as it fits; the next names it for the most
    relevant files, the third shows files only, the last folders with their number of files. Whatever
    does not fit is counted.
    """
    if not files:
        return None
    root = _tree(files)
    nearest = {f.path for f in sorted(files, key=lambda f: (-f.relevance, f.path))[:15] if f.names}
    wide = {f.path for f in files if f.names}
    texts = [
        _fitted(lambda depth: _lines(root, depth, wide), _SIZES[0]),
        _fitted(lambda depth: _lines(root, depth, nearest), _SIZES[1]),
        _fitted(lambda depth: _lines(root, depth, set()), _SIZES[2]),
        _fitted(lambda depth: _lines(root, depth, set(), files=False), _SIZES[3]),
    ]
    forms = [
        Rendering(state=state, text=text, fidelity=fidelity, source_refs=_EXTENT)
        for state, text, fidelity, longer in zip(_STATES[1:], texts[1:], _FIDELITIES[1:], texts, strict=False)
        if len(text) < len(longer)
    ]
    return ContextUnit(
        id=MAP_ID,
        kind=Kind.REPO_SUMMARY,
        title=f"Map of {name}" if name else "Map of the repository",
        source_refs=_EXTENT,
        text=texts[0],
        authority_score=authority,
        relevance_score=relevance,
        freshness_score=1.0,
        zone="repo_map",
        tags=("repo_map",),
        renderings=tuple(forms),
    )


def _tree(files: Sequence[MapFile]) -> _Folder:
    root = _Folder()
    for file in sorted(files, key=lambda f: f.path):
        folder = root
        for part in file.path.split("/")[:-1]:
            folder = folder.folders.setdefault(part, _Folder())
        folder.files.append(file)
    return root


def _lines(root: _Folder, depth: int, named: set[str], *, files: bool = True) -> list[str]:
    """Return the tree, folders below ``depth`` as one line each with their number of files."""
    out: list[str] = []

    def visit(folder: _Folder, prefix: str, level: int) -> None:
        margin = "  " * level
        for name, inside in sorted(folder.folders.items()):
            # A folder that holds nothing but a folder is shown in one line with it.
            path = name
            while not inside.files and len(inside.folders) == 1:
                ((below, deeper),) = inside.folders.items()
                path, inside = f"{path}/{below}", deeper
            if level >= depth:
                out.append(f"{margin}{path}/ ({_files(inside.count())})")
                continue
            out.append(f"{margin}{path}/" + ("" if files else f" ({_files(inside.count())})"))
            visit(inside, f"{prefix}{path}/", level + 1)
        if files:
            for file in folder.files:
                shown = file.names[:_NAMES] if file.path in named else ()
                more = ", …" if shown and len(file.names) > _NAMES else ""
                names = f": {', '.join(shown)}{more}" if shown else ""
                out.append(f"{margin}{file.path.rpartition('/')[2]}{names}")

    visit(root, "", 0)
    return out


def _fitted(lines_at: Callable[[int], list[str]], size: int) -> str:
    """Return the deepest tree that fits; of one that is too large at any depth, its beginning."""
    best: list[str] | None = None
    for depth in range(12):
        lines = lines_at(depth)
        if sum(len(line) + 1 for line in lines) > size:
            break
        if lines == best:
            break
        best = lines
    if best is not None:
        return "\n".join(best)
    lines, kept, room = lines_at(0), [], size - 30
    for line in lines:
        room -= len(line) + 1
        if room < 0:
            break
        kept.append(line)
    return "\n".join([*kept, f"… and {len(lines) - len(kept)} more"])


def _files(count: int) -> str:
    return f"{count} file" if count == 1 else f"{count} files"
