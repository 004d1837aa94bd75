"""Warm re-solves against fresh ones on a larger problem, and explanations where prices decide."""

from __future__ import annotations

import random
import time
from typing import Any

import numpy as np
import pytest

from satchel import explain, explain_all, frontier, what_if
from satchel.changes import changed_problem, parse_changes
from satchel.models import Problem, UsageError
from satchel.solver.explain.demand import near, taken_in
from satchel.solver.explain.solved import Solved
from satchel.solver.options import SolveOptions
from satchel.solver.search import Warm
from satchel.solver.solve import searched, solve
from satchel.solver.state import NONE

CP_SAT = SolveOptions(solver="cp-sat")


def large(units: int = 700, seed: int = 5) -> Problem:
    """Return a problem that is too large for the proof alone: cores are grown."""
    draw = random.Random(seed)
    made: list[dict[str, Any]] = []
    for i in range(units):
        tokens = draw.randint(30, 900)
        worth = tokens * draw.uniform(0.8, 1.2)
        unit: dict[str, Any] = {"id": f"u{i:04}", "tokenEstimate": tokens, "value": round(worth)}
        if draw.random() < 0.4:
            short = {"state": "summarized", "tokens": tokens // 3, "value": round(worth * 0.45)}
            unit["renderings"] = [short]
        if i and draw.random() < 0.2:
            unit["dependencies"] = [f"u{draw.randrange(i):04}"]
        unit["zone"] = draw.choice(["source_evidence", "examples"])
        made.append(unit)
    zones = [{"name": "examples", "maxTokens": 30_000}]
    return Problem.from_data(
        {
            "schemaVersion": "packing-problem.v1",
            "envelope": {"availableInputTokens": 90_000, "zones": zones},
            "units": made,
        }
    )


def test_a_warm_start_changes_the_time_and_not_the_answer() -> None:
    problem = large()
    solved = Solved.afresh(problem, CP_SAT)
    assert solved.proven
    assert solved.basis is not None
    draw = random.Random(1)
    out = np.flatnonzero(solved.pack.choice == NONE).tolist()
    for unit in draw.sample(out, 3):
        changed = taken_in(solved.c, unit)
        cold = searched(changed, CP_SAT, time.monotonic(), 0.0)
        start = Warm(near(solved.c, solved.pack.choice, unit), solved.basis)
        warm = searched(changed, CP_SAT, time.monotonic(), 0.0, warm=start)
        assert cold.best is not None
        assert warm.best is not None
        assert (cold.proved, cold.canonical, warm.proved, warm.canonical) == (True, True, True, True)
        assert warm.best.objective == cold.best.objective
        assert warm.best.choice.tolist() == cold.best.choice.tolist()


def test_a_start_that_is_no_pack_harms_nothing() -> None:
    """What the search lies around may break every rule, and its basis may be of another program."""
    problem = large(60)
    solved = Solved.afresh(problem, CP_SAT)
    full = solved.c.rung_start[:-1].copy()
    other = Solved.afresh(large(61), CP_SAT)
    for start in (Warm(full, other.basis), Warm(np.full(solved.c.n, NONE, dtype=np.int64))):
        found = searched(solved.c, CP_SAT, time.monotonic(), 0.0, warm=start)
        assert found.best is not None
        assert found.best.choice.tolist() == solved.pack.choice.tolist()


PRICED: dict[str, Any] = {
    "schemaVersion": "packing-problem.v1",
    "envelope": {"availableInputTokens": 40},
    "pricing": {
        "currency": "EUR",
        "inputPerMillion": 1_000_000,
        "cachedInputPerMillion": 100_000,
        "cacheWritePerMillion": 1_250_000,
        "cacheable": False,
        "costLimit": 20,
    },
    "units": [{"id": name, "tokenEstimate": 6 + i, "value": 9 - i} for i, name in enumerate("abcdef")],
}


def test_a_pack_within_a_cost_limit_is_explained_by_its_own_solves() -> None:
    problem = Problem.from_data(PRICED)
    context = solve(problem, CP_SAT)
    inside = {unit.id for unit in context.accepted_units}
    assert 0 < len(inside) < 6
    assert sum(unit.token_estimate for unit in context.accepted_units) <= 20
    (rejected,) = explain(context, min(set("abcdef") - inside), problem, options=CP_SAT)
    assert rejected.otherwise is not None
    (case,) = rejected.otherwise.cases
    assert case.possible
    # At one price for all tokens the limit is 20 tokens: the same problem without prices says what is lost.
    plain = Problem.from_data(
        {**PRICED, "pricing": None, "envelope": {"availableInputTokens": 20}}
        | {"units": [dict(unit, required=unit["id"] == rejected.id) for unit in PRICED["units"]]}
    )
    assert case.lost is not None
    assert (
        case.lost.least == case.lost.most == context.solver.objective - solve(plain, CP_SAT).solver.objective
    )
    # What tips the balance is not told where a limit on cost, or a ratio, decides.
    assert (case.value_needed, case.tokens_fewer) == (None, None)
    answer = what_if(problem, ["exclude=a"], context=context, options=CP_SAT)
    fresh = solve(changed_problem(problem, parse_changes(["exclude=a"])), CP_SAT)
    assert {u.id for u in answer.after.accepted_units} == {u.id for u in fresh.accepted_units}
    assert all(entry.lost is not None for entry in explain_all(context, problem))


def test_the_frontier_is_refused_where_prices_decide() -> None:
    """The curve is of tokens alone, and would say more than a cost limit allows."""
    with pytest.raises(UsageError) as caught:
        frontier(Problem.from_data(PRICED), options=CP_SAT)
    assert caught.value.code == "frontier_with_prices"
