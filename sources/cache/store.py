"""The cache of one repository: one file, and everything that is remembered in it."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from types import TracebackType
from typing import Final, Self, TypeVar

from ..candidates import ScannedFile
from .contexts import Contexts
from .database import Database, damaged, identity, open_database, reason, set_aside
from .location import database_path
from .queue import WANTED, Queue, Wanted
from .summaries import WHOLE, Summaries, SummaryUse, has_summaries, summary_key
from .upkeep import prune, sweep
from .versions import code_version

_ADD_UP: Final = (
    "INSERT INTO tallies VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = value + excluded.value"
)

T = TypeVar("T")


class Cache:
    """What is known of a repository from earlier runs.

    Parameters
    ----------
    root
        The repository, or several folders that are read together.
    folder
        Where caches are; the user's cache folder by default (:mod:`.location`).
    claimant
        Name of the worker that this is for.
    make
        Make the file where there is none; otherwise nothing is written, and the cache is an empty one.
    revisions
        Whether it is of the revisions in git's store, not of the files on disk.

    Attributes
    ----------
    path
        The file.
    notices
        What the user should know, one sentence each.
    lost
        The file was found to be damaged, and nothing more is read from it.

    Raises
    ------
    UnavailableError
        The cache cannot be used here; the work goes on without.
    """

    def __init__(
        self,
        root: Path | Sequence[Path],
        folder: Path | None = None,
        *,
        claimant: str | None = None,
        make: bool = True,
        revisions: bool = False,
    ) -> None:
        roots = [root] if isinstance(root, Path) else list(root)
        self.root = Path(os.path.realpath(roots[0]))
        self._apart = revisions or len(roots) > 1
        self.path = database_path(roots, folder, revisions=revisions)
        is_new = not self.path.exists()
        in_memory = is_new and not make and _may_be(self.path.parent)
        self.database = Database(Path(":memory:")) if in_memory else open_database(self.path)
        self._identity = identity(self.path)
        self.lost = False
        if is_new and make:
            sweep(self.path.parent)
        self.notices: list[str] = list(self.database.notices)
        self.version = code_version()
        self.queue = Queue(self.database, claimant=claimant)
        self._contexts: Contexts | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def contexts(self) -> Contexts:
        """The files of the repository as they were; loaded when first asked for."""
        if self._contexts is None:
            self._contexts = Contexts(self.database, self.root, self.version, self.failed)
        return self._contexts

    def summaries(self, use: SummaryUse) -> Summaries:
        """Return what gives units their summary rungs."""
        return Summaries(use, self.version, self.database, self.contexts)

    def scanned(self, files: Sequence[ScannedFile], summaries: Summaries) -> None:
        """Write what a scan found out, and queue the files whose summaries are still to be made.

        Those that this scan would have used go first.
        """
        self.contexts.flush()
        summaries.flush()
        if self._apart:  # workers read the files of one folder, as they are on disk
            self.guarded(lambda: self.database.write(self._tally), None)
            self.guarded(lambda: self.database.write(prune), False)
            return
        self.guarded(lambda: self._queue(files, summaries), None)
        gone = self.contexts.forget_missing(file.path for file in files)
        self.guarded(lambda: self.queue.drop(gone), None)
        self.guarded(lambda: self.database.write(self._tally), None)
        self.guarded(lambda: self.database.write(prune), False)

    def answered(self) -> None:
        """Write what a run found out that needed no scan."""
        self.contexts.flush()
        self.guarded(lambda: self.database.write(self._tally), None)

    def _tally(self, db: sqlite3.Connection) -> None:
        db.executemany(_ADD_UP, [("scans", 1), *asdict(self.contexts.tally).items()])

    def queue_changed(self, files: Sequence[ScannedFile]) -> int:
        """Queue those of these files whose summaries are still to be made; returns how many."""
        none: list[ScannedFile] = []
        rest = self.guarded(lambda: self.unsummarised(files), none)
        return self.guarded(lambda: self.queue.add(map(_wanted, rest), changed=True), 0)

    def _queue(self, files: Sequence[ScannedFile], summaries: Summaries) -> None:
        rest = self.unsummarised(files)
        new = [file for file in rest if file.path in self.contexts.new]
        self.queue.add(map(_wanted, new), changed=True)
        queued = self.queue.paths()
        self.queue.add(_wanted(file) for file in rest if file.path not in queued)
        self.queue.hurry(summaries.missing, WANTED)

    def unsummarised(self, files: Sequence[ScannedFile]) -> list[ScannedFile]:
        """Return the files that may have a summary and of which not all are made."""
        done = {key for (key,) in self.database.rows("SELECT key FROM summaries WHERE number = ?", (WHOLE,))}
        digests = self.contexts.digests
        return [
            file
            for file in files
            if has_summaries(file)
            and file.path in digests
            and summary_key(file, digests[file.path], self.version) not in done
        ]

    def guarded(self, action: Callable[[], T], otherwise: T) -> T:
        """Return what ``action`` gives, or ``otherwise`` when the database fails, with a notice."""
        return self.contexts.guarded(action, otherwise)

    def failed(self, error: sqlite3.Error) -> None:
        """Note an error of the database; a damaged file is set aside, and the next run has a new one."""
        if damaged(error):
            self.lost = True
            set_aside(self.path, self._identity)
            why = reason(error)
            self.notices.append(f"the cache is damaged ({why}); it is set aside, and this run goes without")
        else:
            self.notices.append(f"the cache cannot be used ({reason(error)}); this run goes on without")

    def close(self) -> None:
        """Write what is still to be written, and close the file."""
        if self._contexts is not None:
            self._contexts.flush()
        self.database.close()


def _may_be(folder: Path) -> bool:
    """Whether a folder is there or could be made, for all that its path tells."""
    return next(place for place in (folder, *folder.absolute().parents) if place.exists()).is_dir()


def _wanted(file: ScannedFile) -> Wanted:
    return Wanted(file.path, file.source.raw)
