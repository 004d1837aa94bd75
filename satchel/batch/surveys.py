"""What the repositories of a batch hold: each read once, whatever the number of its pages."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import Final

from ..caching import CacheOptions, Notify, opened
from ..models.reading import collector_paused
from ..outputs import inside
from ..sources.origin import Origin
from ..sources.scan import ScanOptions, Survey, survey
from ..sources.seeds import Seeding, seeds_of
from .pages import Page
from .preparing import Places, packed_survey, survey_digest

UPDATE: Final = "page-update"
"""The kind of task that starts from what has changed."""


class Surveys:
    """Reads repositories when they are first asked for.

    A page whose focus the rules would leave out needs a reading of its own, which pages of the same focus
    share.

    Parameters
    ----------
    base
        Folder that repositories are relative to: that of the tasks file.
    options
        What is read.
    folder
        Where the batch writes, which is never read.
    cache, notify
        As in :class:`satchel.PackOptions`.
    revision
        Branch, tag or commit that is read instead of the files on disk.
    since
        Revision whose differences raise the relevance of what they touch, for pages of kind ``page-update``.

    Attributes
    ----------
    seconds
        What all readings took.
    """

    def __init__(
        self,
        base: Path,
        options: ScanOptions,
        folder: Path,
        *,
        cache: CacheOptions | None = None,
        notify: Notify | None = None,
        revision: str = "",
        since: str = "",
    ) -> None:
        self._base, self._options, self._folder = base, options, folder
        self._cache, self._notify, self._revision, self._since = cache, notify, revision, since
        self._found: dict[str, Survey] = {}
        self._places: dict[str, Places] = {}
        self._digests: dict[str, str] = {}
        self._packed: dict[str, bytes] = {}
        self.seconds = 0.0

    def place(self, repo: str) -> Path:
        """Return the folder of a repository."""
        return self._base / repo

    def key_of(self, page: Page) -> str:
        """Return the key of the survey that holds what ``page`` is made of, read now if it has to be.

        Raises
        ------
        FileError, UsageError
            The repository or a path of the page's focus cannot be read.
        """
        key = self.whole(page.repo)
        if key not in self._places:
            self._places[key] = Places(self._found[key])
        if self._places[key].files_named(page) is None:
            key = self._read(page.repo, page.task.focus)
        return self._seeded(key, page.repo) if self._since and page.task.kind == UPDATE else key

    def whole(self, repo: str) -> str:
        """Return the key of the survey of ``repo`` without any focus."""
        return self._read(repo, ())

    def _seeded(self, key: str, repo: str) -> str:
        """Return the key of the same survey, with what has changed since the revision raised."""
        name = f"{key}\0\0{self._since}"
        if name not in self._found:
            found, root = self._found[key], self.place(repo)
            origin = Origin.of(root, self._revision)
            seeds = seeds_of(Seeding(since=self._since), origin, found.reading, found.ages)
            self._found[name] = replace(found, seeds=seeds)
        return name

    def get(self, key: str) -> Survey:
        """Return the survey of a key."""
        return self._found[key]

    def digest(self, key: str) -> str:
        """Return the digest of the survey of a key."""
        if key not in self._digests:
            self._digests[key] = survey_digest(self._found[key])
        return self._digests[key]

    def packed(self, key: str) -> bytes:
        """Return the survey of a key as bytes, for other processes."""
        if key not in self._packed:
            self._packed[key] = packed_survey(self._found[key])
        return self._packed[key]

    def _read(self, repo: str, focus: tuple[str, ...]) -> str:
        key = "\0".join((repo, *focus))
        if key in self._found:
            return key
        started = time.monotonic()
        root = self.place(repo)
        walk = self._options.walk
        own = (*walk.own_outputs, *inside(root, (self._folder,)))
        options = replace(self._options, walk=replace(walk, own_outputs=own, revision=self._revision))
        memory = opened(root, self._cache, self._notify, revisions=bool(self._revision))
        with collector_paused(), memory as cache:
            self._found[key] = survey(root, replace(options, cache=cache), focus)
        self.seconds += time.monotonic() - started
        return key
