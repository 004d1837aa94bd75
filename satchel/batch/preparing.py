"""From a page to its packing problem, behind one reading of the repository that all pages share."""

from __future__ import annotations

import hashlib
import io
import pickle
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import Any, Protocol

from ..caching import CountBook
from ..models import BudgetEnvelope, ContextUnit, Problem, Rendering, UsageError
from ..models.parsing import content_hash
from ..models.reading import collector_paused
from ..packing import PackOptions, PackResult, estimator_of, finish, problem_of
from ..prompt.facts import authority_level
from ..sources.cache.summaries import Summaries
from ..sources.cache.versions import code_version
from ..sources.candidates import Candidate
from ..sources.extract import Form
from ..sources.files import SkipReason
from ..sources.scan import ScanResult, Survey, weigh
from ..sources.tokens import TokenEstimator
from ..sources.unit_parts import UnitParts
from .pages import Page, policy_with

_ALWAYS_OUT = frozenset({SkipReason.BINARY, SkipReason.SYMLINK, SkipReason.NOT_REGULAR, SkipReason.VCS})
"""Files that naming their folder does not bring in."""


class Amendment(Protocol):
    """A change to a page's problem before it is solved, such as a prefix that it shares with other pages.

    It is sent to other processes, so it must be picklable; two that say the same have the same ``digest``.
    """

    @property
    def digest(self) -> str:
        """What the change is, as part of the digest of a page's inputs."""
        ...

    def apply(self, problem: Problem) -> Problem:
        """Return ``problem`` with the change."""
        ...


@dataclass(frozen=True)
class Prepared:
    """A page with the problem that is to be solved for it, and what the scan says of it."""

    page: Page
    found: ScanResult
    problem: Problem
    estimator: TokenEstimator = field(repr=False)

    def solved(self, options: PackOptions) -> PackResult:
        """Solve and render the problem; raises as :func:`satchel.pack`."""
        return finish(self.found, self.problem, options, self.estimator)


class Pages(Sequence[Prepared]):
    """The prepared pages of a batch, in order; each is made when it is asked for, and not kept.

    Parameters
    ----------
    pages
        The pages.
    prepare
        Makes the problem of one.
    """

    def __init__(self, pages: Sequence[Page], prepare: Callable[[Page], Prepared]) -> None:
        self._pages, self._prepare = pages, prepare

    def __len__(self) -> int:
        return len(self._pages)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return Pages(self._pages[index], self._prepare)
        return self._prepare(self._pages[index])


PlanPrefix = Callable[[Sequence[Prepared]], Mapping[str, Amendment]]
"""Looks at all prepared pages and returns the changes to some of them, by the page's id."""


class Shelf:
    """What the pages of one survey share: summaries, and counts of blocks that stand in many prompts."""

    def __init__(self, survey: Survey) -> None:
        self.survey = survey
        self._parts = UnitParts()
        self._places = Places(survey)
        self._summaries: dict[str, Form | None] = {}
        self._books: dict[tuple[str, str], _RunBook] = {}
        self._estimators: dict[tuple[Any, ...], TokenEstimator] = {}

    def prepared(self, page: Page, amendment: Amendment | None = None) -> Prepared:
        """Return the problem of ``page``, counted; raises as :func:`satchel.prepare`."""
        options = page.options
        estimator = self.estimator(options)
        with collector_paused():
            named = page.task.focus
            is_own = bool(named) and self.survey.explicit[-len(named) :] == named  # read for this very focus
            view = focused(self.survey, page, None if is_own else self._places.files_named(page))
            use = options.scan.summaries
            summaries = _RunSummaries(self._summaries, use)
            found = weigh(view, page.task, options.scan, summaries, self._parts)
            found = replace(found, policy=policy_with(found.policy, page.policy))
            book = self._books.setdefault((estimator.name, options.format), _RunBook(self._parts))
            problem = problem_of(found, page.task, options, estimator, book)
            if page.zones:
                problem = problem.model_copy(update={"envelope": _with_zones(problem.envelope, page)})
            if amendment is not None:
                problem = amendment.apply(problem)
        return Prepared(page, found, problem, estimator)

    def estimator(self, options: PackOptions) -> TokenEstimator:
        """Return what counts tokens as ``options`` say; each is made once."""
        key = (options.model, options.encoding, options.tokenizer_file, options.approximate)
        if key not in self._estimators:
            self._estimators[key] = estimator_of(options)
        return self._estimators[key]


class _RunSummaries(Summaries):
    """Summaries of one page, out of those that the run has made."""

    def __init__(self, made: dict[str, Form | None], use: Any) -> None:
        super().__init__(use)
        self._of_run = made

    def __call__(self, candidate: Candidate) -> Form | None:
        if candidate.id not in self._of_run:
            self._of_run[candidate.id] = super().__call__(candidate)
        return self._of_run[candidate.id]


class _RunBook(CountBook):
    """Counts of one run, in memory."""

    def __init__(self, parts: UnitParts) -> None:
        self._parts = parts
        self._known: dict[bytes, int] = {}

    def digests(self, unit: ContextUnit, forms: Sequence[Rendering]) -> list[bytes]:
        """Return what stands for the block of each form: short for those that every task has."""
        if not self._parts.has(unit, forms[1:]):
            return super().digests(unit, forms)
        level = authority_level(unit.authority_score)
        head = f"{unit.id}\x1f{unit.heading or ''}\x1f{level}\x1f".encode("utf-8", "surrogatepass")
        return [head + (b"%d" % id(form) if number else b"own") for number, form in enumerate(forms)]

    def get(self, digest: bytes) -> int | None:
        return self._known.get(digest)

    def put(self, unit: ContextUnit, digest: bytes, tokens: int) -> None:  # noqa: ARG002
        self._known[digest] = tokens


class Places:
    """The files and folders of a survey that was read without any focus, to tell what naming one changes."""

    def __init__(self, survey: Survey) -> None:
        self._files = frozenset(file.path for file in survey.reading.files)
        self._folders = frozenset(
            str(folder) for path in self._files for folder in PurePosixPath(path).parents if folder.name
        )
        skipped = survey.reading.skipped
        self._left_out = tuple(item.path for item in skipped if item.reason not in _ALWAYS_OUT)

    def files_named(self, page: Page) -> frozenset[str] | None:
        """Return the files that the focus of ``page`` names one by one.

        None where naming a path would bring in more than is there: what rules leave out must be read.
        """
        named = []
        for path in page.task.focus:
            given = path.removeprefix("./").rstrip("/")
            if {given, path}.intersection(page.options.scan.walk.exclude):
                return None
            if given not in self._files and not self._is_whole(given):
                return None
            named.append(given)
        return self._files.intersection(named)

    def _is_whole(self, folder: str) -> bool:
        below = f"{folder}/"
        return folder in self._folders and not any(
            path.startswith(below) or below.startswith(path) for path in self._left_out
        )


def focused(survey: Survey, page: Page, marked: frozenset[str] | None) -> Survey:
    """Return ``survey`` as if it had been read with the focus of ``page``.

    ``marked`` are the files that it names; None where the survey was read for this very focus.
    """
    if marked is None or not page.task.focus:
        return survey
    reading = survey.reading
    seen = {
        file.path: replace(file, source=replace(file.source, explicit=True))
        for file in reading.files
        if file.path in marked
    }
    reading = replace(
        reading,
        files=tuple([seen.get(file.path, file) for file in reading.files]),
        candidates=tuple(
            [
                replace(candidate, file=seen[candidate.file.path])
                if candidate.file.path in marked
                else candidate
                for candidate in reading.candidates
            ]
        ),
    )
    return replace(survey, reading=reading, explicit=(*survey.explicit, *page.task.focus))


def _with_zones(envelope: BudgetEnvelope, page: Page) -> BudgetEnvelope:
    stated = {zone.name: zone for zone in page.zones}
    zones = [stated.pop(zone.name, zone) for zone in envelope.zones]
    values = {name: getattr(envelope, name) for name in BudgetEnvelope.model_fields}
    try:
        return BudgetEnvelope(**{**values, "zones": (*zones, *stated.values())})
    except ValueError as error:
        raise UsageError(
            f"the zones do not go with the budget: {error}", field="zones", hint="raise the budget"
        ) from None


def survey_digest(survey: Survey) -> str:
    """Return a digest of everything in a survey that decides a pack."""
    reading = survey.reading
    digest = hashlib.sha256()
    for part in (
        code_version(),
        survey.report.to_json(),
        repr(survey.seeds),
        repr(survey.explicit),
        repr(survey.settings),
    ):
        digest.update(part.encode("utf-8", "surrogatepass") + b"\0")
    for file in reading.files:
        text = hashlib.sha256(file.text.encode("utf-8", "surrogatepass")).hexdigest()
        facts = (file.path, text, file.file_class, file.language, file.source.explicit, file.notes)
        digest.update(repr(facts).encode("utf-8", "surrogatepass"))
    digest.update(
        repr((reading.skipped, reading.empty, reading.walked.unmatched, reading.walked.notes)).encode()
    )
    digest.update(repr(survey.freshness).encode())
    return digest.hexdigest()


def task_digest(page: Page, amendment: Amendment | None = None, emission: str = "") -> str:
    """Return a digest of the task of a page, its options, and what is made of it."""
    change = amendment.digest if amendment else None
    return content_hash({**page.facts(), "amendment": change, "emission": emission})


def input_digest(task: str, survey: str) -> str:
    """Return a digest of what decides the pack of a page: its task and options, and the evidence."""
    return content_hash({"task": task, "survey": survey})


def _proxy(data: dict[Any, Any]) -> MappingProxyType[Any, Any]:
    return MappingProxyType(data)


class _Pickler(pickle.Pickler):
    def reducer_override(self, obj: object) -> Any:
        if isinstance(obj, MappingProxyType):
            return _proxy, (dict(obj),)
        return NotImplemented


def packed_survey(survey: Survey) -> bytes:
    """Return ``survey`` as bytes, for other processes of the same version."""
    out = io.BytesIO()
    _Pickler(out, protocol=pickle.HIGHEST_PROTOCOL).dump(survey)
    return out.getvalue()


def unpacked_survey(data: bytes | memoryview) -> Survey:
    """Return what :func:`packed_survey` packed."""
    with collector_paused():
        survey: Survey = pickle.loads(data)  # noqa: S301 - from a process that we started
    return survey
