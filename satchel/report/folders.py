"""Tokens by folder and file, in few enough tiles to read."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

MOST_FOLDERS: Final = 12
"""Folders that are told apart; the smallest go into the folder above them first."""

MOST_FILES: Final = 160
"""Files with a tile of their own; the rest of a folder shares one, which says how many they are."""


@dataclass(frozen=True)
class Tile:
    """A file, or what is left of a folder, as a tile; ``path`` is empty for such a rest."""

    path: str
    label: str
    tokens: int
    units: int
    zone: str
    files: int = 1


@dataclass(frozen=True)
class Folder:
    """A folder with its tiles, largest first."""

    name: str
    tiles: tuple[Tile, ...]

    @property
    def tokens(self) -> int:
        """Tokens of all its tiles."""
        return sum(tile.tokens for tile in self.tiles)


def folders_of(paths: Mapping[str, tuple[int, int, str]]) -> tuple[Folder, ...]:
    """Return the folders of a pack, largest first.

    Parameters
    ----------
    paths
        Tokens, units and zone by path.
    """
    groups: dict[str, list[str]] = defaultdict(list)
    for path in paths:
        groups[path.rpartition("/")[0]].append(path)
    _merge(groups, paths)
    largest = sorted(paths, key=lambda path: (-paths[path][0], path))
    own = set(largest[:MOST_FILES])
    folders = [_folder(name, sorted(group), paths, own) for name, group in groups.items()]
    return tuple(sorted(folders, key=lambda folder: (-folder.tokens, folder.name)))


def _merge(groups: dict[str, list[str]], paths: Mapping[str, tuple[int, int, str]]) -> None:
    while len(groups) > MOST_FOLDERS:
        smallest = min(
            (name for name in groups if name),
            key=lambda name: (sum(paths[path][0] for path in groups[name]), name),
        )
        group = groups.pop(smallest)
        groups[smallest.rpartition("/")[0]] += group


def _folder(name: str, group: list[str], paths: Mapping[str, tuple[int, int, str]], own: set[str]) -> Folder:
    tiles = [
        Tile(path, path[len(name) + 1 if name else 0 :], *paths[path])
        for path in group
        if path in own and paths[path][0]
    ]
    rest = [path for path in group if path not in own and paths[path][0]]
    if rest:
        tokens = sum(paths[path][0] for path in rest)
        units = sum(paths[path][1] for path in rest)
        zone = paths[max(rest, key=lambda path: (paths[path][0], path))][2]
        tiles.append(Tile("", f"{len(rest)} more", tokens, units, zone, len(rest)))
    return Folder(name or "top level", tuple(sorted(tiles, key=lambda tile: (-tile.tokens, tile.label))))
