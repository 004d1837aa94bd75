"""The header of a unit in one line of text, as Markdown and plain text show it."""

from __future__ import annotations

import re
from typing import Final

from .escape import is_bare, is_bare_file, quoted
from .facts import Place, UnitFacts

_NAME: Final = re.compile(r"[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*", re.ASCII)


def header(facts: UnitFacts) -> str:
    r"""Return what the first line of a unit says; it holds no backtick and no control character.

    ``src/core.py#Command.main:10-31/410 symbolized medium``, in general: the id, where the places do not
    stand for it; files with their lines; what the unit is about; and marks. Names that are not one plain
    word stand between double quotes. Under a heading, which tells the path, it is
    ``#Command.main:10-31 symbolized``.
    """
    words = [_name(facts.id)] if facts.id else []
    label = facts.label
    if len(facts.places) == 1 and label and not facts.id and _NAME.fullmatch(label):
        words.append(_place(facts.places[0], f"#{label}"))
        label = ""
    elif facts.places:
        words.append(", ".join(map(_place, facts.places)))
    if facts.more_places:
        words.append(f"and {facts.more_places} more")
    if label:
        words.append(quoted(label))
    return " ".join(word for word in (*words, *facts.marks) if word)


def heading(place: Place) -> str:
    """Return what names the file of the units below: ``src/core.py, 410 lines``; it holds no backtick."""
    many = "" if place.lines == "1" else "s"
    return _place(Place(place.name, "")) + (f", {place.lines} line{many}" if place.lines else "")


def _name(name: str) -> str:
    return name if is_bare(name) else quoted(name)


def _place(place: Place, name: str = "") -> str:
    path = place.name if not place.name or is_bare_file(place.name) else quoted(place.name)
    return f"{path}{name}:{place.lines}".removeprefix(":") if place.lines else f"{path}{name}"
