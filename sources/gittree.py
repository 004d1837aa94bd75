"""The files of a revision, read from git's own store: nothing is checked out, nothing is written."""

from __future__ import annotations

import errno
import os
import subprocess
import weakref
from pathlib import Path
from typing import IO, Final

from ..models.errors import FileError, UsageError
from .gitinfo import git_command, git_environment, run_git
from .tree import Entry, EntryKind

_KINDS: Final = {
    b"100644": EntryKind.FILE,
    b"100755": EntryKind.FILE,
    b"100664": EntryKind.FILE,
    b"120000": EntryKind.LINK,
    b"160000": EntryKind.REPOSITORY,
}
"""Modes of git's trees."""


class GitTree:
    """The files of one revision below a folder of a repository; see :class:`.tree.Tree`.

    One ``git ls-tree`` lists them all, one ``git cat-file`` gives their contents.

    Parameters
    ----------
    root
        A folder in the work tree of a repository (or a bare repository); only what is below it is shown.
    revision
        Branch, tag, commit, or anything else that git takes for one.

    Attributes
    ----------
    commit
        Full name of the commit.

    Raises
    ------
    FileError
        ``root`` is in no repository, or git cannot be asked.
    UsageError
        There is no such revision, or it has no such folder.
    """

    def __init__(self, root: Path, revision: str) -> None:
        self._root = root
        if not revision or revision.startswith("-") or "\0" in revision:
            raise _no_revision(revision)
        inside = run_git(root, "rev-parse", "--show-prefix")
        if inside.output is None:
            raise FileError(
                f"a revision is read from a git repository, and this is in none ({inside.note})",
                file=str(root),
            )
        prefix = os.fsdecode(inside.output.rstrip(b"\n"))
        found = run_git(
            root, "rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}", accept=(0, 1, 128)
        )
        self.commit = (found.output or b"").decode("ascii", "replace").strip()
        if not self.commit:
            raise _no_revision(revision)
        answer = run_git(
            root, "ls-tree", "-r", "-z", "-l", "--full-tree", f"{self.commit}:{prefix.rstrip('/')}"
        )
        if answer.output is None:
            raise UsageError(
                "has no such folder", field="revision", value=revision, hint=f"{prefix or root} is not in it"
            )
        self._folders, self._blobs = _listed(answer.output)
        self._reader: _BlobReader | None = None

    def scan(self, folder: str) -> list[Entry]:
        """See :meth:`.tree.Tree.scan`."""
        if folder not in self._folders:
            raise FileNotFoundError(errno.ENOENT, "there is no such folder in the revision")
        return sorted(self._folders[folder].values())

    def kind(self, path: str) -> EntryKind | None:
        """See :meth:`.tree.Tree.kind`."""
        if path in self._folders:
            return EntryKind.FOLDER
        folder, _, name = path.rpartition("/")
        entry = self._folders.get(folder, {}).get(name)
        return entry.kind if entry else None

    def blob(self, path: str) -> str | None:
        """Return the name of the object that a file's content is, in hexadecimal."""
        blob = self._blobs.get(path)
        return None if blob is None else blob.decode("ascii")

    def read(self, path: str, limit: int | None = None) -> bytes:
        """See :meth:`.tree.Tree.read`."""
        blob = self._blobs.get(path)
        if blob is None:
            raise FileNotFoundError(errno.ENOENT, "there is no such file in the revision")
        if self._reader is None:
            self._reader = _BlobReader(self._root)
        data = self._reader.read(blob)
        return data if limit is None else data[:limit]


def _no_revision(revision: str) -> UsageError:
    return UsageError(
        "is no revision of the repository",
        field="revision",
        value=revision,
        hint="give a branch, a tag or a commit; git rev-parse says what there is",
    )


def _listed(output: bytes) -> tuple[dict[str, dict[str, Entry]], dict[str, bytes]]:
    """Return the entries of each folder, and the object of each file."""
    folders: dict[str, dict[str, Entry]] = {"": {}}
    blobs: dict[str, bytes] = {}
    for line in output.split(b"\0"):
        head, _, name = line.partition(b"\t")
        if not name:
            continue
        mode, _, blob, size = head.split()
        path = os.fsdecode(name)
        kind = _KINDS.get(mode, EntryKind.OTHER)
        folder, _, base = path.rpartition("/")
        _open(folders, folder)[base] = Entry(base, kind, int(size) if size.isdigit() else 0)
        if kind is EntryKind.FILE:
            blobs[path] = blob
    return folders, blobs


def _open(folders: dict[str, dict[str, Entry]], folder: str) -> dict[str, Entry]:
    """Return the entries of a folder, with it and those above it listed."""
    found = folders.get(folder)
    if found is None:
        found = folders[folder] = {}
        above, _, base = folder.rpartition("/")
        _open(folders, above)[base] = Entry(base, EntryKind.FOLDER, 0)
    return found


class _BlobReader:
    """Asks one ``git cat-file`` for objects, one after another; it ends with its reader."""

    def __init__(self, root: Path) -> None:
        try:
            process = subprocess.Popen(  # noqa: S603 - fixed program, arguments are ours
                git_command(root, "cat-file", "--batch"),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=git_environment(),
            )
        except OSError as error:
            raise OSError(error.errno, f"git cannot be run ({error.strerror})") from None
        assert process.stdin is not None
        assert process.stdout is not None
        self._asked: IO[bytes] = process.stdin
        self._given: IO[bytes] = process.stdout
        self._end = weakref.finalize(self, _ended, process)

    def read(self, blob: bytes) -> bytes:
        """Return the content of an object; raises ``OSError`` when git does not have it."""
        self._asked.write(blob + b"\n")
        self._asked.flush()
        header = self._given.readline().split()
        if len(header) != 3:
            raise FileNotFoundError(errno.ENOENT, "git does not have the content of the file")
        size = int(header[2])
        data = self._given.read(size)
        self._given.read(1)
        if len(data) != size:
            raise OSError(errno.EIO, "git gave less than the whole file")
        return data


def _ended(process: subprocess.Popen[bytes]) -> None:
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            stream.close()
    process.kill()
    process.wait()
