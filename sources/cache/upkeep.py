"""What keeps caches from growing for ever: rows without use, and files of repositories long gone."""

from __future__ import annotations

import contextlib
import re
import sqlite3
import time
from pathlib import Path
from typing import Final

from .location import SUFFIX

DAY: Final = 86_400

KEPT_DAYS: Final = 30
"""A text that no file holds any more is kept for so long: branches come back."""

UNUSED_DAYS: Final = 90
"""A cache that no run has used for so long is deleted when another one is begun beside it."""

_MOST_TEXT_COUNTS: Final = 500_000

_OURS: Final = re.compile(rf".+-[0-9a-f]{{16}}{re.escape(SUFFIX)}")

_RULES: Final = (
    """DELETE FROM contents WHERE updated_at < :then
    AND key NOT IN (SELECT content FROM contexts WHERE content IS NOT NULL)""",
    "DELETE FROM counts WHERE content NOT IN (SELECT key FROM contents)",
    "DELETE FROM plain WHERE content NOT IN (SELECT key FROM contents)",
    "DELETE FROM summaries WHERE updated_at < :then AND digest NOT IN (SELECT digest FROM contexts)",
    f"DELETE FROM text_counts WHERE (SELECT count(*) FROM text_counts) > {_MOST_TEXT_COUNTS}",  # noqa: S608
)


def prune(db: sqlite3.Connection) -> bool:
    """Delete rows that have been of no use for long; once a day. Returns whether it was done."""
    now = int(time.time())
    today = str(now // DAY)
    if db.execute("SELECT 1 FROM facts WHERE name = 'pruned' AND key = ?", (today,)).fetchone():
        return False
    for rule in _RULES:
        db.execute(rule, {"then": now - KEPT_DAYS * DAY} if ":then" in rule else {})
    db.execute("INSERT OR REPLACE INTO facts VALUES ('pruned', ?, '')", (today,))
    return True


def sweep(folder: Path) -> list[Path]:
    """Delete the caches in ``folder`` that no run has used for long; returns their files."""
    then = time.time() - UNUSED_DAYS * DAY
    gone: list[Path] = []
    with contextlib.suppress(OSError):
        for path in sorted(folder.iterdir()):
            if not _OURS.fullmatch(path.name):
                continue
            files = [
                path.with_name(path.name + ending) for ending in ("", "-wal", "-shm", ".damaged", ".lock")
            ]
            there = [file for file in files if file.exists()]
            if all(file.stat().st_mtime < then for file in there):
                for file in there:
                    file.unlink()
                gone.append(path)
    return gone
