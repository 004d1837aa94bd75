"""Summaries that are had by the hash of the text: looked up by a pack, made by workers.

A summary is a function of the text alone, so whether it was looked up or made changes no byte of a pack.
"""

from __future__ import annotations

import hashlib
import sqlite3
import time
from collections.abc import Iterator, Sequence
from enum import StrEnum
from functools import partial
from typing import Final, NamedTuple, Self

from pydantic_core import from_json, to_json

from ...models import Diagnostic, Severity, State, UsageError
from ..candidates import Candidate, ScannedFile, document_of
from ..extract import Document, Form, Fragment, Span
from ..languages import ROLES, Role
from ..textrank import SummaryOptions, summarise_code, summarise_prose
from ..textrank.rung import SHORTEST, summary_form
from ..units import summary_of
from .contexts import Contexts
from .database import Database, decoded

WHOLE: Final = -1
"""Number of the summary of a whole text, which is written after those of its fragments."""

WHOLE_SENTENCES: Final = 5
"""The summary of a whole text holds the three to five sentences that seed 002 speaks of."""

_INSERT: Final = (
    "INSERT OR IGNORE INTO summaries (key, number, digest, version, shape, body, updated_at) "
    "VALUES (?, ?, ?, ?, ?, ?, ?)"
)


class SummaryUse(StrEnum):
    """Where the summary rungs of a pack come from.

    COMPUTE
        Those of the most relevant units are looked up, or made on the spot; a few hundred at most.
    CACHED
        Only what workers have made is offered: nothing is made while someone waits.
    OFF
        None is offered.
    """

    COMPUTE = "compute"
    CACHED = "cached"
    OFF = "off"

    @classmethod
    def named(cls, text: str) -> Self:
        """Return the use called ``text``; raises :class:`UsageError` when there is none."""
        try:
            return cls(text)
        except ValueError:
            hint = f"accepted: {', '.join(cls)}"
            raise UsageError("is no use of summaries", field="summaries", value=text, hint=hint) from None


class Made(NamedTuple):
    """A row: the number of a fragment or :data:`WHOLE`, its shape, and the summary, if there is one."""

    number: int
    shape: str
    form: Form | None


def summary_key(file: ScannedFile, digest: str, version: str) -> str:
    """Return the key of a text's summaries: the same wherever the text stands."""
    parts = "\0".join((digest, file.file_class.value, file.language, version))
    return hashlib.sha256(parts.encode("utf-8")).hexdigest()


def shape_of(fragment: Fragment) -> str:
    """Return what a summary was made of besides the text: its lines, and how long the rung above is."""
    above = len(fragment.forms[-1].text if fragment.forms else fragment.text)
    return f"{','.join(f'{span.start}-{span.end}' for span in fragment.spans)}:{above}"


def has_summaries(file: ScannedFile) -> bool:
    """Whether a file is of a kind that is summarised, and longer than its summary would be."""
    return ROLES.get(file.language) in (Role.CODE, Role.PROSE) and len(file.text) >= SHORTEST


def make_all(file: ScannedFile, fragments: Sequence[Fragment]) -> list[Made]:
    """Return the summaries of every fragment of a file, and of the whole, in order of writing."""
    document = document_of(file)
    made = [
        Made(number, shape_of(fragment), summary_form(document, fragment))
        for number, fragment in enumerate(fragments)
    ]
    return [*made, Made(WHOLE, "", whole_form(document, fragments))]


def whole_form(document: Document, fragments: Sequence[Fragment]) -> Form | None:
    """Return the summary of a whole text, as seed 002 means it; None of a text that has no sentences."""
    role = ROLES.get(document.language)
    options = SummaryOptions(sentences=WHOLE_SENTENCES)
    if role is Role.CODE and fragments:
        summary = summarise_code(document, fragments, options)
    elif role in (Role.CODE, Role.PROSE):
        summary = summarise_prose(document.text, options)
    else:
        return None
    return summary.form() if summary.text and len(summary.text) < len(document.text) else None


def rows_of(file: ScannedFile, digest: str, version: str, made: Sequence[Made]) -> list[tuple[object, ...]]:
    """Return the rows to write."""
    key, now = summary_key(file, digest, version), int(time.time())
    return [(key, row.number, digest, version, row.shape, _body(row.form), now) for row in made]


def insert(connection: sqlite3.Connection, rows: Sequence[tuple[object, ...]]) -> None:
    """Write rows; what another process has written first stays."""
    connection.executemany(_INSERT, rows)


def is_complete(database: Database, key: str) -> bool:
    """Whether all summaries of a text are there."""
    return database.row("SELECT 1 FROM summaries WHERE key = ? AND number = ?", (key, WHOLE)) is not None


def stored(database: Database, key: str) -> Iterator[Made]:
    """Yield what is stored of a text."""
    for number, shape, body in database.rows(
        "SELECT number, shape, body FROM summaries WHERE key = ? ORDER BY number", (key,)
    ):
        yield Made(number, shape, decoded("a summary", partial(_form, body)))


class Summaries:
    """Gives the summary rung of a candidate.

    Attributes
    ----------
    missing
        Path to how many summaries of the file would have been offered, had they been made; only where none
        may be made.
    """

    def __init__(
        self,
        use: SummaryUse,
        version: str = "",
        database: Database | None = None,
        contexts: Contexts | None = None,
    ) -> None:
        self._use = use
        self._version = version
        self._database = database
        self._contexts = contexts
        self._known: dict[str, dict[int, Made]] = {}
        self._made: list[tuple[object, ...]] = []
        self.missing: dict[str, int] = {}

    def __call__(self, candidate: Candidate) -> Form | None:
        """Return the summary of a candidate's fragment, if there is one and it may be had."""
        if self._use is SummaryUse.OFF:
            return None
        found = self._lookup(candidate)
        if found is not None:
            return found.form
        if self._use is SummaryUse.CACHED:
            path = candidate.file.path
            self.missing[path] = self.missing.get(path, 0) + 1
            return None
        form = summary_of(candidate)
        self._remember(candidate, form)
        return form

    def diagnostics(self) -> Iterator[Diagnostic]:
        """Yield a notice of the summaries that are not made yet: with them, the pack will be another."""
        if self.missing:
            count = sum(self.missing.values())
            yield Diagnostic(
                severity=Severity.INFO,
                code="summaries_missing",
                message=f"{count} summaries are not made yet, and were not offered",
                data={"summaries": count, "files": len(self.missing)},
            )

    def flush(self) -> None:
        """Write the summaries that were made on the spot."""
        rows, self._made = self._made, []
        if rows and self._database is not None and self._contexts is not None:
            database = self._database
            self._contexts.guarded(lambda: database.write(lambda db: insert(db, rows)), None)

    def _lookup(self, candidate: Candidate) -> Made | None:
        key = self._key(candidate)
        if key is None or self._database is None or self._contexts is None:
            return None
        if key not in self._known:
            database = self._database
            none: list[Made] = []
            rows = self._contexts.guarded(lambda: list(stored(database, key)), none)
            self._known[key] = {row.number: row for row in rows}
        found = self._known[key].get(candidate.number)
        return found if found is not None and found.shape == shape_of(candidate.fragment) else None

    def _remember(self, candidate: Candidate, form: Form | None) -> None:
        key = self._key(candidate)
        if key is not None and self._contexts is not None:
            digest = self._contexts.digests[candidate.file.path]
            made = Made(candidate.number, shape_of(candidate.fragment), form)
            self._made += rows_of(candidate.file, digest, self._version, [made])

    def _key(self, candidate: Candidate) -> str | None:
        if self._contexts is None:
            return None
        digest = self._contexts.digests.get(candidate.file.path)
        return None if digest is None else summary_key(candidate.file, digest, self._version)


def _body(form: Form | None) -> str | None:
    if form is None:
        return None
    return to_json([form.state.value, form.text, [[span.start, span.end] for span in form.spans]]).decode()


def _form(body: str | None) -> Form | None:
    if body is None:
        return None
    state, text, spans = from_json(body)
    if not isinstance(text, str) or not all(isinstance(line, int) for span in spans for line in span):
        raise TypeError
    return Form(State(state), text, tuple(Span(start, end) for start, end in spans))
