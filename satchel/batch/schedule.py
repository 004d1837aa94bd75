"""Which page is packed next, and how long it may take.

A limit on the whole run is shared out in two rounds. In the first, each page may take an equal part of what
is left, so what easy pages leave over goes to those behind them. What is left after it goes to the pages that
are not proven yet, in proportion to their gaps, the largest first.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from .records import PROVEN, PageRecord
from .working import Answer, Job

LEAST: Final = 0.5
"""Seconds below which a second try is not worth it."""

MORE: Final = 1.5
"""A second try has at least so many times what the first had: it starts anew."""


class Schedule:
    """Hands out jobs to workers, which ask from threads of their own.

    Parameters
    ----------
    jobs
        In the order in which they are begun.
    workers
        How many ask.
    time_limit
        Seconds that the solve of each page may take.
    run_limit
        Seconds that the run may take, from now.
    """

    def __init__(
        self,
        jobs: Sequence[Job],
        workers: int,
        *,
        time_limit: float | None = None,
        run_limit: float | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._waiting = deque(jobs)
        self._workers = workers
        self._time_limit = time_limit
        self._clock = clock
        self._deadline = None if run_limit is None else clock() + run_limit
        self._under_way = 0
        self._unproven: dict[str, tuple[Job, PageRecord]] = {}
        self._second = False
        self._changed = threading.Condition()
        self.stopped = False

    def next(self, *, wait: bool = True) -> Job | None:
        """Return a job, once there is one, or None when there will be no more; or, not waiting, none yet."""
        with self._changed:
            while True:
                if self.stopped:
                    return None
                if self._waiting:
                    self._under_way += 1
                    return self._limited(self._waiting.popleft())
                if self._under_way == 0 and not self._begin_second():
                    return None
                if not self._waiting:
                    if self._deadline is None or not wait:
                        return None  # what is under way brings no more work
                    self._changed.wait(0.2)

    def answered(self, job: Job, answer: Answer) -> None:
        """Take note of what became of a job."""
        with self._changed:
            self._under_way -= 1
            record = answer.record
            if self._deadline is not None and record.is_done and record.status not in PROVEN:
                self._unproven[record.task] = (job, record)
            self._changed.notify_all()

    def stop(self) -> None:
        """Hand out no more."""
        with self._changed:
            self.stopped = True
            self._changed.notify_all()

    def _limited(self, job: Job) -> Job:
        if self._deadline is None:
            return replace(job, time_limit=self._time_limit)
        if job.time_limit is not None:
            return job  # of the second round
        left = max(0.0, self._deadline - self._clock())
        share = left * self._workers / (len(self._waiting) + self._under_way)
        return replace(job, time_limit=_least(share, self._time_limit))

    def _begin_second(self) -> bool:
        """Queue the pages that more time may do good; called once nothing else is left."""
        if self._second or self._deadline is None:
            return False
        self._second = True
        left = self._deadline - self._clock()
        open_pages = sorted(self._unproven.values(), key=lambda entry: (-_gap(entry[1]), entry[1].task))
        gaps = sum(_gap(record) for _, record in open_pages)
        for job, record in open_pages:
            had = record.time_limit or 0.0
            part = left * self._workers * _gap(record) / gaps if gaps else 0.0
            share = _least(min(part, left), self._time_limit)
            if share >= max(LEAST, MORE * had):
                self._waiting.append(replace(job, time_limit=share, beats=record))
        self._changed.notify_all()
        return bool(self._waiting)


def _gap(record: PageRecord) -> float:
    return record.gap or 0.0


def _least(one: float, other: float | None) -> float:
    return one if other is None else min(one, other)
