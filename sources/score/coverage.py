"""Which aspects of a task a unit covers, by the rules of the task's kind."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from ...models import Kind
from ..extract.base import Fragment
from ..file_classes import FileClass
from ..tasks import CoverageRule, Dimension
from .words import parts

_FULL_FROM: Final = 0.33
"""A unit of at least this relevance covers what a rule says in full, others in proportion.

Without it the least relevant function that raises an error would cover the errors of any task.
"""

_LEAST: Final = 0.01
"""Weaker covers are left out."""


@dataclass(frozen=True, slots=True)
class Subject:
    """What the rules look at."""

    fragment: Fragment
    kind: Kind
    file_class: FileClass
    path: str


def coverage(subject: Subject, relevance: float, dimensions: Sequence[Dimension]) -> dict[str, float]:
    """Return the dimensions that a unit covers, with strengths 0..1: its best rule for each."""
    return within_reach(strengths(subject, dimensions), relevance)


def strengths(subject: Subject, dimensions: Sequence[Dimension]) -> tuple[tuple[str, float], ...]:
    """Return the best rule of each dimension that a unit covers, whatever the task."""
    found = (
        (dimension.name, max((r.strength for r in dimension.rules if _holds(r, subject)), default=0.0))
        for dimension in dimensions
    )
    return tuple((name, best) for name, best in found if best)


def within_reach(found: Sequence[tuple[str, float]], relevance: float) -> dict[str, float]:
    """Return the strengths of a unit that is so relevant to the task; those that are next to nothing not."""
    reach = min(1.0, relevance / _FULL_FROM)
    if reach < _LEAST:
        return {}
    covered = {name: round(best * reach, 3) for name, best in found}
    return {name: strength for name, strength in covered.items() if strength >= _LEAST}


@lru_cache(maxsize=512)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def _holds(rule: CoverageRule, subject: Subject) -> bool:
    if rule.classes and subject.file_class not in rule.classes:
        return False
    if rule.kinds and subject.kind not in rule.kinds:
        return False
    if rule.roles and subject.fragment.role not in rule.roles:
        return False
    if rule.path is not None and not _compiled(rule.path).search(subject.path.lower()):
        return False
    return rule.pattern is None or bool(_compiled(rule.pattern).search(_where(rule, subject.fragment)))


@lru_cache(maxsize=1 << 16)
def _apart(name: str) -> str:
    return " ".join(part.lower() for part in parts(name))


def _where(rule: CoverageRule, fragment: Fragment) -> str:
    if rule.where == "title":
        return fragment.title.lower()
    if rule.where == "doc":
        return fragment.doc
    if rule.where == "name":
        return "\n".join(map(_apart, fragment.defines)) or _apart(fragment.name)
    return fragment.text
