"""The reduce stage: a smaller and stronger program with the same canonical answer.

Each reduction is one function from :class:`Program` to :class:`Program`, with its proof in its docstring. It
closes columns, adds rows or drops rows; columns keep their numbers, so that every solution of the reduced
program is one of the original. ``ALL`` is the order in which :func:`reduce` applies them; each works alone.

What was tried and is not here, since it moved nothing on bench instances and scans: larger cliques from
overlapping groups (a handful of rows, bound unmoved), dropping dependencies that others imply (2 in 1,000),
dominated members of a group (zone minima forbid nearly all exchanges), smaller coefficients in rows that hold
without one unit (Savelsbergh 1994: no such row), common divisors (token counts have none).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ..compile import Bools, Compiled
from ..linear import Linear
from .bounds import drop_slack, propagate, required_needs
from .dominated import dominated_rungs, worthless_rungs
from .needs import clashing_needs, group_needs, redundancy_needs
from .oversize import oversized_rungs
from .program import Program

__all__ = ["ALL", "Change", "Program", "Reduced", "Reduction", "reduce"]

Reduction = Callable[[Program], Program]

ALL: tuple[Reduction, ...] = (
    required_needs,
    clashing_needs,
    oversized_rungs,
    worthless_rungs,
    dominated_rungs,
    propagate,
    drop_slack,
    group_needs,
    redundancy_needs,
)


@dataclass(frozen=True)
class Change:
    """What one reduction did: rungs closed, units found required, rows added and dropped."""

    name: str
    closed: int
    required: int
    added: int
    dropped: int

    @classmethod
    def between(cls, name: str, before: Program, after: Program) -> Change:
        """Count what differs. Rows are only ever added at the end, or dropped, by one reduction."""
        rows = len(after.linear.rows) - len(before.linear.rows)
        return cls(
            name=name,
            closed=int(before.open.sum() - after.open.sum()),
            required=int(after.required.sum() - before.required.sum()),
            added=max(0, rows),
            dropped=max(0, -rows),
        )


@dataclass(frozen=True)
class Reduced:
    """The reduced program, and what each reduction did.

    ``open`` are the rungs that may still be chosen, ``required`` the units that are in every pack that may be
    the answer: a bound by units (:mod:`..duals`) must know both, or it is weaker than the relaxation. Where
    ``feasible`` is False there is no pack, and ``linear`` says nothing more.
    """

    linear: Linear
    open: Bools
    required: Bools
    feasible: bool
    changes: tuple[Change, ...]


def reduce(c: Compiled, linear: Linear, reductions: Sequence[Reduction] = ALL) -> Reduced:
    """Apply ``reductions`` in order to ``linear``, as :func:`..linear.build` made it of ``c``."""
    program = Program.of(c, linear)
    changes: list[Change] = []
    for reduction in reductions:
        before, program = program, reduction(program)
        changes.append(Change.between(reduction.__name__, before, program))
        if not program.feasible:
            break
    return Reduced(program.linear, program.open, program.required, program.feasible, tuple(changes))
