"""``satchel import`` and ``satchel export``: from the literature, and to other solvers."""

from __future__ import annotations

import json
from pathlib import Path

from processes import Satchel

DATA = Path(__file__).parents[1] / "research" / "data"


def test_an_imported_instance_can_be_solved(here: Satchel, tmp_path: Path) -> None:
    done = here("import", "knapsack", DATA / "plain.kp", "--out", "problem.json")
    assert (done.code, done.out) == (0, "")
    assert "the file states an optimum of 90" in done.err
    solved = here("solve", "problem.json", "--json")
    assert json.loads(solved.out)["solver"]["objective"] == 90


def test_without_a_file_the_problem_goes_to_standard_output(here: Satchel) -> None:
    done = here("import", "summary", DATA / "news.summary")
    assert (done.code, done.err) == (0, "")
    assert json.loads(done.out)["schemaVersion"] == "packing-problem.v1"


def test_an_error_of_an_instance_names_its_line(here: Satchel, tmp_path: Path) -> None:
    (tmp_path / "bad.kp").write_text("2 10\n3 4\n5 x\n")
    done = here("import", "knapsack", "bad.kp")
    assert (done.code, done.out) == (2, "")
    assert "bad.kp:3" in done.err


def test_a_problem_is_exported_and_its_own_export_replaced(here: Satchel, smallest: Path) -> None:
    done = here("export", smallest, "--format", "lp")
    assert done.code == 0
    assert done.out.startswith("\\ A packing problem of satchel, to be maximised.\n")
    assert here("export", smallest, "--out", "problem.mps").code == 0
    again = here("export", smallest, "--out", "problem.mps", "--format", "dimacs")
    assert again.code == 0
    assert "p pack" in (smallest.parent / "problem.mps").read_text()


def test_an_export_replaces_nothing_else(here: Satchel, smallest: Path) -> None:
    (smallest.parent / "notes.txt").write_text("mine")
    done = here("export", smallest, "--out", "notes.txt")
    assert done.code == 2
    assert "--force" in done.err
    assert here("export", smallest, "--out", "notes.txt", "--force").code == 0
    assert here("export", smallest, "--out", smallest).code == 2


def test_an_unknown_format_is_no_fault_of_the_file(here: Satchel, smallest: Path) -> None:
    done = here("export", smallest, "--format", "gams")
    assert done.code == 2
    assert "accepted: mps, lp, cp-sat, dimacs" in done.err
    assert smallest.name not in done.err
