"""A project's own tasks and rules: what they change, what stays, and how a mistake in them is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from satchel import (
    PackOptions,
    SatchelError,
    ScanOptions,
    Settings,
    Task,
    UsageError,
    prepare,
    read_settings,
)
from satchel.models import SchemaError
from satchel.sources.scan import scan
from satchel.sources.tasks import task_kind, task_kinds

OWN = """
[rules]
authority = { example = 0.77 }

[rules.add.policy]
must_exclude = ["path:legacy/**"]

[tasks.release-notes]
base = "troubleshooting"
words = "changelog release"

[tasks.release-notes.weights]
relevance = 0.6

[[tasks.release-notes.add.coverage]]
name = "changes"
rules = [{ classes = ["doc"], path = "change" }]

[tasks.overview]
generic = "own words"

[[tasks.overview.add.coverage]]
name = "usage"
rules = [{ kinds = ["contract"] }]

[profiles.small]
budget = "2k"
focus = ["src"]
"""


def settings(folder: Path, text: str, name: str = "satchel.toml") -> Settings:
    (folder / name).write_text(text, encoding="utf-8")
    return read_settings(folder)


def test_without_any_the_kinds_are_as_they_are(tmp_path: Path) -> None:
    found = settings(tmp_path, "[project]\nname = 'x'\n", "pyproject.toml")
    assert found == Settings()
    assert found.names == task_kinds()
    for name in task_kinds():
        assert found.kind(name) == task_kind(name)


def test_an_own_kind_is_its_base_and_what_it_says(tmp_path: Path) -> None:
    """L03."""
    found = settings(tmp_path, OWN)
    assert found.names == tuple(sorted((*task_kinds(), "release-notes")))
    kind, base = found.kind("release-notes"), task_kind("troubleshooting")
    assert (kind.name, kind.words, kind.summary) == ("release-notes", "changelog release", base.summary)
    assert (kind.weights.relevance, kind.weights.authority) == (0.6, base.weights.authority)
    assert [entry.name for entry in kind.coverage] == [*(entry.name for entry in base.coverage), "changes"]
    assert kind.zones == base.zones


def test_rules_hold_for_every_kind(tmp_path: Path) -> None:
    found = settings(tmp_path, OWN)
    for name in found.names:
        assert "path:legacy/**" in found.kind(name).policy.must_exclude
        assert set(task_kind("overview").policy.must_exclude) <= set(found.kind(name).policy.must_exclude)
        assert found.kind(name).authority["example"] == 0.77
    assert found.kind("overview").generic == "own words"


def test_rules_of_a_dimension_are_added_to_it(tmp_path: Path) -> None:
    kind, base = settings(tmp_path, OWN).kind("overview"), task_kind("overview")
    assert [entry.name for entry in kind.coverage] == [entry.name for entry in base.coverage]
    (usage,) = [entry for entry in kind.coverage if entry.name == "usage"]
    (before,) = [entry for entry in base.coverage if entry.name == "usage"]
    assert usage.rules[:-1] == before.rules
    assert usage.rules[-1].kinds == ("contract",)


def test_the_project_file_says_the_same(tmp_path: Path) -> None:
    nested = OWN.replace("[[", "[[tool.satchel.").replace("\n[", "\n[tool.satchel.")
    nested = nested.replace("[tool.satchel.[tool.satchel.", "[[tool.satchel.")
    found = settings(tmp_path, nested, "pyproject.toml")
    assert found.file == "pyproject.toml"
    (tmp_path / "other").mkdir()
    assert found.tasks == settings(tmp_path / "other", OWN).tasks
    with pytest.raises(UsageError, match="both hold settings"):
        settings(tmp_path, OWN)


def test_kinds_may_rest_on_each_other(tmp_path: Path) -> None:
    found = settings(tmp_path, '[tasks.a]\nbase = "b"\n\n[tasks.b]\nwords = "of b"\n')
    assert found.kind("a").words == "of b"
    assert found.kind("a").coverage == task_kind("overview").coverage


@pytest.mark.parametrize(
    ("text", "field", "value"),
    [
        ("[tasks.x]\nwrods = 'a'\n", "tasks.x.wrods", "wrods"),
        ("[tasks.x.weights]\nrelevance = 'much'\n", "tasks.x.weights.relevance", "much"),
        ("[tasks.x]\nbase = 'nothing'\n", "tasks.x.base", "nothing"),
        ("[tasks.x]\nbase = 'y'\n[tasks.y]\nbase = 'x'\n", "tasks.y.base", "x"),
        ("[tasks.'no good']\n", "tasks", "no good"),
        ("[rules]\ncoverge = []\n", "rules.coverge", "coverge"),
        ("[rules.policy]\nmust_exclude = ['nonsense:x']\n", "rules.policy.must_exclude[0]", None),
        ("[task.x]\n", "task", None),
        ("file = 'a'\n", "file", "a"),
        ("[profiles.p]\nbudget = { a = 1 }\n", "profiles.p.budget", None),
        ("[[tasks.x.coverage]]\nname = 'a'\nrules = [{ pattern = '(' }]\n", "tasks.x.coverage", None),
        ("[tasks.x]\nadd = 3\n", "tasks.x.add", None),
    ],
)
def test_a_mistake_is_told_with_its_place(tmp_path: Path, text: str, field: str, value: object) -> None:
    with pytest.raises(SatchelError) as caught:
        settings(tmp_path, text)
    assert caught.value.file == "satchel.toml"
    assert (caught.value.field or "").startswith(field), caught.value.field
    if value is not None:
        assert caught.value.value == value


def test_what_is_no_toml_is_told_with_its_line(tmp_path: Path) -> None:
    with pytest.raises(SchemaError, match="is not TOML") as caught:
        settings(tmp_path, "[tasks]\nx = = 1\n")
    assert caught.value.line == 2
    (tmp_path / "satchel.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(SchemaError, match="is not UTF-8"):
        read_settings(tmp_path)
    # A broken project file is its own tools' business.
    (tmp_path / "satchel.toml").unlink()
    assert settings(tmp_path, "= =\n", "pyproject.toml") == Settings()


def test_a_scan_goes_by_them_and_says_so(tmp_path: Path) -> None:
    settings(tmp_path, OWN)
    for name in ("src/a.py", "legacy/b.py", "CHANGES.md"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(f"# {name}\nlinks = 1\n", encoding="utf-8")
    found = scan(tmp_path, Task(kind="release-notes"))
    assert found.kind.name == "release-notes"
    assert "changes" in [dimension.name for dimension in found.dimensions]
    (told,) = [entry for entry in found.diagnostics if entry.code == "project_settings"]
    assert told.data == {"file": "satchel.toml", "tasks": ["overview", "release-notes"], "rules": True}
    with pytest.raises(UsageError, match="unknown kind"):
        scan(tmp_path, Task(kind="release-notes"), ScanOptions(settings=Settings()))
    _, problem = prepare(tmp_path, Task(kind="release-notes"), PackOptions(budget=2000))
    assert problem.weights.relevance == 0.6
    assert [zone.name for zone in problem.envelope.zones] == list(found.kind.zones)
