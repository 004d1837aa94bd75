"""What ``satchel solve`` says of problems without any pack, and that what it says is so: exit code 1."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from processes import Satchel


def unit(name: str, tokens: int, **more: Any) -> dict[str, Any]:
    return {"id": name, "tokenEstimate": tokens, "value": 1, **more}


def problem(units: list[dict[str, Any]], available: int, **parts: Any) -> dict[str, Any]:
    envelope = {"availableInputTokens": available, "zones": parts.pop("zones", [])}
    return {"schemaVersion": "packing-problem.v1", "envelope": envelope, "units": units, **parts}


HARD = {"minTokens": 60, "minPolicy": "fail"}
CASES: dict[str, tuple[dict[str, Any], list[str], int | None, list[str]]] = {
    "required over budget": (
        problem([unit("a", 30, required=True), unit("b", 40, required=True)], 50),
        [
            "required unit 'a' (30 tokens at least)",
            "required unit 'b' (40 tokens at least)",
            "budget of 50 tokens",
        ],
        70,
        ["budget", "required", "required"],
    ),
    "dependency on an excluded unit": (
        problem(
            [unit("a", 5, required=True, dependencies=["b"]), unit("b", 5, tags=["old"])],
            50,
            policy={"mustExclude": ["tag:old"]},
        ),
        [
            "required unit 'a' (5 tokens at least)",
            "dependency of 'a' on 'b'",
            "mustExclude tag:old matches 'b'",
        ],
        None,
        ["dependency", "must exclude", "required"],
    ),
    "dimension that nothing covers": (
        problem([unit("a", 5)], 50, coverage=[{"name": "errors", "required": True}]),
        ["dimension errors needs 1 unit, no candidate may cover it"],
        None,
        ["coverage"],
    ),
    "zone minima above the budget": (
        problem(
            [unit("a", 60, zone="task"), unit("b", 60, zone="examples")],
            100,
            zones=[{"name": "task", **HARD}, {"name": "examples", **HARD}],
        ),
        [
            "budget of 100 tokens",
            "zone examples holds at least 60 tokens",
            "zone task holds at least 60 tokens",
        ],
        120,
        ["budget", "zone minimum", "zone minimum"],
    ),
    "two required members of a group that keeps one": (
        problem(
            [unit("a", 1, required=True), unit("b", 2, required=True)],
            100,
            redundancyGroups=[{"id": "g", "members": ["a", "b"], "policy": "keep_at_most"}],
        ),
        [
            "group g keeps at most 1",
            "required unit 'a' (1 token at least)",
            "required unit 'b' (2 tokens at least)",
        ],
        None,
        ["group", "required", "required"],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_the_clash_is_named_and_what_would_help_helps(here: Satchel, tmp_path: Path, name: str) -> None:
    """Each clash in the user's words; the smallest budget works, and one token less does not."""
    data, conflict, smallest, kinds = CASES[name]
    (tmp_path / "p.json").write_text(json.dumps(data), encoding="utf-8")
    done = here("solve", "p.json", "-o", "a.json", "--problem-out", "q.json")
    assert (done.code, done.out) == (1, "")
    head, *story = done.err.splitlines()
    assert head.startswith("error[")
    for demand in conflict:
        assert f"    - {demand}" in story
    assert sum(line.lstrip()[:1].isdigit() for line in story) == len(kinds)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["p.json"]
    done = here("solve", "p.json", "--json")
    assert (done.code, done.out) == (1, "")
    error = done.error()
    assert sorted(error["data"]["conflict"]) == sorted(conflict)
    assert error["data"]["minimal"] is True
    assert error["data"]["relaxationsComplete"] is True
    assert sorted(change["kind"] for change in error["data"]["relaxations"]) == kinds
    assert error["data"].get("smallestBudget") == smallest
    if smallest is not None:
        assert f"the smallest budget that works is {smallest} tokens" in error["hint"]
        assert here("solve", "p.json", "--budget", smallest, "-q").code == 0
        assert here("solve", "p.json", "--budget", smallest - 1, "-q").code == 1


def test_the_seed_case_through_pack_names_a_budget_of_the_whole_prompt(here: Satchel, tmp_path: Path) -> None:
    """A23: what was asked for by name and does not fit; the budget that is named works."""
    (tmp_path / "repo").mkdir()
    (tmp_path / "repo" / "a.py").write_text(
        "".join(f"def step_{i}(value: int) -> int:\n    return value + {i}\n\n\n" for i in range(60)), "utf-8"
    )
    args = ("pack", "repo", "--task", "api-reference", "--about", "steps", "--focus", "a.py", "-q")
    done = here(*args, "--budget", "150", "--json")
    assert done.code == 1, done
    data = done.error()["data"]
    assert "smallestBudgetProven" not in data  # of the units alone, where a budget of the prompt is meant
    assert all(change["kind"] != "budget" for change in data["relaxations"])
    assert here(*args, "--budget", data["smallestBudget"]).code == 0
