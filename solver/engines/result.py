"""What one engine found on one problem, with the clock beside it: for comparisons, never for artifacts."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

from ..backends.cpsat import Limits
from ..options import Progress, relative_gap


class EngineStatus(StrEnum):
    """How good an engine's answer is known to be."""

    OPTIMAL = "optimal"
    """Objective equals bound in whole numbers; of engines in floats, within their own tolerances."""

    WITHIN_GAP = "within_gap"
    FEASIBLE = "feasible"
    HEURISTIC = "heuristic"
    INFEASIBLE = "infeasible"
    """The engine says that no pack exists."""

    NO_ANSWER = "no_answer"
    """Nothing was found, which proves nothing."""


class Point(NamedTuple):
    """What was known ``seconds`` after the start, in scaled integers; None where nothing was."""

    seconds: float
    objective: int | None
    bound: int | None


@dataclass(frozen=True)
class Verdict:
    """What the checker says of a selection: sums recomputed from the problem, and every broken rule."""

    objective: int
    shortfall: int
    tokens: int
    complaints: tuple[str, ...]

    @property
    def feasible(self) -> bool:
        """Whether every hard rule is kept, and the engine's sums are right."""
        return not self.complaints


@dataclass(frozen=True)
class EngineResult:
    """An engine's answer.

    ``selection`` maps the ids of chosen units to indices into their ladders, or is None without an answer.
    ``objective`` and ``bound`` are scaled by ``scale``; ``bound`` is what the engine claims, None for
    heuristics. ``setup`` are the seconds until the program was in arrays. ``verdict`` is None where there is
    no selection, or where no check was asked for.
    """

    engine: str
    status: EngineStatus
    objective: int | None
    bound: int | None
    shortfall: int
    scale: int
    selection: Mapping[str, int] | None
    seconds: float
    setup: float
    trajectory: tuple[Point, ...]
    interrupted: bool = False
    note: str = ""
    verdict: Verdict | None = None

    @property
    def gap(self) -> float | None:
        """``(bound - objective) / max(1, |objective|)``, or None while either is unknown."""
        if self.objective is None or self.bound is None:
            return None
        return relative_gap(self.objective, self.bound)


@dataclass
class Run:
    """The clock, the limits and the trajectory of one run; points may come from a solver's thread."""

    time_limit: float | None = None
    gap: float = 0.0
    seed: int = 0
    workers: int = 1
    on_progress: Callable[[Progress], None] | None = None
    stage: str = ""
    setup: float = 0.0
    trajectory: list[Point] = field(default_factory=list)
    started: float = field(default_factory=time.monotonic)
    error: Exception | None = None

    def elapsed(self) -> float:
        """Return the seconds since the start."""
        return time.monotonic() - self.started

    def seconds_left(self) -> float | None:
        """Return what is left of the limit, or None without one."""
        return None if self.time_limit is None else max(0.0, self.time_limit - self.elapsed())

    def out_of_time(self) -> bool:
        """Whether the limit has passed."""
        return self.seconds_left() == 0.0

    def limits(self, gap: float = 0.0) -> Limits:
        """Return the limits of the next run of a solver library."""
        return Limits(self.seconds_left(), None, gap, self.seed, self.workers)

    def ready(self) -> None:
        """Note that the program is in arrays: what follows is the engine's own work."""
        self.setup = self.elapsed()

    def note(self, objective: int | None, bound: int | None) -> None:
        """Note a new incumbent or bound; None leaves what was known.

        An incumbent may be worth less than the one before: it has a smaller shortfall.
        """
        last = self.trajectory[-1] if self.trajectory else Point(0.0, None, None)
        best = last.objective if objective is None else objective
        least = last.bound if bound is None else bound if last.bound is None else min(bound, last.bound)
        if (best, least) == (last.objective, last.bound):
            return
        self.trajectory.append(Point(self.elapsed(), best, least))
        if self.on_progress is not None and self.error is None:
            try:
                self.on_progress(Progress(self.stage, best, least))
            except Exception as error:  # noqa: BLE001 - libraries do not survive it; raised after the solve
                self.error = error


@dataclass(frozen=True)
class Found:
    """What an engine hands to :func:`run_engine`: a selection with its sums, and what it claims of it."""

    status: EngineStatus
    objective: int | None = None
    bound: int | None = None
    shortfall: int = 0
    scale: int = 1
    selection: Mapping[str, int] | None = None
    interrupted: bool = False
    note: str = ""
