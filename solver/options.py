"""How to solve: engine, limits, seed. A run's options are recorded in the artifact."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from numbers import Integral, Real
from typing import Any, Literal

from ..models import UsageError

Engine = Literal["auto", "cp-sat", "greedy"]


@dataclass(frozen=True)
class Progress:
    """A step of the search, in integers that are values times ``scale``.

    ``bound`` is None until one is known, ``scale`` where an engine does not tell it.
    """

    stage: str
    objective: int | None
    bound: int | None
    scale: int | None = None

    @property
    def gap(self) -> float | None:
        """``(bound - objective) / max(1, |objective|)``, or None while either is unknown."""
        if self.objective is None or self.bound is None:
            return None
        return relative_gap(self.objective, self.bound)


@dataclass(frozen=True)
class SolveOptions:
    """Options of one solve.

    Parameters
    ----------
    solver
        ``cp-sat`` proves, ``greedy`` is fast and proves nothing, ``auto`` is CP-SAT where it can be
        imported and greedy with a notice elsewhere.
    time_limit
        Wall clock seconds for the whole solve, or None.
    deterministic_limit
        CP-SAT work units for the search of the best value, or None; reproducible on every machine.
    gap
        Relative gap at which to stop; 0 asks for a proof.
    seed, workers
        Passed to CP-SAT. More than one worker is not reproducible.
    on_progress
        Called with each new incumbent or bound, from the solving thread.
    started
        Instant of ``time.monotonic()`` from which the time limit counts, where that is before the solve: a
        program has read the problem, say.

    Raises
    ------
    UsageError
        An option out of its range or of a wrong type.
    """

    solver: Engine = "auto"
    time_limit: float | None = None
    deterministic_limit: float | None = None
    gap: float = 0.0
    seed: int = 0
    workers: int = 1
    on_progress: Callable[[Progress], None] | None = None
    started: float | None = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        _check("solver", self.solver, self.solver in ("auto", "cp-sat", "greedy"), "auto, cp-sat or greedy")
        for name in ("time_limit", "deterministic_limit"):
            limit = getattr(self, name)
            fits = limit is None or (_is(limit, Real) and 0 <= limit < float("inf"))
            _check(name, limit, fits, "seconds, 0 or more")
        _check("gap", self.gap, _is(self.gap, Real) and 0 <= self.gap <= 1, "a share, 0 to 1, such as 1e-4")
        whole = "a whole number from"
        _check(
            "seed", self.seed, _is(self.seed, Integral) and 0 <= self.seed < 2**31, f"{whole} 0 to 2147483647"
        )
        _check(
            "workers",
            self.workers,
            _is(self.workers, Integral) and 1 <= self.workers <= 256,
            f"{whole} 1 to 256",
        )

    def limits(self) -> dict[str, Any]:
        """Return the limits that were set, for the artifact."""
        named = {
            "timeLimitSeconds": self.time_limit,
            "deterministicLimit": self.deterministic_limit,
            "gap": self.gap or None,
        }
        return {name: limit for name, limit in named.items() if limit is not None}


def relative_gap(objective: int, bound: int) -> float:
    """Return ``(bound - objective) / max(1, |objective|)`` (design §2)."""
    return (bound - objective) / max(1, abs(objective))


def _is(value: object, kind: type) -> bool:
    return isinstance(value, kind) and not isinstance(value, bool)


def _check(name: str, value: object, fits: bool, accepted: str) -> None:
    if not fits:
        raise UsageError("is out of range", field=name, value=value, hint=f"accepted: {accepted}")
