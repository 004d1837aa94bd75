"""The work on one page, the same in every engine: prepare, solve, render, write."""

from __future__ import annotations

import gc
import hashlib
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from ..files import ARTIFACT, PROBLEM, PROMPTS, write_texts
from ..models import FileError
from ..outputs import KINDS, Kind
from ..packing import PackResult
from ..placing import place_folder
from ..sources.scan import Survey
from .emitting import REQUEST, Emission
from .pages import Page
from .preparing import Amendment, Shelf
from .records import PageRecord, Seconds, failure_of, names_of, record_of
from .since import Since

SWEPT: Final = 8
"""Pages after which the cyclic garbage is collected: of its own accord the collector, which is paused where
units are built, comes too seldom, and a worker would grow by megabytes with each page."""

PAGE_FILES: Final = frozenset({ARTIFACT, PROBLEM, *PROMPTS.values(), REQUEST})
"""What the folder of a page may hold that is replaced as a whole."""


@dataclass(frozen=True)
class Job:
    """A page that is to be packed.

    Attributes
    ----------
    survey
        Key of what its repository holds.
    inputs
        Digest of what decides its pack.
    folder
        Where its files go; None where they come back with the answer.
    kinds
        Which files are wanted.
    time_limit
        Seconds for the solve.
    amendment
        What is changed of its problem.
    beats
        What an earlier try gave, which stands unless this one is better.
    task
        Digest of the task and its options alone.
    since
        With a revision to compare with: what is known of the page from the run before.
    changes
        Why it is packed again.
    emission
        What request is made of it.
    """

    page: Page
    survey: str
    inputs: str
    folder: Path | None
    kinds: tuple[Kind, ...] = KINDS
    time_limit: float | None = None
    amendment: Amendment | None = field(default=None, repr=False)
    beats: PageRecord | None = field(default=None, repr=False)
    task: str = ""
    since: Since | None = field(default=None, repr=False)
    changes: tuple[str, ...] = ()
    emission: Emission | None = None


@dataclass(frozen=True)
class Answer:
    """What became of a job; ``texts`` are its files by name, where they are still to be written."""

    record: PageRecord
    seconds: Seconds
    texts: Mapping[str, str] | None = field(default=None, repr=False)


class Shop:
    """Does jobs in this process; what it knows of a survey it keeps for the next job.

    Parameters
    ----------
    fetch
        Gives the survey of a key.
    name
        Of the worker, for the record of seconds.
    """

    def __init__(self, fetch: Callable[[str], Survey], name: str = "") -> None:
        self._fetch = fetch
        self._name = name
        self._shelves: dict[str, Shelf] = {}
        self._done = 0

    def do(self, job: Job) -> Answer:
        """Return what became of ``job``; a failure is an answer, too, and only an interrupt is raised."""
        self._done += 1
        if self._done % SWEPT == 0:
            gc.collect()
        return self._done_with(job)

    def _done_with(self, job: Job) -> Answer:
        started = time.monotonic()
        seconds = Seconds(task=job.page.id, worker=self._name)
        try:
            prepared = self.shelf(job.survey).prepared(job.page, job.amendment)
            ready = time.monotonic()
            seconds = seconds.model_copy(update={"prepare": round(ready - started, 4)})
            changes = job.changes
            if job.since is not None and not changes:
                changes = job.since.news(prepared.problem)
                if not changes:
                    record = job.since.record.model_copy(
                        update={"status": "unchanged", "changes": (), "prompt_changed": False}
                    )
                    return Answer(record, seconds)
            options = job.page.options
            solve = replace(options.solve, time_limit=job.time_limit)
            result = prepared.solved(replace(options, solve=solve))
            solved = time.monotonic()
            seconds = seconds.model_copy(update={"solve": round(solved - ready, 4)})
            record = record_of(job.page, result.context, job.inputs, job.time_limit)
            if job.beats is not None and not _is_better(record, job.beats):
                return Answer(job.beats, seconds)
            texts = texts_of(result, job.kinds)
            if job.emission is not None:
                texts[REQUEST] = job.emission.text(job.page, result)
            files = digests_of(texts)
            record = record.model_copy(
                update={
                    "files": files,
                    "task_digest": job.task or None,
                    "changes": changes,
                    "prompt_changed": _is_other(files, job.since) if changes else None,
                }
            )
            if job.folder is not None:
                place_texts(job.folder / record.output, texts)
            spent = round(time.monotonic() - solved, 4)
            seconds = seconds.model_copy(update={"write": spent})
            return Answer(record, seconds, texts if job.folder is None else None)
        except Exception as error:  # noqa: BLE001 - one page's failure is not the others'
            return Answer(failure_of(job.page, error, job.inputs), seconds)

    def shelf(self, key: str) -> Shelf:
        """Return what is known of a survey."""
        if key not in self._shelves:
            self._shelves[key] = Shelf(self._fetch(key))
        return self._shelves[key]


def _is_other(files: Mapping[str, str], since: Since | None) -> bool:
    """Whether the prompt among ``files`` is another one than that of the run before."""
    before = since.record.files if since else {}
    return any(files.get(name) != before.get(name) for name in PROMPTS.values())


def _is_better(one: PageRecord, other: PageRecord) -> bool:
    """Whether ``one`` has the greater value, or as much of it nearer to a proof."""
    return (one.objective or 0, -(one.bound or 0)) > (other.objective or 0, -(other.bound or 0))


def texts_of(result: PackResult, kinds: tuple[Kind, ...]) -> dict[str, str]:
    """Return the files that a page leaves, by name."""
    prompt = result.context.prompt
    names = names_of(prompt.format if prompt else "markdown", kinds)
    made: dict[str, Callable[[], str]] = {
        "problem": result.problem.to_json,
        "prompt": lambda: result.prompt,
        "artifact": result.context.to_json,
    }
    return {names[kind]: make() for kind, make in made.items() if kind in names}


def digests_of(texts: Mapping[str, str]) -> dict[str, str]:
    """Return the SHA-256 of each text as it stands in its file."""
    return {name: hashlib.sha256(text.encode("utf-8")).hexdigest() for name, text in sorted(texts.items())}


def place_texts(folder: Path, texts: Mapping[str, str]) -> None:
    """Put the files of a page in place together, and take away those of an earlier run that wanted more.

    Raises
    ------
    FileError
        They cannot be written.
    """
    try:
        placed = place_folder(folder, texts, PAGE_FILES)
    except OSError as error:
        hint = "choose another place with --out"
        raise FileError(f"cannot be written: {error.strerror}", file=str(folder), hint=hint) from None
    if not placed:
        write_texts({folder / name: text for name, text in texts.items()})
    for name in sorted(PAGE_FILES - texts.keys()):
        (folder / name).unlink(missing_ok=True)


__all__ = ["Answer", "Job", "Shop", "names_of", "place_texts"]
