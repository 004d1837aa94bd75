"""When files last changed, from one `git log`."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from satchel.sources.gitinfo import find_repository, read_history, run_git

DAY = 86_400
START = 1_600_000_000


@pytest.fixture(autouse=True)
def no_own_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the git configuration of whoever runs the tests out of them."""
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")


def git(folder: Path, *arguments: str, day: int = 0) -> None:
    stamp = f"{START + day * DAY} +0000"
    environment = {k: v for k, v in os.environ.items() if k not in ("GIT_DIR", "GIT_INDEX_FILE")}
    environment |= {"GIT_COMMITTER_DATE": stamp, "GIT_AUTHOR_DATE": stamp}
    names = [
        "-c",
        "user.name=Someone",
        "-c",
        "user.email=someone@example.org",
        "-c",
        "init.defaultBranch=main",
    ]
    subprocess.run(
        ["git", "-C", str(folder), *names, *arguments], check=True, capture_output=True, env=environment
    )


def commit(folder: Path, day: int, **files: str) -> None:
    for name, text in files.items():
        place = folder / name.replace("__", "/")
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "--allow-empty", "-m", f"day {day}", day=day)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    top = tmp_path / "top"
    top.mkdir()
    git(top, "init", "-q")
    commit(top, 0, old="1", src__a="1", src__b="1")
    commit(top, 1, src__a="2")
    commit(top, 2, new="1")
    commit(top, 3)
    return top


def days(changes: dict[str, int]) -> dict[str, int]:
    return {path: (seconds - START) // DAY for path, seconds in changes.items()}


def test_last_changes_are_relative_to_the_last_commit(repository: Path) -> None:
    """Ages need no clock: they are differences to the commit that is checked out."""
    history = read_history(repository)
    assert history.head_time == START + 3 * DAY
    assert days(dict(history.last_changes)) == {"new": 2, "old": 0, "src/a": 1, "src/b": 0}
    assert (history.horizon, history.notes) == (None, ())
    assert list(history.last_changes) == sorted(history.last_changes)


def test_a_subfolder_asks_for_its_own_files(repository: Path) -> None:
    """Paths are relative to the folder asked about."""
    history = read_history(repository / "src")
    assert days(dict(history.last_changes)) == {"a": 1, "b": 0}
    assert history.head_time == START + 3 * DAY


def test_history_is_read_back_to_a_bound(repository: Path) -> None:
    """What is older than the bound is known to be at least that old."""
    history = read_history(repository, max_commits=2)
    assert days(dict(history.last_changes)) == {"new": 2}
    assert history.horizon == START + DAY
    assert history.notes == ("history ends after 2 commits",)
    assert read_history(repository, max_commits=4).horizon is None


def test_a_merge_counts_for_what_it_changed_itself(repository: Path) -> None:
    """The commits of a branch keep their own times."""
    git(repository, "checkout", "-q", "-b", "side", "HEAD~2")
    commit(repository, 4, side="1")
    git(repository, "checkout", "-q", "-")
    commit(repository, 5, other="1")
    git(repository, "merge", "-q", "--no-ff", "-m", "merge", "side", day=9)
    history = read_history(repository)
    assert history.head_time == START + 9 * DAY
    assert days(dict(history.last_changes))["side"] == 4


def test_a_shallow_clone_does_not_make_every_file_new(repository: Path, tmp_path: Path) -> None:
    """The commit at the border of a shallow clone seems to add everything; it is not believed."""
    git(tmp_path, "clone", "-q", "--depth", "2", f"file://{repository}", "shallow")
    history = read_history(tmp_path / "shallow")
    assert dict(history.last_changes) == {}
    assert history.horizon == START + 2 * DAY
    assert history.head_time == START + 3 * DAY


def test_odd_names_survive(repository: Path) -> None:
    """Names are raw, as the walk spells them."""
    for name in ("new\nline", "\x01 1 a", 'quo"te', os.fsdecode(b"\xff")):
        (repository / name).write_text("x")
    commit(repository, 7)
    changes = read_history(repository).last_changes
    assert {name for name, seconds in changes.items() if seconds == START + 7 * DAY} == {
        "new\nline",
        "\x01 1 a",
        'quo"te',
        os.fsdecode(b"\xff"),
    }


def test_without_history_there_is_a_note(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """I05: no repository, no commit, no git: a note each, no error, no prompt."""
    assert "git log failed" in read_history(tmp_path).notes[0]
    git(tmp_path, "init", "-q")
    assert "git log failed" in read_history(tmp_path).notes[0]
    monkeypatch.setenv("PATH", str(tmp_path))
    assert read_history(tmp_path).notes == ("no history: git is not installed",)


def test_a_repository_cannot_make_us_run_its_programs(repository: Path, tmp_path: Path) -> None:
    """Its configuration may name a monitor, hooks, pagers and signature checkers: none of them is run."""
    trap = tmp_path / "trap"
    trap.write_text(f"#!/bin/sh\ntouch {tmp_path}/sprung\ncat\n")
    trap.chmod(0o755)
    settings = ["core.fsmonitor", "core.pager", "pager.log", "gpg.program", "diff.external", "core.askPass"]
    for setting in settings:
        git(repository, "config", setting, str(trap))
    git(repository, "config", "log.showSignature", "true")
    assert read_history(repository).head_time is not None
    assert run_git(repository, "ls-files", "-z").output
    assert not (tmp_path / "sprung").exists()


def test_find_repository(repository: Path, tmp_path: Path) -> None:
    """Upwards, past folders that only look like a repository."""
    (repository / "src/.git").mkdir()
    found = find_repository(repository / "src")
    assert found is not None
    assert (found.top, found.common) == (repository, repository / ".git")
    (repository / "src/.git").rmdir()
    (repository / "src/.git").write_text("gitdir: ../nowhere\n")
    again = find_repository(repository / "src")
    assert again is not None
    assert again.top == repository
