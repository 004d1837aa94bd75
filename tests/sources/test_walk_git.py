"""The walk against git itself: the same files are left out, on generated trees and rules."""

from __future__ import annotations

import os
import random
import subprocess
from pathlib import Path

import pytest

from satchel.sources.files import SkipReason
from satchel.sources.walk import WalkOptions, WalkResult, walk

NAMES = ["a", "b", "ab", "foo", "bar", "foobar", "a.log", "b.log", "A", "x y", "t ", "é", "日", "#h", "!n"]
NAMES += [
    "[a]",
    "{a,b}",
    "a\\b",
    "-",
    "]",
    "^",
    "a-b",
    "é.log",
    "*",
    "a*",
    "..x",
    "\x01n",
    "q'\"",
    "new\nline",
]
ATOMS = [
    "a",
    "b",
    "ab",
    "foo",
    "bar",
    ".log",
    "*",
    "*",
    "**",
    "?",
    "/",
    "/",
    "/**/",
    "**/",
    "/**",
    "***",
    "é",
    "日",
]
ATOMS += [
    "[a]",
    "[!a]",
    "[^b]",
    "[a-f]",
    "[]a]",
    "[!]]",
    "[[:alpha:]]",
    "[![:space:]]",
    "[[:bad:]]",
    "[a",
    "[z-a]",
]
ATOMS += [
    "[a\\-f]",
    "[--a]",
    "[[]",
    "[é]",
    "{a,b}",
    "\\",
    "\\*",
    "\\[",
    "\\/",
    "\\ ",
    " ",
    "x y",
    "!",
    "#",
    "A",
    "]",
]
ATOMS += ["[[:]", "[[:alpha]", "[a-]", "[\\]]", "[A-F]", "[[:upper:]]", "\t", "-", "^", "n", "**\\/"]

RELAXED = WalkOptions(default_excludes=False, sensitive_names=False, max_file_bytes=None)
"""Only the rules that git knows too."""


def git(folder: Path, *arguments: str, data: bytes = b"") -> bytes:
    """Run git for a test, away from any configuration of this machine."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("GIT_")}
    environment |= {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    names = ["-c", "user.name=Someone", "-c", "user.email=someone@example.org"]
    done = subprocess.run(
        ["git", "-C", str(folder), *names, *arguments],
        input=data,
        capture_output=True,
        env=environment,
        check=False,
    )
    assert done.returncode in (0, 1), done.stderr
    return done.stdout


@pytest.fixture(autouse=True)
def no_own_settings(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Keep the git configuration of whoever runs the tests out of them."""
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path_factory.getbasetemp() / "no-such-home"))


def write(root: Path, files: dict[str, str | bytes]) -> None:
    """Write a tree; a name that ends in a slash is an empty folder."""
    for name, text in files.items():
        place = root / name
        if name.endswith("/"):
            place.mkdir(parents=True, exist_ok=True)
            continue
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(text if isinstance(text, bytes) else text.encode())


def all_files(root: Path) -> list[str]:
    """Return every file below the root but git's own, as raw relative paths."""
    found: list[str] = []
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if name != ".git"]
        found += [Path(folder, name).relative_to(root).as_posix() for name in names]
    return sorted(found)


def kept_by_git(root: Path, *, tracked: bool = False, config: tuple[str, ...] = ()) -> list[str]:
    """Return the files that ``git check-ignore`` does not name."""
    files = all_files(root)
    options = [] if tracked else ["--no-index"]
    data = b"\0".join(os.fsencode(name) for name in files)
    output = git(root, *config, "check-ignore", "-z", "--stdin", *options, data=data)
    ignored = {os.fsdecode(name) for name in output.split(b"\0")}
    return [name for name in files if name not in ignored]


def raw_paths(result: WalkResult) -> list[str]:
    return sorted(file.raw for file in result.files)


def random_pattern(rng: random.Random) -> str:
    pattern = "".join(rng.choice(ATOMS) for _ in range(rng.choice([1, 1, 2, 2, 3, 4, 5])))
    if rng.random() < 0.25:
        pattern = "!" + pattern
    if rng.random() < 0.15:
        pattern = "/" + pattern
    if rng.random() < 0.2:
        pattern += "/"
    return pattern


def random_rules(rng: random.Random) -> bytes:
    lines = [random_pattern(rng) for _ in range(rng.randint(1, 6))]
    lines += rng.sample(["", "# comment", "   ", "*.log  ", "a\\ ", "/", "!", "foo/\r"], 2)
    rng.shuffle(lines)
    bom = b"\xef\xbb\xbf" if rng.random() < 0.2 else b""
    return bom + rng.choice(["\n", "\r\n"]).join(lines).encode() + rng.choice([b"", b"\n"])


def random_tree(rng: random.Random, root: Path) -> None:
    folders = [""]
    for _ in range(rng.randint(2, 8)):
        folders.append(rng.choice(folders) + rng.choice(NAMES) + "/")
    files: dict[str, str | bytes] = {}
    taken = {folder[:-1] for folder in folders}
    for _ in range(rng.randint(5, 25)):
        name = rng.choice(folders) + rng.choice(NAMES)
        if name not in taken:
            files[name] = ""
    for folder in rng.sample(sorted(set(folders)), min(2, len(set(folders)))):
        files[f"{folder}.gitignore"] = random_rules(rng)
    files[".gitignore"] = random_rules(rng)
    write(root, files)


@pytest.mark.parametrize("seed", range(60))
def test_same_files_as_check_ignore(seed: int, tmp_path: Path) -> None:
    """G09, G11: root, nested and negated rules, anchors, ``**``, classes, escapes, bytes above ASCII."""
    rng = random.Random(seed)
    git(tmp_path, "init", "-q")
    random_tree(rng, tmp_path)
    (tmp_path / ".git/info/exclude").write_bytes(random_rules(rng))
    assert raw_paths(walk(tmp_path, RELAXED)) == kept_by_git(tmp_path)


@pytest.mark.parametrize("seed", range(100, 110))
def test_same_files_when_case_is_ignored(seed: int, tmp_path: Path) -> None:
    """A repository with ``core.ignoreCase`` compares ASCII letters without case, as on other systems."""
    rng = random.Random(seed)
    git(tmp_path, "init", "-q")
    git(tmp_path, "config", "core.ignorecase", "true")
    random_tree(rng, tmp_path)
    assert raw_paths(walk(tmp_path, RELAXED)) == kept_by_git(tmp_path)


def test_tracked_files_stay_although_a_rule_matches_them(tmp_path: Path) -> None:
    """Git's rules never leave out what git tracks, not even inside an ignored folder."""
    git(tmp_path, "init", "-q")
    write(
        tmp_path, {"build/keep.js": "1", "build/junk.js": "2", "build/sub/x": "3", "a.log": "4", "b.log": "5"}
    )
    write(tmp_path, {".gitignore": "build/\n*.log\n"})
    git(tmp_path, "add", "-f", "build/keep.js", "a.log")
    result = walk(tmp_path)
    assert (
        raw_paths(result) == kept_by_git(tmp_path, tracked=True) == [".gitignore", "a.log", "build/keep.js"]
    )
    left_out = {
        (item.path, item.detail, item.files) for item in result.skipped if item.reason == SkipReason.IGNORED
    }
    assert left_out == {
        ("b.log", ".gitignore:2: *.log", 1),
        ("build/junk.js", ".gitignore:1: build/", 1),
        ("build/sub/", ".gitignore:1: build/", 1),
    }
    assert raw_paths(walk(tmp_path, WalkOptions(tracked=False))) == [".gitignore"]


def test_own_rules_hold_for_tracked_files(tmp_path: Path) -> None:
    """The index answers git's rules only: what ``.satchelignore`` or ``.ignore`` leaves out stays out."""
    git(tmp_path, "init", "-q")
    write(tmp_path, {"a.txt": "", "b.txt": "", "c.txt": "", ".satchelignore": "a.txt", ".ignore": "b.txt"})
    git(tmp_path, "add", "-A")
    assert raw_paths(walk(tmp_path)) == [".ignore", "c.txt"]


@pytest.mark.parametrize("rules", ["src/x.py", "/src/x.py", "x.py", "**/x.py", "src/x.*"])
def test_a_subfolder_obeys_the_rules_above_it(rules: str, tmp_path: Path) -> None:
    """G01, G02: rules of every kind are collected from the top of the repository down to the folder given."""
    for name in (".gitignore", ".ignore", ".satchelignore", ".git/info/exclude"):
        top = tmp_path / name.replace("/", "_")
        top.mkdir()
        git(top, "init", "-q")
        write(top, {"src/x.py": "", "src/y.py": "", "x.py": "", name: rules + "\n"})
        result = walk(top / "src")
        assert raw_paths(result) == ["y.py"]
        assert result.skipped[0].detail == f"{'' if '/' in name else '../'}{name}:1: {rules}"


def test_a_subfolder_that_is_ignored_itself_can_be_walked(tmp_path: Path) -> None:
    """Naming a folder overrides the rule that hides it; other rules hold inside."""
    git(tmp_path, "init", "-q")
    write(tmp_path, {"out/a.js": "", "out/b.log": "", "out/sub/c.js": "", ".gitignore": "out/*\n*.log\n"})
    assert raw_paths(walk(tmp_path / "out")) == ["a.js", "sub/c.js"]
    assert raw_paths(walk(tmp_path / "out/sub")) == ["c.js"]


def test_the_users_own_ignore_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Git's global rules count, below all others; an option turns them off."""
    top = tmp_path / "repo"
    top.mkdir()
    git(top, "init", "-q")
    write(top, {"a.tmp": "", "b.tmp": "", ".gitignore": "!b.tmp\n"})
    write(tmp_path, {"home/git/ignore": "*.tmp\n", "other": "b.*\na.*\n"})
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "home"))
    assert raw_paths(walk(top)) == [".gitignore", "b.tmp"]
    assert walk(top).skipped[-1].detail == "core.excludesFile:1: *.tmp"
    assert raw_paths(walk(top, WalkOptions(global_ignore=False))) == [".gitignore", "a.tmp", "b.tmp"]
    git(top, "config", "core.excludesFile", str(tmp_path / "other"))
    assert walk(top).skipped[-1].detail == "core.excludesFile:2: a.*"


def test_a_second_worktree_shares_the_exclude_file(tmp_path: Path) -> None:
    """``.git`` is a file in a worktree; ``info/exclude`` is the main repository's."""
    main = tmp_path / "main"
    main.mkdir()
    git(main, "init", "-q")
    write(main, {"a.py": "", ".git/info/exclude": "*.log\n"})
    git(main, "add", "a.py")
    git(main, "commit", "-qm", "one")
    git(main, "worktree", "add", "-q", str(tmp_path / "second"))
    write(tmp_path / "second", {"x.log": "", "b.py": ""})
    result = walk(tmp_path / "second")
    assert raw_paths(result) == ["a.py", "b.py"]
    assert {(item.path, item.reason) for item in result.skipped} == {
        (".git", SkipReason.VCS),
        ("x.log", SkipReason.IGNORED),
    }


def test_submodules_and_nested_repositories(tmp_path: Path) -> None:
    """G17: listed with a reason, walked by flag with rules of their own."""
    library, top = tmp_path / "library", tmp_path / "top"
    for place in (library, top):
        place.mkdir()
        git(place, "init", "-q")
    write(library, {"lib.py": "", "note.log": ""})
    git(library, "add", "lib.py")
    git(library, "commit", "-qm", "one")
    git(top, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(library), "deps/library")
    write(
        top,
        {
            "main.py": "",
            "clone/.gitignore": "*.tmp",
            "clone/c.py": "",
            "clone/c.tmp": "",
            ".gitignore": "*.log",
        },
    )
    git(top / "clone", "init", "-q")
    write(top, {"deps/library/new.log": ""})
    result = walk(top)
    assert raw_paths(result) == [".gitignore", ".gitmodules", "main.py"]
    assert {(item.path, item.reason, item.files) for item in result.skipped} == {
        (".git/", SkipReason.VCS, None),
        ("clone/", SkipReason.NESTED_REPOSITORY, 3),
        ("deps/library/", SkipReason.SUBMODULE, 3),
    }
    followed = walk(top, WalkOptions(nested=True))
    assert [path for path in raw_paths(followed) if "/" in path] == [
        "clone/.gitignore",
        "clone/c.py",
        "deps/library/lib.py",
        "deps/library/new.log",  # the rules of the outer repository end at its border
    ]


def test_without_git_the_walk_says_what_it_does_not_know(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A missing git binary costs the knowledge of tracked files, and a note says so."""
    git(tmp_path, "init", "-q")
    write(tmp_path, {"a.log": "", "b.py": "", ".gitignore": "*.log"})
    git(tmp_path, "add", "-f", "a.log")
    assert raw_paths(walk(tmp_path)) == [".gitignore", "a.log", "b.py"]
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    result = walk(tmp_path)
    assert raw_paths(result) == [".gitignore", "b.py"]
    assert result.notes == (".: tracked files are not known: git is not installed",)


def test_variables_of_a_hook_do_not_lead_astray(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run from a git hook, the walk still asks about the folder it was given."""
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        git(tmp_path / name, "init", "-q")
        write(tmp_path / name, {f"{name}.log": "", ".gitignore": "*.log"})
        git(tmp_path / name, "add", "-f", f"{name}.log")
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "two/.git"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(tmp_path / "two/.git/index"))
    assert raw_paths(walk(tmp_path / "one")) == [".gitignore", "one.log"]
