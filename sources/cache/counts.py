"""Token counts of rendered blocks, by a digest of all that they are made of.

A count is looked up without rendering and without counting. Rows are kept by the content that they belong
to, some hundred counts each, so that a warm run reads thousands of rows, not hundreds of thousands.
"""

from __future__ import annotations

import sqlite3
import struct
from collections.abc import Mapping, Sequence
from typing import Final

from .contexts import Contexts
from .database import DamagedError, Database

DIGEST_BYTES: Final = 16

_ENTRY: Final = struct.Struct(f"<{DIGEST_BYTES}sI")
_AT_ONCE: Final = 500
_MOST: Final = 4_096
"""Counts that are kept of one content: tasks make excerpts of their own, and the oldest are forgotten."""


class Counts:
    """The counts of one recipe: what counts, and how blocks are rendered.

    Parameters
    ----------
    recipe
        Changes whenever the same digest could have another count.
    contexts
        Knows which content a path has now.
    """

    def __init__(self, database: Database, recipe: str, contexts: Contexts) -> None:
        self._database = database
        self._recipe = recipe
        self._contexts = contexts
        self._known: dict[bytes, int] = {}
        self._new: dict[str, list[tuple[bytes, int]]] = {}
        for blob in contexts.guarded(self._blobs, list[bytes]()):
            self._known.update(_ENTRY.iter_unpack(blob))

    def get(self, digest: bytes) -> int | None:
        """Return the tokens of the block with this digest, if they were counted before."""
        return self._known.get(digest)

    def put(self, path: str, digest: bytes, tokens: int) -> None:
        """Remember the tokens of a block that shows the file ``path``."""
        key = self._contexts.keys.get(path)
        if key is not None:
            self._new.setdefault(key, []).append((digest, tokens))

    def flush(self) -> None:
        """Write what was counted."""
        new, self._new = self._new, {}
        if new:
            self._contexts.guarded(lambda: self._database.write(lambda db: self._write(db, new)), None)

    def _blobs(self) -> list[bytes]:
        rows = self._database.rows(
            "SELECT tokens FROM counts WHERE recipe = ? AND content IN (SELECT content FROM contexts)",
            (self._recipe,),
        )
        return [blob for (blob,) in rows if _whole(blob)]

    def _write(self, db: sqlite3.Connection, new: Mapping[str, list[tuple[bytes, int]]]) -> None:
        for content, entries in new.items():
            row = db.execute(
                "SELECT tokens FROM counts WHERE content = ? AND recipe = ?", (content, self._recipe)
            ).fetchone()
            kept = dict(_ENTRY.iter_unpack(row[0])) if row and _whole(row[0]) else {}
            kept.update(entries)
            blob = b"".join(_ENTRY.pack(*entry) for entry in list(kept.items())[-_MOST:])
            db.execute("INSERT OR REPLACE INTO counts VALUES (?, ?, ?)", (content, self._recipe, blob))


def _whole(blob: object) -> bool:
    return isinstance(blob, bytes) and len(blob) % _ENTRY.size == 0


class TextCounts:
    """A :class:`..tokens.cached.CountStore` in the database: counts of texts by the digest of the text."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def get_many(self, keys: Sequence[str]) -> Mapping[str, int]:
        """Return the counts that are known among ``keys``."""
        found: dict[str, int] = {}
        for start in range(0, len(keys), _AT_ONCE):
            part = keys[start : start + _AT_ONCE]
            marks = ", ".join("?" * len(part))
            sql = f"SELECT key, tokens FROM text_counts WHERE key IN ({marks})"  # noqa: S608 - marks only
            rows = self._database.rows(sql, part)
            if not all(type(tokens) is int for _, tokens in rows):
                raise DamagedError("a count of tokens cannot be read")
            found.update(rows)
        return found

    def put_many(self, counts: Mapping[str, int]) -> None:
        """Remember ``counts``."""
        rows = list(counts.items())
        self._database.write(
            lambda db: db.executemany("INSERT OR IGNORE INTO text_counts VALUES (?, ?)", rows)
        )
