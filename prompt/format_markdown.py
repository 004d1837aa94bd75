"""The Markdown format: a heading per unit that says all about it, and its text in a fence.

All that comes from a repository stands in fences and code spans, but for names of one word without
white space that mean nothing in Markdown. Headings of units begin with a code span or with a word that
holds a ``/``, ``:`` or ``#``; headings of the frame never do.
"""

from __future__ import annotations

from typing import Final

from ..models import Task
from .escape import code_span, fence, word_or_span
from .facts import Place, UnitFacts
from .words import REQUEST, UNITS_RULE, one_line

GUIDE: Final = f"""\
# Satchel context pack

Unit: a heading, id:lines shown/lines of file, and fenced text. {UNITS_RULE}

"""


class Markdown:
    """Pieces start with ``#`` and end with a backtick, tilde or full stop and a blank line."""

    def block(self, facts: UnitFacts) -> str:
        """Return the block of one unit."""
        heading = _place(facts.id)
        if facts.sources:
            heading += " " + ", ".join(map(_place, facts.sources))
        if facts.more_sources:
            heading += f" and {facts.more_sources} more"
        if facts.title:
            heading += f" · {code_span(facts.title)}"
        line = " ".join((heading, *facts.marks))
        marks = fence(facts.body)
        end = "" if facts.body.endswith("\n") or not facts.body else "\n"
        return f"## {line}\n{marks}{facts.language}\n{facts.body}{end}{marks}\n\n"

    def guide(self) -> str:
        """Return the unchanging beginning."""
        return GUIDE

    def task(self, task: Task) -> str:
        """Return the task block: the user's words as paragraph, quotation and list."""
        title = f": {one_line(task.title)}" if task.title.strip() else ""
        parts = [f"## Task\n\n{code_span(task.kind)}{title}"]
        if task.about.strip():
            parts.append("\n".join(f"> {line}".rstrip() for line in task.about.strip().splitlines()))
        if task.outline:
            parts.append("Outline:")
            parts.append("\n".join(f"{i}. {one_line(entry)}" for i, entry in enumerate(task.outline, 1)))
        if task.focus:
            parts.append("Focus: " + ", ".join(map(code_span, task.focus)))
        return "\n\n".join((*parts, ""))

    def request(self, *, has_task: bool) -> str:
        """Return the closing instruction."""
        return f"## Request\n\n{REQUEST[has_task]}\n"


def _place(place: Place) -> str:
    return word_or_span(place.name) + (f":{place.lines}" if place.lines else "")
