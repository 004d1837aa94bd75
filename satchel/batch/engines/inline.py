"""In this process, one page after another."""

from __future__ import annotations

from ...solver.backends.interruptible import interrupted, listening
from ..schedule import Schedule
from ..surveys import Surveys
from ..working import Shop
from . import Answers


class InlineEngine:
    """Packs pages one after another; the first Ctrl-C ends the page that is under way, and then the run."""

    jobs = 1
    is_local = True

    def run(self, schedule: Schedule, surveys: Surveys) -> Answers:
        """Yield what becomes of each job."""
        shop = Shop(surveys.get)
        with listening():
            while (job := schedule.next()) is not None:
                answer = shop.do(job)
                if interrupted():
                    raise KeyboardInterrupt
                schedule.answered(job, answer)
                yield answer
