"""``satchel solve`` and what works on its artifact: explain, verify."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from processes import SMALLEST, Done, Satchel


def test_the_smallest_problem_is_worth_16(satchel: Satchel, smallest: Path) -> None:
    done = satchel("solve", smallest)
    assert done.code == 0
    assert done.err == ""
    assert "value 16, no pack is worth more than 16: proven (cp-sat)" in done.out
    assert "Status: optimal" in done.out


def test_standard_input_is_a_problem_too(here: Satchel) -> None:
    done = here("solve", "-", "--json", stdin=json.dumps(SMALLEST))
    assert done.code == 0
    assert done.json()["solver"]["objective"] == 16


def test_the_artifact_is_the_same_file_and_json(here: Satchel, smallest: Path, tmp_path: Path) -> None:
    done = here("solve", smallest, "--json", "--out", "a.json")
    assert done.code == 0
    assert done.err == ""
    assert done.out == (tmp_path / "a.json").read_text("utf-8")
    assert done.json()["schemaVersion"] == "packed-context.v1"


def test_a_solved_problem_verifies_and_a_changed_artifact_does_not(
    here: Satchel, smallest: Path, tmp_path: Path
) -> None:
    assert here("solve", smallest, "-q", "-o", "a.json") == Done(0, "", "")
    done = here("verify", "a.json", "--problem", smallest)
    assert done.code == 0
    assert "FAILED" not in done.out
    assert "checks: passed" in done.out

    artifact = json.loads((tmp_path / "a.json").read_text("utf-8"))
    artifact["solver"]["bound"] = 17
    (tmp_path / "a.json").write_text(json.dumps(artifact), encoding="utf-8")
    done = here("verify", "a.json", "--problem", smallest)
    assert done.code == 1
    assert "FAILED  gap " in done.out
    assert done.err.startswith("error[verification]: a.json: ")
    assert done.err.count("\n") == 1

    done = here("verify", "a.json", "--problem", smallest, "--json")
    assert done.code == 1
    assert done.json()["passed"] is False
    assert "gap" in done.error()["data"]["failed"]


def test_a_budget_given_by_hand_is_part_of_the_problem(here: Satchel, smallest: Path, tmp_path: Path) -> None:
    done = here("solve", smallest, "--budget", "4", "-o", "a.json", "--problem-out", "p.json")
    assert done.code == 0
    assert done.err == ""
    assert json.loads((tmp_path / "p.json").read_text("utf-8"))["envelope"]["availableInputTokens"] == 4
    assert here("verify", "a.json", "--problem", "p.json").code == 0
    assert here("verify", "a.json", "--problem", smallest, "--budget", "4").code == 0
    assert here("verify", "a.json", "--problem", smallest).code == 1


def test_units_a_line_need_a_budget(here: Satchel, tmp_path: Path) -> None:
    lines = [json.dumps(unit) for unit in SMALLEST["units"][:2]]
    (tmp_path / "units.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    done = here("solve", "units.jsonl", "--budget", "10", "--json")
    assert done.json()["solver"]["objective"] == 11
    done = here("solve", "units.jsonl")
    assert done.code == 2
    assert "--budget" in done.err


def test_texts_are_recounted_as_rendered(here: Satchel, tmp_path: Path) -> None:
    """A09: the size of a unit is that of its rendered block, header and boundary included."""
    problem = {
        "schemaVersion": "packing-problem.v1",
        "envelope": {"availableInputTokens": 1000},
        "units": [{"id": "a", "text": "one two three", "tokenEstimate": 3, "value": 1}],
    }
    (tmp_path / "p.json").write_text(json.dumps(problem), encoding="utf-8")
    done = here(
        "solve", "p.json", "--recount", "--encoding", "cl100k_base", "--json", "--problem-out", "q.json"
    )
    assert done.code == 0
    (unit,) = done.json()["acceptedUnits"]
    assert unit["tokenEstimate"] > 10
    assert "cl100k_base" in done.json()["modelProfile"]["tokenizer"]
    (tmp_path / "a.json").write_text(done.out, encoding="utf-8")
    assert here("verify", "a.json", "--problem", "q.json").code == 0
    done = here("render", "a.json", "--problem", "q.json")
    assert done.code == 0
    assert "one two three" in done.out


@pytest.mark.parametrize("option", ["--why-rejected", "--why-accepted"])
def test_explain_tells_the_truth_whichever_way_it_is_asked(
    here: Satchel, smallest: Path, option: str
) -> None:
    here("solve", smallest, "-q", "-o", "a.json")
    done = here("explain", "a.json", option, "a")
    assert done.code == 0
    assert done.out.startswith("a was rejected because:\n")
    assert "[redundant]" in done.out
    done = here("explain", "a.json", option, "b", "--json")
    (explanation,) = done.json()
    assert explanation["verdict"] == "accepted"


def test_explain_names_near_matches(here: Satchel, smallest: Path) -> None:
    here("solve", smallest, "-q", "-o", "a.json")
    done = here("explain", "a.json", "--why-rejected", "nothing-like-it")
    assert done.code == 2
    assert done.err.startswith("error[unknown_candidate]: ")
    done = here("explain", "a.json")
    assert done.code == 2
    assert "--why-rejected" in done.err


def test_budget_shows_where_the_tokens_of_an_artifact_went(here: Satchel, smallest: Path) -> None:
    here("solve", smallest, "-q", "-o", "a.json")
    done = here("budget", "a.json")
    assert done.code == 0
    assert re.search(r"^  available input +10 tokens$", done.out, re.MULTILINE)
    assert "source_evidence  10 tokens  100 %  2 units" in done.out
    assert here("budget", "a.json", "--json").json()["used"] == 10
