"""Every wrong use and bad input: one clear line, exit code 2, nothing written. And the other exit codes."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from processes import SMALLEST, Done, Satchel

Change = Callable[[dict[str, Any]], None]


def changed(change: Change) -> str:
    problem = copy.deepcopy(SMALLEST)
    change(problem)
    return json.dumps(problem)


def units(problem: dict[str, Any]) -> list[dict[str, Any]]:
    return list(problem["units"])


BAD: dict[str, tuple[str | bytes, tuple[str, ...]]] = {
    "duplicate id": (changed(lambda p: units(p)[1].update(id="a")), ("units[1].id", "'a'", "unique")),
    "unknown dependency": (
        changed(lambda p: units(p)[2].update(dependencies=["bb"])),
        ("units[2].dependencies[0]", "'bb'", "did you mean 'b'?"),
    ),
    "unknown zone": (
        changed(lambda p: units(p)[0].update(zone="sauce_evidence")),
        ("units[0].zone", "'sauce_evidence'", "did you mean 'source_evidence'?"),
    ),
    "score above 1": (
        changed(lambda p: units(p)[0].update(relevanceScore=1.5)),
        ("units[0].relevanceScore", "1.5", "between 0 and 1"),
    ),
    "score below 0": (
        changed(lambda p: units(p)[0].update(riskScore=-0.1)),
        ("units[0].riskScore", "-0.1", "between 0 and 1"),
    ),
    "negative tokens": (
        changed(lambda p: units(p)[0].update(tokenEstimate=-1)),
        ("units[0].tokenEstimate", "-1", "at least 0"),
    ),
    "fractional tokens": (
        changed(lambda p: units(p)[0].update(tokenEstimate=1.5)),
        ("units[0].tokenEstimate", "1.5", "whole number"),
    ),
    "tokens as text": (
        changed(lambda p: units(p)[0].update(tokenEstimate="many")),
        ("units[0].tokenEstimate", "'many'", "whole number"),
    ),
    "envelope that does not add up": (
        changed(
            lambda p: p.update(
                envelope={"maxContextTokens": 100, "reservedOutputTokens": 10, "availableInputTokens": 80}
            )
        ),
        ("envelope.availableInputTokens", "80", "accepted: 90"),
    ),
    "reserves above the window": (
        changed(lambda p: p.update(envelope={"maxContextTokens": 100, "reservedOutputTokens": 400})),
        ("envelope.maxContextTokens", "100", "smallest window that works is 400"),
    ),
    "group with an unknown member": (
        changed(lambda p: p["redundancyGroups"][0].update(members=["a", "nobody"])),
        ("redundancyGroups[0].members[1]", "'nobody'", "known: a, b, c"),
    ),
    "unknown schema version": (
        changed(lambda p: p.update(schemaVersion="packing-problem.v9")),
        ("schemaVersion", "'packing-problem.v9'", "reads packing-problem.v1"),
    ),
    "unknown field": (
        changed(lambda p: units(p)[0].update(tokenEstimat=3)),
        ("units[0].tokenEstimat", "did you mean 'tokenEstimate'?"),
    ),
    "missing units": (changed(lambda p: p.pop("units")), ("units", "is required")),
    "not a number": (
        json.dumps(SMALLEST).replace('"value": 11', '"value": NaN'),
        ("value", "finite number"),
    ),
    "no json": ("packing: problem\n", ("is not JSON", ":1")),
    "cut short": (json.dumps(SMALLEST, indent=1)[:-20], ("is not JSON",)),
    "empty": ("", ("is empty", "JSON object")),
    "not text": (b"\xff\xfe\x00{", ("UTF-8",)),
    "contradicting rules": (
        changed(lambda p: p.update(policy={"mustInclude": ["id:a"], "mustExclude": ["id:a"]})),
        ("mustInclude", "mustExclude"),
    ),
    "a rule that matches nothing": (
        changed(lambda p: p.update(policy={"mustInclude": ["id:zz"]})),
        ("id:zz",),
    ),
    "bad selector": (
        changed(lambda p: p.update(policy={"mustInclude": ["sort:x"]})),
        ("policy.mustInclude[0]", "'sort:x'", "accepted: kind:K"),
    ),
    "values beyond exact integers": (
        changed(
            lambda p: p.update(
                units=[{"id": f"u{i}", "tokenEstimate": 1, "value": 1e15} for i in range(12)],
                redundancyGroups=[],
            )
        ),
        ("values",),
    ),
}


def is_one_clear_line(done: Done, *, code: int = 2) -> bool:
    return (
        done.code == code
        and done.out == ""
        and re.fullmatch(r"error\[\w+\]: [^\n]+\n", done.err) is not None
        and "Traceback" not in done.err
    )


@pytest.mark.parametrize("name", BAD)
def test_a_bad_problem_is_one_clear_line_and_nothing_written(
    here: Satchel, tmp_path: Path, name: str
) -> None:
    """The list of issue A; M06: contradictory settings are refused in the user's own words."""
    content, parts = BAD[name]
    path = tmp_path / "bad.json"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    done = here("solve", path, "--out", "out/a.json", "--problem-out", "out/p.json")
    assert is_one_clear_line(done), done
    assert "bad.json" in done.err
    for part in parts:
        assert part in done.err
    assert [entry.name for entry in tmp_path.iterdir()] == ["bad.json"]


@pytest.mark.parametrize("name", ["duplicate id", "no json", "empty"])
def test_errors_as_json_have_the_same_parts(here: Satchel, tmp_path: Path, name: str) -> None:
    content, _ = BAD[name]
    assert isinstance(content, str)
    (tmp_path / "bad.json").write_text(content, encoding="utf-8")
    done = here("solve", "bad.json", "--json")
    assert (done.code, done.out) == (2, "")
    assert done.error()["file"] == "bad.json"
    assert json.loads(done.err)["exitCode"] == 2


def test_a_real_process_fails_alike(satchel: Satchel, tmp_path: Path) -> None:
    (tmp_path / "bad.json").write_text("{", encoding="utf-8")
    done = satchel("solve", "bad.json", "-o", "a.json")
    assert is_one_clear_line(done)
    assert done.err.startswith("error[not_json]: bad.json:1: is not JSON: ")
    assert not (tmp_path / "a.json").exists()


@pytest.mark.parametrize(
    ("args", "parts"),
    [
        (["solve"], ["missing argument", "satchel solve --help"]),
        (["solve", "p.json", "--tim-limit", "3"], ["no such option", "--time-limit"]),
        (["solve", "p.json", "--time-limit", "soon"], ["--time-limit"]),
        (["solve", "p.json", "--time-limit", "-1"], ["--time-limit", "-1", "0 or more"]),
        (["solve", "p.json", "--time-limit", "nan"], ["--time-limit", "nan"]),
        (["solve", "p.json", "--gap", "-1"], ["--gap"]),
        (["solve", "p.json", "--workers", "0"], ["--workers", "from 1 to 256"]),
        (["solve", "p.json", "--seed", "-3"], ["--seed"]),
        (["solve", "p.json", "--solver", "magic"], ["--solver", "'magic'", "auto, cp-sat or greedy"]),
        (["solve", "p.json", "--budget", "__import__('os')"], ["--budget", "8000, 8k, 128_000, 1m"]),
        (["solve", "p.json", "--budget", "🙂k"], ["--budget", "🙂k"]),
        (["solve", "p.json", "--budget", "0"], ["--budget"]),
        (["solve", "nowhere.json"], ["nowhere.json", "No such file"]),
        (["solve", "."], ["Is a directory"]),
        (["sovle"], ["no such command 'sovle'", "'solve'"]),
        (["schema", "nothing"], ["'nothing'", "packing-problem"]),
        (["verify", "p.json"], ["p.json", "schemaVersion", "reads packed-context.v1"]),
        (["verify"], [".satchel/packed-context.json", "run 'satchel pack' first"]),
        (["explain", "nowhere.json", "--why-rejected", "a"], ["nowhere.json"]),
        (["solve", "p.json", "--out", "p.json/a.json"], ["p.json/a.json", "cannot be written"]),
        (["solve", "p.json", "--out", "."], ["cannot be written", "--out"]),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_wrong_use_is_one_clear_line(
    here: Satchel, tmp_path: Path, args: list[str], parts: list[str]
) -> None:
    """H17, F10: a budget is a number, parsed, and nothing else."""
    (tmp_path / "p.json").write_text(json.dumps(SMALLEST), encoding="utf-8")
    done = here(*args)
    assert is_one_clear_line(done), done
    for part in parts:
        assert part in done.err
    assert [entry.name for entry in tmp_path.iterdir()] == ["p.json"]


def test_no_command_shows_the_help_and_is_wrong_use(here: Satchel) -> None:
    done = here()
    assert (done.code, done.out) == (2, "")
    assert "Usage: satchel" in done.err


def test_an_infeasible_problem_names_the_clash_and_the_smallest_budget(
    satchel: Satchel, here: Satchel, tmp_path: Path
) -> None:
    """A23, A27: what is required and does not fit is named with its size, and the exit code is 1."""
    problem = copy.deepcopy(SMALLEST)
    problem["units"][2]["required"] = True
    problem["envelope"]["availableInputTokens"] = 6
    (tmp_path / "p.json").write_text(json.dumps(problem), encoding="utf-8")
    done = satchel("solve", "p.json", "-o", "a.json")
    head, *story = done.err.splitlines(keepends=True)
    assert is_one_clear_line(Done(done.code, done.out, head), code=1), done
    assert "'c'" in head
    assert "smallest budget that works is 7 tokens" in head
    assert all(line.startswith("  ") for line in story)
    assert "    1. a budget of 7 tokens (1 token more)\n" in story
    done = here("solve", "p.json", "--json")
    assert done.code == 1
    assert done.error()["data"]["smallestBudget"] == 7
    assert not (tmp_path / "a.json").exists()


def test_a_pack_without_proof_is_code_3_where_one_was_required(
    satchel: Satchel, here: Satchel, tmp_path: Path
) -> None:
    (tmp_path / "p.json").write_text(json.dumps(hard(60)), encoding="utf-8")
    done = satchel("solve", "p.json", "--solver", "greedy", "--require-optimal", "-o", "a.json")
    assert done.code == 3
    assert "Status: heuristic" in done.out
    assert done.err.startswith("warning: not proven optimal: heuristic, gap ")
    assert (tmp_path / "a.json").exists()
    assert here("solve", "p.json", "--solver", "greedy", "-q").code == 0


def hard(count: int) -> dict[str, Any]:
    """Return a knapsack whose value per token hardly differs, so that greedy cannot prove its answer."""
    return {
        "schemaVersion": "packing-problem.v1",
        "envelope": {"availableInputTokens": 37 * count},
        "units": [
            {"id": f"u{i:04}", "tokenEstimate": 50 + (i * 7919) % 101, "value": 50 + (i * 7919) % 101 + 10}
            for i in range(count)
        ],
    }


def test_a_fault_of_ours_is_one_line_and_code_70(
    here: Satchel, smallest: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import satchel.summary

    def broken(_: object) -> None:
        raise RuntimeError("the sky\nis falling")

    monkeypatch.setattr(satchel.summary, "summarise", broken)
    done = here("solve", smallest)
    assert is_one_clear_line(done, code=70), done
    assert "RuntimeError: the sky\\nis falling" in done.err
    assert "please report it" in done.err
    monkeypatch.setenv("SATCHEL_DEBUG", "1")
    done = here("solve", smallest)
    assert done.code == 70
    assert "Traceback" in done.err


def test_a_broken_line_of_many_is_named_by_its_number(here: Satchel, tmp_path: Path) -> None:
    path = tmp_path / "units.jsonl"
    lines = [json.dumps({"id": f"u{i}", "tokenEstimate": i}) for i in range(1000)]
    lines[700] = '{"id": "u700", "tokenEstimate": 1'
    path.write_text("\n".join(lines), encoding="utf-8")
    done = here("solve", path, "--budget", "10", "--out", "a.json")
    assert is_one_clear_line(done)
    assert f"{path}:701: is not JSON" in done.err
    lines[700] = '{"id": "u3", "tokenEstimate": 1}'
    path.write_text("\n".join(lines), encoding="utf-8")
    done = here("solve", path, "--budget", "10", "--out", "a.json")
    assert is_one_clear_line(done)
    assert f"{path}:701: id: duplicate id, first used on line 4" in done.err
    assert not (tmp_path / "a.json").exists()


@pytest.mark.slow
def test_a_broken_line_in_200_megabytes_is_named(satchel: Satchel, tmp_path: Path) -> None:
    """200 MB, its last line but one cut short: read line by line, and in bounded time."""
    path = tmp_path / "units.jsonl"
    text = "x" * 1_000_000
    with path.open("w", encoding="utf-8") as file:
        for i in range(200):
            file.write(json.dumps({"id": f"u{i}", "tokenEstimate": 1, "text": text}) + "\n")
        file.write('{"id": "broken", "tokenEstimate": \n')
        file.write('{"id": "last", "tokenEstimate": 1}\n')
    assert path.stat().st_size > 200_000_000
    done = satchel("solve", path, "--budget", "8k", "--out", "a.json")
    assert is_one_clear_line(done)
    assert f"{path}:201: is not JSON" in done.err
    assert not (tmp_path / "a.json").exists()
