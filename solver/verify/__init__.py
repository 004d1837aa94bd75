"""Rechecks an artifact from the problem alone.

Nothing of the solver is used here, so an error there cannot hide itself: eligibility, rungs, values,
scale, constraints, objective and reasons are worked out again from the model's definition (design §3).
"""

from __future__ import annotations

from ...models import PackedContext, Problem
from ...models.reading import collector_paused
from .candidates import check_accepted, check_left_out, check_partition, claimed_pack
from .certificate import check_certificate
from .claims import check_claims
from .facts import Facts
from .figures import check_budget, check_coverage, check_objective, check_warnings, check_zones
from .limits import check_limits
from .pricing import check_cost
from .prompt import Count, check_prompt
from .reasons import check_reasons
from .report import Check, Complaints, VerifyReport

__all__ = ["Check", "VerifyReport", "verify"]


def verify(
    context: PackedContext,
    problem: Problem,
    *,
    prompt_text: str | None = None,
    count: Count | None = None,
    sealed: bool = True,
) -> VerifyReport:
    """Recheck everything that ``context`` claims about ``problem``.

    Parameters
    ----------
    context, problem
        The artifact, and the problem that it was made from, with all token counts stated.
    prompt_text
        The rendered prompt: its digest, boundary and manifest are held against the artifact.
    count
        Counts the tokens of a text as the artifact did; with ``prompt_text``, the size is recounted.
    sealed
        Whether the artifact is complete; before it is sealed it has no digest that could bind it.

    Returns
    -------
    VerifyReport
        Every check that was made, in a fixed order; it never raises for what an artifact says.
    """
    with collector_paused():
        return _verified(context, problem, prompt_text, count, sealed)


def _verified(
    context: PackedContext, problem: Problem, prompt_text: str | None, count: Count | None, sealed: bool
) -> VerifyReport:
    complaints = Complaints()
    if sealed:
        complaints.open("digest", "the artifact is as it was sealed")
        complaints.expect("digest", "digest", context.digest, context.content_digest())
    _check_identity(context, problem, complaints)
    try:
        facts = Facts(problem)
    except ValueError as error:
        complaints.add("problem", str(error))
        return complaints.report()
    pack = claimed_pack(facts, context)
    check_partition(facts, context, complaints)
    check_accepted(facts, context, pack, complaints)
    check_left_out(facts, context, complaints)
    check_reasons(facts, context, pack, complaints)
    check_limits(facts, pack, complaints)
    check_budget(facts, context, pack, complaints)
    check_zones(facts, context, pack, complaints)
    check_coverage(facts, context, pack, complaints)
    check_warnings(facts, context, pack, complaints)
    check_objective(facts, context, pack, complaints)
    check_cost(facts, context, pack, complaints)
    check_claims(context, complaints)
    check_certificate(facts, context, pack, complaints)
    check_prompt(facts, context, complaints, text=prompt_text, count=count)
    return complaints.report()


def _check_identity(context: PackedContext, problem: Problem, complaints: Complaints) -> None:
    complaints.open("problem", "the problem is the one that was solved")
    complaints.expect("problem", "solver.problemDigest", context.solver.problem_digest, problem.digest)
    complaints.expect("problem", "taskId", context.task_id, problem.task_id)
    complaints.require("problem", context.task == problem.task, "task differs from the problem's")
    complaints.require(
        "problem", context.model_profile == problem.profile, "modelProfile differs from the problem's"
    )
