"""What may be wrong with a pack, and what would mend it."""

from __future__ import annotations

from typing import Final

from ..beside import PackFiles
from ..models import Severity
from . import contents, limits
from .finding import Finding, Visit

__all__ = ["Finding", "Visit", "doctor", "findings_of"]

CHECKS: Final = (
    contents.injected,
    limits.token_count,
    limits.proof,
    limits.short_zones,
    limits.coverage,
    limits.squeezed_zones,
    contents.generated_text,
    contents.small_files,
    contents.stale_docs,
    limits.noted,
    limits.near_misses,
    limits.idle_budget,
)
_GRAVEST_FIRST: Final = {severity: -place for place, severity in enumerate(Severity)}


def doctor(files: PackFiles, *, named: str | None = None, ask_solver: bool = True) -> list[Finding]:
    """Return what may be wrong with a pack, the gravest first.

    Parameters
    ----------
    files
        The artifact; with its problem beside it, contents and prices are looked at as well.
    named
        How commands are to name the artifact; None where it is the one that they take by default.
    ask_solver
        Whether to ask the solver for prices of tokens and for what candidates would cost: a relaxation,
        which takes seconds for problems of thousands of units.
    """
    return findings_of(Visit(files, named=named, ask_solver=ask_solver))


def findings_of(visit: Visit) -> list[Finding]:
    """Return what the checks find, the gravest first; see :func:`doctor`."""
    found = [finding for check in CHECKS for finding in check(visit)]
    return sorted(found, key=lambda finding: _GRAVEST_FIRST[finding.severity])
