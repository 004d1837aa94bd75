"""What a prompt holds besides units: a guide, the task, and the closing request.

The frame depends on the task alone, never on what was accepted, so it can be counted before the
solve as fixed overhead.
"""

from __future__ import annotations

from typing import NamedTuple

from ..models import Task
from .blocks import style_of
from .emit import Redact, emit, leave_task


class Frame(NamedTuple):
    """The three pieces, in prompt order: :func:`satchel.prompt.render` puts units between them.

    ``guide`` is the same for every task, byte by byte; ``task`` is empty where there is none.
    """

    guide: str
    task: str
    request: str


def frame_texts(task: Task | None, fmt: str = "markdown", redact: Redact | None = None) -> Frame:
    """Return the frame for ``task``; the sum of the token counts of its pieces is the fixed overhead.

    ``redact`` replaces secrets in the words of the task.
    """
    style = style_of(fmt)
    return Frame(
        guide=emit(style.guide()),
        task=emit(style.task(leave_task(task, redact))) if task is not None else "",
        request=emit(style.request(has_task=task is not None)),
    )
