"""The JSON format: one object a line, of which the boundaries are JSON's own.

A text cannot end its string, and line separators and characters that reorder text are written as escapes,
so that each object is one line for every reader.
"""

from __future__ import annotations

import json
import re
from typing import Any, Final

from ..models import Task
from .facts import Place, UnitFacts
from .words import HEADING_RULE, REQUEST, UNITS_RULE

GUIDE: Final = f"Satchel context pack. Units: at path:lines shown/lines of file. {HEADING_RULE} {UNITS_RULE}"

_ESCAPED: Final = re.compile("[\x7f-\x9f\u2028-\u202e\u2066-\u2069\ufeff]")
_PATH_ENDS: Final = re.compile(r":(?=\d)|,")


class Json:
    """Pieces start with ``{"`` and end with ``"}`` and a line end."""

    def block(self, facts: UnitFacts) -> str:
        """Return the block of one unit."""
        if facts.is_heading:
            (file,) = facts.places
            return _line({"lines": file.lines, "file": file.name} if file.lines else {"file": file.name})
        marks = " ".join(facts.marks)
        parts = {"id": facts.id, "at": _places(facts), "name": facts.label, "is": marks}
        return _line({**{key: text for key, text in parts.items() if text}, "text": facts.body})

    def guide(self) -> str:
        """Return the unchanging beginning."""
        return _line({"guide": GUIDE})

    def task(self, task: Task) -> str:
        """Return the task block."""
        parts: dict[str, Any] = {"title": task.title, "about": task.about}
        parts |= {"outline": list(task.outline), "focus": list(task.focus), "task": task.kind}
        return _line({key: part for key, part in parts.items() if part})

    def request(self, *, has_task: bool) -> str:
        """Return the closing instruction."""
        return _line({"request": REQUEST[has_task]})


def _line(data: dict[str, Any]) -> str:
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return _ESCAPED.sub(lambda found: f"\\u{ord(found[0]):04x}", text) + "\n"


def _places(facts: UnitFacts) -> str:
    names = [_path(place) for place in facts.places]
    return ", ".join(names) + (f" and {facts.more_places} more" if facts.more_places else "")


def _path(place: Place) -> str:
    """Return a place; a path whose own signs could be taken for those behind it stands in quotes."""
    name = json.dumps(place.name, ensure_ascii=False) if _PATH_ENDS.search(place.name) else place.name
    return f"{name}:{place.lines}" if place.lines else name
