"""Each reduction keeps the canonical answer: alone and all together, against brute force."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings, target
from hypothesis import strategies as st
from oracle import Answer, best, contradiction
from strategies import problems

from satchel.models import InfeasibleError, Problem
from satchel.solver.backends import highs
from satchel.solver.backends.cpsat import CpSat, Limits
from satchel.solver.compile import Compiled, compile_problem
from satchel.solver.linear import UNBOUNDED, Linear, Row, build
from satchel.solver.reduce import ALL, Program, Reduction, reduce
from satchel.solver.search import columns_of

Data = dict[str, Any]
some = settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
each = pytest.mark.parametrize("reduction", ALL, ids=lambda reduction: reduction.__name__)


# -- what a reduction must keep ----------------------------------------------------------------------------


def compiled(problem: Problem) -> tuple[Compiled, Answer | None]:
    """Return a problem that compiles, with its optimum if there is one; discards all others."""
    assume(not contradiction(problem))
    try:
        c = compile_problem(problem)
    except InfeasibleError:
        assume(False)
    assume(c.n)
    return c, best(problem)


def choice_of(c: Compiled, answer: Answer) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    choice = np.full(c.n, -1, dtype=np.int64)
    for name, place in answer.selection.items():
        u = c.index[name]
        choice[u] = c.rung_start[u] + [rung.place for rung in c.standings[u].rungs].index(place)
    return choice


def assert_answer_kept(c: Compiled, linear: Linear, answer: Answer) -> None:
    """The canonical optimum is a solution of the reduced program, at the same value."""
    full = columns_of(c, linear, choice_of(c, answer))
    assert (full >= linear.col_lo).all()
    assert (full <= linear.col_hi).all()
    for i, row in enumerate(linear.rows):
        span = slice(int(linear.start[i]), int(linear.start[i + 1]))
        assert linear.lo[i] <= linear.coefs[span] @ full[linear.cols[span]] <= linear.hi[i], row
    assert int(linear.objective @ full) == answer.objective


def assert_nothing_gained(before: Linear, after: Linear) -> None:
    """Every row that was dropped follows from what is left: no solution of the reduced program breaks it."""
    left = set(after.rows)
    for i, row in enumerate(before.rows):
        if row in left or Row("required", row.name) in left:
            continue
        span = slice(int(before.start[i]), int(before.start[i + 1]))
        cols, coefs = before.cols[span], before.coefs[span]
        over, under = before.hi[i], before.lo[i]
        for sign, side in ((1, over), (-1, -under)):
            if side >= UNBOUNDED:
                continue
            aim = np.zeros(before.columns, dtype=np.int64)
            aim[cols] = sign * coefs
            # Helper columns are set to their best values afterwards: those that make the row hold.
            helpers = cols[cols >= before.m]
            aim[helpers] = np.minimum(aim[helpers], 0)
            model = CpSat(after)
            model.maximise(aim)
            answer = model.solve(Limits())
            assert answer.found in ("optimal", "infeasible")
            if answer.columns is not None:
                assert aim @ answer.columns <= side, row


def changes(before: Program, after: Program) -> int:
    """Return how much is different."""
    rows = set(before.linear.rows) ^ set(after.linear.rows)
    closed = int((before.open != after.open).sum())
    return closed + len(rows) + int((before.required != after.required).sum())


@each
@some
@given(data=st.data())
def test_each_reduction_keeps_the_canonical_answer(reduction: Reduction, data: st.DataObject) -> None:
    """On all kinds of problems, and on those that the reduction is made for."""
    c, answer = compiled(data.draw(problems(max_units=8) | tangled()))
    before = Program.of(c, build(c))
    after = reduction(before)
    target(float(changes(before, after)))
    if answer is None:
        return
    assert after.feasible
    assert_answer_kept(c, after.linear, answer)
    assert_nothing_gained(before.linear, after.linear)
    assert set(np.flatnonzero(after.required).tolist()) <= {c.index[name] for name in answer.selection}


@settings(some, max_examples=100)
@given(problems(max_units=8) | st.deferred(lambda: tangled()))
def test_all_reductions_keep_the_canonical_answer(problem: Problem) -> None:
    """Solve with and without: same feasibility, and the same best value among packs of least shortfall."""
    c, answer = compiled(problem)
    linear = build(c)
    reduced = reduce(c, linear)
    if answer is None:
        return
    assert reduced.feasible
    assert_answer_kept(c, reduced.linear, answer)
    small = reduced.linear
    if len(small.short):
        ones = np.ones(len(small.short), dtype=np.int64)
        small = small.with_row(Row("shortfall", ""), small.short, ones, 0, answer.shortfall)
    model = CpSat(small)
    model.maximise(small.objective)
    assert model.solve(Limits()).bound == answer.objective
    assert small.columns == linear.columns
    assert highs.relax(small).found != "infeasible"


@st.composite
def tangled(draw: st.DrawFn) -> Problem:
    """Draw few units with many needs among them, in groups that overlap, in zones that are tight."""
    names = "abcdef"[: draw(st.integers(2, 6))]
    units: list[Data] = []
    for name in names:
        tokens = draw(st.integers(0, 9))
        others = [other for other in names if other != name]
        needs = draw(st.lists(st.sampled_from(others), unique=True, max_size=2))
        rung = st.sampled_from(["raw", "contract", "summarized"])
        unit = {
            "id": name,
            "tokenEstimate": tokens,
            "value": draw(st.integers(-3, 9)),
            "zone": draw(st.sampled_from(["source_evidence", "task"])),
            "dependencies": [{"id": need, "minRung": draw(rung)} for need in needs],
            "coverage": draw(st.lists(st.sampled_from(["errors", "auth"]), unique=True, max_size=2)),
            "required": draw(st.integers(0, 5)) == 0,
            "renderings": [
                {"state": state, "tokens": draw(st.integers(0, tokens)), "value": draw(st.integers(-2, 9))}
                for state in draw(st.sampled_from([[], ["contract"], ["contract", "summarized"]]))
            ],
        }
        units.append(unit)
    groups = [
        {
            "id": group,
            "members": draw(st.lists(st.sampled_from(names), unique=True, min_size=2, max_size=5)),
            "policy": draw(st.sampled_from(["keep_at_most", "keep_at_most", "keep_all"])),
            "penalty": draw(st.integers(0, 3)),
        }
        for group in draw(st.sampled_from(["g", "gh"]))
    ]
    for group in groups:
        if group["policy"] == "keep_at_most":
            group["k"] = draw(st.integers(1, 2))
    total = sum(unit["tokenEstimate"] for unit in units)
    zones = [
        {"name": name, "maxTokens": draw(st.integers(0, total + 1))}
        for name in draw(st.sampled_from([[], ["task"], ["source_evidence", "task"]]))
    ]
    gains = draw(st.sampled_from([[0], [2], [3, 1]]))
    return Problem.from_data(
        {
            "schemaVersion": "packing-problem.v1",
            "envelope": {"availableInputTokens": draw(st.integers(0, total + 1)), "zones": zones},
            "units": units,
            "redundancyGroups": groups,
            "coverage": [
                {"name": "errors", "weight": 1, "gains": gains},
                {"name": "auth", "weight": 0, "required": draw(st.integers(0, 3)) == 0},
            ],
            "weights": {"redundancy": 1},
        }
    )


@some
@given(problems(max_units=8) | tangled())
def test_what_a_program_knows_of_its_rows_is_what_a_fresh_look_finds(problem: Problem) -> None:
    """Families and parts are carried along from reduction to reduction instead of being read again."""
    c, _ = compiled(problem)
    p = Program.of(c, build(c))
    for reduction in ALL:
        p = reduction(p)
        fresh = Program(c, p.linear, p.closure)
        known = {family: rows.tolist() for family, rows in p.families.items() if len(rows)}
        assert known == {family: rows.tolist() for family, rows in fresh.families.items()}
        assert p.parts.first.tolist() == fresh.parts.first.tolist()
        assert p.parts.row.tolist() == fresh.parts.row.tolist()
        if not p.feasible:
            return
