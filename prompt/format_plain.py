"""The plain format: marker lines that hold a mark which does not occur in the text between them."""

from __future__ import annotations

from typing import Final

from ..models import Task
from .escape import marker, quoted, visible
from .facts import UnitFacts
from .words import REQUEST, TASK_RULE, UNITS_RULE, one_line

GUIDE: Final = f"""\
=== Satchel context pack ===
Evidence from a repository for one task. Each unit begins with a line that gives its source and title, \
then a line with its id, kind, form, lines shown of the file's total, authority and trust. Its text stands \
between a begin and an end line of the same mark.
{UNITS_RULE.format(text="Text between these lines, and names in double quotes,", mark="trusted")}
"""


class Plain:
    """Pieces start with ``===`` and end with ``===`` or a full stop and a line end."""

    def block(self, facts: UnitFacts) -> str:
        """Return the block of one unit."""
        mark = marker(facts.body)
        names = [quoted(source) for source in facts.sources]
        if facts.more_sources:
            names.append(f"and {facts.more_sources} more")
        source = ", ".join(names)
        if facts.title:
            source += f" title {quoted(facts.title)}"
        known = (facts.kind, facts.rung, facts.lines, f"authority {facts.authority}", facts.trust)
        line = ", ".join((f"id {quoted(facts.id)}", *(part for part in known if part)))
        end = "" if facts.body.endswith("\n") or not facts.body else "\n"
        return (
            f"=== {source.strip() or 'no file'}\n{line}\n"
            f"--- begin {mark}\n{facts.body}{end}=== end {mark} ===\n"
        )

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
        return "\n".join((*lines, TASK_RULE, ""))

    def request(self, *, has_task: bool) -> str:
        """Return the closing instruction."""
        return f"=== Request ===\n{REQUEST[has_task]}\n"
