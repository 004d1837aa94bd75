"""The map of a repository: its folders and files, and the names that the most relevant of them define."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from ..models import ContextUnit, Kind, Rendering, SourceRef, State

MAP_ID: Final = "repo:map"

_SIZES: Final = (12_000, 3_600, 1_600, 700)
"""Characters that each form may hold."""

_FIDELITIES: Final = (1.0, 0.85, 0.65, 0.4)
_STATES: Final = (State.RAW, State.EXCERPTED, State.EXCERPTED, State.SYMBOLIZED)
_NEAREST: Final = 15
"""Files whose names the second form shows."""

_DEEPEST: Final = 12
_NAMES: Final = 8
"""A file is shown with at most this many names."""

_EXTENT: Final = (SourceRef(path="."),)


@dataclass(frozen=True, slots=True)
class MapFile:
    """A file as the map shows it: its path, public names in order, and its relevance 0..1.

    A file that is not ``listed`` (a test, a licence, data) is only counted.
    """

    path: str
    names: tuple[str, ...] = ()
    relevance: float = 0.0
    listed: bool = True


@dataclass(slots=True)
class _Folder:
    path: str = ""
    files: list[MapFile] = field(default_factory=list)
    folders: dict[str, _Folder] = field(default_factory=dict)

    def count(self) -> int:
        return len(self.files) + sum(folder.count() for folder in self.folders.values())

    def lists(self) -> bool:
        return any(f.listed for f in self.files) or any(f.lists() for f in self.folders.values())


@dataclass(frozen=True, slots=True)
class _Detail:
    """How much of a tree is shown.

    Folders are opened down to ``depth``, and below it those of ``opened`` for the sake of the files in
    ``named``, which are shown with their names.
    """

    depth: int
    named: frozenset[str] = frozenset()
    opened: frozenset[str] = frozenset()
    files: bool = True


def repo_map(
    files: Sequence[MapFile],
    *,
    relevance: float,
    authority: float,
    coverage: Mapping[str, float] | None = None,
) -> ContextUnit | None:
    """Return the map as a unit with up to four forms, or None when there is no file.

    The fullest form names what every file defines as far as it fits; the next names it for the most
    relevant files, wherever they are; the third shows files only, the last folders with their number of
    files. Whatever does not fit is counted.
    """
    if not files:
        return None
    root = _tree(files)
    by_relevance = sorted((f for f in files if f.names and f.listed), key=lambda f: (-f.relevance, f.path))
    nearest = frozenset(f.path for f in by_relevance[:_NEAREST])
    opened = frozenset(
        "/".join(path.split("/")[:n]) for path in nearest for n in range(1, path.count("/") + 1)
    )
    every = frozenset(f.path for f in by_relevance)
    texts = [
        _fitted(root, _Detail(0, every), _SIZES[0]),
        _fitted(root, _Detail(0, nearest, opened), _SIZES[1]),
        _fitted(root, _Detail(0), _SIZES[2]),
        _fitted(root, _Detail(0, files=False), _SIZES[3]),
    ]
    forms: list[Rendering] = []
    size = len(texts[0])
    for state, text, fidelity in zip(_STATES[1:], texts[1:], _FIDELITIES[1:], strict=True):
        if len(text) < size:
            forms.append(Rendering(state=state, text=text, fidelity=fidelity, source_refs=_EXTENT))
            size = len(text)
    return ContextUnit(
        id=MAP_ID,
        kind=Kind.REPO_SUMMARY,
        title="Map of the repository",
        source_refs=_EXTENT,
        text=texts[0],
        authority_score=authority,
        relevance_score=relevance,
        freshness_score=1.0,
        zone="repo_map",
        coverage=dict(coverage or {}),
        tags=("repo_map",),
        renderings=tuple(forms),
    )


def _tree(files: Sequence[MapFile]) -> _Folder:
    root = _Folder()
    for file in sorted(files, key=lambda f: f.path):
        folder = root
        for part in file.path.split("/")[:-1]:
            path = f"{folder.path}/{part}" if folder.path else part
            folder = folder.folders.setdefault(part, _Folder(path))
        folder.files.append(file)
    return root


def _fitted(root: _Folder, detail: _Detail, size: int) -> str:
    """Return the deepest tree that fits; of one that is too large at any depth, its beginning."""
    lines = _lines(root, detail)
    for depth in range(1, _DEEPEST):
        if _size(lines) > size:
            break
        deeper = _lines(root, replace(detail, depth=depth))
        if _size(deeper) > size:
            break
        lines = deeper
    if _size(lines) <= size:
        return "\n".join(lines)
    kept: list[str] = []
    room = size - 30
    for line in lines:
        room -= len(line) + 1
        if room < 0:
            break
        kept.append(line)
    return "\n".join([*kept, f"… and {len(lines) - len(kept)} lines more"])


def _size(lines: Sequence[str]) -> int:
    return sum(len(line) + 1 for line in lines)


def _lines(root: _Folder, detail: _Detail) -> list[str]:
    out: list[str] = []
    _show(root, detail, 0, out)
    return out


def _show(folder: _Folder, detail: _Detail, level: int, out: list[str]) -> None:
    margin = "  " * level
    for name, inside in sorted(folder.folders.items()):
        path, shown = name, inside
        # A folder that holds nothing but a folder is shown in one line with it.
        while not shown.files and len(shown.folders) == 1:
            ((below, shown),) = shown.folders.items()
            path = f"{path}/{below}"
        opens = (level < detail.depth and shown.lists()) or shown.path in detail.opened
        if opens and detail.files:
            out.append(f"{margin}{path}/")
            _show(shown, detail, level + 1, out)
        else:
            out.append(f"{margin}{path}/ ({_files(shown.count())})")
            if opens:
                _show(shown, detail, level + 1, out)
    if not detail.files:
        return
    # A folder that was opened for the sake of some files shows just those.
    listed = [f for f in folder.files if f.listed and (level <= detail.depth or f.path in detail.named)]
    out.extend(f"{margin}{f.path.rpartition('/')[2]}{_names(f, detail)}" for f in listed)
    if rest := len(folder.files) - len(listed):
        out.append(f"{margin}… {_files(rest)} more")


def _names(file: MapFile, detail: _Detail) -> str:
    if file.path not in detail.named or not file.names:
        return ""
    more = ", …" if len(file.names) > _NAMES else ""
    return f": {', '.join(file.names[:_NAMES])}{more}"


def _files(count: int) -> str:
    return f"{count} file" if count == 1 else f"{count} files"
