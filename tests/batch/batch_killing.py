"""Kills a batch at many of its steps, resumes it, and compares: run as a script by its test.

It does everything once, then forks a child for each run. The plan comes as JSON; a JSON line is printed for
each kill: the step, how the child ended, how many pages the resumed run kept, and whether it left the same
bytes as the run that nobody killed.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
from collections.abc import Callable
from pathlib import Path

from satchel import BatchOptions, PackOptions, SolveOptions, run_batch

STEPS = ("open", "os.", "shutil.", "tempfile.", "ctypes.")
"""Audit events of what may change a folder; each is told before it happens."""


def tree(folder: Path) -> dict[str, bytes]:
    """Return everything below ``folder`` but what says how long it took."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != "seconds.jsonl"
    }


def forked(work: Callable[[], int]) -> int:
    """Do ``work`` in a child, whose result is its exit code; return how it ended."""
    child = os.fork()
    if child == 0:
        os._exit(work())
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def run() -> None:
    """Do what the arguments say."""
    plan = json.loads(sys.argv[1])
    tasks, gold, out = Path(plan["tasks"]), Path(plan["gold"]), Path(plan["out"])
    pack = PackOptions(solve=SolveOptions(solver="greedy"))  # no threads of a solver

    def batch(folder: Path, *, resume: bool = False, kill_at: int | None = None) -> int:
        steps = 0

        def hook(event: str, arguments: tuple[object, ...]) -> None:
            nonlocal steps
            # What is only read changes nothing.
            if event.startswith(STEPS) and not (event == "open" and arguments[1] in ("r", "rb")):
                steps += 1
                if steps == kill_at:
                    os.kill(os.getpid(), signal.SIGKILL)

        if kill_at is not None:
            sys.addaudithook(hook)
        return run_batch(tasks, BatchOptions(folder=folder, pack=pack, resume=resume)).kept

    batch(gold)  # in this process: its children have everything loaded
    whole = tree(gold)
    step, ended = plan["first"], -signal.SIGKILL
    while ended == -signal.SIGKILL:
        shutil.rmtree(out, ignore_errors=True)
        ended = forked(lambda at=step: batch(out, kill_at=at))  # type: ignore[misc]
        kept = forked(lambda: batch(out, resume=True))
        print(
            json.dumps({"step": step, "ended": ended, "kept": kept, "same": tree(out) == whole}), flush=True
        )
        step += plan["stride"]


if __name__ == "__main__":
    run()
