"""When no pack exists: which demands clash, the smallest budget that works, and what else would help.

The parts: :mod:`.clash` finds the conflict, :mod:`.relaxations` the changes; here they become the error that
the user reads. What is spent is counted in the solver's work units, so that the same problem gives the same
words on every machine, unless a time limit cuts the story short. The answer, that there is no pack, stands
either way.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..models import InfeasibleError, Problem
from .clash import find_conflict, smallest_budget
from .compile import Compiled, compile_problem
from .demands import Allowance, Demands, Extreme
from .linear import Linear, build
from .relaxations import relaxations
from .wording import demand_words

BUDGET_WORK, CONFLICT_WORK, CHANGES_WORK = 0.5, 1.0, 1.0
"""CP-SAT work units for each part of the explanation; a unit takes one to four seconds."""

SHOWN = 8
"""Demands of a conflict that are spelled out in the message; ``data`` holds all of them."""


def explain_infeasible(
    c: Compiled, linear: Linear, *, seed: int = 0, seconds: float | None = None
) -> InfeasibleError:
    """Return the error that tells the user what clashes and what would work.

    ``data`` holds ``conflict`` (sentences) and ``minimal``; ``relaxations``, each checked by a solve, cheap
    ones first, and ``relaxationsComplete``: whether each change of one demand was tried; where a larger
    budget alone works, ``smallestBudget``, whether it is proven to be (``smallestBudgetProven``), and the
    largest required units.

    Parameters
    ----------
    seconds
        Wall clock for the explanation, or None: work alone ends it.
    """
    if c.priced is not None:
        # Of one case only; what clashes, and the least cost that works, is told of all of them together.
        return InfeasibleError(f"no pack is paid for as {c.priced.case}", code="no_pack_in_case")
    demands = Demands(linear)
    clock = Allowance.of(0.0, seconds, seed)
    budget = smallest_budget(demands, clock.part(BUDGET_WORK))
    conflict = find_conflict(demands, clock.part(CONFLICT_WORK))
    changes, complete = relaxations(c, demands, conflict.rows, budget, clock.part(CHANGES_WORK))
    data: dict[str, Any] = {
        "conflict": [demand_words(c, linear, row) for row in conflict.rows],
        "minimal": conflict.minimal,
        "available": c.available,
        "relaxations": [change.to_data() for change in changes],
        "relaxationsComplete": complete,
    }
    hints = [change.words for change in changes[:3]]
    if len(hints) > 1:
        hint = f"one of these would do: {'; '.join(hints)}"
    elif hints:
        hint = f"this would do: {hints[0]}"
    elif complete and conflict.minimal:
        hint = "no change of one of them alone is enough: something else clashes beside it"
    else:
        hint = "loosen one of them"
    if budget is not None and budget.value > c.available:
        largest = _largest_required(c)
        data["smallestBudget"], data["smallestBudgetProven"] = budget.value, budget.proven
        data["largestRequired"] = [{"unit": name, "tokens": tokens} for tokens, name in largest]
        hint = _budget_hint(budget, largest)
    return InfeasibleError(_message(c, linear, conflict.rows), hint=hint, data=data)


def least_budget(problem: Problem, allowance: Allowance) -> int | None:
    """Return the fewest tokens that were found to satisfy all of ``problem`` but its budget, or None."""
    try:
        compiled = compile_problem(problem)
    except InfeasibleError:
        return None
    found = smallest_budget(Demands(build(compiled)), allowance)
    return None if found is None else found.value


def _budget_hint(budget: Extreme, largest: Sequence[tuple[int, str]]) -> str:
    if budget.proven:
        hint = f"the smallest budget that works is {budget.value} tokens"
    else:
        hint = f"a budget of {budget.value} tokens works, and perhaps a smaller one"
    if largest:
        hint += f"; the largest required unit is {largest[0][1]!r} with {largest[0][0]}"
    return hint


def _largest_required(c: Compiled) -> list[tuple[int, str]]:
    """Return the five required units that take most tokens in their shortest form."""
    sizes = [(_least_tokens(c, u), c.ids[u]) for u in np.flatnonzero(c.required).tolist()]
    return sorted(sizes, reverse=True)[:5]


def _message(c: Compiled, linear: Linear, rows: Sequence[int]) -> str:
    """Name the demands; more required units than are spelled out become one sum, the largest ones named."""
    required = [i for i in rows if linear.rows[i].family == "required"]
    others = [i for i in rows if linear.rows[i].family != "required"]
    if len(rows) <= SHOWN or len(required) < 3:
        spelled, summed = list(rows[:SHOWN]), []
    else:
        spelled, summed = others[: SHOWN - 1], required
    parts = [demand_words(c, linear, row) for row in spelled]
    if summed:
        sizes = sorted((_least_tokens(c, c.index[linear.rows[i].name]), linear.rows[i].name) for i in summed)
        largest = ", ".join(repr(name) for _, name in sizes[:-4:-1])
        total = sum(size for size, _ in sizes)
        parts.append(f"{len(summed)} required units ({total} tokens at least: {largest}, …)")
    if more := len(rows) - len(spelled) - len(summed):
        parts.append(f"and {more} more")
    return "no pack satisfies all demands" + (f": {'; '.join(parts)}" if parts else "")


def _least_tokens(c: Compiled, unit: int) -> int:
    return int(c.tokens[c.rung_start[unit] : c.rung_start[unit + 1]].min())
