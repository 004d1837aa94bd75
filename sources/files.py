"""The records of a walk: the files found, what was left out, and the account of both."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from .tree import Tree

DEFAULT_MAX_FILE_BYTES: Final = 2 * 1024 * 1024
"""Files above this are left out unless named: no page is written from a two-megabyte file."""


class SkipReason(StrEnum):
    """Why a file or folder is not among the sources; spelled as in ``RejectReason`` where both have it."""

    IGNORED = "ignored"
    DEFAULT_EXCLUDED = "default_excluded"
    EXCLUDED = "excluded"
    NOT_INCLUDED = "not_included"
    SENSITIVE_NAME = "sensitive_name"
    OWN_OUTPUT = "own_output"
    VCS = "vcs"
    SUBMODULE = "submodule"
    NESTED_REPOSITORY = "nested_repository"
    SYMLINK = "symlink"
    NOT_REGULAR = "not_regular"
    TOO_LARGE = "too_large"
    BINARY = "binary"
    UNREADABLE = "unreadable"


@dataclass(frozen=True, slots=True)
class Skipped:
    """A file that was left out, or a folder that was left out whole.

    Attributes
    ----------
    path
        Printable POSIX path relative to the root; a folder's ends in a slash.
    reason
        Why.
    detail
        The rule or number that decided, for example ``.gitignore:3: *.log``.
    files
        How many files this stands for: 1 for a file; for a folder the number below it, or ``None``
        when it was not counted (version control, or more entries than are worth counting).
    """

    path: str
    reason: SkipReason
    detail: str = ""
    files: int | None = 1


@dataclass(frozen=True, slots=True)
class SkipSummary:
    """How much one rule left out. ``more`` says that some folder was not counted."""

    reason: SkipReason
    detail: str
    entries: int
    files: int
    more: bool


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A regular file of the tree that passed every rule.

    Attributes
    ----------
    path
        Printable POSIX path relative to the root; unique, valid UTF-8, without control characters.
    size
        Bytes, when it was listed.
    explicit
        Whether the user named this very path.
    raw
        The path as the tree spells it: for opening and for git, never for output.
    tree
        Where it is read from.
    """

    path: str
    size: int
    explicit: bool = False
    raw: str = field(default="", repr=False)
    tree: Tree | None = field(default=None, repr=False, compare=False)

    def read_bytes(self, limit: int | None = None) -> bytes:
        """Return the content, at most ``limit`` bytes of it; raises ``OSError``."""
        if self.tree is None:
            raise FileNotFoundError(2, "the file has no tree to be read from")
        return self.tree.read(self.raw, limit)


def summarise(skipped: Iterable[Skipped]) -> tuple[SkipSummary, ...]:
    """Return one line for each reason and rule, most files first, then by name.

    Reasons whose detail is different for each file (sizes, system errors) are one line each.
    """
    per_file = (SkipReason.TOO_LARGE, SkipReason.UNREADABLE, SkipReason.BINARY)
    sums: dict[tuple[SkipReason, str], list[int]] = {}
    for item in skipped:
        key = (item.reason, "" if item.reason in per_file else item.detail)
        count = sums.setdefault(key, [0, 0, 0])
        count[0] += 1
        count[1] += item.files or 0
        count[2] += item.files is None
    lines = [
        SkipSummary(reason, detail, entries, files, more > 0)
        for (reason, detail), (entries, files, more) in sums.items()
    ]
    return tuple(sorted(lines, key=lambda line: (-line.files, line.reason, line.detail)))
