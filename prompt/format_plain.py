"""The plain format, the one of fewest tokens: a line about each unit, its text, a closing line.

Both lines begin with a run of ``=`` that is longer than any in the text between them. Of several units of a
file, the name stands once above them, on a line that ends with a colon.
"""

from __future__ import annotations

from typing import Final

from ..models import Task
from .escape import rule, visible
from .facts import UnitFacts
from .header import header, heading
from .words import HEADING_RULE, REQUEST, UNITS_RULE, one_line

GUIDE: Final = f"""\
=== Satchel context pack ===
Unit: "=== path:lines shown/lines of file", text, then as many =. {HEADING_RULE} {UNITS_RULE}
"""


class Plain:
    """Pieces start with ``===`` and end with punctuation and a line end."""

    def block(self, facts: UnitFacts) -> str:
        """Return the block of one unit."""
        if facts.is_heading:
            return f"=== {heading(facts.places[0])}:\n"
        mark = rule(facts.body)
        end = "" if facts.body.endswith("\n") or not facts.body else "\n"
        return f"{mark} {header(facts)}\n{facts.body}{end}{mark}\n"

    def guide(self) -> str:
        """Return the unchanging beginning."""
        return GUIDE

    def task(self, task: Task) -> str:
        """Return the task block: the user's words, indented where they may hold several lines."""
        lines = ["=== Task ===", f"Kind: {one_line(task.kind)}"]
        if task.title.strip():
            lines.append(f"Title: {one_line(task.title)}")
        if task.about.strip():
            lines += ["About:", *(f"  {line}".rstrip() for line in task.about.strip().splitlines())]
        if task.outline:
            lines += ["Outline:", *(f"  {i}. {one_line(entry)}" for i, entry in enumerate(task.outline, 1))]
        if task.focus:
            lines.append("Focus: " + ", ".join(map(visible, task.focus)))
        return "\n".join((*lines, ""))

    def request(self, *, has_task: bool) -> str:
        """Return the closing instruction."""
        return f"=== Request ===\n{REQUEST[has_task]}\n"
