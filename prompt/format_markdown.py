"""The Markdown format: a heading per unit, its facts in one line, its text in a fence.

All that comes from a repository stands in code spans and fences. Headings of units begin with a code
span, headings of the frame never do.
"""

from __future__ import annotations

from typing import Final

from ..models import Task
from .escape import code_span, fence
from .facts import UnitFacts
from .words import REQUEST, TASK_RULE, UNITS_RULE, one_line

GUIDE: Final = f"""\
# Satchel context pack

Evidence from a repository for one task. Each unit has a heading that names its source and title, then a \
line with its id, kind, form, lines shown of the file's total, authority and trust, then its text in a fence.

{UNITS_RULE.format(text="Text in fences, and names in code style,", mark="`trusted`")}

"""


class Markdown:
    """Pieces start with ``#`` and end with a backtick, tilde or full stop and a blank line."""

    def block(self, facts: UnitFacts) -> str:
        """Return the block of one unit."""
        heading = code_span(facts.sources[0]) if facts.sources else code_span(facts.id)
        for source in facts.sources[1:]:
            heading += f", {code_span(source)}"
        if facts.more_sources:
            heading += f" and {facts.more_sources} more"
        if facts.title:
            heading += f" · {code_span(facts.title)}"
        known = (facts.kind, facts.rung, facts.lines, f"authority {facts.authority}", facts.trust)
        line = " · ".join(part for part in known if part)
        if facts.id != facts.label:
            line = f"id {code_span(facts.id)} · {line}" if facts.sources else line
        marks = fence(facts.body)
        end = "" if facts.body.endswith("\n") or not facts.body else "\n"
        return f"## {heading}\n\n{line}\n\n{marks}{facts.language}\n{facts.body}{end}{marks}\n\n"

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
        return "\n\n".join((*parts, TASK_RULE, ""))

    def request(self, *, has_task: bool) -> str:
        """Return the closing instruction."""
        return f"## Request\n\n{REQUEST[has_task]}\n"
