"""``--progress``: what is told of a search while it goes on."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from processes import Satchel

from satchel import Problem, Progress, SolveOptions, solve


def test_progress_as_json_lines_is_for_programs(satchel: Satchel, smallest: Path) -> None:
    """Events go to standard error, the artifact alone to standard output; the bound never rises."""
    done = satchel("solve", smallest, "--json", "--progress", "jsonl")
    assert done.code == 0
    assert done.json()["solver"]["objective"] == 16
    events = [json.loads(line) for line in done.err.splitlines()]
    assert [event["stage"] for event in events[:2]] == ["reading", "solving"]
    steps = [event for event in events if "objective" in event]
    assert steps
    assert set(steps[0]) == {"seconds", "stage", "objective", "bound", "gap", "scale"}
    bounds = [step["bound"] for step in steps if step["bound"] is not None]
    assert bounds == sorted(bounds, reverse=True)
    seconds = [event["seconds"] for event in events]
    assert seconds == sorted(seconds)


def test_without_it_nothing_is_told_to_a_pipe(satchel: Satchel, smallest: Path) -> None:
    for mode in ("auto", "none"):
        assert satchel("solve", smallest, "--json", "--progress", mode).err == ""


def test_an_unknown_mode_is_wrong_use(here: Satchel, smallest: Path) -> None:
    done = here("solve", smallest, "--progress", "loud")
    assert done.code == 2
    assert done.err == (
        "error[usage]: --progress: is no way to tell of progress (got 'loud'); accepted: auto, jsonl, none\n"
    )


def test_the_face_tells_a_callback(smallest: Path) -> None:
    told: list[Progress] = []
    context = solve(Problem.from_json(smallest.read_bytes()), SolveOptions(on_progress=told.append))
    assert told[-1].objective == context.solver.objective == 16
    assert told[-1].gap == 0.0


@pytest.mark.parametrize("command", ["pack", "solve"])
def test_every_command_that_solves_takes_the_same_limits(command: str) -> None:
    import typer

    from satchel.cli.app import app

    group = typer.main.get_command(app)
    known = {name for param in group.commands[command].params for name in param.opts}
    limits = {"--gap", "--deterministic-limit", "--workers", "--time-limit", "--seed", "--solver"}
    assert known >= limits | {"--require-optimal", "--progress"}
