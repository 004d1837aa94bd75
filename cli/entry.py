"""Where the program starts: even while its modules are loaded, Ctrl-C ends it in one line."""

from __future__ import annotations

import sys
import time

STARTED = time.monotonic()
"""When the program started: a time limit is for all that it does."""


def main() -> int:
    """Run the command line on the arguments of the process and return its exit code."""
    try:
        from .app import main as run
    except KeyboardInterrupt:
        sys.stderr.write("error[interrupted]: stopped before the end; nothing was written\n")
        return 130
    return run()
