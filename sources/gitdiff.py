"""Which lines of which files have changed since a revision, by git."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ..models.errors import FileError, UsageError
from .extract.base import Span
from .gitinfo import run_git

_HUNK: Final = re.compile(rb"@@ -\S+ \+(\d+)(?:,(\d+))? @@")
_ESCAPE: Final = re.compile(rb'\\([0-7]{3}|[abtnvfr"\\])')
_ESCAPED: Final = dict(zip(b'abtnvfr"\\', b'\a\b\t\n\v\f\r"\\', strict=True))

WHOLE: Final = (Span(1, 1 << 40),)
"""The lines of a file that is new."""


@dataclass(frozen=True, slots=True)
class Changes:
    """What differs from a revision.

    Attributes
    ----------
    lines
        Raw path below the folder, to the lines as they are now that are new or stand where some were taken.
    gone
        Raw paths of files that are no more.
    """

    lines: Mapping[str, tuple[Span, ...]]
    gone: tuple[str, ...] = ()


def changes_since(folder: Path, since: str, revision: str = "") -> Changes:
    """Return what has changed below ``folder`` since a revision: up to another one, or to the files on disk.

    Files on disk that git does not track and does not ignore are new.

    Raises
    ------
    FileError
        ``folder`` is in no repository, or git cannot be asked.
    UsageError
        There is no such revision.
    """
    if run_git(folder, "rev-parse", "--show-prefix").output is None:
        raise FileError("what has changed is asked of git, and this is no repository of it", file=str(folder))
    commit = _commit(folder, since)
    answer = run_git(
        folder, "-c", "core.quotePath=false", "diff", "-U0", "--relative", "--no-renames", "--no-color",
        "--no-ext-diff", "--no-textconv", "--src-prefix=a/", "--dst-prefix=b/", "--ignore-submodules", commit,
        *([_commit(folder, revision)] if revision else []), "--",
    )  # fmt: skip
    if answer.output is None:
        raise FileError(f"git does not tell what has changed ({answer.note})", file=str(folder))
    lines, gone = _read(answer.output)
    if not revision:
        others = run_git(folder, "ls-files", "-z", "--others", "--exclude-standard").output or b""
        lines.update((os.fsdecode(name), WHOLE) for name in others.split(b"\0") if name)
    return Changes(dict(sorted(lines.items())), tuple(sorted(gone)))


def last_commit(folder: Path, path: str, revision: str = "") -> str | None:
    """Return the name of the last commit that changed a (raw) path; None when there is none."""
    answer = run_git(folder, "log", "-1", "--format=%H", revision or "HEAD", "--", path, accept=(0, 128))
    return (answer.output or b"").decode("ascii", "replace").strip() or None


def _commit(folder: Path, revision: str) -> str:
    if revision and not revision.startswith("-") and "\0" not in revision:
        wanted = f"{revision}^{{commit}}"
        found = run_git(folder, "rev-parse", "--verify", "--quiet", wanted, accept=(0, 1, 128)).output
        if found and found.strip():
            return found.decode("ascii").strip()
    raise UsageError(
        "is no revision of the repository",
        field="since",
        value=revision,
        hint="give a branch, a tag or a commit; git rev-parse says what there is",
    )


def _read(diff: bytes) -> tuple[dict[str, tuple[Span, ...]], list[str]]:
    lines: dict[str, tuple[Span, ...]] = {}
    gone: list[str] = []
    path = before = ""
    is_head = False
    for line in diff.split(b"\n"):
        if line.startswith(b"diff --git "):
            is_head, path = True, ""
        elif is_head and line.startswith(b"--- "):
            before = _name(line[4:])
        elif is_head and line.startswith(b"+++ "):
            path, is_head = _name(line[4:]), False
            if path:
                lines.setdefault(path, ())
            elif before:
                gone.append(before)
        elif path and (found := _HUNK.match(line)):
            start, count = int(found[1]), int(found[2] or 1)
            # Where lines were only taken away, those beside the place are what changed.
            span = Span(start, start + count - 1) if count else Span(max(1, start), start + 1)
            lines[path] = (*lines[path], span)
    return lines, gone


def _name(written: bytes) -> str:
    """Return the path of a header line, empty for ``/dev/null``."""
    written = written.rstrip(b"\t")
    if written.startswith(b'"'):
        written = _ESCAPE.sub(_plain, written[1:-1])
    return os.fsdecode(written[2:]) if written[:2] in (b"a/", b"b/") else ""


def _plain(found: re.Match[bytes]) -> bytes:
    escaped = found[1]
    return bytes([_ESCAPED[escaped[0]] if len(escaped) == 1 else int(escaped, 8)])
