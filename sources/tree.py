"""A tree of files that can be listed and read: a folder on disk, or another store with the same methods."""

from __future__ import annotations

import errno
import os
import stat
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple, Protocol


class EntryKind(StrEnum):
    """What a name in a folder stands for."""

    FILE = "file"
    FOLDER = "folder"
    LINK = "link"
    REPOSITORY = "repository"
    OTHER = "other"


class Entry(NamedTuple):
    """One name in a folder; ``size`` is in bytes, 0 for anything but a regular file."""

    name: str
    kind: EntryKind
    size: int


class Tree(Protocol):
    """Lists and reads files by raw relative path (POSIX, undecodable bytes as surrogate escapes)."""

    def kind(self, path: str) -> EntryKind | None:
        """Return what a path stands for, ``None`` when there is nothing; links are links."""

    def scan(self, folder: str) -> list[Entry]:
        """Return the entries of a folder, sorted by name; the root is the empty string.

        Raises
        ------
        OSError
            The folder cannot be listed.
        """

    def read(self, path: str, limit: int | None = None) -> bytes:
        """Return the bytes of a regular file, at most ``limit`` of them.

        Raises
        ------
        OSError
            The file is missing, is not a regular file, or cannot be read.
        """


class DiskTree:
    """The files below a folder on disk. Links are never followed, so nothing outside it is reached."""

    __slots__ = ("root",)

    def __init__(self, root: Path) -> None:
        self.root = os.fspath(root)

    def scan(self, folder: str) -> list[Entry]:
        """See :meth:`Tree.scan`."""
        entries: list[Entry] = []
        with os.scandir(self._path(folder)) as found:
            for item in found:
                if item.is_symlink() or _is_junction(item):
                    entries.append(Entry(item.name, EntryKind.LINK, 0))
                elif item.is_dir(follow_symlinks=False):
                    entries.append(Entry(item.name, EntryKind.FOLDER, 0))
                elif item.is_file(follow_symlinks=False):
                    entries.append(Entry(item.name, EntryKind.FILE, _size(item)))
                else:
                    entries.append(Entry(item.name, EntryKind.OTHER, 0))
        entries.sort()
        return entries

    def kind(self, path: str) -> EntryKind | None:
        """See :meth:`Tree.kind`."""
        try:
            mode = Path(self._path(path)).lstat().st_mode
        except (OSError, ValueError):
            return None
        if stat.S_ISLNK(mode):
            return EntryKind.LINK
        if stat.S_ISDIR(mode):
            return EntryKind.FOLDER
        return EntryKind.FILE if stat.S_ISREG(mode) else EntryKind.OTHER

    def read(self, path: str, limit: int | None = None) -> bytes:
        """See :meth:`Tree.read`. A file that has become a link, a pipe or a device is refused, not opened."""
        flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
        flags |= getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)
        descriptor = os.open(self._path(path), flags)
        with os.fdopen(descriptor, "rb") as stream:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise OSError(errno.EINVAL, "not a regular file")
            return stream.read() if limit is None else stream.read(limit)

    def _path(self, relative: str) -> str:
        return f"{self.root}/{relative}" if relative else self.root


def _is_junction(item: os.DirEntry[str]) -> bool:
    if os.name != "nt":
        return False
    attributes = getattr(item.stat(follow_symlinks=False), "st_file_attributes", 0)
    return bool(attributes & getattr(stat, "FILE_ATTRIBUTE_REPARSE_POINT", 0x400))


def _size(item: os.DirEntry[str]) -> int:
    try:
        return item.stat(follow_symlinks=False).st_size
    except FileNotFoundError:  # gone since it was listed: reading it will say so
        return 0
