"""Workers: processes that take jobs from the queue and make summaries, until there are none or for ever."""

from __future__ import annotations

import multiprocessing
import multiprocessing.connection
import os
import signal
import sqlite3
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.context import SpawnProcess
from pathlib import Path
from typing import Final

from ..candidates import Outcome, read_file
from ..extract import default_registry
from ..files import Skipped, SkipReason, SourceFile
from ..tree import DiskTree
from .database import UnavailableError
from .queue import Job
from .store import Cache
from .summaries import insert, is_complete, make_all, rows_of, summary_key

POLL_SECONDS: Final = 0.5
"""How long a worker without a job waits before it looks again."""

_GIVEN_UP: Final = 20
"""Workers that may die unasked for each one that was wanted: then something else is wrong."""


@dataclass(frozen=True, slots=True)
class WorkReport:
    """What workers did.

    Attributes
    ----------
    left
        Jobs that are not dead and not done.
    dead
        Jobs that failed too often.
    restarts
        Workers that died and were replaced.
    """

    left: int
    dead: int
    restarts: int


def work_one(cache: Cache) -> bool:
    """Do one job; False when there is none."""
    try:
        job = cache.queue.claim()
    except sqlite3.Error as error:
        cache.failed(error)
        raise
    if job is None:
        return False
    try:
        _do(cache, job)
    except sqlite3.Error as error:
        cache.failed(error)
        raise
    except Exception as error:  # noqa: BLE001 - a file that no code can read must not stop the others
        cache.queue.fail(job, f"{type(error).__name__}: {error}")
    return True


def work(
    root: Path,
    folder: Path | None,
    *,
    stay: bool = False,
    parent: int | None = None,
    claimant: str | None = None,
) -> int:
    """Do jobs until none is left; returns how many were done.

    Parameters
    ----------
    stay
        Wait for more instead of returning.
    parent
        Process without which there is no point in going on.
    claimant
        Name of this worker.

    Raises
    ------
    UnavailableError
        There is no cache to work on.
    """
    done = 0
    with Cache(root, folder, claimant=claimant) as cache:
        while parent is None or os.getppid() == parent:
            if work_one(cache):
                done += 1
                if cache.lost:
                    raise UnavailableError("its file was damaged")
            elif stay:
                time.sleep(POLL_SECONDS)
            elif cache.queue.held():
                # Another worker may die with it: then it is ours.
                time.sleep(POLL_SECONDS / 5)
            else:
                break
    return done


def run_workers(
    root: Path,
    folder: Path | None,
    count: int,
    *,
    stay: bool = False,
    on_progress: Callable[[int], None] | None = None,
    stopped: Callable[[], bool] = lambda: False,
) -> WorkReport:
    """Run ``count`` workers, each a process of its own, and replace those that die.

    Parameters
    ----------
    stay
        Go on when there is no job left, until ``stopped`` says so.
    on_progress
        Called every now and then with the number of jobs that are left.

    Raises
    ------
    UnavailableError
        There is no cache to work on.
    """
    with Cache(root, folder) as cache:
        crew = Crew(cache, folder, count, stay=stay)
        try:
            while crew.at_work() and not stopped():
                crew.replace(limit=_GIVEN_UP * count)
                if on_progress is not None:
                    on_progress(cache.queue.open())
                crew.wait(POLL_SECONDS / 5)
        except sqlite3.Error as error:
            cache.failed(error)
        finally:
            crew.stop()
    # A damaged file is another by now.
    with Cache(root, folder) as cache:
        return WorkReport(cache.queue.open(), cache.queue.state().dead, crew.restarts)


class Crew:
    """Worker processes on one cache.

    Attributes
    ----------
    restarts
        How many died and were replaced.
    """

    def __init__(self, cache: Cache, folder: Path | None, count: int, *, stay: bool) -> None:
        self.restarts = 0
        self._queue = cache.queue
        self._arguments = (cache.root, folder, stay, os.getpid())
        self._context = multiprocessing.get_context("spawn")
        self._crew = [self._started() for _ in range(count)]

    def at_work(self) -> bool:
        """Whether any worker runs, or died before its work was done."""
        return any(worker.exitcode != 0 for worker in self._crew)

    def replace(self, *, limit: int) -> None:
        """Start a worker for each that died; what it had in hand goes back to the queue.

        Raises
        ------
        UnavailableError
            More than ``limit`` have died.
        """
        for place, worker in enumerate(self._crew):
            if worker.exitcode in (None, 0):
                continue
            self._queue.release(worker.name)
            self.restarts += 1
            if self.restarts > limit:
                raise UnavailableError("its workers die one after the other")
            self._crew[place] = self._started()

    def wait(self, seconds: float) -> None:
        """Return when a worker has ended, or after ``seconds``."""
        running = [worker.sentinel for worker in self._crew if worker.exitcode is None]
        multiprocessing.connection.wait(running, timeout=seconds)

    def stop(self) -> None:
        """End all workers; what they had in hand goes back to the queue, and counts as no attempt."""
        for worker in self._crew:
            worker.terminate()
        for worker in self._crew:
            worker.join(5)
            if worker.exitcode is None:
                worker.kill()
                worker.join()
            self._queue.release(worker.name, forgive=True)

    def _started(self) -> SpawnProcess:
        name = uuid.uuid4().hex
        worker = self._context.Process(target=_main, args=(*self._arguments, name), name=name, daemon=True)
        worker.start()
        return worker


def _main(root: Path, folder: Path | None, stay: bool, parent: int, name: str) -> None:
    # Ctrl-C reaches the whole group; the parent ends its workers, and takes back what they had in hand.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    try:
        work(root, folder, stay=stay, parent=parent, claimant=name)
    except (sqlite3.Error, UnavailableError):
        raise SystemExit(1) from None


def _do(cache: Cache, job: Job) -> None:
    source = _source(cache.root, job)
    if source is None:
        cache.queue.finish(job, lambda db: _forget(db, job.path))
        return
    contexts = cache.contexts
    contexts.reload(job.path)
    outcome: Outcome | None = contexts.recall(source)
    if outcome is None:
        outcome = read_file(source, None, default_registry(), contexts)
        contexts.flush()
    if isinstance(outcome, Skipped):
        gone = outcome.reason is SkipReason.UNREADABLE
        if gone and _source(cache.root, job) is not None:
            raise OSError(outcome.detail)
        cache.queue.finish(job)
        return
    file, fragments = outcome
    digest = contexts.digests[file.path]
    if is_complete(cache.database, summary_key(file, digest, cache.version)):
        cache.queue.finish(job)
        return
    rows = rows_of(file, digest, cache.version, make_all(file, fragments))
    cache.queue.finish(job, lambda db: insert(db, rows))


def _source(root: Path, job: Job) -> SourceFile | None:
    """Return the file of a job; None when it is gone, or is no longer a regular file inside the root."""
    place = root / job.raw
    if place.is_symlink() or not place.is_file() or not place.resolve().is_relative_to(root):
        return None
    return SourceFile(job.path, place.stat().st_size, raw=job.raw, tree=DiskTree(root))


def _forget(db: sqlite3.Connection, path: str) -> None:
    db.execute("DELETE FROM contexts WHERE path = ?", (path,))
