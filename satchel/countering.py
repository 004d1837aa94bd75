"""What the best pack would be with a candidate otherwise, in words and as data (:mod:`.solver.explain`)."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, Literal

from .models import ContextUnit, PackedContext, Problem
from .solver.explain.account import Account, Entry, account_of, entries
from .solver.explain.counterfactual import Counterfactual, Range, if_in, if_out, if_rung
from .solver.explain.rivals import Rivals, rivals_of
from .solver.explain.solved import Solved
from .solver.state import NONE

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .explaining import Explanation, Question
    from .solver.options import SolveOptions

MOST_SOLVED: Final = 5
"""Candidates of one question that are solved for; of further ones there are bounds by reduced costs."""


@dataclass(frozen=True)
class Otherwise:
    """What would be otherwise for one candidate.

    ``by`` is ``solve`` where the problem was solved again, or ``reduced costs``: then ``lost_at_least`` is a
    bound on the value that is lost with the candidate in, 0 where it says nothing.
    """

    scale: int
    by: Literal["solve", "reduced costs"]
    proven: bool
    cases: tuple[Counterfactual, ...]
    account: Account | None
    rivals: Rivals
    relevance: tuple[float, float | None] | None
    lost_at_least: float | None
    states: dict[str, tuple[str, ...]]

    @property
    def exact(self) -> bool:
        """Whether each loss is known exactly."""
        return self.by == "solve" and all(case.exact for case in self.cases)

    def to_data(self) -> dict[str, Any]:
        """Return it as JSON data, in value."""
        return {
            "by": self.by,
            "exact": self.exact,
            "ofProvenPack": self.proven,
            "cases": [self._case(case) for case in self.cases],
            "account": None if self.account is None else self.account.to_data(self.scale),
            "redundantWith": list(self.rivals.redundant),
            "coveredBy": list(self.rivals.covering),
            "dominatedBy": list(self.rivals.dominating),
            "relevance": None
            if self.relevance is None
            else {"now": self.relevance[0], "enough": self.relevance[1]},
            "lostAtLeast": self.lost_at_least,
        }

    def _case(self, case: Counterfactual) -> dict[str, Any]:
        return {
            "demand": case.demand,
            "rung": case.place,
            "possible": case.possible,
            "why": case.why,
            "exact": case.exact,
            "lost": self._range(case.lost),
            "shortfall": case.shortfall,
            "valueNeeded": self._range(case.value_needed),
            "tokensFewer": None
            if case.tokens_fewer is None
            else {"least": case.tokens_fewer.least, "most": case.tokens_fewer.most},
            "changes": [
                {"id": shift.id, "before": shift.before, "after": shift.after, "tokens": shift.tokens}
                for shift in case.shifts
            ],
        }

    def _range(self, found: Range | None) -> dict[str, Any] | None:
        if found is None:
            return None
        most = None if found.most is None else found.most / self.scale
        return {"least": found.least / self.scale, "most": most}

    def lines(self) -> list[str]:
        """Return it as lines of text."""
        from .counterwords import lines_of

        return lines_of(self)


class Counter:
    """Answers what would be otherwise for the candidates of one pack."""

    def __init__(self, context: PackedContext, problem: Problem, options: SolveOptions | None = None) -> None:
        self.problem = problem
        self.context = context
        self.solved = Solved.of(problem, context, options)
        self.spent = 0

    @cached_property
    def _entries(self) -> dict[str, Entry]:
        solved = self.solved
        if solved.root is None:
            return {}
        found = entries(solved.c, solved.root, solved.pack.choice, solved.value)
        return {entry.unit: entry for entry in found}

    def added(self, explanations: Iterable[Explanation], question: Question) -> list[Explanation]:
        """Return ``explanations`` with what each candidate is scored, and what would be otherwise."""
        return [
            dataclasses.replace(
                explanation,
                scores=self.scores(explanation.id),
                otherwise=self.otherwise(explanation.id, question),
            )
            for explanation in explanations
        ]

    def scores(self, name: str) -> tuple[str, ...]:
        """Return what the value of a candidate is made of, a line each."""
        unit = self.problem.by_id.get(name)
        if unit is None:
            return ()
        scored = "" if unit.value is not None else self._scored(unit)
        parts = [note for note in unit.diagnostics if note.startswith("relevance ")]
        return tuple(text for text in (scored, *parts) if text)

    def _scored(self, unit: ContextUnit) -> str:
        weights = self.problem.weights
        parts = (
            ("relevance", unit.relevance_score, weights.relevance),
            ("authority", unit.authority_score, weights.authority),
            ("freshness", unit.freshness_score, weights.freshness),
            ("risk", unit.risk_score, -weights.risk),
        )
        told = [f"{name} {score:.4g} x {weight:g}" for name, score, weight in parts if score and weight]
        return f"scored {', '.join(told)}" if told else ""

    def otherwise(self, name: str, question: Question) -> Otherwise | None:
        """Return what would be otherwise for a candidate, or None where a rule of its own keeps it out."""
        solved, c = self.solved, self.solved.c
        unit = c.index.get(name)
        if unit is None:
            return None
        inside = int(solved.pack.choice[unit])
        cases: tuple[Counterfactual, ...] = ()
        by: Literal["solve", "reduced costs"] = "reduced costs"
        if self.spent < MOST_SOLVED:
            self.spent += 1
            by, cases = "solve", self._cases(unit, inside, question)
        entry = self._entries.get(name)
        return Otherwise(
            scale=c.scale,
            by=by,
            proven=solved.proven,
            cases=cases,
            account=None
            if solved.root is None
            else account_of(c, solved.root, unit, None if inside == NONE else inside),
            rivals=rivals_of(c, solved.pack.choice, unit),
            relevance=self._relevance(unit, cases),
            lost_at_least=None if entry is None else entry.lost / c.scale,
            states=self._states(unit, cases),
        )

    def _cases(self, unit: int, inside: int, question: Question) -> tuple[Counterfactual, ...]:
        solved = self.solved
        if inside == NONE:
            return (if_in(solved, unit),)
        if question == "rung":
            others = [rung for rung in solved.c.rungs_of(unit) if rung != inside]
            return tuple(if_rung(solved, unit, rung) for rung in others)
        return (if_out(solved, unit),)

    def _states(self, unit: int, cases: tuple[Counterfactual, ...]) -> dict[str, tuple[str, ...]]:
        """Return the states of the ladders of all units that are told of."""
        c = self.solved.c
        names = {c.ids[unit], *(shift.id for case in cases for shift in case.shifts)}
        by_id = self.problem.by_id
        return {name: tuple(form.state.value for form in by_id[name].ladder()) for name in sorted(names)}

    def _relevance(self, unit: int, cases: tuple[Counterfactual, ...]) -> tuple[float, float | None] | None:
        """Return the relevance that a rejected unit has, and one that brings it in (None: not even 1)."""
        c = self.solved.c
        case = cases[0] if cases else None
        if case is None or case.demand != "in" or case.value_needed is None or case.place is None:
            return None
        standing = c.standings[unit]
        rung = next(rung for rung in standing.rungs if rung.place == case.place)
        weight = self.problem.weights.relevance
        needed = case.value_needed.most
        if standing.unit.value is not None or rung.value is not None or not weight or needed is None:
            return None
        score = Fraction(standing.unit.relevance_score)
        # A unit of the scale for what rounding to it may take, upwards to the sixth digit.
        more = Fraction(needed + 1, c.scale) / (Fraction(rung.fidelity) * Fraction(weight))
        enough = -((-(score + more) * 10**6) // 1)
        return float(score), float(enough / 10**6) if enough <= 10**6 else None
