"""Exports: what another solver finds in the file is the optimum of the problem."""

from __future__ import annotations

from pathlib import Path

import pytest

from satchel import BudgetEnvelope, BudgetZone, ContextUnit, Problem, UsageError, solve
from satchel.formats import EXPORTERS, export_problem, import_problem
from satchel.models import GroupPolicy, RedundancyGroup, ScaleError, Status

DATA = Path(__file__).parent / "data"

RICH = Problem.from_data(
    {
        "schemaVersion": "packing-problem.v1",
        "envelope": {
            "availableInputTokens": 100,
            "zones": [
                {"name": "examples", "maxTokens": 45, "targetTokens": 20, "targetPrice": 0.01},
                {"name": "source_evidence", "minTokens": 90},
            ],
        },
        "weights": {"redundancy": 1.0},
        "redundancyGroups": [
            {"id": "soft", "members": ["a", "b", "c"], "penalty": 0.5},
            {"id": "hard", "members": ["c", "d"], "policy": "keep_at_most", "k": 1},
        ],
        "coverage": [{"name": "errors", "weight": 2, "required": True}, {"name": "setup"}],
        "units": [
            {"id": "a", "tokenEstimate": 40, "value": 3.25, "coverage": {"errors": 0.5}, "required": True},
            {"id": "b", "tokenEstimate": 35, "value": 2.5, "coverage": {"errors": 0.9, "setup": 1.0},
             "renderings": [{"state": "summarized", "tokens": 12, "fidelity": 0.6}]},
            {"id": "c", "tokenEstimate": 30, "value": 2.125, "dependencies": ["e"], "coverage": ["setup"]},
            {"id": "d", "tokenEstimate": 25, "value": 1.5, "zone": "examples"},
            {"id": "e", "tokenEstimate": 10, "value": -0.25, "zone": "examples"},
        ],
    }
)  # fmt: skip
"""Every kind of row: zones with a maximum, a target and a relaxed minimum, groups, coverage, forms, needs."""

PROBLEMS = {
    "rich": RICH,
    "mckp": import_problem("mckp", DATA / "three.mckp").problem,
    "kpcg": import_problem("kpcg", DATA / "wheel.kpcg").problem,
    "sukp": import_problem("sukp", DATA / "four.sukp").problem,
    "bmcp": import_problem("bmcp", DATA / "four.bmcp").problem,
}


def optimum_in_file(path: Path) -> int:
    """Solve the program in ``path`` with HiGHS, which reads it by itself."""
    import highspy

    highs = highspy.Highs()
    highs.silent()
    assert highs.readModel(str(path)) == highspy.HighsStatus.kOk
    highs.setOptionValue("mip_rel_gap", 0.0)
    highs.setOptionValue("mip_abs_gap", 0.5)
    highs.run()
    assert highs.getModelStatus() == highspy.HighsModelStatus.kOptimal
    assert highs.getLp().sense_ == highspy.ObjSense.kMaximize
    return round(highs.getInfo().objective_function_value)


def penalty_in(text: str) -> int:
    """Read the price of a token of shortfall from the head of an export."""
    head = next(line for line in text.splitlines() if "Objective: value times" in line)
    return int(head.rpartition("costs ")[2].rstrip(".")) if "costs" in head else 0


def expected(problem: Problem, text: str) -> int:
    answer = solve(problem).solver
    assert answer.status is Status.OPTIMAL
    return answer.objective - penalty_in(text) * answer.shortfall


@pytest.mark.parametrize("name", PROBLEMS)
@pytest.mark.parametrize("kind", ["mps", "lp"])
def test_highs_finds_our_optimum_in_the_file(name: str, kind: str, tmp_path: Path) -> None:
    text = export_problem(PROBLEMS[name], kind)
    path = tmp_path / f"problem{EXPORTERS[kind].suffix}"
    path.write_text(text)
    assert optimum_in_file(path) == expected(PROBLEMS[name], text)


@pytest.mark.parametrize("name", PROBLEMS)
def test_cp_sat_finds_our_optimum_in_the_proto(name: str) -> None:
    from ortools.sat.python import cp_model

    text = export_problem(PROBLEMS[name], "cp-sat")
    model = cp_model.CpModel()
    model.proto.parse_text_format(text)
    assert model.validate() == ""
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    assert solver.solve(model) == cp_model.OPTIMAL
    assert round(solver.objective_value) == expected(PROBLEMS[name], text)


@pytest.mark.parametrize("name", PROBLEMS)
def test_the_plain_text_states_the_same_program(name: str) -> None:
    """Read by the few lines that its description asks for, and solved by HiGHS."""
    import highspy

    text = export_problem(PROBLEMS[name], "dimacs")
    highs = highspy.Highs()
    highs.silent()
    infinity = highspy.kHighsInf
    counts: list[int] = []
    for line in text.splitlines():
        kind, *words = line.split()
        if kind == "p":
            counts = [int(word) for word in words[1:]]
        elif kind == "v":
            _, low, high, worth = map(int, words)
            highs.addCol(worth, low, high, 0, [], [])
        elif kind == "r":
            low_side = -infinity if words[0] == "-" else float(words[0])
            high_side = infinity if words[1] == "+" else float(words[1])
            pairs = [int(word) for word in words[3:]]
            assert len(pairs) == 2 * int(words[2])
            highs.addRow(low_side, high_side, int(words[2]), [j - 1 for j in pairs[::2]], pairs[1::2])
    assert [highs.numVariables, highs.numConstrs] == counts
    for j in range(counts[0]):
        highs.changeColIntegrality(j, highspy.HighsVarType.kInteger)
    highs.changeObjectiveSense(highspy.ObjSense.kMaximize)
    highs.setOptionValue("mip_abs_gap", 0.5)
    highs.run()
    assert round(highs.getInfo().objective_function_value) == expected(PROBLEMS[name], text)


def test_the_shortfall_of_a_relaxed_minimum_outweighs_all_value() -> None:
    """The rich problem cannot meet its minimum of 90 tokens of source evidence with what fits together."""
    text = export_problem(RICH, "lp")
    assert solve(RICH).solver.shortfall > 0
    assert penalty_in(text) > 0


def test_each_column_is_explained() -> None:
    text = export_problem(PROBLEMS["mckp"], "mps")
    assert '* x0: unit "c0" rung 0 tokens 5' in text.splitlines()


def test_an_id_stays_within_its_line() -> None:
    units = (ContextUnit(id="a\nENDATA", token_estimate=1, value=1.0),)
    problem = Problem(
        schema_version="packing-problem.v1", envelope=BudgetEnvelope(available_input_tokens=1), units=units
    )
    assert '* x0: unit "a\\nENDATA" rung 0 tokens 1' in export_problem(problem, "mps").splitlines()


def test_what_cannot_be_priced_is_refused() -> None:
    zone = BudgetZone(name="source_evidence", min_tokens=2**39)
    units = (ContextUnit(id="a", token_estimate=5, value=1e9),)
    envelope = BudgetEnvelope(available_input_tokens=10, zones=(zone,))
    problem = Problem(schema_version="packing-problem.v1", envelope=envelope, units=units)
    with pytest.raises(ScaleError, match="too large to be priced exactly"):
        export_problem(problem, "mps")


def test_an_unknown_format_is_named() -> None:
    with pytest.raises(UsageError, match="accepted: mps, lp, cp-sat, dimacs"):
        export_problem(RICH, "gams")


def test_a_group_is_no_row_where_it_cannot_bind() -> None:
    """A problem without any tie has the budget as its only row."""
    problem = Problem.build(10, [4, 5], [1, 2])
    assert "p pack 2 1" in export_problem(problem, "dimacs").splitlines()
    group = RedundancyGroup(id="g", members=("u0", "u1"), policy=GroupPolicy.KEEP_AT_MOST, k=1)
    tied = problem.model_copy(update={"redundancy_groups": (group,)})
    assert "p pack 2 2" in export_problem(tied, "dimacs").splitlines()
