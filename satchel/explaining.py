"""Why a candidate is in the pack or not: the artifact's reason in words a person reads (seed 000 §16).

With the problem at hand it is also said what the best pack would be with the candidate otherwise
(:mod:`.countering`).
"""

from __future__ import annotations

import difflib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from .models import (
    AcceptedUnit,
    PackedContext,
    Problem,
    RejectedUnit,
    RejectReason,
    SourceRef,
    UsageError,
    id_glob,
    path_glob,
)

if TYPE_CHECKING:
    from .countering import Otherwise
    from .solver.options import SolveOptions

Question = Literal["fate", "rung"]
"""What is asked of a candidate: why it is in or out, or why it has the form that it has."""

IN_THE_PROBLEM = "in the problem file, and run 'satchel solve' on it"
FOCUS = "name its file with --focus PATH"
REQUIRE = f"add it to policy.mustInclude {IN_THE_PROBLEM}"

ADVICE = {
    RejectReason.MUST_EXCLUDE: f"narrow policy.mustExclude {IN_THE_PROBLEM}",
    RejectReason.RISK_CEILING: f"take the risk out of its text, or raise policy.riskCeiling {IN_THE_PROBLEM}",
    RejectReason.SENSITIVE_NAME: "name the file with --focus PATH if it is meant to be read",
    RejectReason.TOO_LARGE: "name the file with --focus PATH, or raise --max-file-bytes",
    RejectReason.NOT_AUTHORITATIVE: "take it out of its group, or change the group's policy, "
    f"{IN_THE_PROBLEM}",
    RejectReason.REDUNDANT: f"{FOCUS}, or raise its group's k {IN_THE_PROBLEM}",
    RejectReason.DEPENDENCY_UNAVAILABLE: f"allow what it needs {IN_THE_PROBLEM}",
    RejectReason.DEPENDENCY_NOT_INCLUDED: f"{FOCUS}, or {REQUIRE}",
    RejectReason.ZONE_CAPACITY_EXCEEDED: "raise --budget, of which the zone gets its share, or the "
    f"zone's maxTokens {IN_THE_PROBLEM}",
    RejectReason.TOKEN_BUDGET_EXCEEDED: f"raise --budget, or {FOCUS}",
    RejectReason.COST_LIMIT_EXCEEDED: f"raise --cost-limit, or {FOCUS}",
    RejectReason.NOT_WORTH_ITS_COST: "pack for value within a limit: --objective value --cost-limit AMOUNT",
    RejectReason.NO_GAIN: f"{FOCUS}, or {REQUIRE}",
    RejectReason.NOT_SELECTED: "give the search more with --time-limit or --deterministic-limit",
}
"""What would bring a candidate in, by the reason that keeps it out."""


def _advice(reason: RejectReason, *, of_file: bool) -> str:
    """Return what would bring a candidate in; no file can be named for one that is of none."""
    advice = ADVICE.get(reason, "")
    return advice if of_file else advice.replace(f"{FOCUS}, or ", "").replace(FOCUS, REQUIRE)


@dataclass(frozen=True)
class Explanation:
    """One candidate's fate as data: ``verdict`` is accepted, rejected or skipped.

    ``scores`` say what its value is made of. ``otherwise`` says what the best pack would be with the
    candidate otherwise; it is None where only the artifact was asked.
    """

    id: str
    verdict: str
    reason: str
    detail: str
    advice: str
    facts: list[str]
    data: dict[str, Any] = field(default_factory=dict)
    scores: tuple[str, ...] = ()
    otherwise: Otherwise | None = None

    def lines(self) -> list[str]:
        """Return the explanation as lines of text."""
        head = f"{self.id} was {self.verdict} because:" if self.reason else f"{self.id} was {self.verdict}"
        lines = [head, f"  - {self.detail or self.reason} [{self.reason}]", *(f"  - {f}" for f in self.facts)]
        lines += [f"  - {score}" for score in self.scores]
        if self.otherwise is not None:
            lines += [f"  {line}" for line in self.otherwise.lines()]
        if self.advice:
            lines.append(f"  what would change it: {self.advice}")
        return lines

    def to_data(self) -> dict[str, Any]:
        """Return the explanation as JSON data."""
        return {
            "id": self.id,
            "verdict": self.verdict,
            "reason": self.reason,
            "detail": self.detail,
            "advice": self.advice,
            "facts": self.facts,
            "data": self.data,
            "scores": list(self.scores),
            **({} if self.otherwise is None else {"otherwise": self.otherwise.to_data()}),
        }


def explain(
    context: PackedContext,
    target: str,
    problem: Problem | None = None,
    *,
    question: Question = "fate",
    options: SolveOptions | None = None,
) -> list[Explanation]:
    """Return what happened to the candidates that ``target`` names: by id, path, title, or a glob of these.

    Parameters
    ----------
    problem
        The problem that ``context`` answers. With it each explanation says what the candidate is scored, and
        what the best pack would be with it otherwise: in, out, or (``question="rung"``) in another form.
    options
        Limits of each of these solves. What they leave open is told as a range, and of further candidates
        than :data:`.countering.MOST_SOLVED` there are bounds by reduced costs only.

    Raises
    ------
    UsageError
        Nothing matches, and near matches are named; or ``context`` answers another problem.
    """
    found = [
        explanation
        for verdict, units in (
            ("accepted", context.accepted_units),
            ("rejected", context.rejected_units),
            ("skipped", context.skipped_units),
        )
        for unit in units
        if _named(unit, target)
        for explanation in [_explain(context, unit, verdict)]
    ]
    if found and problem is not None:
        from .countering import Counter

        return Counter(context, problem, options).added(found, question)
    if found:
        return found
    known = _names(context)
    near = difflib.get_close_matches(target, known, n=3, cutoff=0.5) or [n for n in known if target in n][:3]
    raise UsageError(
        "names no candidate of this pack",
        code="unknown_candidate",
        value=target,
        hint=f"near: {', '.join(near)}" if near else "give an id, a path, a title, or a glob of these",
    )


def _names(context: PackedContext) -> list[str]:
    names: set[str] = set()
    for units in (context.accepted_units, context.rejected_units, context.skipped_units):
        for unit in units:
            names.update({unit.id, unit.title, *(ref.path for ref in unit.source_refs)})
    return sorted(names - {""})


def _named(unit: AcceptedUnit | RejectedUnit, target: str) -> bool:
    paths = [ref.path for ref in unit.source_refs]
    if target in (unit.id, unit.title, *paths):
        return True
    glob = id_glob(target)
    return any(mark in target for mark in "*?[") and (
        glob.fullmatch(unit.id) is not None or any(path_glob(target).fullmatch(path) for path in paths)
    )


def _explain(context: PackedContext, unit: AcceptedUnit | RejectedUnit, verdict: str) -> Explanation:
    facts = [f"{unit.kind.value} in zone {unit.zone}"] if unit.kind and unit.zone else []
    if unit.token_estimate:
        facts.append(f"{unit.token_estimate} estimated tokens")
    if unit.source_refs:
        facts.append(f"from {', '.join(_labels(unit.source_refs))}")
    advice = ""
    if isinstance(unit, AcceptedUnit):
        facts.append(
            f"kept {unit.compression_state.value} (rung {unit.rung}), worth {_value(context, unit.value)}"
        )
    else:
        advice = _advice(unit.reason, of_file=bool(unit.source_refs))
        budget = context.budget
        facts.append(f"{budget.estimated_input_tokens} of {budget.available_input_tokens} tokens are used")
    return Explanation(
        id=unit.id,
        verdict=verdict,
        reason=unit.reason.value,
        detail=unit.detail,
        advice=advice,
        facts=facts,
        data=unit.data,
    )


def _labels(refs: tuple[SourceRef, ...]) -> list[str]:
    labels = [ref.label() for ref in refs[:3]]
    return [*labels, f"{len(refs) - 3} more"] if len(refs) > 3 else labels


def _value(context: PackedContext, scaled: int) -> str:
    return f"{scaled / context.solver.scale:.6g}"
