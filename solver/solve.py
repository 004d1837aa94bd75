"""One solve: compile, greedy, the search for value, canonical answer, artifact. Each stage has its module."""

from __future__ import annotations

import dataclasses
import time
from importlib.metadata import version

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
    StopReason,
)
from .backends import cpsat, highs
from .backends.cpsat import CpSat
from .backends.interruptible import listening
from .checked import checked
from .compile import Compiled, compile_problem
from .conflict import explain_infeasible
from .core import maximise
from .greedy import Pack, greedy
from .hull import simple_bound
from .linear import Linear, Row, build
from .options import SolveOptions, relative_gap
from .restrict import restrict
from .result import build_context
from .search import Search, Warm, columns_of, pack_of
from .ties import canonical
from .tighten import Outlook, opened

FINISH = 4.5
"""Seconds that the artifact and its check take per second of compiling, as measured from 1,000 units up: a
time limit holds for the whole solve, so the search leaves them over."""

TIE_WORK = 0.5
"""The canonical stage may spend this share of the search's work, and half a unit more."""


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
    with listening():
        return _solve(problem, options or SolveOptions())


def _solve(problem: Problem, options: SolveOptions) -> PackedContext:
    began = time.monotonic()
    started = began if options.started is None else options.started
    c = compile_problem(problem)
    reserve = FINISH * (time.monotonic() - began)
    if problem.pricing is not None and problem.pricing.decides:
        from .priced.solve import solve_priced

        def run(case: Compiled, limits: SolveOptions, known: Pack | None, wanted: int | None) -> Search:
            return searched(case, limits, started, reserve, known, wanted)

        return checked(solve_priced(c, options, run), problem)
    return context_of(searched(c, options, started, reserve))


def searched(
    c: Compiled,
    options: SolveOptions,
    started: float,
    reserve: float,
    known: Pack | None = None,
    wanted: int | None = None,
    warm: Warm | None = None,
) -> Search:
    """Return the end of the search for the best pack of ``c``, from ``known`` on where there is one.

    ``warm`` says where to look first; the answer is the same, and comes sooner. The search ends once no pack
    is worth ``wanted``, if need be without any pack. Raises as :func:`solve`.
    """
    search = Search(c, options, started, reserve=reserve, wanted=wanted, warm=warm)
    _choose_engine(search)
    search.best = known
    search.take_pack(greedy(c))
    search.certificate = simple_bound(c)
    search.bound = search.certificate.bound
    search.tell("greedy")
    if search.engine == "greedy":
        if search.best is None:
            raise InfeasibleError(
                "greedy found no feasible pack, which proves nothing",
                code="no_pack_found",
                hint="solve with --solver cp-sat to find one or to learn what clashes",
            )
    elif c.n:
        if not search.hopeless and (search.best is None or not (search.halted or _too_late(search))):
            _search(search)
    else:
        _nothing_to_choose(search)
    if search.best is None and not search.hopeless:
        raise search.no_pack()
    return search


def _too_late(search: Search) -> bool:
    """Whether a time limit leaves less than it takes to build the program, which is what compiling took."""
    left = search.seconds_left()
    return left is not None and left < search.reserve / FINISH


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
        raise explain_infeasible(
            search.c, build(search.c), seed=search.options.seed, seconds=search.seconds_left()
        )
    search.bound, search.shortfall_bound = search.best.objective, search.best.shortfall
    search.canonical = True


def _search(search: Search) -> None:
    linear = build(search.c)
    if len(linear.short):
        settled = _settle_shortfall(search, linear)
        if settled is None:
            return
        linear = settled
    known = maximise(search, linear)
    if (
        search.proved
        and not search.canonical
        and search.stop is not StopReason.INTERRUPT
        and not search.out_of_time()
    ):
        _settle_ties(search, linear, known)


def _settle_shortfall(search: Search, linear: Linear) -> Linear | None:
    """Make the shortfall of relaxed zone minima as small as can be; return the program that keeps it so.

    None where a limit was hit first: the value of a pack means little while a smaller shortfall may exist.
    """
    c = search.c
    aim = np.zeros(linear.columns, dtype=np.int64)
    aim[linear.short] = -1
    if search.best is None or search.best.shortfall > 0:
        search.tell("zone minima")
        model = CpSat(dataclasses.replace(linear, objective=aim))
        model.maximise(aim)
        if search.best is not None:
            model.hint(columns_of(c, linear, search.best.choice))
        answer = model.solve(search.limits())
        search.note_end(answer)
        if answer.found == "infeasible":
            raise explain_infeasible(c, linear, seed=search.options.seed, seconds=search.seconds_left())
        if answer.columns is not None:
            search.take_pack(pack_of(c, linear, answer.columns))
        if search.best is None:
            raise search.no_pack()
        # With a limit hit before any answer there is no bound: no shortfall is 0 or more.
        search.shortfall_bound = max(0, -answer.bound) if answer.bound is not None else 0
        if answer.found != "optimal":
            return None
    ones = np.ones(len(linear.short), dtype=np.int64)
    return linear.with_row(Row("shortfall", ""), linear.short, ones, 0, search.best.shortfall)


def _settle_ties(search: Search, linear: Linear, known: tuple[Linear, Outlook] | None) -> None:
    c, best = search.c, search.best
    assert best is not None
    search.tell("ties")
    if known is None:
        small = restrict(linear, linear.col_lo, linear.col_hi)
    else:
        reduced, outlook = known
        small = opened(c, reduced, outlook.after(search).alive)
    work = 0.5 + TIE_WORK * search.work
    columns, search.canonical = canonical(
        c,
        small,
        columns_of(c, linear, best.choice)[small.free],
        best.objective - small.constant,
        lambda most: dataclasses.replace(search.limits(), work=most),
        work,
    )
    search.best = pack_of(c, linear, small.expand(columns))


def context_of(search: Search) -> PackedContext:
    """Return the artifact of the best pack of ``search``, confirmed by the checker."""
    best, options = search.best, search.options
    assert best is not None
    search.take_bound(None)
    report = SolverReport(
        status=_status(search),
        stop_reason=final_stop(search),
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
        versions=versions_of(search.engine),
        reproducible=_reproducible(search),
        problem_digest=search.c.problem.digest,
        certificate=search.certificate,
    )
    return checked(build_context(search.c, best.choice, report, search.notes), search.c.problem)


def _status(search: Search) -> Status:
    assert search.best is not None
    proven_shortfall = search.best.shortfall == search.shortfall_bound
    if proven_shortfall and search.best.objective == search.bound:
        return Status.OPTIMAL  # of greedy too: a pack that reaches a valid bound is proven
    if search.engine == "greedy":
        return Status.HEURISTIC
    if not proven_shortfall:
        return Status.FEASIBLE
    return Status.WITHIN_GAP if search.gap_met() else Status.FEASIBLE


def final_stop(search: Search) -> StopReason:
    """Return why ``search`` ended."""
    if search.engine == "greedy":
        return StopReason.HEURISTIC_END
    if search.settled or search.stop is StopReason.INTERRUPT:
        return StopReason.PROOF if search.settled else search.stop
    if search.gap_met():
        return StopReason.GAP
    # CP-SAT may end a moment before its clock runs out: what was not the work limit was the clock.
    by_work = search.out_of_work() and not search.out_of_time()
    return StopReason.DETERMINISTIC_LIMIT if by_work else StopReason.WALL_CLOCK


def _reproducible(search: Search) -> bool:
    """Whether another run gives the same bytes: the answer is canonical, or nothing but work was counted."""
    if search.engine == "greedy" or (search.proved and search.canonical):
        return True
    by_clock = final_stop(search) in (StopReason.WALL_CLOCK, StopReason.INTERRUPT)
    return search.options.workers == 1 and not by_clock and not search.out_of_time()


def versions_of(engine: str) -> dict[str, str]:
    """Return the versions of what ``engine`` runs."""
    versions = {"satchel": version("satchel")}
    if engine == "cp-sat":
        versions["ortools"] = cpsat.version()
        if highs.available():
            versions["highspy"] = highs.version()
    return versions
