"""What goes on, told on standard error: to a person once it takes over a second, or to a program."""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from types import TracebackType
from typing import TYPE_CHECKING, Final, Self

if TYPE_CHECKING:
    from rich.status import Status

    from .. import Progress

PATIENCE: Final = 1.0
"""Seconds before the first word."""


MODES: Final = ("auto", "jsonl", "none")


class Ticker:
    """A line that shows the stage, and the solver's incumbent, bound and gap, until the work is done.

    With ``jsonl``, each is an object on a line of its own instead, wherever standard error goes: ``seconds``
    since the start, ``stage``, and while solving ``objective`` and ``bound`` (integers, as in the artifact:
    value times ``scale``) and ``gap``.

    Parameters
    ----------
    quiet
        Show no line.
    mode
        One of :data:`MODES`.

    Raises
    ------
    UsageError
        No such mode.
    """

    def __init__(self, *, quiet: bool = False, mode: str = "auto") -> None:
        if mode not in MODES:
            from .. import UsageError

            hint = f"accepted: {', '.join(MODES)}"
            raise UsageError("is no way to tell of progress", field="--progress", value=mode, hint=hint)
        watched = sys.stderr.isatty() and os.environ.get("TERM") != "dumb"
        self._wanted = mode == "auto" and not quiet and watched
        self._lines = mode == "jsonl"
        self._started = time.monotonic()
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
        self._write({"stage": name})
        self._tell(name)

    def step(self, text: str, **facts: object) -> None:
        """Tell how far the work has come: in words to a person, as ``facts`` to a program."""
        self._write(facts)
        self._tell(text)

    def progress(self, step: Progress) -> None:
        """Tell of a new incumbent or bound; called from the solving thread."""
        self._write(
            {"stage": f"solving: {step.stage}"}
            | {"objective": step.objective, "bound": step.bound, "gap": step.gap, "scale": step.scale}
        )
        text, scale = f"solving: {step.stage}", step.scale or 1
        if step.objective is not None:
            text += f", best {step.objective / scale:,.6g}"
        if step.bound is not None:
            text += f", bound {step.bound / scale:,.6g}"
        if step.gap is not None:
            text += f", gap {step.gap:.2%}"
        self._tell(text)

    def _write(self, event: dict[str, object]) -> None:
        if self._lines:
            since = round(time.monotonic() - self._started, 3)
            with self._lock:
                sys.stderr.write(json.dumps({"seconds": since, **event}) + "\n")
                sys.stderr.flush()

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
