"""Who stays when not all fit: what a fitter is given, and the greedy one (the exact one is a solver's)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from ..models import SchemaError


@dataclass(frozen=True, slots=True)
class Choice:
    """Something optional: its tokens, its class (a higher one goes first, whatever the value), its value."""

    id: str
    tokens: int
    priority: int = 0
    value: int = 1


Fit = Callable[[Sequence[Choice], int], Collection[str]]
"""Returns the ids that stay of choices in rank order, within so many tokens."""


def greedy_fit(choices: Sequence[Choice], cap: int) -> tuple[str, ...]:
    """Admit in rank order what still fits, and go on past what does not."""
    kept, room = [], cap
    for choice in choices:
        if choice.tokens <= room:
            kept.append(choice.id)
            room -= choice.tokens
    return tuple(kept)


def checked_fit(fit: Fit, choices: Sequence[Choice], cap: int) -> frozenset[str]:
    """Return what ``fit`` keeps, checked: ids that were offered, within the cap.

    Raises
    ------
    SchemaError
        ``invalid_fit``: the fitter broke its word.
    """
    kept = frozenset(fit(choices, cap))
    known = {choice.id: choice.tokens for choice in choices}
    strangers = sorted(kept - known.keys())
    if strangers or (used := sum(known[name] for name in kept)) > cap:
        raise SchemaError(
            "the fitter kept what was not offered" if strangers else "the fitter kept more than fits",
            code="invalid_fit",
            field="fit",
            value=strangers or used,
            hint=f"it must return ids of the choices whose tokens add up to at most {cap}",
        )
    return kept
