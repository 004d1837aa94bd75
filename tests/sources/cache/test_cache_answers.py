"""A pack that is given again is the one that would be made, in every state of what it rests on."""

from __future__ import annotations

import os
import pickle
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from satchel import (
    CacheOptions,
    PackOptions,
    PackResult,
    ScanOptions,
    SolveOptions,
    SummaryUse,
    Task,
    cache_status,
    open_cache,
    pack,
    write_pack,
)
from satchel import answering as answering_module
from satchel.answering import Asked
from satchel.models import Problem
from satchel.packing import RecalledPack, estimator_of
from satchel.pricing import PriceOptions
from satchel.sources import candidates
from satchel.sources.cache import answers, contexts
from satchel.sources.files import SourceFile
from satchel.sources.seeds import Seeding
from satchel.sources.tasks import Settings
from satchel.sources.walk import WalkOptions

LINKBOX = Path(__file__).parents[2] / "data" / "linkbox"
TASK = Task(kind="api-reference", about="Making, following and deleting links")


@pytest.fixture(autouse=True)
def _old_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    """Times of change cannot be set: let files be believed by them that are a little older than the clock."""
    monkeypatch.setattr(contexts, "RACY_NS", 50_000_000)


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    shutil.copytree(LINKBOX, tmp_path / "repo")
    return tmp_path / "repo"


def made(repo: Path, cache: Path | None, task: Task = TASK, **other: Any) -> PackResult:
    where = CacheOptions(cache) if cache else None
    return pack(repo, task, PackOptions(budget=1500, cache=where, on_notice=pytest.fail, **other))


def texts(result: PackResult) -> tuple[str, str, str]:
    assert result.context_text() == result.context.to_json()
    return result.context_text(), result.problem_text(), result.prompt


def again(repo: Path, cache: Path, *, given: bool, **other: Any) -> None:
    """Pack, and see that it is what a run without a cache makes, and whether it was given again."""
    found = made(repo, cache, **other)
    assert texts(found) == texts(made(repo, None, **other))
    assert isinstance(found, RecalledPack) is given


def test_the_same_task_of_the_same_contents_is_answered_at_once(repo: Path, tmp_path: Path) -> None:
    first = made(repo, tmp_path / "cache")
    second = made(repo, tmp_path / "cache")
    assert isinstance(second, RecalledPack)
    assert not isinstance(first, RecalledPack)
    assert texts(first) == texts(second) == texts(made(repo, None))
    assert second == first
    assert second.problem == first.problem == Problem.from_json(second.problem_text())
    assert second.problem.digest == second.context.solver.problem_digest
    for name, result in (("one", first), ("two", second)):
        write_pack(result, tmp_path / name)
    for path in (tmp_path / "one").iterdir():
        assert path.read_bytes() == (tmp_path / "two" / path.name).read_bytes()


def test_a_pack_that_is_given_again_is_a_record_like_any_other(repo: Path, tmp_path: Path) -> None:
    """It can be changed, sent to another process, and compared."""
    first = made(repo, tmp_path / "cache")
    second = made(repo, tmp_path / "cache")
    assert isinstance(second, RecalledPack)
    assert pickle.loads(pickle.dumps(second)) == second == first
    other = replace(second, prompt="other", problem=first.problem.model_copy(update={"units": ()}))
    assert (other.prompt, other.problem.units, other.context) == ("other", (), first.context)
    assert other.problem_text() == other.problem.to_json() != first.problem_text()
    assert other.problem_bytes() == other.problem_text().encode()
    assert texts(other)[0] == texts(first)[0]
    assert other != second
    assert second != "a pack"


def test_of_a_touched_file_only_that_file_is_read(
    repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made(repo, tmp_path / "cache")
    for place in repo.rglob("*.py"):
        os.utime(place, (1_000_000_000, 1_000_000_000))
    again(repo, tmp_path / "cache", given=True)
    read: list[str] = []
    inner = candidates.read_text

    def spy(source: SourceFile, **options: Any) -> Any:
        read.append(source.path)
        return inner(source, **options)

    monkeypatch.setattr(candidates, "read_text", spy)
    monkeypatch.setattr(contexts, "RACY_NS", 0)
    made(repo, tmp_path / "cache")
    read.clear()
    os.utime(repo / "linkbox/store.py", (1_100_000_000, 1_100_000_000))
    assert isinstance(made(repo, tmp_path / "cache"), RecalledPack)
    assert read == ["linkbox/store.py"]
    read.clear()
    assert isinstance(made(repo, tmp_path / "cache"), RecalledPack)
    assert read == []


def _git(repo: Path, *arguments: str) -> None:
    name = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
    subprocess.run(["git", "-C", repo, *name, *arguments], check=True, capture_output=True)


def _swap(repo: Path) -> None:
    """Turn the bytes of a file around: as many bytes, the same text."""
    place = repo / "docs/pages.txt"
    data = place.read_bytes()
    place.write_bytes(b"\xfe\xff" + b"".join(data[i : i + 2][::-1] for i in range(2, len(data), 2)))


def _recode(repo: Path) -> None:
    """Write the same text in another encoding: only what is said of the decoding changes."""
    place = repo / "docs/errors.md"
    place.write_bytes(place.read_text("utf-8").encode("utf-16"))


CHANGES: dict[str, Callable[[Path], object]] = {
    "edited": lambda repo: (repo / "linkbox/codes.py").write_text("def code():\n    return 7\n"),
    "added": lambda repo: (repo / "linkbox/more.py").write_text("def more():\n    return 7\n"),
    "empty": lambda repo: (repo / "linkbox/more.py").write_text(""),
    "binary": lambda repo: (repo / "linkbox/more.bin").write_bytes(bytes(range(256)) * 9),
    "deleted": lambda repo: (repo / "linkbox/codes.py").unlink(),
    "renamed": lambda repo: (repo / "linkbox/codes.py").rename(repo / "linkbox/kodes.py"),
    "ignored": lambda repo: (repo / ".gitignore").write_text("codes.py\n"),
    "recoded": _recode,
    "swapped": _swap,
    "settings": lambda repo: (repo / "satchel.toml").write_text("[rules.authority]\nsource = 0.2\n"),
    "committed": lambda repo: (
        _git(repo, "init", "-q"),
        _git(repo, "add", "."),
        _git(repo, "commit", "-qm", "a"),
    ),
    "junk": lambda repo: (repo / "node_modules").mkdir() or (repo / "node_modules/a.js").write_text("1"),
    "secret": lambda repo: (repo / ".env").write_text("LEVEL=1"),
    "large": lambda repo: (repo / "large.py").write_text("x = 1\n" * 400_000),
    "folder": lambda repo: (repo / "build").mkdir() or (repo / "build/a.py").write_text("x = 1\n"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_whatever_changes_is_packed_anew(repo: Path, tmp_path: Path, change: str) -> None:
    (repo / "docs/pages.txt").write_bytes("\ufeffHow pages are linked.\n".encode("utf-16-le"))
    made(repo, tmp_path / "cache")
    CHANGES[change](repo)
    again(repo, tmp_path / "cache", given=False)
    again(repo, tmp_path / "cache", given=True)


def test_git_has_its_say(repo: Path, tmp_path: Path) -> None:
    """Ages, what is tracked, and the commit that is told are part of what is read."""
    _git(repo, "init", "-q")
    again(repo, tmp_path / "cache", given=False)
    for number, step in enumerate((("add", "linkbox"), ("add", "."), ("commit", "--allow-empty"))):
        if step[0] == "add":
            _git(repo, *step)
        _git(repo, "commit", "-qm", f"{number}", "--allow-empty")
        again(repo, tmp_path / "cache", given=False)
        again(repo, tmp_path / "cache", given=True)
    other = {"scan": ScanOptions(walk=WalkOptions(revision="HEAD"))}
    again(repo, tmp_path / "cache", given=False, **other)
    again(repo, tmp_path / "cache", given=True, **other)
    (repo / "linkbox/codes.py").write_text("def code():\n    return 7\n")
    again(repo, tmp_path / "cache", given=True, **other)
    _git(repo, "commit", "-aqm", "more")
    again(repo, tmp_path / "cache", given=False, **other)


NAMES = ("a.py", "docs/a.md", "b.toml", ".gitignore", "linkbox/codes.py")
TEXTS = (
    "",
    "a.py\n",
    "def link(url):\n    return url\n",
    "# Links\n\nHow links are made.\n",
    "caf\xe9 = 1\n",
)
STEPS = st.one_of(
    st.tuples(st.just("write"), st.sampled_from(NAMES), st.sampled_from(TEXTS)),
    st.tuples(st.just("latin"), st.sampled_from(NAMES), st.just(TEXTS[-1])),
    st.tuples(st.sampled_from(("delete", "touch")), st.sampled_from(NAMES), st.just("")),
    st.tuples(st.just("rename"), st.sampled_from(NAMES), st.sampled_from(NAMES)),
)


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rounds=st.lists(st.lists(STEPS, max_size=3), min_size=1, max_size=4))
def test_random_edits_are_answered_as_without_a_cache(rounds: list[list[tuple[str, str, str]]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root, cache = Path(folder) / "repo", Path(folder) / "cache"
        shutil.copytree(LINKBOX, root)
        made(root, cache)
        for steps in rounds:
            for kind, name, other in steps:
                place = root / name
                place.parent.mkdir(exist_ok=True)
                if kind in ("write", "latin"):
                    place.write_text(other, "latin-1" if kind == "latin" else "utf-8")
                elif place.exists() and kind == "delete":
                    place.unlink()
                elif place.exists() and kind == "touch":
                    os.utime(place)
                elif place.exists():
                    (root / other).parent.mkdir(exist_ok=True)
                    place.replace(root / other)
            assert texts(made(root, cache)) == texts(made(root, None))


def question(repo: Path, task: Task, options: PackOptions) -> str | None:
    found = Asked.of([repo], task, options, estimator_of(options))
    return found.question if found else None


OTHER: dict[str, dict[str, Any]] = {
    "pack": {
        "budget": 1600,
        "model": "gpt-4o",
        "encoding": "cl100k_base",
        "approximate": True,
        "format": "xml",
        "order": "as-given",
        "volatile": ("*.md",),
        "pricing": PriceOptions(expected_calls=3),
    },
    "scan": {
        "history": False,
        "settings": Settings(rules={"authority": {"source": 0.3}}),
        "summaries": "off",
    },
    "walk": {
        "include": ("a",),
        "exclude": ("a",),
        "explicit": ("README.md",),
        "own_outputs": ("a",),
        "no_ignore": True,
        "default_excludes": False,
        "sensitive_names": False,
        "global_ignore": False,
        "tracked": False,
        "nested": True,
        "max_file_bytes": 7,
        "revision": "HEAD",
    },
    "solve": {
        "solver": "greedy",
        "time_limit": 7.0,
        "deterministic_limit": 7.0,
        "gap": 0.1,
        "seed": 7,
        "workers": 2,
    },
    "task": {
        "id": "b",
        "kind": "overview",
        "about": "other",
        "title": "b",
        "outline": ("b",),
        "focus": ("docs",),
    },
}
WITHOUT_A_SAY = {
    "pack": {"cache", "on_stage", "on_notice", "scan", "solve"},
    "scan": {"walk", "jobs", "cache", "plain", "seeds"},
    "walk": set[str](),
    "solve": {"on_progress", "started"},
}
NEVER_ANSWERED = {"engine", "tokenizer_file"}
"""The one is never answered twice; the other names a file, which is in the name of what counts."""


def test_every_option_was_thought_of() -> None:
    for name, kind in (
        ("pack", PackOptions),
        ("scan", ScanOptions),
        ("walk", WalkOptions),
        ("solve", SolveOptions),
    ):
        known = {*OTHER[name], *WITHOUT_A_SAY[name], *NEVER_ANSWERED}
        assert {field.name for field in fields(kind)} - known == set(), name
    assert set(Task.model_fields) - set(OTHER["task"]) <= {"audience", "schema_version"}


def test_every_option_that_has_a_say_asks_another_question(repo: Path, tmp_path: Path) -> None:
    base = PackOptions(budget=1500, cache=CacheOptions(tmp_path))
    asked = [question(repo, TASK, base)]
    for name, value in OTHER["pack"].items():
        asked.append(question(repo, TASK, replace(base, **{name: value})))
    for name, value in OTHER["scan"].items():
        value = SummaryUse(value) if name == "summaries" else value
        asked.append(question(repo, TASK, replace(base, scan=ScanOptions(**{name: value}))))
    for name, value in OTHER["walk"].items():
        scan = ScanOptions(walk=WalkOptions(**{name: value}))
        asked.append(question(repo, TASK, replace(base, scan=scan)))
    for name, value in OTHER["solve"].items():
        asked.append(question(repo, TASK, replace(base, solve=SolveOptions(**{name: value}))))
    for name, value in OTHER["task"].items():
        asked.append(question(repo, TASK.model_copy(update={name: value}), base))
    assert None not in asked
    assert len(set(asked)) == len(asked)


def test_what_has_no_say_asks_the_same(repo: Path, tmp_path: Path) -> None:
    base = PackOptions(budget=1500, cache=CacheOptions(tmp_path))
    same = replace(
        base,
        cache=CacheOptions(tmp_path / "b"),
        on_stage=print,
        on_notice=print,
        scan=ScanOptions(jobs=3),
        solve=SolveOptions(on_progress=print, started=1.0),
    )
    assert question(repo, TASK, same) == question(repo, TASK, base)


@pytest.mark.parametrize(
    "other",
    [
        {"engine": "greedy"},
        {"scan": ScanOptions(summaries=SummaryUse.CACHED)},
        {"scan": ScanOptions(seeds=Seeding(page="README.md"))},
        {"scan": ScanOptions(seeds=Seeding(since="HEAD"))},
        {"cache": None},
    ],
)
def test_what_is_not_looked_at_is_never_answered_twice(
    repo: Path, tmp_path: Path, other: dict[str, Any]
) -> None:
    options = PackOptions(**{"budget": 1500, "cache": CacheOptions(tmp_path), **other})
    assert question(repo, TASK, options) is None


def test_other_code_asks_another_question(
    repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever is installed anew, or edited, makes its own packs."""
    made(repo, tmp_path / "cache")
    monkeypatch.setattr(answering_module, "_answering", lambda: "other code")
    again(repo, tmp_path / "cache", given=False)


def test_a_pack_that_another_run_might_not_make_is_not_kept(
    repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    limited = {"solve": SolveOptions(workers=2)}
    first = made(repo, tmp_path / "cache", **limited)
    if not first.context.solver.reproducible:
        assert not isinstance(made(repo, tmp_path / "cache", **limited), RecalledPack)
    keep = answers.Answers.keep
    monkeypatch.setattr(answers.Answers, "keep", pytest.fail)
    result = made(repo, None)
    solver = result.context.solver.model_copy(update={"reproducible": False})
    uncertain = replace(result, context=result.context.model_copy(update={"solver": solver}))
    options = PackOptions(budget=1500, cache=CacheOptions(tmp_path / "cache"))
    asked = Asked.of([repo], TASK, options, estimator_of(options))
    assert asked
    asked.keep("ground", uncertain)
    asked.keep(None, result)
    monkeypatch.setattr(answers.Answers, "keep", keep)


@pytest.mark.parametrize("column", ["question", "ground", "digest", "context", "problem", "prompt", "number"])
@pytest.mark.parametrize("value", ["x'00ff'", "'{'", "7", "CAST(x'7b22ff80fe41' AS TEXT)"])
def test_an_answer_that_cannot_be_read_is_made_anew(
    repo: Path, tmp_path: Path, column: str, value: str
) -> None:
    right = texts(made(repo, tmp_path / "cache"))
    with open_cache(repo, CacheOptions(tmp_path / "cache")) as opened:
        opened.database.write(lambda db: db.execute(f"UPDATE answers SET {column} = {value}"))
    where = CacheOptions(tmp_path / "cache")
    for _ in range(3):
        assert texts(pack(repo, TASK, PackOptions(budget=1500, cache=where))) == right


@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    part=st.sampled_from(["context", "problem", "prompt"]), at=st.integers(0, 9_999), bit=st.integers(0, 7)
)
def test_a_flipped_bit_is_never_given(repo: Path, tmp_path: Path, part: str, at: int, bit: int) -> None:
    right = texts(made(repo, tmp_path / "cache"))
    with open_cache(repo, CacheOptions(tmp_path / "cache")) as opened:
        (data,) = opened.database.row(f"SELECT {part} FROM answers") or (b"",)
        bad = bytearray(data)
        bad[at % len(bad)] ^= 1 << bit
        opened.database.write(lambda db: db.execute(f"UPDATE answers SET {part} = ?", (bytes(bad),)))
    found = made(repo, tmp_path / "cache")
    assert texts(found) == right
    assert not isinstance(found, RecalledPack)


def test_only_the_newest_are_kept(repo: Path, tmp_path: Path) -> None:
    abouts = [f"link {n}" for n in range(answers.KEPT + 2)]
    for about in abouts:
        made(repo, tmp_path / "cache", Task(kind="overview", about=about))
    given = [
        isinstance(made(repo, tmp_path / "cache", Task(kind="overview", about=about)), RecalledPack)
        for about in reversed(abouts)
    ]
    assert given[: answers.KEPT] == [True] * answers.KEPT
    assert not any(given[answers.KEPT :])


def test_too_large_an_answer_is_not_kept(repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answers, "LARGEST", 100)
    made(repo, tmp_path / "cache")
    again(repo, tmp_path / "cache", given=False)


def test_where_many_files_have_changed_nothing_is_looked_at_twice(
    repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made(repo, tmp_path / "cache")
    monkeypatch.setattr(answers, "_MOST_READ", 2)
    for place in repo.rglob("*.py"):
        place.write_text(place.read_text("utf-8") + "\n# more\n", "utf-8")
    again(repo, tmp_path / "cache", given=False)


def _bad_bytes(file: Path) -> None:
    data = bytearray(file.read_bytes())
    data[100:4000] = os.urandom(3900)
    file.write_bytes(data)


def _blocked(file: Path) -> None:
    shutil.rmtree(file.parent)
    file.parent.write_text("no folder")


@pytest.mark.parametrize(("harm", "words"), [(_bad_bytes, "damaged"), (_blocked, "working without a cache")])
def test_what_is_wrong_with_the_cache_is_told_once(
    repo: Path, tmp_path: Path, harm: Callable[[Path], None], words: str
) -> None:
    """It is opened for the answer, for the scan, and to keep the pack."""
    right = texts(made(repo, tmp_path / "cache"))
    with open_cache(repo, CacheOptions(tmp_path / "cache")) as opened:
        file = opened.path
    harm(file)
    notices: list[str] = []
    options = PackOptions(budget=1500, cache=CacheOptions(tmp_path / "cache"), on_notice=notices.append)
    assert texts(pack(repo, TASK, options)) == right
    assert len(notices) == 1
    assert words in notices[0]


def test_an_answer_counts_as_a_scan_with_hits(repo: Path, tmp_path: Path) -> None:
    made(repo, tmp_path / "cache")
    before = cache_status(repo, CacheOptions(tmp_path / "cache"))
    assert isinstance(made(repo, tmp_path / "cache"), RecalledPack)
    after = cache_status(repo, CacheOptions(tmp_path / "cache"))
    assert after.scans == before.scans + 1


def test_of_several_folders_each_has_its_say(repo: Path, tmp_path: Path) -> None:
    shutil.copytree(LINKBOX, tmp_path / "other")
    options = PackOptions(budget=1500, cache=CacheOptions(tmp_path / "cache"), on_notice=pytest.fail)
    roots = [repo, tmp_path / "other"]
    first = pack(roots, TASK, options)
    assert isinstance(found := pack(roots, TASK, options), RecalledPack)
    assert texts(found) == texts(first)
    assert not isinstance(pack(roots[::-1], TASK, options), RecalledPack)
    (tmp_path / "other/linkbox/codes.py").write_text("def code():\n    return 7\n")
    changed = pack(roots, TASK, options)
    assert texts(changed) == texts(pack(roots, TASK, replace(options, cache=None)))
