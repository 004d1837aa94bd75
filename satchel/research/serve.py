"""Runs cases one by one, each in a process of its own that is forked: ``python -m satchel.research.serve``.

Libraries are loaded once, before any engine runs and any thread starts; each run begins from there, so that a
thousand runs do not load them a thousand times. A line of standard input is a job; a line of standard output
says how it ended: the exit code, or null where it was killed.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
import traceback
from typing import Any

from .one import Case, write_row


def main() -> None:
    """Serve until standard input ends."""
    from ..solver.backends.cpsat import unavailable

    unavailable()  # loads the library, which takes longest
    for line in sys.stdin:
        job = json.loads(line)
        sys.stdout.write(json.dumps(_ended(_forked(job), job["patience"])) + "\n")
        sys.stdout.flush()


def _forked(job: dict[str, Any]) -> int:
    sys.stdout.flush()
    child = os.fork()
    if child:
        return child
    code = 1
    try:
        errors = os.open(job["errors"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        nothing = os.open(os.devnull, os.O_RDWR)
        for target, source in ((0, nothing), (1, nothing), (2, errors)):
            os.dup2(source, target)
        write_row(Case(**job["case"]), job["digest"], job["out"])
        code = 0
    except BaseException:  # noqa: BLE001 - whatever it is, this process ends here and nowhere else
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(code)


def _ended(child: int, patience: float) -> int | None:
    """Wait for ``child`` and return its exit code; kill it, and return None, after ``patience`` seconds."""
    last = time.monotonic() + patience
    pause = 0.002
    while True:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        if time.monotonic() > last:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            return None
        time.sleep(pause)
        pause = min(0.05, 1.5 * pause)


if __name__ == "__main__":
    main()
