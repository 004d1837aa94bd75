"""A batch from its tasks file to its manifest."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from ..caching import CacheOptions, Notify
from ..files import write_text
from ..models import InputError, SatchelError, StoppedError, UsageError
from ..outputs import KINDS, Kind
from ..packing import PackOptions
from ..sources.cache.summaries import SummaryUse
from .emitting import REQUEST, Emission, write_requests
from .engines import Engine
from .engines.inline import InlineEngine
from .engines.pool import PoolEngine
from .journal import Journal, only_one, read_records, read_seconds, sweep
from .pages import Page, pages_of, repo_of
from .preparing import Amendment, Pages, PlanPrefix, Shelf, input_digest, task_digest
from .records import PageRecord, Seconds, failure_of, is_there, names_of, not_run, together_by_prefix
from .schedule import Schedule
from .since import differences, known_of, reasons_of
from .surveys import Surveys
from .taskfile import read_tasks
from .working import Answer, Job, place_texts

DEFAULT_BATCH_FOLDER: Final = ".satchel-batch"
"""Where a batch is written unless told otherwise; a scan never reads it."""


@dataclass(frozen=True)
class Step:
    """How far a batch has come: pages ``done`` of ``total``, and the seconds that the rest may take."""

    done: int
    total: int
    failed: int
    seconds_left: float | None
    task: str


@dataclass(frozen=True)
class BatchOptions:
    """How a batch is run.

    Parameters
    ----------
    folder
        Where pages and manifest go.
    pack
        What holds for pages of which neither the task nor the defaults say anything.
    jobs
        Processes that pack; with 1 it is this one.
    engine
        Who packs, instead of ``jobs`` processes.
    kinds
        Which files each page leaves: artifact, problem, prompt.
    resume
        Leave pages as they are whose inputs are the same as when they were packed.
    fail_fast
        Begin no more pages after one has failed.
    time_limit
        Seconds for the solve of each page.
    run_time_limit
        Seconds for all pages, shared out as :mod:`.schedule` says.
    since
        Branch, tag or commit: only pages that what has changed since it concerns are packed again; see
        :mod:`.since`.
    emit
        One of :data:`.emitting.FORMATS`: requests for a provider's batch interface, beside the pages.
    answer_tokens
        What a request says of how long its answer may be, instead of what the model's profile reserves.
    cache
        Where readings are remembered from run to run.
    plan
        Looks at all problems before any is solved, and changes some.
    on_stage, on_step, on_notice
        Told of what begins, of each page that is done, and of what the user should read.

    Raises
    ------
    UsageError
        An option cannot be used.
    """

    folder: Path = Path(DEFAULT_BATCH_FOLDER)
    pack: PackOptions = field(default_factory=PackOptions)
    jobs: int = 1
    engine: Engine | None = None
    kinds: tuple[Kind, ...] = KINDS
    resume: bool = False
    fail_fast: bool = False
    time_limit: float | None = None
    run_time_limit: float | None = None
    since: str | None = None
    emit: str | None = None
    answer_tokens: int | None = None
    cache: CacheOptions | None = None
    plan: PlanPrefix | None = None
    on_stage: Callable[[str], None] | None = None
    on_step: Callable[[Step], None] | None = None
    on_notice: Notify | None = None

    def __post_init__(self) -> None:
        for name, limit in (("--time-limit", self.time_limit), ("--run-time-limit", self.run_time_limit)):
            if limit is not None and not 0 <= limit < float("inf"):
                raise UsageError(
                    "is out of range", field=name, value=limit, hint="accepted: seconds, 0 or more"
                )
        if self.pack.scan.summaries is SummaryUse.CACHED:
            hint = "use compute, or off"
            raise UsageError("is not offered for batches", field="--summaries", value="cached", hint=hint)
        if not self.kinds:
            raise UsageError("names no file", field="--write", hint=f"accepted: {', '.join(KINDS)}")


@dataclass(frozen=True)
class BatchResult:
    """What a batch left.

    Attributes
    ----------
    records, seconds
        One for each page, in the order of the tasks; seconds of pages that were left as they are may be
        missing.
    kept
        How many pages were left as they are.
    scan_seconds, wall_seconds
        What reading the repositories took, and everything.
    requests
        Files of ready requests, where they were asked for.
    """

    folder: Path
    records: tuple[PageRecord, ...]
    seconds: tuple[Seconds, ...]
    kept: int
    scan_seconds: float
    wall_seconds: float
    requests: tuple[Path, ...] = ()

    @property
    def counts(self) -> Mapping[str, int]:
        """How many pages have each status."""
        return dict(sorted(Counter(record.status for record in self.records).items()))

    @property
    def is_complete(self) -> bool:
        """Whether every page is there."""
        return all(record.is_done for record in self.records)


def run_batch(tasks: str | Path, options: BatchOptions | None = None) -> BatchResult:
    """Pack every page of a tasks file and write the manifest.

    A page that fails is in the manifest with its reason and stops no other.

    Raises
    ------
    InputError
        The tasks file or an option is at fault; nothing was written.
    StoppedError
        Interrupted: what is done is kept, and ``resume`` goes on from there.
    """
    options = options or BatchOptions()
    started = time.monotonic()
    run = _Run(Path(tasks), options, started)
    with only_one(options.folder):
        try:
            return run.result()
        except KeyboardInterrupt:
            raise run.stopped() from None


class _Run:
    def __init__(self, tasks: Path, options: BatchOptions, started: float) -> None:
        self._options, self._started = options, started
        self._tasks = tasks
        self._emission = None if options.emit is None else Emission(options.emit, options.answer_tokens)
        self._file, self._lines = read_tasks(tasks)
        self._surveys = self._reader(since=options.since or "")
        self._engine: Engine = options.engine or (
            InlineEngine() if options.jobs == 1 else PoolEngine(options.jobs)
        )
        self._records: dict[str, PageRecord] = {}
        self._seconds: dict[str, Seconds] = {}
        self._kept = 0
        self._failed = 0
        self._total = 0
        self._changed: dict[str, tuple[dict[str, str], frozenset[str]]] = {}

    def result(self) -> BatchResult:
        options = self._options
        pages = self._pages()
        self._total = len(pages)
        for page in pages:
            if self._emission is not None:
                self._emission.check(page)
        keys = self._keys(pages)
        plan = self._amendments([page for page in pages if page.id in keys], keys)
        jobs = self._jobs(pages, keys, plan)
        ignore = options.folder / ".gitignore"
        if options.folder.name == DEFAULT_BATCH_FOLDER and not ignore.exists():
            write_text(ignore, "*\n")
        with Journal(options.folder) as journal:
            self._work(jobs, journal)
            for page in pages:
                self._records.setdefault(page.id, not_run(page, "the run ended before"))
            records = tuple(self._records[page.id] for page in pages)
            sweep(options.folder, (page.output for page in pages))
            seconds = tuple(self._seconds[page.id] for page in pages if page.id in self._seconds)
            requests = (
                ()
                if options.emit is None
                else write_requests(options.folder, together_by_prefix(records), options.emit)
            )
            journal.finish(records, seconds)
        wall = time.monotonic() - self._started
        return BatchResult(
            options.folder, records, seconds, self._kept, self._surveys.seconds, wall, requests
        )

    def _reader(self, *, revision: str = "", since: str = "") -> Surveys:
        options = self._options
        return Surveys(
            self._tasks.parent,
            options.pack.scan,
            options.folder,
            cache=options.cache,
            notify=options.on_notice,
            revision=revision,
            since=since,
        )

    def stopped(self) -> StoppedError:
        """Return the error that says how far the run has come."""
        done = sum(record.is_done for record in self._records.values())
        whole = f" of {self._total}" if self._total else ""
        return StoppedError(f"stopped with {done}{whole} pages done", hint="go on from there with --resume")

    def _pages(self) -> tuple[Page, ...]:
        self._stage("reading")
        file = self._file
        looked = {repo_of(entry, file) for entry in file.tasks if entry.each is not None}
        surveys = {}
        for repo in sorted(looked):
            try:
                surveys[repo] = self._surveys.get(self._surveys.whole(repo))
            except InputError as error:
                error.hint = error.hint or f"'repo' is taken from the folder of {self._tasks}"
                raise
        return pages_of(file, surveys, self._options.pack, name=str(self._tasks), lines=self._lines)

    def _keys(self, pages: tuple[Page, ...]) -> dict[str, str]:
        """Return the survey of each page; pages without one have failed."""
        keys: dict[str, str] = {}
        for page in pages:
            try:
                keys[page.id] = self._surveys.key_of(page)
            except SatchelError as error:
                self._records[page.id] = failure_of(page, error)
        return keys

    def _amendments(self, pages: list[Page], keys: Mapping[str, str]) -> Mapping[str, Amendment]:
        plan = self._options.plan
        if plan is None:
            return {}
        self._stage("planning the prefix")
        shelves = {key: Shelf(self._surveys.get(key)) for key in sorted(set(keys.values()))}
        return plan(Pages(pages, lambda page: shelves[keys[page.id]].prepared(page)))

    def _jobs(
        self, pages: tuple[Page, ...], keys: Mapping[str, str], plan: Mapping[str, Amendment]
    ) -> list[Job]:
        """Return what is to be done; with ``resume`` that is what is missing or has changed."""
        options = self._options
        looked = options.resume or options.since is not None
        known = read_records(options.folder) if looked else {}
        times = read_seconds(options.folder) if looked else {}
        # Workers on other machines hand the files back.
        folder = options.folder.absolute() if self._engine.is_local else None
        jobs = []
        for page in pages:
            if page.id not in keys:
                continue
            key, amendment, record = keys[page.id], plan.get(page.id), known.get(page.id)
            task = task_digest(page, amendment, repr(self._emission))
            inputs = input_digest(task, self._surveys.digest(key))
            wanted = names_of(page.options.format, options.kinds)
            if self._emission is not None:
                wanted["request"] = REQUEST
            if options.resume and record is not None and self._stands(record, page, inputs, wanted):
                self._keep(record, times)
                continue
            job = Job(
                page,
                key,
                inputs,
                folder,
                options.kinds,
                amendment=amendment,
                task=task,
                emission=self._emission,
            )
            jobs.append(job if options.since is None else self._compared(job, record, wanted))
        return jobs

    def _keep(self, record: PageRecord, times: Mapping[str, Seconds]) -> None:
        self._records[record.task] = record
        self._kept += 1
        if record.task in times:
            self._seconds[record.task] = times[record.task]

    def _compared(self, job: Job, record: PageRecord | None, wanted: Mapping[str, str]) -> Job:
        """Return ``job`` with what is known of its page and has changed since the revision."""
        changed, gone = self._differences(job.page.repo)
        since = known_of(record, self._options.folder, wanted, changed)
        if since is None:
            return replace(job, changes=("there is no earlier pack of it",))
        if since.record.task_digest != job.task:
            return replace(job, since=since, changes=("its task or options have changed",))
        return replace(job, since=since, changes=reasons_of(since, gone))

    def _differences(self, repo: str) -> tuple[dict[str, str], frozenset[str]]:
        """Return what differs in a repository from the revision, which is read for it once."""
        if repo not in self._changed:
            before = self._reader(revision=self._options.since or "")
            old = before.get(before.whole(repo))
            self._changed[repo] = differences(old, self._surveys.get(self._surveys.whole(repo)))
            self._surveys.seconds += before.seconds
        return self._changed[repo]

    def _stands(self, record: PageRecord, page: Page, inputs: str, wanted: Mapping[str, str]) -> bool:
        """Whether a page need not be packed again."""
        if not record.is_done or record.input_digest != inputs or record.output != page.output:
            return False
        # A proof stands whatever time there was for it; what a limit cut short stands under the same one.
        limited = record.reproducible is False and record.status not in ("optimal", "within_gap")
        if limited and (record.time_limit != self._options.time_limit or self._options.run_time_limit):
            return False
        return is_there(record, self._options.folder, wanted)

    def _work(self, jobs: list[Job], journal: Journal) -> None:
        options = self._options
        for record in self._records.values():
            self._failed += record.status == "failed"
            journal.add(record)
        engine = self._engine
        schedule = Schedule(
            jobs, engine.jobs, time_limit=options.time_limit, run_limit=options.run_time_limit
        )
        self._stage("packing")
        begun = time.monotonic()
        done: set[str] = set()
        by_id = {job.page.id: job for job in jobs}
        with closing(engine.run(schedule, self._surveys)) as answers:
            for answer in answers:
                self._take(answer, by_id[answer.record.task], journal)
                done.add(answer.record.task)
                if options.fail_fast and answer.record.status == "failed":
                    schedule.stop()
                self._tell(answer, len(done), len(jobs), time.monotonic() - begun)

    def _take(self, answer: Answer, job: Job, journal: Journal) -> None:
        record = answer.record
        if answer.texts:
            try:
                place_texts(self._options.folder / record.output, answer.texts)
            except SatchelError as error:
                record = failure_of(job.page, error, job.inputs)
        seconds, before = answer.seconds, self._seconds.get(record.task)
        if before is not None and job.page.id in self._records:  # a second try
            seconds = together(before, seconds)
        self._failed += record.status == "failed"
        self._records[record.task] = record
        self._seconds[record.task] = seconds
        journal.add(record)

    def _tell(self, answer: Answer, done: int, total: int, spent: float) -> None:
        if self._options.on_step is None:
            return
        left = spent / done * (total - done) if done else None
        self._options.on_step(
            Step(self._kept + done, self._kept + total, self._failed, left, answer.record.task)
        )

    def _stage(self, name: str) -> None:
        if self._options.on_stage is not None:
            self._options.on_stage(name)


def together(one: Seconds, other: Seconds) -> Seconds:
    """Return what two tries at a page took together."""
    return other.model_copy(
        update={
            "prepare": round(one.prepare + other.prepare, 4),
            "solve": round(one.solve + other.solve, 4),
            "write": round(one.write + other.write, 4),
            "attempts": one.attempts + other.attempts,
        }
    )


__all__ = ["DEFAULT_BATCH_FOLDER", "BatchOptions", "BatchResult", "Step", "run_batch"]
