"""Prices in the solve, rule by rule: what a limit allows, what a cache changes, what the checker refuses."""

from __future__ import annotations

import json
import os
import signal
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from oracle import contradiction
from priced import priced_problems
from strategies import problems

from bench.generate import generate
from bench.spec import spec_of
from satchel.models import (
    InfeasibleError,
    PackedContext,
    Problem,
    ScaleError,
    SchemaError,
    Status,
    StopReason,
    UsageError,
)
from satchel.solver.backends.highs import program
from satchel.solver.backends.interruptible import interrupted
from satchel.solver.compile import compile_problem
from satchel.solver.engines import ENGINES, run_engine
from satchel.solver.engines.artifact import solve_by
from satchel.solver.explain.frontier import trace
from satchel.solver.linear import build
from satchel.solver.options import Progress, SolveOptions
from satchel.solver.solve import solve
from satchel.solver.verify import verify

CP_SAT = SolveOptions(solver="cp-sat")
DOLLAR = 10**6
PRICES = {
    "currency": "USD",
    "inputPerMillion": 3 * DOLLAR,
    "cachedInputPerMillion": 300_000,
    "cacheWritePerMillion": 3_750_000,
}
"""Three dollars a million tokens, a tenth of it for reads, a quarter more for writes."""


def problem(units: dict[str, dict[str, Any]], *, available: int = 10_000, **pricing: Any) -> Problem:
    """Units of 100 tokens worth 1, a frame of 100 tokens of which 40 lead, and ``PRICES``."""
    return Problem.from_data(
        {
            "schemaVersion": "packing-problem.v1",
            "envelope": {"availableInputTokens": available, "fixedOverheadTokens": 100},
            "pricing": {**PRICES, "prefixTokens": 40, **pricing},
            "units": [{"id": name, "tokenEstimate": 100, "value": 1} | unit for name, unit in units.items()],
        }
    )


def chosen(context: PackedContext) -> list[str]:
    return [unit.id for unit in context.accepted_units]


ONE = {"a": {}}
VOLATILE = {"stability": "volatile"}


@pytest.mark.parametrize(("limit", "units"), [(600, ["a"]), (599, []), (300, []), (10**9, ["a"])])
def test_a_limit_holds_to_the_last_millionth(limit: int, units: list[str]) -> None:
    """200 tokens at 3 dollars a million are 600 millionths; the frame alone is 300."""
    instance = problem(ONE, costLimit=limit)
    context = solve(instance, CP_SAT)
    assert (chosen(context), context.solver.status) == (units, Status.OPTIMAL)
    assert context.cost is not None
    assert context.cost.cost_micro <= limit
    assert verify(context, instance).passed


def test_less_than_the_frame_costs_names_what_works() -> None:
    with pytest.raises(InfeasibleError) as caught:
        solve(problem(ONE, costLimit=299), CP_SAT)
    assert caught.value.code == "cost_limit"
    assert caught.value.data == {"costLimit": 299, "smallestCostLimit": 300, "smallestCostLimitProven": True}
    assert solve(problem(ONE, costLimit=300), CP_SAT).cost is not None


def test_without_a_pack_at_any_cost_the_usual_conflict_is_told() -> None:
    with pytest.raises(InfeasibleError) as caught:
        solve(problem({"a": {"required": True}}, available=99, costLimit=10**6), CP_SAT)
    assert caught.value.data["smallestBudget"] == 100


def test_a_pack_for_many_calls_differs_from_one_for_one_call() -> None:
    """Written once, the volatile unit is worth more for its cost; over 50 calls the stable ones are cheap."""
    units = {"now": VOLATILE | {"value": 3}, "s1": {"value": 2}, "s2": {"value": 2}}
    once = solve(problem(units, available=200, costLimit=600, cacheWritePerMillion=3 * DOLLAR), CP_SAT)
    often = solve(problem(units, available=200, costLimit=50 * 300, expectedCalls=50), CP_SAT)
    assert chosen(once) == ["now"]
    assert chosen(often) == ["s1", "s2"]
    assert often.cost is not None
    # 60 fresh tokens 50 times; 240 written once, and read 49 times.
    assert often.cost.exact_cost == 50 * 60 * 3 * DOLLAR + 240 * 3_750_000 + 49 * 240 * 300_000
    assert often.cost.uncached_micro == 50 * 300 * 3


def test_a_unit_that_lifts_the_prefix_above_the_minimum_can_pay_for_others() -> None:
    """Below the minimum every token is paid for in full; the worthless filler makes room for what is dear."""
    units = {
        "filler": {"value": 0.001},
        "dear": {"value": 5, "tokenEstimate": 500, **VOLATILE},
        "s": {"tokenEstimate": 900, "value": 1},
    }
    # All three: 560 fresh tokens ten times, and 1,040 written once and read nine times.
    limit = 10 * 560 * 3 + 3900 + 9 * 312
    lifted = problem(units, expectedCalls=10, cacheMinimum=1040, costLimit=limit)
    context = solve(lifted, CP_SAT)
    assert (chosen(context), context.solver.status) == (["dear", "filler", "s"], Status.OPTIMAL)
    assert context.cost is not None
    assert (context.cost.cached_tokens, context.cost.cost_micro) == (1040, limit)
    less = problem(units, expectedCalls=10, cacheMinimum=1040, costLimit=limit - 1)
    assert chosen(solve(less, CP_SAT)) == ["dear", "filler"]
    without = {name: unit for name, unit in units.items() if name != "filler"}
    alone = problem(without, expectedCalls=10, cacheMinimum=1040, costLimit=limit)
    assert chosen(solve(alone, CP_SAT)) == ["dear"]


@pytest.mark.parametrize(
    ("pricing", "cached"),
    [
        ({}, 140),
        ({"cacheMinimum": 140}, 140),
        ({"cacheMinimum": 141}, 0),
        ({"cacheStep": 64}, 77),
        ({"cacheStep": 141}, 0),
        ({"cacheable": False}, 0),
        ({"expectedCalls": 1}, 0),
        ({"cacheWrites": 10}, 0),
        ({"cacheWrites": 7}, 140),
        ({"cacheWrites": 8, "cacheWritePerMillion": 4 * DOLLAR}, 0),
    ],
)
def test_what_is_paid_for_as_cached(pricing: dict[str, Any], cached: int) -> None:
    """Nothing below the minimum, nothing where writes cost more than reads save; a last step never counts."""
    instance = problem(ONE, **{"expectedCalls": 10, "costLimit": 10**9, **pricing})
    context = solve(instance, CP_SAT)
    assert context.cost is not None
    assert context.cost.cached_tokens == cached
    assert context.cost.cached_tokens + context.cost.fresh_tokens == 200
    assert verify(context, instance).passed


def test_prices_that_decide_nothing_change_nothing_but_the_cost() -> None:
    units = {"a": {}, "b": {"tokenEstimate": 60, "value": 3}, "c": VOLATILE}
    priced = problem(units, available=200, expectedCalls=9)
    plain = priced.model_copy(update={"pricing": None})
    with_prices, without = solve(priced, CP_SAT).to_data(), solve(plain, CP_SAT).to_data()
    cost = with_prices.pop("cost")
    assert cost["objective"] == "value"
    for data in (with_prices, without):
        del data["digest"], data["solver"]["problemDigest"]
    assert with_prices == without


def test_value_per_cost_stops_where_more_value_costs_too_much() -> None:
    """The ratio is compared exactly: 3 per 900 is as much as 2 per 600, and fewer tokens stand."""
    units = {"a": {"value": 2}, "b": {"value": 1}, "c": {"value": 1, "tokenEstimate": 101}}
    instance = problem(units, objective="value-per-cost")
    context = solve(instance, CP_SAT)
    assert (chosen(context), context.solver.objective, context.solver.bound) == (["a"], 2, 2)
    reasons = {unit.id: (unit.reason.value, unit.data) for unit in context.rejected_units}
    assert reasons == {
        "b": ("not_worth_its_cost", {"gain": 1, "cost": 300}),
        "c": ("not_worth_its_cost", {"gain": 1, "cost": 303}),
    }
    assert verify(context, instance).passed


def test_a_gap_that_does_not_end_the_search_is_told() -> None:
    """Nothing that was asked for is passed over in silence."""
    asked = problem({"a": {"value": 3}, "b": {}}, objective="value-per-cost")
    told = solve(asked, SolveOptions(gap=0.01))
    assert [note.code for note in told.diagnostics] == ["gap_not_used"]
    assert not solve(asked, CP_SAT).diagnostics
    assert verify(told, asked).passed


def test_what_is_worth_nothing_has_no_value_per_cost_to_speak_of() -> None:
    """Per cost, a loss would be the less the more is spent: there the greatest value decides."""
    units = {"must": {"value": -2, "required": True}, "dear": {"value": -1, "tokenEstimate": 900}}
    context = solve(problem(units, objective="value-per-cost"), CP_SAT)
    assert (chosen(context), context.solver.objective, context.solver.bound) == (["must"], -2, -2)


def test_value_per_cost_needs_a_cost_that_every_pack_has() -> None:
    data = problem(ONE, objective="value-per-cost").to_data()
    data["envelope"]["fixedOverheadTokens"] = data["pricing"]["prefixTokens"] = 0
    with pytest.raises(UsageError, match="cost that every pack has"):
        solve(Problem.from_data(data), CP_SAT)
    data["pricing"] |= {"answerTokens": 10, "outputPerMillion": 15 * DOLLAR}
    assert solve(Problem.from_data(data), CP_SAT).solver.status is Status.OPTIMAL


def test_the_prefix_is_a_part_of_the_frame() -> None:
    with pytest.raises(SchemaError, match="fixed overhead of 100 tokens"):
        problem(ONE, prefixTokens=101)


ODD = {
    "inputPerMillion": 2_999_999,
    "cachedInputPerMillion": 271_828,
    "cacheWritePerMillion": 3_141_593,
    "expectedCalls": 37,
}


def test_a_coarser_scale_keeps_value_times_cost_exact() -> None:
    """Odd prices have no common divisor; what is weighed against them is rounded more, and stays exact."""
    units = {
        f"u{i}": {"value": None, "relevanceScore": (i * 37 % 100) / 100, "tokenEstimate": 50 + i}
        for i in range(30)
    }
    for unit in units.values():
        del unit["value"]
    data = problem({}, objective="value-per-cost", **ODD).to_data()
    data["units"] = [{"id": name, **unit} for name, unit in units.items()]
    instance = Problem.from_data(data)
    context = solve(instance, CP_SAT)
    assert context.solver.scale < 10**6
    assert context.solver.status is Status.OPTIMAL
    assert verify(context, instance).passed


def test_numbers_that_no_scale_makes_exact_are_an_error() -> None:
    units = {"a": {"value": 10**9}}
    with pytest.raises(ScaleError, match="what packs cost") as caught:
        solve(problem(units, available=10**9, objective="value-per-cost", **ODD), CP_SAT)
    assert "common divisor" in str(caught.value.hint)


@pytest.mark.parametrize("engine", sorted(set(ENGINES) - {"satchel"}))
def test_engines_that_know_nothing_of_cost_say_so(engine: str) -> None:
    instance = problem(ONE, costLimit=600)
    with pytest.raises(UsageError, match="knows nothing of cost"):
        run_engine(engine, instance)
    assert run_engine("satchel", instance).selection == {"a": 0}
    informed = problem(ONE)
    if not ENGINES[engine].missing:
        assert run_engine(engine, informed).selection == {"a": 0}


@pytest.mark.parametrize("engine", ["satchel", "greedy"])
def test_our_own_engines_keep_the_limit(engine: str) -> None:
    context = solve_by(engine, problem({"a": {}, "b": {}}, costLimit=600))
    assert len(chosen(context)) == 1


def test_a_limit_on_work_returns_a_pack_with_an_honest_bound() -> None:
    units = {f"u{i:02}": {"value": 3 + i % 7, "tokenEstimate": 40 + 13 * i % 50} for i in range(40)}
    for i, unit in enumerate(units.values()):
        unit |= VOLATILE if i % 3 else {}
    for objective in ("value", "value-per-cost"):
        instance = problem(units, available=900, costLimit=20_000, expectedCalls=10, objective=objective)
        best = solve(instance, CP_SAT).solver
        cut = solve(instance, SolveOptions(solver="cp-sat", deterministic_limit=0.0))
        assert verify(cut, instance).passed
        assert best.status is Status.OPTIMAL
        if objective == "value":
            assert cut.solver.objective <= best.objective <= cut.solver.bound


def test_a_gap_is_kept_over_both_cases() -> None:
    units = {f"u{i:02}": {"value": 30 + i % 7, "tokenEstimate": 40 + 13 * i % 50} for i in range(40)}
    for i, unit in enumerate(units.values()):
        unit |= VOLATILE if i % 3 else {}
    instance = problem(units, available=900, costLimit=20_000, expectedCalls=10, cacheMinimum=300)
    context = solve(instance, SolveOptions(solver="cp-sat", gap=0.2))
    assert context.solver.gap <= 0.2
    assert verify(context, instance).passed


def test_progress_never_tells_a_bound_that_is_of_one_case_only() -> None:
    told: list[Progress] = []
    instance = problem({"a": {}, "b": VOLATILE}, costLimit=900, expectedCalls=2)
    solve(instance, SolveOptions(solver="cp-sat", on_progress=told.append))
    assert told
    assert all(step.bound is None for step in told)
    values = [step.objective for step in told if step.objective is not None]
    assert values == sorted(values)


def _tampered(context: PackedContext, *path: str, value: object) -> PackedContext:
    data = json.loads(context.to_json())
    place = data
    for name in path[:-1]:
        place = place[name]
    if value is None:
        place.pop(path[-1])
    else:
        place[path[-1]] = value
    return PackedContext.from_data(data).seal()


@pytest.mark.parametrize(
    ("check", "path", "value"),
    [
        ("cost", ("cost", "costMicro"), 1),
        ("cost", ("cost", "exactCost"), 1),
        ("cost", ("cost", "cachedTokens"), 0),
        ("cost", ("cost", "prefixTokens"), 0),
        ("cost", ("cost", "uncachedMicro"), 1),
        ("cost", ("cost", "expectedCalls"), 9),
        ("cost", ("cost", "currency"), "EUR"),
        ("cost", ("cost", "objective"), "value"),
        ("cost", ("cost",), None),
        ("certificate", ("solver", "certificate"), None),
        ("certificate", ("solver", "cachedCertificate"), None),
        ("certificate", ("solver", "certificate", "case"), "cached"),
        ("certificate", ("solver", "certificate", "costWeight"), 2),
        ("certificate", ("solver", "cachedCertificate", "valueWeight"), 10**6),
        ("certificate", ("solver", "cachedCertificate", "bound"), -(10**9)),
    ],
)
def test_what_is_changed_in_an_artifact_is_found(check: str, path: tuple[str, ...], value: object) -> None:
    units = {"a": {"value": 5}, "b": VOLATILE | {"value": 2}, "c": {"value": 1, "tokenEstimate": 300}}
    instance = problem(units, expectedCalls=20, cacheMinimum=120, objective="value-per-cost")
    context = solve(instance, CP_SAT)
    assert verify(context, instance).passed
    report = verify(_tampered(context, *path, value=value), instance)
    assert check in {failed.name for failed in report.failures}


def test_a_pack_above_the_limit_is_refused_by_the_checker() -> None:
    """The artifact of a looser limit does not pass for that of a stricter one."""
    loose = problem({"a": {}, "b": {}}, costLimit=900)
    strict = problem({"a": {}, "b": {}}, costLimit=899)
    data = json.loads(solve(loose, CP_SAT).to_json())
    data["solver"]["problemDigest"], data["cost"]["costLimit"] = strict.digest, 899
    report = verify(PackedContext.from_data(data).seal(), strict)
    assert any("at most 899000000" in failed.detail for failed in report.failures)


@pytest.mark.parametrize("objective", ["value", "value-per-cost"])
@pytest.mark.parametrize("stage", ["greedy", "relaxation", "rounding"])
def test_a_signal_leaves_the_pack_in_hand(objective: str, stage: str) -> None:
    instance = _drawn(120, 1, costLimit=90_000, objective=objective)

    def strike(progress: Progress) -> None:
        if progress.stage == stage and not interrupted():
            os.kill(os.getpid(), signal.SIGINT)

    context = solve(instance, SolveOptions(solver="cp-sat", on_progress=strike))
    assert context.solver.stop_reason is StopReason.INTERRUPT
    assert not context.solver.reproducible
    assert verify(context, instance).passed


@pytest.mark.parametrize("seed", range(6))
def test_the_two_cases_find_what_one_program_with_a_switch_finds(seed: int) -> None:
    """At sizes beyond enumeration: HiGHS on the program with "is cached" as a binary and a large constant."""
    instance = _drawn(40, seed, costLimit=25_000 + 9_000 * seed, cacheMinimum=(0, 600, 1500)[seed % 3])
    context = solve(instance, CP_SAT)
    assert context.solver.status is Status.OPTIMAL
    value = _by_one_program(instance)
    assert value == pytest.approx(context.solver.objective, rel=1e-6)


def _drawn(units: int, seed: int, **pricing: Any) -> Problem:
    """A problem of the bench without zones, a third of its units volatile, sent ten times."""
    data = generate(spec_of(units, []), seed).to_data()
    data["envelope"] = {
        "availableInputTokens": data["envelope"]["availableInputTokens"],
        "fixedOverheadTokens": 300,
    }
    for i, unit in enumerate(data["units"]):
        unit["zone"], unit["stability"] = "source_evidence", "stable" if i % 3 else "volatile"
    data["pricing"] = PRICES | {"prefixTokens": 200, "expectedCalls": 10} | pricing
    return Problem.from_data(data)


def _by_one_program(instance: Problem) -> float:
    highspy = pytest.importorskip("highspy")
    pricing = instance.pricing
    assert pricing is not None
    assert pricing.cost_limit is not None
    c = compile_problem(instance)
    linear = build(c)
    highs = highspy.Highs.__new__(highspy.Highs)
    super(highspy.Highs, highs).__init__()
    highs.setOptionValue("output_flag", False)
    highs.setOptionValue("mip_rel_gap", 0.0)
    highs.setOptionValue("threads", 1)
    model = program(highspy, linear)
    switch, held = linear.columns, linear.columns + 1
    whole = highspy.HighsVarType.kInteger
    kinds = [whole] * linear.m + [highspy.HighsVarType.kContinuous] * (linear.columns - linear.m)
    model.integrality_ = [*kinds]
    highs.passModel(model)
    room = float(c.available + pricing.prefix_tokens)
    highs.addVar(0.0, 1.0)
    highs.changeColIntegrality(switch, whole)
    highs.addVar(0.0, room)
    stable = np.array([s.unit.stability == "stable" for s in c.standings])[c.rung_unit]
    lead, tokens = float(pricing.prefix_tokens), c.tokens.astype(np.float64)
    some, every = np.flatnonzero(stable), np.arange(c.m)
    full = 10 * pricing.input_per_million / DOLLAR
    kept = (pricing.cache_write_per_million + 9 * pricing.cached_input_per_million) / DOLLAR
    for low, high, columns, numbers in (
        (-np.inf, lead, [*some, held], [*-tokens[some], 1.0]),  # no more is held than the prefix has
        (-np.inf, 0.0, [held, switch], [1.0, -room]),  # and nothing unless it is cached
        (-lead, np.inf, [*some, switch], [*tokens[some], -float(pricing.cache_minimum)]),
        (-np.inf, pricing.cost_limit - full * 300, [*every, held], [*full * tokens, kept - full]),
    ):
        highs.addRow(low, high, len(columns), np.array(columns, dtype=np.int32), np.array(numbers))
    highs.run()
    assert highs.getModelStatus() == highspy.HighsModelStatus.kOptimal
    return -float(highs.getInfo().objective_function_value)


def test_the_curve_of_tokens_is_refused_where_cost_decides() -> None:
    """It would show budgets that nobody may pay for."""
    with pytest.raises(UsageError, match="decides here"):
        trace(problem(ONE, costLimit=600))
    assert trace(problem(ONE), CP_SAT, points=2).points


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    problems(max_units=8) | priced_problems(objective="value") | priced_problems(objective="value-per-cost"),
    st.sampled_from([0.0, 0.001, 0.01]),
    st.sampled_from([0.0, 0.05, 0.5]),
    st.sampled_from([None, 0.0, 0.01]),
)
def test_whatever_ends_a_search_is_said_as_it_is(
    instance: Problem, work: float, gap: float, seconds: float | None
) -> None:
    """Status, stop reason, bound and certificates go together, or the checker would refuse the artifact."""
    if contradiction(instance):
        return
    limits = SolveOptions(solver="cp-sat", deterministic_limit=work, gap=gap, time_limit=seconds)
    try:
        context = solve(instance, limits)
    except InfeasibleError:
        return
    assert verify(context, instance).passed


@pytest.mark.parametrize(("seed", "share"), [(0, 0.6), (1, 0.8), (4, 0.8)])
def test_a_gap_is_none_of_packs_whose_zones_may_lack_less(seed: int, share: float) -> None:
    """A pack that a gap would do for is no answer while relaxed minima are not as near as can be."""
    data = generate(spec_of(20, []), seed).to_data()
    available = int(data["envelope"]["availableInputTokens"] * share)
    envelope = {"availableInputTokens": available, "zones": data["envelope"]["zones"]}
    tight = Problem.from_data({**data, "envelope": envelope})
    report = solve(tight, SolveOptions(solver="cp-sat", gap=0.9)).solver
    assert report.status is Status.WITHIN_GAP
    assert report.shortfall == report.shortfall_bound
