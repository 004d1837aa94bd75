"""``--engine`` and ``satchel engines``: other engines at the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from processes import Satchel

from satchel import engines

KEEPING = [spec.name for spec in engines() if spec.keeps_rules]


def test_the_engines_are_listed_with_what_they_prove(here: Satchel) -> None:
    done = here("engines")
    assert done.code == 0
    rows = {line.split("  ")[0]: line for line in done.out.splitlines()[1:]}
    assert list(rows) == [spec.name for spec in engines()]
    assert "in floats" in rows["highs-mip"]
    assert "exactly" in rows["satchel"]
    assert [row["name"] for row in here("engines", "--json").json()] == list(rows)


@pytest.mark.parametrize("name", KEEPING)
def test_an_engine_solves_and_its_artifact_verifies(here: Satchel, smallest: Path, name: str) -> None:
    done = here("solve", smallest, "--engine", name, "--json", "-o", "a.json")
    assert done.code == 0, done.err
    assert done.json()["solver"]["engine"] == {"satchel": "cp-sat"}.get(name, name)
    assert here("verify", "a.json", "--problem", smallest).code == 0


def test_pack_takes_an_engine_too(here: Satchel, tmp_path: Path) -> None:
    (tmp_path / "repo").mkdir()
    (tmp_path / "repo" / "a.py").write_text("def one() -> int:\n    return 1\n", encoding="utf-8")
    done = here("pack", "repo", "--budget", "1k", "--engine", "highs-mip", "--json", "-o", "out")
    assert done.code == 0, done.err
    assert done.json()["solver"]["engine"] == "highs-mip"
    assert here("verify", "out/packed-context.json").code == 0


def test_an_engine_and_a_solver_are_one_too_many(here: Satchel, smallest: Path) -> None:
    done = here("solve", smallest, "--engine", "scip", "--solver", "cp-sat")
    assert done.code == 2
    assert done.err.startswith("error[usage]: --engine: cannot be used together with a solver")
    done = here("solve", smallest, "--engine", "gurobi")
    assert done.code == 2
    assert done.err.startswith("error[usage]: --engine: no such engine")
    assert "highs-mip" in done.err


def test_what_breaks_rules_is_told_and_not_written(here: Satchel, tmp_path: Path) -> None:
    problem = {
        "schemaVersion": "packing-problem.v1",
        "envelope": {"availableInputTokens": 5},
        "units": [
            {"id": "a", "tokenEstimate": 5, "value": 9, "dependencies": ["b"]},
            {"id": "b", "tokenEstimate": 5, "value": 1},
        ],
    }
    (tmp_path / "p.json").write_text(json.dumps(problem), encoding="utf-8")
    done = here("solve", "p.json", "--engine", "seed-greedy", "-o", "a.json")
    assert (done.code, done.out) == (1, "")
    assert done.err.startswith("error[engine_breaks_rules]: the pack of seed-greedy breaks rules")
    assert not (tmp_path / "a.json").exists()
