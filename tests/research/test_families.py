"""Drawn instances: the same from the same seed everywhere, as their distributions say, and solvable."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest

from satchel import Problem, UsageError, solve
from satchel.models import Status
from satchel.research import FAMILIES, make
from satchel.solver.engines import run_engine

DIGESTS = {
    "knapsack": "ff39f0658651",
    "mckp": "044a031a870d",
    "pckp": "9dd1884a4e5f",
    "kpcg": "9c94d8af7fca",
    "sukp": "5328ef361a11",
    "bmcp": "cbf00b852a6c",
    "summary": "aae861f6eff3",
}
"""Of twelve units from seed 7: drawn numbers must never change unseen."""


def fingerprint(problem: Problem) -> str:
    """Hash the numbers and ties of a problem, and nothing that the contract may gain."""
    numbers = [
        problem.envelope.available,
        [(u.id, u.token_estimate, u.value, u.required, u.dependency_ids) for u in problem.units],
        [[(form.tokens, form.value) for form in unit.renderings] for unit in problem.units],
        [sorted(unit.coverage.items()) for unit in problem.units],
        [(group.members, group.k) for group in problem.redundancy_groups],
        [(dimension.name, dimension.weight, dimension.gains) for dimension in problem.coverage],
    ]
    return hashlib.sha256(repr(numbers).encode()).hexdigest()[:12]


@pytest.mark.parametrize("family", FAMILIES)
def test_a_seed_draws_the_same_instance_everywhere(family: str) -> None:
    problem = make(family, 12, seed=7)
    assert fingerprint(problem) == DIGESTS[family]
    assert make(family, 12, seed=8).digest != problem.digest
    assert Problem.from_json(problem.to_json()) == problem
    assert len(problem.units) == 12


@pytest.mark.parametrize("family", FAMILIES)
def test_two_solvers_agree_on_the_optimum(family: str) -> None:
    problem = make(family, 14, seed=3)
    ours = solve(problem).solver
    assert ours.status is Status.OPTIMAL
    other = run_engine("highs-mip", problem)
    assert (other.objective, other.scale) == (ours.objective, ours.scale)
    assert ours.objective > 0


@pytest.mark.parametrize("kind", ["uncorrelated", "weakly", "strongly", "inverse", "almost", "subset"])
def test_knapsacks_are_correlated_as_their_kind_says(kind: str) -> None:
    units = make("knapsack", 200, seed=1, kind=kind).units
    differences = [(unit.value or 0) - (unit.token_estimate or 0) for unit in units]
    spread = max(differences) - min(differences)
    exact = {"strongly": (100, 0), "inverse": (-100, 0), "subset": (0, 0)}
    if kind in exact:
        assert (differences[0], spread) == exact[kind]
    else:
        low, high = {"uncorrelated": (1000, 2000), "weakly": (150, 200), "almost": (2, 4)}[kind]
        assert low <= spread <= high


def test_tightness_is_the_budget_s_share() -> None:
    problem = make("pckp", 50, seed=2, tightness=0.25)
    total = sum(unit.token_estimate or 0 for unit in problem.units)
    assert problem.envelope.available == total // 4


def test_conflicts_have_the_density_that_was_asked_for() -> None:
    problem = make("kpcg", 60, seed=4, density=0.3)
    pairs = {
        (a, b)
        for group in problem.redundancy_groups
        for i, a in enumerate(group.members)
        for b in group.members[i + 1 :]
    }
    assert len(pairs) / (60 * 59 / 2) == pytest.approx(0.3, abs=0.03)


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        ({"family": "knapsak"}, "family"),
        ({"units": 1}, "units"),
        ({"seed": -1}, "seed"),
        ({"density": 0.5}, "density"),
        ({"tightness": 2}, "tightness"),
        ({"kind": "odd"}, "kind"),
        ({"span": 0}, "span"),
    ],
)
def test_what_cannot_be_drawn_is_named(arguments: dict[str, Any], field: str) -> None:
    with pytest.raises(UsageError) as caught:
        make(**{"family": "knapsack", "units": 5, **arguments})
    assert caught.value.field == field


def test_each_family_says_its_dials() -> None:
    assert FAMILIES["kpcg"].dials == {"density": 0.1, "tightness": 0.2}
    for family in FAMILIES.values():
        assert family.draw.__doc__
        assert "tightness" in family.dials
