"""The one matcher of patterns, and the selectors that use it."""

from __future__ import annotations

from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from satchel.models import CATEGORIES, ContextUnit, id_glob, path_glob, selects

TREE = (
    "a.py",
    "src/b.py",
    "src/deep/c.py",
    "src/deep/c.pyc",
    "docs/src/d.md",
    "dir",
    "dirty/e",
    "x",
    "q/x/y",
)

PATHS = [
    ("*.py", {"a.py", "src/b.py", "src/deep/c.py"}),
    ("src/*.py", {"src/b.py"}),
    ("src/*", {"src/b.py", "src/deep/c.py", "src/deep/c.pyc"}),  # a matched folder takes what is below it
    ("/src/*.py", {"src/b.py"}),
    ("./src/*.py", {"src/b.py"}),
    ("src/**", {"src/b.py", "src/deep/c.py", "src/deep/c.pyc"}),
    ("src/**/*.py", {"src/b.py", "src/deep/c.py"}),
    ("**/x", {"x", "q/x/y"}),
    ("**/*.md", {"docs/src/d.md"}),
    ("src", {"src/b.py", "src/deep/c.py", "src/deep/c.pyc", "docs/src/d.md"}),
    ("/src", {"src/b.py", "src/deep/c.py", "src/deep/c.pyc"}),
    ("dir", {"dir"}),
    ("dir/", set()),
    ("src/", {"src/b.py", "src/deep/c.py", "src/deep/c.pyc", "docs/src/d.md"}),
    ("deep/", {"src/deep/c.py", "src/deep/c.pyc"}),
    ("c.py?", {"src/deep/c.pyc"}),
    ("[ab].py", {"a.py", "src/b.py"}),
    ("[!a].py", {"src/b.py", "src/deep/c.py"}),
    ("[a-b].py", {"a.py", "src/b.py"}),
    ("**", set(TREE)),
    ("*", set(TREE)),
    ("nothing", set()),
]


@pytest.mark.parametrize(("pattern", "matched"), PATHS, ids=[pattern for pattern, _ in PATHS])
def test_path_globs(pattern: str, matched: set[str]) -> None:
    """G14: ``*.py``, ``src/*.py``, ``**/x``, ``dir``, ``dir/``; a folder takes its children with it."""
    glob = path_glob(pattern)
    assert {path for path in TREE if glob.fullmatch(path)} == matched


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("!.(cursor)/**", "!.(cursor)/rules/a.md"),
        ("a b&c;$d", "a b&c;$d"),
        ("(x|y).py", "(x|y).py"),
        ("a+b.txt", "a+b.txt"),
        ("^$.{2}", "^$.{2}"),
        (r"a\*b", "a*b"),
        (r"\[x]", "[x]"),
        ("[", "["),
        ("[]]", "]"),
        ("[a^]", "^"),
        (r"[\]", "\\"),
        ("tab\tname", "tab\tname"),
        ("two\nlines*", "two\nlines.py"),
        ("日本*", "日本語.md"),
    ],
)
def test_any_character_may_stand_in_a_pattern(pattern: str, path: str) -> None:
    """G21: shell characters and regular-expression characters mean themselves."""
    assert path_glob(pattern).fullmatch(path)
    assert not path_glob(pattern).fullmatch("other")


def test_id_globs_cross_slashes_and_are_anchored() -> None:
    assert id_glob("contract:*").fullmatch("contract:openapi:users/get")
    assert id_glob("*users*").fullmatch("contract:openapi:users/get")
    assert not id_glob("openapi").fullmatch("contract:openapi:users/get")
    assert id_glob("u?").fullmatch("u1")
    assert not id_glob("u?").fullmatch("u12")
    assert not id_glob("a.c").fullmatch("abc")


def by_trying_everything(pattern: str, text: str, *, paths: bool) -> bool:
    """Match as the documentation of the globs says, by trying every length for every wildcard."""
    tails = [""]
    if paths:
        below_only = pattern.endswith("/")
        pattern = pattern.rstrip("/")
        if "/" not in pattern:
            pattern = "**/" + pattern
        pattern = pattern.removeprefix("/")
        ends = [i for i, char in enumerate(text) if char == "/"]
        tails = [text[i:] for i in ends] if below_only else ["", *(text[i:] for i in ends)]

    @cache
    def match(i: int, j: int, end: int) -> bool:
        rest = pattern[i:]
        if not rest:
            return j == end
        if paths and rest.startswith("**/") and (i == 0 or pattern[i - 1] == "/"):
            return match(i + 3, j, end) or any(
                text[k] == "/" and match(i + 3, k + 1, end) for k in range(j, end)
            )
        if paths and rest.startswith("**"):
            return any(match(i + 2, k, end) for k in range(j, end + 1))
        if rest.startswith("*"):
            stop = next((k for k in range(j, end) if paths and text[k] == "/"), end)
            return any(match(i + 1, k, end) for k in range(j, stop + 1))
        if j == end or (rest[0] == "?" and paths and text[j] == "/"):
            return False
        return rest[0] in ("?", text[j]) and match(i + 1, j + 1, end)

    return any(match(0, 0, len(text) - len(tail)) for tail in tails)


pieces = st.sampled_from(["a", "b", "ab", "/", "*", "**", "**/", "?"])
names = st.lists(st.text("ab", min_size=1, max_size=4), min_size=1, max_size=4).map("/".join)


@settings(max_examples=400, deadline=None)
@given(st.lists(pieces, min_size=1, max_size=7).map("".join), names)
def test_globs_match_as_if_everything_were_tried(pattern: str, path: str) -> None:
    assert bool(id_glob(pattern).fullmatch(path)) is by_trying_everything(pattern, path, paths=False)
    if pattern.strip("/") and "//" not in pattern:
        assert bool(path_glob(pattern).fullmatch(path)) is by_trying_everything(pattern, path, paths=True)


@pytest.mark.parametrize("pattern", ["**/" * 12 + "*a*a*a*a*b", "**/a/" * 12 + "b", "*a" * 20 + "b"])
def test_long_patterns_do_not_blow_up(pattern: str) -> None:
    """Many wildcards against a long name that almost matches answer at once."""
    assert not path_glob(pattern).fullmatch("a/" * 200 + "a" * 200 + "c")
    assert not id_glob(pattern).fullmatch("a" * 2000)


UNIT = ContextUnit.from_data(
    {
        "id": "symbol:src/app.py:main",
        "kind": "symbol",
        "tokenEstimate": 1,
        "zone": "examples",
        "tags": ["page_spec", "blue"],
        "sourceRefs": [{"path": "src/app.py"}, {"path": "docs/app.md"}],
    }
)


@pytest.mark.parametrize(
    ("selector", "expected"),
    [
        ("kind:symbol", True),
        ("kind:sym*", True),
        ("kind:contract", False),
        ("tag:blue", True),
        ("tag:red", False),
        ("id:symbol:*", True),
        ("id:main", False),
        ("path:*.md", True),
        ("path:src/", True),
        ("path:lib/", False),
        ("zone:examples", True),
        ("zone:task", False),
        ("page_spec", True),
        ("secrets", False),
    ],
)
def test_selectors(selector: str, expected: bool) -> None:
    assert selects(selector, UNIT) is expected


def test_every_category_is_made_of_selectors() -> None:
    for category, selectors in CATEGORIES.items():
        for selector in selectors:
            by, _, name = selector.partition(":")
            unit = ContextUnit.from_data(
                {"id": "u", "tokenEstimate": 1, "zone": name if by == "zone" else "task"}
                | ({"tags": [name]} if by == "tag" else {})
            )
            assert selects(category, unit)
