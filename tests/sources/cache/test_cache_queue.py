"""Jobs: who gets which, what becomes of those whose workers die or fail."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from satchel.sources.cache.database import Database, open_database
from satchel.sources.cache.queue import Queue, Wanted


class Clock:
    """Milliseconds that pass when told to."""

    def __init__(self) -> None:
        self.now = 1_000_000_000_000

    def __call__(self) -> int:
        return self.now


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    database = open_database(tmp_path / "a.sqlite3")
    yield database
    database.close()


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def queue(database: Database, clock: Clock) -> Queue:
    return Queue(database, lease_ms=1_000, attempts=3, clock=clock)


def wanted(*paths: str) -> list[Wanted]:
    return [Wanted(path, path) for path in paths]


def order(queue: Queue) -> list[str]:
    found = []
    while job := queue.claim():
        found.append(job.path)
    return found


def test_first_come_first_served_but_for_what_a_pack_waits_for(queue: Queue) -> None:
    queue.add(wanted("b", "a", "c"))
    queue.add(wanted("c"), priority=10)
    queue.add(wanted("d"))
    assert order(queue) == ["c", "b", "a", "d"]


def test_a_file_is_queued_once(queue: Queue) -> None:
    queue.add(wanted("a", "a"))
    queue.add(wanted("a"))
    assert order(queue) == ["a"]


def test_a_job_in_hand_is_not_given_to_another(queue: Queue) -> None:
    queue.add(wanted("a"))
    assert queue.claim()
    assert queue.claim() is None


def test_the_job_of_a_killed_worker_comes_back(queue: Queue, clock: Clock) -> None:
    queue.add(wanted("a"))
    first = queue.claim()
    clock.now += 1_001
    second = queue.claim()
    assert first
    assert second
    assert (second.path, second.attempts) == ("a", 2)
    assert not queue.finish(first), "its lease has run out"
    assert not queue.fail(first, "late")
    assert queue.finish(second)
    assert queue.open() == 0


def test_a_clock_that_is_set_back_holds_no_job_for_ever(queue: Queue, clock: Clock) -> None:
    queue.add(wanted("a"))
    assert queue.claim()
    clock.now -= 3_600_000
    assert queue.claim()


def test_what_fails_too_often_is_dead_and_tells_why(queue: Queue, clock: Clock) -> None:
    queue.add(wanted("bad", "good"))
    for _ in range(3):
        job = queue.claim()
        assert job
        assert job.path == "bad"
        queue.fail(job, "cannot be read")
    assert order(queue) == ["good"]
    state = queue.state()
    assert (state.pending, state.working, state.dead) == (0, 1, 1)
    assert state.dead_jobs == (("bad", "cannot be read"),)


def test_what_kills_its_workers_is_dead_in_the_end(queue: Queue, clock: Clock) -> None:
    queue.add(wanted("poison"))
    for _ in range(3):
        assert queue.claim()
        clock.now += 1_001
    assert queue.claim() is None
    assert queue.state().dead_jobs == (("poison", "its worker ended without a word"),)


def test_a_dead_job_stays_dead_until_its_file_changes(queue: Queue, clock: Clock) -> None:
    test_what_kills_its_workers_is_dead_in_the_end(queue, clock)
    queue.add(wanted("poison"), priority=10)
    assert queue.claim() is None
    queue.add(wanted("poison"), changed=True)
    job = queue.claim()
    assert job
    assert job.attempts == 1


def test_dead_jobs_can_be_given_another_chance(queue: Queue, clock: Clock) -> None:
    test_what_kills_its_workers_is_dead_in_the_end(queue, clock)
    assert queue.revive() == 1
    assert queue.claim()


def test_a_file_that_changes_while_it_is_worked_on_is_worked_on_again(queue: Queue) -> None:
    queue.add(wanted("a"))
    job = queue.claim()
    assert job
    queue.add(wanted("a"), changed=True)
    assert queue.finish(job)
    again = queue.claim()
    assert again
    assert (again.path, again.version) == ("a", job.version + 1)
    assert queue.finish(again)
    assert queue.open() == 0


def test_a_result_and_the_end_of_its_job_are_one(database: Database, queue: Queue) -> None:
    queue.add(wanted("a"))
    job = queue.claim()
    assert job

    def fails(_: object) -> None:
        raise RuntimeError

    with pytest.raises(RuntimeError):
        queue.finish(job, fails)
    assert queue.state().working == 1
    assert queue.finish(job, lambda db: db.execute("INSERT INTO tallies VALUES ('done', 1)"))
    assert database.row("SELECT value FROM tallies") == (1,)


def test_what_a_worker_held_is_taken_back_at_once(database: Database, clock: Clock) -> None:
    mine = Queue(database, clock=clock, claimant="mine")
    other = Queue(database, clock=clock, claimant="mine-not")
    mine.add(wanted("a", "b"))
    held = [mine.claim(), other.claim()]
    assert all(held)
    assert mine.release("mine", forgive=True) == 1
    job = other.claim()
    assert job
    assert (job.path, job.attempts) == ("a", 1)


def test_names_that_no_text_can_hold_come_through(queue: Queue) -> None:
    queue.add([Wanted("a\\xff", "a\udcff")])
    job = queue.claim()
    assert job
    assert (job.path, job.raw) == ("a\\xff", "a\udcff")


def test_many_workers_get_each_job_once(tmp_path: Path) -> None:
    path = tmp_path / "many.sqlite3"
    database = open_database(path)
    names = [f"{n:03}" for n in range(200)]
    Queue(database).add(wanted(*names))

    def work(_: int) -> list[str]:
        own = open_database(path)
        queue = Queue(own)
        done = []
        while job := queue.claim():
            done.append(job.path)
            queue.finish(job)
        own.close()
        return done

    with ThreadPoolExecutor(6) as pool:
        done = [name for part in pool.map(work, range(6)) for name in part]
    assert sorted(done) == names
    database.close()
