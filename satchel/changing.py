"""What if: a changed problem, solved from the pack at hand; what enters, leaves and changes its form."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .changes import Change, changed_problem, parse_changes
from .models import InfeasibleError, PackedContext, Problem
from .solver.options import SolveOptions

if TYPE_CHECKING:
    from .solver.explain.solved import Solved

__all__ = ["Change", "UnitShift", "WhatIf", "what_if"]


@dataclass(frozen=True)
class UnitShift:
    """A unit that two packs have differently: its rung (place in its ladder) in each, None where it is out,
    and the tokens that it takes more in the second one."""

    id: str
    title: str
    before: int | None
    after: int | None
    tokens: int

    def to_data(self) -> dict[str, Any]:
        """Return the shift as JSON data."""
        return {
            "id": self.id,
            "title": self.title,
            "before": self.before,
            "after": self.after,
            "tokens": self.tokens,
        }


@dataclass(frozen=True)
class WhatIf:
    """The answer to a changed problem beside the answer to the problem as it was.

    ``value`` is the change of value: after less before, not scaled. ``exact`` tells that both packs are
    proven to be the best ones. ``problem`` is the changed problem, which ``after`` answers.
    """

    changes: tuple[str, ...]
    before: PackedContext
    after: PackedContext
    problem: Problem = field(repr=False)
    entered: tuple[UnitShift, ...]
    left: tuple[UnitShift, ...]
    reshaped: tuple[UnitShift, ...]

    @property
    def value(self) -> float:
        """The change of value."""
        return _value(self.after) - _value(self.before)

    @property
    def exact(self) -> bool:
        """Whether both packs are proven to be the best."""
        return all(context.solver.status.value == "optimal" for context in (self.before, self.after))

    def to_data(self) -> dict[str, Any]:
        """Return the answer as JSON data; the whole artifact of the changed problem is ``after``."""
        return {
            "changes": list(self.changes),
            "value": {"before": _value(self.before), "after": _value(self.after), "change": self.value},
            "bound": self.after.solver.bound / self.after.solver.scale,
            "exact": self.exact,
            "tokens": {
                "before": self.before.budget.estimated_input_tokens,
                "after": self.after.budget.estimated_input_tokens,
                "available": self.after.budget.available_input_tokens,
            },
            "shortfall": {
                "before": self.before.solver.shortfall,
                "after": self.after.solver.shortfall,
            },
            "entered": [shift.to_data() for shift in self.entered],
            "left": [shift.to_data() for shift in self.left],
            "reshaped": [shift.to_data() for shift in self.reshaped],
        }


def what_if(
    problem: Problem,
    changes: Sequence[str],
    *,
    context: PackedContext | None = None,
    options: SolveOptions | None = None,
) -> WhatIf:
    """Return what the best pack would be if ``problem`` were changed.

    Parameters
    ----------
    changes
        Texts such as ``budget=+2000``, ``zone.examples.max=20000``, ``require=ID``, ``exclude=ID`` or
        ``score.ID.relevance=0.9``; all hold at once. See :func:`satchel.changes.parse_changes`.
    context
        The artifact of ``problem``; without it the problem is solved first. Where it has a prompt,
        ``budget`` is the ceiling on the whole prompt, as it is for ``satchel pack``.
    options
        Limits of each solve; without limits both packs are proven.

    Raises
    ------
    UsageError
        A change cannot be read or names nothing, or ``context`` answers another problem.
    InfeasibleError
        The changed problem has no pack; names the clash and what would work.
    """
    from .solver.explain.rerun import rerun
    from .solver.explain.solved import Solved
    from .solver.rules import explain_rules
    from .solving import solve

    options = options or SolveOptions()
    parsed = parse_changes(changes)
    whole_prompt = context is not None and context.prompt is not None
    changed = changed_problem(problem, parsed, whole_prompt=whole_prompt)
    before = solve(problem, options) if context is None else context
    solved: Solved = Solved.of(problem, before, options)
    try:
        after = rerun(solved, changed).seal()
    except InfeasibleError as error:
        raise explain_rules(changed, error, seed=options.seed, seconds=options.time_limit) from None
    entered, left, reshaped = shifts_between(before, after)
    return WhatIf(tuple(changes), before, after, changed, entered, left, reshaped)


def shifts_between(
    before: PackedContext, after: PackedContext
) -> tuple[tuple[UnitShift, ...], tuple[UnitShift, ...], tuple[UnitShift, ...]]:
    """Return the units that entered, left and changed their rung from one pack to the other, each by id."""
    old = {unit.id: unit for unit in before.accepted_units}
    new = {unit.id: unit for unit in after.accepted_units}
    entered, left, reshaped = [], [], []
    for name in sorted(old.keys() | new.keys()):
        was, now = old.get(name), new.get(name)
        if was is None and now is not None:
            entered.append(UnitShift(name, now.title, None, now.rung, now.token_estimate))
        elif now is None and was is not None:
            left.append(UnitShift(name, was.title, was.rung, None, -was.token_estimate))
        elif was is not None and now is not None and was.rung != now.rung:
            more = now.token_estimate - was.token_estimate
            reshaped.append(UnitShift(name, now.title, was.rung, now.rung, more))
    return tuple(entered), tuple(left), tuple(reshaped)


def _value(context: PackedContext) -> float:
    return context.solver.objective / context.solver.scale
