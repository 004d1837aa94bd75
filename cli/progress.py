"""What goes on, told on standard error once it takes over a second, and only where a person watches."""

from __future__ import annotations

import os
import sys
import threading
from types import TracebackType
from typing import TYPE_CHECKING, Final, Self

if TYPE_CHECKING:
    from rich.status import Status

    from .. import Progress

PATIENCE: Final = 1.0
"""Seconds before the first word."""


class Ticker:
    """A line that shows the stage, and the solver's incumbent, bound and gap, until the work is done.

    Parameters
    ----------
    quiet
        Say nothing.
    """

    def __init__(self, *, quiet: bool = False) -> None:
        self._wanted = not quiet and sys.stderr.isatty() and os.environ.get("TERM") != "dumb"
        self._lock = threading.Lock()
        self._text = "starting"
        self._status: Status | None = None
        self._timer: threading.Timer | None = None

    def __enter__(self) -> Self:
        if self._wanted:
            self._timer = threading.Timer(PATIENCE, self._show)
            self._timer.daemon = True
            self._timer.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._lock:
            self._wanted = False
            if self._timer is not None:
                self._timer.cancel()
            if self._status is not None:
                self._status.stop()

    def stage(self, name: str) -> None:
        """Tell that a stage begins."""
        self._tell(name)

    def progress(self, step: Progress) -> None:
        """Tell of a new incumbent or bound; called from the solving thread."""
        text = f"solving: {step.stage}"
        if step.objective is not None:
            text += f", best {step.objective:,}"
        if step.bound is not None:
            text += f", bound {step.bound:,}"
        if step.gap is not None:
            text += f", gap {step.gap:.2%}"
        self._tell(text)

    def _tell(self, text: str) -> None:
        with self._lock:
            self._text = text
            if self._status is not None and self._wanted:
                self._status.update(text)

    def _show(self) -> None:
        from rich.console import Console
        from rich.status import Status

        with self._lock:
            if self._wanted:
                self._status = Status(self._text, console=Console(stderr=True, highlight=False, markup=False))
                self._status.start()
