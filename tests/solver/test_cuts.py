"""Cuts: every pack keeps them, the point that they were made for does not."""

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
from satchel.solver.backends.highs import Simplex
from satchel.solver.compile import Compiled, compile_problem
from satchel.solver.cuts import separate
from satchel.solver.cuts.rounding import rounded, rounding_cuts
from satchel.solver.cuts.tableau import tableau_cuts
from satchel.solver.linear import Linear, build
from satchel.solver.reduce import reduce
from satchel.solver.reduce.rows import Addition, with_rows

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


def rounding(c: Compiled, linear: Linear, point: np.ndarray[Any, Any]) -> list[Addition]:
    """Return the rounded rows, the most violated first."""
    found = sorted(rounding_cuts(c.rung_unit, linear, point), key=lambda pair: -pair[0])
    return [row for _, row in found]


def rounds(c: Compiled, linear: Linear, most: int) -> tuple[list[Addition], Linear, float]:
    """Cut ``most`` times; return the cuts, the program with them, and its bound in floats."""
    simplex, added = Simplex(linear), []
    point = simplex.solve().columns
    for _ in range(most):
        cuts = separate(c.rung_unit, linear, simplex, point)
        added += cuts
        linear = with_rows(linear, cuts)
        simplex.add(cuts)
        point = simplex.solve().columns
    return added, linear, float(linear.objective @ point)


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
    ((_, cols, coefs, side),) = rounding(c, linear, point)
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
    found = rounding(c, linear, point)
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
        found = rounding(c, linear, point)
        event(f"{min(3, len(found))} rows")
        assert_packs_keep(found, every)
        for _, cols, coefs, side in found:
            assert coefs @ point[cols] > side


@many
@given(problems(max_units=5))
def test_every_pack_keeps_the_rows_of_any_tableau(problem: Problem) -> None:
    """Round after round, each over the cuts of those before: no pack is cut off, every point is."""
    assume(not contradiction(problem) and best(problem) is not None)
    c = compile_problem(problem)
    assume(c.n)
    linear = build(c)
    every = packs(c, linear)
    simplex = Simplex(linear)
    point = simplex.solve().columns
    for _ in range(3):
        cuts = [row for _, row in tableau_cuts(linear, simplex, point)]
        event(f"{min(3, len(cuts))} rows")
        assert_packs_keep(cuts, every)
        for _, cols, coefs, side in cuts:
            assert coefs @ point[cols] > side
        linear = with_rows(linear, cuts)
        simplex.add(cuts)
        point = simplex.solve().columns


@many
@given(problems(max_units=4))
def test_cutting_keeps_every_pack_and_never_lifts_the_bound(problem: Problem) -> None:
    assume(not contradiction(problem) and best(problem) is not None)
    c = compile_problem(problem)
    assume(c.n)
    linear = build(c)
    added, _, bound = rounds(c, linear, 5)
    every = packs(c, linear)
    assert_packs_keep(added, every)
    assert bound <= float(linear.objective @ highs.relax(linear).columns) + 1e-6 * (1 + abs(bound))
    assert bound >= (every @ linear.objective).max() - 1e-6 * (1 + abs(bound))


def test_the_bound_of_a_bench_instance_comes_much_closer() -> None:
    """Its optimum is 88,574,644: reducing and rounding close nine tenths of the gap to it."""
    c = compile_problem(generate(spec_of(200, []), 2))
    linear = build(c)
    optimum = 88_574_644
    first = float(linear.objective @ highs.relax(linear).columns) - optimum
    reduced = reduce(c, linear).linear
    second = float(reduced.objective @ highs.relax(reduced).columns) - optimum
    third = rounds(c, reduced, 20)[2] - optimum
    assert first > 240_000
    assert second < 0.55 * first
    assert 0 <= third < 0.1 * first


def test_a_program_without_entries_has_no_cuts() -> None:
    """HiGHS solves it without a basis, and crashed where one was asked for."""
    c, linear = knapsack(10, ((0, 3),))
    assert not linear.coefs.any()
    assert rounds(c, linear, 2)[0] == []
