"""When no pack exists: a minimal set of demands that clash, and the smallest budget at which one exists.

The deletion filter (Chinneck and Dravnieks 1991): drop a demand; if there is still no pack, it was not needed
for the clash; else put it back. What is left is minimal: without any one of it a pack exists.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..models import AcceptReason, InfeasibleError
from .backends.cpsat import CpSat, Limits
from .compile import Compiled
from .linear import UNBOUNDED, Linear, Row

DEMANDS = ("coverage", "group", "zone minimum", "zone maximum", "dependency", "required", "budget")
"""Families of rows that a user can change, in the order in which they are tried for dropping: the budget
last, since it is what a user changes first, and a conflict that names it is the most useful."""

CHECK_WORK = 5.0
"""CP-SAT work units for one feasibility check; typical checks take less than 0.01."""

MOST_RELAXATIONS = 50
"""Demands of a conflict that are tried for loosening; a longer story helps nobody."""

CHECK_SECONDS = 20.0
"""Wall clock for the whole explanation: the answer 'infeasible' stands, only the story may be longer."""


@dataclass(frozen=True)
class Conflict:
    """Rows (indices into ``linear.rows``) that no pack satisfies together, and the smallest budget."""

    rows: list[int]
    minimal: bool
    smallest_budget: int | None


@dataclass(frozen=True)
class Relaxation:
    """One change that alone makes a pack possible; ``cost`` ranks it: tokens, units or members given up."""

    kind: str
    name: str
    value: int | None
    cost: int
    words: str

    def to_data(self) -> dict[str, Any]:
        """Return the relaxation as JSON data."""
        return {key: value for key, value in dataclasses.asdict(self).items() if value is not None}


def explain_infeasible(c: Compiled, linear: Linear, *, seed: int = 0) -> InfeasibleError:
    """Return the error that tells the user what clashes and what would work.

    ``data`` holds ``conflict`` (sentences), ``minimal``, ``smallestBudget`` where a larger budget alone
    works, ``relaxations`` (each checked by a solve, cheapest first) and the largest required units.
    """
    conflict = find_conflict(linear, seed=seed)
    demands = [_words(c, linear, row) for row in conflict.rows]
    changes = relaxations(c, linear, conflict, seed=seed) if conflict.minimal else []
    largest = sorted(
        ((int(c.tokens[_smallest(c, u)]), c.ids[u]) for u in np.flatnonzero(c.required).tolist()),
        reverse=True,
    )
    data: dict[str, Any] = {
        "conflict": demands,
        "minimal": conflict.minimal,
        "available": c.available,
        "relaxations": [change.to_data() for change in changes],
    }
    message = "no pack satisfies all demands"
    if demands:
        message += f": {'; '.join(demands[:8])}"
        if len(demands) > 8:
            message += f"; and {len(demands) - 8} more"
    hint = (
        f"one of these would do: {'; '.join(r.words for r in changes[:3])}"
        if changes
        else "loosen one of them"
    )
    if conflict.smallest_budget is not None and conflict.smallest_budget > c.available:
        data["smallestBudget"] = conflict.smallest_budget
        data["largestRequired"] = [{"unit": name, "tokens": tokens} for tokens, name in largest[:5]]
        hint = f"the smallest budget that works is {conflict.smallest_budget} tokens"
        if largest:
            hint += f"; the largest required unit is {largest[0][1]!r} with {largest[0][0]}"
    return InfeasibleError(message, hint=hint, data=data)


def relaxations(c: Compiled, linear: Linear, conflict: Conflict, *, seed: int = 0) -> list[Relaxation]:
    """Return, for each demand of the conflict, the least change of it alone that makes a pack possible.

    The demand is dropped and its row is brought as near to what was asked as the others allow; where even
    dropping it leaves no pack (another conflict stands beside this one), it is no relaxation.
    """
    deadline = time.monotonic() + CHECK_SECONDS
    found: list[Relaxation] = []
    for row in conflict.rows[:MOST_RELAXATIONS]:
        if time.monotonic() > deadline:
            break
        change = _relax(c, linear, row, seed)
        if change is not None:
            found.append(change)
    return sorted(found, key=lambda r: (r.cost, r.kind, r.name))


def _relax(c: Compiled, linear: Linear, index: int, seed: int) -> Relaxation | None:
    row = linear.rows[index]
    span = slice(int(linear.start[index]), int(linear.start[index + 1]))
    low, high = int(linear.lo[index]), int(linear.hi[index])
    activity = np.zeros(linear.columns, dtype=np.int64)
    activity[linear.cols[span]] = linear.coefs[span]
    model = CpSat(_without(linear, {index}))
    upper = high < UNBOUNDED and row.family != "required"
    model.maximise(-activity if upper else activity)
    answer = model.solve(Limits(work=CHECK_WORK, seconds=CHECK_SECONDS, seed=seed))
    if answer.columns is None:
        return None
    reached = int(activity @ answer.columns)
    if row.family == "required":
        words = f"do not require {row.name!r}"
        standing = c.standings[c.index[row.name]]
        if standing.required is AcceptReason.ZONE_KEEPS_ALL:
            words = f"exclude {row.name!r}, or let zone {standing.zone.name} drop units (overflowPolicy)"
        return Relaxation(row.family, row.name, None, _required_size(c, row), words)
    changes = {
        "budget": (reached, reached - high, f"a budget of {reached} tokens"),
        "zone maximum": (reached, reached - high, f"raise maxTokens of zone {row.name} to {reached}"),
        "zone minimum": (reached, low - reached, f"lower minTokens of zone {row.name} to {reached}"),
        "group": (reached, reached - high, f"let group {row.name} keep {reached}"),
        "coverage": (reached, low - reached, _coverage_words(row.name, reached)),
        "dependency": (None, 1, f"drop the dependency of {row.name!r} on {row.other!r}"),
    }
    value, cost, words = changes[row.family]
    return Relaxation(row.family, row.name, value, cost, words)


def _coverage_words(name: str, reached: int) -> str:
    if reached == 0:
        return f"do not require dimension {name}"
    return f"ask dimension {name} for {_plural(reached, 'unit')}"


def _plural(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _required_size(c: Compiled, row: Row) -> int:
    return int(c.tokens[_smallest(c, c.index[row.name])])


def find_conflict(linear: Linear, *, seed: int = 0) -> Conflict:
    """Return a minimal conflict of an infeasible problem; see the module."""
    deadline = time.monotonic() + CHECK_SECONDS
    demands = [i for i, row in enumerate(linear.rows) if row.family in DEMANDS]
    kept = set(demands)
    limits = Limits(work=CHECK_WORK, seconds=CHECK_SECONDS, seed=seed)

    def clashes(rows: set[int]) -> bool:
        return _feasibility(_without(linear, set(demands) - rows), limits) == "infeasible"

    minimal = True
    for family in DEMANDS:
        mine = [i for i in demands if linear.rows[i].family == family]
        minimal &= _filter(mine, kept, clashes, deadline)
    return Conflict(sorted(kept), minimal, smallest_budget(linear, seed=seed))


def smallest_budget(linear: Linear, *, seed: int = 0) -> int | None:
    """Return the fewest tokens at which a pack satisfies everything but the budget, or None."""
    budget = {i for i, row in enumerate(linear.rows) if row.family == "budget"}
    model = CpSat(_without(linear, budget))
    model.maximise(-linear.tokens)
    answer = model.solve(Limits(work=CHECK_WORK, seconds=CHECK_SECONDS, seed=seed))
    return None if answer.columns is None else int(linear.tokens @ answer.columns)


def _filter(
    rows: Sequence[int], kept: set[int], clashes: Callable[[set[int]], bool], deadline: float
) -> bool:
    """Drop from ``kept`` those of ``rows`` that the clash does not need; return whether all were tried."""
    if not rows or not (set(rows) & kept):
        return True
    if time.monotonic() > deadline:
        return False
    if clashes(kept - set(rows)):
        kept -= set(rows)
        return True
    if len(rows) == 1:
        return True
    middle = len(rows) // 2
    first = _filter(rows[:middle], kept, clashes, deadline)
    return _filter(rows[middle:], kept, clashes, deadline) and first


def _without(linear: Linear, rows: set[int]) -> Linear:
    """Return ``linear`` with ``rows`` made empty; a required unit becomes an optional one."""
    lo, hi, col_hi = linear.lo.copy(), linear.hi.copy(), linear.col_hi.copy()
    named = list(linear.rows)
    if any(named[i].family == "budget" for i in rows):
        # Helper columns are bounded by what the budget allows: without it they reach as far as all tokens.
        col_hi[linear.m :] = np.maximum(col_hi[linear.m :], int(linear.tokens.sum()))
    for i in rows:
        lo[i] = -UNBOUNDED
        if named[i].family == "required":
            named[i] = dataclasses.replace(named[i], family="choice")
        else:
            hi[i] = UNBOUNDED
            named[i] = dataclasses.replace(named[i], family="dropped")
    return dataclasses.replace(linear, lo=lo, hi=hi, col_hi=col_hi, rows=named)


def _feasibility(linear: Linear, limits: Limits) -> str:
    return CpSat(linear).solve(limits).found


def _smallest(c: Compiled, unit: int) -> int:
    return min(c.rungs_of(unit), key=lambda r: (int(c.tokens[r]), r))


def _words(c: Compiled, linear: Linear, index: int) -> str:
    row = linear.rows[index]
    low, high = int(linear.lo[index]), int(linear.hi[index])
    if row.family == "budget":
        return f"budget of {_plural(high, 'token')}"
    if row.family == "required":
        return f"required unit {row.name!r} ({_plural(_required_size(c, row), 'token')} at least)"
    if row.family == "zone maximum":
        return f"zone {row.name} holds at most {_plural(high, 'token')}"
    if row.family == "zone minimum":
        return f"zone {row.name} holds at least {_plural(low, 'token')}"
    if row.family == "group":
        return f"group {row.name} keeps at most {high}"
    if row.family == "coverage":
        return f"dimension {row.name} needs {_plural(low, 'unit')}"
    return f"dependency of {row.name!r} on {row.other!r}"
