"""The greedy of seed 000 §7, to the letter.

Required units first, in the order given: one above the required risk ceiling ends it, one that does not fit
is shortened (§8) until it does, else it ends. Then the others below the risk ceiling, by falling value: one
whose zone has no capacity left for its full form is rejected, one that fits is taken, one that does not is
shortened to what remains, else rejected.

A unit's value is reckoned once, in an empty pack: scores, risk and bonus, and the coverage that it would earn
there (its ``coverageGain``); an empty pack has no redundancy. What the text leaves open is read kindly: to
shorten takes the fullest form that the zone's overflow policy offers and that fits; what the policy (§10)
excludes is no candidate; what it requires, and all of a zone that may drop nothing (§3), is required.

It knows nothing of dependencies, redundancy groups, zone minima, required dimensions, or the saturation of
coverage, so its answer may break rules: the verdict says which.
"""

from __future__ import annotations

import numpy as np

from ...models import Problem, RejectReason
from ..compile import Compiled, compile_problem, rung_values
from ..eligible import Rung, Standing
from .result import EngineStatus, Found, Run


def seed_greedy(problem: Problem, run: Run) -> Found:
    """Pack ``problem`` as seed 000 §7 does."""
    c = compile_problem(problem)
    run.ready()
    standings = [c.eligibility.standings[unit.id] for unit in problem.units]
    candidates = [s for s in standings if s.out is not RejectReason.MUST_EXCLUDE]
    packer = _Packer(problem)
    for standing in candidates:
        if standing.required is not None and not packer.take_required(standing):
            note = f"required unit {standing.unit.id!r} is too risky or does not fit"
            return Found(EngineStatus.NO_ANSWER, scale=c.scale, note=note)
    worth = _worth(c, candidates) if candidates else {}
    ceiling = problem.policy.risk_ceiling
    ranked = [s for s in candidates if s.required is None and s.unit.risk_score < ceiling]
    for standing in sorted(ranked, key=lambda s: -worth[s.unit.id]):
        packer.offer(standing)
    return Found(EngineStatus.HEURISTIC, scale=c.scale, selection=packer.taken)


def _worth(c: Compiled, candidates: list[Standing]) -> dict[str, float]:
    """Return the value of each unit's own form in an empty pack, unscaled, coverage included."""
    problem = c.problem
    gains = {
        d.name: ((problem.weights.coverage if d.weight is None else d.weight), d.gains)
        for d in problem.coverage
        if d.gains
    }
    sizes = [len(standing.rungs) for standing in candidates]
    own = rung_values(problem, candidates)[np.cumsum([0, *sizes[:-1]])].tolist()
    worth: dict[str, float] = {}
    for standing, value in zip(candidates, own, strict=True):
        cover = sum(
            gains[name][0] * gains[name][1][0] * strength
            for name, strength in standing.unit.coverage.items()
            if name in gains
        )
        worth[standing.unit.id] = value + cover
    return worth


class _Packer:
    def __init__(self, problem: Problem) -> None:
        self.remaining = problem.envelope.available
        self.risk_limit = problem.policy.required_risk_ceiling
        self.in_zone: dict[str, int] = {}
        self.taken: dict[str, int] = {}

    def take_required(self, standing: Standing) -> bool:
        """Take a required unit, shortened if need be; False where the seed gives up."""
        if standing.unit.risk_score > self.risk_limit:
            return False
        rung = self._fitting(standing)
        if rung is not None:
            self._take(standing, rung)
        return rung is not None

    def offer(self, standing: Standing) -> None:
        """Take an optional unit if its zone has room for its full form, shortened to what remains."""
        limit = standing.zone.max_tokens
        held = self.in_zone.get(standing.zone.name, 0)
        if limit is not None and held + standing.rungs[0].tokens > limit:
            return
        rung = self._fitting(standing)
        if rung is not None:
            self._take(standing, rung)

    def _fitting(self, standing: Standing) -> Rung | None:
        return next((rung for rung in standing.rungs if rung.tokens <= self.remaining), None)

    def _take(self, standing: Standing, rung: Rung) -> None:
        zone = standing.zone.name
        self.taken[standing.unit.id] = rung.place
        self.remaining -= rung.tokens
        self.in_zone[zone] = self.in_zone.get(zone, 0) + rung.tokens
