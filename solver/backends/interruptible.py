"""Runs that a person can end: solver libraries do not hear Ctrl-C while they work, and an exception that
strikes anywhere would lose what is in hand."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

LOOK = 0.1
"""Seconds between two looks at whether an end was asked for."""

_asked = threading.Event()
_heard = False


@contextmanager
def listening() -> Iterator[None]:
    """Take a first Ctrl-C or SIGTERM as a wish to end, which :func:`interrupted` tells; a second one raises.

    Only in the main thread, and where Ctrl-C is not ignored: elsewhere signals are not ours to take. What is
    nested in another one changes nothing.
    """
    global _heard
    mine = threading.current_thread() is threading.main_thread() and not _heard
    if not mine or signal.getsignal(signal.SIGINT) in (signal.SIG_IGN, None):
        yield
        return
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}

    def hear(_number: int, _frame: FrameType | None) -> None:
        if _asked.is_set():
            raise KeyboardInterrupt
        _asked.set()

    _asked.clear()
    _heard = True
    try:
        for number, handler in before.items():
            if handler is not None:
                signal.signal(number, hear)
        yield
    finally:
        for number, handler in before.items():
            if handler is not None:
                signal.signal(number, handler)
        _heard = False
        _asked.clear()


def interrupted() -> bool:
    """Whether an end was asked for since :func:`listening` began."""
    return _asked.is_set()


def run_interruptible(work: Callable[[], object], stop: Callable[[], object] | None) -> bool:
    """Run ``work`` in a thread so that signals reach the main one, which calls ``stop`` and waits.

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
    ended = False
    while not done.is_set():
        try:
            done.wait(LOOK)
            wanted = interrupted() and not ended and not done.is_set()
        except KeyboardInterrupt:
            wanted = True
        if wanted:
            ended = True
            if stop is None:
                break
            stop()
    if failure:
        raise failure[0]
    return ended
