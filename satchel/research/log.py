"""The log of a solve: every step of the search, kept."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ..models.frames import frame_of
from ..solver.options import Progress

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Step:
    """What was known after ``seconds``; values are not scaled where the scale is known."""

    seconds: float
    stage: str
    objective: float | None
    bound: float | None
    gap: float | None


@dataclass
class SolveLog:
    """Collects the steps of a solve: ``SolveOptions(on_progress=log)``. The clock starts when it is made."""

    steps: list[Step] = field(default_factory=list)
    started: float = field(default_factory=time.monotonic, repr=False)

    def __call__(self, progress: Progress) -> None:
        """Keep a step."""
        scale = progress.scale or 1
        objective, bound = (
            None if number is None else number / scale for number in (progress.objective, progress.bound)
        )
        seconds = time.monotonic() - self.started
        self.steps.append(Step(seconds, progress.stage, objective, bound, progress.gap))

    def to_frame(self) -> pd.DataFrame:
        """Return a row for each step.

        Raises
        ------
        UsageError
            pandas is not installed.
        """
        rows = [(step.seconds, step.stage, step.objective, step.bound, step.gap) for step in self.steps]
        return frame_of(("seconds", "stage", "objective", "bound", "gap"), rows)
