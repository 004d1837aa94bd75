"""The verdict on an engine's selection, by the checker's code alone."""

from __future__ import annotations

from collections.abc import Mapping

from ...models import Problem
from ..verify.facts import Facts
from ..verify.limits import check_limits
from ..verify.pack import Pack
from ..verify.report import Complaints
from .result import Verdict


def judge(
    problem: Problem,
    selection: Mapping[str, int],
    *,
    objective: int | None = None,
    shortfall: int | None = None,
) -> Verdict:
    """Recheck ``selection`` (ladder index by unit id) against ``problem``, and the sums claimed of it."""
    facts, complaints = Facts(problem), Complaints()
    rungs = {}
    for name, index in sorted(selection.items()):
        offered = facts.units[name].rungs
        if index in offered:
            rungs[name] = offered[index]
        else:
            complaints.add("rung", f"{name!r} may not stand at rung {index}")
    pack = Pack(facts, rungs)
    check_limits(facts, pack, complaints)
    if objective is not None:
        complaints.expect("objective", "the objective", objective, pack.objective)
    if shortfall is not None:
        complaints.expect("shortfall", "the shortfall", shortfall, pack.shortfall)
    failures = complaints.report().failures
    return Verdict(
        pack.objective,
        pack.shortfall,
        pack.tokens,
        tuple(f"{check.name}: {check.detail}" for check in failures),
    )
