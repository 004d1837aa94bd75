"""From another engine's pack to an artifact that claims no more than plain integers bear out.

The pack is the engine's, the sums are recomputed, and the bound comes with a certificate of our own. An
engine that computes in floats has proved nothing exactly, however sure it is: what it says of its bound is
told beside. CP-SAT's bound is a whole number and counts as a bound by search, as in our own solve.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Mapping
from importlib import metadata
from typing import Final

import numpy as np

from ...models import (
    BackendError,
    Certificate,
    Diagnostic,
    InfeasibleError,
    PackedContext,
    Problem,
    Severity,
    SolverReport,
    Status,
    StoppedError,
    StopReason,
    UsageError,
    VerificationError,
)
from ..backends import highs
from ..checked import checked
from ..compile import Compiled, Ints, compile_problem
from ..conflict import explain_infeasible
from ..demands import Allowance, Demands
from ..duals import Matrix, certificate, dual_bound
from ..hull import simple_bound
from ..linear import build
from ..options import Engine, SolveOptions, relative_gap
from ..result import build_context
from ..solve import solve
from ..state import NONE
from .registry import EngineSpec, find_engine, run_engine
from .result import EngineResult, EngineStatus

SAME_AS: Final[Mapping[str, Engine]] = {"satchel": "cp-sat", "greedy": "greedy"}
"""Engines that ``solve`` runs itself, by what it calls them."""

CHECK_WORK = 20.0
"""CP-SAT work units to confirm that a problem which an engine calls infeasible is."""

SPENT = 0.9
"""Engines end a little before a limit: from this share of it on it counts as reached."""


def solve_by(engine: str, problem: Problem, options: SolveOptions | None = None) -> PackedContext:
    """Solve ``problem`` by one of :data:`..engines.ENGINES`, and return a checked artifact of its pack.

    Raises
    ------
    UsageError
        No such engine, or an option that it knows nothing of.
    BackendError
        Its library is not installed, or it contradicts what is proven.
    InfeasibleError
        No pack exists, or (``no_pack_found``) the engine found none.
    VerificationError
        Its pack breaks rules (``engine_breaks_rules``): ``data`` names each.
    StoppedError
        Interrupted before any pack was found.
    """
    options = options or SolveOptions()
    spec = find_engine(engine)
    if options.solver != "auto":
        hint = "leave one of the two out: an engine takes the place of the solver"
        raise UsageError("cannot be used together with a solver", field="engine", value=engine, hint=hint)
    if engine in SAME_AS:
        if spec.missing:
            raise _missing(spec)
        return solve(problem, dataclasses.replace(options, solver=SAME_AS[engine]))
    if options.deterministic_limit is not None:
        hint = "limit it by --time-limit, or solve without --engine"
        value = options.deterministic_limit
        raise UsageError(f"{engine} counts no work", field="deterministic_limit", value=value, hint=hint)
    started = time.monotonic()
    result = run_engine(
        engine,
        problem,
        time_limit=options.time_limit,
        gap=options.gap,
        seed=options.seed,
        workers=options.workers,
        on_progress=options.on_progress,
    )
    if result.selection is None:
        raise _no_pack(problem, result, options, started)
    if result.verdict is not None and not result.verdict.feasible:
        raise _breaks_rules(result)
    c = compile_problem(problem)
    proof = _proof(c, spec, options, started)
    report = _report(c, spec, result, proof, options)
    return checked(
        build_context(c, _choice(c, result), report, _remarks(result, report)),
        problem,
    )


def _missing(spec: EngineSpec) -> BackendError:
    needed, line = " and ".join(spec.missing), " ".join(spec.missing)
    return BackendError(
        f"engine {spec.name!r} needs {needed}",
        code="backend_missing",
        field="engine",
        hint=f"pip install {line}, or choose another engine",
    )


def _no_pack(
    problem: Problem, result: EngineResult, options: SolveOptions, started: float
) -> InfeasibleError | StoppedError | BackendError:
    if result.interrupted:
        return StoppedError("stopped before any pack was found", hint="give it more time")
    if result.status is not EngineStatus.INFEASIBLE:
        why = f": {result.note}" if result.note else ""
        return InfeasibleError(
            f"{result.engine} found no pack, which proves nothing{why}",
            code="no_pack_found",
            hint="solve without --engine to find one or to learn what clashes",
        )
    c = compile_problem(problem)  # raises where a rule contradicts itself
    linear = build(c)
    left = _left(options, started)
    demands = Demands(linear)
    if demands.ask(demands.rows, Allowance.of(CHECK_WORK, left, options.seed), exact=True) == "pack":
        return BackendError(
            f"{result.engine} says that no pack exists, and there is one",
            code="backend_contradiction",
            hint="solve without --engine",
        )
    return explain_infeasible(c, linear, seed=options.seed, seconds=_left(options, started))


def _breaks_rules(result: EngineResult) -> VerificationError:
    assert result.verdict is not None
    complaints = list(result.verdict.complaints)
    broken = "; ".join(complaints[:3])
    broken += f"; and {len(complaints) - 3} more" if len(complaints) > 3 else ""
    return VerificationError(
        f"the pack of {result.engine} breaks rules, so there is no artifact: {broken}",
        code="engine_breaks_rules",
        hint="choose an engine that keeps them; 'satchel engines' says which do",
        data={
            "complaints": complaints,
            "objective": result.verdict.objective,
            "tokens": result.verdict.tokens,
            "selection": dict(sorted((result.selection or {}).items())),
        },
    )


def _proof(c: Compiled, spec: EngineSpec, options: SolveOptions, started: float) -> Certificate:
    """Return a bound that plain integers prove; engines that prove are held to that of the relaxation."""
    simple = simple_bound(c)
    left = _left(options, started)
    if c.n == 0 or not spec.proves or not highs.available() or left == 0.0:
        return simple
    linear = build(c)
    relaxed = highs.relax(linear, seconds=left)
    if len(relaxed.duals) != len(linear.rows) or relaxed.found == "infeasible":
        return simple
    tight = certificate(linear, dual_bound(c, linear, Matrix.of(linear), relaxed.duals))
    return min((simple, tight), key=lambda proof: proof.bound)


def _report(
    c: Compiled, spec: EngineSpec, result: EngineResult, proof: Certificate, options: SolveOptions
) -> SolverReport:
    assert result.objective is not None
    exact = spec.exact and result.bound is not None
    bound = min(proof.bound, result.bound) if exact and result.bound is not None else proof.bound
    closed = exact and result.status in (EngineStatus.OPTIMAL, EngineStatus.WITHIN_GAP)
    least = result.shortfall if closed else 0
    gap = relative_gap(result.objective, bound)
    proven = bound == result.objective and least == result.shortfall
    stop = _stop(spec, result, options, gap if least == result.shortfall else None, proven=proven)
    status = Status.OPTIMAL if proven else Status.FEASIBLE
    if not proven and stop is StopReason.HEURISTIC_END:
        status = Status.HEURISTIC
    elif not proven and stop is StopReason.GAP:
        status = Status.WITHIN_GAP
    timed = stop in (StopReason.WALL_CLOCK, StopReason.INTERRUPT)
    return SolverReport(
        status=status,
        stop_reason=stop,
        engine=spec.name,
        objective=result.objective,
        bound=bound,
        gap=gap,
        scale=c.scale,
        shortfall=result.shortfall,
        shortfall_bound=least,
        limits=options.limits(),
        seed=options.seed,
        workers=options.workers,
        versions={name: metadata.version(name) for name in ("satchel", *spec.requires)},
        reproducible=options.workers == 1 and not timed,
        problem_digest=c.problem.digest,
        certificate=proof,
    )


def _stop(
    spec: EngineSpec, result: EngineResult, options: SolveOptions, gap: float | None, *, proven: bool
) -> StopReason:
    """Return why the engine ended, as far as it is known."""
    if not spec.proves:
        return StopReason.HEURISTIC_END
    if proven:
        return StopReason.PROOF
    if result.interrupted:
        return StopReason.INTERRUPT
    limit = options.time_limit
    ended = result.status in (EngineStatus.OPTIMAL, EngineStatus.WITHIN_GAP)
    if not ended and limit is not None and result.seconds >= SPENT * limit:
        return StopReason.WALL_CLOCK
    if options.gap > 0 and gap is not None and gap <= options.gap:
        return StopReason.GAP
    return StopReason.TOLERANCE


def _remarks(result: EngineResult, report: SolverReport) -> list[Diagnostic]:
    """Say what the engine claims of its bound where that proves nothing."""
    if result.bound is None or result.bound >= report.bound:
        return []
    text = f"{result.engine} claims the bound {result.bound}, within the tolerances of its floats: no proof"
    data = {"engine": result.engine, "bound": result.bound, "exact": False}
    return [Diagnostic(severity=Severity.INFO, code="engine_bound", message=text, data=data)]


def _choice(c: Compiled, result: EngineResult) -> Ints:
    """Return the engine's selection as rung indices per unit, ``NONE`` where a unit is out."""
    choice = np.full(c.n, NONE, dtype=np.int64)
    for name, place in (result.selection or {}).items():
        u = c.index[name]
        places = [rung.place for rung in c.standings[u].rungs]
        choice[u] = int(c.rung_start[u]) + places.index(place)
    return choice


def _left(options: SolveOptions, started: float) -> float | None:
    limit = options.time_limit
    return None if limit is None else max(0.0, limit - (time.monotonic() - started))
