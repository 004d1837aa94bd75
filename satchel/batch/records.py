"""What a batch says of each page: a record without clock or place, the same on every run; seconds apart."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import ClassVar, Final, Literal

from pydantic import Field

from ..exits import clean_data
from ..files import ARTIFACT, PROBLEM, PROMPTS
from ..models import Model, PackedContext, SatchelError
from ..models.base import Data
from .pages import Page

MANIFEST: Final = "manifest.jsonl"
SECONDS: Final = "seconds.jsonl"
JOURNAL: Final = ".journal.jsonl"

PackStatus = Literal["optimal", "within_gap", "feasible", "heuristic"]
PageStatus = Literal["optimal", "within_gap", "feasible", "heuristic", "unchanged", "failed", "not_run"]

PROVEN: Final = frozenset({"optimal", "within_gap"})
DONE: Final = frozenset({"optimal", "within_gap", "feasible", "heuristic", "unchanged"})


class Boundary(Model):
    """Where a prompt's stable prefix ends."""

    units: int
    tokens: int
    cacheable: bool
    reason: str
    digest: str


class Cost(Model):
    """What all expected calls of a prompt cost, in millionths of a currency."""

    currency: str
    calls: int
    cost_micro: int
    uncached_micro: int


class PageRecord(Model):
    """One line of the manifest.

    ``objective`` and ``bound`` are integers: value times ``scale``. ``files`` has the SHA-256 of each output,
    ``input_digest`` is of all that decides the pack, ``task_digest`` of the task and its options alone. With
    ``--since``, ``changes`` says why a page was packed again, and ``prompt_changed`` whether that made its
    prompt another one; a page that it left as it was is ``unchanged``.
    """

    SCHEMA: ClassVar[str] = "batch-manifest.v1"

    schema_version: Literal["batch-manifest.v1"] = "batch-manifest.v1"
    task: str
    repo: str
    kind: str
    output: str
    status: PageStatus
    stop_reason: str | None = None
    objective: int | None = None
    bound: int | None = None
    scale: int | None = None
    gap: float | None = None
    reproducible: bool | None = None
    time_limit: float | None = None
    tokens: int | None = None
    limit: int | None = None
    candidates: int | None = None
    accepted: int | None = None
    boundary: Boundary | None = None
    cost: Cost | None = None
    problem_digest: str | None = None
    input_digest: str | None = None
    task_digest: str | None = None
    files: dict[str, str] = Field(default_factory=dict)
    changes: tuple[str, ...] = ()
    prompt_changed: bool | None = None
    error: Data | None = None

    @property
    def is_done(self) -> bool:
        """Whether the page's outputs are there."""
        return self.status in DONE


class Seconds(Model):
    """How long a page took, by stage, in seconds of the clock; ``worker`` is where."""

    task: str
    prepare: float = 0.0
    solve: float = 0.0
    write: float = 0.0
    attempts: int = 1
    worker: str = ""

    @property
    def total(self) -> float:
        """All stages together."""
        return self.prepare + self.solve + self.write


def record_of(page: Page, context: PackedContext, inputs: str, limit: float | None) -> PageRecord:
    """Return the record of a page that was packed, its files yet to be named."""
    solver, prompt, cost = context.solver, context.prompt, context.cost
    assert prompt is not None
    return PageRecord(
        task=page.id,
        repo=page.repo,
        kind=page.task.kind,
        output=page.output,
        status=solver.status.value,
        stop_reason=solver.stop_reason.value,
        objective=solver.objective,
        bound=solver.bound,
        scale=solver.scale,
        gap=solver.gap,
        reproducible=solver.reproducible,
        time_limit=limit,
        tokens=prompt.tokens,
        limit=prompt.limit,
        candidates=context.counts.candidates,
        accepted=context.counts.accepted,
        boundary=Boundary(
            units=prompt.boundary.index,
            tokens=prompt.boundary.tokens,
            cacheable=prompt.boundary.cacheable,
            reason=prompt.boundary.reason,
            digest=prompt.boundary.prefix_digest,
        ),
        cost=None
        if cost is None
        else Cost(
            currency=cost.currency,
            calls=cost.expected_calls,
            cost_micro=cost.cost_micro,
            uncached_micro=cost.uncached_micro,
        ),
        problem_digest=solver.problem_digest,
        input_digest=inputs,
    )


def failure_of(page: Page, error: BaseException, inputs: str | None = None) -> PageRecord:
    """Return the record of a page that could not be packed, with the reason."""
    if isinstance(error, SatchelError):
        facts = error.to_dict()
    elif isinstance(error, MemoryError):
        facts = {"code": "memory", "message": "there is not enough memory for this"}
    else:
        facts = {"code": "fault", "message": f"{type(error).__name__}: {error}"}
    return PageRecord(
        task=page.id,
        repo=page.repo,
        kind=page.task.kind,
        output=page.output,
        status="failed",
        input_digest=inputs,
        error=clean_data(facts),
    )


def not_run(page: Page, reason: str) -> PageRecord:
    """Return the record of a page that was not begun."""
    return PageRecord(
        task=page.id,
        repo=page.repo,
        kind=page.task.kind,
        output=page.output,
        status="not_run",
        error={"code": "not_run", "message": reason},
    )


def together_by_prefix(records: Sequence[PageRecord]) -> list[PageRecord]:
    """Return the records in the order in which prompts are best sent: those that begin alike together."""
    first: dict[str, int] = {}
    for i, record in enumerate(records):
        first.setdefault(record.boundary.digest if record.boundary else record.task, i)
    return sorted(records, key=lambda r: first[r.boundary.digest if r.boundary else r.task])


def file_digest(path: Path) -> str:
    """Return the SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def names_of(fmt: str, kinds: Sequence[str]) -> dict[str, str]:
    """Return the names of a page's files in ``fmt`` by what they are."""
    every = {"artifact": ARTIFACT, "problem": PROBLEM, "prompt": PROMPTS[fmt]}
    return {kind: name for kind, name in every.items() if kind in kinds}


def is_there(record: PageRecord, folder: Path, wanted: Mapping[str, str]) -> bool:
    """Whether the files of a page are as its record says, and all that are wanted."""
    if set(record.files) != set(wanted.values()):
        return False
    place = folder / record.output
    try:
        return all(file_digest(place / name) == digest for name, digest in record.files.items())
    except OSError:
        return False
