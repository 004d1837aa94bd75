"""Every engine that proves, against each other, on 200 instances that are too large for brute force.

Each has all kinds of constraints, and 20 to 40 units; a quarter have budgets so small that many have no pack.
Every pack is rechecked from the problem, and our own comes as an artifact that is verified as a whole.
"""

from __future__ import annotations

from collections import Counter

import pytest

from bench.generate import generate
from bench.spec import Spec
from satchel.models import BudgetEnvelope, InfeasibleError, Problem
from satchel.solver.engines import ENGINES, EngineResult, Feature, run_engine
from satchel.solver.solve import solve
from satchel.solver.verify import verify

INSTANCES = 200
EXACT = [name for name, spec in ENGINES.items() if spec.supports(Feature.PROVES)]

seen: Counter[str] = Counter()


def instance(number: int) -> Problem:
    """Return the instance of that number; sizes, tightness and density go round at their own pace."""
    spec = Spec(
        20 + number % 21,
        tightness=(0.15, 0.3, 0.5)[number % 3],
        correlation=(0.0, 0.5, 1.0, 0.8)[number % 4],
        groups=(0.1, 0.3)[number % 2],
        cover=(1.5, 3.0, 0.5)[number % 3],
        required=(0.01, 0.08)[number % 2],
    )
    problem = generate(spec, number)
    if number % 4 == 3:
        available = problem.envelope.available * (1 + number % 7) // 8
        envelope = BudgetEnvelope(available_input_tokens=available, zones=problem.envelope.zones)
        problem = problem.model_copy(update={"envelope": envelope})
    return problem


def claims(result: EngineResult) -> tuple[str, int | None, int, bool]:
    """Return what all engines must say alike."""
    kept = result.verdict is None or result.verdict.feasible
    return (result.status.value, result.objective, result.shortfall, kept)


@pytest.mark.slow
@pytest.mark.parametrize("tenth", range(10))
def test_every_engine_agrees_on_the_optimum_of_200_random_instances(tenth: int) -> None:
    for number in range(tenth, INSTANCES, 10):
        problem = instance(number)
        results = {name: claims(run_engine(name, problem)) for name in EXACT}
        assert len(set(results.values())) == 1, (number, results)
        status, objective, shortfall, kept = results["satchel"]
        seen[status] += 1
        if status == "infeasible":
            with pytest.raises(InfeasibleError):
                solve(problem)
            continue
        assert (status, kept) == ("optimal", True), number
        context = solve(problem)
        assert (context.solver.objective, context.solver.shortfall) == (objective, shortfall)
        assert verify(context, problem).passed, number


@pytest.mark.slow
def test_the_instances_were_of_both_kinds() -> None:
    if seen.total() < INSTANCES:
        pytest.skip("the instances were not all solved in this run")
    assert seen["optimal"] >= 120
    assert seen["infeasible"] >= 20
