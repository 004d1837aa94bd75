"""A revision is read from git's store: the same files as a checkout of it has, whatever is on disk."""

from __future__ import annotations

import gc
import subprocess
from pathlib import Path

import pytest

from satchel.models.errors import FileError, UsageError
from satchel.sources.candidates import read_candidates
from satchel.sources.extract import default_registry
from satchel.sources.files import SkipReason
from satchel.sources.gitinfo import read_history
from satchel.sources.gittree import GitTree
from satchel.sources.tree import EntryKind
from satchel.sources.walk import WalkOptions, WalkResult, walk


def git(root: Path, *arguments: str) -> str:
    command = ["git", "-c", "user.name=a", "-c", "user.email=a@b.c", "-C", str(root), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    root = tmp_path / "repo"
    root.mkdir()
    git(root, "init", "-q", "-b", "main")
    files = {
        "README.md": "# Old\n",
        "src/a.py": "def old():\n    return 1\n",
        "src/deep/b.py": "B = 1\n",
        "ignored.log": "tracked all the same\n",
        "left/out.py": "x = 1\n",
        ".gitignore": "*.log\n",
        ".satchelignore": "left/\n",
        'odd "name\té.txt': "odd\n",
        "gone.py": "gone = 1\n",
        "id_rsa": "secret\n",
    }
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    (root / "link").symlink_to("README.md")
    git(root, "add", "-A", "-f")
    git(root, "update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},vendor/lib")
    git(root, "commit", "-q", "-m", "old")
    git(root, "tag", "v1")
    git(root, "rm", "-q", "gone.py")
    (root / "README.md").write_text("# New\n", encoding="utf-8")
    (root / "new.py").write_text("new = 1\n", encoding="utf-8")
    git(root, "add", "README.md", "new.py")
    git(root, "commit", "-q", "-m", "new")
    (root / "README.md").write_text("# On disk\n", encoding="utf-8")
    (root / "untracked.py").write_text("u = 1\n", encoding="utf-8")
    return root


def content(result: WalkResult) -> dict[str, bytes]:
    return {file.path: file.read_bytes() for file in result.files}


def test_it_is_what_a_checkout_holds(repository: Path, tmp_path: Path) -> None:
    before = git(repository, "status", "--porcelain")
    found = walk(repository, WalkOptions(revision="v1"))
    other = tmp_path / "checkout"
    git(repository, "worktree", "add", "-q", "--detach", str(other), "v1")
    there = walk(other)
    assert content(found) == content(there)
    assert "gone.py" in content(found)
    assert content(found)["README.md"] == b"# Old\n"
    assert {s.path for s in found.skipped} - {"vendor/lib/"} == {s.path for s in there.skipped} - {
        ".git",
        "vendor/",
        "vendor/lib/",
    }
    assert git(repository, "status", "--porcelain") == before


def test_reasons(repository: Path) -> None:
    found = walk(repository, WalkOptions(revision="v1"))
    reasons = {item.path: item.reason for item in found.skipped}
    assert reasons["link"] is SkipReason.SYMLINK
    assert reasons["vendor/lib/"] is SkipReason.SUBMODULE
    assert reasons["left/"] is SkipReason.IGNORED
    assert reasons["id_rsa"] is SkipReason.SENSITIVE_NAME
    assert "ignored.log" in content(found)


def test_a_folder_inside_and_named_paths(repository: Path) -> None:
    found = walk(repository / "src", WalkOptions(revision="v1"))
    assert set(content(found)) == {"a.py", "deep/b.py"}
    named = walk(repository, WalkOptions(revision="v1", explicit=("left/out.py",), include=("*.md",)))
    assert set(content(named)) == {"README.md", "left/out.py"}
    with pytest.raises(FileError, match="no such path"):
        walk(repository, WalkOptions(revision="v1", explicit=("new.py",)))
    with pytest.raises(FileError, match="links are not followed"):
        walk(repository, WalkOptions(revision="v1", explicit=("link",)))


@pytest.mark.parametrize("revision", ["nothing", "--output=x", "v1\0", "v1:README.md", "HEAD^{tree}^"])
def test_no_such_revision(repository: Path, revision: str) -> None:
    with pytest.raises(UsageError, match="is no revision"):
        walk(repository, WalkOptions(revision=revision))


def test_no_repository(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="git repository"):
        walk(tmp_path, WalkOptions(revision="HEAD"))


def test_a_folder_that_the_revision_lacks(repository: Path) -> None:
    (repository / "later").mkdir()
    with pytest.raises(UsageError, match="no such folder"):
        walk(repository / "later", WalkOptions(revision="v1"))


def test_it_reads_without_a_work_tree(repository: Path, tmp_path: Path) -> None:
    bare = tmp_path / "bare.git"
    git(repository, "clone", "-q", "--bare", str(repository), str(bare))
    assert content(walk(bare, WalkOptions(revision="v1")))["README.md"] == b"# Old\n"


def test_candidates_and_history(repository: Path) -> None:
    reading = read_candidates(repository, WalkOptions(revision="v1"), default_registry())
    assert "file:src/a.py" in {candidate.id for candidate in reading.candidates}
    changes = read_history(repository, revision="v1").last_changes
    assert "gone.py" in changes
    assert "new.py" not in changes


def test_the_tree_itself(repository: Path) -> None:
    tree = GitTree(repository, "main")
    assert tree.commit == git(repository, "rev-parse", "main")
    assert tree.kind("src") is EntryKind.FOLDER
    assert tree.kind("src/a.py") is EntryKind.FILE
    assert tree.kind("nothing/there") is None
    assert tree.read("src/a.py", 3) == b"def"
    with pytest.raises(FileNotFoundError):
        tree.read("src")
    with pytest.raises(FileNotFoundError):
        tree.scan("nothing")
    del tree
    gc.collect()  # no process is left behind: warnings are errors
