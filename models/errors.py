"""The error tree of Satchel.

::

    SatchelError                     base: stable ``code``, message, place, hint, exit code
    ├── InputError                   exit 2: wrong use or bad input
    │   ├── SchemaError              a field is missing, unknown, of the wrong type or out of range
    │   ├── UnknownReferenceError    an id, zone, group or selector that nothing defines
    │   ├── EnvelopeError            the numbers of a budget envelope do not add up
    │   ├── PolicyError              two rules contradict each other, or a rule matches nothing
    │   ├── ScaleError               values too large to be scaled to 64-bit integers
    │   ├── FileError                a file or folder that is missing, unreadable or not what it should be
    │   └── UsageError               an option or argument that cannot be used as given
    ├── InfeasibleError              exit 1: no pack satisfies the hard constraints
    ├── BackendError                 exit 2: a solver library is missing or misbehaves
    ├── VerificationError            exit 1: an artifact does not hold what it claims
    └── StoppedError                 exit 130: stopped by the user before any pack was found

Running out of time is a result, never an exception.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class SatchelError(Exception):
    """Base of every error that Satchel raises on purpose.

    Parameters
    ----------
    message
        One sentence that says what is wrong, without a trailing full stop.
    code
        Stable machine-readable code; defaults to the code of the class.
    file
        The file at fault, as the user spelled it.
    line
        1-based line number within ``file``.
    field
        Path of the field at fault, for example ``units[3].relevanceScore``.
    value
        The offending value (shown shortened).
    hint
        What would work instead.
    data
        Further numbers and ids, JSON-serialisable.
    """

    code: str = "error"
    exit_code: int = 2

    def __init__(
        self,
        message: str,
        *,
        code: str | None = None,
        file: str | None = None,
        line: int | None = None,
        field: str | None = None,
        value: object = None,
        hint: str | None = None,
        data: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        if code is not None:
            self.code = code
        self.file = file
        self.line = line
        self.field = field
        self.value = value
        self.hint = hint
        self.data: dict[str, Any] = dict(data or {})

    def place(self) -> str:
        """Return ``file:line: field`` with the parts that are known, or the empty string."""
        spot = self.file or ""
        if self.line is not None:
            spot = f"{spot}:{self.line}" if spot else f"line {self.line}"
        return ": ".join(part for part in (spot, self.field) if part)

    def __str__(self) -> str:
        place = self.place()
        text = f"{place}: {self.message}" if place else self.message
        if self.value is not None:
            text += f" (got {shorten(self.value)})"
        if self.hint:
            text += f"; {self.hint}"
        return text

    def to_dict(self) -> dict[str, Any]:
        """Return the error as JSON-serialisable data for ``--json``; absent parts are left out."""
        parts: dict[str, Any] = {
            "code": self.code,
            "message": self.message,
            "file": self.file,
            "line": self.line,
            "field": self.field,
            "value": None if self.value is None else shorten(self.value),
            "hint": self.hint,
            "data": self.data or None,
        }
        return {key: part for key, part in parts.items() if part is not None}


def shorten(value: object, limit: int = 80) -> str:
    """Return ``repr(value)`` on one line, cut in the middle to at most ``limit`` characters."""
    text = repr(value)
    if len(text) <= limit:
        return text
    head = (limit - 1) * 2 // 3
    return f"{text[:head]}…{text[head + 1 - limit :]}"


class InputError(SatchelError):
    """Wrong use or bad input: the user can mend it. Exit code 2."""

    code = "input"


class SchemaError(InputError):
    """A field is missing, unknown, of the wrong type or out of its range."""

    code = "schema"


class UnknownReferenceError(InputError):
    """An id, zone, group or dimension is named that nothing defines."""

    code = "unknown_reference"


class EnvelopeError(InputError):
    """The numbers of a budget envelope do not add up."""

    code = "envelope"


class PolicyError(InputError):
    """Two rules of a packing policy contradict each other, or a rule matches nothing."""

    code = "policy"


class ScaleError(InputError):
    """Values are too large to be scaled to integers without loss."""

    code = "scale"


class FileError(InputError):
    """A file or folder is missing, unreadable, or not what it should be."""

    code = "file"


class UsageError(InputError):
    """An option or argument cannot be used as given."""

    code = "usage"


class InfeasibleError(SatchelError):
    """No pack satisfies the hard constraints, or a must-have does not fit. Exit code 1.

    ``data`` holds the blocking constraints and, where known, ``smallestBudget`` in tokens.
    """

    code = "infeasible"
    exit_code = 1


class BackendError(SatchelError):
    """A solver library is missing, refuses the model, or contradicts its own answer."""

    code = "backend"
    exit_code = 2


class VerificationError(SatchelError):
    """An artifact does not hold what it claims. Exit code 1."""

    code = "verification"
    exit_code = 1


class StoppedError(SatchelError):
    """The user stopped the run before any pack was found. Exit code 130."""

    code = "interrupted"
    exit_code = 130
