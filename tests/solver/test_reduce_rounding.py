"""Rows by mixed-integer rounding: every pack keeps them, the point that they were made for does not."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
from hypothesis import HealthCheck, assume, event, given, settings
from hypothesis import strategies as st
from oracle import best, contradiction
from strategies import problems

from bench.generate import generate
from bench.spec import spec_of
from satchel.models import InfeasibleError, Problem
from satchel.solver.backends import highs
from satchel.solver.backends.highs import Relaxation
from satchel.solver.compile import Compiled, compile_problem
from satchel.solver.linear import Linear, build
from satchel.solver.reduce import reduce, tighten
from satchel.solver.reduce.rounding import rounded, rounding_cuts
from satchel.solver.reduce.rows import Addition

many = settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))


def packs(c: Compiled, linear: Linear) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Return the columns of every pack, one a row, helper columns at their best values."""
    options = [[-1, *c.rungs_of(u)] for u in range(c.n)]
    found = []
    for chosen in product(*options):
        x = np.zeros(c.m, dtype=np.int64)
        x[[r for r in chosen if r >= 0]] = 1
        full = linear.complete(x)
        sums = np.concatenate([[0], np.cumsum(linear.coefs * full[linear.cols])])
        sums = sums[linear.start[1:]] - sums[linear.start[:-1]]
        if ((sums >= linear.lo) & (sums <= linear.hi)).all():
            found.append(full)
    return np.array(found, dtype=np.int64).reshape(len(found), linear.columns)


def assert_packs_keep(rows: list[Addition], every: np.ndarray[Any, np.dtype[np.int64]]) -> None:
    for row, cols, coefs, side in rows:
        assert (every[:, cols] @ coefs <= side).all(), row


def knapsack(budget: int, *ladders: tuple[tuple[int, int], ...]) -> tuple[Compiled, Linear]:
    """Return a program with one row of tokens; each ladder is (tokens, value) of the rungs of a unit."""
    states = ("raw", "contract", "summarized")
    units = [
        {
            "id": f"u{i}",
            "tokenEstimate": ladder[0][0],
            "value": ladder[0][1],
            "renderings": [
                {"state": states[r], "tokens": ladder[r][0], "value": ladder[r][1]}
                for r in range(1, len(ladder))
            ],
        }
        for i, ladder in enumerate(ladders)
    ]
    envelope = {"availableInputTokens": budget}
    problem = Problem.from_data({"schemaVersion": "packing-problem.v1", "envelope": envelope, "units": units})
    c = compile_problem(problem)
    return c, build(c)


def test_two_of_three_halves_do_not_fit() -> None:
    """Three units of 6 tokens in 10: by parts one and two thirds fit, in whole only one does."""
    c, linear = knapsack(10, ((6, 3),), ((6, 3),), ((6, 3),))
    point = np.array([1.0, 2 / 3, 0.0])
    ((_, cols, coefs, side),) = rounding_cuts(c, linear, point)
    # References: a and b in. f = 10 - 12 = -2 and d = 6 give q = -1, r = 4: 2a + 2b + 2c <= 2.
    assert (cols.tolist(), coefs.tolist(), side) == ([0, 1, 2], [2, 2, 2], 2)


def test_a_whole_point_is_cut_off_by_nothing() -> None:
    c, linear = knapsack(10, ((6, 3),), ((6, 3),), ((4, 3),))
    assert rounding_cuts(c, linear, np.array([1.0, 0.0, 1.0])) == []


def test_rungs_of_one_unit_count_as_one() -> None:
    """A unit at 7 or 3 tokens beside one of 6, in 9: the long rung shuts the other unit out, the short does
    not. The point has a mix of both rungs, and the whole second unit."""
    c, linear = knapsack(9, ((7, 10), (3, 3)), ((6, 8),))
    point = highs.relax(linear).columns
    assert not np.isin(point, (0.0, 1.0)).all()
    found = rounding_cuts(c, linear, point)
    assert found
    assert_packs_keep(found, packs(c, linear))


def test_rounding_takes_the_part_above_the_rest() -> None:
    """d = 10 and r = 3: 7 for each whole ten, and of what is left of it the part above 3."""
    assert rounded(np.array([10, 5, 3, -1, 0]), 10, 3).tolist() == [7, 2, 0, -1, 0]


@many
@given(problems(max_units=4), st.data())
def test_every_pack_keeps_the_rows_made_for_any_point(problem: Problem, data: st.DataObject) -> None:
    """Of the relaxation, or drawn: at most one option per unit, helpers anywhere within their bounds."""
    assume(not contradiction(problem))
    try:
        c = compile_problem(problem)
    except InfeasibleError:
        assume(False)
    assume(c.n)
    linear = build(c)
    every = packs(c, linear)
    assume(len(every))
    shares = np.array(data.draw(st.lists(st.sampled_from([0, 1, 2, 3, 7]), min_size=c.m, max_size=c.m)))
    sums = np.add.reduceat(shares, c.rung_start[:-1])[c.rung_unit]
    drawn = linear.col_hi * data.draw(st.sampled_from([0.0, 0.4, 1.0]))
    drawn[: c.m] = shares / np.maximum(sums, data.draw(st.sampled_from([1, 8])))
    for point in (drawn, highs.relax(linear).columns):
        found = rounding_cuts(c, linear, point)
        event(f"{min(3, len(found))} rows")
        assert_packs_keep(found, every)
        for _, cols, coefs, side in found:
            assert coefs @ point[cols] > side


@many
@given(problems(max_units=4))
def test_tightening_keeps_every_pack_and_never_lifts_the_bound(problem: Problem) -> None:
    assume(not contradiction(problem) and best(problem) is not None)
    c = compile_problem(problem)
    assume(c.n)
    linear = build(c)
    stronger, relaxed = tighten(c, linear, highs.relax)
    rows = [
        (row, *(part[stronger.start[i] : stronger.start[i + 1]] for part in (stronger.cols, stronger.coefs)))
        for i, row in enumerate(stronger.rows)
    ]
    added = [(*row, int(stronger.hi[i])) for i, row in enumerate(rows)][len(linear.rows) :]
    every = packs(c, linear)
    assert_packs_keep(added, every)
    bound = float(linear.objective @ relaxed.columns)
    assert bound <= float(linear.objective @ highs.relax(linear).columns) + 1e-6 * (1 + abs(bound))
    assert bound >= (every @ linear.objective).max() - 1e-6 * (1 + abs(bound))
    assert len(relaxed.duals) == len(stronger.rows)


def test_the_bound_of_a_bench_instance_comes_much_closer() -> None:
    """Its optimum is 88,574,644: reducing and rounding close nine tenths of the gap to it."""
    c = compile_problem(generate(spec_of(200, []), 2))
    linear = build(c)
    optimum = 88_574_644
    first = float(linear.objective @ highs.relax(linear).columns) - optimum
    reduced = reduce(c, linear).linear
    second = float(reduced.objective @ highs.relax(reduced).columns) - optimum
    _, relaxed = tighten(c, reduced, highs.relax)
    third = float(linear.objective @ relaxed.columns) - optimum
    assert first > 240_000
    assert second < 0.55 * first
    assert 0 <= third < 0.1 * first


def test_a_relaxation_that_was_cut_short_ends_the_rounds() -> None:
    c, linear = knapsack(10, ((6, 3),), ((6, 3),))
    empty = np.zeros(0)
    calls: list[Linear] = []

    def relax(program: Linear) -> Relaxation:
        calls.append(program)
        return highs.relax(program) if len(calls) == 1 else Relaxation("unknown", empty, empty)

    same, relaxed = tighten(c, linear, relax)
    assert len(calls) == 2
    assert len(same.rows) == len(linear.rows) == len(relaxed.duals)
