"""The XML format: one element per unit, its facts as attributes, its text as it is.

Bodies are not escaped as a whole (a model reads source best as it is written): only our own
structural tags in them are neutralised, so the whole is marked-up text, not an XML document.
"""

from __future__ import annotations

import re
from typing import Final

from ..models import Task
from .escape import attribute, neutralise
from .facts import UnitFacts
from .words import HEADING_RULE, REQUEST, UNITS_RULE, one_line

GUIDE: Final = f"""\
<pack-guide>
Satchel context pack. Units at path:lines shown/lines of file. {HEADING_RULE} {UNITS_RULE}
</pack-guide>
"""


class Xml:
    """Pieces start with ``<`` and end with ``>`` and a line end."""

    def block(self, facts: UnitFacts) -> str:
        """Return the block of one unit."""
        if facts.is_heading:
            (file,) = facts.places
            lines = f' lines="{file.lines}"' if file.lines else ""
            return f'<source-unit file="{attribute(file.name)}"{lines}/>\n'
        attributes = {
            "id": attribute(facts.id),
            "at": _places(facts),
            "name": attribute(facts.label),
            "is": " ".join(facts.marks),
        }
        given = " ".join(f'{name}="{text}"' for name, text in attributes.items() if text)
        return f"<source-unit {given}>\n{_inside(facts.body)}</source-unit>\n"

    def guide(self) -> str:
        """Return the unchanging beginning."""
        return GUIDE

    def task(self, task: Task) -> str:
        """Return the task block."""
        lines = [f"Kind: {one_line(task.kind)}"]
        if task.title.strip():
            lines.append(f"Title: {one_line(task.title)}")
        if task.about.strip():
            lines += ["About:", task.about.strip()]
        if task.outline:
            lines += ["Outline:", *(f"{i}. {one_line(entry)}" for i, entry in enumerate(task.outline, 1))]
        if task.focus:
            lines.append("Focus: " + ", ".join(map(attribute, task.focus)))
        return f"<pack-task>\n{_inside(chr(10).join(lines))}</pack-task>\n"

    def request(self, *, has_task: bool) -> str:
        """Return the closing instruction."""
        return f"<pack-request>\n{REQUEST[has_task]}\n</pack-request>\n"


def _places(facts: UnitFacts) -> str:
    names = [_path(place.name) + (f":{place.lines}" if place.lines else "") for place in facts.places]
    return ", ".join(names) + (f" and {facts.more_places} more" if facts.more_places else "")


def _path(name: str) -> str:
    """Return a path whose own colons and commas cannot be taken for those behind it."""
    return re.sub(r":(?=\d)|,", lambda found: f"&#x{ord(found[0]):X};", attribute(name))


def _inside(text: str) -> str:
    safe = neutralise(text)
    return safe if safe.endswith("\n") or not safe else safe + "\n"
