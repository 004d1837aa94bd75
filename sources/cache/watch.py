"""Watching a repository: what changes is read, remembered and queued, before anybody asks for it.

The events of a file system are a reason to look, not an account of what happened: names come and go while an
editor saves, thousands at once when a branch is switched, and queues of the system overflow. So each burst
of events ends in one walk by the rules of every scan, and the walk is compared with what is remembered.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ...models import FileError
from ..candidates import ScannedFile, read_file
from ..extract import default_registry
from ..files import Skipped
from ..walk import WalkOptions, WalkResult, walk
from ..walk_rules import VCS_NAMES
from .store import Cache

if TYPE_CHECKING:
    from threading import Event

DEBOUNCE_MS: Final = 300
"""Quiet milliseconds that end a burst of events."""

LONGEST_BURST_MS: Final = 3_000
"""A burst that does not end is looked at after so long all the same."""

_GONE_SECONDS: Final = 1.0
"""How often a root that is gone is looked for."""


@dataclass(frozen=True, slots=True)
class Round:
    """What one look at the repository found.

    Attributes
    ----------
    changed
        Files read because they were new or different.
    gone
        Files that are no longer there.
    queued
        Files queued for workers.
    missing_root
        The repository itself is gone.
    """

    changed: int = 0
    gone: int = 0
    queued: int = 0
    missing_root: bool = False


class Watcher:
    """Keeps a cache in step with a repository.

    Parameters
    ----------
    cache
        The cache; its root is watched.
    options
        Rules of the walk.
    """

    def __init__(self, cache: Cache, options: WalkOptions | None = None) -> None:
        self._cache = cache
        self._options = replace(options or WalkOptions(), explicit=())
        self._registry = default_registry()
        self._walked: WalkResult | None = None

    def look(self) -> Round:
        """Walk once, read what has changed, queue what is to be summarised, forget what is gone."""
        contexts = self._cache.contexts
        try:
            walked = self._walked = walk(self._cache.root, self._options)
        except FileError:
            return Round(missing_root=True)
        contexts.new.clear()
        changed = 0
        files: list[ScannedFile] = []
        for source in walked.files:
            if not contexts.changed(source):
                continue
            outcome = read_file(source, self._options.max_file_bytes, self._registry, contexts)
            changed += 1
            if not isinstance(outcome, Skipped):
                files.append(outcome[0])
        contexts.flush()
        gone = contexts.forget_missing(file.path for file in walked.files)
        self._cache.guarded(lambda: self._cache.queue.drop(gone), None)
        queued = self._cache.queue_changed(files)
        return Round(changed, len(gone), queued)

    def watch(self, stop: Event, *, force_polling: bool | None = None) -> Iterator[Round]:
        """Yield a round now and after every burst of events, until ``stop`` is set.

        A root that is deleted is waited for. Only rounds in which something was found are yielded, and
        the first.
        """
        yield self.look()
        while not stop.is_set():
            try:
                yield from self._events(stop, force_polling)
            except FileNotFoundError:
                yield Round(missing_root=True)
            if not stop.is_set():
                yield from self._until_back(stop)

    def _events(self, stop: Event, force_polling: bool | None) -> Iterator[Round]:
        import watchfiles

        root = self._cache.root
        identity = _identity(root)
        for changes in watchfiles.watch(
            root,
            watch_filter=None,
            debounce=LONGEST_BURST_MS,
            step=DEBOUNCE_MS,
            stop_event=stop,
            rust_timeout=1_000,
            yield_on_timeout=True,
            raise_interrupt=True,
            force_polling=force_polling,
            ignore_permission_denied=True,
        ):
            if _identity(root) != identity:
                # Deleted, or another folder of the same name: events of it do not reach this watch.
                return
            if any(self._matters(path) for _, path in changes):
                found = self.look()
                if found != Round():
                    yield found

    def _until_back(self, stop: Event) -> Iterator[Round]:
        if not self._cache.root.is_dir():
            yield Round(missing_root=True)
            while not self._cache.root.is_dir() and not stop.wait(_GONE_SECONDS):
                pass
        if not stop.is_set():
            yield self.look()

    def _matters(self, path: str) -> bool:
        """Whether an event may be about a source: not within version control data, nor a folder left out."""
        relative = os.path.relpath(path, self._cache.root)
        parts = Path(relative).parts
        if not VCS_NAMES.isdisjoint(parts):
            # What git leaves out may change with its own rules.
            return parts[-2:] == ("info", "exclude")
        if self._walked is None:
            return True
        above = {"/".join(parts[:n]) + "/" for n in range(1, len(parts))}
        return not any(item.path in above for item in self._walked.skipped if item.path.endswith("/"))


def _identity(root: Path) -> tuple[int, int] | None:
    try:
        found = root.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino
