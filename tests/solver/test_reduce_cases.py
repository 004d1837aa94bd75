"""Each reduction on the smallest case where it acts, and on its neighbour where it must not."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

from satchel.models import Problem
from satchel.solver.backends import highs
from satchel.solver.compile import compile_problem
from satchel.solver.linear import build
from satchel.solver.reduce import Program, reduce
from satchel.solver.reduce.bounds import drop_slack, propagate, required_needs
from satchel.solver.reduce.closure import LARGEST
from satchel.solver.reduce.dominated import dominated_rungs, worthless_rungs
from satchel.solver.reduce.needs import clashing_needs, group_needs, redundancy_needs
from satchel.solver.reduce.oversize import oversized_rungs

Data = dict[str, Any]


def unit(name: str, tokens: int, value: float, *shorter: tuple[str, int, float], **more: Any) -> Data:
    forms = [{"state": state, "tokens": size, "value": worth} for state, size, worth in shorter]
    return {"id": name, "tokenEstimate": tokens, "value": value, "renderings": forms, **more}


def program(
    *units: Data, budget: int = 100, zone: Data | None = None, groups: Any = (), coverage: Any = ()
) -> Program:
    problem = Problem.from_data(
        {
            "schemaVersion": "packing-problem.v1",
            "envelope": {
                "availableInputTokens": budget,
                "zones": [] if zone is None else [{"name": "source_evidence", **zone}],
            },
            "units": list(units),
            "redundancyGroups": list(groups),
            "coverage": list(coverage),
            "weights": {"redundancy": 1},
        }
    )
    c = compile_problem(problem)
    return Program.of(c, build(c))


def opened(p: Program) -> list[str]:
    """Return the open rungs as unit and number of the rung."""
    c = p.c
    return [f"{c.ids[u]}{r - int(c.rung_start[u])}" for u in range(c.n) for r in c.rungs_of(u) if p.open[r]]


def needed(p: Program) -> list[str]:
    return [name for name, is_in in zip(p.c.ids, p.required.tolist(), strict=True) if is_in]


def bound(p: Program) -> float:
    return round(float(p.linear.objective @ highs.relax(p.linear).columns), 6)


def is_feasible(p: Program) -> bool:
    return reduce(p.c, p.linear).feasible


def rows(p: Program) -> list[str]:
    return [" ".join([row.family, row.name, row.other]).strip() for row in p.linear.rows]


RIVALS: list[Data] = [{"id": "g", "members": ["b", "c"], "policy": "keep_at_most", "k": 1}]
LADDER = (("contract", 4, 6), ("summarized", 1, 2))


# -- dominated rungs -----------------------------------------------------------------------------------------


def test_a_rung_that_a_shorter_one_matches_is_closed() -> None:
    assert opened(dominated_rungs(program(unit("a", 9, 5, ("contract", 4, 5))))) == ["a1"]


def test_a_rung_worth_one_more_stays() -> None:
    assert opened(dominated_rungs(program(unit("a", 9, 6, ("contract", 4, 5))))) == ["a0", "a1"]


def test_a_rung_that_only_a_mix_of_others_beats_stays() -> None:
    """9, 5 and 1 tokens worth 9, 4 and 1: half of the first and the last is worth more than the second."""
    p = program(unit("a", 9, 9, ("contract", 5, 4), ("summarized", 1, 1)))
    assert opened(dominated_rungs(p)) == ["a0", "a1", "a2"]


def test_a_rung_that_someone_needs_stays_unless_the_shorter_one_will_do() -> None:
    a = unit("a", 9, 5, ("contract", 4, 5))
    for shortest, left in (("raw", ["a0", "a1", "b0"]), ("contract", ["a1", "b0"])):
        b = unit("b", 3, 3, dependencies=[{"id": "a", "minRung": shortest}])
        assert opened(dominated_rungs(program(a, b))) == left


def test_a_rung_that_covers_more_stays_while_that_is_worth_something() -> None:
    a = unit("a", 9, 5, coverage={"errors": 1.0})
    a["renderings"] = [{"state": "contract", "tokens": 4, "value": 5, "fidelity": 0.5}]
    for weight, left in ((1, ["a0", "a1"]), (0, ["a1"])):
        p = program(a, coverage=[{"name": "errors", "weight": weight}])
        assert opened(dominated_rungs(p)) == left


@pytest.mark.parametrize("policy", ["relax", "fail"])
def test_in_a_zone_with_a_minimum_longer_rungs_have_a_use(policy: str) -> None:
    a = unit("a", 9, 5, ("contract", 4, 5))
    p = program(a, unit("b", 9, 5), zone={"minTokens": 8, "minPolicy": policy})
    assert opened(dominated_rungs(p)) == ["a0", "a1", "b0"]


# -- worthless rungs -----------------------------------------------------------------------------------------


def test_rungs_that_add_nothing_are_closed_but_for_those_without_tokens() -> None:
    """Of equal packs the canonical one holds the earlier unit: nothing at no cost stays."""
    p = program(unit("a", 3, -1), unit("b", 3, 0), unit("c", 0, 0), unit("d", 3, 1), unit("e", 0, -1))
    assert opened(worthless_rungs(p)) == ["c0", "d0"]


def test_worthless_units_that_serve_stay_until_those_they_serve_are_gone() -> None:
    a, b = unit("a", 3, -1), unit("b", 3, 5, dependencies=["a"])
    assert opened(worthless_rungs(program(a, b))) == ["a0", "b0"]
    b["value"] = -2
    assert opened(worthless_rungs(program(a, b))) == []


def test_worthless_units_that_are_required_count_or_cover_stay() -> None:
    a = unit("a", 3, -1, coverage=["errors"])
    for dimension in ({"weight": 2}, {"weight": 0, "required": True}):
        p = program(a, unit("b", 1, 1), coverage=[{"name": "errors", **dimension}])
        assert opened(worthless_rungs(p)) == ["a0", "b0"]
    assert opened(worthless_rungs(program(unit("a", 3, -1, required=True)))) == ["a0"]
    assert opened(worthless_rungs(program(a, zone={"minTokens": 2}))) == ["a0"]


# -- what is required ----------------------------------------------------------------------------------------


def test_what_a_required_unit_needs_is_required_at_the_rungs_that_will_do() -> None:
    a, b = unit("a", 9, 9, *LADDER), unit("b", 5, 5, dependencies=[{"id": "a", "minRung": "contract"}])
    c = unit("c", 1, 1, dependencies=["b"], required=True)
    p = required_needs(program(a, b, c))
    assert (needed(p), opened(p)) == (["a", "b", "c"], ["a0", "a1", "b0", "c0"])
    assert "required a" in rows(p)
    optional = program(a, b, {**c, "required": False})
    assert required_needs(optional) is optional


# -- what does not fit ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("limit", ["budget", "zone"])
def test_rungs_that_do_not_fit_with_what_they_need_are_closed(limit: str) -> None:
    """b needs 3 tokens of a at least: beside the required 2, its own 5 fit in 10, and its 6 do not."""
    units = unit("a", 9, 9, ("contract", 3, 6)), unit("r", 2, 0, required=True)
    for size, left in ((5, ["a1", "b0", "r0"]), (6, ["a1", "r0"])):
        b = unit("b", size, 9, dependencies=["a"])
        p = program(*units, b, budget=10) if limit == "budget" else program(*units, b, zone={"maxTokens": 10})
        assert opened(oversized_rungs(p)) == left


def test_what_stands_in_another_zone_does_not_count_there() -> None:
    a, b = unit("a", 9, 9, zone="task"), unit("b", 6, 9, dependencies=["a"])
    assert opened(oversized_rungs(program(a, b, zone={"maxTokens": 6}))) == ["a0", "b0"]


# -- single rows ---------------------------------------------------------------------------------------------


def test_rivals_of_a_required_member_are_closed() -> None:
    units = unit("a", 1, 1, required=True), unit("b", 1, 1), unit("c", 1, 1)
    for k, left in ((1, ["a0"]), (2, ["a0", "b0", "c0"])):
        p = program(*units, groups=[{**RIVALS[0], "members": ["a", "b", "c"], "k": k}])
        assert opened(propagate(p)) == left


def test_a_dimension_with_no_candidate_to_spare_requires_them_all() -> None:
    units = unit("a", 1, 1, coverage=["errors"]), unit("b", 1, 1, coverage=["errors"]), unit("c", 1, 1)
    for count, must in ((1, []), (2, ["a", "b"])):
        p = program(*units, coverage=[{"name": "errors", "required": True, "minCount": count}])
        assert needed(propagate(p)) == must


def test_a_hard_minimum_that_needs_everything_requires_it_in_full() -> None:
    units = unit("a", 9, 9, ("contract", 3, 6)), unit("b", 5, 1)
    for minimum, must, left in (
        (5, [], ["a0", "a1", "b0"]),
        (8, ["a"], ["a0", "a1", "b0"]),
        (9, ["a"], ["a0", "b0"]),
        (14, ["a", "b"], ["a0", "b0"]),
    ):
        p = propagate(program(*units, zone={"minTokens": minimum, "minPolicy": "fail"}))
        assert (needed(p), opened(p)) == (must, left)


def test_a_required_unit_that_cannot_fit_makes_the_program_infeasible() -> None:
    assert not is_feasible(program(unit("a", 9, 9, required=True), unit("b", 1, 1), budget=8))
    assert is_feasible(program(unit("a", 9, 9, required=True), unit("b", 1, 1), budget=9))


def test_two_required_rivals_make_the_program_infeasible() -> None:
    units = unit("a", 1, 1, required=True), unit("b", 1, 1, required=True), unit("c", 1, 1)
    groups = [{"id": "g", "members": ["a", "b", "c"], "policy": "keep_at_most", "k": 1}]
    assert not is_feasible(program(*units, groups=groups))


def test_a_row_is_dropped_when_the_largest_rungs_keep_it() -> None:
    """One rung of each unit: 9 + 5 tokens, though all rungs together have 18."""
    units = unit("a", 9, 9, ("contract", 4, 6)), unit("b", 5, 5)
    assert rows(drop_slack(program(*units, budget=14))) == ["choice a"]
    assert rows(drop_slack(program(*units, budget=13))) == ["choice a", "budget"]


# -- groups whose members need units -------------------------------------------------------------------------


def test_a_unit_that_needs_its_rival_is_closed() -> None:
    b, c = unit("b", 1, 1), unit("c", 1, 1, dependencies=["b"])
    assert opened(clashing_needs(program(b, c, groups=RIVALS))) == ["b0"]
    two = [{**RIVALS[0], "k": 2, "members": ["a", "b", "c"]}]
    assert opened(clashing_needs(program(unit("a", 1, 1), b, c, groups=two))) == ["a0", "b0", "c0"]


def test_a_unit_that_needs_two_rivals_is_closed() -> None:
    d = unit("d", 1, 1, dependencies=["b", "c"])
    p = program(unit("b", 1, 1), unit("c", 1, 1), d, groups=RIVALS)
    assert opened(clashing_needs(p)) == ["b0", "c0"]


def test_rivals_that_need_the_same_unit_need_it_together() -> None:
    """a costs 5 of value: for one rival worth 4 it does not pay, but half of it for half of each seems to."""
    a = unit("a", 1, -5)
    b, c = (unit(name, 1, 4, dependencies=["a"]) for name in "bc")
    before = program(a, b, c, groups=RIVALS)
    after = group_needs(before)
    assert rows(after)[-1] == "group need g a"
    assert (bound(before), bound(after)) == (1.5, 0.0)


def test_a_group_that_keeps_both_gets_no_row_for_what_both_need() -> None:
    a = unit("a", 1, -5)
    b, c, d = unit("b", 1, 4, dependencies=["a"]), unit("c", 1, 4, dependencies=["a"]), unit("d", 1, 1)
    p = program(a, b, c, d, groups=[{**RIVALS[0], "k": 2, "members": ["b", "c", "d"]}])
    assert group_needs(p) is p


def test_the_needed_unit_takes_a_place_of_the_group_itself() -> None:
    """Two of a, b and c may stay, and a is one of them: b and c are rivals. Two thirds of each seem fine."""
    a = unit("a", 1, -5)
    b, c = (unit(name, 1, 4, dependencies=["a"]) for name in "bc")
    before = program(a, b, c, groups=[{**RIVALS[0], "k": 2, "members": ["a", "b", "c"]}])
    after = group_needs(before)
    assert rows(after)[-1] == "group need g a"
    assert (bound(before), bound(after)) == (2.0, 0.0)


def test_only_rungs_that_will_do_count() -> None:
    a = unit("a", 5, 0, ("contract", 3, 0), ("summarized", 1, 0))
    needs = {"b": "raw", "c": "contract"}
    b, c = (unit(n, 1, 4, dependencies=[{"id": "a", "minRung": needs[n]}]) for n in "bc")
    p = group_needs(program(a, b, c, groups=RIVALS))
    cols, coefs = p.entries(len(p.linear.rows) - 1)
    assert (cols.tolist(), coefs.tolist()) == ([3, 4, 0, 1], [1, 1, -1, -1])


def test_surplus_members_that_need_a_member_cost_their_price_in_full() -> None:
    """a costs 3, b and c are worth 2 each at a price of 1 for each beyond the first: nothing pays (2+2-2-3).
    In halves the group's own row asks for half a surplus only."""
    a = unit("a", 1, -3)
    b, c = (unit(name, 1, 2.0, dependencies=["a"]) for name in "bc")
    soft = [{"id": "g", "members": ["a", "b", "c"], "policy": "keep_all", "penalty": 1}]
    before = program(a, b, c, groups=soft)
    after = redundancy_needs(before)
    assert rows(after)[-1] == "redundancy need g"
    assert (bound(before), bound(after)) == (round(1 / 3, 6), 0.0)


def test_members_that_need_only_units_outside_cost_as_before() -> None:
    b, c = (unit(name, 1, 2, dependencies=["a"]) for name in "bc")
    soft = [{"id": "g", "members": ["b", "c"], "policy": "keep_all", "penalty": 1}]
    p = program(unit("a", 1, -3), b, c, groups=soft)
    assert redundancy_needs(p) is p


def test_of_members_that_need_each_other_the_first_is_free() -> None:
    a, b = unit("a", 1, 1, dependencies=["b"]), unit("b", 1, 1, dependencies=["a"])
    soft = [{"id": "g", "members": ["a", "b"], "policy": "keep_all", "penalty": 1}]
    p = redundancy_needs(program(a, b, groups=soft))
    assert p.entries(len(p.linear.rows) - 1)[0].tolist() == [1, 2]


def test_units_with_endless_needs_are_left_as_they_are() -> None:
    names = [f"u{i:03}" for i in range(LARGEST + 2)]
    chain = [unit(names[0], 1, 1)]
    chain += [unit(name, 1, 1, dependencies=[last]) for last, name in pairwise(names)]
    targets = program(*chain).closure
    assert len(targets.of_unit(LARGEST)[0]) == LARGEST
    assert len(targets.of_unit(LARGEST + 1)[0]) == 0
