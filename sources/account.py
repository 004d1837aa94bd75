"""The account of a scan: every file that became no unit, and what a reader should know of the rest."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from ..models import Diagnostic, RejectedUnit, RejectReason, Severity
from .candidates import Reading
from .files import SkipReason

_REASONS: Final = {
    SkipReason.BINARY: RejectReason.BINARY,
    SkipReason.TOO_LARGE: RejectReason.TOO_LARGE,
    SkipReason.UNREADABLE: RejectReason.UNREADABLE,
    SkipReason.SENSITIVE_NAME: RejectReason.SENSITIVE_NAME,
}
_SHOWN: Final = 50
"""A diagnostic lists at most this many places; it always says how many there are."""


def account(reading: Reading) -> tuple[RejectedUnit, ...]:
    """Return an entry ``file:path`` for every file or folder that became no unit, by path.

    Version control data and our own output are no candidates and have none.
    """
    out = [
        RejectedUnit(
            id=f"file:{item.path}",
            reason=_REASONS.get(item.reason, RejectReason.NOT_EVIDENCE),
            detail=item.detail if item.reason in _REASONS else f"{item.reason.value}: {item.detail}",
            data={"rule": item.reason.value} | ({} if item.files is None else {"files": item.files}),
        )
        for item in reading.skipped
        if item.reason is not SkipReason.VCS
    ]
    out.extend(
        RejectedUnit(id=f"file:{path}", reason=RejectReason.EMPTY, detail="holds no text")
        for path in reading.empty
    )
    return tuple(sorted(out, key=lambda entry: entry.id))


def diagnostics(reading: Reading, notes: Sequence[str] = ()) -> tuple[Diagnostic, ...]:
    """Return what was found, the gravest first; ``notes`` are on its history."""
    return tuple(_found(reading, notes))


def _found(reading: Reading, of_history: Sequence[str]) -> Iterator[Diagnostic]:
    secrets = [f"{f.path}:{s.line} {s.rule}" for f in reading.files for s in f.secrets]
    if secrets:
        message = f"{len(secrets)} secrets were replaced by placeholders"
        yield _places(Severity.WARNING, "secrets_redacted", message, secrets)
    speeches = [f"{f.path}:{s.line}" for f in reading.files for s in f.speeches]
    if speeches:
        message = f"{len(speeches)} passages speak to a model, not about the project"
        yield _places(Severity.WARNING, "prompt_injection", message, speeches)
    for pattern in reading.walked.unmatched:
        yield Diagnostic(
            severity=Severity.WARNING,
            code="pattern_without_match",
            message=f"the pattern {pattern!r} matches no file",
            data={"pattern": pattern},
        )
    for note in (*reading.walked.notes, *of_history):
        yield Diagnostic(severity=Severity.INFO, code="scan_note", message=note)
    notes = [f"{f.path}: {note}" for f in reading.files for note in f.notes]
    if notes:
        message = f"{len(notes)} notes on reading and parsing"
        yield _places(Severity.INFO, "file_notes", message, notes)


def _places(severity: Severity, code: str, message: str, places: list[str]) -> Diagnostic:
    return Diagnostic(
        severity=severity, code=code, message=message, data={"count": len(places), "places": places[:_SHOWN]}
    )
