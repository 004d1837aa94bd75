"""The best pack where prices decide: each case is solved, and of the most value per cost again and again.

Value per cost is found as by Dinkelbach (1967): with the best ratio so far, ``b / a``, no pack is better
exactly if none has ``a x value - b x cost > 0``; whichever has most of it becomes the next ratio. All numbers
are integers, ratios only rise, and there are finitely many, so this ends with a proof.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass, field

from ...models import (
    Certificate,
    Diagnostic,
    InfeasibleError,
    Objective,
    PackedContext,
    Severity,
    StoppedError,
    StopReason,
)
from ..backends.interruptible import interrupted
from ..compile import Compiled
from ..greedy import Pack, greedy
from ..hull import simple_bound
from ..options import Progress, SolveOptions
from ..search import Search
from .artifact import priced_context
from .cases import Case, cases
from .least import no_pack_error
from .pick import Pick
from .tariff import Tariff

Run = Callable[[Compiled, SolveOptions, "Pack | None", "int | None"], Search]
"""Searches the best pack of a compiled problem, from a known one on where there is one, as long as there may
be one that is worth as much as is wanted."""

FIRST_PICKS = 20
"""Greedy packs, at most, that the first ratio comes from: each costs little and saves a proof."""


@dataclass(frozen=True)
class Ending:
    """What is known of the packs of ``case``: none has more than ``bound`` of ``a x value - b x cost``.

    ``search`` is None where the case was closed without one, ``bound`` where it holds no pack. ``cut`` is
    what ended the case before it was settled. ``proof`` holds where zones lack what they lack in ``rests_on``
    (None: always), ``plain`` always.
    """

    case: Case
    weights: tuple[int, int]
    plain: Certificate
    bound: int | None
    search: Search | None = None
    cut: StopReason | None = None
    proof: Certificate | None = None
    rests_on: int | None = None

    def certificate(self, shortfall: int) -> Certificate:
        """Return the tighter certificate that holds for an answer whose zones lack ``shortfall`` tokens."""
        return self.proof if self.proof is not None and self.rests_on in (None, shortfall) else self.plain


@dataclass
class Rounds:
    """The state of a run over all cases."""

    c: Compiled
    tariff: Tariff
    options: SolveOptions
    run: Run
    best: Pick | None = None
    work: float = 0.0
    engine: str = "cp-sat"
    endings: list[Ending] = field(default_factory=list)
    notes: dict[str, Diagnostic] = field(default_factory=dict)
    gap: float = 0.0

    @property
    def objective(self) -> Objective:
        """What is made as great as can be."""
        return self.tariff.pricing.objective

    @property
    def weights(self) -> tuple[int, int]:
        """The weights of value and cost at which no better pack is above 0."""
        return (1, 0) if self.best is None else self.best.weights(self.objective)

    def take(self, pack: Pack | None) -> None:
        """Keep ``pack`` if it is better than the best so far."""
        if pack is not None:
            pick = Pick.of(self.c, self.tariff, pack)
            if pick.beats(self.best, self.objective):
                self.best = pick

    def start(self, every: list[Case]) -> None:
        """Find a first ratio by greedy packs."""
        for _ in range(FIRST_PICKS):
            weights = self.weights
            for case in every:
                self.take(greedy(case.weighed(*weights)))
            if self.weights == weights or interrupted():
                return

    def settle(self, case: Case) -> None:
        """Search ``case`` until nothing in it is better than the best pack, or a limit is hit."""
        while True:
            weights = self.weights
            weighed = case.weighed(*weights)
            plain = _certificate(simple_bound(weighed), case, weights)
            known = None if self.best is None else self.best.within(case, weighed)
            wanted = self._wanted(case)
            try:
                search = self.run(weighed, self._options(), known, wanted)
            except (InfeasibleError, StoppedError) as error:
                self._without_a_pack(error, case, weights, plain)
                return
            self.work += search.work
            self.engine = search.engine
            self.notes |= {note.code: note for note in search.notes}
            self.take(search.best)
            ended = search.halted or not (search.proved or search.engine == "greedy")
            if self.weights == weights or ended:
                self._end(case, weights, plain, search)
                return

    def _end(self, case: Case, weights: tuple[int, int], plain: Certificate, search: Search) -> None:
        settled = search.hopeless or (search.settled and self.weights == weights)
        proof, best = search.certificate, search.best
        rests_on = None
        if proof is not None and any(dual.family == "shortfall" for dual in proof.duals):
            assert best is not None  # the row says how much it lacks
            rests_on = best.shortfall
        ending = Ending(
            case,
            weights,
            plain,
            bound=search.bound - weights[1] * case.fixed,
            search=None if search.hopeless else search,
            cut=None if settled else _cut(search),
            proof=None if proof is None else _certificate(proof, case, weights),
            rests_on=rests_on,
        )
        self.endings.append(ending)

    def _wanted(self, case: Case) -> int | None:
        """Return what a pack of ``case`` must be worth, fixed cost left out, to be as good as the best one.

        None while there is none, or it lacks what zones are to hold: lacking less is better than any worth.
        """
        if self.best is None or self.best.shortfall:
            return None
        value, cost = self.weights
        return value * self.best.value if cost == 0 else cost * case.fixed

    def _without_a_pack(
        self, error: InfeasibleError | StoppedError, case: Case, weights: tuple[int, int], plain: Certificate
    ) -> None:
        if error.code == "no_pack_in_case":
            self.endings.append(Ending(case, weights, plain, None))
        elif error.code == "no_pack_found" or (isinstance(error, StoppedError) and self.best is not None):
            cut = StopReason.DETERMINISTIC_LIMIT
            if self.options.time_limit is not None:
                cut = StopReason.WALL_CLOCK
            if interrupted():
                cut = StopReason.INTERRUPT
            self.endings.append(Ending(case, weights, plain, plain.bound, cut=cut))
        else:
            raise error

    def _options(self) -> SolveOptions:
        """Return what is left of the limits. Bounds of one case, or of value less cost, are not told."""
        options, total = self.options, self.options.deterministic_limit
        return dataclasses.replace(
            options,
            gap=self.gap,
            deterministic_limit=None if total is None else max(0.0, total - self.work),
            on_progress=None if options.on_progress is None else self._tell,
        )

    def _tell(self, progress: Progress) -> None:
        assert self.options.on_progress is not None
        known = None if self.best is None else self.best.value
        if self.objective is Objective.VALUE and progress.objective is not None:
            known = progress.objective if known is None else max(known, progress.objective)
        self.options.on_progress(Progress(progress.stage, known, None, progress.scale))


def _cut(search: Search) -> StopReason:
    """Return what ended a search that proved nothing, or not enough."""
    if interrupted() or search.stop is StopReason.INTERRUPT:
        return StopReason.INTERRUPT
    if search.gap_met():
        return StopReason.GAP
    # CP-SAT may end a moment before its clock runs out: what was not the work limit was the clock.
    by_work = search.out_of_work() and not search.out_of_time()
    return StopReason.DETERMINISTIC_LIMIT if by_work else StopReason.WALL_CLOCK


def _certificate(proof: Certificate, case: Case, weights: tuple[int, int]) -> Certificate:
    """Return ``proof`` as one of value less cost, fixed cost included, of the packs of ``case``."""
    value, cost = weights
    return proof.model_copy(
        update={
            "bound": proof.bound - cost * case.fixed,
            "case": case.name,
            "value_weight": value,
            "cost_weight": cost,
        }
    )


def solve_priced(c: Compiled, options: SolveOptions, run: Run) -> PackedContext:
    """Return the artifact of the best pack of ``c``, whose prices decide.

    Raises
    ------
    InfeasibleError
        ``cost_limit``: no pack costs so little, with the least that works; or as :func:`..solve.solve`.
    """
    tariff = Tariff.of(c.problem)
    ratio = tariff.pricing.objective is not Objective.VALUE
    # A gap of value less cost says little: a ratio is proven, or ends with a limit.
    rounds = Rounds(c, tariff, options, run, gap=0.0 if ratio else options.gap)
    if ratio and options.gap:
        text = f"a gap of {options.gap:g} ends no search for value per cost: only a proof or a limit does"
        rounds.notes["gap_not_used"] = Diagnostic(
            severity=Severity.WARNING, code="gap_not_used", message=text
        )
    every = cases(c, tariff)
    if ratio:
        rounds.start(every)
    for case in every:
        rounds.settle(case)
    if rounds.best is None:
        known = all(ending.cut is None for ending in rounds.endings)
        raise no_pack_error(c, tariff, options, run, known=known)
    if rounds.gap and rounds.best.value <= 0 and len(every) > 1:
        # The gap of a case is a share of its own value, which may be further below 0 than the best one.
        rounds.gap, rounds.endings = 0.0, []
        for case in every:
            rounds.settle(case)
    return priced_context(rounds)
