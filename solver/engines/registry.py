"""The engines by name, what each can do, and one way to run any of them."""

from __future__ import annotations

import difflib
import importlib.util
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from ...models import BackendError, InfeasibleError, Problem, UsageError
from ..backends import cpsat_plain, highs_mip, scip
from ..options import Progress
from .baselines import density_greedy, lazy_greedy, our_greedy
from .check import judge
from .exact import Maximise, solve_whole
from .ours import satchel
from .result import EngineResult, EngineStatus, Found, Point, Run
from .seed_greedy import seed_greedy


class Feature(StrEnum):
    """What an engine can do."""

    PROVES = "proves"
    """It can prove an answer optimal, or a problem infeasible."""

    ANYTIME = "anytime"
    """It keeps a time limit and tells of incumbents and bounds on the way."""

    PARALLEL = "parallel"
    """More workers than one are used."""

    EXACT = "exact"
    """Its bound is a whole number, proved without floats."""

    KEEPS_RULES = "keeps rules"
    """Every answer keeps all hard rules."""


@dataclass(frozen=True)
class EngineSpec:
    """One engine: what it is, what it can do, which packages it needs."""

    name: str
    summary: str
    features: frozenset[Feature]
    requires: tuple[str, ...]
    run: Callable[[Problem, Run], Found]

    def supports(self, feature: Feature) -> bool:
        """Whether the engine has ``feature``."""
        return feature in self.features

    @property
    def proves(self) -> bool:
        """Whether it can prove its answer, exactly or not."""
        return self.supports(Feature.PROVES)

    @property
    def exact(self) -> bool:
        """Whether its bound counts as proved."""
        return self.supports(Feature.EXACT)

    @property
    def keeps_rules(self) -> bool:
        """Whether every answer keeps all hard rules."""
        return self.supports(Feature.KEEPS_RULES)

    @property
    def missing(self) -> tuple[str, ...]:
        """The packages that are not installed; none of them is imported to find out."""
        return tuple(name for name in self.requires if importlib.util.find_spec(name) is None)


def _whole(maximise: Maximise) -> Callable[[Problem, Run], Found]:
    return lambda problem, run: solve_whole(maximise, problem, run)


OURS: Final = "satchel"
"""The engine that knows of prices."""

_EXACT = frozenset({Feature.PROVES, Feature.ANYTIME, Feature.KEEPS_RULES})
_PARALLEL = _EXACT | {Feature.PARALLEL}
_SOUND = frozenset({Feature.KEEPS_RULES})

ENGINES: Final = {
    spec.name: spec
    for spec in (
        EngineSpec(
            "satchel",
            "our own search, which runs without --engine too",
            _PARALLEL | {Feature.EXACT},
            ("ortools", "highspy"),
            satchel,
        ),
        EngineSpec(
            "highs-mip", "HiGHS on the whole program", _PARALLEL, ("highspy",), _whole(highs_mip.maximise)
        ),
        EngineSpec("scip", "SCIP on the whole program", _EXACT, ("ortools",), _whole(scip.maximise)),
        EngineSpec(
            "cp-sat-plain",
            "CP-SAT on the whole program, default parameters",
            _PARALLEL | {Feature.EXACT},
            ("ortools",),
            _whole(cpsat_plain.maximise),
        ),
        EngineSpec("greedy", "our greedy, which the search starts from", _SOUND, (), our_greedy),
        EngineSpec("lazy-greedy", "lazy submodular greedy, better of two orders", _SOUND, (), lazy_greedy),
        EngineSpec("density-greedy", "value per token in one fixed order", _SOUND, (), density_greedy),
        EngineSpec("seed-greedy", "seed 000 §7 to the letter", frozenset(), (), seed_greedy),
    )
}
"""Every engine by name."""


def find_engine(name: str) -> EngineSpec:
    """Return the engine called ``name``.

    Raises
    ------
    UsageError
        There is none.
    """
    if name not in ENGINES:
        close = difflib.get_close_matches(name, ENGINES, n=1)
        hint = f"did you mean {close[0]!r}?" if close else f"accepted: {', '.join(ENGINES)}"
        raise UsageError("no such engine", field="engine", value=name, hint=hint)
    return ENGINES[name]


def run_engine(
    name: str,
    problem: Problem,
    *,
    time_limit: float | None = None,
    gap: float = 0.0,
    seed: int = 0,
    workers: int = 1,
    on_progress: Callable[[Progress], None] | None = None,
    check: bool = True,
) -> EngineResult:
    """Run one engine on ``problem``; a problem without any pack is a result here, not an error.

    Parameters
    ----------
    name
        One of :data:`ENGINES`.
    time_limit
        Wall clock seconds from the problem in memory to the answer, building included; None for no limit.
    gap
        Relative gap at which engines that prove may stop.
    seed, workers
        For engines that use chance or threads.
    on_progress
        Called with each new incumbent or bound, possibly from a solver's thread.
    check
        Whether the selection is judged by the checker (outside the clock).

    Raises
    ------
    UsageError
        No such engine, an option out of its range, or prices decide and the engine is not our own search.
    BackendError
        The engine's library is not installed.
    PolicyError, SchemaError, ScaleError
        The problem cannot be compiled.
    """
    spec = find_engine(name)
    if name != OURS and problem.pricing is not None and problem.pricing.decides:
        hint = "solve without --engine, or leave out the cost limit and value per cost"
        raise UsageError(
            f"{name} knows nothing of cost, which decides here",
            code="engine_without_prices",
            field="engine",
            value=name,
            hint=hint,
        )
    if spec.missing:
        needed = " and ".join(spec.missing)
        hint = f"pip install {' '.join(spec.missing)}, or choose another engine"
        raise BackendError(f"engine {name!r} needs {needed}", code="backend_missing", hint=hint)
    _check_options(time_limit, gap, seed, workers)
    run = Run(time_limit, gap, seed, workers, on_progress)
    try:
        found = spec.run(problem, run)
    except InfeasibleError as error:
        found = Found(EngineStatus.INFEASIBLE, note=error.message)
    seconds = run.elapsed()
    if run.error is not None:
        raise run.error
    result = EngineResult(
        engine=name,
        status=found.status,
        objective=found.objective,
        bound=found.bound,
        shortfall=found.shortfall,
        scale=found.scale,
        selection=found.selection,
        seconds=seconds,
        setup=run.setup,
        trajectory=_consistent(run.trajectory, found),
        interrupted=found.interrupted,
        note=found.note,
    )
    return judged(problem, result) if check else result


def judged(problem: Problem, result: EngineResult) -> EngineResult:
    """Return ``result`` with the checker's verdict; an engine that states no sums gets the checker's."""
    if result.selection is None:
        return result
    claims_sums = result.objective is not None
    verdict = judge(
        problem,
        result.selection,
        objective=result.objective,
        shortfall=result.shortfall if claims_sums else None,
    )
    if claims_sums:
        return replace(result, verdict=verdict)
    last = Point(result.seconds, verdict.objective, None)
    return replace(
        result,
        objective=verdict.objective,
        shortfall=verdict.shortfall,
        trajectory=(last,),
        verdict=verdict,
    )


def _consistent(trajectory: list[Point], found: Found) -> tuple[Point, ...]:
    """Return the points that the final answer bears out.

    An objective above the final one belonged to a pack with a larger shortfall. A bound below it is within
    the tolerances of an engine that computes in floats.
    """
    top, points = found.objective, []
    for seconds, objective, bound in trajectory:
        known = objective if objective is None or top is None or objective <= top else None
        least = bound if bound is None or top is None else max(bound, top)
        points.append(Point(seconds, known, least))
    return tuple(points)


def _check_options(time_limit: float | None, gap: float, seed: int, workers: int) -> None:
    limited = time_limit is None or 0 <= time_limit < float("inf")
    for field, value, fits, accepted in (
        ("time_limit", time_limit, limited, "seconds, 0 or more"),
        ("gap", gap, 0 <= gap < float("inf"), "a number, 0 or more, such as 1e-4"),
        ("seed", seed, 0 <= seed < 2**31, "a whole number from 0 to 2147483647"),
        ("workers", workers, 1 <= workers <= 256, "a whole number from 1 to 256"),
    ):
        if not fits:
            raise UsageError("is out of range", field=field, value=value, hint=f"accepted: {accepted}")
