"""Watching: what changes is read and queued, whatever way it came to change."""

from __future__ import annotations

import shutil
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from satchel.sources.cache.store import Cache
from satchel.sources.cache.watch import Round, Watcher

LONG = "A link is made by a request to the service, and it is followed until it is deleted. "


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    root = tmp_path / "repo"
    root.mkdir()
    for n in range(3):
        (root / f"page{n}.md").write_text(f"# Page {n}\n\n{LONG * 20}\n")
    return root


class Watch:
    """A watcher in a thread of its own, with a cache of its own."""

    def __init__(self, root: Path) -> None:
        self.rounds: list[Round] = []
        self.stop = threading.Event()
        self._root = root
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def _run(self) -> None:
        with Cache(self._root) as cache:
            for found in Watcher(cache).watch(self.stop, force_polling=False):
                self.rounds.append(found)

    def wait(self, until: Callable[[], bool], seconds: float = 20.0) -> None:
        deadline = time.monotonic() + seconds
        while not until():
            assert self._thread.is_alive(), "the watcher has ended"
            assert time.monotonic() < deadline, self.rounds
            time.sleep(0.05)

    def end(self) -> None:
        self.stop.set()
        self._thread.join(20)
        assert not self._thread.is_alive()


@pytest.fixture
def watch(repo: Path) -> Iterator[Watch]:
    watch = Watch(repo)
    try:
        watch.wait(lambda: len(watch.rounds) == 1)
        time.sleep(0.3)  # until the system's watch stands
        yield watch
    finally:
        watch.end()


def known(root: Path) -> dict[str, str]:
    with Cache(root) as cache:
        return dict(cache.database.rows("SELECT path, digest FROM contexts"))


def queued(root: Path) -> frozenset[str]:
    with Cache(root) as cache:
        return cache.queue.paths()


def test_one_look_reads_what_is_new_and_queues_it(repo: Path) -> None:
    with Cache(repo) as cache:
        watcher = Watcher(cache)
        assert watcher.look() == Round(changed=3, gone=0, queued=3)
        (repo / "page0.md").unlink()
        (repo / "page1.md").write_text(f"# Another\n\n{LONG * 30}\n")
        (repo / ".gitignore").write_text("page2.md\n")
        found = watcher.look()
        assert found.gone == 1
        assert found.queued == 1
        assert cache.queue.paths() == {"page1.md", "page2.md"}


def test_a_look_at_a_root_that_is_gone_says_so(repo: Path) -> None:
    with Cache(repo) as cache:
        watcher = Watcher(cache)
        watcher.look()
        shutil.rmtree(repo)
        assert watcher.look() == Round(missing_root=True)


def test_changes_are_seen_as_they_come(repo: Path, watch: Watch) -> None:
    before = known(repo)
    # An editor's atomic save, a rename, a deletion and a new folder.
    (repo / ".page0.tmp").write_text(f"# Saved\n\n{LONG * 25}\n")
    (repo / ".page0.tmp").replace(repo / "page0.md")
    (repo / "page1.md").rename(repo / "moved.md")
    (repo / "page2.md").unlink()
    (repo / "new").mkdir()
    (repo / "new/page.md").write_text(f"# New\n\n{LONG * 22}\n")
    watch.wait(lambda: set(known(repo)) == {"page0.md", "moved.md", "new/page.md"})
    after = known(repo)
    assert after["page0.md"] != before["page0.md"]
    assert after["moved.md"] == before["page1.md"], "a rename keeps the hash, and with it the summary"
    watch.wait(lambda: queued(repo) == {"page0.md", "moved.md", "new/page.md"})


def test_a_branch_switch_of_thousands_is_a_round_or_two(repo: Path, watch: Watch) -> None:
    folder = repo / "many"
    folder.mkdir()
    for n in range(1_500):
        (folder / f"{n}.py").write_text(f"def f{n}():\n    return {n}\n")
    watch.wait(lambda: len(known(repo)) == 1_503, seconds=60)
    assert len(watch.rounds) < 20
    shutil.rmtree(folder)
    watch.wait(lambda: len(known(repo)) == 3, seconds=60)


def test_what_is_ignored_wakes_nobody(repo: Path, watch: Watch) -> None:
    (repo / ".gitignore").write_text("build/\n")
    (repo / "build").mkdir()
    (repo / "build/a.md").write_text(LONG * 20)
    (repo / "kept.md").write_text(f"# Kept\n\n{LONG * 20}\n")
    watch.wait(lambda: "kept.md" in known(repo))
    rounds = len(watch.rounds)
    for n in range(5):
        (repo / f"build/{n}.md").write_text(LONG * 20)
        time.sleep(0.1)
    time.sleep(1.0)
    assert len(watch.rounds) <= rounds + 1
    assert not any(path.startswith("build/") for path in known(repo))


def test_a_root_that_is_deleted_is_waited_for(repo: Path, watch: Watch) -> None:
    shutil.rmtree(repo)
    watch.wait(lambda: any(found.missing_root for found in watch.rounds))
    repo.mkdir()
    (repo / "back.md").write_text(f"# Back\n\n{LONG * 20}\n")
    watch.wait(lambda: set(known(repo)) == {"back.md"})
    time.sleep(0.3)
    (repo / "again.md").write_text(f"# Again\n\n{LONG * 20}\n")
    watch.wait(lambda: set(known(repo)) == {"back.md", "again.md"})
