"""The exact fitter: who stays when not all fit, by the integer program instead of by rank."""

from __future__ import annotations

from collections.abc import Sequence

from .models import BudgetEnvelope, ContextUnit, Problem
from .prompt import Choice


def exact_fit(choices: Sequence[Choice], cap: int) -> tuple[str, ...]:
    """Return the ids of the choices that are worth most together within ``cap`` tokens.

    Classes of priority are solved one after another, the highest first. Of packs of equal value the solver
    returns the one of fewest tokens, so each class leaves the next one all the room it can: the answer is
    the best in the order of classes, not only class by class.
    """
    kept: list[str] = []
    room = cap
    for priority in sorted({choice.priority for choice in choices}, reverse=True):
        members = [choice for choice in choices if choice.priority == priority]
        chosen = _best(members, room)
        kept += [choice.id for choice in chosen]
        room -= sum(choice.tokens for choice in chosen)
    return tuple(kept)


def _best(choices: list[Choice], room: int) -> list[Choice]:
    worthy = [choice for choice in choices if choice.value > 0 and choice.tokens <= room]
    if sum(choice.tokens for choice in worthy) <= room:
        return worthy
    # Imported here: whoever's choices all fit must not wait for numpy and the solver.
    from .solver.solve import solve

    # Of equal packs the solver prefers earlier ids: numbers keep the rank.
    names = {f"{i:09d}": choice for i, choice in enumerate(worthy)}
    context = solve(
        Problem(
            schema_version="packing-problem.v1",
            envelope=BudgetEnvelope(available_input_tokens=room),
            units=tuple(
                ContextUnit(id=name, token_estimate=choice.tokens, value=float(choice.value))
                for name, choice in names.items()
            ),
        )
    )
    accepted = {unit.id for unit in context.accepted_units}
    return [choice for name, choice in names.items() if name in accepted]
