"""The demands of a problem in the user's words."""

from __future__ import annotations

from ..models import AcceptReason
from .compile import Compiled
from .eligible import Standing
from .linear import Linear


def plural(number: int, noun: str) -> str:
    """Return ``3 units`` or ``1 unit``."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def demand_words(c: Compiled, linear: Linear, index: int) -> str:
    """Return what the row ``index`` asks for."""
    row = linear.rows[index]
    low, high = int(linear.lo[index]), int(linear.hi[index])
    if row.family == "budget":
        return f"budget of {plural(high, 'token')}"
    if row.family == "required":
        return required_words(c.standings[c.index[row.name]])
    if row.family == "zone maximum":
        return f"zone {row.name} holds at most {plural(high, 'token')}"
    if row.family == "zone minimum":
        return _minimum_words(c, row.name, low)
    if row.family == "group":
        return f"group {row.name} keeps at most {high}"
    if row.family == "coverage":
        return _coverage_words(c, row.name, low)
    if row.other in c.standings[c.index[row.name]].unit.dependency_ids:
        return f"dependency of {row.name!r} on {row.other!r}"
    return tied_words(row.name, row.other)


def required_words(standing: Standing) -> str:
    """Return that a unit must be in, why if its zone says so, and the tokens of its shortest form."""
    size = f"{plural(min(rung.tokens for rung in standing.rungs), 'token')} at least"
    if standing.required is AcceptReason.ZONE_KEEPS_ALL:
        return f"unit {standing.unit.id!r} ({size}), which zone {standing.zone.name} keeps"
    return f"required unit {standing.unit.id!r} ({size})"


def tied_words(member: str, anchor: str) -> str:
    """Return that a group keeps ``member`` only beside ``anchor``."""
    return f"a group keeps {member!r} only with its most authoritative member {anchor!r}"


def _minimum_words(c: Compiled, name: str, tokens: int) -> str:
    words = f"zone {name} holds at least {plural(tokens, 'token')}"
    inside = [standing for standing in c.standings if standing.zone.name == name]
    most = sum(max(rung.tokens for rung in standing.rungs) for standing in inside)
    return words if most >= tokens else f"{words}, its candidates come to {most}"


def _coverage_words(c: Compiled, name: str, count: int) -> str:
    able = next((len(cover.units) for cover in c.covers if cover.name == name), 0)
    have = "no candidate may cover it" if able == 0 else f"{plural(able, 'candidate')} may cover it"
    return f"dimension {name} needs {plural(count, 'unit')}, {have}"
