"""What most candidates of a scan become: units that a task gives nothing but their scores.

Only of the most relevant units are forms made for the task. All others are the same for every task of a
kind, to the token, and are put together from what was worked out once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import groupby
from typing import NamedTuple, Protocol

from ..models import ContextUnit, Dependency, Kind, Rendering, SourceRef, State
from .candidates import Candidate, ScannedFile
from .extract import Span
from .score.coverage import within_reach
from .tasks import TaskKind


class PlainForm(NamedTuple):
    """A form below a unit's own: what it is, the share of the value that it keeps, and its tokens."""

    state: State
    fidelity: float
    tokens: int


class Plain(NamedTuple):
    """What a kind of task makes of a fragment that is not among the most relevant.

    Attributes
    ----------
    id
        Of the candidate: the tokens are those of a block that shows it.
    kind, authority, risk, zone, tags
        As the unit has them.
    covers
        Dimensions with strengths, before relevance (:func:`.score.coverage.strengths`).
    needs
        Numbers of the fragments of the same file that it needs.
    tokens
        Of its own form, as rendered.
    forms
        One for each of the fragment's.
    """

    id: str
    kind: Kind
    authority: float
    risk: float
    zone: str
    tags: tuple[str, ...]
    covers: tuple[tuple[str, float], ...]
    needs: tuple[int, ...]
    tokens: int
    forms: tuple[PlainForm, ...]


class Siblings:
    """The candidates of one file, in order."""

    def __init__(self, candidates: Sequence[Candidate]) -> None:
        self._candidates = candidates

    @cached_property
    def _numbers(self) -> dict[str, int]:
        numbers: dict[str, int] = {}
        for number, candidate in enumerate(self._candidates):
            numbers.setdefault(candidate.fragment.name, number)
        return numbers

    def needed(self, candidate: Candidate) -> tuple[int, ...]:
        """Return the numbers of those that a candidate needs, without itself."""
        names = candidate.fragment.needs
        found = [self._numbers[name] for name in names if name in self._numbers] if names else ()
        return tuple([number for number in found if self._candidates[number].id != candidate.id])

    def dependencies(self, numbers: Sequence[int]) -> tuple[Dependency, ...]:
        """Return the dependencies on them."""
        return tuple([Dependency.trusted(id=self._candidates[number].id) for number in numbers])


def by_file(candidates: Sequence[Candidate]) -> Iterator[tuple[int, list[Candidate]]]:
    """Yield the candidates of each file, with the number of the first of them."""
    first = 0
    for _, group in groupby(candidates, lambda candidate: candidate.file.path):
        own = list(group)
        yield first, own
        first += len(own)


class PlainMemory(Protocol):
    """Remembers what kinds of tasks make of fragments (:mod:`.cache.plain`)."""

    def of(self, file: ScannedFile, kind: TaskKind) -> Sequence[Plain | None]:
        """Return what is known of the fragments of a file, in order; nothing of a file that is not known."""
        ...

    def counted(self, unit: ContextUnit) -> None:
        """Note that the tokens of a unit are known, as long as it is this very record."""
        ...

    def pending(
        self,
        candidate: Candidate,
        kind: TaskKind,
        covers: Sequence[tuple[str, float]],
        needs: Sequence[int],
    ) -> None:
        """Note a unit that is to be remembered, once it is counted."""
        ...


def plain_unit(
    candidate: Candidate,
    plain: Plain,
    siblings: Siblings,
    score: float,
    freshness: float,
    *,
    covers: bool,
    told: tuple[str, ...],
) -> ContextUnit:
    """Return the unit of a candidate.

    Parameters
    ----------
    siblings
        The candidates of its file.
    covers
        Whether it is relevant enough to cover anything.
    told
        What is said of its relevance.
    """
    fragment, file = candidate.fragment, candidate.file
    forms = tuple(
        [
            Rendering.trusted(
                state=form.state,
                tokens=form.tokens,
                text=own.text,
                fidelity=form.fidelity,
                source_refs=refs(file, own.spans),
            )
            for form, own in zip(plain.forms, fragment.forms, strict=True)
        ]
    )
    return ContextUnit.trusted(
        id=plain.id,
        kind=plain.kind,
        title=fragment.title,
        source_refs=refs(file, fragment.spans),
        text=fragment.text,
        token_estimate=plain.tokens,
        authority_score=plain.authority,
        relevance_score=score,
        freshness_score=freshness,
        risk_score=plain.risk,
        required=False,
        zone=plain.zone,
        dependencies=siblings.dependencies(plain.needs) if plain.needs else (),
        diagnostics=told,
        coverage=within_reach(plain.covers, score) if covers else {},
        tags=plain.tags,
        renderings=forms,
    )


def refs(file: ScannedFile, spans: Sequence[Span]) -> tuple[SourceRef, ...]:
    """Return where lines of a file stand."""
    path, total = file.path, file.lines
    return tuple(
        [
            SourceRef.trusted(path=path, start_line=span.start, end_line=span.end, total_lines=total)
            for span in spans
        ]
    )
