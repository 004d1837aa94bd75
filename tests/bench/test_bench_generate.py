"""The instances of the benchmark: the same from the same seed, valid, and with every kind of constraint."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from bench.draw import Arrays, draw
from bench.generate import generate, problem_of
from bench.spec import INSTRUCTIONS, ZONES, Spec, spec_of
from satchel.models import GroupPolicy, MinPolicy, Problem, State
from satchel.solver.compile import compile_problem
from satchel.solver.engines import EngineStatus, run_engine
from satchel.solver.linear import build

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def thousand() -> Problem:
    """One instance of 1,000 units."""
    return generate(Spec(1000), 0)


def test_a_seed_always_draws_the_same() -> None:
    """Rows of older runs stay comparable: whoever changes what is drawn raises VERSION, and this."""
    assert draw(Spec(200), 1).digest() == "c6f140b756b8ec16"
    assert draw(Spec(200), 1).digest() == draw(Spec(200), 1).digest()
    assert draw(Spec(200), 2).digest() != draw(Spec(200), 1).digest()
    assert draw(Spec(200, hubs=0.2), 1).digest() != draw(Spec(200), 1).digest()


def test_the_problem_is_the_same_in_a_new_process_with_another_hash_seed() -> None:
    command = [sys.executable, "-m", "bench.generate", "--units", "60", "--seed", "3", "--set", "groups=0.4"]
    texts = {
        subprocess.run(
            command,
            cwd=ROOT,
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert texts == {generate(Spec(60, groups=0.4), 3).to_json()}


@pytest.mark.parametrize(("units", "seed"), [(20, 0), (50, 1), (200, 2), (1000, 3)])
def test_validation_accepts_what_was_constructed_without_it(units: int, seed: int) -> None:
    problem = generate(Spec(units), seed)
    validated = Problem.from_json(problem.to_json())
    assert validated == problem
    assert validated.digest == problem.digest


def test_every_kind_of_constraint_is_there(thousand: Problem) -> None:
    c = compile_problem(thousand)
    families = {row.family for row in build(c).rows}
    assert families == {
        "choice", "required", "budget", "zone maximum", "zone minimum", "zone target", "dependency", "group",
        "redundancy", "coverage", "cover",
    }  # fmt: skip
    assert [zone.name for zone in thousand.envelope.zones] == [spec.name for spec in ZONES]
    assert {zone.effective_min_policy for zone in thousand.envelope.zones if zone.min_tokens} == set(
        MinPolicy
    )
    assert {group.policy for group in thousand.redundancy_groups} == set(GroupPolicy)
    assert any(need.min_rung is not State.SUMMARIZED for unit in thousand.units for need in unit.dependencies)
    assert {1, 2, 3, 4} <= {len(standing.rungs) for standing in c.standings}
    reasons = {s.out.value for s in c.eligibility.standings.values() if s.out is not None}
    assert {"must_exclude", "risk_ceiling", "dependency_unavailable", "not_authoritative"} <= reasons
    assert c.n > 0.9 * len(thousand.units)


def test_the_budget_and_most_zones_bind(thousand: Problem) -> None:
    result = run_engine("greedy", thousand)
    assert result.verdict is not None
    assert result.selection is not None
    assert result.verdict.tokens > 0.99 * thousand.envelope.available
    held = dict.fromkeys((zone.name for zone in thousand.envelope.zones), 0)
    for name, rung in result.selection.items():
        unit = thousand.by_id[name]
        held[unit.zone] += unit.ladder()[rung].tokens or 0
    full = [z.name for z in thousand.envelope.zones if z.max_tokens and held[z.name] > 0.97 * z.max_tokens]
    assert {"examples", "repo_map", "verification"} <= set(full)


def test_dependencies_have_hubs_and_chains() -> None:
    a = draw(Spec(5000), 0)
    needed = np.bincount(a.edges.end, minlength=5000)
    assert needed.max() > 50
    assert _longest_chain(draw(Spec(5000, cycles=0.0), 0)) >= 10
    both_ways = set(zip(a.edges.start.tolist(), a.edges.end.tolist(), strict=True))
    assert any((end, start) in both_ways for start, end in both_ways)


def _longest_chain(a: Arrays) -> int:
    depth = [0] * a.spec.units
    for start, end in sorted(zip(a.edges.start.tolist(), a.edges.end.tolist(), strict=True)):
        depth[start] = max(depth[start], depth[end] + 1)  # edges lead backward, so `end` is settled
    return max(depth)


def test_tokens_are_log_normal_about_the_zone_medians() -> None:
    a = draw(Spec(20_000), 0)
    for z, spec in enumerate(ZONES):
        logs = np.log(a.tokens[a.zone == z])
        if z < INSTRUCTIONS:
            assert 1 <= len(logs) <= 8
            continue
        assert np.exp(np.median(logs)) == pytest.approx(spec.median, rel=0.1)
        assert np.std(logs) == pytest.approx(0.95, rel=0.1)


@pytest.mark.parametrize("units", [50, 200, 1000])
def test_instances_of_the_benchmark_are_feasible(units: int) -> None:
    for seed in range(8):
        result = run_engine("greedy", generate(Spec(units), seed), check=False)
        assert result.status is EngineStatus.HEURISTIC, (units, seed)


def test_dials_turn() -> None:
    base = draw(Spec(2000), 0)
    assert draw(spec_of(2000, ["tightness=0.1"]), 0).limits.available < 0.6 * base.limits.available
    assert (draw(spec_of(2000, ["slack=0.5"]), 0).limits.maximum <= base.limits.maximum).all()
    assert len(draw(spec_of(2000, ["hubs=0", "chains=0", "cycles=0"]), 0).edges.start) == 0
    assert len(draw(spec_of(2000, ["groups=0.5"]), 0).groups.policy) == 1000
    assert len(draw(spec_of(2000, ["cover=3"]), 0).covers.unit) > 1.6 * len(base.covers.unit)
    assert draw(spec_of(2000, ["required=0.1"]), 0).required.sum() > 5 * base.required.sum()
    flat, steep = (draw(spec_of(2000, [f"correlation={c}"]), 0) for c in (0, 1))
    assert abs(np.corrcoef(flat.relevance, flat.tokens)[0, 1]) < 0.1
    assert np.corrcoef(steep.relevance, steep.tokens)[0, 1] > 0.6


@pytest.mark.parametrize(
    ("units", "dials", "message"),
    [
        (19, [], "units: 19 is too few"),
        (50, ["hub=1"], "no dial 'hub'; there are tightness, slack"),
        (50, ["hubs=2"], "hubs: 2.0 is not between 0 and 1"),
        (50, ["slack=-1"], "slack: -1.0 is below 0"),
        (50, ["chain_length=0"], "chain_length: 0.0 is below 1"),
        (50, ["hubs=many"], "could not convert"),
    ],
)
def test_wrong_dials_are_named(units: int, dials: list[str], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        spec_of(units, dials)


def test_every_engine_agrees_on_generated_instances() -> None:
    """Larger than brute force reaches, with every kind of constraint at once."""
    for seed in range(12):
        problem = problem_of(draw(Spec(40, groups=0.3, required=0.03), seed))
        results = [run_engine(name, problem) for name in ("satchel", "highs-mip", "scip", "cp-sat-plain")]
        assert len({(r.status, r.objective, r.shortfall) for r in results}) == 1, seed
        assert all(r.verdict is None or r.verdict.feasible for r in results), seed


@pytest.mark.parametrize("name", ["highs-mip", "scip", "cp-sat-plain"])
def test_limits_are_kept_and_a_gap_ends_the_search(name: str, thousand: Problem) -> None:
    cut = run_engine(name, thousand, time_limit=1.0)
    assert cut.seconds < 3.0
    assert cut.status in (EngineStatus.FEASIBLE, EngineStatus.NO_ANSWER, EngineStatus.OPTIMAL)
    if name != "cp-sat-plain":  # by default it is far from any useful gap here
        near = run_engine(name, thousand, time_limit=30.0, gap=0.02)
        assert near.status in (EngineStatus.WITHIN_GAP, EngineStatus.OPTIMAL)
        assert near.gap is not None
        assert near.gap <= 0.02
        assert near.verdict is not None
        assert near.verdict.feasible
