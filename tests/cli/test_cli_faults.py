"""What the command line says of wrong input: the option at fault, and what the file is instead."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from processes import SMALLEST, Satchel, environment

FULL = Path("/dev/full")


@pytest.mark.skipif(not FULL.exists(), reason="this system has no device that is always full")
@pytest.mark.parametrize("args", [["models"], ["--help"], ["solve", "problem.json"]])
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_full_disk_behind_standard_output_is_one_clear_line(
    smallest: Path, tmp_path: Path, args: list[str], unbuffered: str
) -> None:
    with FULL.open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "satchel.cli", *args],
            stdout=full,
            stderr=subprocess.PIPE,
            cwd=tmp_path,
            env=environment({"PYTHONUNBUFFERED": unbuffered}),
            check=False,
            timeout=60,
        )
    assert done.returncode == 2
    assert done.stderr == b"error[file]: standard output cannot be written: No space left on device\n"


@pytest.mark.parametrize("mode", ["wb", "ab"])
def test_a_prompt_for_standard_output_keeps_what_is_there(tmp_path: Path, mode: str) -> None:
    """A file behind standard output is written on, not replaced: nothing of either is lost."""
    (tmp_path / "repo").mkdir()
    (tmp_path / "repo/a.py").write_text("def a() -> int:\n    return 1\n", encoding="utf-8")
    (tmp_path / "log").write_text("before\n", encoding="utf-8")
    with (tmp_path / "log").open(mode) as log:
        subprocess.run(
            [
                sys.executable,
                "-m",
                "satchel.cli",
                "pack",
                "repo",
                "--budget",
                "1k",
                "--prompt",
                "/dev/stdout",
            ],
            stdout=log,
            stderr=subprocess.PIPE,
            cwd=tmp_path,
            env=environment(),
            check=True,
            timeout=60,
        )
    text = (tmp_path / "log").read_text("utf-8")
    assert "# Satchel context pack" in text
    assert "Status: optimal" in text
    assert text.startswith("before\n") == (mode == "ab")


@pytest.mark.parametrize(
    ("args", "option"),
    [
        (["pack", ".", "--task", ""], "--task"),
        (["pack", ".", "--about", "x", "--focus", ""], "--focus"),
        (["pack", ".", "--outline", ""], "--outline"),
        (["pack", ".", "--tokenizer", ""], "--tokenizer"),
        (["pack", ".", "--outline", "none.md"], "--outline"),
        (["pack", ".", "--encoding", ""], "--encoding"),
        (["explain", "a.json"], "--why-rejected"),
        (["explain", "a.json", "--why-rejected", "zz"], "--why-rejected"),
        (["explain", "a.json", "--why-accepted", ""], "--why-accepted"),
        (["render", "a.json", "--problem", "none.json"], "--problem"),
        (["render", "a.json", "--problem", "other.json"], "--problem"),
        (["verify", "a.json", "--problem", "none.json"], "--problem"),
        (["verify", "a.json", "--problem", "problem.json", "--prompt", "none.md"], "--prompt"),
        (["solve", "problem.json", "--gap", "2"], "--gap"),
        (["solve", "problem.json", "--budget", "-5"], "--budget"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_an_error_names_the_option_at_fault(
    here: Satchel, smallest: Path, tmp_path: Path, args: list[str], option: str
) -> None:
    assert here("solve", smallest, "-q", "-o", "a.json").code == 0
    other = {**SMALLEST, "envelope": {"availableInputTokens": 4}}
    (tmp_path / "other.json").write_text(json.dumps(other), encoding="utf-8")
    done = here(*args)
    assert done.code == 2, done
    assert done.err.count("\n") == 1
    assert option in done.err


@pytest.mark.parametrize("flags", [["-q"], ["--json"], []])
def test_an_empty_pack_is_warned_of_on_standard_error(
    here: Satchel, tmp_path: Path, flags: list[str]
) -> None:
    (tmp_path / "bare").mkdir()
    assert "warning: " in here("pack", "bare", *flags).err
    (tmp_path / "p.json").write_text(
        '{"schemaVersion": "packing-problem.v1", "envelope": {"availableInputTokens": 5}, "units": []}',
        encoding="utf-8",
    )
    assert "warning: " in here("solve", "p.json", *flags).err


LINES = "\n".join(json.dumps(unit) for unit in SMALLEST["units"][:2]) + "\n"


@pytest.mark.parametrize("text", [LINES, "\n" + LINES, "\ufeff" + LINES, LINES.splitlines()[0]])
def test_units_a_line_are_known_by_their_content(here: Satchel, tmp_path: Path, text: str) -> None:
    assert here("solve", "-", "--budget", "10", "--json", stdin=text).json()["solver"]["objective"] == 11
    (tmp_path / "units.txt").write_text(text, encoding="utf-8")
    assert here("solve", "units.txt", "--budget", "10", "--json").json()["solver"]["objective"] == 11
    done = here("solve", "units.txt")
    assert done.code == 2
    assert "--budget" in done.err
    (tmp_path / "cut.txt").write_text(LINES + '{"id": "c"', encoding="utf-8")
    assert "cut.txt:3: is not JSON" in here("solve", "cut.txt", "--budget", "10").err


def test_a_problem_without_a_version_is_no_unit(here: Satchel, tmp_path: Path) -> None:
    problem = {name: part for name, part in SMALLEST.items() if name != "schemaVersion"}
    (tmp_path / "p.json").write_text(json.dumps(problem) + "\n", encoding="utf-8")
    done = here("solve", "p.json")
    assert "schemaVersion: is required" in done.err


def test_one_of_our_files_in_the_place_of_another_is_called_by_its_name(
    here: Satchel, smallest: Path
) -> None:
    assert here("solve", smallest, "-q", "-o", "a.json").code == 0
    for args in (["verify", "problem.json"], ["explain", "problem.json", "--why-rejected", "a"]):
        done = here(*args)
        assert done.code == 2
        assert "problem.json: schemaVersion: this is a packing problem, not an artifact" in done.err
    for args in (["solve", "a.json"], ["verify", "a.json", "--problem", "a.json"]):
        done = here(*args)
        assert done.code == 2
        assert done.err.startswith("error[schema]: a.json: ")
        assert "schemaVersion: this is an artifact, not a packing problem" in done.err


def test_explain_prints_the_verdict_that_was_asked_for(here: Satchel, smallest: Path) -> None:
    here("solve", smallest, "-q", "-o", "a.json")
    done = here("explain", "a.json", "--why-accepted", "*")
    assert " was accepted" in done.out
    assert " was rejected because" not in done.out
    assert "'*' names 1 more candidate that was left out: ask with --why-rejected" in done.out
    done = here("explain", "a.json", "--why-rejected", "*")
    assert " was accepted" not in done.out
    assert "'*' names 2 more candidates that were accepted: ask with --why-accepted" in done.out
    assert {
        part["verdict"] for part in here("explain", "a.json", "--why-rejected", "*", "--json").json()
    } == {"rejected"}


def test_advice_names_only_options_that_exist() -> None:
    import re

    import typer

    from satchel.cli.app import app
    from satchel.explaining import ADVICE

    group = typer.main.get_command(app)
    known = {name for command in group.commands.values() for param in command.params for name in param.opts}
    for advice in ADVICE.values():
        assert set(re.findall(r"--[a-z-]+", advice)) <= known
        assert "--" in advice or "satchel solve" in advice


@pytest.mark.parametrize(
    "wrong",
    [
        {"workers": 1.5},
        {"workers": True},
        {"workers": "2"},
        {"seed": 0.5},
        {"seed": None},
        {"time_limit": "x"},
        {"deterministic_limit": [1]},
        {"gap": "0"},
        {"gap": 2},
        {"gap": None},
        {"solver": ["auto"]},
    ],
)
def test_options_of_a_wrong_type_are_usage_errors(wrong: dict[str, object]) -> None:
    from satchel import SolveOptions, UsageError

    with pytest.raises(UsageError, match=next(iter(wrong))):
        SolveOptions(**wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("budget", ["8k", -5, 0, 1.5, True])
def test_a_budget_that_is_no_number_of_tokens_is_a_usage_error(budget: object) -> None:
    from satchel import PackOptions, UsageError

    with pytest.raises(UsageError, match="budget"):
        PackOptions(budget=budget)  # type: ignore[arg-type]
