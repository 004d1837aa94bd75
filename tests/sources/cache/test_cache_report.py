"""What a cache tells of itself: status, verification, savings."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from satchel import (
    CacheOptions,
    PackOptions,
    Task,
    UsageError,
    cache_savings,
    cache_status,
    clear_cache,
    make_estimator,
    open_cache,
    prepare,
    verify_cache,
    work_cache,
)
from satchel.models import FileError
from satchel.sources.cache import contexts, worker
from satchel.sources.cache.store import Cache
from satchel.sources.cache.worker import work_one

MODULE = '"""Keeps rows of numbers, and adds them up."""\n\n' + "\n\n".join(
    f"def row_{n}(first: int, second: int) -> int:\n"
    f'    """Return row {n} of the table, made of two numbers."""\n'
    + "".join(f"    value_{m} = first * {m} + second * {n} - {m * n}\n" for m in range(8))
    + "    return first + second"
    for n in range(42)
)
DOCUMENT = "# Handbook\n\n" + "\n\n".join(
    f"Chapter {n} says how a table of size {n} is kept. Its rows are numbered from one to {n}. Each of them "
    "has a name that a reader can look up, and a note on who made it. Nothing in it is ever deleted by hand."
    for n in range(32)
)


@pytest.fixture(autouse=True)
def _old_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let young files be believed by their times."""
    monkeypatch.setattr(contexts, "RACY_NS", 0)


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    root = tmp_path / "repo"
    root.mkdir()
    (root / "table.py").write_text(MODULE + "\n")
    (root / "handbook.md").write_text(DOCUMENT + "\n")
    (root / "short.txt").write_text("Short.\n")
    options = PackOptions(budget=4000, cache=CacheOptions())
    prepare(root, Task(kind="overview"), options)
    return root


def make_summaries(root: Path) -> None:
    with Cache(root) as cache:
        while work_one(cache):
            pass


def test_status_tells_what_is_there_and_what_is_not(repo: Path) -> None:
    found = cache_status(repo)
    assert (found.files, found.fresh, found.stale, found.unknown) == (3, 3, 0, 0)
    assert (found.scans, found.misses, found.hits) == (1, 3, 0)
    assert found.size > 0
    assert found.queue.pending == found.unsummarised == 2
    make_summaries(repo)
    (repo / "table.py").write_text("x = 1\n")
    (repo / "new.py").write_text("y = 1\n")
    found = cache_status(repo)
    assert (found.files, found.fresh, found.stale, found.unknown) == (3, 2, 1, 1)
    assert (found.summarised, found.unsummarised, found.queue.pending) == (2, 0, 0)


def test_dead_jobs_are_told(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> None:
        raise ValueError("no sense in this")

    with monkeypatch.context() as patch:
        patch.setattr(worker, "make_all", fails)
        make_summaries(repo)
    found = cache_status(repo).queue
    assert found.dead_jobs == (
        ("handbook.md", "ValueError: no sense in this"),
        ("table.py", "ValueError: no sense in this"),
    )
    assert work_cache(repo).dead == 2
    done = work_cache(repo, retry=True)
    assert (done.left, done.dead) == (0, 0)


def test_a_true_cache_has_no_faults(repo: Path) -> None:
    make_summaries(repo)
    verdict = verify_cache(repo)
    assert (verdict.checked, verdict.stale, verdict.faults) == (3, 0, ())
    assert verdict.summaries > 2
    (repo / "short.txt").write_text("Changed.\n")
    assert verify_cache(repo).stale == 1


@pytest.mark.parametrize("table", ["contents", "summaries"])
def test_a_row_that_is_wrong_is_found_and_removed(repo: Path, table: str) -> None:
    make_summaries(repo)
    swap = {
        "contents": "UPDATE contents SET units = (SELECT units FROM contents ORDER BY length(units))",
        "summaries": "UPDATE summaries SET body = replace(body, 'table', 'chair')",
    }
    with open_cache(repo) as cache:
        cache.database.write(lambda db: db.execute(swap[table]))
    assert verify_cache(repo).faults
    assert verify_cache(repo).faults == ()
    options = PackOptions(budget=4000, cache=CacheOptions())
    warm = prepare(repo, Task(kind="overview"), options)[1]
    assert warm == prepare(repo, Task(kind="overview"), PackOptions(budget=4000))[1]


def test_savings_are_what_the_seed_says(repo: Path) -> None:
    """Seed 002: about 92 % on a module of 500 lines, 91 % on a document of 1,500 words."""
    assert 480 <= MODULE.count("\n") <= 520
    assert 1_400 <= len(DOCUMENT.split()) <= 1_600
    before = cache_savings(repo, make_estimator())
    assert before.unsummarised == 2
    make_summaries(repo)
    found = cache_savings(repo, make_estimator())
    by_kind = {entry.name: entry for entry in found.by_kind}
    assert set(by_kind) == {"source", "doc"}
    assert by_kind["source"].share > 0.92
    assert by_kind["doc"].share > 0.91
    (exact,) = make_estimator().count_batch([MODULE + "\n"])
    assert by_kind["source"].before == exact
    assert found.together.before == sum(entry.before for entry in found.by_kind)
    rungs = {entry.name: entry for entry in found.by_rung}
    assert rungs["symbolized"].texts >= 42
    assert all(0 < entry.after < entry.before for entry in found.by_rung)
    assert {entry.name for entry in found.largest} == {"table.py", "handbook.md"}


def test_clearing_leaves_nothing(repo: Path) -> None:
    (gone,) = clear_cache(repo)
    assert not gone.exists()
    assert clear_cache(repo) == ()


def test_workers_in_processes_do_all_of_it(repo: Path) -> None:
    left: list[int] = []
    done = work_cache(repo, workers=2, on_progress=left.append)
    assert (done.left, done.dead, done.restarts) == (0, 0, 0)
    assert left[0] >= left[-1]
    assert cache_status(repo).summarised == 2


def test_a_file_that_is_gone_when_its_turn_comes_is_no_failure(repo: Path) -> None:
    (repo / "table.py").unlink()
    (repo / "handbook.md").unlink()
    (repo / "handbook.md").symlink_to("short.txt")
    make_summaries(repo)
    found = cache_status(repo)
    assert (found.queue.pending, found.queue.dead) == (0, 0)


@pytest.mark.parametrize("workers", [0, -1, 1_000])
def test_a_number_of_workers_that_is_none_is_refused(repo: Path, workers: int) -> None:
    with pytest.raises(UsageError, match="1 to 64"):
        work_cache(repo, workers=workers)


def test_what_is_no_folder_has_no_cache(tmp_path: Path) -> None:
    with pytest.raises(FileError):
        cache_status(tmp_path / "none")


def test_without_a_cache_the_work_goes_on(repo: Path, tmp_path: Path) -> None:
    """One notice, and the same result."""
    (tmp_path / "file").write_text("")
    told: list[str] = []
    nowhere = CacheOptions(tmp_path / "file" / "cache")
    options = PackOptions(budget=4000, cache=nowhere, on_notice=told.append)
    without = prepare(repo, Task(kind="overview"), options)[1]
    (notice,) = told
    assert notice.startswith("working without a cache: ")
    assert without == prepare(repo, Task(kind="overview"), PackOptions(budget=4000))[1]
    with pytest.raises(UsageError, match="cannot be made"):
        cache_status(repo, nowhere)


def test_a_damaged_cache_is_told_once(repo: Path) -> None:
    with open_cache(repo) as cache:
        path = cache.path
    shutil.copy(repo / "table.py", path)
    for expected in (1, 0):
        told: list[str] = []
        options = PackOptions(budget=4000, cache=CacheOptions(), on_notice=told.append)
        prepare(repo, Task(kind="overview"), options)
        assert len(told) == expected
