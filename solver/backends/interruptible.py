"""Runs that a person can end: solver libraries do not hear Ctrl-C while they work."""

from __future__ import annotations

import threading
from collections.abc import Callable


def run_interruptible(work: Callable[[], object], stop: Callable[[], object] | None) -> bool:
    """Run ``work`` in a thread so that Ctrl-C reaches the main one, which calls ``stop`` and waits.

    Without ``stop`` the thread is left behind. Returns whether it was interrupted; an error in ``work`` is
    raised here.
    """
    done = threading.Event()
    failure: list[BaseException] = []

    def body() -> None:
        try:
            work()
        except BaseException as error:  # noqa: BLE001 - handed to the waiting thread
            failure.append(error)
        finally:
            done.set()

    threading.Thread(target=body, daemon=True).start()
    interrupted = False
    while not done.is_set():
        try:
            done.wait(0.2)
        except KeyboardInterrupt:
            interrupted = True
            if stop is None:
                break
            stop()
    if failure:
        raise failure[0]
    return interrupted
