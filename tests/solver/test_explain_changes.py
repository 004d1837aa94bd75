"""What if, frontier and prices of tokens against fresh solves."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import HealthCheck, Phase, assume, event, given, settings
from hypothesis import strategies as st
from oracle import best, contradiction
from strategies import problems

from satchel import frontier, token_prices, what_if
from satchel.changes import changed_problem, parse_changes
from satchel.models import InfeasibleError, PackedContext, PolicyError, Problem, Status, UsageError
from satchel.solver.explain.change import with_budget
from satchel.solver.explain.frontier import FrontierPoint, knee
from satchel.solver.explain.solved import Solved
from satchel.solver.options import SolveOptions
from satchel.solver.solve import solve

CP_SAT = SolveOptions(solver="cp-sat")
some = settings(
    max_examples=25,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    phases=(Phase.explicit, Phase.reuse, Phase.generate),
)


def chosen(context: PackedContext) -> dict[str, int]:
    return {unit.id: unit.rung for unit in context.accepted_units}


def solved_or_skip(problem: Problem) -> PackedContext:
    assume(contradiction(problem) is None)
    try:
        return solve(problem, CP_SAT)
    except InfeasibleError:
        assume(False)
        raise


@st.composite
def changes_of(draw: st.DrawFn, problem: Problem) -> list[str]:
    """Draw one to three changes of different things."""
    names = [unit.id for unit in problem.units]
    one = st.sampled_from(names)
    zones = sorted({unit.zone for unit in problem.units})
    tokens = st.integers(0, 30)
    available = problem.envelope.available
    every = [
        st.integers(-available, 30).map(lambda more: f"budget={more:+}"),
        tokens.map(lambda size: f"budget={size}"),
        one.map(lambda name: f"require={name}"),
        one.map(lambda name: f"exclude={name}"),
        one.map(lambda name: f"optional={name}"),
        st.tuples(one, st.sampled_from(["0", "0.4", "1"])).map(lambda p: f"score.{p[0]}.relevance={p[1]}"),
        st.tuples(one, st.integers(0, 9)).map(lambda p: f"value.{p[0]}={p[1]}"),
        st.tuples(one, tokens).map(lambda p: f"tokens.{p[0]}={p[1]}"),
        st.tuples(st.sampled_from(zones), tokens).map(lambda p: f"zone.{p[0]}.max={p[1]}"),
        st.sampled_from(zones).map(lambda zone: f"zone.{zone}.max=none"),
        st.sampled_from(zones).map(lambda zone: f"zone.{zone}.overflow=drop_low_rank"),
    ]
    picked = draw(st.lists(st.sampled_from(range(len(every))), min_size=1, max_size=3, unique=True))
    return [draw(every[i]) for i in picked]


@some
@given(problems(max_units=9), st.data())
def test_what_if_equals_a_fresh_solve_and_brute_force(problem: Problem, data: st.DataObject) -> None:
    context = solved_or_skip(problem)
    changes = data.draw(changes_of(problem))
    try:
        changed = changed_problem(problem, parse_changes(changes))
    except UsageError:  # a maximum below the minimum, a change said twice
        event("no such change")
        return
    try:
        fresh = solve(changed, CP_SAT)
    except (InfeasibleError, PolicyError) as error:
        event(type(error).__name__)
        with pytest.raises(type(error)):
            what_if(problem, changes, context=context, options=CP_SAT)
        return
    event("solved")
    found = what_if(problem, changes, context=context, options=CP_SAT)
    assert found.after.solver.status is Status.OPTIMAL
    assert found.exact
    assert chosen(found.after) == chosen(fresh)
    report, expected = found.after.solver, fresh.solver
    assert (report.objective, report.bound, report.shortfall) == (
        expected.objective,
        expected.bound,
        expected.shortfall,
    )
    assert report.problem_digest == changed.digest == found.problem.digest
    answer = best(changed)
    assert answer is not None
    assert chosen(found.after) == answer.selection
    before, after = chosen(context), chosen(fresh)
    assert [s.id for s in found.entered] == sorted(after.keys() - before.keys())
    assert [s.id for s in found.left] == sorted(before.keys() - after.keys())
    assert [(s.id, s.before, s.after) for s in found.reshaped] == [
        (name, before[name], after[name])
        for name in sorted(before.keys() & after.keys())
        if before[name] != after[name]
    ]


@some
@given(problems(max_units=9), st.integers(0, 10), st.integers(1, 40))
def test_points_of_the_frontier_equal_separate_solves_and_rise(
    problem: Problem, least: int, width: int
) -> None:
    assume(contradiction(problem) is None)
    try:
        found = frontier(problem, options=CP_SAT, least=least, most=least + width, points=6)
    except InfeasibleError:
        assert best(with_budget(problem, least + width)) is None
        event("infeasible")
        return
    assert found.points
    budgets = [point.budget for point in found.points]
    assert budgets == sorted(set(budgets))
    assert budgets[-1] == least + width
    for point in found.points:
        answer = best(with_budget(problem, point.budget))
        assert answer is not None
        assert (point.shortfall, point.value) == (answer.shortfall, answer.objective)
        assert point.proven
        assert point.tokens <= point.budget
    rising(found.points)
    # The smallest budget is only missing where nothing fits it.
    assert budgets[0] == least or best(with_budget(problem, least)) is None


def rising(points: Sequence[FrontierPoint]) -> None:
    ranks = [(-point.shortfall, point.value) for point in points]
    assert ranks == sorted(ranks)


def steps(count: int = 60) -> Problem:
    return Problem.from_data(
        {
            "schemaVersion": "packing-problem.v1",
            "envelope": {
                "availableInputTokens": 300,
                "zones": [{"name": "examples", "maxTokens": 40, "overflowPolicy": "drop_low_rank"}],
            },
            "units": [
                {
                    "id": f"u{i:02}",
                    "tokenEstimate": 10 + i % 7,
                    "value": 100 // (1 + i) + 1,
                    "zone": "examples" if i % 3 == 0 else "source_evidence",
                }
                for i in range(count)
            ],
        }
    )


def test_a_limit_leaves_the_frontier_rising_below_its_bounds() -> None:
    exact = frontier(steps(), options=CP_SAT, points=8)
    hasty = frontier(steps(), options=SolveOptions(solver="greedy"), points=8)
    rising(hasty.points)
    known = {point.budget: point for point in exact.points}
    shared = [point for point in hasty.points if point.budget in known]
    assert len(shared) >= 3
    for point in shared:
        assert point.value <= known[point.budget].value <= point.bound


def test_the_frontier_holds_the_problems_own_budget_and_those_asked_for() -> None:
    found = frontier(steps(), options=CP_SAT, points=6, at=[123])
    assert {75, 123, 300} <= {point.budget for point in found.points}
    assert found.current == 300
    assert found.knee in {point.budget for point in found.points}
    context = solve(steps(), CP_SAT)
    again = frontier(steps(), context=context, options=CP_SAT, points=6, at=[123])
    assert [(p.budget, p.value) for p in again.points if p.budget in (75, 123, 300)] == [
        (p.budget, p.value) for p in found.points if p.budget in (75, 123, 300)
    ]


def point(budget: int, value: int, shortfall: int = 0) -> FrontierPoint:
    return FrontierPoint(budget, value, value, budget, 1, shortfall, None)


def test_the_knee_is_where_the_curve_bends_most() -> None:
    assert knee([point(0, 0), point(10, 80), point(20, 90), point(100, 100)]) == 10
    assert knee([point(0, 0), point(50, 50), point(100, 100)]) is None
    assert knee([point(0, 0), point(100, 100)]) is None
    assert knee([point(0, 99, 3), point(10, 0), point(20, 80), point(100, 100)]) == 20


@pytest.mark.parametrize(("least", "most", "points"), [(10, 10, 5), (20, 10, 5), (None, None, 1)])
def test_ends_of_the_frontier_that_make_no_curve_are_refused(
    least: int | None, most: int | None, points: int
) -> None:
    with pytest.raises(UsageError):
        frontier(steps(), least=least, most=most, points=points)


def test_prices_hold_over_their_ranges() -> None:
    """Within its range a price is what the relaxation gains per token; beyond it, no more than that."""
    problem = steps()
    context = solve(problem, CP_SAT)
    found = token_prices(problem, context, options=CP_SAT)
    assert found.total is not None
    zone = next(price for price in found.zones if price.family == "zone maximum")
    solved = Solved.of(problem, context, CP_SAT)

    def relaxed(budget: int) -> float:
        other = Solved.of(with_budget(problem, budget), solve(with_budget(problem, budget), CP_SAT), CP_SAT)
        root = other.root
        assert root is not None
        return float(root.columns @ root.linear.objective)

    total = found.total
    assert total.limit == 300
    assert total.used == solved.pack.tokens
    assert total.low <= 300
    assert total.high is not None
    assert total.high >= 300
    base = relaxed(total.low)
    for budget in (total.low + 1, 300, total.high):
        expected = base + total.per_thousand / 1000 * (budget - total.low)
        assert relaxed(budget) == pytest.approx(expected)
    assert relaxed(total.high + 99) < base + total.per_thousand / 1000 * (total.high + 99 - total.low)
    assert zone.zone == "examples"
    assert zone.low <= zone.limit == 40
    assert zone.used <= 40


def test_a_limit_that_does_not_bind_has_no_price() -> None:
    problem = changed_problem(steps(), parse_changes(["budget=5000", "zone.examples.max=4000"]))
    found = token_prices(problem, options=CP_SAT)
    assert found.total is not None
    assert (found.total.per_thousand, found.total.high) == (0.0, None)
    assert found.total.low == found.total.used


CHANGES = {
    "budget": "is no change",
    "budget=": "is no change",
    "budget=lots": "number of tokens",
    "budget=-301": "takes more than there is",
    "zone.nowhere.max=5": "no zone nowhere",
    "zone.examples.max=x": "number of tokens",
    "zone.examples.min=41": "above",
    "zone.examples.target=+5": "no target to add to",
    "zone.examples.overflow=never": "overflow|should be",
    "require=": "names no candidate",
    "require=u99": "names no candidate",
    "score.u01.relevance=2": "less than|at most|1",
    "score.u01.relevance=high": "is no number",
    "score.u01.beauty=1": "is no change",
    "weight.beauty=1": "names no weight",
    "group.g=1": "names no group",
    "tokens.u01=many": "number of tokens",
}


@pytest.mark.parametrize("text", CHANGES)
def test_a_change_that_cannot_be_read_is_named(text: str) -> None:
    with pytest.raises(UsageError, match=CHANGES[text]) as caught:
        changed_problem(steps(), parse_changes([text]))
    assert caught.value.field == "what_if"
    assert caught.value.value == text
    assert caught.value.hint


def test_the_same_thing_changes_once() -> None:
    with pytest.raises(UsageError, match="said twice"):
        parse_changes(["budget=10", "budget=+5"])
    with pytest.raises(UsageError, match="names no change"):
        parse_changes([])


def test_changes_reach_what_they_name() -> None:
    texts = [
        "budget=+100",
        "zone.examples.max=+10",
        "zone.source_evidence.min=20",
        "require=u01",
        "exclude=u0[23]",
        "score.u04.authority=0.5",
        "value.u05=7",
        "tokens.u06=-3",
        "weight.coverage=0.2",
    ]
    problem = changed_problem(steps(), parse_changes(texts))
    assert problem.envelope.available == 400
    assert problem.envelope.zone("examples").max_tokens == 50
    assert problem.envelope.zone("source_evidence").min_tokens == 20
    units = problem.by_id
    assert units["u01"].required
    assert problem.policy.must_exclude == ("id:u02", "id:u03")
    assert units["u04"].authority_score == 0.5
    assert units["u05"].value == 7
    assert units["u06"].token_estimate == 13
    assert problem.weights.coverage == 0.2


def test_an_id_may_hold_dots_and_equals_signs() -> None:
    odd = "py:a.b/c=d.py#x.y"
    data = {"id": odd, "tokenEstimate": 3, "value": 1, "sourceRefs": [{"path": "a.b/c=d.py"}]}
    problem = Problem.from_data(
        {
            "schemaVersion": "packing-problem.v1",
            "envelope": {"availableInputTokens": 9},
            "units": [data, {"id": "other", "tokenEstimate": 3, "value": 2}],
        }
    )
    changed = changed_problem(problem, parse_changes([f"require={odd}", f"score.{odd}.risk=0.5"]))
    assert changed.by_id[odd].required
    assert changed.by_id[odd].risk_score == 0.5
    assert changed_problem(problem, parse_changes(["exclude=a.b/c=d.py"])).policy.must_exclude == (
        f"id:{odd}",
    )


def test_a_required_unit_made_optional_leaves_the_others_of_its_rule_required() -> None:
    data = steps(6).to_data() | {"policy": {"mustInclude": ["id:u0[1-3]"]}}
    problem = changed_problem(Problem.from_data(data), parse_changes(["optional=u02"]))
    assert problem.policy.must_include == ()
    assert [unit.id for unit in problem.units if unit.required] == ["u01", "u03"]
