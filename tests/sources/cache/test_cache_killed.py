"""Workers that are killed at any instant lose no job, leave no half-written row, and do nothing twice."""

from __future__ import annotations

import os
import random
import signal
import time
import warnings
from pathlib import Path

import pytest

from satchel.models import Task
from satchel.sources.cache import contexts
from satchel.sources.cache.queue import Queue
from satchel.sources.cache.report import verify
from satchel.sources.cache.store import Cache
from satchel.sources.cache.summaries import WHOLE, SummaryUse
from satchel.sources.cache.worker import work_one
from satchel.sources.scan import ScanOptions, scan

KILLS = 200
FILES = 60
FOLLOWED = "It is followed {n} times before it ends, and nobody counts how often it is read again."


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    root = tmp_path / "repo"
    root.mkdir()
    for n in range(FILES):
        lines = [
            f"A link of kind {n} in paragraph {m} is made by a request. {FOLLOWED.format(n=m)}"
            for m in range(12)
        ]
        (root / f"page{n:02}.md").write_text(f"# Page {n}\n\n" + "\n\n".join(lines) + "\n")
    return root


@pytest.fixture(autouse=True)
def _old_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let young files be believed by their times, so that verifying compares them all."""
    monkeypatch.setattr(contexts, "RACY_NS", 0)


def read_all(cache: Cache) -> None:
    options = ScanOptions(history=False, cache=cache, summaries=SummaryUse.CACHED)
    scan(cache.root, Task(kind="overview"), options)


def fill_the_queue(repo: Path) -> None:
    with Cache(repo) as cache:
        scan(
            repo, Task(kind="overview"), ScanOptions(history=False, cache=cache, summaries=SummaryUse.CACHED)
        )
        assert cache.queue.state().pending == FILES


def child(repo: Path) -> int:
    """Start a worker as a copy of this process, which is a hundred times quicker than a new one."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # Python 3.12: of forks beside threads
        pid = os.fork()
    if pid:
        return pid
    try:
        with Cache(repo) as cache:
            cache.queue = Queue(cache.database, lease_ms=20, attempts=1_000_000)
            while work_one(cache):
                pass
    finally:
        os._exit(0)


def whole(cache: Cache) -> set[str]:
    """Digests of the texts whose summaries are all made."""
    return {
        digest for (digest,) in cache.database.rows("SELECT digest FROM summaries WHERE number = ?", (WHOLE,))
    }


def check(cache: Cache) -> int:
    """Return how many files are done; each is either done or has a job, and what is written is whole."""
    jobs = cache.queue.paths()
    done = whole(cache)
    rows = cache.database.rows("SELECT path, digest FROM contexts")
    assert len(rows) == FILES
    for path, digest in rows:
        assert path in jobs or digest in done, f"the job of {path} is lost"
    halves = cache.database.rows("SELECT key FROM summaries GROUP BY key HAVING min(number) <> ?", (WHOLE,))
    assert halves == [], "a text has summaries of fragments only"
    return len(done)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_hundreds_of_kills_lose_nothing(repo: Path) -> None:
    fill_the_queue(repo)
    chance = random.Random(5)
    at_work = 0
    with Cache(repo) as cache:
        for n in range(KILLS):
            if not cache.queue.open():
                # All done: begin anew, so that there is something to be killed at.
                cache.database.write(lambda db: db.execute("DELETE FROM summaries"))
                cache.database.write(lambda db: db.execute("DELETE FROM jobs"))
                cache.database.write(
                    lambda db: db.execute("INSERT INTO jobs (path, created_at) SELECT path, 0 FROM contexts")
                )
            pid = child(repo)
            time.sleep(chance.uniform(0.0, 0.03))
            os.kill(pid, signal.SIGKILL)
            _, status = os.waitpid(pid, 0)
            at_work += os.WIFSIGNALED(status)
            if n % 10 == 0:
                check(cache)
        assert at_work > KILLS / 3, "most workers were killed at work, not after it"
        # What is left is done by workers that live; leases of the killed run out.
        queue = cache.queue = Queue(cache.database, lease_ms=20, attempts=1_000_000)
        while queue.open():
            if not work_one(cache):
                time.sleep(0.01)
        assert check(cache) == FILES
    with Cache(repo) as cache:
        verdict = verify(cache)
        assert verdict.faults == ()
        assert verdict.summaries == FILES * 2, "of each page its section, and the whole"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_equal_texts_have_one_result(tmp_path: Path) -> None:
    root = tmp_path / "repo"
    root.mkdir()
    text = "# Same\n\n" + "\n\n".join(FOLLOWED.format(n=n) for n in range(20))
    for n in range(20):
        (root / f"copy{n}.md").write_text(text)
    with Cache(root) as cache:
        scan(
            root, Task(kind="overview"), ScanOptions(history=False, cache=cache, summaries=SummaryUse.CACHED)
        )
    crew = [child(root) for _ in range(4)]
    for pid in crew:
        assert os.waitpid(pid, 0)[1] == 0
    with Cache(root) as cache:
        while work_one(cache):
            pass
        assert cache.queue.open() == 0
        assert cache.database.row(
            "SELECT count(*), count(DISTINCT digest) FROM summaries WHERE number = -1"
        ) == (1, 1)
