"""The Markdown format: a fenced block per unit, whose info line says all about it.

All that comes from a repository stands in fences and their info lines, which hold no backtick, so that no
name can end one; of several units of a file, the name stands once above them, as a code span. The frame is
headings and paragraphs, and the words of the task are a quotation and a list.
"""

from __future__ import annotations

from typing import Final

from ..models import Task
from .escape import code_span, fence
from .facts import UnitFacts
from .header import header, heading
from .words import HEADING_RULE, REQUEST, UNITS_RULE, one_line

GUIDE: Final = f"""\
# Satchel context pack

Unit: a fenced block; its first line says path:lines shown/lines of file. {HEADING_RULE} {UNITS_RULE}

"""


class Markdown:
    """Pieces start with ``#``, a fence or a code span, and end with punctuation and a blank line."""

    def block(self, facts: UnitFacts) -> str:
        """Return the block of one unit."""
        if facts.is_heading:
            return f"`{heading(facts.places[0])}`:\n\n"
        marks = fence(facts.body)
        end = "" if facts.body.endswith("\n") or not facts.body else "\n"
        return f"{marks}{header(facts)}\n{facts.body}{end}{marks}\n\n"

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
