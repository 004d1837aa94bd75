"""Jobs for workers: files whose summaries are to be made, each at most once, in order.

A job belongs to nobody until one statement gives it to a worker, with a lease. A worker that dies leaves
its lease to run out, and the job is given to another; one that fails too often is dead, and is kept to be
looked at. When a job is done, its result and its end are one transaction: there is no moment at which a
killed process leaves one without the other.
"""

from __future__ import annotations

import os
import sqlite3
import time
import uuid
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

from .database import Database, decoded

LEASE_MS: Final = 60_000
"""Milliseconds that a worker may hold a job: a thousand times what one takes."""

ATTEMPTS: Final = 3
"""Claims after which a job that was never finished is dead."""

WANTED: Final = 10
"""Priority of files that a pack would have used a summary of; others have 0."""

_OPEN: Final = (
    "(status = 'pending' OR (status = 'working' AND (lease_until < :now OR lease_until > :latest)))"
)
"""A job that may be claimed. A lease beyond the longest one was made by a clock that has been set back."""

_CLAIM: Final = f"""
UPDATE jobs SET status = 'working', claim = :claim, lease_until = :latest, attempts = attempts + 1
WHERE number = (
    SELECT number FROM jobs WHERE {_OPEN} AND attempts < :limit ORDER BY priority DESC, number LIMIT 1
)
RETURNING number, path, raw, version, attempts
"""  # noqa: S608 - put together from constants

_BURY: Final = f"""
UPDATE jobs SET status = 'dead', claim = NULL, lease_until = NULL,
    error = coalesce(error, 'its worker ended without a word')
WHERE {_OPEN} AND attempts >= :limit
"""  # noqa: S608

_ADD: Final = """
INSERT INTO jobs (path, raw, priority, created_at) VALUES (:path, :raw, :priority, :now)
ON CONFLICT (path) DO UPDATE SET
    priority = max(priority, excluded.priority),
    version = version + :changed,
    attempts = CASE WHEN status = 'dead' OR :changed THEN 0 ELSE attempts END,
    error = CASE WHEN status = 'dead' OR :changed THEN NULL ELSE error END,
    status = CASE WHEN status = 'dead' THEN 'pending' ELSE status END
WHERE :changed OR status <> 'dead'
"""


@dataclass(frozen=True, slots=True)
class Wanted:
    """A file to work on: its printable path, and how the tree spells it."""

    path: str
    raw: str


@dataclass(frozen=True, slots=True)
class Job:
    """A claimed job.

    Attributes
    ----------
    claim
        Name of this very claim: no other has or had it.
    version
        Raised when the file changes; a job whose file has changed under the worker is not over.
    attempts
        Claims so far, this one included.
    """

    number: int
    path: str
    raw: str
    claim: str
    version: int
    attempts: int


@dataclass(frozen=True, slots=True)
class QueueState:
    """How many jobs wait, are held by a worker, and are dead, with the dead ones' paths and errors."""

    pending: int
    working: int
    dead: int
    dead_jobs: tuple[tuple[str, str], ...]


class Queue:
    """The jobs of one repository.

    Parameters
    ----------
    database
        Where they are.
    lease_ms, attempts
        :data:`LEASE_MS` and :data:`ATTEMPTS` unless given.
    clock
        Milliseconds since 1970; all processes must agree on it.
    claimant
        Name that claims begin with; unique, and made up when absent.
    """

    def __init__(
        self,
        database: Database,
        *,
        lease_ms: int = LEASE_MS,
        attempts: int = ATTEMPTS,
        clock: Callable[[], int] = lambda: time.time_ns() // 1_000_000,
        claimant: str | None = None,
    ) -> None:
        self._database = database
        self._lease_ms = lease_ms
        self._attempts = attempts
        self._clock = clock
        self._claimant = claimant or uuid.uuid4().hex
        self._claims = 0

    def add(self, wanted: Iterable[Wanted], *, priority: int = 0, changed: bool = False) -> int:
        """Queue files; those that are queued already keep their place, and rise to ``priority``.

        Parameters
        ----------
        changed
            The files are new or different: dead jobs come to life, and what a worker is doing for the
            file now will be done again.

        Returns
        -------
        How many files were asked for.
        """
        now = self._clock() // 1000
        rows = [
            {
                "path": file.path,
                "raw": None if file.raw == file.path else os.fsencode(file.raw),
                "priority": priority,
                "now": now,
                "changed": int(changed),
            }
            for file in wanted
        ]
        if rows:
            self._database.write(lambda db: db.executemany(_ADD, rows))
        return len(rows)

    def claim(self) -> Job | None:
        """Take the next job, the most wanted and then the oldest; None when there is none to take."""
        self._claims += 1
        claim = f"{self._claimant}/{self._claims}"

        def change(connection: sqlite3.Connection) -> tuple[int, str, bytes | None, int, int] | None:
            now = self._clock()
            values = {"now": now, "latest": now + self._lease_ms, "limit": self._attempts}
            connection.execute(_BURY, values)
            found: tuple[int, str, bytes | None, int, int] | None = connection.execute(
                _CLAIM, {**values, "claim": claim}
            ).fetchone()
            return found

        row = self._database.write(change)
        if row is None:
            return None
        number, path, raw, version, attempts = row
        spelt = decoded("a job", lambda: os.fsdecode(path if raw is None else raw))
        return Job(number, path, spelt, claim, version, attempts)

    def finish(self, job: Job, result: Callable[[sqlite3.Connection], None] | None = None) -> bool:
        """End a job, and write its result in the same transaction.

        Returns
        -------
        False when the claim had run out and the job is another's: the result is written all the same, as
        it is true. A job whose file has changed meanwhile goes back to the queue.
        """

        def change(connection: sqlite3.Connection) -> bool:
            if result is not None:
                result(connection)
            mine = (job.number, job.claim)
            ended = connection.execute(
                "DELETE FROM jobs WHERE number = ? AND claim = ? AND version = ?", (*mine, job.version)
            ).rowcount
            again = connection.execute(
                "UPDATE jobs SET status = 'pending', claim = NULL, lease_until = NULL, attempts = 0 "
                "WHERE number = ? AND claim = ?",
                mine,
            ).rowcount
            return bool(ended or again)

        return self._database.write(change)

    def fail(self, job: Job, error: str) -> bool:
        """Give a job back with what went wrong; after its last attempt it is dead. False if it was lost."""
        dead = job.attempts >= self._attempts

        def change(connection: sqlite3.Connection) -> bool:
            return bool(
                connection.execute(
                    "UPDATE jobs SET status = ?, claim = NULL, lease_until = NULL, error = ? "
                    "WHERE number = ? AND claim = ?",
                    ("dead" if dead else "pending", error[:500], job.number, job.claim),
                ).rowcount
            )

        return self._database.write(change)

    def release(self, claimant: str, *, forgive: bool = False) -> int:
        """Take back what a worker that is gone had in hand; returns how many jobs.

        Parameters
        ----------
        forgive
            The worker was ended on purpose: that was no attempt.
        """
        sql = (
            "UPDATE jobs SET status = 'pending', claim = NULL, lease_until = NULL, "
            "attempts = max(0, attempts - ?) WHERE status = 'working' AND claim GLOB ?"
        )
        return self._database.write(lambda db: db.execute(sql, (int(forgive), f"{claimant}/*")).rowcount)

    def paths(self) -> frozenset[str]:
        """Return the paths of all jobs, the dead ones included."""
        return frozenset(path for (path,) in self._database.rows("SELECT path FROM jobs"))

    def hurry(self, paths: Iterable[str], priority: int) -> None:
        """Let these jobs come first."""
        rows = [(priority, path, priority) for path in paths]
        if rows:
            sql = "UPDATE jobs SET priority = ? WHERE path = ? AND priority < ?"
            self._database.write(lambda db: db.executemany(sql, rows))

    def drop(self, paths: Iterable[str]) -> None:
        """Remove the jobs of files that are gone."""
        rows = [(path,) for path in paths]
        if rows:
            self._database.write(lambda db: db.executemany("DELETE FROM jobs WHERE path = ?", rows))

    def revive(self) -> int:
        """Give dead jobs another chance; returns how many."""
        return self._database.write(
            lambda db: (
                db.execute(
                    "UPDATE jobs SET status = 'pending', attempts = 0, error = NULL WHERE status = 'dead'"
                ).rowcount
            )
        )

    def held(self) -> bool:
        """Whether some worker has a job in hand."""
        return self._database.row("SELECT 1 FROM jobs WHERE status = 'working' LIMIT 1") is not None

    def open(self) -> int:
        """Return how many jobs are not dead."""
        row = self._database.row("SELECT count(*) FROM jobs WHERE status <> 'dead'")
        return int(row[0]) if row else 0

    def state(self) -> QueueState:
        """Return the queue as it is."""
        by_status = dict(self._database.rows("SELECT status, count(*) FROM jobs GROUP BY status"))
        dead = self._database.rows(
            "SELECT path, coalesce(error, '') FROM jobs WHERE status = 'dead' ORDER BY path"
        )
        return QueueState(
            by_status.get("pending", 0),
            by_status.get("working", 0),
            by_status.get("dead", 0),
            tuple((path, error) for path, error in dead),
        )
