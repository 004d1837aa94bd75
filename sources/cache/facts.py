"""What git says of a repository, kept until its checked-out commit is another."""

from __future__ import annotations

import json
import sqlite3
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from ..gitinfo import History, find_repository, read_history, run_git
from .database import DamagedError, decoded
from .store import Cache

_NAME: Final = "history"


def remembered_history(root: Path, cache: Cache | None, *, revision: str = "", label: str = "") -> History:
    """Return :func:`..gitinfo.read_history`, from the cache while the commit is the same.

    Parameters
    ----------
    revision
        Up to which history is asked for; what is checked out when empty.
    label
        Of the folder, where the cache is of several.
    """
    wanted = f"{revision}^{{commit}}" if revision else "HEAD"
    head = run_git(root, "rev-parse", "--verify", "--quiet", wanted, accept=(0, 1)).output
    if cache is None or not head or not head.strip():
        return read_history(root, revision=revision or "HEAD")
    name = f"{_NAME}:{label}" if label else _NAME
    key = f"{head.decode('ascii').strip()} {_shallow(root)} {cache.version}"
    row = cache.guarded(
        lambda: cache.database.row("SELECT value FROM facts WHERE name = ? AND key = ?", (name, key)), None
    )
    if row is not None:
        # What cannot be read is asked for again, and written anew.
        with suppress(DamagedError):
            return decoded("the history", lambda: _history(json.loads(row[0])))
    history = read_history(root, revision=revision or "HEAD")
    data = json.dumps(
        {
            "head": history.head_time,
            "changes": dict(history.last_changes),
            "horizon": history.horizon,
            "notes": history.notes,
        }
    )

    def change(connection: sqlite3.Connection) -> None:
        connection.execute("INSERT OR REPLACE INTO facts VALUES (?, ?, ?)", (name, key, data))

    cache.guarded(lambda: cache.database.write(change), None)
    return history


def _history(data: dict[str, Any]) -> History:
    changes, notes = dict(data["changes"]), tuple(data["notes"])
    times = (data["head"] or 0, data["horizon"] or 0, *changes.values())
    if not all(isinstance(time, int) for time in times):
        raise TypeError
    return History(data["head"], MappingProxyType(changes), data["horizon"], notes)


def _shallow(root: Path) -> str:
    """Return what says how deep a shallow clone is: deepening it moves the horizon, not the commit."""
    repository = find_repository(root)
    if repository is None:
        return ""
    try:
        found = (repository.common / "shallow").stat()
    except OSError:
        return ""
    return f"{found.st_size}-{found.st_mtime_ns}"
