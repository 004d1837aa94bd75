"""What became of each file, remembered by its path and believed by its state.

A file is not read again when its size, times and inode are what they were (as git's index does), and was not
changed so shortly before it was read that a later change could leave the same times (*racily clean*, in
git's words). Of a file that was read again, what its text was made into is found by the text's SHA-256.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
import stat
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple, Self, TypeVar

from pydantic_core import from_json, to_json

from ..candidates import Content, Outcome, scanned
from ..classify import Classification
from ..file_classes import FileClass
from ..files import Skipped, SkipReason, SourceFile
from ..gittree import GitTree
from ..read import Decoded
from ..score.vocabulary import Words
from ..tree import DiskTree
from .codec import decode, encode
from .database import DamagedError, Database, decoded

RACY_NS: Final = 2_000_000_000
"""A file is believed by its times only if they are older than this when it is read: two seconds is the
coarsest clock of a file system in use (FAT)."""

_BATCH_FILES: Final = 400
_BATCH_BYTES: Final = 8 << 20
"""Rows are written in transactions of at most about this size, so that no other process waits long."""

_REMEMBERED: Final = frozenset({SkipReason.BINARY, SkipReason.OWN_OUTPUT})
"""Reasons that lie in a file's content; others are found again by looking."""

_SELECT: Final = "SELECT path, size, mtime_ns, ctime_ns, inode, digest, version, content, facts FROM contexts"
_INSERT_CONTEXT: Final = "INSERT OR REPLACE INTO contexts VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
_INSERT_CONTENT: Final = (
    "INSERT OR IGNORE INTO contents (key, digest, version, units, updated_at) VALUES (?, ?, ?, ?, ?)"
)


T = TypeVar("T")


class Signature(NamedTuple):
    """A file's size in bytes, its times of modification and change in nanoseconds, and its inode."""

    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int

    @classmethod
    def of_blob(cls, size: int, name: str) -> Self:
        """Return one that stands for an object of git, by its (hexadecimal) name."""
        return cls(size, int(name[:15], 16), int(name[15:30], 16), int(name[30:45] or "0", 16))

    def racy(self, read_ns: int) -> bool:
        """Whether the file could change after ``read_ns`` without this changing."""
        return max(self.mtime_ns, self.ctime_ns) > read_ns - RACY_NS


def signature_of(place: str | Path) -> Signature | None:
    """Return the signature of a regular file; None for anything else."""
    try:
        found = os.lstat(place)
    except (OSError, ValueError):
        return None
    if not stat.S_ISREG(found.st_mode):
        return None
    return Signature(found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino)


@dataclass(slots=True)
class Tally:
    """How the files of a scan were had.

    Attributes
    ----------
    hits
        Not read at all.
    known
        Read again, but cut before.
    stale
        Had a row that no longer held.
    misses
        Read and cut.
    """

    hits: int = 0
    known: int = 0
    stale: int = 0
    misses: int = 0


class State(NamedTuple):
    """What a run knows that a file holds: the key of its content, and what else was found out.

    ``reason`` says why it is no source, where it is none.
    """

    content: str | None
    facts: str
    reason: SkipReason | None = None


class _Row(NamedTuple):
    signature: Signature | None
    digest: str
    version: str
    content: str | None
    facts: str


def _row(row: tuple[Any, ...]) -> tuple[str, _Row]:
    path, *numbers, digest, version, content, facts = row
    texts = (path, digest, version, facts, content or "")
    whole = all(type(text) is str for text in texts) and len({type(value) for value in numbers}) == 1
    if not whole or type(numbers[0]) not in (int, type(None)):
        raise DamagedError("a row of a file cannot be read")
    return row[0], _Row(None if row[1] is None else Signature(*row[1:5]), *row[5:])


class Contexts:
    """The memory of :func:`..candidates.read_candidates`, in a database.

    Parameters
    ----------
    database
        Where the rows are.
    root
        The repository.
    version
        Of everything that decides what a file is made into (:func:`.versions.code_version`).
    failed
        Called with an error of the database; from then on nothing is remembered.
    """

    def __init__(
        self, database: Database, root: Path, version: str, failed: Callable[[sqlite3.Error], None]
    ) -> None:
        self._database = database
        self._root = os.path.realpath(root)
        self._version = version
        self._failed = failed
        self._on = True
        self._seen: dict[str, Signature | None] = {}
        self._read_ns: dict[str, int] = {}
        self._pending: list[tuple[tuple[Any, ...], tuple[Any, ...] | None]] = []
        self._bytes = 0
        self._words: list[tuple[bytes, str]] = []
        self.keys: dict[str, str] = {}
        """Path to the key of its content, of every file that was asked for."""
        self.digests: dict[str, str] = {}
        """Path to the SHA-256 of its text, likewise."""
        self.new: set[str] = set()
        """Paths whose text was cut for the first time."""
        self.states: dict[str, State] = {}
        """Path to what a file holds, of every file that this run has read, or need not read."""
        self.tally = Tally()
        self._rows: dict[str, _Row] = self.guarded(self._load, {})

    def recall(self, source: SourceFile) -> Outcome | None:
        """Return what became of a file that is as it was; None when it must be read."""
        now = self._look(source)
        row = self._rows.get(source.path)
        if row is None or now is None:
            return None
        if row.signature != now or row.version != self._version:
            self.tally.stale += 1
            return None
        outcome = self.guarded(lambda: self._restored_or_dropped(source, row), None)
        if outcome is not None:
            self.tally.hits += 1
            reason = outcome.reason if isinstance(outcome, Skipped) else None
            self.states[source.path] = State(row.content, row.facts, reason)
        return outcome

    def is_as_it_was(self, source: SourceFile) -> bool:
        """Whether a file is certain to be as it was; what it holds is then among the states, as kept."""
        now = self._look(source)
        row = self._rows.get(source.path)
        if row is None or now is None or row.signature != now or row.version != self._version:
            return False
        try:
            facts = _facts(source.path, row)
        except DamagedError:
            return False
        reason = facts.get("reason")
        if reason is SkipReason.OWN_OUTPUT and source.explicit:
            return False
        self.tally.hits += 1
        self.states[source.path] = State(row.content, row.facts, reason)
        return True

    def content(self, source: SourceFile, decoded: Decoded, found: Classification) -> Content | None:
        """Return what this text was made into before, at this path."""
        key = self._key(source.path, decoded.digest, found.file_class, found.language)
        content = self.guarded(lambda: self._content(key), None)
        self.tally.known += content is not None
        return content

    def keep(
        self, source: SourceFile, outcome: Outcome, decoded: Decoded | None, content: Content | None
    ) -> None:
        """Remember what became of a file; written in batches, the last one by :meth:`flush`."""
        if not self._on:
            return
        facts: dict[str, Any]
        new: tuple[Any, ...] | None = None
        key, digest, now = None, "", int(time.time())
        if isinstance(outcome, Skipped):
            self.states.pop(source.path, None)
            if outcome.reason not in _REMEMBERED:
                return
            facts = {"reason": outcome.reason.value, "detail": outcome.detail}
        else:
            assert decoded is not None
            assert content is not None
            file = outcome[0]
            digest = decoded.digest
            key = self._key(file.path, digest, file.file_class, file.language)
            self._know(source.path, key, digest)
            facts = {"class": file.file_class.value, "language": file.language, "notes": decoded.notes}
            if self.guarded(lambda: not self._has(key), False):
                self.tally.misses += 1
                self.new.add(file.path)
                new = (key, digest, self._version, encode(content), now)
                self._bytes += len(new[3])
        seen = self._seen.get(source.path)
        read_ns = self._read_ns.get(source.path)
        trusted = None if seen is None or (read_ns is not None and seen.racy(read_ns)) else seen
        known = trusted or (None, None, None, None)
        row = (source.path, *known, digest, self._version, key, to_json(facts).decode(), now)
        self._pending.append((row, new))
        self._rows[source.path] = _Row(trusted, digest, self._version, key, row[8])
        reason = outcome.reason if isinstance(outcome, Skipped) else None
        self.states[source.path] = State(key, row[8], reason)
        if len(self._pending) >= _BATCH_FILES or self._bytes >= _BATCH_BYTES:
            self._flush_files()

    def words(self, path: str) -> Words | None:
        """Return the words of a file as it is now, if they are kept."""
        key = self.keys.get(path)
        if key is None:
            return None
        row = self.guarded(
            lambda: self._database.row("SELECT words FROM contents WHERE key = ?", (key,)), None
        )
        if row is None or row[0] is None:
            return None
        try:
            return decoded("words", lambda: Words.from_bytes(row[0]))
        except DamagedError:
            return None

    def keep_words(self, path: str, words: Words) -> None:
        """Remember the words of a file; written by :meth:`flush`."""
        key = self.keys.get(path)
        if key is not None and self._on:
            self._words.append((words.to_bytes(), key))

    def flush(self) -> None:
        """Write what is still to be written."""
        self._flush_files()
        words, self._words = self._words, []
        for start in range(0, len(words), _BATCH_FILES):
            self.guarded(partial(self._write_words, words[start : start + _BATCH_FILES]), None)

    def _write_words(self, rows: Sequence[tuple[bytes, str]]) -> None:
        sql = "UPDATE contents SET words = ? WHERE key = ?"
        self._database.write(lambda db: db.executemany(sql, rows))

    def _flush_files(self) -> None:
        pending, self._pending, self._bytes = self._pending, [], 0
        if not pending:
            return

        def change(connection: sqlite3.Connection) -> None:
            connection.executemany(_INSERT_CONTENT, [new for _, new in pending if new is not None])
            connection.executemany(_INSERT_CONTEXT, [row for row, _ in pending])

        self.guarded(lambda: self._database.write(change), None)

    def forget_missing(self, walked: Iterable[str]) -> list[str]:
        """Drop the rows of files that are gone, and return their paths; what a walk found is not asked."""
        there = set(walked)
        gone = [
            path
            for path in sorted(self._rows)
            if path not in there and not os.path.lexists(f"{self._root}/{path}")
        ]

        def change(connection: sqlite3.Connection) -> None:
            connection.executemany("DELETE FROM contexts WHERE path = ?", [(path,) for path in gone])

        if gone:
            self.guarded(lambda: self._database.write(change), None)
            for path in gone:
                del self._rows[path]
        return gone

    def changed(self, source: SourceFile) -> bool:
        """Whether the file is unknown, or not certain to be as it was."""
        row = self._rows.get(source.path)
        now = self._look(source)
        return row is None or now is None or row.signature != now or row.version != self._version

    def remembered(self, path: str) -> tuple[dict[str, Any], Content] | None:
        """Return the facts and the content of a file as they were, whether or not it is still like that.

        None, too, when they cannot be read.
        """
        row = self._rows.get(path)
        if row is None or row.content is None or row.version != self._version:
            return None
        key = row.content
        content = self.guarded(lambda: self._content(key), None)
        if content is None:
            return None
        try:
            return _facts(path, row), content
        except DamagedError:
            return None

    def reload(self, path: str) -> None:
        """Look again at what is stored of one file: other processes write, too."""
        none: list[tuple[Any, ...]] = []
        found = self.guarded(lambda: self._database.rows(f"{_SELECT} WHERE path = ?", (path,)), none)
        self._rows.pop(path, None)
        self._rows.update(map(_row, found))

    def _load(self) -> dict[str, _Row]:
        return dict(map(_row, self._database.rows(_SELECT)))

    def _look(self, source: SourceFile) -> Signature | None:
        """Return the file's signature, taken before it is read: a change in between shows the next time."""
        now: Signature | None = None
        if isinstance(source.tree, DiskTree):
            self._read_ns[source.path] = time.time_ns()
            now = signature_of(f"{source.tree.root}/{source.raw}")
        elif isinstance(source.tree, GitTree) and (blob := source.tree.blob(source.raw)):
            now = Signature.of_blob(source.size, blob)
        self._seen[source.path] = now
        return now

    def _restored_or_dropped(self, source: SourceFile, row: _Row) -> Outcome | None:
        try:
            return self._restored(source, row)
        except DamagedError:
            self._drop(source.path)
            return None

    def _drop(self, path: str) -> None:
        """Forget a row that cannot be read: the file is read instead, and written anew."""
        self._rows.pop(path, None)
        self._database.write(lambda db: db.execute("DELETE FROM contexts WHERE path = ?", (path,)))

    def _restored(self, source: SourceFile, row: _Row) -> Outcome | None:
        facts = _facts(source.path, row)
        if row.content is None:
            reason = facts["reason"]
            if reason is SkipReason.OWN_OUTPUT and source.explicit:
                return None
            return Skipped(source.path, reason, facts["detail"])
        content = self._content(row.content)
        if content is None:
            return None
        self._know(source.path, row.content, row.digest)
        file = scanned(source, facts["class"], facts["language"], facts["notes"], content)
        return file, content.fragments

    def _content(self, key: str) -> Content | None:
        row = self._database.row("SELECT units FROM contents WHERE key = ?", (key,))
        if row is None:
            return None
        try:
            return decode(row[0])
        except ValueError:
            # Bytes that rot on a disk are found by their checksum, and made anew.
            self._database.write(lambda db: db.execute("DELETE FROM contents WHERE key = ?", (key,)))
            return None

    def _has(self, key: str) -> bool:
        return self._database.row("SELECT 1 FROM contents WHERE key = ?", (key,)) is not None

    def _key(self, path: str, digest: str, file_class: FileClass, language: str) -> str:
        return content_key(path, digest, file_class.value, language, self._version)

    def _know(self, path: str, key: str, digest: str) -> None:
        self.keys[path], self.digests[path] = key, digest

    def guarded(self, action: Callable[[], T], otherwise: T) -> T:
        if not self._on:
            return otherwise
        try:
            return action()
        except sqlite3.Error as error:
            self._on = False
            self._pending.clear()
            self._failed(error)
            return otherwise


def _facts(path: str, row: _Row) -> dict[str, Any]:
    """Return the facts of a row, of the types they had; raises :class:`DamagedError` when they are wrong."""

    def read() -> dict[str, Any]:
        facts = from_json(row.facts)
        if row.content is None:
            detail = facts["detail"]
            if not isinstance(detail, str):
                raise TypeError
            return {"reason": SkipReason(facts["reason"]), "detail": detail}
        found = {"class": FileClass(facts["class"]), "language": facts["language"]}
        # The key of the content is of everything else, and so checks it.
        if content_key(path, row.digest, found["class"].value, found["language"], row.version) != row.content:
            raise ValueError
        notes = tuple(facts["notes"])
        if not all(isinstance(note, str) for note in notes):
            raise TypeError
        return {**found, "notes": notes}

    return decoded(f"the row of {path}", read)


def content_key(path: str, digest: str, file_class: str, language: str, version: str) -> str:
    """Return the key of what a text is made into: everything that extractors may look at decides."""
    parts = "\0".join((path, digest, file_class, language, version))
    return hashlib.sha256(parts.encode("utf-8")).hexdigest()
