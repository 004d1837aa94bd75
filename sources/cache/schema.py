"""The tables of the cache, and how a database of an earlier version becomes one of this version.

Everything in it can be made again from the repository: a damaged file is set aside and begun anew, and
nothing else is lost with it. Clock times stand only here, never in an artifact.
"""

from __future__ import annotations

from typing import Final

APPLICATION_ID: Final = 0x53_61_74_63
"""``Satc``: what SQLite's header says of the program that a file belongs to."""

MIGRATIONS: Final[tuple[str, ...]] = (
    """
    -- What the files of the repository were when they were last read. size to inode are NULL when the
    -- file had changed so shortly before that a later change could look the same.
    CREATE TABLE contexts (
        path TEXT PRIMARY KEY,
        size INTEGER, mtime_ns INTEGER, ctime_ns INTEGER, inode INTEGER,
        digest TEXT NOT NULL,
        version TEXT NOT NULL,
        content TEXT,
        facts TEXT NOT NULL,
        updated_at INTEGER NOT NULL
    ) WITHOUT ROWID;

    -- What a text was cut into: its units and their rungs, and the words to search them by.
    CREATE TABLE contents (
        key TEXT PRIMARY KEY,
        digest TEXT NOT NULL,
        version TEXT NOT NULL,
        units BLOB NOT NULL,
        words BLOB,
        updated_at INTEGER NOT NULL
    );

    -- Tokens of every unit and rung of a content, as one recipe (tokenizer, format) renders and counts them.
    CREATE TABLE counts (
        content TEXT NOT NULL,
        recipe TEXT NOT NULL,
        tokens BLOB NOT NULL,
        PRIMARY KEY (content, recipe)
    ) WITHOUT ROWID;

    CREATE TABLE text_counts (
        key TEXT PRIMARY KEY,
        tokens INTEGER NOT NULL
    ) WITHOUT ROWID;

    -- Summaries of a text's fragments by their number, and of the whole of it as number -1, which is
    -- written last: where it stands, all are there. A NULL body says that there is none worth having.
    CREATE TABLE summaries (
        key TEXT NOT NULL,
        number INTEGER NOT NULL,
        digest TEXT NOT NULL,
        version TEXT NOT NULL,
        shape TEXT NOT NULL,
        body TEXT,
        updated_at INTEGER NOT NULL,
        PRIMARY KEY (key, number)
    ) WITHOUT ROWID;

    CREATE TABLE jobs (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        path TEXT NOT NULL UNIQUE,
        raw BLOB,
        status TEXT NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'working', 'dead')),
        priority INTEGER NOT NULL DEFAULT 0,
        version INTEGER NOT NULL DEFAULT 1,
        claim TEXT,
        lease_until INTEGER,
        attempts INTEGER NOT NULL DEFAULT 0,
        error TEXT,
        created_at INTEGER NOT NULL
    );
    CREATE INDEX jobs_in_order ON jobs (status, priority DESC, number);

    CREATE TABLE facts (
        name TEXT PRIMARY KEY,
        key TEXT NOT NULL,
        value BLOB NOT NULL
    ) WITHOUT ROWID;

    CREATE TABLE tallies (
        name TEXT PRIMARY KEY,
        value INTEGER NOT NULL
    ) WITHOUT ROWID;
    """,
    """
    -- Units of a content as one recipe (kind of task, tokenizer, format) gives them where no task makes forms
    -- of its own for them: everything but their scores.
    CREATE TABLE plain (
        content TEXT NOT NULL,
        recipe TEXT NOT NULL,
        units BLOB NOT NULL,
        PRIMARY KEY (content, recipe)
    ) WITHOUT ROWID;
    """,
    """
    -- The last packs: what was asked, what of, and the three texts, compressed. The digest is of all of them.
    CREATE TABLE answers (
        question TEXT PRIMARY KEY,
        ground TEXT NOT NULL,
        digest BLOB NOT NULL,
        context BLOB NOT NULL,
        problem BLOB NOT NULL,
        prompt BLOB NOT NULL,
        number INTEGER NOT NULL
    );
    """,
)
"""One script for each version, in order; ``PRAGMA user_version`` says how many of them have run."""

SCHEMA_VERSION: Final = len(MIGRATIONS)
