"""What is claimed of the best pack where prices decide, and its artifact."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...models import PackedContext, SolverReport, Status, StopReason
from ..options import relative_gap
from ..result import build_context
from ..solve import versions_of

if TYPE_CHECKING:
    from .pick import Pick
    from .solve import Ending, Rounds

WORST = (StopReason.INTERRUPT, StopReason.WALL_CLOCK, StopReason.DETERMINISTIC_LIMIT, StopReason.GAP)
"""What ended a run whose cases ended differently: the first of these that ended one."""


def priced_context(rounds: Rounds) -> PackedContext:
    """Return the artifact of the best pack of ``rounds``."""
    best, options = rounds.best, rounds.options
    assert best is not None
    shortfall = min(_shortfall_bound(ending) for ending in rounds.endings if ending.bound is not None)
    bound = _bound(rounds, best)
    gap = relative_gap(best.value, bound)
    proven = best.value == bound and best.shortfall == shortfall
    stop = _stop(rounds, proven=proven)
    status = Status.OPTIMAL if proven else Status.FEASIBLE
    if not proven and rounds.engine == "greedy":
        status = Status.HEURISTIC
    elif not proven and options.gap > 0 and gap <= options.gap and best.shortfall == shortfall:
        status = Status.WITHIN_GAP
        stop = StopReason.GAP if stop is StopReason.PROOF else stop
    proofs = {ending.case.name: ending.certificate(best.shortfall) for ending in rounds.endings}
    report = SolverReport(
        status=status,
        stop_reason=stop,
        engine=rounds.engine,
        objective=best.value,
        bound=bound,
        gap=gap,
        scale=rounds.c.scale,
        shortfall=best.shortfall,
        shortfall_bound=shortfall,
        limits=options.limits(),
        seed=options.seed,
        workers=options.workers,
        versions=versions_of(rounds.engine),
        reproducible=_reproducible(rounds),
        problem_digest=rounds.c.problem.digest,
        certificate=proofs.get("uncached"),
        cached_certificate=proofs.get("cached"),
    )
    return build_context(rounds.c, best.choice, report, list(rounds.notes.values()))


def _shortfall_bound(ending: Ending) -> int:
    return 0 if ending.search is None else ending.search.shortfall_bound


def _bound(rounds: Rounds, best: Pick) -> int:
    """Return what a pack at the cost of ``best`` could be worth at most, by what is known of each case."""
    bounds = [
        value_bound(ending.weights, ending.bound, ending.case.fixed, best.cost)
        for ending in rounds.endings
        if ending.bound is not None and _shortfall_bound(ending) <= best.shortfall
    ]
    return max(best.value, *bounds)


def value_bound(weights: tuple[int, int], bound: int, fixed: int, cost: int) -> int:
    """Return the least whole value, at ``cost``, that no ratio of value to cost is above.

    Packs have ``a x value - b x cost <= bound`` and cost ``fixed`` or more, so that
    value / cost <= (b x fixed + bound) / (a x fixed). With b = 0 it is value itself that is bounded.
    """
    a, b = weights
    if b == 0:
        return bound // a
    return -(-cost * (b * fixed + max(0, bound)) // (a * fixed))


def _stop(rounds: Rounds, *, proven: bool) -> StopReason:
    if rounds.engine == "greedy":
        return StopReason.HEURISTIC_END
    if proven:
        return StopReason.PROOF
    stops = {ending.cut for ending in rounds.endings}
    return next((stop for stop in WORST if stop in stops), StopReason.PROOF)


def _reproducible(rounds: Rounds) -> bool:
    """Whether another run gives the same bytes: all cases ended by proof, or by nothing that a clock says."""
    if rounds.engine == "greedy":
        return True
    stops = {ending.cut for ending in rounds.endings}
    searches = [ending.search for ending in rounds.endings if ending.search is not None]
    if stops == {None} and all(search.canonical for search in searches):
        return True
    clock = bool(stops & {StopReason.WALL_CLOCK, StopReason.INTERRUPT})
    clock = clock or any(search.out_of_time() for search in searches)
    return rounds.options.workers == 1 and not clock
