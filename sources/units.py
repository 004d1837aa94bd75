"""From candidates and their scores to context units, with their forms, tags, risks and duplicates."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from ..models import (
    ContextUnit,
    GroupPolicy,
    RedundancyGroup,
    Rendering,
    State,
    heading_of,
)
from .candidates import Candidate, document_of
from .extract import Form
from .extract.cuts import ladder
from .file_classes import FileClass
from .headings import headed
from .plain import PlainMemory, Siblings, by_file, plain_unit, refs
from .score.coverage import Subject, strengths, within_reach
from .score.excerpts import excerpt
from .signatures import with_signature
from .tasks import TaskKind
from .textrank.rung import SHORTEST, summary_form
from .unit_parts import UnitParts

Summarise = Callable[[Candidate], Form | None]
"""Gives the summary of a candidate's fragment, or nothing where there is none to be had."""

_LONG: Final = 2_000
"""Texts above this many characters get an excerpt made for the task."""

_EXCERPTS: Final = 400
"""At most so many, for the most relevant: making one reads the file's lines again."""

_SUMMARIES: Final = 400
"""At most so many, for the most relevant: each takes about a millisecond."""

_WANTED: Final = 3_000
"""So many of the most relevant get a signature as their shortest form, and a heading with others of their
file: more than a budget of 100,000 tokens takes."""

_LEAST_RELEVANT: Final = 0.003
"""Below this no excerpt or summary is worth making, and nothing is covered."""

_FIRST_WORDS: Final = 16
"""So many words tell most texts apart."""

_SMALLEST_DUPLICATE: Final = 60
"""Texts shorter than this are alike by nature."""

RISKS: Final[Mapping[FileClass, float]] = {
    FileClass.GENERATED: 0.3,
    FileClass.VENDORED: 0.2,
    FileClass.LOCK: 0.3,
    FileClass.MINIFIED: 0.6,
}
"""Risk of a class of files: what is large, machine-written, or someone else's."""

REDACTED_RISK: Final = 0.3
"""Risk of a text from which a secret was taken: there may be another."""

SPEECH_RISK: Final = 0.75
"""Risk of prose that speaks to a model: at or above the ceiling, so optional units are left out."""

SPEECH_IN_CODE_RISK: Final = 0.4
"""The same in code, where such words are mostly data, such as the patterns of a filter."""

_PROSE: Final = frozenset({FileClass.DOC, FileClass.DATA, FileClass.VENDORED, FileClass.LOCK})
_ZONES: Final = {
    FileClass.DOC: "existing_docs",
    FileClass.TEST: "examples",
    FileClass.EXAMPLE: "examples",
}


def zone_of(file_class: FileClass) -> str:
    """Return the zone that evidence of this class belongs in."""
    return _ZONES.get(file_class, "source_evidence")


def risk_of(candidate: Candidate) -> float:
    """Return the greatest of the risks that apply, 0..1."""
    risk = 0.0 if candidate.file.source.explicit else RISKS.get(candidate.file_class, 0.0)
    if any(candidate.holds(finding) for finding in candidate.file.secrets):
        risk = max(risk, REDACTED_RISK)
    if any(candidate.holds(finding) for finding in candidate.file.speeches):
        prose = candidate.file_class in _PROSE
        risk = max(risk, SPEECH_RISK if prose else SPEECH_IN_CODE_RISK)
    return risk


def tags_of(candidate: Candidate) -> tuple[str, ...]:
    """Return what policies may select by: class, visibility, findings. A named file is no one's junk."""
    tags = {*candidate.fragment.tags, "public" if candidate.fragment.public else "private"}
    tags.add("named" if candidate.file.source.explicit else candidate.file_class.value)
    if any(candidate.holds(finding) for finding in candidate.file.secrets):
        tags.add("redacted")
    if any(candidate.holds(finding) for finding in candidate.file.speeches):
        tags.add("prompt_injection")
    return tuple(sorted(tags))


def build_units(
    candidates: Sequence[Candidate],
    scores: Sequence[float],
    freshness: Sequence[float],
    required: frozenset[int],
    kind: TaskKind,
    query: Mapping[str, float],
    summarise: Summarise | None = None,
    explained: Callable[[int], str] | None = None,
    parts: UnitParts | None = None,
    memory: PlainMemory | None = None,
) -> list[ContextUnit]:
    """Return one unit for each candidate, in order.

    Parameters
    ----------
    candidates
        In order of path and line.
    scores, freshness
        Relevance and freshness, 0..1, one for each candidate.
    required
        Which candidates must be in.
    kind
        Authority, fidelity and coverage rules.
    query
        Terms of the task, for excerpts.
    summarise
        Where summaries come from (:mod:`.cache.summaries`); they are made when absent.
    explained
        Tells what the relevance of a candidate is made of; written down where there is enough of it.
    parts
        What other tasks have made of the same candidates already.
    memory
        What earlier runs have made of the same fragments.
    """
    parts = parts or UnitParts()
    summarise = summarise or summary_of
    wanted = required | _most_relevant(candidates, scores, 0, _WANTED, least=0.0)
    forms_of = _Forms(
        kind,
        query,
        summarise,
        parts,
        wanted,
        excerpted=_most_relevant(candidates, scores, _LONG, _EXCERPTS),
        summarised=_most_relevant(candidates, scores, SHORTEST, _SUMMARIES),
    )
    below_heading = headed(candidates, wanted)
    units: list[ContextUnit] = []
    for first, own in by_file(candidates):
        file = own[0].file
        siblings = Siblings(own)
        known = memory.of(file, kind) if memory else ()
        lines: Sequence[str] = ()
        for n, candidate in enumerate(own, first):
            score = round(float(scores[n]), 6)
            reaches = score >= _LEAST_RELEVANT
            told = (explained(n),) if explained and reaches else ()
            plain = known[n - first] if n not in wanted and n - first < len(known) else None
            if memory is not None and plain is not None and plain.id == candidate.id:
                unit = plain_unit(candidate, plain, siblings, score, freshness[n], covers=reaches, told=told)
                units.append(unit)
                memory.counted(unit)
                continue
            if n in wanted:
                lines = lines or document_of(file).lines
            renderings = forms_of(n, candidate, lines)
            covers = parts.once("covers", candidate, kind, partial(_covers, candidate, kind))
            needs = siblings.needed(candidate)
            if memory is not None and n not in wanted:
                memory.pending(candidate, kind, covers, needs)
            units.append(
                # Built without validation, which takes longer than all the rest: a test validates them.
                ContextUnit.trusted(
                    **parts.once("unit", candidate, kind, partial(_lasting, candidate, kind)),
                    relevance_score=score,
                    freshness_score=freshness[n],
                    required=n in required,
                    dependencies=(
                        *((parts.heading(heading_of(file.path)),) if n in below_heading else ()),
                        *parts.once("needs", candidate, kind, partial(siblings.dependencies, needs)),
                    ),
                    coverage=within_reach(covers, score) if reaches else {},
                    diagnostics=told,
                    renderings=renderings,
                )
            )
    return units


@dataclass(frozen=True, slots=True)
class _Forms:
    """Makes the shorter forms of units, as :func:`build_units` describes them."""

    kind: TaskKind
    query: Mapping[str, float]
    summarise: Summarise
    parts: UnitParts
    wanted: frozenset[int]
    excerpted: frozenset[int]
    summarised: frozenset[int]

    def __call__(self, n: int, candidate: Candidate, lines: Sequence[str]) -> tuple[Rendering, ...]:
        """Return the renderings of candidate ``n``; ``lines`` are those of its file, where it is wanted."""
        kind, parts, forms = self.kind, self.parts, candidate.fragment.forms
        if n in self.wanted:
            signed = partial(with_signature, candidate, lines, forms)
            forms = parts.once("signed", candidate, kind, signed)
            if n in self.summarised and _may_be_summarised(candidate, kind):
                forms = _with_summary(forms, self.summarise(candidate))
            if n in self.excerpted:
                forms = _with_excerpt(candidate, lines, self.query, forms)
        make = partial(_renderings, candidate, kind)
        if n in self.excerpted:
            return make(forms)  # made for this task
        signed_or_not = "signed" if n in self.wanted else "plain"
        shape = f"{signed_or_not}{' summarised' if n in self.summarised else ''} forms"
        return parts.renderings(shape, candidate, kind, forms, make)


def _lasting(candidate: Candidate, kind: TaskKind) -> dict[str, Any]:
    """Return the fields of a unit that are the same for every task of a kind."""
    fragment = candidate.fragment
    return {
        "id": candidate.id,
        "kind": candidate.kind,
        "title": fragment.title,
        "source_refs": refs(candidate.file, fragment.spans),
        "text": fragment.text,
        "authority_score": kind.authority.get(candidate.file_class, 0.0),
        "risk_score": risk_of(candidate),
        "zone": zone_of(candidate.file_class),
        "tags": tags_of(candidate),
    }


def _covers(candidate: Candidate, kind: TaskKind) -> tuple[tuple[str, float], ...]:
    subject = Subject(candidate.fragment, candidate.kind, candidate.file_class, candidate.file.path)
    return strengths(subject, kind.coverage)


def _renderings(candidate: Candidate, kind: TaskKind, forms: Sequence[Form]) -> tuple[Rendering, ...]:
    return tuple(
        Rendering.trusted(
            state=form.state,
            text=form.text,
            fidelity=_fidelity(form.state, candidate, kind),
            source_refs=refs(candidate.file, form.spans),
        )
        for form in forms
    )


def _most_relevant(
    candidates: Sequence[Candidate],
    scores: Sequence[float],
    chars: int,
    most: int,
    least: float = _LEAST_RELEVANT,
) -> frozenset[int]:
    """Return which candidates of more than ``chars`` characters are worth a form of their own."""
    long = [n for n, c in enumerate(candidates) if len(c.fragment.text) > chars and scores[n] >= least]
    return frozenset(sorted(long, key=lambda n: (-scores[n], n))[:most])


def _may_be_summarised(candidate: Candidate, kind: TaskKind) -> bool:
    zone = kind.zones.get(zone_of(candidate.file_class))
    return zone is None or State.SUMMARIZED in zone.overflow.states


def _fidelity(state: State, candidate: Candidate, kind: TaskKind) -> float:
    """Return the share of its value that a form keeps: a signature less than the gist of an API contract."""
    if state is State.CONTRACT and candidate.file_class is not FileClass.CONTRACT:
        return kind.signature_fidelity
    return kind.fidelity.get(state, 0.5)


def _with_summary(forms: tuple[Form, ...], form: Form | None) -> tuple[Form, ...]:
    """Return the forms, and below them the summary where there is one."""
    return forms if form is None else (*forms, form)


def summary_of(candidate: Candidate) -> Form | None:
    """Make the summary of a candidate's fragment."""
    return summary_form(document_of(candidate.file), candidate.fragment)


def _with_excerpt(
    candidate: Candidate, lines: Sequence[str], query: Mapping[str, float], forms: Sequence[Form]
) -> tuple[Form, ...]:
    """Return the forms with an excerpt made for the task in place of a general one."""
    fragment = candidate.fragment
    wanted = {State.EXCERPTED: excerpt(fragment, lines, query)}
    own = ladder(lines, fragment.spans, fragment.text, wanted)
    if not own:
        return tuple(forms)
    return (*own, *(form for form in forms if len(form.text) < 0.85 * len(own[0].text)))


def _alike(candidates: Sequence[Candidate]) -> list[int]:
    """Return, in order, those whose first words another one has, too: only these are read to the end."""
    first: dict[tuple[str, ...], list[int]] = {}
    for n, candidate in enumerate(candidates):
        words = candidate.fragment.text.split(None, _FIRST_WORDS)
        first.setdefault(tuple(words[:_FIRST_WORDS]), []).append(n)
    return sorted(n for numbers in first.values() if len(numbers) > 1 for n in numbers)


def duplicates(candidates: Sequence[Candidate], required: frozenset[int]) -> tuple[RedundancyGroup, ...]:
    """Return a group for each text that several candidates hold, white space aside: one of them may stay.

    Where the user requires several, as many may stay.
    """
    members: dict[str, list[int]] = {}
    for n in _alike(candidates):
        text = " ".join(candidates[n].fragment.text.split())
        if len(text) >= _SMALLEST_DUPLICATE:
            members.setdefault(text, []).append(n)
    return tuple(
        RedundancyGroup(
            id=f"same:{candidates[numbers[0]].id}",
            members=tuple(candidates[n].id for n in numbers),
            policy=GroupPolicy.KEEP_AT_MOST,
            k=max(1, sum(n in required for n in numbers)),
        )
        for numbers in members.values()
        if len(numbers) > 1
    )
