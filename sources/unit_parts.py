"""What of a unit does not depend on the task: made once where a survey is weighed for many tasks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from ..models import ContextUnit, Dependency, Rendering
from .candidates import Candidate
from .extract import Form
from .tasks import TaskKind

T = TypeVar("T")

_Key = tuple[str, str, bool]


class UnitParts:
    """Parts of the units of one survey, by candidate and kind of task, as they were first made."""

    def __init__(self) -> None:
        self._parts: dict[tuple[str, _Key], Any] = {}
        self._headings: dict[str, Dependency] = {}
        self._kept: set[int] = set()
        self._texts: dict[str, str | None] = {}

    def once(self, name: str, candidate: Candidate, kind: TaskKind, make: Callable[[], T]) -> T:
        """Return the part called ``name`` of a candidate, which ``make`` makes the first time."""
        # A file that a task names has other tags and risks than as one of many.
        key = (name, (candidate.id, kind.name, candidate.file.source.explicit))
        if key not in self._parts:
            self._parts[key] = make()
        found: T = self._parts[key]
        return found

    def renderings(
        self,
        name: str,
        candidate: Candidate,
        kind: TaskKind,
        forms: Sequence[Form],
        make: Callable[[Sequence[Form]], tuple[Rendering, ...]],
    ) -> tuple[Rendering, ...]:
        """Return the renderings of ``forms``, which are those of the candidate that are called ``name``."""

        def made() -> tuple[Rendering, ...]:
            found = make(forms)
            self._texts[candidate.id] = candidate.fragment.text
            self._kept.update(map(id, found))
            return found

        return self.once(name, candidate, kind, made)

    def heading(self, name: str) -> Dependency:
        """Return the dependency on a heading."""
        if name not in self._headings:
            self._headings[name] = Dependency(id=name)
        return self._headings[name]

    def has(self, unit: ContextUnit, forms: Sequence[Rendering]) -> bool:
        """Whether every task has the text of ``unit``, and its ``forms`` as these very objects."""
        return self._texts.get(unit.id) is unit.text and all(id(form) in self._kept for form in forms)
