"""Kills ``satchel`` at many instants, each time in a process of its own: run as a script by its test.

It imports everything once, then forks a child for each run, so that hundreds of runs cost no more than their
own work. The plan comes as JSON; a JSON line is printed for each kill: where it struck, and what was left.
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import shutil
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path

from satchel import PackOptions, PackResult, SolveOptions, Task, pack, write_pack
from satchel.cli.app import main

STEPS = ("open", "os.", "shutil.", "tempfile.", "ctypes.")
"""Audit events of what may change a folder; each is told before it happens."""


def state(folder: Path) -> dict[str, str]:
    """Return what ``folder`` holds: names and digests; nothing where it is missing."""
    if not folder.is_dir():
        return {}
    return {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else "folder"
        for path in sorted(folder.iterdir())
    }


def forked(work: Callable[[], object], delay: float | None) -> int:
    """Run ``work`` in a child, killed after ``delay`` seconds unless it is None; return how it ended."""
    child = os.fork()
    if child == 0:
        null = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(null, stream)
        work()
        os._exit(0)
    if delay is not None:
        time.sleep(delay)
        os.kill(child, signal.SIGKILL)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def kill_at_step(number: int, work: Callable[[], object]) -> None:
    """Do ``work``; at its ``number``-th step that may change a folder, the process kills itself."""
    steps = 0

    def hook(event: str, _: tuple[object, ...]) -> None:
        nonlocal steps
        if event.startswith(STEPS):
            steps += 1
            if steps == number + 1:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(hook)
    work()


def every_step(place: Path, old: PackResult, new: PackResult) -> None:
    """Kill the writing of ``new`` at each of its steps, into a new folder and over ``old``, and report."""
    for over in (False, True):
        ended, number = -1, 0
        while ended != 0:
            shutil.rmtree(place.parent, ignore_errors=True)
            if over:
                write_pack(old, place)
            ended = forked(lambda at=number: kill_at_step(at, lambda: write_pack(new, place)), None)  # type: ignore[misc]
            print(json.dumps({"step": number, "over": over, "ended": ended, "left": state(place)}))
            number += 1


def random_instants(place: Path, runs: list[list[str]], kills: int, chance: random.Random) -> None:
    """Kill alternating runs at instants from the whole of their time, and report."""
    started = time.monotonic()
    forked(lambda: main(runs[0]), None)
    whole = time.monotonic() - started
    for number in range(kills):
        delay = chance.uniform(0.0, 1.2 * whole)
        ended = forked(lambda at=number: main(runs[at % 2]), delay)  # type: ignore[misc]
        print(json.dumps({"kill": number, "delay": delay, "ended": ended, "left": state(place)}))


def run() -> None:
    """Do what the arguments say."""
    plan = json.loads(sys.argv[1])
    # Loaded, and not run: a child must not inherit threads that are gone.
    import highspy  # noqa: F401
    from ortools.sat.python import cp_model  # noqa: F401

    place = Path(plan["place"])
    if plan["kills"]:
        goldens = []
        for args in plan["runs"]:
            forked(lambda args=args: main(args), None)  # type: ignore[misc]
            goldens.append(state(place))
        print(json.dumps({"goldens": goldens}))
        random_instants(place, plan["runs"], plan["kills"], random.Random(plan["seed"]))
        return
    greedy = SolveOptions(solver="greedy")  # no threads of a solver
    results = [
        pack("repo", Task(kind="overview"), PackOptions(budget=budget, solve=greedy)) for budget in (900, 500)
    ]
    goldens = []
    for result in results:
        write_pack(result, place)
        goldens.append(state(place))
    print(json.dumps({"goldens": goldens}))
    every_step(place, *results)


if __name__ == "__main__":
    run()
