"""Promise 5 with a cache: whatever was remembered, and whatever was edited since, the bytes are the same."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from satchel import (
    CacheOptions,
    PackOptions,
    ScanOptions,
    SummaryUse,
    Task,
    cache_status,
    open_cache,
    pack,
    prepare,
    work_cache,
)
from satchel.sources.cache import contexts

LINKBOX = Path(__file__).parents[2] / "data" / "linkbox"
TASK = Task(kind="api-reference", about="Making, following and deleting links")

NAMES = ("src/a.py", "src/b.py", "docs/guide.md", "notes.txt", "tool.toml", "web/x.ts", "tests/test_a.py")
TEXTS = (
    "",
    "def link(url):\n    '''Make a link.'''\n    return url\n",
    "class Store:\n    '''Keeps links.'''\n\n    def get(self, key):\n        return key\n",
    "# Links\n\nHow links are made.\n\n## Deleting\n\nCall delete twice. " * 30,
    "[tool]\nname = 'links'\n",
    "export function follow(link: string): string { return link }\n",
    "caf\xe9 " * 300,
    "import store\n\n\ndef test_get():\n    assert store.get(1)\n",
)
EDITS = st.lists(
    st.one_of(
        st.tuples(st.just("write"), st.sampled_from(NAMES), st.sampled_from(TEXTS)),
        st.tuples(st.just("delete"), st.sampled_from(NAMES), st.just("")),
        st.tuples(st.just("rename"), st.sampled_from(NAMES), st.sampled_from(NAMES)),
        st.tuples(st.just("touch"), st.sampled_from(NAMES), st.just("")),
        st.tuples(st.just("ignore"), st.sampled_from(NAMES), st.just("")),
    ),
    max_size=6,
)


def edit(root: Path, kind: str, name: str, other: str) -> None:
    place = root / name
    if kind == "write":
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(other, encoding="latin-1" if "caf" in other else "utf-8")
    elif kind == "ignore":
        (root / ".gitignore").write_text(f"{name}\n")
    elif place.exists():
        if kind == "delete":
            place.unlink()
        elif kind == "touch":
            os.utime(place)
        else:
            (root / other).parent.mkdir(parents=True, exist_ok=True)
            place.replace(root / other)


def problem_of(root: Path, cache: Path | None) -> str:
    options = PackOptions(budget=2000, cache=CacheOptions(cache) if cache else None, on_notice=pytest.fail)
    found, problem = prepare(root, TASK, options)
    rest = (found.skipped, found.diagnostics, found.report, found.groups)
    return problem.to_json() + repr(rest)


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rounds=st.lists(EDITS, min_size=1, max_size=3))
def test_random_edits_give_what_a_cold_run_gives(
    rounds: list[list[tuple[str, str, str]]], monkeypatch: pytest.MonkeyPatch
) -> None:
    # Edits follow each other faster than clocks of file systems tick: with this, every time is believed
    # that can be, and the young files are what it is about.
    monkeypatch.setattr(contexts, "RACY_NS", 50_000_000)
    with tempfile.TemporaryDirectory() as folder:
        root, cache = Path(folder) / "repo", Path(folder) / "cache"
        shutil.copytree(LINKBOX, root)
        problem_of(root, cache)
        for edits in rounds:
            for step in edits:
                edit(root, *step)
            assert problem_of(root, cache) == problem_of(root, None)


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    shutil.copytree(LINKBOX, tmp_path / "repo")
    section = "\n\n".join(
        f"A link of kind {n} is made by a request to the service. It is followed {n} times before it ends."
        for n in range(40)
    )
    (tmp_path / "repo/docs").mkdir(exist_ok=True)
    (tmp_path / "repo/docs/links.md").write_text(f"# Making links\n\n{section}\n")
    return tmp_path / "repo"


def packed(repo: Path, cache: Path | None, use: SummaryUse = SummaryUse.COMPUTE) -> tuple[str, str, str]:
    options = PackOptions(
        budget=1500, cache=CacheOptions(cache) if cache else None, scan=ScanOptions(summaries=use)
    )
    result = pack(repo, TASK, options)
    return result.context.to_json(), result.problem.to_json(), result.prompt


def test_cold_warm_and_without_are_one(repo: Path, tmp_path: Path) -> None:
    cold = packed(repo, tmp_path / "cache")
    assert packed(repo, tmp_path / "cache") == cold
    assert packed(repo, None) == cold


def test_a_summary_is_the_same_looked_up_or_made(repo: Path, tmp_path: Path) -> None:
    made = packed(repo, tmp_path / "cache")
    assert '"state": "summarized"' in made[1]
    done = work_cache(repo, CacheOptions(tmp_path / "cache"))
    assert (done.left, done.dead) == (0, 0)
    assert packed(repo, tmp_path / "cache") == made
    assert packed(repo, tmp_path / "cache", SummaryUse.CACHED) == made


def test_without_workers_cached_offers_none_and_says_so(repo: Path, tmp_path: Path) -> None:
    """The command line never waits: what is not made is not offered, and queued to come first."""
    context, problem, prompt = packed(repo, tmp_path / "cache", SummaryUse.CACHED)
    assert '"state": "summarized"' not in problem
    assert '"summaries_missing"' in context
    assert packed(repo, None, SummaryUse.CACHED) == (context, problem, prompt)
    status = cache_status(repo, CacheOptions(tmp_path / "cache"))
    assert status.queue.pending > 0
    with open_cache(repo, CacheOptions(tmp_path / "cache")) as cache:
        first = cache.queue.claim()
        assert first
        assert cache.database.row("SELECT priority FROM jobs WHERE number = ?", (first.number,)) == (10,)


def test_off_offers_none_and_says_nothing(repo: Path, tmp_path: Path) -> None:
    context, problem, _ = packed(repo, tmp_path / "cache", SummaryUse.OFF)
    assert '"state": "summarized"' not in problem
    assert "summaries_missing" not in context


def test_no_clock_reaches_an_artifact(repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one = packed(repo, tmp_path / "one")
    monkeypatch.setattr("time.time", lambda: 4_000_000_000.0)
    monkeypatch.setattr("time.time_ns", lambda: 4_000_000_000_000_000_000)
    assert packed(repo, tmp_path / "two") == one
    assert packed(repo, tmp_path / "two") == one
