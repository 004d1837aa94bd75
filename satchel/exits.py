"""What every text passes on its way out of Satchel: secrets replaced by typed placeholders."""

from __future__ import annotations


def redacted(text: str) -> str:
    """Return ``text`` with each secret as ``[REDACTED:rule]``; line ends stay, and twice is once.

    What is given to :func:`satchel.prompt.render` and its like as ``redact``: files are cleaned when they
    are read, but the words of a task, names of files and the units of a problem file come another way.
    """
    from .sources.score.risk import redact

    return redact(text)[0]
