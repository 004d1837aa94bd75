"""The file of a cache: opened by many at once, made anew when damaged, done without where it cannot be."""

from __future__ import annotations

import os
import random
import sqlite3
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from satchel.sources.cache import database as module
from satchel.sources.cache import schema
from satchel.sources.cache.database import Database, UnavailableError, open_database
from satchel.sources.cache.location import database_path, default_folder, network_file_system

OPEN = """
import sys
from pathlib import Path
from satchel.sources.cache.database import open_database
database = open_database(Path(sys.argv[1]))
database.write(lambda db: db.execute("INSERT INTO tallies VALUES (?, 1)", (sys.argv[2],)))
assert not database.notices, database.notices
"""

HOLD = """
import sqlite3, sys, time
db = sqlite3.connect(sys.argv[1], isolation_level=None)
db.execute("BEGIN IMMEDIATE")
print("held", flush=True)
time.sleep(0.5)
db.execute("COMMIT")
"""


def pragma(database: Database, name: str) -> object:
    row = database.row(f"PRAGMA {name}")
    assert row is not None
    return row[0]


def test_a_new_file_is_set_up_as_the_seed_says(tmp_path: Path) -> None:
    database = open_database(tmp_path / "deep" / "er" / "a.sqlite3")
    assert pragma(database, "journal_mode") == "wal"
    assert pragma(database, "busy_timeout") == 5000
    assert pragma(database, "synchronous") == 1  # NORMAL
    assert pragma(database, "user_version") == schema.SCHEMA_VERSION
    assert pragma(database, "application_id") == schema.APPLICATION_ID


def test_twelve_processes_may_begin_at_once(tmp_path: Path) -> None:
    """I13: parallel first runs failed with "database is locked"."""
    path = tmp_path / "a.sqlite3"
    crowd = [
        subprocess.Popen([sys.executable, "-c", OPEN, str(path), str(n)], stderr=subprocess.PIPE)
        for n in range(12)
    ]
    for process in crowd:
        _, error = process.communicate(timeout=60)
        assert process.returncode == 0, error.decode()
    assert len(open_database(path).rows("SELECT name FROM tallies")) == 12


@pytest.mark.parametrize(
    "statement", ["PRAGMA user_version", "PRAGMA application_id", "SELECT 1 FROM sqlite_master"]
)
def test_a_file_that_another_process_sets_up_meanwhile_is_our_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, statement: str
) -> None:
    """The version read before, the tables after: that looked like the file of another program."""
    path = tmp_path / "a.sqlite3"
    whole = sqlite3.connect
    waiting = [path]

    class Overtaken(sqlite3.Connection):
        def execute(self, sql: str, *values: Any) -> sqlite3.Cursor:
            if sql.startswith(statement) and waiting:
                monkeypatch.setattr(module.sqlite3, "connect", whole)
                open_database(waiting.pop()).close()
            return super().execute(sql, *values)

    monkeypatch.setattr(module.sqlite3, "connect", partial(whole, factory=Overtaken))
    database = open_database(path)
    assert not waiting
    assert database.rows("SELECT * FROM tallies") == []


@pytest.mark.parametrize("damage", ["text", "header", "middle"])
def test_a_damaged_file_is_set_aside_and_made_anew(tmp_path: Path, damage: str) -> None:
    path = tmp_path / "a.sqlite3"
    database = open_database(path)
    database.write(
        lambda db: db.executemany("INSERT INTO tallies VALUES (?, 1)", [(str(n),) for n in range(999)])
    )
    database.close()
    whole = path.read_bytes()
    wrong = {
        "text": b"not a database at all " * 500,
        "header": random.Random(1).randbytes(100) + whole[100:],
        "middle": whole[:100] + random.Random(2).randbytes(len(whole) - 100),
    }[damage]
    path.write_bytes(wrong)
    again = open_database(path)
    (notice,) = again.notices
    assert "damaged" in notice
    assert again.rows("SELECT * FROM tallies") == []
    assert path.with_name("a.sqlite3.damaged").read_bytes() == wrong
    assert not open_database(path).notices


def test_only_the_file_that_was_damaged_is_set_aside(tmp_path: Path) -> None:
    """Of two processes that met the same damage the second finds a new file, and leaves it alone."""
    path = tmp_path / "a.sqlite3"
    path.write_text("no database")
    seen = (path.stat().st_dev, path.stat().st_ino)
    open_database(path).close()
    assert not module.set_aside(path, seen)
    assert open_database(path).notices == []


def test_the_file_of_a_newer_version_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite3"
    open_database(path).write(lambda db: db.execute("PRAGMA user_version = 99"))
    with pytest.raises(UnavailableError, match="newer Satchel"):
        open_database(path)
    assert path.exists()


def test_the_file_of_another_program_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite3"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE theirs (x)")
    connection.close()
    with pytest.raises(UnavailableError, match="another program"):
        open_database(path)


def test_a_migration_happens_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.sqlite3"
    open_database(path).close()
    later = (*schema.MIGRATIONS, "CREATE TABLE more (x);\nCREATE TABLE contexts (already, there);\n")
    monkeypatch.setattr(module, "MIGRATIONS", later)
    monkeypatch.setattr(module, "SCHEMA_VERSION", len(later))
    with pytest.raises(UnavailableError, match="already exists"):
        open_database(path)
    names = {name for (name,) in sqlite3.connect(path).execute("SELECT name FROM sqlite_master")}
    assert "more" not in names
    monkeypatch.setattr(module, "MIGRATIONS", (*schema.MIGRATIONS, "CREATE TABLE more (x);"))
    assert open_database(path).rows("SELECT * FROM more") == []


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes anywhere")
def test_a_read_only_folder_is_said_to_be_one(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(UnavailableError):
            open_database(tmp_path / "a.sqlite3")
    finally:
        tmp_path.chmod(0o700)


def test_a_folder_that_cannot_be_made_is_said_to_be_one(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UnavailableError, match="cannot be made"):
        open_database(tmp_path / "file" / "a.sqlite3")


def test_a_read_only_file_is_said_to_be_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> sqlite3.Connection:
        error = sqlite3.OperationalError("attempt to write a readonly database")
        error.sqlite_errorcode = sqlite3.SQLITE_READONLY
        raise error

    monkeypatch.setattr(module.sqlite3, "connect", refuse)
    with pytest.raises(UnavailableError, match="read-only"):
        open_database(tmp_path / "a.sqlite3")


def test_network_file_systems_are_known_by_their_mounts(tmp_path: Path) -> None:
    """I15: SQLite is not safe on network file systems."""
    mounts = tmp_path / "mountinfo"
    lines = [
        "22 1 254:0 / / rw,relatime - ext4 /dev/vda rw",
        "23 22 0:40 / /srv/my\\040home rw - nfs4 server:/home rw",
        "24 23 0:41 / /srv/my\\040home/local rw - tmpfs tmpfs rw",
    ]
    mounts.write_text("\n".join(lines))
    assert network_file_system(Path("/srv/my home/caches"), mounts) == "nfs4"
    assert network_file_system(Path("/srv/my home/local/caches"), mounts) is None
    assert network_file_system(Path("/srv/my homes"), mounts) is None
    assert network_file_system(Path("/"), tmp_path / "none") is None


def test_each_repository_has_a_file_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("one", "two/one"):
        (tmp_path / name).mkdir(parents=True)
    paths = {database_path(tmp_path / name) for name in ("one", "two/one", "one/../one")}
    assert len(paths) == 2
    assert all(path.parent == default_folder() and path.name.startswith("one-") for path in paths)
    monkeypatch.delenv("SATCHEL_CACHE_DIR")
    assert "satchel" in str(default_folder())


def test_a_write_waits_for_another_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A lock held beyond the busy timeout is waited for again."""
    monkeypatch.setattr(module, "BUSY_MS", 50)
    path = tmp_path / "a.sqlite3"
    database = open_database(path)
    holder = subprocess.Popen(
        [
            sys.executable,
            "-c",
            HOLD,
            str(path),
        ],
        stdout=subprocess.PIPE,
    )
    assert holder.stdout is not None
    holder.stdout.readline()
    database.write(lambda db: db.execute("INSERT INTO tallies VALUES ('late', 1)"))
    assert database.row("SELECT value FROM tallies WHERE name = 'late'") == (1,)
    assert holder.wait(10) == 0
    holder.stdout.close()


def test_a_change_that_fails_leaves_nothing(tmp_path: Path) -> None:
    database = open_database(tmp_path / "a.sqlite3")

    def change(db: sqlite3.Connection) -> None:
        db.execute("INSERT INTO tallies VALUES ('half', 1)")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        database.write(change)
    assert database.rows("SELECT * FROM tallies") == []
