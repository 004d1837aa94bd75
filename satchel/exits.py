"""What every text passes on its way out of Satchel: secrets replaced by typed placeholders."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from .models import Diagnostic, Problem, SatchelError, Severity, Task


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


def clean_data(data: Any) -> Any:
    """Return JSON data with the secrets in its texts replaced; keys are left."""
    if isinstance(data, str):
        return redacted(data)
    if isinstance(data, list | tuple):
        return [clean_data(entry) for entry in data]
    return {key: clean_data(value) for key, value in data.items()} if isinstance(data, dict) else data


@contextmanager
def clean_errors() -> Iterator[None]:
    """Replace the secrets in the words of an error that passes: it repeats ids and values of the input."""
    try:
        yield
    except SatchelError as error:
        error.message = redacted(error.message)
        error.args = (error.message,)
        error.value, error.data = clean_data(error.value), clean_data(error.data)
        error.field, error.hint = clean_data(error.field), clean_data(error.hint)
        raise


def telling_names(problem: Problem) -> tuple[Diagnostic, ...]:
    """Warn of names of files that hold secrets: artifact and problem say where things are, name by name."""
    paths = sorted({ref.path for unit in problem.units for ref in unit.source_refs})
    if redacted("\n".join(paths)) == "\n".join(paths):
        return ()
    told = [clean for path in paths if (clean := redacted(path)) != path]
    text = f"names of files hold what looks like a secret ({', '.join(told[:3])}): it is replaced in the "
    text += "prompt, and stands in the artifact and the problem file"
    data = {"files": told}
    return (Diagnostic(severity=Severity.WARNING, code="secret_in_name", message=text, data=data),)
