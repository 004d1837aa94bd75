"""What every text passes on its way out of Satchel: secrets replaced by typed placeholders."""

from __future__ import annotations

from .models import Task


def redacted(text: str) -> str:
    """Return ``text`` with each secret as ``[REDACTED:rule]``; line ends stay, and twice is once.

    What is given to :func:`satchel.prompt.render` and its like as ``redact``: files are cleaned when they
    are read, but the words of a task, names of files and the units of a problem file come another way.
    """
    from .sources.score.risk import redact

    return redact(text)[0]


def clean_task(task: Task) -> Task:
    """Return ``task`` with the secrets in its words replaced: problem and artifact repeat them.

    Its id and the paths that it names are left: they say what is looked up.
    """
    return task.model_copy(
        update={
            "title": redacted(task.title),
            "about": redacted(task.about),
            "outline": tuple(redacted(entry) for entry in task.outline),
        }
    )
