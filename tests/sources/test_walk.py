"""What a walk finds, what it leaves out, and that the two together are everything."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest

from satchel.models.errors import FileError, UsageError
from satchel.sources.files import Skipped, SkipReason, summarise
from satchel.sources.gitignore import parse_rules
from satchel.sources.paths import byte_form, display_path, from_byte_form
from satchel.sources.walk import COUNT_LIMIT, WalkOptions, WalkResult, walk


def write(root: Path, *names: str, **texts: str) -> None:
    """Write empty files, and files with text given by keyword (``_`` stands for a dot)."""
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).touch()
    for key, text in texts.items():
        (root / key.replace("_", ".")).write_text(text, encoding="utf-8")


def paths(result: WalkResult) -> list[str]:
    return [file.path for file in result.files]


def reasons(result: WalkResult) -> dict[str, SkipReason]:
    return {item.path: item.reason for item in result.skipped}


@pytest.mark.parametrize(
    ("pattern", "matched"),
    [
        ("*.py", ["a.py", "lib/b.py", "src/a.py", "src/deep/x.py"]),
        ("src/*.py", ["src/a.py"]),
        ("**/x.py", ["src/deep/x.py"]),
        ("lib", ["lib/b.py", "src/lib/c.txt"]),
        ("lib/", ["lib/b.py", "src/lib/c.txt"]),
        ("/lib", ["lib/b.py"]),
        ("src/**", ["src/a.py", "src/deep/x.py", "src/lib/c.txt"]),
        ("src/deep/*", ["src/deep/x.py"]),
        ("package-lock.json", ["web/app/package-lock.json"]),
        ("[ab].py", ["a.py", "lib/b.py", "src/a.py"]),
    ],
)
def test_one_matcher_for_include_and_exclude(pattern: str, matched: list[str], tmp_path: Path) -> None:
    """G13, G14: a pattern means the same in both options, and a folder means what is below it."""
    write(
        tmp_path,
        "a.py",
        "src/a.py",
        "src/deep/x.py",
        "lib/b.py",
        "src/lib/c.txt",
        "web/app/package-lock.json",
    )
    everything = paths(walk(tmp_path))
    included = walk(tmp_path, WalkOptions(include=(pattern,)))
    excluded = walk(tmp_path, WalkOptions(exclude=(pattern,)))
    assert paths(included) == matched
    assert paths(excluded) == [path for path in everything if path not in matched]
    assert set(reasons(included).values()) == {SkipReason.NOT_INCLUDED}
    assert set(reasons(excluded).values()) == {SkipReason.EXCLUDED}
    assert included.unmatched == excluded.unmatched == ()


def test_a_pattern_that_matches_nothing_is_reported(tmp_path: Path) -> None:
    """G13: no silent typo."""
    write(tmp_path, "a.py", "b.js", "node_modules/x/i.js")
    options = WalkOptions(include=("*.py", "*.rb"), exclude=("tset", "node_modules", "!*.kt"))
    assert walk(tmp_path, options).unmatched == ("*.rb", "tset", "!*.kt")


@pytest.mark.parametrize(
    ("patterns", "kept"),
    [
        (("*.log", "!important.log"), ["important.log", "dist/keep.js", "dist/old.js"]),
        (("!important.log", "*.log"), ["dist/keep.js", "dist/old.js"]),
        (("dist/**", "!dist/keep.js"), ["a.log", "important.log", "dist/keep.js"]),
        (("dist", "!dist/keep.js"), ["a.log", "important.log", "dist/keep.js"]),
    ],
)
def test_the_last_exclude_pattern_wins(patterns: tuple[str, ...], kept: list[str], tmp_path: Path) -> None:
    """G04, G05: a negated pattern takes back, also from a folder."""
    write(tmp_path, "a.log", "important.log", "dist/keep.js", "dist/old.js")
    assert paths(walk(tmp_path, WalkOptions(exclude=patterns))) == sorted(kept)


@pytest.mark.parametrize(
    "pattern", ["!.(cursor)/**", "$(rm -rf ~)", "a;b", "`x`", "{a,b}", "a\nb", "\udcff", "#x", " "]
)
def test_any_character_may_stand_in_a_pattern(pattern: str, tmp_path: Path) -> None:
    """G21: nothing but NUL is refused, and nothing is given to a shell."""
    write(tmp_path, "a.py")
    result = walk(tmp_path, WalkOptions(exclude=(pattern,)))
    assert (paths(result), result.unmatched) == (["a.py"], (pattern,))


@pytest.mark.parametrize(
    ("options", "field"),
    [
        (WalkOptions(exclude=("a\0b",)), "exclude"),
        (WalkOptions(include=("",)), "include"),
        (WalkOptions(include=("!",)), "include"),
        (WalkOptions(exclude=("[z-a]",)), "exclude"),
        (WalkOptions(explicit=("../x",)), "explicit"),
        (WalkOptions(explicit=("/etc/passwd",)), "explicit"),
        (WalkOptions(explicit=(".git/config",)), "explicit"),
        (WalkOptions(explicit=("a.py",), exclude=("a.py",)), "explicit"),
        (WalkOptions(own_outputs=("../x",)), "own_outputs"),
        (WalkOptions(max_file_bytes=0), "max_file_bytes"),
    ],
)
def test_wrong_options_are_named(options: WalkOptions, field: str, tmp_path: Path) -> None:
    """The message names the option and the value."""
    write(tmp_path, "a.py", ".git/config")
    with pytest.raises(UsageError) as caught:
        walk(tmp_path, options)
    assert caught.value.field == field
    assert caught.value.value is not None


def test_missing_things_are_named(tmp_path: Path) -> None:
    """A root or an explicit path that is not there is an error, not an empty result."""
    write(tmp_path, "a.py")
    with pytest.raises(FileError, match=r"no-such: there is no such folder"):
        walk(tmp_path / "no-such")
    with pytest.raises(FileError, match=r"a\.py: is not a folder"):
        walk(tmp_path / "a.py")
    with pytest.raises(FileError, match=r"b\.py: there is no such path"):
        walk(tmp_path, WalkOptions(explicit=("b.py",)))


def test_links_are_reported_and_never_followed(tmp_path: Path) -> None:
    """J10: no file outside the root is reached, and a loop of links ends nothing."""
    root = tmp_path / "root"
    write(tmp_path, "secret.txt", "root/a.py", "root/sub/b.py")
    (root / "file").symlink_to(tmp_path / "secret.txt")
    (root / "folder").symlink_to(tmp_path)
    (root / "sub/loop").symlink_to(root)
    (root / "dangling").symlink_to("nowhere")
    (root / ".gitignore").symlink_to(tmp_path / "secret.txt")
    result = walk(root)
    assert paths(result) == ["a.py", "sub/b.py"]
    assert {path for path, reason in reasons(result).items() if reason is SkipReason.SYMLINK} == {
        "file", "folder", "sub/loop", "dangling", ".gitignore",
    }  # fmt: skip
    assert result.notes == (".gitignore is not read as an ignore file (Too many levels of symbolic links)",)
    for name in ("file", "folder/secret.txt", "sub/loop/a.py"):
        with pytest.raises(FileError, match="links are not followed"):
            walk(root, WalkOptions(explicit=(name,)))


def test_a_file_that_becomes_a_link_is_not_read(tmp_path: Path) -> None:
    """J10: the tree may change between the walk and the reading."""
    write(tmp_path, "outside.txt", "root/a.py")
    (file,) = walk(tmp_path / "root").files
    (tmp_path / "root/a.py").unlink()
    (tmp_path / "root/a.py").symlink_to(tmp_path / "outside.txt")
    with pytest.raises(OSError, match="Too many levels"):
        file.read_bytes()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes on this system")
def test_a_pipe_is_reported_and_never_opened(tmp_path: Path) -> None:
    """I05: opening a pipe would wait for ever."""
    write(tmp_path, "a.py")
    os.mkfifo(tmp_path / "pipe")
    assert reasons(walk(tmp_path)) == {"pipe": SkipReason.NOT_REGULAR}


def test_secrets_by_name(tmp_path: Path) -> None:
    """J05: denied by default, whatever a repository says; templates are fine; naming one overrides."""
    denied = [
        ".env",
        ".env.local",
        "prod.env",
        "id_rsa",
        "keys/server.pem",
        ".npmrc",
        ".ssh/config",
        "x.tfstate",
    ]
    fine = [
        ".env.example",
        "environment.py",
        "id_rsa.pub",
        "credentials/__init__.py",
        "README.md",
        "monkey.txt",
    ]
    write(tmp_path, *denied, *fine, _gitignore="!.env\n")
    result = walk(tmp_path)
    assert paths(result) == sorted([*fine, ".gitignore"])
    assert {item.reason for item in result.skipped} == {SkipReason.SENSITIVE_NAME}
    assert sum(item.files or 0 for item in result.skipped) == len(denied)
    assert set(paths(walk(tmp_path, WalkOptions(sensitive_names=False)))) >= set(denied)
    named = walk(tmp_path, WalkOptions(explicit=(".env", "keys/server.pem")))
    assert {file.path for file in named.files if file.explicit} == {".env", "keys/server.pem"}


def test_default_excludes_are_summarised_with_counts(tmp_path: Path) -> None:
    """B15, L17: which library folders were left out, and how many files; two ways to get them back."""
    write(tmp_path, "a.py", *(f"node_modules/{name}/index.js" for name in "xyz"), "sub/node_modules/w.js")
    write(tmp_path, "venv/pyvenv.cfg", "venv/lib/x.py", "target/CACHEDIR.TAG", "__pycache__/a.pyc")
    result = walk(tmp_path)
    assert paths(result) == ["a.py"]
    assert [(line.detail, line.entries, line.files) for line in summarise(result.skipped)] == [
        ("node_modules/", 2, 4),
        ("a Python environment (pyvenv.cfg)", 1, 2),
        ("__pycache__/", 1, 1),
        ("a cache folder (CACHEDIR.TAG)", 1, 1),
    ]
    assert len(walk(tmp_path, WalkOptions(default_excludes=False)).files) == 9
    write(tmp_path, _satchelignore="!node_modules/\n")
    assert paths(walk(tmp_path)) == [
        "a.py",
        *(f"node_modules/{n}/index.js" for n in "xyz"),
        "sub/node_modules/w.js",
    ]


def test_a_large_folder_that_is_left_out_is_not_counted_for_ever(tmp_path: Path) -> None:
    """The count ends at a limit, and the summary says that it did."""
    (tmp_path / "node_modules").mkdir()
    for n in range(COUNT_LIMIT + 1):
        (tmp_path / "node_modules" / str(n)).touch()
    (line,) = summarise(walk(tmp_path).skipped)
    assert (line.files, line.more) == (0, True)


def test_our_own_output_and_configuration(tmp_path: Path) -> None:
    """G20: a second run does not pack the first one's output."""
    write(
        tmp_path,
        "a.py",
        ".satchel/pack.json",
        "sub/.satchel/x",
        "satchel.toml",
        ".satchelignore",
        "out/prompt.md",
    )
    result = walk(tmp_path, WalkOptions(own_outputs=("out/prompt.md",)))
    assert paths(result) == ["a.py"]
    assert set(reasons(result).values()) == {SkipReason.OWN_OUTPUT}
    assert paths(walk(tmp_path, WalkOptions(explicit=("satchel.toml",)))) == [
        "a.py",
        "out/prompt.md",
        "satchel.toml",
    ]


def test_sizes(tmp_path: Path) -> None:
    """A file above the limit is left out with both numbers; naming it overrides."""
    (tmp_path / "big.txt").write_bytes(b"x" * 11)
    (tmp_path / "fit.txt").write_bytes(b"x" * 10)
    result = walk(tmp_path, WalkOptions(max_file_bytes=10))
    assert [(file.path, file.size) for file in result.files] == [("fit.txt", 10)]
    assert result.skipped == (Skipped("big.txt", SkipReason.TOO_LARGE, "11 bytes, limit 10"),)
    assert paths(walk(tmp_path, WalkOptions(max_file_bytes=10, explicit=("big.txt",)))) == [
        "big.txt",
        "fit.txt",
    ]
    assert paths(walk(tmp_path, WalkOptions(max_file_bytes=None))) == ["big.txt", "fit.txt"]


def test_explicit_paths_win(tmp_path: Path) -> None:
    """B02: over ignore rules, defaults and filters, also deep in a folder that is left out."""
    write(
        tmp_path,
        "node_modules/lib/a.js",
        "node_modules/lib/b.js",
        "build/out/x.py",
        "build/y.log",
        "z.log",
        "m.py",
    )
    write(tmp_path, _gitignore="build/\n*.log\n")
    options = WalkOptions(
        include=("*.py",), exclude=("*.js",), explicit=("node_modules/lib/a.js", str(tmp_path / "z.log"))
    )
    result = walk(tmp_path, options)
    assert paths(result) == ["m.py", "node_modules/lib/a.js", "z.log"]
    assert [file.explicit for file in result.files] == [False, True, True]
    assert reasons(result)["node_modules/lib/b.js"] is SkipReason.EXCLUDED
    folder = walk(tmp_path, WalkOptions(explicit=("build/",)))
    assert paths(folder) == [".gitignore", "build/out/x.py", "m.py"]
    assert reasons(folder)["build/y.log"] is SkipReason.IGNORED, "a rule about names holds in a named folder"


def test_rule_sources_merge(tmp_path: Path) -> None:
    """G06, G08: no source switches another off; on conflict our own file wins, then ``.ignore``."""
    write(tmp_path, "a.one", "a.two", "a.three", "back.one", "sub/back.two")
    write(
        tmp_path,
        _gitignore="*.one\n",
        _ignore="*.two\n!back.one\n",
        _satchelignore="*.three\n!sub/back.two\n",
    )
    assert paths(walk(tmp_path)) == [".gitignore", ".ignore", "back.one", "sub/back.two"]


def test_ignore_files_can_be_turned_off(tmp_path: Path) -> None:
    """G12: the switch works for every kind of rule, end to end."""
    write(tmp_path, "a.log", "b.log", "c.log", "sub/d.log", "node_modules/x.js")
    write(tmp_path, _gitignore="a.log", _ignore="b.log", _satchelignore="c.log")
    (tmp_path / "sub/.gitignore").write_text("*")
    assert paths(walk(tmp_path)) == [".gitignore", ".ignore"]
    unruled = paths(walk(tmp_path, WalkOptions(no_ignore=True)))
    assert unruled == [".gitignore", ".ignore", "a.log", "b.log", "c.log", "sub/.gitignore", "sub/d.log"]


def test_a_byte_order_mark_in_an_ignore_file(tmp_path: Path) -> None:
    """F13: the first rule counts, in each kind of file, also in a folder that is no repository."""
    for name in (".gitignore", ".ignore", ".satchelignore"):
        folder = tmp_path / name[1:]
        write(folder, "a.log", "b.py")
        (folder / name).write_bytes(b"\xef\xbb\xbf*.log\r\n")
        assert "a.log" not in paths(walk(folder))


def test_rules_stay_in_their_folder(tmp_path: Path) -> None:
    """G11: no leak to a sibling, and a leading slash anchors."""
    write(tmp_path, "a/x.txt", "b/x.txt", "staticfiles/s.css", "app/staticfiles/t.css")
    (tmp_path / "a/.gitignore").write_text("*.txt\n")
    write(tmp_path, _gitignore="/staticfiles/\n")
    assert paths(walk(tmp_path)) == [".gitignore", "a/.gitignore", "app/staticfiles/t.css", "b/x.txt"]


def test_names_may_hold_anything(tmp_path: Path) -> None:
    """J13: every name has one printable, unique form that is valid UTF-8, and still opens its file."""
    odd = [
        b'a">x<b',
        b"two\nlines",
        b"\xff\xfe",
        b"\\xff\\xfe",
        b"tab\there",
        b"e\xcc\x81",
        b"rtl\xe2\x80\xae",
        b"-rf",
    ]
    for name in odd:
        (tmp_path / os.fsdecode(name)).write_bytes(name)
    result = walk(tmp_path)
    assert {file.read_bytes() for file in result.files} == set(odd)
    assert len(set(paths(result))) == len(odd)
    for path in paths(result):
        assert "\n" not in path
        assert path.encode("utf-8").decode("utf-8") == path
    assert {'a">x<b', "two\\u000alines", "\\xff\\xfe", "\\\\xff\\\\xfe", "rtl\\u202e"} <= set(paths(result))
    (tmp_path / os.fsdecode(b"\xe9.log")).touch()
    (tmp_path / ".gitignore").write_bytes(b"\xe9.*\n")
    assert reasons(walk(tmp_path)) == {"\\xe9.log": SkipReason.IGNORED}


def test_printable_forms_are_unique_and_byte_forms_turn_back() -> None:
    """Two names never share a form; an ordinary name is its own."""
    rng = random.Random(1)
    pieces = ["\\", "x", "f", "ff", "\\xff", "\\\\", "u", "\n", "000a", "\\u000a", "é", "a/b", "\u200b"]
    names = {"".join(rng.choice(pieces) for _ in range(rng.randint(1, 6))) for _ in range(5000)}
    raw = sorted(names | {os.fsdecode(b"\xff" + os.fsencode(name)) for name in names})
    assert len({display_path(name) for name in raw}) == len(raw)
    assert [from_byte_form(byte_form(name)) for name in raw] == raw
    assert display_path("src/a b/ü日\\win.py") == "src/a b/ü日\\win.py"


@pytest.mark.parametrize("seed", range(12))
def test_everything_is_accounted_for_once(seed: int, tmp_path: Path) -> None:
    """B03: files and skips together are every file below the root, whatever the options."""
    rng = random.Random(seed)
    folders = [
        "",
        "src/",
        "src/deep/",
        "node_modules/",
        "node_modules/x/",
        ".git/",
        "sub/.git/",
        "sub/",
        "tests/",
    ]
    names = ["a.py", "b.log", ".env", "c.js", "big.bin", ".satchelignore", "x y", "HEAD"]
    every = {rng.choice(folders) + rng.choice(names) for _ in range(40)}
    write(tmp_path, *every)
    write(tmp_path, _gitignore=rng.choice(["*.log", "src/", "!x", "deep", "*"]))
    (tmp_path / "link").symlink_to("src")
    some = sorted(path for path in every if ".git/" not in path)
    options = WalkOptions(
        include=rng.choice([(), ("*.py", "src")]),
        exclude=rng.choice([(), ("tests",), ("src/**", "!src/deep/a.py")]),
        explicit=tuple(rng.sample(some, 2)) if rng.random() < 0.5 else (),
        no_ignore=rng.random() < 0.3,
        default_excludes=rng.random() < 0.7,
    )
    result = walk(tmp_path, options)
    whole = [item.path for item in result.skipped if item.path.endswith("/")]
    single = paths(result) + [item.path for item in result.skipped if not item.path.endswith("/")]
    assert len(set(single)) == len(single)
    for path in {*every, ".gitignore", "link"}:
        assert single.count(path) + sum(path.startswith(folder) for folder in whole) == 1, path
    for item in result.skipped:
        if item.path.endswith("/") and item.files is not None:
            inside = [path for path in every if path.startswith(item.path) and ".git/" not in path]
            assert item.files == len(inside)


def test_the_same_tree_gives_the_same_result(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither the order of creation, nor the working folder, nor the spelling of the root shows."""
    names = ["b/x.py", "a.py", "a/x.py", "a-b.py", "B.py", "node_modules/x"]
    write(tmp_path / "one", *names)
    write(tmp_path / "two", *reversed(names))
    first = walk(tmp_path / "one")
    monkeypatch.chdir(tmp_path / "two")
    assert first == walk(Path()) == walk(tmp_path / "one/../two")
    assert paths(first) == ["B.py", "a-b.py", "a.py", "a/x.py", "b/x.py"]
    assert str(tmp_path) not in repr(first)


def test_hostile_patterns_are_matched_in_no_time() -> None:
    """I05: a rule made to backtrack for ever does not."""
    hostile = [
        "*a" * 40 + "b",
        "**/a/" * 30 + "b",
        "**\\/a" * 20 + "/**/b",
        "[a-z]*" * 40 + "!",
        "?*" * 40 + "/x",
    ]
    rules = parse_rules("\n".join(hostile).encode(), "x")
    assert rules.match("a" * 200, "a" * 200, is_dir=False) is None
    assert rules.match("a/" * 120 + "a", "a", is_dir=False) is None


def test_a_deep_tree_is_no_problem(tmp_path: Path) -> None:
    """Deeper than the recursion limit of the interpreter."""
    places = [tmp_path / ("d/" * depth) for depth in range(1, 1101)]
    for place in places:
        place.mkdir()
    (places[-1] / "x.py").touch()
    try:
        assert len(walk(tmp_path).files) == 1
    finally:  # the removal of temporary folders is recursive
        (places[-1] / "x.py").unlink()
        for place in reversed(places):
            place.rmdir()


def test_no_number_of_files_is_too_many(tmp_path: Path) -> None:
    """G18: there is no cap that could be reached silently."""
    for n in range(10_001):
        (tmp_path / f"{n}.txt").touch()
    assert len(walk(tmp_path).files) == 10_001
