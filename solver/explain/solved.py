"""A solved problem, and its solve again after a small change.

A changed problem starts warm: its relaxation goes on from the basis that the first one ended with, and the
first core lies around the pack that was best before (:class:`..search.Warm`). What is proven is the same as
from a cold start; it only comes sooner.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ...models import InfeasibleError, PackedContext, Problem, Status, UsageError
from ..backends import highs
from ..backends.highs import Basis, Floats, Simplex
from ..compile import Compiled, Ints, compile_problem
from ..duals import DualBound, Matrix, dual_bound
from ..flat import held_of
from ..greedy import Pack
from ..linear import Linear, Row, build
from ..options import SolveOptions
from ..search import Search, Warm
from ..solve import searched
from ..state import NONE


@dataclass(frozen=True)
class Outcome:
    """What is known of the best pack of a changed problem.

    ``pack`` is the best one found. No pack lacks less of relaxed zone minima than ``shortfall_bound``, and
    none that lacks as little is worth more than ``bound``; where ``bound`` is None there is no pack at all,
    and ``why`` says what stands against it. ``canonical`` tells that the pack is the one that the rules on
    ties choose.
    """

    pack: Pack | None
    bound: int | None
    shortfall_bound: int = 0
    canonical: bool = False
    why: str = ""

    @property
    def proven(self) -> bool:
        """Whether the pack is the best, or there is none."""
        if self.pack is None:
            return self.bound is None
        return self.pack.objective == self.bound and self.pack.shortfall == self.shortfall_bound


@dataclass(frozen=True)
class Root:
    """The relaxation of a solved problem: where it ended, and the exact bound that its duals prove."""

    linear: Linear
    basis: Basis | None
    columns: Floats
    bound: DualBound


@dataclass(frozen=True)
class Solved:
    """A problem as arrays with the pack that answers it.

    ``proven`` tells that ``pack`` is the canonical best one. ``options`` are the limits of each solve that
    starts from here.
    """

    c: Compiled
    pack: Pack
    proven: bool
    options: SolveOptions
    start: Basis | None = None

    @classmethod
    def of(cls, problem: Problem, context: PackedContext, options: SolveOptions | None = None) -> Solved:
        """Return the solved problem that ``context`` is the artifact of.

        Raises
        ------
        UsageError
            ``context`` answers another problem than ``problem``.
        """
        if problem.digest != context.solver.problem_digest:
            raise UsageError(
                "the artifact answers another problem than the one given",
                code="other_problem",
                field="problem",
                hint="give the problem file that was written with the artifact",
            )
        c = compile_problem(problem)
        choice = choice_of(c, {unit.id: unit.rung for unit in context.accepted_units})
        report = context.solver
        proven = report.status is Status.OPTIMAL and report.reproducible
        return cls(c, pack_at(c, choice), proven, options or SolveOptions())

    @classmethod
    def afresh(cls, problem: Problem, options: SolveOptions | None = None) -> Solved:
        """Solve ``problem``; raises as :func:`..solve.solve`."""
        options = options or SolveOptions()
        c = compile_problem(problem)
        if _priced(c):
            from ..solve import solve

            return cls.of(problem, solve(problem, options), options)
        search = searched(c, options, time.monotonic(), 0.0)
        assert search.best is not None
        return cls(c, search.best, _settled(search), options, search.basis)

    @property
    def value(self) -> int:
        """The scaled value of the pack."""
        return self.pack.objective

    @cached_property
    def root(self) -> Root | None:
        """The relaxation, or None where it cannot be had: no HiGHS, no units, or a limit in the way."""
        if self.c.n == 0 or not highs.available():
            return None
        return relaxed(self.c, self.pack.shortfall, self.start, self.options.time_limit)

    @property
    def basis(self) -> Basis | None:
        """Where changed problems start their relaxation."""
        return self.start if self.root is None else self.root.basis

    def again(
        self,
        c: Compiled,
        *,
        around: Ints | None = None,
        known: Pack | None = None,
        wanted: int | None = None,
    ) -> Outcome:
        """Solve ``c``, a change of this problem.

        Parameters
        ----------
        around
            A choice of rungs of ``c`` near to which good packs are; by default the pack of this problem,
            where ``c`` has the same units.
        known
            A pack of ``c``, if one is at hand.
        wanted
            Packs worth less are of no interest: the end may be an outcome without a pack whose bound is below
            it.
        """
        if _priced(self.c):
            return _priced_outcome(c, self.options)
        if around is None and c.m == self.c.m:
            around = self.pack.choice
        warm = None if around is None else Warm(around, self.basis)
        try:
            search = searched(c, self.options, time.monotonic(), 0.0, known, wanted, warm)
        except InfeasibleError as error:
            if error.code == "no_pack_found":
                return Outcome(None, 2**62, why=error.message)
            return Outcome(None, None, why=error.message)
        return Outcome(search.best, search.bound, search.shortfall_bound, search.canonical)

    def most(self, c: Compiled) -> int | None:
        """Return a bound on the value of packs of ``c``, a change of this problem, by its relaxation alone.

        None where that cannot be had. Holds for packs that lack no more of relaxed minima than this one's.
        """
        if not highs.available():
            return None
        root = relaxed(c, self.pack.shortfall, self.basis, self.options.time_limit)
        return None if root is None else root.bound.bound


def relaxed(c: Compiled, shortfall: int, start: Basis | None, seconds: float | None) -> Root | None:
    """Solve the relaxation of ``c`` for packs that lack ``shortfall`` of relaxed minima at most."""
    linear = held_shortfall(build(c), shortfall)
    simplex = Simplex(linear, start)
    found = simplex.solve(seconds=seconds)
    if found.found != "optimal" or len(found.duals) == 0:
        return None
    bound = dual_bound(c, linear, Matrix.of(linear), found.duals)
    return Root(linear, simplex.basis(), found.columns, bound)


def held_shortfall(linear: Linear, shortfall: int) -> Linear:
    """Return ``linear`` with what relaxed minima lack kept at ``shortfall`` or less."""
    if len(linear.short) == 0:
        return linear
    ones = np.ones(len(linear.short), dtype=np.int64)
    return linear.with_row(Row("shortfall", ""), linear.short, ones, 0, shortfall)


def choice_of(c: Compiled, places: dict[str, int]) -> Ints:
    """Return the rung of each unit of ``c`` from places in the ladders; what ``c`` has not is left out."""
    choice = np.full(c.n, NONE, dtype=np.int64)
    for name, place in places.items():
        unit = c.index.get(name)
        if unit is None:
            continue
        for offset, rung in enumerate(c.standings[unit].rungs):
            if rung.place == place:
                choice[unit] = int(c.rung_start[unit]) + offset
    return choice


def places_of(c: Compiled, choice: Ints) -> dict[str, int]:
    """Return the place in its ladder of each unit that ``choice`` has in."""
    return {c.ids[u]: place_of(c, int(choice[u])) for u in np.flatnonzero(choice != NONE).tolist()}


def place_of(c: Compiled, rung: int) -> int:
    """Return the place in its unit's ladder of a rung."""
    unit = int(c.rung_unit[rung])
    return c.standings[unit].rungs[rung - int(c.rung_start[unit])].place


def pack_at(c: Compiled, choice: Ints) -> Pack:
    """Return the pack ``choice`` with its sums."""
    used = c.flat.zone_used(choice)
    short = sum(
        max(0, zone.minimum - int(tokens)) for zone, tokens in zip(c.zones, used, strict=True) if zone.relax
    )
    return Pack(choice, c.flat.objective(choice), int(held_of(choice, c.tokens).sum()), short)


def _settled(search: Search) -> bool:
    best = search.best
    return (
        best is not None and search.proved and search.canonical and best.shortfall == search.shortfall_bound
    )


def _priced(c: Compiled) -> bool:
    pricing = c.problem.pricing
    return pricing is not None and pricing.decides


def _priced_outcome(c: Compiled, options: SolveOptions) -> Outcome:
    """Solve a problem whose prices decide: its cases are other programs, and start cold."""
    from ..priced.solve import solve_priced

    def run(case: Compiled, limits: SolveOptions, known: Pack | None, wanted: int | None) -> Search:
        return searched(case, limits, time.monotonic(), 0.0, known, wanted)

    try:
        context = solve_priced(c, options, run)
    except InfeasibleError as error:
        return Outcome(None, 2**62 if error.code == "no_pack_found" else None, why=error.message)
    choice = choice_of(c, {unit.id: unit.rung for unit in context.accepted_units})
    report = context.solver
    return Outcome(pack_at(c, choice), report.bound, report.shortfall_bound, report.reproducible, why="")
