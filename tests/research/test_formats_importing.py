"""Importers: small instances of each format, written by hand, whose optima are worked out beside them."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from satchel import UsageError, solve
from satchel.formats import IMPORTERS, import_problem, import_problems
from satchel.formats.cliques import cliques
from satchel.models import FileError, SchemaError, Status

DATA = Path(__file__).parent / "data"

KNOWN = (
    # Weights 5 4 6 3 of profits 10 40 30 50 in 10: the second and the fourth weigh 7, and no third fits.
    ("knapsack", "plain.kp", 90, ("i1", "i3")),
    ("knapsack", "split.kp", 90, ("i1", "i3")),
    ("knapsack", "generated.kp", 90, ("i1", "i3")),
    # 3 + 7 + 5 weigh 2 + 4 + 3 = 9 of 10; 9 + 3 + 2 weigh 9 and are worth 14, 6 + 1 + 5 are worth 12.
    ("mckp", "three.mckp", 15, ("c0", "c1", "c2")),
    # 8 needs 3 and leaves room for 1: 12. The ten needs 3 and 1, which weigh 10 of 9 with it.
    ("pckp", "five.pckp", 12, ("i0", "i1", "i3")),
    # A ring of five: two that are no neighbours. 9 + 7 weigh 7; 9 + 6 and 8 + 6 are worth less.
    ("kpcg", "wheel.kpcg", 16, ("i0", "i2")),
    # Elements 0, 1, 2 weigh 9 and carry the items of 6 and 5; no other pair is worth more and fits.
    ("sukp", "four.sukp", 11, ("e0", "e1", "e2", "i0", "i1")),
    # Items 1 and 2 weigh 8 and cover all five elements: 6 + 3 + 8 + 2 + 4.
    ("bmcp", "four.bmcp", 23, ("i1", "i2")),
    # s2 and s3 take 24 of 25 words and hold all four concepts: 3 + 2 + 2 + 1.
    ("summary", "news.summary", 8, ("s2", "s3")),
)


@pytest.mark.parametrize(("name", "file", "optimum", "chosen"), KNOWN, ids=[case[1] for case in KNOWN])
def test_a_known_optimum_is_found_and_proven(
    name: str, file: str, optimum: int, chosen: tuple[str, ...]
) -> None:
    imported = import_problem(name, DATA / file)
    context = solve(imported.problem)
    assert context.solver.status is Status.OPTIMAL
    assert context.solver.objective == optimum * context.solver.scale
    assert tuple(unit.id for unit in sorted(context.accepted_units, key=lambda unit: unit.id)) == chosen


def test_every_format_has_a_known_optimum() -> None:
    assert {case[0] for case in KNOWN} == set(IMPORTERS)


def test_an_optimum_that_the_file_states_comes_along() -> None:
    assert import_problem("knapsack", DATA / "plain.kp").optimum == 90
    assert import_problem("knapsack", DATA / "split.kp").optimum is None


def test_a_file_of_several_instances_is_read_one_by_one() -> None:
    found = list(import_problems("knapsack", DATA / "hard.csv"))
    assert [(one.name, one.optimum) for one in found] == [("small_4_10_1", 90), ("small_3_7_2", 13)]
    for one in found:
        assert solve(one.problem).solver.objective == one.optimum


def test_of_several_instances_one_must_be_named() -> None:
    with pytest.raises(UsageError, match="holds 2 instances"):
        import_problem("knapsack", DATA / "hard.csv")
    assert import_problem("knapsack", DATA / "hard.csv", "small_3_7_2").problem.envelope.available == 7
    with pytest.raises(UsageError, match="holds no such instance"):
        import_problem("knapsack", DATA / "hard.csv", "large")


def test_decimal_weights_become_whole_ones_of_the_same_optimum(tmp_path: Path) -> None:
    """0.5 and 1.25 fit into 1.75 exactly; 1.26 beside 0.5 would not."""
    path = tmp_path / "decimal.kp"
    path.write_text("3 1.75\n2.5 0.5\n3 1.25\n9 1.76\n")
    problem = import_problem("knapsack", path).problem
    assert (problem.envelope.available, [unit.token_estimate for unit in problem.units]) == (
        175,
        [50, 125, 176],
    )
    answer = solve(problem).solver
    assert answer.objective == 5.5 * answer.scale


def test_items_may_be_numbered_from_nought(tmp_path: Path) -> None:
    path = tmp_path / "nought.kp"
    path.write_text("2\n0 3 4\n1 5 6\n6\n")
    assert [unit.value for unit in import_problem("knapsack", path).problem.units] == [3, 5]


def test_a_unit_names_its_line_but_not_the_folder_of_the_file() -> None:
    unit = import_problem("knapsack", DATA / "plain.kp").problem.units[2]
    assert unit.source_refs[0].label() == "plain.kp:4"


WRONG = (
    ("knapsack", "2 10\n3 4\n5 x\n", 3, "is not a number"),
    ("knapsack", "1 10\n3 nan\n", 2, "is out of range"),
    ("knapsack", "2 10\n3 4\n", 2, "ends too early"),
    ("knapsack", "2 10\n3 4\n5 -6\n", 3, "is out of range"),
    ("knapsack", "2 10\n3 4\n5 6\n1 0 1\n", 4, "is not the optimum of so many items"),
    ("knapsack", "2\n1 3 4\n3 5 6\n10\n", 3, "is not the next item"),
    ("knapsack", "2\n10\n3 4\n5 6\n7 8\n", 5, "goes on where it should end"),
    ("knapsack", "0 10\n", 1, "holds no item"),
    ("knapsack", "a\nn 1\nc 5\ntime 1\n", 4, "is not the line that belongs here"),
    ("knapsack", "", 1, "ends too early"),
    ("mckp", "1 5\n0\n", 2, "is a class without items"),
    ("mckp", "1 5\n1\n3 4 5\n", 3, "is not an item"),
    ("pckp", "2 1 5\n3 4\n5 6\n0 2\n", 4, "is out of range"),
    ("pckp", "2 1 5\n3 4\n5 6\n1 1\n", 4, "ties an item to itself"),
    ("kpcg", "param n := 2;\nparam c := 5;\nparam : V : p w :=\n0 3 4\n;\n", 5, "is not complete"),
    ("kpcg", "param n := 1;\nparam q := 5;\n", 2, "begins no part of an instance"),
    ("kpcg", "param n := 1;\nparam n := 1;\n", 2, "is a part that was there before"),
    ("sukp", "m=1 n=2 size=3\nThe profit\n4\nThe weight\n1\n", 5, "ends too early"),
    ("sukp", "m=1 n=2 size=3\nprofit\n4\nweight\n1 2\nmatrix\n1 2\n", 7, "is not a row of the matrix"),
    ("sukp", "m=1 n=2 size=3\nprofit\n4 5\n", 3, "holds 1 numbers too many"),
    ("bmcp", "m=1 n=2\n", 1, "is not the line of sizes"),
    ("summary", "budget 5\nsentence a 3 flood\n", 2, "is no concept"),
    ("summary", "concept flood 1\nsentence a 3 flood\n", 2, "is not complete"),
    ("summary", "budget 5\nbudget 6\n", 2, "is no line of a summary"),
)


@pytest.mark.parametrize(("name", "text", "line", "message"), WRONG)
def test_an_error_names_file_and_line(name: str, text: str, line: int, message: str, tmp_path: Path) -> None:
    path = tmp_path / "wrong.txt"
    path.write_text(text)
    with pytest.raises(SchemaError, match=message) as caught:
        import_problem(name, path)
    assert (caught.value.file, caught.value.line, caught.value.code) == (str(path), line, "instance")


def test_bytes_that_are_no_text_are_named(tmp_path: Path) -> None:
    path = tmp_path / "binary.kp"
    path.write_bytes(b"1 5\n\xff\xfe 3\n")
    with pytest.raises(SchemaError, match=r"binary\.kp:2: is no text in UTF-8"):
        import_problem("knapsack", path)


def test_a_missing_file_and_an_unknown_format_are_named(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="cannot be read"):
        import_problem("knapsack", tmp_path / "missing.kp")
    with pytest.raises(UsageError, match="did you mean 'knapsack'"):
        import_problem("knapsak", DATA / "plain.kp")


@given(edges=st.sets(st.tuples(st.integers(0, 9), st.integers(0, 9)).filter(lambda e: e[0] != e[1])))
@settings(max_examples=200)
def test_cliques_hold_every_edge_and_nothing_else(edges: set[tuple[int, int]]) -> None:
    graph = {frozenset(edge) for edge in edges}
    found = cliques(sorted(edges))
    pairs = {frozenset(pair) for clique in found for pair in combinations(clique, 2)}
    assert pairs == graph
    for clique in found:
        others = set(range(10)) - set(clique)
        assert not [v for v in others if all(frozenset((v, w)) in graph for w in clique)], "not maximal"
