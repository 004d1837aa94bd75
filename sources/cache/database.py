"""One SQLite file: opened by any number of processes at once, made anew when it is damaged.

A cache must never stop the work that it speeds up. Whatever is wrong with its folder or its file ends as
:class:`UnavailableError` with a reason in words, and the caller goes on without a cache.
"""

from __future__ import annotations

import contextlib
import os
import random
import sqlite3
import struct
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final, TypeVar

from .location import network_file_system
from .schema import APPLICATION_ID, MIGRATIONS, SCHEMA_VERSION

BUSY_MS: Final = 5_000
"""Milliseconds that a statement waits for another process's lock (seed 002)."""

_OLDEST: Final = (3, 35, 0)
"""The first SQLite with ``RETURNING``."""

_PATIENCE: Final = 30.0
"""Seconds in which opening, or a write that must not be lost, is tried again."""

_STALE_LOCK: Final = 30.0
"""Seconds after which whoever was setting a damaged file aside is taken for dead."""

_WAITS: Final = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED})

_MALFORMED: Final = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})
_BROKEN: Final = _MALFORMED | {sqlite3.SQLITE_ERROR, sqlite3.SQLITE_CONSTRAINT, sqlite3.SQLITE_MISMATCH}
"""Once a file is open and up to date, its statements are fixed: a table that is not there, or a row that
breaks a rule, is damage that SQLite itself has not seen."""

_UNREADABLE: Final = (
    *(ValueError, TypeError, LookupError, AttributeError, ArithmeticError, RecursionError),
    *(zlib.error, struct.error),
)

T = TypeVar("T")


class DamagedError(sqlite3.DatabaseError):
    """A row does not hold what was written; handled as damage that SQLite has found."""

    sqlite_errorcode = sqlite3.SQLITE_CORRUPT


class UnavailableError(Exception):
    """There is no using the cache; the message says why, in words that end a sentence."""


class Database:
    """A connection to the cache of one repository.

    Not to be shared between threads or carried into a child process: each opens its own.

    Attributes
    ----------
    path
        The file.
    notices
        What the user should know, one sentence each: that a damaged file was set aside.
    """

    def __init__(self, path: Path, *, notices: Sequence[str] = ()) -> None:
        self.path = path
        self.notices: list[str] = list(notices)
        self._connection = _connected(path)
        self._pid = os.getpid()

    def close(self) -> None:
        """Close the connection; what was committed stays."""
        with contextlib.suppress(sqlite3.Error):
            if self._pid == os.getpid():
                self._connection.close()

    def rows(self, sql: str, values: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        """Return all rows of a query."""
        try:
            return self._connection.execute(sql, values).fetchall()
        except (sqlite3.OperationalError, UnicodeDecodeError) as error:
            raise _told(error) from None

    def row(self, sql: str, values: Sequence[object] = ()) -> tuple[Any, ...] | None:
        """Return the first row of a query, or None."""
        try:
            found: tuple[Any, ...] | None = self._connection.execute(sql, values).fetchone()
        except (sqlite3.OperationalError, UnicodeDecodeError) as error:
            raise _told(error) from None
        return found

    def write(self, change: Callable[[sqlite3.Connection], T]) -> T:
        """Run ``change`` in one transaction: all of it happens, or nothing.

        A lock that another process holds for longer than :data:`BUSY_MS` is waited for again, up to half
        a minute; only then does ``sqlite3.OperationalError`` leave. ``change`` may run more than once.
        """

        def attempt() -> T:
            with _transaction(self._connection, "IMMEDIATE"):
                return change(self._connection)

        try:
            return _patiently(attempt)
        except (sqlite3.OperationalError, UnicodeDecodeError) as error:
            raise _told(error) from None


def open_database(path: Path) -> Database:
    """Open the file at ``path``, made or brought up to date as needed; a damaged one is set aside first.

    Raises
    ------
    UnavailableError
        The folder cannot be written or is on a network, or the file cannot be used.
    """
    if sqlite3.sqlite_version_info < _OLDEST:
        raise UnavailableError(f"SQLite {sqlite3.sqlite_version} is older than 3.35")
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise UnavailableError(f"its folder cannot be made ({error.strerror})") from None
    network = network_file_system(path.parent)
    if network is not None:
        raise UnavailableError(f"its folder is on a network ({network}), where locks do not hold")
    notices: list[str] = []
    for _ in range(3):
        before = identity(path)
        try:
            database = Database(path, notices=notices)
        except (sqlite3.Error, UnicodeDecodeError) as caught:
            fault = _told(caught)
            if _code(fault) not in _MALFORMED:
                raise UnavailableError(reason(fault)) from None
            if set_aside(path, before):
                notices.append(f"the cache was damaged ({reason(fault)}); it is set aside and made anew")
            continue
        except _NewerError as error:
            raise UnavailableError(str(error)) from None
        return database
    raise UnavailableError("its file is damaged and cannot be replaced")


def damaged(error: sqlite3.Error) -> bool:
    """Whether an error means that the file itself is at fault, not its lock, its disk or its folder."""
    return _code(error) in _BROKEN


def decoded(what: str, read: Callable[[], T]) -> T:
    """Return ``read()``, which makes values of rows; raises :class:`DamagedError` when they are wrong."""
    try:
        return read()
    except _UNREADABLE:
        raise DamagedError(f"{what} cannot be read") from None


def set_aside(path: Path, seen: tuple[int, int] | None) -> bool:
    """Rename a damaged file to ``….damaged``, in place of an earlier one; False when another did it.

    Parameters
    ----------
    seen
        Device and inode of the damaged file: one that has taken its place since is left alone.
    """
    with _alone(path.with_name(path.name + ".lock")) as mine:
        if not mine or seen is None or identity(path) != seen:
            return False
        # The log belongs to the file: were it left, it would be replayed into the new one.
        for ending in ("-wal", "-shm"):
            with contextlib.suppress(OSError):
                path.with_name(path.name + ending).unlink()
        try:
            path.replace(path.with_name(path.name + ".damaged"))
        except OSError:
            return False
    return True


class _NewerError(Exception):
    pass


def _connected(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=BUSY_MS / 1000, isolation_level=None)
    try:
        # The wait comes first: changing the journal needs a lock that others may hold (I13).
        connection.execute(f"PRAGMA busy_timeout = {BUSY_MS}")
        _patiently(lambda: _to_wal(connection))
        connection.execute("PRAGMA synchronous = NORMAL")
        _patiently(lambda: _migrate(connection))
    except BaseException:
        connection.close()
        raise
    return connection


def _to_wal(connection: sqlite3.Connection) -> None:
    # Where a file system has no shared memory, SQLite stays with its rollback journal, which is as safe.
    connection.execute("PRAGMA journal_mode = WAL").fetchone()


def _migrate(connection: sqlite3.Connection) -> None:
    """Bring the tables up to date, in one transaction: of several processes one does it."""
    with _transaction(connection, "DEFERRED"):
        if _version(connection) == SCHEMA_VERSION:
            return
    with _transaction(connection, "IMMEDIATE"):
        version = _version(connection)
        for script in MIGRATIONS[version:]:
            for statement in _statements(script):
                connection.execute(statement)
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")


@contextlib.contextmanager
def _transaction(connection: sqlite3.Connection, kind: str) -> Iterator[None]:
    """Run the body in a transaction: it reads one state of the file, and writes all or nothing."""
    connection.execute(f"BEGIN {kind}")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _version(connection: sqlite3.Connection) -> int:
    """Return how many migrations have run; in a transaction, or another process may migrate between reads."""
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    (owner,) = connection.execute("PRAGMA application_id").fetchone()
    if owner not in (0, APPLICATION_ID) or (version == 0 and _has_tables(connection)):
        raise _NewerError("its file is another program's")
    if version > SCHEMA_VERSION:
        raise _NewerError(
            f"its file is of a newer Satchel (schema {version}, this one knows {SCHEMA_VERSION})"
        )
    return int(version)


def _has_tables(connection: sqlite3.Connection) -> bool:
    return connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone() is not None


def _statements(script: str) -> Iterator[str]:
    # Not executescript, which commits first.
    text = ""
    for line in script.splitlines(keepends=True):
        text += line
        if sqlite3.complete_statement(text):
            yield text
            text = ""


def _patiently(attempt: Callable[[], T]) -> T:
    deadline = time.monotonic() + _PATIENCE
    while True:
        try:
            return attempt()
        except sqlite3.OperationalError as error:
            waits = (getattr(error, "sqlite_errorcode", 0) or 0) & 0xFF in _WAITS
            if not waits or time.monotonic() > deadline:
                raise
        time.sleep(random.uniform(0.002, 0.05))  # noqa: S311 - so that those who wait do not wait in step


def identity(path: Path) -> tuple[int, int] | None:
    """Return device and inode of a file; None when there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def reason(error: sqlite3.Error) -> str:
    """Return an error in words. SQLite's own may hold bytes of a damaged file, and are not repeated."""
    if isinstance(error, DamagedError):
        return str(error)
    known = {
        sqlite3.SQLITE_CORRUPT: "its pages are malformed",
        sqlite3.SQLITE_NOTADB: "its file is no database",
        sqlite3.SQLITE_CONSTRAINT: "its rows break the rules of their table",
        sqlite3.SQLITE_MISMATCH: "its rows are of other types than their table",
        sqlite3.SQLITE_READONLY: "its folder or file is read-only",
        sqlite3.SQLITE_CANTOPEN: "its file cannot be opened or made there",
        sqlite3.SQLITE_PERM: "its file may not be used",
        sqlite3.SQLITE_FULL: "the disk is full",
        sqlite3.SQLITE_IOERR: "its disk does not answer",
    }
    return known.get(_code(error), str(error))


def _code(error: sqlite3.Error) -> int:
    return (getattr(error, "sqlite_errorcode", 0) or 0) & 0xFF


def _told(error: sqlite3.Error | UnicodeDecodeError) -> sqlite3.Error:
    """Return the error as it is, or as damage where text is not UTF-8: Python gives that no code."""
    if isinstance(error, UnicodeDecodeError) or (
        not _code(error) and str(error).startswith("Could not decode to UTF-8")
    ):
        return DamagedError("a text in it is not UTF-8")
    return error


@contextlib.contextmanager
def _alone(lock: Path) -> Iterator[bool]:
    """Hold a lock file; yields False when it cannot be had in time."""
    deadline = time.monotonic() + BUSY_MS / 1000
    while True:
        try:
            os.close(os.open(lock, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
            break
        except FileExistsError:
            with contextlib.suppress(OSError):
                if time.time() - lock.stat().st_mtime > _STALE_LOCK:
                    lock.unlink()
                    continue
        except OSError:
            yield False
            return
        if time.monotonic() > deadline:
            yield False
            return
        time.sleep(0.02)
    try:
        yield True
    finally:
        with contextlib.suppress(OSError):
            lock.unlink()
