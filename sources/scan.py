"""From a folder and a task to everything that the solver weighs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from ..models import (
    ContextUnit,
    CoverageDimension,
    Diagnostic,
    Kind,
    PackingPolicy,
    RedundancyGroup,
    RejectedUnit,
    ScanReport,
    Severity,
    Task,
    Weights,
)
from .account import account, diagnostics
from .cache.store import Cache
from .cache.summaries import Summaries, SummaryUse
from .candidates import Candidate, Reading, read_candidates
from .exercises import Exercises
from .extract import default_registry
from .file_classes import FileClass
from .headings import with_headings
from .languages import ROLES, Role
from .origin import Ages, Origin
from .plain import PlainMemory
from .ranking import Library, rank
from .redundancy import redundancy
from .repomap import MapFile, repo_map
from .score.freshness import DEPRECATED_SHARE, is_deprecated
from .score.words import query_terms, without
from .seeds import Seeding, Seeds, seeds_of
from .tasks import Settings, TaskKind, read_settings
from .unit_parts import UnitParts
from .units import build_units
from .walk import WalkOptions

_README_CHARS: Final = 1_000
"""How much of the beginning of a README stands for what a project is about."""

_REQUIRED_OF_NAMED: Final = 4
"""A named file or folder is present with at least this many of its units, those nearest to the task."""

_ON_MAP: Final = frozenset({FileClass.SOURCE, FileClass.CONTRACT, FileClass.CONFIG, FileClass.DOC})
_NOT_ON_MAP: Final = re.compile(r"(^|/)(\.[^/]*|licen[sc]e[^/]*|copying[^/]*|unlicense|notice|authors)(/|$)")
"""Files of other classes, hidden ones and licences are counted on the map, not listed."""

_EVIDENCE: Final = frozenset(
    {
        FileClass.SOURCE,
        FileClass.DOC,
        FileClass.CONFIG,
        FileClass.CONTRACT,
        FileClass.TEST,
        FileClass.EXAMPLE,
    }
)
"""What a named folder is named for; its images, data, lock files and machine-written code are not."""

_NAMED_RELEVANCE: Final = 0.5
"""All other units of what is named are at least this relevant."""


@dataclass(frozen=True, slots=True)
class ScanOptions:
    """What is read. Paths in ``task.focus`` are read whatever the rules say.

    Attributes
    ----------
    walk
        Rules of inclusion (:class:`.walk.WalkOptions`).
    history
        Whether git is asked when files last changed.
    jobs
        Processes that read; as many as there are processors when absent, and then only for much text.
    seeds
        What the task starts from besides its words (:class:`.seeds.Seeding`).
    cache
        What earlier runs found out; it changes no byte of the result.
    summaries
        Where summary rungs come from (:class:`.cache.summaries.SummaryUse`).
    settings
        The project's own kinds of task; those of the (first) folder that is read when absent.
    plain
        What earlier runs made of fragments; it changes no byte of the result, but that of some units the
        tokens are known.
    """

    walk: WalkOptions = field(default_factory=WalkOptions)
    history: bool = True
    jobs: int | None = None
    seeds: Seeding = field(default_factory=Seeding)
    cache: Cache | None = field(default=None, repr=False, compare=False)
    summaries: SummaryUse = SummaryUse.COMPUTE
    settings: Settings | None = None
    plain: PlainMemory | None = field(default=None, repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class ScanResult:
    """A packing problem but for its envelope, and the account of what was read.

    Attributes
    ----------
    kind
        Of the task; gives the zones of an envelope (``kind.zones_for``).
    units
        Candidates, uncounted, in order of path and line, the map of the repository first.
    groups, dimensions, policy, weights
        As the problem takes them.
    skipped
        Files and folders that became no unit, as the artifact lists them.
    diagnostics
        What a reader should know: redactions, suspicious passages, files that did not parse.
    report
        Counts for the artifact.
    """

    kind: TaskKind
    units: tuple[ContextUnit, ...]
    groups: tuple[RedundancyGroup, ...]
    dimensions: tuple[CoverageDimension, ...]
    policy: PackingPolicy
    weights: Weights
    skipped: tuple[RejectedUnit, ...]
    diagnostics: tuple[Diagnostic, ...]
    report: ScanReport


@dataclass(frozen=True, slots=True)
class Survey:
    """What a folder holds, whatever the task: read once, and weighed for any number of tasks.

    Attributes
    ----------
    reading
        Files and candidates.
    ages
        When files last changed.
    freshness
        Of each candidate, 0..1.
    seeds
        What every task starts from.
    depth
        How many parts a path has in front of what is at the top of its folder.
    library
        The words of the candidates.
    explicit
        Paths that were read whatever the rules say.
    report
        Counts for the artifact.
    settings
        The project's own kinds of task.
    """

    reading: Reading
    ages: Ages
    freshness: list[float]
    seeds: Seeds
    depth: int
    library: Library
    explicit: tuple[str, ...]
    report: ScanReport
    settings: Settings


def settled(root: Path | Sequence[Path], options: ScanOptions) -> ScanOptions:
    """Return the options with the settings of the folder that is read, where they have none.

    Raises
    ------
    InputError
        Its settings are at fault (:func:`.tasks.settings.read_settings`).
    """
    if options.settings is not None:
        return options
    return replace(options, settings=read_settings(root if isinstance(root, Path) else root[0]))


def kind_of(task: Task, options: ScanOptions) -> TaskKind:
    """Return the kind of a task; raises ``UsageError`` when there is none of that name."""
    return (options.settings or Settings()).kind(task.kind)


def scan(root: Path | Sequence[Path], task: Task, options: ScanOptions | None = None) -> ScanResult:
    """Read ``root`` and return what there is to choose from for ``task``.

    Of several folders each path begins with the label of its folder (:mod:`.roots`). The same tree gives
    the same result, whatever the working folder, the clock or the hash seed.

    Raises
    ------
    UsageError
        Unknown kind of task (lists those that there are), or a path, pattern or revision that cannot be used.
    FileError
        ``root`` or a path of ``task.focus`` does not exist.
    """
    options = options or ScanOptions()
    options = settled(root, options or ScanOptions())
    kind_of(task, options)  # one that there is not is told before anything is read
    return weigh(survey(root, options, task.focus), task, options)


def survey(
    root: Path | Sequence[Path], options: ScanOptions | None = None, focus: Sequence[str] = ()
) -> Survey:
    """Read ``root``, and whatever the rules say the paths in ``focus``; raises as :func:`scan`."""
    options = settled(root, options or ScanOptions())
    rules = rules_of(options, focus)
    cache = options.cache
    memory = cache.contexts if cache else None
    reading = read_candidates(root, rules, default_registry(), memory, options.jobs)
    origin = Origin.of(root, rules.revision)
    ages = origin.ages(cache) if options.history else origin.unknown_ages()
    fresh = {file.path: ages.freshness(file) for file in reading.files}
    return Survey(
        reading=reading,
        ages=ages,
        freshness=[
            fresh[candidate.file.path] * (DEPRECATED_SHARE if is_deprecated(candidate.fragment) else 1.0)
            for candidate in reading.candidates
        ],
        seeds=seeds_of(options.seeds, origin, reading, ages),
        depth=origin.depth,
        library=Library.of(reading.candidates, memory),
        explicit=rules.explicit,
        report=_report(origin, reading),
        settings=options.settings or Settings(),
    )


def rules_of(options: ScanOptions, focus: Sequence[str]) -> WalkOptions:
    """Return the rules of the walk of a task: what it names is read whatever else they say."""
    page = (options.seeds.page,) if options.seeds.page else ()
    return replace(options.walk, explicit=(*options.walk.explicit, *focus, *page))


def weigh(
    found: Survey,
    task: Task,
    options: ScanOptions | None = None,
    summaries: Summaries | None = None,
    parts: UnitParts | None = None,
) -> ScanResult:
    """Return what there is to choose from for ``task`` in what was read with its focus.

    Only what is remembered and the use of summaries are asked of ``options``; ``summaries`` and ``parts``
    are those that a run over many tasks has made already.

    Raises
    ------
    UsageError
        Unknown kind of task.
    """
    options = options or ScanOptions()
    kind, cache, reading, seeds = found.settings.kind(task.kind), options.cache, found.reading, found.seeds
    if summaries is None:
        summaries = cache.summaries(options.summaries) if cache else Summaries(options.summaries)
    asked = _asked(task, kind, reading.candidates, seeds, found.depth)
    ranking = seeds.applied(rank(reading.candidates, kind, asked, library=found.library))
    scores = ranking.scores
    required = _name(scores, reading.candidates, found.explicit)
    exercises = Exercises(reading.candidates, scores)
    units = build_units(
        reading.candidates,
        scores,
        found.freshness,
        required,
        kind,
        query_terms(*asked),
        summaries,
        lambda n: exercises.told(n, ranking.explained(n)),
        parts,
        options.plain,
    )
    if cache:
        cache.scanned(reading.files, summaries)
    overview = repo_map(
        _map_files(reading, scores),
        relevance=kind.repo_map.relevance,
        authority=kind.authority.get(FileClass.SOURCE, 0.0),
        coverage={
            dimension.name: rule.strength
            for dimension in kind.coverage
            for rule in dimension.rules
            if Kind.REPO_SUMMARY in rule.kinds
        },
    )
    return ScanResult(
        kind=kind,
        units=(*((overview,) if overview else ()), *with_headings(units)),
        groups=redundancy(reading.candidates, scores, required),
        dimensions=tuple(dimension.dimension() for dimension in kind.coverage),
        policy=kind.policy,
        weights=kind.weights,
        skipped=account(reading),
        diagnostics=(*diagnostics(reading, found.ages.notes), *_rest(found, summaries)),
        report=found.report,
    )


def _asked(
    task: Task, kind: TaskKind, candidates: Sequence[Candidate], seeds: Seeds, depth: int
) -> tuple[str, ...]:
    """Return the texts that say what the task is about.

    A task that says nothing is about what it starts from, or else about what its kind always asks, and what
    the README speaks of.
    """
    asked = tuple(text for text in (task.title, task.about, *task.outline) if text.strip())
    asked = asked or seeds.asked
    if asked or task.focus:
        named = tuple(path.replace("/", " ") for path in task.focus)
        return without(asked, {*kind.generic.split(), *kind.name.split("-")}) if asked else named
    readme = [
        candidate.fragment
        for candidate in candidates
        if candidate.file.path.count("/") == depth
        and candidate.file.path.rpartition("/")[2].lower().startswith("readme")
    ]
    headings = tuple(fragment.signature for fragment in readme)
    return (kind.words, *headings, *(fragment.text[:_README_CHARS] for fragment in readme[:1]))


def _name(scores: list[float], candidates: Sequence[Candidate], explicit: Sequence[str]) -> frozenset[int]:
    """Raise the scores of what the user named; return which of its units are required.

    Of a folder, only units of the classes that evidence comes from are required; where it holds none,
    its other units are raised and left to the budget.
    """
    required: set[int] = set()
    for named in explicit:
        path = named.strip("/").removeprefix("./")
        inside = [
            n
            for n, candidate in enumerate(candidates)
            if candidate.file.path == path or path in ("", ".") or candidate.file.path.startswith(f"{path}/")
        ]
        inside.sort(key=lambda n: (-scores[n], n))
        is_file = any(candidates[n].file.path == path for n in inside)
        wanted = [n for n in inside if is_file or _is_evidence(candidates[n])]
        required.update(wanted[:_REQUIRED_OF_NAMED])
        for n in wanted or inside:
            scores[n] = max(scores[n], _NAMED_RELEVANCE)
    return frozenset(required)


def _is_evidence(candidate: Candidate) -> bool:
    # A picture among the examples is of their class.
    return candidate.file_class in _EVIDENCE and ROLES.get(candidate.file.language) is not Role.DATA


def _map_files(reading: Reading, scores: Sequence[float]) -> list[MapFile]:
    names: dict[str, list[str]] = {}
    best: dict[str, float] = {}
    for candidate, score in zip(reading.candidates, scores, strict=True):
        path, fragment = candidate.file.path, candidate.fragment
        best[path] = max(best.get(path, 0.0), score)
        if candidate.file_class is FileClass.SOURCE and fragment.public and not fragment.parent:
            shown = fragment.defines if fragment.role == "file" else fragment.defines[:1]
            names.setdefault(path, []).extend(shown if fragment.role not in ("module", "block") else ())
    return [
        MapFile(
            file.path,
            tuple(dict.fromkeys(names.get(file.path, ()))),
            best.get(file.path, 0.0),
            listed=file.file_class in _ON_MAP and not _NOT_ON_MAP.search(file.path.lower()),
        )
        for file in reading.files
    ]


def _rest(found: Survey, summaries: Summaries) -> Iterator[Diagnostic]:
    """Yield what a reader should know besides what was found in the files."""
    if found.settings.file:
        names = sorted(found.settings.tasks)
        yield Diagnostic(
            severity=Severity.INFO,
            code="project_settings",
            message=f"{found.settings.file} has rules and tasks of its own, which hold here",
            data={"file": found.settings.file, "tasks": names, "rules": bool(found.settings.rules)},
        )
    yield from found.seeds.diagnostics
    yield from summaries.diagnostics()


def _report(origin: Origin, reading: Reading) -> ScanReport:
    skipped: dict[str, int] = {}
    for item in reading.skipped:
        skipped[item.reason.value] = skipped.get(item.reason.value, 0) + (item.files or 0)
    if reading.empty:
        skipped["empty"] = len(reading.empty)
    return ScanReport(
        files=len(reading.files),
        bytes=sum(file.source.size for file in reading.files),
        skipped=dict(sorted(skipped.items())),
        revision=origin.commits(),
    )
