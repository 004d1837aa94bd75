"""How time is shared out: an equal part for each, then what is left where gaps are largest."""

from __future__ import annotations

from pathlib import Path

import pytest

from satchel import PackOptions, PageRecord, Task, UsageError
from satchel.batch import BatchOptions, Seconds
from satchel.batch.pages import Page
from satchel.batch.schedule import Schedule
from satchel.batch.working import Answer, Job


class Clock:
    """Time that passes when it is told to."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def jobs(count: int) -> list[Job]:
    return [
        Job(Page(f"p{i}", f"p{i}", ".", Task(), PackOptions()), "key", "digest", Path("out"))
        for i in range(count)
    ]


def answer(job: Job, gap: float) -> Answer:
    record = PageRecord(
        task=job.page.id,
        repo=".",
        kind="overview",
        output=job.page.output,
        status="feasible" if gap else "optimal",
        gap=gap,
        objective=100,
        bound=100 + int(100 * gap),
        time_limit=job.time_limit,
    )
    return Answer(record, Seconds(task=job.page.id))


def test_what_easy_pages_leave_over_goes_to_those_behind_them() -> None:
    clock = Clock()
    schedule = Schedule(jobs(4), 1, run_limit=40, clock=clock)
    limits = []
    for spent in (10, 1, 1, 1):
        job = schedule.next()
        assert job is not None
        limits.append(job.time_limit)
        clock.now += spent
        schedule.answered(job, answer(job, 0))
    assert limits == [10, 10, 14.5, 28]
    assert schedule.next() is None


def test_a_second_try_that_has_less_than_the_first_is_none() -> None:
    clock = Clock()
    schedule = Schedule(jobs(3), 1, run_limit=90, clock=clock)
    for gap, spent in ((0.1, 5), (0.0, 1), (0.3, 4)):
        job = schedule.next()
        assert job is not None
        clock.now += spent
        schedule.answered(job, answer(job, gap))
    # 80 seconds are left, three quarters of them for p2, but it has had 84; and p0 has had 30.
    assert schedule.next() is None


def test_nobody_gets_more_than_a_page_may_have() -> None:
    clock = Clock()
    schedule = Schedule(jobs(3), 1, time_limit=30, run_limit=90, clock=clock)
    for gap, spent in ((0.1, 5), (0.0, 1), (0.3, 4)):
        job = schedule.next()
        assert job is not None
        assert job.time_limit == 30
        clock.now += spent
        schedule.answered(job, answer(job, gap))
    assert schedule.next() is None  # each has had all that a page may have


def test_a_second_try_goes_to_the_largest_gap_first_and_must_be_better() -> None:
    clock = Clock()
    schedule = Schedule(jobs(10), 1, run_limit=100, clock=clock)
    for number in range(10):
        job = schedule.next()
        assert job is not None
        clock.now += 0.1
        schedule.answered(job, answer(job, {2: 0.1, 7: 0.4}.get(number, 0.0)))
    again = [schedule.next(), schedule.next()]
    assert [(job.page.id, job.beats and job.beats.gap) for job in again if job] == [("p7", 0.4), ("p2", 0.1)]
    assert [job.time_limit for job in again if job] == pytest.approx([99 * 0.8, 99 * 0.2])


def test_nothing_is_left_when_the_time_is_over_but_every_page_gets_its_turn() -> None:
    clock = Clock()
    schedule = Schedule(jobs(3), 1, run_limit=5, clock=clock)
    limits = []
    while (job := schedule.next()) is not None:
        limits.append(job.time_limit)
        clock.now += 10
        schedule.answered(job, answer(job, 0.5))
    assert limits[1:] == [0.0, 0.0]


def test_stop_hands_out_no_more() -> None:
    schedule = Schedule(jobs(3), 1)
    assert schedule.next() is not None
    schedule.stop()
    assert schedule.next() is None


@pytest.mark.parametrize("options", [{"time_limit": -1.0}, {"run_time_limit": float("nan")}, {"kinds": ()}])
def test_options_out_of_range_are_refused(options: dict[str, object]) -> None:
    with pytest.raises(UsageError):
        BatchOptions(**options)  # type: ignore[arg-type]
