"""What is known while a problem is solved, and the rules by which it may change."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

import numpy as np

from ..models import (
    BackendError,
    Certificate,
    Diagnostic,
    InfeasibleError,
    SatchelError,
    StoppedError,
    StopReason,
)
from .backends.cpsat import Answer, Limits
from .backends.highs import Basis
from .backends.interruptible import interrupted
from .compile import Compiled, Ints
from .greedy import Pack
from .linear import Linear
from .options import Progress, SolveOptions, relative_gap
from .state import NONE

SPENT = 0.999
"""CP-SAT ends a little below a work limit: from this share on it counts as spent."""


@dataclass(frozen=True)
class Warm:
    """Where the search starts for a problem that resembles one that was solved before.

    ``around`` is a choice of rungs near to which good packs are expected; it need not be a pack itself.
    ``basis`` is where the relaxation of the other problem ended.
    """

    around: Ints
    basis: Basis | None = None


@dataclass
class Search:
    """The incumbent, the bound, and what is left of the run's limits.

    ``reserve`` are the seconds that the artifact and its check will take after the search. ``basis`` is where
    the relaxation of the whole program ended, kept for searches that start from this one. What is worth less
    than ``wanted`` is not looked for.
    """

    c: Compiled
    options: SolveOptions
    started: float
    best: Pack | None = None
    bound: int = 0
    shortfall_bound: int = 0
    certificate: Certificate | None = None
    canonical: bool = False
    reserve: float = 0.0
    stop: StopReason = StopReason.PROOF
    engine: str = "cp-sat"
    work: float = 0.0
    notes: list[Diagnostic] = field(default_factory=list)
    wanted: int | None = None
    warm: Warm | None = None
    basis: Basis | None = None

    @property
    def proved(self) -> bool:
        """Whether the incumbent's value equals the bound."""
        return self.best is not None and self.best.objective == self.bound

    @property
    def settled(self) -> bool:
        """Whether the incumbent is proven to be an answer: ``proved``, and zones lack what they must."""
        return self.proved and self.best is not None and self.best.shortfall == self.shortfall_bound

    @property
    def halted(self) -> bool:
        """Whether a limit, an interrupt or a gap that is small enough ends the search."""
        if interrupted():
            self.stop = StopReason.INTERRUPT
        return (
            self.stop is StopReason.INTERRUPT
            or self.out_of_time()
            or self.out_of_work()
            or self.hopeless
            or (self.gap_met() and not self.proved)
        )

    @property
    def hopeless(self) -> bool:
        """Whether no pack is worth as much as is wanted."""
        return self.wanted is not None and self.bound < self.wanted

    def gap_met(self) -> bool:
        """Whether a gap was asked for and reached."""
        wanted, best = self.options.gap, self.best
        if wanted <= 0 or best is None or best.shortfall != self.shortfall_bound:
            return False  # while zones may lack less, the gap is of packs that are no answer
        return relative_gap(best.objective, self.bound) <= wanted

    def seconds_left(self) -> float | None:
        """Return what the wall clock limit leaves for the search, or None without one."""
        limit = self.options.time_limit
        return None if limit is None else max(0.0, limit - self.reserve - (time.monotonic() - self.started))

    def out_of_time(self) -> bool:
        """Whether the wall clock limit has passed."""
        return self.seconds_left() == 0.0

    def out_of_work(self) -> bool:
        """Whether the deterministic limit is spent."""
        limit = self.options.deterministic_limit
        return limit is not None and self.work >= limit * SPENT

    def work_left(self, most: float | None = None) -> float | None:
        """Return what the deterministic limit leaves, at most ``most``, or None without either."""
        total = self.options.deterministic_limit
        if total is None:
            return most
        left = max(0.0, total - self.work)
        return left if most is None else min(most, left)

    def limits(self, work: float | None = None, gap: float = 0.0) -> Limits:
        """Return the next CP-SAT run's limits: at most ``work`` units, and what is left of the run's own."""
        return Limits(
            seconds=self.seconds_left(),
            work=self.work_left(work),
            gap=gap,
            seed=self.options.seed,
            workers=self.options.workers,
        )

    def take_pack(self, pack: Pack | None) -> None:
        """Keep ``pack`` if it is better than the incumbent."""
        if pack is not None and (self.best is None or pack.rank < self.best.rank):
            self.best = pack

    def take_bound(self, bound: int | None) -> None:
        """Keep ``bound`` if it is tighter."""
        if bound is not None:
            self.bound = min(self.bound, bound)
        if self.best is not None and self.best.objective > self.bound:
            raise BackendError(
                f"a pack is worth {self.best.objective}, above the bound {self.bound}",
                code="backend_contradiction",
                hint="this is a fault; please report it with the problem file",
            )

    def note_end(self, answer: Answer) -> None:
        """Record the work of a CP-SAT run and why it ended."""
        self.work += answer.deterministic_time
        if answer.interrupted:
            self.stop = StopReason.INTERRUPT
        elif answer.found in ("optimal", "infeasible"):
            self.stop = StopReason.PROOF
        elif self.out_of_time():
            self.stop = StopReason.WALL_CLOCK
        else:
            self.stop = StopReason.DETERMINISTIC_LIMIT

    def no_pack(self) -> SatchelError:
        """Return the error of a search that a limit or an interrupt ended before any pack was found."""
        if self.stop is StopReason.INTERRUPT:
            return StoppedError("stopped before any pack was found", hint="give it more time")
        return InfeasibleError(
            "the limit was reached before any pack was found, which proves nothing",
            code="no_pack_found",
            hint="raise --time-limit or --deterministic-limit",
        )

    def tell(self, stage: str, objective: int | None = None, bound: int | None = None) -> None:
        """Report progress."""
        if self.options.on_progress is not None:
            known = self.best.objective if self.best else None
            value = known if objective is None else max(objective, known if known is not None else objective)
            least = self.bound if bound is None else min(bound, self.bound)
            self.options.on_progress(Progress(stage, value, least, self.c.scale))


def columns_of(c: Compiled, linear: Linear, choice: Ints) -> Ints:
    """Return all columns of the program for the pack ``choice``."""
    x = np.zeros(c.m, dtype=np.int64)
    x[choice[choice != NONE]] = 1
    return linear.complete(x)


def pack_of(c: Compiled, linear: Linear, columns: Ints) -> Pack:
    """Return the pack of ``columns`` with its sums recomputed, helper columns at their best values."""
    full = linear.complete(columns[: c.m])
    choice = np.full(c.n, NONE, dtype=np.int64)
    chosen = np.flatnonzero(full[: c.m])
    choice[c.rung_unit[chosen]] = chosen
    short = int(full[linear.short].sum()) if len(linear.short) else 0
    return Pack(choice, int(linear.objective @ full), int(linear.tokens @ full), short)
