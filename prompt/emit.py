"""The one exit: every text that a prompt is made of leaves through here.

:func:`leave` takes the parts as they come (the text of a unit, its names, each word of the task), before
boundaries are drawn around them, so that what replaces a secret cannot break a boundary and sees the
secret as it was written. :func:`emit` takes the finished pieces, before they are counted and joined, so
that what is counted is what goes out (J03, J07).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from ..models import Task

Redact = Callable[[str], str]
"""Returns a text with its secrets replaced; it must keep line ends, and twice must be as good as once."""

_LONE_SURROGATE: Final = re.compile("[\ud800-\udfff]")


def leave(text: str, redact: Redact | None) -> str:
    """Return a part as it leaves: no half characters, secrets replaced by ``redact``."""
    clean = _whole(text)
    return clean if redact is None else redact(clean)


def leave_task(task: Task, redact: Redact | None) -> Task:
    """Return ``task`` with each of its texts as it leaves."""
    if redact is None:
        return task
    return Task(
        id=task.id,
        kind=leave(task.kind, redact),
        title=leave(task.title, redact),
        about=leave(task.about, redact),
        outline=tuple(leave(entry, redact) for entry in task.outline),
        focus=tuple(leave(path, redact) for path in task.focus),
    )


def emit(piece: str) -> str:
    """Return ``piece`` as it leaves: line ends are LF, and each lone surrogate is U+FFFD.

    A lone surrogate (half a character, as broken JSON escapes give it) cannot be written as UTF-8.
    The same piece gives the same bytes, and emitting twice changes nothing.
    """
    return _whole(unix_lines(piece))


def _whole(text: str) -> str:
    # Most text is ASCII, and knows that it is.
    return text if text.isascii() else _LONE_SURROGATE.sub("\ufffd", text)


def unix_lines(text: str) -> str:
    """Return ``text`` with LF for every CR LF and every CR."""
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text
