"""Who does the work of a batch: this process, processes of this machine, or a Ray cluster.

Each engine takes jobs from a schedule and gives answers in the order in which they come; what it gives does
not depend on which one it is.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Protocol

from ..schedule import Schedule
from ..surveys import Surveys
from ..working import Answer

Answers = Generator[Answer]


class Engine(Protocol):
    """Does the jobs of a schedule.

    Attributes
    ----------
    jobs
        How many pages it works on at a time.
    is_local
        Whether its workers write the files of a page themselves.
    """

    jobs: int
    is_local: bool

    def run(self, schedule: Schedule, surveys: Surveys) -> Answers:
        """Yield what becomes of each job; closing the generator ends whatever is under way."""
        ...


__all__ = ["Answers", "Engine"]
