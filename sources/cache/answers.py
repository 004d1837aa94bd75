"""Answers that were given before: kept by what was asked, and given again while everything read is as it was.

What a pack says is decided by what is asked, by the code that answers, and by what is read. The first two are
the *question*, the last is the *ground*: the contents of all files, what was left out and why, and what git
says. Times of files are no part of it: a file that was touched, and holds what it held, changes no answer.
"""

from __future__ import annotations

import hashlib
import sqlite3
import zlib
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from ..candidates import read_file
from ..extract import default_registry
from ..files import SkipReason
from ..gitinfo import History
from ..walk import WalkOptions, WalkResult
from .contexts import Contexts
from .store import Cache

KEPT: Final = 3
"""So many answers are kept of a repository, the newest: each is as large as the problem that it solves."""

LARGEST: Final = 64 << 20
"""Compressed bytes above which an answer is not kept."""

_MOST_READ: Final = 500
"""Where more files than this have changed, the ground is another."""

_LEVEL: Final = 1
_DIGEST_BYTES: Final = 16


class Answer(NamedTuple):
    """The texts of an answer, compressed: artifact, problem and prompt."""

    context: bytes
    problem: bytes
    prompt: bytes

    @classmethod
    def of(cls, context: str, problem: str, prompt: str) -> Answer:
        """Return the answer that has these texts, which are such as files can hold."""
        return cls(*[zlib.compress(text.encode("utf-8"), _LEVEL) for text in (context, problem, prompt)])

    @staticmethod
    def text(part: bytes) -> str:
        """Return the text of one of the parts."""
        return zlib.decompress(part).decode("utf-8")


class Answers:
    """The answers that are kept in a cache."""

    def __init__(self, cache: Cache) -> None:
        self._cache = cache

    def is_known(self, question: str) -> bool:
        """Whether there is an answer, of whatever ground."""
        return self._ground(question) is not None

    def get(self, question: str, ground: str) -> Answer | None:
        """Return the answer to a question on this very ground; None, too, when it cannot be read."""
        sql = "SELECT digest, context, problem, prompt FROM answers WHERE question = ? AND ground = ?"
        row = self._cache.guarded(lambda: self._cache.database.row(sql, (question, ground)), None)
        if row is None or not all(isinstance(part, bytes) for part in row):
            return None
        answer = Answer(*row[1:])
        return answer if row[0] == _digest(question, ground, answer) else None

    def keep(self, question: str, ground: str, answer: Answer) -> None:
        """Write an answer, and forget the oldest of those that are too many."""
        if sum(map(len, answer)) > LARGEST:
            return
        row = (question, ground, _digest(question, ground, answer), *answer)

        def change(db: sqlite3.Connection) -> None:
            (last,) = db.execute("SELECT max(number) FROM answers").fetchone()
            db.execute("INSERT OR REPLACE INTO answers VALUES (?, ?, ?, ?, ?, ?, ?)", (*row, (last or 0) + 1))
            newest = "SELECT number FROM answers ORDER BY number DESC LIMIT ?"
            db.execute(f"DELETE FROM answers WHERE number NOT IN ({newest})", (KEPT,))  # noqa: S608 - ours

        self._cache.guarded(lambda: self._cache.database.write(change), None)

    def _ground(self, question: str) -> str | None:
        sql = "SELECT ground FROM answers WHERE question = ?"
        row = self._cache.guarded(lambda: self._cache.database.row(sql, (question,)), None)
        return row[0] if row and isinstance(row[0], str) else None


def looked_at(walked: WalkResult, options: WalkOptions, contexts: Contexts) -> bool:
    """Find out what the files of a walk hold now; only those that may have changed are read.

    False where there are so many of them that one may as well read as without answers.
    """
    fresh = [source for source in walked.files if not contexts.is_as_it_was(source)]
    if len(fresh) > _MOST_READ:
        return False
    for source in fresh:
        read_file(source, options.max_file_bytes, default_registry(), contexts)
    return True


def ground_of(
    walked: WalkResult,
    contexts: Contexts,
    histories: Mapping[str, History],
    facts: Sequence[str | None],
) -> str | None:
    """Return a digest of all that was read; None where it is not known of every file what it holds.

    Parameters
    ----------
    walked
        The walk, of whose files ``contexts`` knows in this run what each holds.
    histories
        When files last changed, by folder.
    facts
        Whatever else is read.
    """
    digest = hashlib.blake2b(digest_size=_DIGEST_BYTES)
    for source in walked.files:
        state = contexts.states.get(source.path)
        if state is None:
            return None
        if state.reason is not SkipReason.OWN_OUTPUT:  # what earlier runs wrote decides nothing
            digest.update(repr((source.path, source.raw, source.size, source.explicit, *state[:2])).encode())
    for item in walked.skipped:
        if item.reason is not SkipReason.OWN_OUTPUT:
            digest.update(repr((item.path, item.reason.value, item.detail, item.files)).encode())
    for label, history in sorted(histories.items()):
        changes = sorted(history.last_changes.items())
        digest.update(repr((label, history.head_time, changes, history.horizon, history.notes)).encode())
    digest.update(repr((walked.unmatched, walked.notes, tuple(facts))).encode())
    return digest.hexdigest()


def _digest(question: str, ground: str, answer: Answer) -> bytes:
    digest = hashlib.blake2b(f"{question} {ground} {[len(part) for part in answer]}".encode(), digest_size=16)
    for part in answer:
        digest.update(part)
    return digest.digest()
