"""What git knows about a folder: where its repository is, which files it tracks, when each last changed.

Git is asked by at most one process for each question, without a prompt, a pager, a hook, a lock, a
network or a clock. A missing git or repository degrades to a note.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Final

_SECONDS: Final = 60
"""Longest wait for one git process; a guard against a hang, far above what any answer takes."""

MAX_COMMITS: Final = 5_000
"""How many commits back :func:`read_history` looks."""

_HEADER: Final = re.compile(rb"\x01(\d+) ([0-9a-f]{40,64})")

_SAFE_OPTIONS: Final = (
    # The configuration of a repository that is not ours can name programs to run.
    "-c", "core.fsmonitor=false",
    "-c", "core.hooksPath=/dev/null",
    "-c", "log.showSignature=false",
    # Missing objects of a partial clone would be fetched.
    "-c", "protocol.allow=never",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class GitAnswer:
    """Output of a git process, or a note that says why there is none."""

    output: bytes | None
    note: str = ""


@dataclass(frozen=True, slots=True)
class Repository:
    """A git repository found on disk.

    Attributes
    ----------
    top
        Folder that holds ``.git``.
    common
        Git's own folder, shared between worktrees; ``info/exclude`` is in it.
    """

    top: Path
    common: Path


@dataclass(frozen=True, slots=True)
class History:
    """When files last changed, in seconds since 1970 by the committers' clocks.

    Attributes
    ----------
    head_time
        Time of the commit that is checked out; ages are differences to it. ``None`` without a commit.
    last_changes
        Raw path relative to the folder asked about, to the time of the last commit that changed it; files
        that are gone are among them.
    horizon
        Time of the oldest commit looked at when the search was cut there: a tracked file without an
        entry is at least that old. ``None`` when all of history was seen.
    notes
        Why something is missing.
    """

    head_time: int | None = None
    last_changes: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    horizon: int | None = None
    notes: tuple[str, ...] = ()


def run_git(folder: Path, *arguments: str, accept: tuple[int, ...] = (0,)) -> GitAnswer:
    """Run git in ``folder`` and return what it wrote; ``accept`` lists the exit codes of success."""
    try:
        done = subprocess.run(  # noqa: S603 - fixed program, arguments are ours
            git_command(folder, *arguments),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            env=git_environment(),
            timeout=_SECONDS,
            check=False,
        )
    except FileNotFoundError:
        return GitAnswer(None, "git is not installed")
    except subprocess.TimeoutExpired:
        return GitAnswer(None, f"git {arguments[0]} gave no answer within {_SECONDS} s")
    except OSError as error:
        return GitAnswer(None, f"git cannot be run ({error.strerror})")
    if done.returncode in accept:
        return GitAnswer(done.stdout)
    if b"dubious ownership" in done.stderr:
        return GitAnswer(None, "git refuses a repository of another owner; see its setting safe.directory")
    return GitAnswer(None, f"git {arguments[0]} failed (exit code {done.returncode})")


def git_command(folder: Path, *arguments: str) -> list[str]:
    """Return the command line that asks git in ``folder``, with nothing of its configuration run."""
    return ["git", "-C", os.fspath(folder), "--no-pager", *_SAFE_OPTIONS, *arguments]


def git_environment() -> dict[str, str]:
    """Return the environment for git: no prompt, lock, network or other repository than the one asked."""
    environment = {
        name: value
        for name, value in os.environ.items()
        # A hook or an alias that started us leaves variables that point git at another repository.
        if not name.startswith("GIT_") or name.startswith("GIT_CONFIG_")
    }
    return environment | {
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_PAGER": "cat",
        "GIT_ASKPASS": "true",
        "SSH_ASKPASS": "true",
        "LC_ALL": "C",
    }


def find_repository(folder: Path) -> Repository | None:
    """Return the repository that ``folder`` is in, looking upwards as git does."""
    for candidate in (folder, *folder.parents):
        common = git_folder(candidate / ".git")
        if common is not None:
            return Repository(candidate, common)
    return None


def git_folder(dot_git: Path) -> Path | None:
    """Return the shared git folder behind a ``.git`` folder or file; ``None`` if it is not a repository."""
    try:
        if dot_git.is_file():
            kind, _, target = dot_git.read_text(encoding="utf-8", errors="surrogateescape").partition(":")
            if kind != "gitdir":
                return None
            dot_git = dot_git.parent / target.strip()
        if not (dot_git / "HEAD").exists():
            return None
        shared = dot_git / "commondir"
        if shared.is_file():
            dot_git /= shared.read_text(encoding="utf-8", errors="surrogateescape").strip()
    except (OSError, ValueError):
        return None
    return dot_git if (dot_git / "objects").is_dir() else None


def tracked_files(folder: Path) -> tuple[frozenset[str] | None, str]:
    """Return the raw paths below ``folder`` (relative to it) that git tracks, or ``None`` and a note."""
    answer = run_git(folder, "ls-files", "-z", "--cached")
    if answer.output is None:
        return None, answer.note
    return frozenset(os.fsdecode(name) for name in answer.output.split(b"\0") if name), ""


def ignore_settings(folder: Path) -> tuple[Path | None, bool]:
    """Return the user's own ignore file (``core.excludesFile``) and whether case is ignored.

    Without a setting the file is ``$XDG_CONFIG_HOME/git/ignore``, as for git. It may not exist.
    """
    answer = run_git(
        folder, "config", "-z", "--get-regexp", r"^core\.(excludesfile|ignorecase)$", accept=(0, 1)
    )
    chosen: str | None = None
    folded = False
    for item in os.fsdecode(answer.output or b"").split("\0"):
        key, _, value = item.partition("\n")
        if key == "core.excludesfile":
            chosen = value
        elif key == "core.ignorecase":
            folded = value.lower() in ("", "true", "yes", "on", "1")
    if chosen is not None:
        return (folder / _at_home(chosen) if chosen else None), folded
    home = _at_home(os.environ.get("XDG_CONFIG_HOME") or "~/.config")
    return (home / "git" / "ignore" if home.is_absolute() else None), folded


def _at_home(path: str) -> Path:
    try:
        return Path(path).expanduser()
    except RuntimeError:  # no home folder is known, or no such user
        return Path(path)


def read_history(folder: Path, *, revision: str = "HEAD", max_commits: int = MAX_COMMITS) -> History:
    """Return when each file below ``folder`` last changed up to ``revision``, from one ``git log``.

    A merge counts for the files in which it differs from all its parents. In a shallow clone the
    oldest commits seem to add every file; they are left out, and ``horizon`` says how far it reaches.
    """
    answer = run_git(
        folder, "log", "-z", f"--max-count={max_commits + 1}", "--format=%x01%ct %H", "--name-only", "-c",
        "--no-renames", "--no-ext-diff", "--relative", revision, "--",
    )  # fmt: skip
    if answer.output is None:
        return History(notes=(f"no history: {answer.note}",))
    shallow = _shallow_commits(folder)
    times: list[int] = []
    changes: dict[str, int] = {}
    horizon: int | None = None
    seen_through = False
    for token in answer.output.split(b"\0"):
        header = _HEADER.fullmatch(token)
        if header is not None:
            times.append(int(header[1]))
            seen_through = len(times) <= max_commits and header[2] not in shallow
            if not seen_through:
                horizon = times[-1] if horizon is None else max(horizon, times[-1])
        elif seen_through and (name := token.removeprefix(b"\n")):
            changes.setdefault(os.fsdecode(name), times[-1])
    return History(
        head_time=times[0] if times else None,
        last_changes=MappingProxyType(dict(sorted(changes.items()))),
        horizon=horizon,
        notes=(f"history ends after {min(len(times), max_commits)} commits",) if horizon is not None else (),
    )


def _shallow_commits(folder: Path) -> frozenset[bytes]:
    repository = find_repository(folder)
    if repository is None:
        return frozenset()
    try:
        return frozenset((repository.common / "shallow").read_bytes().split())
    except OSError:
        return frozenset()
