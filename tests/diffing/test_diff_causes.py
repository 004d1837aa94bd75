"""What came and went between two packs, and what of it has changed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from satchel import DiffReport, Problem, diff, solve
from satchel.files import ARTIFACT, PROBLEM

SMALLEST: dict[str, Any] = {
    "schemaVersion": "packing-problem.v1",
    "envelope": {"availableInputTokens": 10},
    "units": [
        {"id": "a", "tokenEstimate": 6, "value": 6, "text": "alpha"},
        {"id": "b", "tokenEstimate": 6, "value": 5, "text": "beta"},
        {"id": "c", "tokenEstimate": 4, "value": 3, "text": "gamma"},
    ],
}
"""Its best pack is a and c."""


def put(folder: Path, data: dict[str, Any], *, problem: bool = True) -> Path:
    """Solve a problem and leave artifact and problem in ``folder``."""
    folder.mkdir(parents=True, exist_ok=True)
    given = Problem.from_data(data)
    (folder / ARTIFACT).write_text(solve(given).to_json(), encoding="utf-8")
    if problem:
        (folder / PROBLEM).write_text(given.to_json(), encoding="utf-8")
    return folder


def changed(unit: str | None = None, **more: Any) -> dict[str, Any]:
    """Return the smallest problem with one unit (or itself) changed."""
    data: dict[str, Any] = json.loads(json.dumps(SMALLEST))
    if unit is None:
        return {**data, **more}
    data["units"] = [{**entry, **more} if entry["id"] == unit else entry for entry in data["units"]]
    return data


def compared(tmp_path: Path, one: dict[str, Any], two: dict[str, Any], *, problem: bool = True) -> DiffReport:
    return diff(put(tmp_path / "A", one, problem=problem), put(tmp_path / "B", two, problem=problem))


def causes(report: DiffReport) -> dict[str, tuple[str, list[str]]]:
    return {c.id: (c.change, [cause.kind for cause in c.causes]) for c in report.changes}


def test_the_same_pack_has_not_changed(tmp_path: Path) -> None:
    report = compared(tmp_path, SMALLEST, SMALLEST)
    assert report.is_empty
    assert report.changes == ()


def test_a_larger_budget_is_the_cause(tmp_path: Path) -> None:
    report = compared(tmp_path, SMALLEST, changed(envelope={"availableInputTokens": 16}))
    assert causes(report) == {"b": ("entered", ["budget"])}
    assert report.available == (10, 16)
    assert report.values == (9, 14)
    (change,) = report.changes
    assert change.tokens == 6
    assert "10 to 16" in change.causes[0].detail


def test_the_limit_of_its_zone_is_the_cause(tmp_path: Path) -> None:
    zone = {"name": "source_evidence", "overflowPolicy": "drop_low_rank"}
    tight = {"availableInputTokens": 16, "zones": [{**zone, "maxTokens": 10}]}
    wide = {"availableInputTokens": 16, "zones": [zone]}
    report = compared(tmp_path, changed(envelope=tight), changed(envelope=wide))
    assert causes(report) == {"b": ("entered", ["budget"])}
    assert "max of zone source_evidence 10 to none" in report.changes[0].causes[0].detail


def test_a_score_is_the_cause_and_who_makes_room_is_told_apart(tmp_path: Path) -> None:
    report = compared(tmp_path, SMALLEST, changed("b", value=9))
    assert causes(report) == {"a": ("left", ["others"]), "b": ("entered", ["score"])}
    assert "left out of B" in report.changes[0].causes[0].detail


def test_a_score_that_speaks_against_it_is_no_cause(tmp_path: Path) -> None:
    """b comes although it is worth less, because a has become worth nothing at all."""
    two = changed("a", value=0)
    two["units"][1]["value"] = 4
    report = compared(tmp_path, SMALLEST, two)
    assert causes(report)["b"] == ("entered", ["others"])
    assert causes(report)["a"] == ("left", ["score"])


def test_a_size_is_the_cause(tmp_path: Path) -> None:
    report = compared(tmp_path, SMALLEST, changed("a", tokenEstimate=11))
    assert causes(report) == {"a": ("left", ["size"]), "b": ("entered", ["others"])}


def test_a_changed_text_is_the_cause(tmp_path: Path) -> None:
    report = compared(tmp_path, SMALLEST, changed("a", text="longer", tokenEstimate=11))
    assert causes(report)["a"] == ("left", ["source", "size"])


@pytest.mark.parametrize(
    ("policy", "unit", "fate"),
    [({"mustExclude": ["id:a"]}, "a", "left"), ({"mustInclude": ["id:b"]}, "b", "entered")],
)
def test_a_rule_is_the_cause(tmp_path: Path, policy: dict[str, Any], unit: str, fate: str) -> None:
    report = compared(tmp_path, SMALLEST, changed(policy=policy))
    assert causes(report)[unit] == (fate, ["policy"])
    assert "a rule of B decides" in next(c for c in report.changes if c.id == unit).causes[0].detail


def test_a_new_need_is_the_cause(tmp_path: Path) -> None:
    """c now needs b, and the two do not fit beside a; b alone is worth more than c was."""
    report = compared(tmp_path, SMALLEST, changed("a", dependencies=["b"]))
    found = causes(report)
    assert found["a"][0] == "left"
    assert "dependency" in found["a"][1]


def test_what_something_needs_comes_with_it(tmp_path: Path) -> None:
    one = changed("b", value=0)
    two = json.loads(json.dumps(one))
    two["units"][2] |= {"dependencies": ["b"], "value": 9}
    report = compared(tmp_path, one, two)
    assert causes(report)["b"] == ("entered", ["dependency"])
    assert "something in B needs it: c" in report.changes[1].causes[0].detail


def test_a_member_of_its_group_is_the_cause(tmp_path: Path) -> None:
    group = [{"id": "g", "members": ["a", "b"], "policy": "keep_at_most", "k": 1}]
    one = changed(redundancyGroups=group, envelope={"availableInputTokens": 16})
    two = json.loads(json.dumps(one))
    two["units"][1]["value"] = 9
    report = compared(tmp_path, one, two)
    assert causes(report) == {"a": ("left", ["redundancy"]), "b": ("entered", ["score", "redundancy"])}


def test_what_is_new_or_gone_is_told(tmp_path: Path) -> None:
    two = changed()
    two["units"] = [unit for unit in two["units"] if unit["id"] != "a"]
    two["units"].append({"id": "d", "tokenEstimate": 4, "value": 8})
    found = causes(compared(tmp_path, SMALLEST, two))
    assert found["a"] == ("left", ["candidate"])
    assert found["d"] == ("entered", ["candidate"])


def test_a_form_changes_with_the_budget(tmp_path: Path) -> None:
    form = {"state": "summarized", "tokens": 2, "value": 3.5}
    one = changed("a", renderings=[form])
    two = {**one, "envelope": {"availableInputTokens": 6}}
    report = compared(tmp_path, one, two)
    assert causes(report)["a"] == ("rung", ["budget"])
    change = next(c for c in report.changes if c.id == "a")
    assert (change.a, change.b, change.tokens) == (0, 1, -4)


def test_artifacts_alone_tell_of_budget_rules_and_sizes(tmp_path: Path) -> None:
    two = changed("a", tokenEstimate=11)
    report = compared(tmp_path, SMALLEST, two, problem=False)
    assert causes(report) == {"a": ("left", ["size"]), "b": ("entered", ["others"])}


UNITS = st.lists(st.tuples(st.integers(1, 9), st.integers(0, 9), st.booleans()), min_size=1, max_size=6)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(UNITS, UNITS, st.integers(1, 20), st.integers(1, 20))
def test_changes_are_what_the_packs_differ_by(
    tmp_path: Path, one: list[Any], two: list[Any], x: int, y: int
) -> None:
    def problem(units: list[Any], budget: int) -> dict[str, Any]:
        return {
            "schemaVersion": "packing-problem.v1",
            "envelope": {"availableInputTokens": budget},
            "units": [
                {"id": f"u{n}", "tokenEstimate": tokens, "value": value}
                | ({"dependencies": [f"u{n - 1}"]} if needs and n else {})
                for n, (tokens, value, needs) in enumerate(units)
            ],
        }

    report = compared(tmp_path, problem(one, x), problem(two, y))
    entered = {c.id for c in report.changes if c.change == "entered"}
    left = {c.id for c in report.changes if c.change == "left"}
    assert entered == set(report.units.entered)
    assert left == set(report.units.left)
    assert all(change.causes for change in report.changes)
    assert sum(change.tokens for change in report.changes) == report.tokens[1] - report.tokens[0] - sum(
        two[int(n[1:])][0] - one[int(n[1:])][0] for n in _stayed(tmp_path) if n not in entered | left
    )


def _stayed(tmp_path: Path) -> set[str]:
    accepted = []
    for name in ("A", "B"):
        data = json.loads((tmp_path / name / ARTIFACT).read_text())
        accepted.append({unit["id"] for unit in data["acceptedUnits"]})
    return accepted[0] & accepted[1]
