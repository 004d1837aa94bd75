"""The last step of every solve: nothing is claimed that the independent checker does not confirm."""

from __future__ import annotations

from ..models import PackedContext, Problem, VerificationError
from .verify import verify


def checked(context: PackedContext, problem: Problem) -> PackedContext:
    """Return ``context`` sealed, once the checker has found nothing wrong with it.

    Raises
    ------
    VerificationError
        The checker refuses the pack, which is a fault of ours.
    """
    report = verify(context, problem, sealed=False)
    if not report.passed:
        failures = [f"{check.name}: {check.detail}" for check in report.failures]
        raise VerificationError(
            f"the checker refuses the pack: {failures[0]}",
            code="checker_refused",
            hint="this is a fault of Satchel; please report it with the problem file",
            data={"failures": failures},
        )
    return context.seal()
