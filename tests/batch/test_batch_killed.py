"""Killed at any moment, a run that is resumed ends with the bytes of one that nobody killed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

Tree = Callable[[Path], dict[str, bytes]]
SCRIPT = Path(__file__).parent / "batch_killing.py"

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork and SIGKILL")


def test_killed_at_steps_from_first_to_last(box: Path) -> None:
    plan = {"tasks": "tasks.yaml", "gold": "gold", "out": "out", "first": 1, "stride": 17}
    done = subprocess.run(
        [sys.executable, str(SCRIPT), json.dumps(plan)], cwd=box, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    kills = [json.loads(line) for line in done.stdout.splitlines()]
    assert len([kill for kill in kills if kill["ended"] == -signal.SIGKILL]) >= 10
    assert len({kill["kept"] for kill in kills}) > 4
    assert [kill for kill in kills if not kill["same"]] == []


def test_workers_go_when_the_run_is_killed(box: Path, tree: Tree) -> None:
    """A pool whose parent is gone in mid-run leaves no worker, and what it left is gone on with."""
    command = [sys.executable, "-m", "satchel.cli", "batch", "tasks.yaml", "-q", "--solver", "greedy"]
    whole = subprocess.run([*command, "--jobs", "1", "--out", "gold"], cwd=box, check=False)
    assert whole.returncode == 0
    process = subprocess.Popen([*command, "--jobs", "2", "--out", "out"], cwd=box)
    journal, deadline = box / "out" / ".journal.jsonl", time.monotonic() + 60
    while not (journal.exists() and journal.stat().st_size) and time.monotonic() < deadline:
        time.sleep(0.01)
    workers = _children(process.pid)
    process.kill()
    process.wait()
    assert len(workers) == 2
    while any(_alive(pid) for pid in workers) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not any(_alive(pid) for pid in workers)
    again = subprocess.run([*command, "--jobs", "1", "--out", "out", "--resume"], cwd=box, check=False)
    assert again.returncode == 0
    assert tree(box / "out") == tree(box / "gold")


def test_ctrl_c_is_heard_at_once_and_says_how_to_go_on(box: Path) -> None:
    command = [sys.executable, "-m", "satchel.cli", "batch", "tasks.yaml", "--jobs", "2", "--out", "out"]
    process = subprocess.Popen(command, cwd=box, stderr=subprocess.PIPE, text=True)
    journal, deadline = box / "out" / ".journal.jsonl", time.monotonic() + 60
    while not journal.exists() and time.monotonic() < deadline:
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    _, told = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "error[interrupted]" in told
    assert "--resume" in told
    assert "Traceback" not in told


def _children(parent: int) -> list[int]:
    if not Path("/proc/self").exists():
        pytest.skip("needs /proc to find the workers")
    own = f"PPid:\t{parent}\n"
    return [
        int(place.parent.name) for place in Path("/proc").glob("[0-9]*/status") if own in place.read_text()
    ]


def _alive(pid: int) -> bool:
    try:
        return "State:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False
