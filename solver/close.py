"""The proof: aim between the incumbent and the bound, and let the aim fall to the incumbent.

CP-SAT is asked for a pack worth an *aim* or more. The higher the aim, the more options lose too much to be
in such a pack (:mod:`.duals`) and the deeper the cuts (:mod:`.tighten`), so the program is small: either it
holds the best pack, or that it is empty takes the bound below the aim. Both come far sooner than a proof from
a poor incumbent (destructive bounds, Klein and Scholl 1999, Computing optimal solutions by destructive
improvement). The best pack is mostly much nearer to the bound than to the incumbent, so that the first aim is
high.

The last aim is the incumbent itself. What is asked for then is a pack as good and other than it: that there
is none proves both that its value is the greatest and that it is the canonical answer.
"""

from __future__ import annotations

from collections.abc import Callable

from .backends.cpsat import Answer, CpSat
from .conflict import explain_infeasible
from .duals import Alive
from .linear import Linear
from .restrict import Restricted
from .search import Search, columns_of, pack_of
from .tighten import Outlook, opened, sharpened

SHARE = 0.25
"""The first aim is below the bound by this share of the gap: two in three of the drawn problems of 200 to
5,000 units have a pack there. The share doubles after an aim that was too high, and is halved after one that
took too long to decide."""

WORK = 0.5
"""CP-SAT work units of the first attempt; each that found nothing is followed by one twice as long."""


def close(search: Search, linear: Linear, known: Outlook) -> Outlook:
    """Prove the incumbent, or find better packs until one is proven; return what is known in the end."""
    share, work = SHARE, WORK
    while search.best is not None and not search.halted:
        before = search.best.objective
        aim = max(before, search.bound - int(share * (search.bound - before)))
        known = known.after(search)
        sharp: Outlook | None = known
        proved = search.proved
        if not proved:
            sharp = sharpened(search, linear, known.above(search.c, aim), aim)
        found = _ask(search, linear, opened(search.c, linear, sharp.alive), aim, work) if sharp else None
        if sharp is not None and search.best.objective >= aim:
            known = sharp  # it holds for every pack worth the aim, so for all as good as the incumbent
        if found is None:
            if aim == before:
                search.canonical = True
                return known
            share = min(1.0, 2 * share)
        elif search.best.objective == before:
            if proved:
                return known  # others are as good, or that is hard to tell
            share, work = share / 2, 2 * work
    return known.after(search)


def _ask(search: Search, linear: Linear, small: Restricted, aim: int, work: float) -> Answer | None:
    """Look in ``small`` for a pack worth ``aim`` or more, other than the incumbent; None where none exists.

    The incumbent and the bound of ``search`` are improved by what is found.
    """
    best = search.best
    assert best is not None
    if small.feasible and small.linear.columns:
        model = CpSat(small.linear)
        if aim == best.objective:
            model.other_than(columns_of(search.c, linear, best.choice)[small.free])
        model.maximise(small.linear.objective)
        model.at_least(aim - small.constant)
        enough = None
        if not search.proved:
            near = best.objective + int(search.options.gap * max(1, abs(best.objective)))
            enough = max(aim, near + 1) - small.constant
        answer = model.solve(search.limits(work), teller(search, small, "proof"), enough=enough)
        search.note_end(answer)
        if answer.columns is not None:
            search.take_pack(pack_of(search.c, linear, small.expand(answer.columns)))
        bound = None if answer.bound is None else answer.bound + small.constant
        if bound is not None:
            search.take_bound(max(bound, aim - 1, search.best.objective if search.best else bound))
        if answer.found != "infeasible" and (bound is None or bound >= aim):
            return answer
    search.take_bound(max(aim - 1, best.objective))
    return None


def prove(search: Search, linear: Linear, alive: Alive) -> None:
    """Solve the program of what is in ``alive``, without an incumbent to go by.

    Raises
    ------
    InfeasibleError
        No pack exists.
    """
    c = search.c
    small = opened(c, linear, alive)
    if small.feasible:
        model = CpSat(small.linear)
        model.maximise(small.linear.objective)
        answer = model.solve(search.limits(gap=search.options.gap), teller(search, small, "proof"))
        search.note_end(answer)
        if answer.columns is not None:
            search.take_pack(pack_of(c, linear, small.expand(answer.columns)))
        if answer.bound is not None:
            search.take_bound(answer.bound + small.constant)
        if answer.found != "infeasible" and search.best is None:
            raise search.no_pack()
    if search.best is None:
        raise explain_infeasible(c, linear, seed=search.options.seed, seconds=search.seconds_left())


def teller(search: Search, small: Restricted, stage: str) -> Callable[[int, int], bool] | None:
    """Return what tells the progress of a solve of ``small``, or None where nobody listens."""
    if search.options.on_progress is None:
        return None

    def report(objective: int, bound: int) -> bool:
        outside = None if stage == "core" else max(bound + small.constant, objective + small.constant)
        search.tell(stage, objective + small.constant, outside)
        return False

    return report
