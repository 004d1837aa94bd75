"""What a verification says: named checks, each passed or failed with the numbers that disagree."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from ...models import SourceRef

SHOWN: Final = 5
"""How many complaints of one check are spelled out; the others are counted."""


@dataclass(frozen=True)
class Check:
    """One thing that was recomputed; ``detail`` says what was looked at, or what is wrong."""

    name: str
    passed: bool
    detail: str


@dataclass(frozen=True)
class VerifyReport:
    """The checks in the order in which they were made."""

    checks: tuple[Check, ...]

    @property
    def passed(self) -> bool:
        """Whether every check passed."""
        return all(check.passed for check in self.checks)

    @property
    def failures(self) -> tuple[Check, ...]:
        """The checks that failed."""
        return tuple(check for check in self.checks if not check.passed)

    def to_data(self) -> dict[str, Any]:
        """Return the report as plain JSON data."""
        return {
            "passed": self.passed,
            "checks": [
                {"name": check.name, "passed": check.passed, "detail": check.detail} for check in self.checks
            ],
        }


class Complaints:
    """Collects what disagrees, by check; a check that is opened and gets no complaint has passed."""

    def __init__(self) -> None:
        self._found: dict[str, list[str]] = {}
        self._looked_at: dict[str, str] = {}

    def open(self, name: str, looked_at: str) -> None:
        """Begin the check ``name``; ``looked_at`` is its detail when nothing is found."""
        self._found.setdefault(name, [])
        self._looked_at[name] = looked_at

    def add(self, name: str, complaint: str) -> None:
        """Note a disagreement."""
        self._found.setdefault(name, []).append(complaint)

    def expect(self, name: str, what: str, stated: object, computed: object) -> None:
        """Note a disagreement when ``stated`` is not ``computed``: same type of number, same value."""
        if stated != computed or (type(stated) is float and repr(stated) != repr(computed)):
            self.add(name, f"{what} is {_text(stated)}, should be {_text(computed)}")

    def expect_all(
        self,
        name: str,
        of: str,
        what: tuple[str, ...],
        stated: tuple[object, ...],
        computed: tuple[object, ...],
    ) -> None:
        """Note each disagreement between ``stated`` and ``computed``, two columns of the same things."""
        if stated != computed or float in map(type, stated):
            for label, given, due in zip(what, stated, computed, strict=True):
                self.expect(name, f"{of!r}: {label}", given, due)

    def require(self, name: str, holds: bool, complaint: str) -> None:
        """Note ``complaint`` unless ``holds``."""
        if not holds:
            self.add(name, complaint)

    def report(self) -> VerifyReport:
        """Return the checks as they stand."""
        checks = []
        for name, found in self._found.items():
            detail = self._looked_at.get(name, "")
            if found:
                more = len(found) - SHOWN
                detail = "; ".join(found[:SHOWN]) + (f"; and {more} more" if more > 0 else "")
            checks.append(Check(name=name, passed=not found, detail=detail))
        return VerifyReport(tuple(checks))


def _text(value: object) -> str:
    if isinstance(value, tuple | list | set | frozenset):
        parts = [part.label() if isinstance(part, SourceRef) else str(part) for part in _ordered(value)]
        shown = ", ".join(parts[:SHOWN])
        return f"[{shown}, … {len(parts)} in all]" if len(parts) > SHOWN else f"[{shown}]"
    return repr(value) if isinstance(value, str) else str(value)


def _ordered(values: Iterable[object]) -> list[object]:
    return sorted(values, key=str) if isinstance(values, set | frozenset) else list(values)
