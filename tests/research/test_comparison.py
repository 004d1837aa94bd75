"""Comparisons: figures reckoned by hand from rows, and a real one, run twice."""

from __future__ import annotations

import csv
import json
import math
import os
import shutil
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from satchel import Problem, UsageError
from satchel.research import CompareOptions, Comparison, compare
from satchel.research.compare import COLUMNS, tables_of, write_report
from satchel.research.instances import Instance, instance_of, names_of
from satchel.research.one import Case
from satchel.research.runner import Runner
from satchel.research.statistics import interval, pairs, signed_rank
from satchel.research.tables import csv_text, latex_text

ABOUT = dict.fromkeys("abcd", ("file_excerpt", "source_evidence", 10))


def instance(name: str) -> Instance:
    return Instance(name, Path(f"{name}.json"), f"sha256:{name}", 4, 6, 3, 30, 0.75, ABOUT)


def row(name: str, engine: str, objective: int | None, bound: int | None, **parts: Any) -> dict[str, Any]:
    """Return a row of an engine that ended after 2 s of 10."""
    status = "heuristic" if bound is None else "optimal" if objective == bound else "feasible"
    return {
        "key": f"{name}/{engine}",
        "case": {"name": name, "engine": engine, "limit": 10.0, "workers": 1, "seed": 0},
        "instance": f"sha256:{name}",
        "date": "2026-01-01",
        "cores": 2,
        "commit": "",
        "versions": {"python": "3.11"},
        "status": status,
        "objective": objective,
        "bound": bound,
        "shortfall": 0,
        "scale": 1,
        "seconds": 2.0,
        "setup": 0.1,
        "tokens": 30,
        "complaints": [],
        "note": "",
        "feasible": objective is not None,
        "selection": {"a": 0, "b": 1},
        "trajectory": [] if objective is None else [(2.0, objective, bound)],
        **parts,
    }


ROWS = [
    row("p", "satchel", 100, 100, selection={"a": 0, "b": 1}),
    row("p", "greedy", 80, None, selection={"a": 0, "b": 0, "c": 0}),
    row("p", "seed-greedy", 120, None, feasible=False, complaints=["dependency: a needs d"]),
    row("q", "satchel", 190, 200, selection={"a": 0}),
    row("q", "greedy", 190, None, selection={"d": 0}),
    row("q", "seed-greedy", None, None, status="no_answer", selection=None),
]

HAND = Comparison([instance("p"), instance("q")], ROWS, ("satchel", "greedy", "seed-greedy"), (0,), 10.0, 1)


def lines(table: list[dict[str, Any]], *columns: str) -> list[tuple[Any, ...]]:
    return [tuple(entry[column] for column in columns) for entry in table]


def test_loss_is_of_the_best_bound_and_total_without_a_pack_that_keeps_the_rules() -> None:
    assert lines(HAND.quality, "instance", "engine", "loss", "keeps_rules") == [
        ("p", "satchel", 0.0, True),
        ("p", "greedy", 0.2, True),
        ("p", "seed-greedy", 1.0, False),
        ("q", "satchel", 0.05, True),
        ("q", "greedy", 0.05, True),
        ("q", "seed-greedy", 1.0, None),
    ]


def test_overlap_is_with_the_best_pack_by_units_and_by_forms() -> None:
    """{a, b} against {a, b, c}: two of three units; of the forms only a's is the same, of four."""
    greedy = HAND.quality[1]
    assert (greedy["jaccard"], greedy["jaccard_forms"]) == (2 / 3, 1 / 4)
    assert HAND.quality[0]["jaccard"] == 1.0
    # Of equals the first engine's pack is the best one.
    assert HAND.quality[4]["jaccard"] == 0.0
    assert HAND.quality[2]["jaccard"] is None


def test_what_the_best_pack_has_and_another_lacks_is_listed() -> None:
    assert lines(HAND.lacks, "instance", "engine", "unit", "best_form", "form") == [
        ("p", "greedy", "b", 1, 0),
        ("p", "greedy", "c", None, 0),
        ("q", "greedy", "a", 0, None),
        ("q", "greedy", "d", None, 0),
    ]


def test_the_summary_counts() -> None:
    assert lines(HAND.summary, "engine", "runs", "kept_rules", "proved", "best", "mean_loss") == [
        ("satchel", 2, 2, 1, 2, 0.025),
        ("greedy", 2, 2, 0, 1, 0.125),
        ("seed-greedy", 2, 0, 0, 0, 1.0),
    ]


def test_what_a_clock_ended_is_not_repeatable() -> None:
    assert [entry["repeatable"] for entry in HAND.quality] == [True, True, True, False, True, False]


def test_times_stand_apart_from_quality() -> None:
    assert not {"seconds", "date", "proof", "peak_mb"} & set(COLUMNS["quality"])
    proofs = lines(HAND.times, "instance", "engine", "proof", "found_1e-2", "primal_integral")
    assert proofs[0] == ("p", "satchel", 2.0, 2.0, 2.0)
    assert proofs[3] == ("q", "satchel", None, None, 2.0)


def test_every_table_has_the_columns_that_are_written() -> None:
    for name, table in tables_of(HAND).items():
        assert table
        assert {tuple(entry) for entry in table} == {COLUMNS[name]}


def test_the_signed_rank_test_is_the_textbook_one() -> None:
    """Three differences of one sign: 2 of 8 sign patterns are as extreme."""
    assert signed_rank([0.1, 0.2, 0.3]) == 0.25
    assert signed_rank([0.1, -0.2, 0.3]) == 0.75
    assert signed_rank([0.0, 0.0]) == 1.0
    assert signed_rank([]) is None


def test_the_interval_holds_the_mean_and_is_the_same_every_time() -> None:
    numbers = [0.0, 0.1, 0.1, 0.3, 0.0, 0.2]
    low, high = interval(numbers)
    assert low is not None
    assert high is not None
    assert 0.0 <= low < math.fsum(numbers) / 6 < high <= 0.3
    assert interval(numbers) == (low, high)
    assert interval([0.5, 0.5]) == (0.5, 0.5)
    assert interval([]) == (None, None)


def test_p_is_adjusted_as_by_holm() -> None:
    """p of 0.25, 0.25 and 1 by rank: thrice, twice and once; no one is below one before it."""
    losses = {
        "ours": {"p": 0.0, "q": 0.0, "r": 0.0},
        "x": {"p": 0.1, "q": 0.2, "r": 0.3},
        "y": {"p": 0.3, "q": 0.2, "r": 0.1},
        "z": {"p": 0.0, "q": 0.0, "r": 0.0},
    }
    table = pairs(losses, "ours")
    assert lines(table, "engine", "worse", "equal", "p", "p_adjusted") == [
        ("x", 3, 0, 0.25, 0.75),
        ("y", 3, 0, 0.25, 0.75),
        ("z", 0, 3, 1.0, 1.0),
    ]


def test_latex_escapes_what_would_act() -> None:
    text = latex_text([{"a": "50_% & {x}\\", "b": 0.5}], {"a": "na_me", "b": "loss"}, "100 % of it")
    assert "50\\_\\% \\& \\{x\\}\\textbackslash{} & 0.5 \\\\" in text
    assert "\\begin{tabular}{lr}" in text


def test_csv_says_nothing_where_there_is_nothing() -> None:
    assert csv_text([{"a": None, "b": True, "c": 1 / 3}], ("a", "b", "c")) == "a,b,c\n,yes,0.333333\n"


def test_the_same_comparison_writes_the_same_bytes(tmp_path: Path) -> None:
    import pandas as pd

    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        write_report(HAND, tmp_path / name)
    ones = sorted((tmp_path / "one").iterdir())
    assert {path.suffix for path in ones} == {".csv", ".tex", ".json", ".svg", ".parquet"}
    for path in ones:
        assert path.read_bytes() == (tmp_path / "two" / path.name).read_bytes(), path.name
    frame = pd.read_parquet(tmp_path / "one" / "quality.parquet")
    assert frame["loss"].tolist() == [entry["loss"] for entry in HAND.quality]
    for name in ("profile", "times", "size", "tightness", "anytime"):
        drawing = (tmp_path / "one" / f"{name}.svg").read_text("utf-8")
        assert "greedy" in drawing or name == "times"
        assert "satchel" in drawing


def test_two_files_of_one_name_are_told_apart_by_their_folder() -> None:
    paths = [Path("a/one.json"), Path("b/one.json"), Path("b/two.json")]
    assert names_of(paths) == ["a/one", "b/one", "two"]
    with pytest.raises(UsageError, match="is given twice"):
        names_of([*paths, Path("b/two.json")])


def test_an_instance_knows_its_size_and_tightness() -> None:
    problem = Problem.build(5, [4, 6], [1, 2], shorter={1: [(2, 1)]}, needs={0: [1]}, covers={"d": [0]})
    found = instance_of(problem, "small", Path("small.json"))
    assert (found.units, found.forms, found.ties, found.tightness) == (2, 3, 2, 0.5)
    assert found.about["u1"] == ("file_excerpt", "source_evidence", 6)


@pytest.mark.parametrize(
    ("options", "field"),
    [
        ({"engines": ("satchl",)}, "engine"),
        ({"engines": ()}, "engines"),
        ({"time_limit": 0.0}, "time_limit"),
        ({"seeds": (0, 0)}, "seeds"),
        ({"workers": 0}, "workers"),
    ],
)
def test_options_out_of_range_are_named(options: dict[str, Any], field: str) -> None:
    with pytest.raises(UsageError) as caught:
        CompareOptions(**options)
    assert caught.value.field == field


def test_a_missing_library_is_told_before_anything_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import importlib.util

    real = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "pyarrow" else real(name))
    with pytest.raises(UsageError, match=r"pyarrow is not installed.*satchel\[research\]"):
        compare([tmp_path / "none.json"], tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.fixture(scope="module")
def problem(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A problem whose greedy is not optimal: a dense unit keeps out two that are worth more together."""
    path = tmp_path_factory.mktemp("problems") / "first.json"
    path.write_text(Problem.build(10, [6, 5, 5, 1], [9, 7, 7, 0], needs={3: [0]}).to_json())
    return path


def test_a_comparison_is_run_once_and_its_tables_again_are_the_same(problem: Path, tmp_path: Path) -> None:
    told: list[str] = []
    options = CompareOptions(engines=("highs-mip", "density-greedy"), time_limit=5, seeds=(3, 4))
    first = compare([problem], tmp_path / "one", options, tell=told.append)
    assert len(told) == 3  # two seeds of the engine that proves, and one of greedy
    assert [entry["status"] for entry in first.quality] == ["optimal", "optimal", "heuristic"]
    assert [entry["objective"] for entry in first.quality] == [14, 14, 9]
    stated = json.loads((tmp_path / "one" / "comparison.json").read_text("utf-8"))
    assert stated["seeds"] == [3, 4]
    assert str(problem.parent) not in (tmp_path / "one" / "runs.jsonl").read_text("utf-8")

    runs = (tmp_path / "one" / "runs.jsonl").read_bytes()
    compare([problem], tmp_path / "one", replace(options, plain=True))
    assert (tmp_path / "one" / "runs.jsonl").read_bytes() == runs, "nothing was run again"

    compare([problem], tmp_path / "two", options)
    for name in ("quality.csv", "lacks.csv", "engines.csv", "pairs.csv", "engines.tex", "comparison.json"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes(), name
    with (tmp_path / "one" / "times.csv").open(encoding="utf-8") as file:
        assert all(float(entry["seconds"]) < 5 for entry in csv.DictReader(file))


def test_a_run_that_raises_or_takes_too_long_is_a_row(problem: Path, tmp_path: Path) -> None:
    """The next run is served all the same."""
    slow = tmp_path / "slow.json"
    count = 3000
    slow.write_text(Problem.build(count, range(1, count + 1), range(2, count + 2)).to_json())
    with Runner(tmp_path) as runner:
        raised = runner.run(Case("gone", str(tmp_path / "gone.json"), "greedy", 1, 1, 0), "d", 60)
        assert raised["status"] == "error"
        assert "gone.json" in raised["note"]
        killed = runner.run(Case("slow", str(slow), "satchel", 60, 1, 0), "d", 0.3)
        assert (killed["status"], killed["key"]) == ("killed", "slow/satchel/60/1/0")
        well = runner.run(Case("first", str(problem), "greedy", 1, 1, 0), "d", 60)
        assert (well["status"], well["objective"]) == ("heuristic", 9)
        assert 0 < well["baseMb"] <= well["peakMb"]
    assert {path.name for path in tmp_path.iterdir()} == {"slow.json"}


def test_where_nothing_can_be_forked_each_run_is_a_process_of_its_own(
    problem: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(os, "fork")
    with Runner(tmp_path) as runner:
        assert runner.run(Case("first", str(problem), "greedy", 1, 1, 0), "d", 60)["objective"] == 9


def test_a_server_that_does_not_start_is_a_row(
    problem: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", shutil.which("false"))
    options = CompareOptions(engines=("greedy",), time_limit=1, plain=True)
    found = compare([problem], tmp_path, options)
    assert lines(found.quality, "status", "loss", "repeatable") == [("crashed", None, False)]
    assert not (tmp_path / "pairs.csv").exists()
