"""One solve: compile, greedy, CP-SAT, canonical answer, artifact. Each stage is a module of its own."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from ..models import (
    BackendError,
    Diagnostic,
    InfeasibleError,
    PackedContext,
    Problem,
    Severity,
    SolverReport,
    Status,
    StoppedError,
    StopReason,
    VerificationError,
)
from .backends import cpsat
from .backends.cpsat import Answer, CpSat, Limits
from .compile import Compiled, Ints, compile_problem
from .conflict import explain_infeasible
from .greedy import Pack, greedy, simple_bound
from .linear import Linear, build
from .options import Progress, SolveOptions, relative_gap
from .result import build_context
from .state import NONE
from .ties import canonical
from .verify import verify

TIE_WORK = 4.0
"""The canonical stage may spend this many times the work of the proof, and as many units beside it."""


@dataclass
class Search:
    """What is known while a problem is solved."""

    c: Compiled
    options: SolveOptions
    started: float
    best: Pack | None = None
    bound: int = 0
    shortfall_bound: int = 0
    proved: bool = False
    canonical: bool = False
    stop: StopReason = StopReason.PROOF
    engine: str = "cp-sat"
    work: float = 0.0
    notes: list[Diagnostic] = field(default_factory=list)

    def limits(self, *, work: float | None = None, gap: float = 0.0) -> Limits:
        """Return what is left of the run's limits for the next CP-SAT run."""
        seconds = self.options.time_limit
        if seconds is not None:
            seconds = max(0.0, seconds - (time.monotonic() - self.started))
        return Limits(
            seconds=seconds, work=work, gap=gap, seed=self.options.seed, workers=self.options.workers
        )

    def out_of_time(self) -> bool:
        """Whether the wall clock limit has passed."""
        limit = self.options.time_limit
        return limit is not None and time.monotonic() - self.started >= limit

    def tell(self, stage: str, objective: int | None = None, bound: int | None = None) -> None:
        """Report progress."""
        if self.options.on_progress is not None:
            known = self.best.objective if self.best else None
            self.options.on_progress(
                Progress(
                    stage, known if objective is None else objective, self.bound if bound is None else bound
                )
            )


def solve(problem: Problem, options: SolveOptions | None = None) -> PackedContext:
    """Choose the units and rungs of greatest value within the problem's hard limits.

    Running out of time is a result: the best pack so far is returned with its status, bound and gap.

    Parameters
    ----------
    problem
        Every unit and rendering must state its tokens.

    Raises
    ------
    InfeasibleError
        No pack satisfies the hard constraints (or greedy, asked alone, found none); names the clash and the
        smallest budget that works.
    PolicyError, SchemaError, ScaleError
        The problem cannot be compiled; see :func:`compile_problem`.
    BackendError
        ``cp-sat`` was asked for and cannot be used, or contradicts itself.
    StoppedError
        Interrupted before any pack was found.
    """
    options = options or SolveOptions()
    started = time.monotonic()
    c = compile_problem(problem)
    search = Search(c, options, started)
    _choose_engine(search)
    search.best = greedy(c)
    search.bound = simple_bound(c)
    search.tell("greedy")
    if search.engine == "greedy":
        search.stop = StopReason.HEURISTIC_END
        if search.best is None:
            raise InfeasibleError(
                "greedy found no feasible pack, which proves nothing",
                code="no_pack_found",
                hint="solve with --solver cp-sat to find one or to learn what clashes",
            )
    elif c.n:
        _search(search)
    else:
        _nothing_to_choose(search)
    assert search.best is not None
    return _finish(search)


def _choose_engine(search: Search) -> None:
    if search.options.solver == "greedy":
        search.engine = "greedy"
        return
    reason = cpsat.unavailable()
    if reason is None:
        return
    if search.options.solver == "cp-sat":
        raise BackendError(reason, code="backend_missing", hint="pip install ortools, or use --solver greedy")
    search.engine = "greedy"
    text = f"{reason}; the greedy packer served instead, and proves nothing about its pack"
    search.notes.append(Diagnostic(severity=Severity.WARNING, code="solver_missing", message=text))


def _nothing_to_choose(search: Search) -> None:
    if search.best is None:
        raise explain_infeasible(search.c, build(search.c), seed=search.options.seed)
    search.bound, search.shortfall_bound = search.best.objective, search.best.shortfall
    search.proved = search.canonical = True


def _search(search: Search) -> None:
    linear = build(search.c)
    model = CpSat(linear)
    if _settle_shortfall(search, model, linear):
        _maximise_value(search, model, linear)


def _settle_shortfall(search: Search, model: CpSat, linear: Linear) -> bool:
    """Make the shortfall of relaxed zone minima as small as can be; return whether to go on."""
    if len(linear.short) == 0:
        return True
    ones = [1] * len(linear.short)
    if search.best is None or search.best.shortfall > 0:
        shortfall = np.zeros(linear.columns, dtype=np.int64)
        shortfall[linear.short] = -1
        model.maximise(shortfall)
        if search.best is not None:
            model.hint(linear.complete(_columns(search.c, search.best.choice)))
        search.tell("zone minima")
        answer = model.solve(search.limits(work=search.options.deterministic_limit))
        if not _take(search, linear, answer):
            return False
        assert search.best is not None
        # With a limit hit before any answer there is no bound: no shortfall is 0 or more.
        search.shortfall_bound = max(0, -answer.bound) if answer.bound is not None else 0
        if answer.found != "optimal":
            return False
    model.add_row(linear.short.tolist(), ones, 0, search.best.shortfall)
    return True


def _maximise_value(search: Search, model: CpSat, linear: Linear) -> None:
    model.maximise(linear.objective)
    if search.best is not None:
        model.hint(linear.complete(_columns(search.c, search.best.choice)))

    def report(objective: int, bound: int) -> None:
        search.tell("cp-sat", objective, min(bound, search.bound))

    answer = model.solve(
        search.limits(work=search.options.deterministic_limit, gap=search.options.gap),
        report if search.options.on_progress else None,
    )
    search.work += answer.deterministic_time
    if answer.bound is not None:
        search.bound = min(search.bound, answer.bound)
    if not _take(search, linear, answer):
        return
    assert search.best is not None
    search.proved = search.best.objective == search.bound
    if search.proved and not answer.interrupted and not search.out_of_time():
        _settle_ties(search, model, linear)


def _settle_ties(search: Search, model: CpSat, linear: Linear) -> None:
    assert search.best is not None
    search.tell("ties")
    work = TIE_WORK * (1 + search.work)
    columns, search.canonical = canonical(
        search.c,
        model,
        linear.complete(_columns(search.c, search.best.choice)),
        search.best.objective,
        lambda: search.limits(work=work),
    )
    search.best = _pack(search.c, linear, columns)


def _take(search: Search, linear: Linear, answer: Answer) -> bool:
    """Keep the better of the known pack and the answer's; return whether the search may go on."""
    if answer.found == "infeasible":
        if search.best is not None:
            raise BackendError(
                "CP-SAT calls a problem infeasible for which a pack is known",
                code="backend_contradiction",
                hint="this is a fault; please report it with the problem file",
            )
        raise explain_infeasible(search.c, linear, seed=search.options.seed)
    if answer.columns is not None:
        pack = _pack(search.c, linear, answer.columns)
        if search.best is None or pack.rank < search.best.rank:
            search.best = pack
    search.stop = _stop_reason(search, answer)
    if search.best is None:
        if answer.interrupted:
            raise StoppedError("stopped before any pack was found", hint="give it more time")
        raise InfeasibleError(
            "the limit was reached before any pack was found, which proves nothing",
            code="no_pack_found",
            hint="raise --time-limit or --deterministic-limit",
        )
    return not answer.interrupted


def _stop_reason(search: Search, answer: Answer) -> StopReason:
    if answer.interrupted:
        return StopReason.INTERRUPT
    if answer.found == "optimal":
        return StopReason.PROOF
    return StopReason.WALL_CLOCK if search.out_of_time() else StopReason.DETERMINISTIC_LIMIT


def _columns(c: Compiled, choice: Ints) -> Ints:
    x = np.zeros(c.m, dtype=np.int64)
    x[choice[choice != NONE]] = 1
    return x


def _pack(c: Compiled, linear: Linear, columns: Ints) -> Pack:
    """Return the pack of ``columns`` with its sums recomputed, helper columns at their best values."""
    full = linear.complete(columns[: c.m])
    choice = np.full(c.n, NONE, dtype=np.int64)
    chosen = np.flatnonzero(full[: c.m])
    choice[c.rung_unit[chosen]] = chosen
    short = int(full[linear.short].sum()) if len(linear.short) else 0
    return Pack(choice, int(linear.objective @ full), int(linear.tokens @ full), short)


def _finish(search: Search) -> PackedContext:
    best, options = search.best, search.options
    assert best is not None
    search.bound = max(search.bound, best.objective) if search.engine == "greedy" else search.bound
    if best.objective > search.bound:
        raise BackendError(
            f"the pack is worth {best.objective}, above its bound {search.bound}",
            code="backend_contradiction",
            hint="this is a fault; please report it with the problem file",
        )
    report = SolverReport(
        status=_status(search),
        stop_reason=_final_stop(search),
        engine=search.engine,
        objective=best.objective,
        bound=search.bound,
        gap=relative_gap(best.objective, search.bound),
        scale=search.c.scale,
        shortfall=best.shortfall,
        shortfall_bound=search.shortfall_bound,
        limits=options.limits(),
        seed=options.seed,
        workers=options.workers,
        versions=_versions(search.engine),
        reproducible=_reproducible(search),
        problem_digest=search.c.problem.digest,
    )
    context = build_context(search.c, best.choice, report, search.notes)
    _check(context, search.c.problem)
    return context


def _status(search: Search) -> Status:
    assert search.best is not None
    proven_shortfall = search.best.shortfall == search.shortfall_bound
    if proven_shortfall and search.best.objective == search.bound:
        return Status.OPTIMAL  # of greedy too: a pack that reaches a valid bound is proven
    if search.engine == "greedy":
        return Status.HEURISTIC
    if not proven_shortfall:
        return Status.FEASIBLE
    if _gap_met(search):
        return Status.WITHIN_GAP
    return Status.FEASIBLE


def _gap_met(search: Search) -> bool:
    """Whether a gap was asked for and reached."""
    assert search.best is not None
    return search.options.gap > 0 and relative_gap(search.best.objective, search.bound) <= search.options.gap


def _final_stop(search: Search) -> StopReason:
    if search.stop is StopReason.PROOF and not search.proved:
        return StopReason.GAP
    return search.stop


def _reproducible(search: Search) -> bool:
    if search.engine == "greedy" or (search.proved and search.canonical):
        return True
    if search.proved and search.options.time_limit is not None:
        return False  # the clock may have cut the canonical stage
    return search.options.workers == 1 and search.stop not in (StopReason.WALL_CLOCK, StopReason.INTERRUPT)


def _versions(engine: str) -> dict[str, str]:
    from importlib.metadata import version

    versions = {"satchel": version("satchel")}
    if engine == "cp-sat":
        versions["ortools"] = cpsat.version()
    return versions


def _check(context: PackedContext, problem: Problem) -> None:
    """Nothing is claimed that the independent checker does not confirm."""
    report = verify(context, problem)
    if not report.passed:
        failures: Sequence[str] = [f"{check.name}: {check.detail}" for check in report.failures]
        raise VerificationError(
            f"the checker refuses the pack: {failures[0]}",
            code="checker_refused",
            hint="this is a fault of Satchel; please report it with the problem file",
            data={"failures": list(failures)},
        )
