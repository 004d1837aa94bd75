"""Looking after the cache: what it holds, filling it, watching, checking and clearing it."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import product
from pathlib import Path
from threading import Event
from typing import Final, TypeVar

from .caching import CacheOptions, Notify
from .models import FileError, UsageError
from .sources.cache import report
from .sources.cache.database import UnavailableError, identity, reason
from .sources.cache.location import database_path
from .sources.cache.report import CacheStatus, CacheVerdict, Savings
from .sources.cache.store import Cache
from .sources.cache.watch import Round, Watcher
from .sources.cache.worker import Crew, WorkReport, run_workers
from .sources.tokens import TokenEstimator
from .sources.walk import WalkOptions

MOST_WORKERS: Final = 64
"""More processes than this are a slip: one makes a thousand summaries a second."""


T = TypeVar("T")


def open_cache(root: str | Path, options: CacheOptions | None = None, *, make: bool = True) -> Cache:
    """Open the cache of the repository at ``root``, to be closed or used in a ``with``.

    Without ``make``, a cache that is not there is not made, and an empty one is returned.

    Raises
    ------
    FileError
        There is no such folder.
    UsageError
        There can be no cache: the folder is read-only or on a network, say.
    """
    place = Path(root)
    if not place.is_dir():
        raise FileError("there is no such folder", file=str(root))
    try:
        return Cache(place, (options or CacheOptions()).folder, make=make)
    except UnavailableError as error:
        raise _unavailable(error) from None


def cache_file(root: str | Path, options: CacheOptions | None = None) -> Path:
    """Return the file that holds the cache of the repository at ``root``, whether or not it exists."""
    return database_path(Path(root), (options or CacheOptions()).folder)


def clear_cache(root: str | Path, options: CacheOptions | None = None) -> tuple[Path, ...]:
    """Delete the cache of the repository at ``root``, with what was set aside; returns the files deleted.

    Raises
    ------
    FileError
        A file cannot be deleted.
    """
    folder = (options or CacheOptions()).folder
    paths = (cache_file(root, options), database_path(Path(root), folder, revisions=True))
    gone: list[Path] = []
    for path, ending in product(paths, ("", "-wal", "-shm", ".damaged", ".lock")):
        file = path.with_name(path.name + ending)
        try:
            file.unlink()
        except FileNotFoundError:
            continue
        except OSError as error:
            raise FileError(f"cannot be deleted: {error.strerror}", file=str(file)) from None
        gone.append(file)
    return tuple(gone)


def cache_status(
    root: str | Path, options: CacheOptions | None = None, *, notify: Notify | None = None
) -> CacheStatus:
    """Return what the cache holds, compared with the repository as it is; raises as :func:`open_cache`.

    Of a file that proves to be damaged, ``notify`` is told, and the result is that of an empty cache.
    """
    return _looked(root, options, report.status, notify)


def verify_cache(root: str | Path, options: CacheOptions | None = None) -> CacheVerdict:
    """Compare every row with the repository, and remove what is wrong; raises as :func:`open_cache`.

    A file that is damaged as a whole is set aside, and is a fault.
    """
    notices: list[str] = []
    found = _looked(root, options, report.verify, notices.append)
    return replace(found, faults=(*notices, *found.faults))


def cache_savings(
    root: str | Path,
    estimator: TokenEstimator,
    options: CacheOptions | None = None,
    *,
    notify: Notify | None = None,
) -> Savings:
    """Count what the shorter forms of remembered files save; as :func:`cache_status` of a damaged file."""
    return _looked(root, options, lambda cache: report.savings(cache, estimator), notify)


def _looked(
    root: str | Path, options: CacheOptions | None, look: Callable[[Cache], T], notify: Notify | None
) -> T:
    """Return what ``look`` finds in a cache, in an empty one where that is not there or is damaged."""
    tell = notify or (lambda _: None)
    while True:
        with open_cache(root, options, make=False) as cache:
            before = identity(cache.path)
            try:
                found = look(cache)
            except sqlite3.Error as error:
                cache.failed(error)
                if not cache.lost or identity(cache.path) == before:
                    raise _unavailable(UnavailableError(reason(error))) from None
        for notice in cache.notices:
            tell(notice)
        if not cache.lost or identity(cache.path) == before:
            return found


def work_cache(
    root: str | Path,
    options: CacheOptions | None = None,
    *,
    workers: int = 1,
    stay: bool = False,
    retry: bool = False,
    on_progress: Callable[[int], None] | None = None,
) -> WorkReport:
    """Make the summaries that are queued, in ``workers`` processes.

    Parameters
    ----------
    stay
        Go on for more when there is nothing left, until interrupted.
    retry
        Give jobs that failed too often another chance first.
    on_progress
        Called every now and then with the number of jobs that are left.

    Raises
    ------
    UsageError
        There can be no cache, or ``workers`` is no number of processes.
    """
    _check_workers(workers)
    folder = (options or CacheOptions()).folder
    try:
        with open_cache(root, options) as cache:
            if retry:
                cache.queue.revive()
    except sqlite3.Error as error:
        raise _unavailable(UnavailableError(reason(error))) from None
    try:
        return run_workers(Path(root), folder, workers, stay=stay, on_progress=on_progress)
    except UnavailableError as error:
        raise _unavailable(error) from None


def watch_cache(
    root: str | Path,
    options: CacheOptions | None = None,
    *,
    walk: WalkOptions | None = None,
    workers: int = 1,
    stop: Event | None = None,
) -> Iterator[Round]:
    """Yield what was found now and after every change, while workers make the summaries.

    Raises
    ------
    UsageError
        As :func:`work_cache`; ``workers`` may be 0.
    """
    _check_workers(workers, least=0)
    folder = (options or CacheOptions()).folder
    with open_cache(root, options) as cache:
        crew = Crew(cache, folder, workers, stay=True)
        try:
            for found in Watcher(cache, walk).watch(stop or Event()):
                crew.replace(limit=100 * workers)
                yield found
        finally:
            crew.stop()


def _check_workers(workers: int, least: int = 1) -> None:
    if not least <= workers <= MOST_WORKERS:
        hint = f"accepted: {least} to {MOST_WORKERS}"
        raise UsageError("is no number of workers", field="workers", value=workers, hint=hint)


def _unavailable(error: UnavailableError) -> UsageError:
    return UsageError(
        f"the cache cannot be used: {error}", field="cache_dir", hint="name another --cache-dir"
    )
