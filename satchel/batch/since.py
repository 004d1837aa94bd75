"""Which pages of a batch a change concerns: those whose evidence is no longer what it was.

A page is made of the units that its pack accepted. It is packed again when one of them has changed or is
gone, when something that is new or has changed is as near to its task as they are, or when the task itself
has changed; the manifest says why. All other pages are left as they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ..files import ARTIFACT, read_artifact
from ..models import Problem, SatchelError
from ..sources.scan import Survey
from .records import PageRecord, is_there

_NAMED: Final = 5
"""So many units of one reason are named."""


@dataclass(frozen=True)
class Since:
    """What is known of a page from the run before, and what has changed since.

    Attributes
    ----------
    record
        Of the run before.
    accepted
        Ids of the units that its pack accepted.
    changed
        How units of its repository differ from those of the revision: by id, ``new`` or ``changed``.
    """

    record: PageRecord
    accepted: tuple[str, ...]
    changed: Mapping[str, str]

    def news(self, problem: Problem) -> tuple[str, ...]:
        """Return what of the changes would matter to a page of which no unit has changed.

        That is what is at least as relevant as the least relevant unit of its pack.
        """
        relevance = {unit.id: unit.relevance_score for unit in problem.units}
        floor = min((relevance[name] for name in self.accepted if relevance.get(name)), default=0.0)
        near = [name for name in self.changed if relevance.get(name, 0.0) >= max(floor, 1e-9)]
        return _reasons("is as near to the task as what is packed", sorted(near))


def differences(before: Survey, now: Survey) -> tuple[dict[str, str], frozenset[str]]:
    """Return the units that are ``new`` or ``changed``, and those that are gone."""
    old = {candidate.id: candidate.fragment.text for candidate in before.reading.candidates}
    current = {candidate.id: candidate.fragment.text for candidate in now.reading.candidates}
    changed = {
        name: "new" if name not in old else "changed"
        for name, text in sorted(current.items())
        if old.get(name) != text
    }
    return changed, frozenset(old.keys() - current.keys())


def known_of(
    record: PageRecord | None, folder: Path, wanted: Mapping[str, str], changed: Mapping[str, str]
) -> Since | None:
    """Return what is known of a page, or None where its earlier pack is not there as it was written."""
    if record is None or not record.is_done or not is_there(record, folder, wanted):
        return None
    try:
        artifact = read_artifact(folder / record.output / ARTIFACT)
    except SatchelError:
        return None
    return Since(record, tuple(unit.id for unit in artifact.accepted_units), changed)


def reasons_of(since: Since, gone: frozenset[str]) -> tuple[str, ...]:
    """Return why the units of a page's pack are not what they were; none where they are."""
    changed = [name for name in since.accepted if since.changed.get(name) == "changed"]
    missing = [name for name in since.accepted if name in gone]
    return (*_reasons("has changed", changed), *_reasons("is gone", missing))


def _reasons(what: str, names: Iterable[str]) -> tuple[str, ...]:
    every = list(names)
    told = [f"{name} {what}" for name in every[:_NAMED]]
    if len(every) > _NAMED:
        told.append(f"{len(every) - _NAMED} more: {what}")
    return tuple(told)
