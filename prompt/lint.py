"""What breaks a prefix: something in a stable unit that is another one at the next call (K01)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from ..models import ContextUnit, Stability

_RULES: Final = (
    (
        "date",
        re.compile(
            r"\b(?:19|20)\d\d-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])\b"
            r"|\b(?:0?[1-9]|[12]\d|3[01])[ .](?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*[ .,]+"
            r"(?:19|20)\d\d\b"
            r"|\b(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*\.? (?:0?[1-9]|[12]\d|3[01]),? "
            r"(?:19|20)\d\d\b"
            r"|\b(?:0?[1-9]|[12]\d|3[01])[./](?:0?[1-9]|1[0-2])[./](?:19|20)\d\d\b"
        ),
    ),
    (
        "time",
        re.compile(
            r"(?<![\d:.])(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d+)?)?(?:Z\b|[+-]\d\d:?\d\d)?(?![\d:])"
        ),
    ),
    ("unix time", re.compile(r"(?<![\w.])1[5-9]\d{8}(?:\d{3})?(?![\w.])")),
    ("uuid", re.compile(r"\b[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\b")),
    (
        "random id",
        re.compile(
            r"\b(?=[0-9a-f]*[a-f])(?=[0-9a-f]*\d)[0-9a-f]{24,64}\b"
            r"|\b(?:req|run|session|sess|trace|conv|msg|chatcmpl|call|toolu)[-_](?=\w*\d)\w{10,}"
        ),
    ),
    (
        "absolute path",
        re.compile(
            r"(?<![\w./:~-])/(?:home|Users|root|tmp|var/folders|private/var|mnt|workspace)/[\w.+-]+(?:/[\w.+-]+)*"
            r"|\b[A-Za-z]:\\(?:[\w .+-]+\\)+[\w.+-]*"
        ),
    ),
)
"""Rules by name, asked in this order; where two match the same characters the first is told."""


@dataclass(frozen=True, slots=True)
class PrefixBreaker:
    """Something in a stable unit that is unlikely to be the same at the next call; ``line`` is 1-based."""

    id: str
    rule: str
    line: int
    text: str

    def __str__(self) -> str:
        article = "an" if self.rule.startswith("a") else "a"
        found = f"{article} {self.rule} in a stable unit"
        return f"{self.id}:{self.line}: {found} breaks the cached prefix: {self.text!r}"


def lint_text(name: str, text: str) -> tuple[PrefixBreaker, ...]:
    """Return what may change between calls in ``text``, by position."""
    found: list[tuple[int, int, str, str]] = []
    for rule, pattern in _RULES:
        for match in pattern.finditer(text):
            if not any(start < match.end() and match.start() < end for start, end, _, _ in found):
                found.append((match.start(), match.end(), rule, match[0]))
    return tuple(
        PrefixBreaker(name, rule, text.count("\n", 0, start) + 1, shown)
        for start, _, rule, shown in sorted(found)
    )


def lint_prefix(units: Iterable[ContextUnit], *, files: bool = False) -> tuple[PrefixBreaker, ...]:
    """Return what may break the prefix that the stable ones of ``units`` make.

    The text of a file is what it is until the file changes, so units that come from lines of one are
    passed over unless ``files`` says otherwise; a unit that claims no source is made anew for each prompt.
    """
    return tuple(
        breaker
        for unit in units
        if unit.stability is Stability.STABLE and (files or not unit.source_refs) and unit.text is not None
        for breaker in lint_text(unit.id, unit.text)
    )
