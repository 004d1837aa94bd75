"""A task may start from a diff or from a page: what they touch, what refers to it, what they name."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from satchel.models import ContextUnit, Task
from satchel.models.errors import FileError, UsageError
from satchel.sources.extract.base import Fragment, Span
from satchel.sources.gitdiff import WHOLE, changes_since, last_commit
from satchel.sources.scan import ScanOptions, ScanResult, scan
from satchel.sources.score.freshness import is_deprecated
from satchel.sources.seeds import BESIDE, CHANGED, DRIFTED, NAMED, REFERRING, Seeding
from satchel.sources.walk import WalkOptions

BODY = "\n".join(f"    total = total * {n} + len(str(total)) - offset" for n in range(14))
CODE = """\
def load_table(path, offset):
    '''Load a table.'''
    total = 1
{body}
    return total


def unrelated_thing(path, offset):
    '''Do something else.'''
    total = 2
{body}
    return total


def legacy_reader(path, offset):
    '''Read it the old way.

    .. deprecated:: 2.0
       Use load_table.
    '''
    total = 3
{body}
    return total
"""


def git(root: Path, *arguments: str) -> str:
    command = ["git", "-c", "user.name=a", "-c", "user.email=a@b.c", "-C", str(root), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def write(root: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    root = tmp_path / "repo"
    root.mkdir()
    git(root, "init", "-q", "-b", "main")
    write(
        root,
        {
            "src/table.py": CODE.format(body=BODY),
            "src/user.py": "import table\n\n\ndef use(path):\n    return table.load_table(path, 1)\n",
            "src/other.py": "def nothing_of_it():\n    return 7\n",
            "docs/tables.md": "# Tables\n\nCall `load_table`, never `vanished_call()`.\n\n## Offsets\n",
            "gone.py": "x = 1\n",
            'odd "na\tme.py': "y = 1\n",
        },
    )
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "one")
    return root


def scanned(root: Path, since: str = "", page: str = "", revision: str = "", about: str = "") -> ScanResult:
    options = ScanOptions(walk=WalkOptions(revision=revision), seeds=Seeding(since=since, page=page))
    return scan(root, Task(kind="page-update", about=about), options)


def units(found: ScanResult) -> dict[str, ContextUnit]:
    return {unit.id: unit for unit in found.units}


def edit(root: Path) -> None:
    write(root, {"src/table.py": CODE.format(body=BODY).replace("total = 1\n", "total = 100\n")})


def test_what_changed_is_raised_and_what_refers_to_it(repo: Path) -> None:
    """L02, A34."""
    before = units(scanned(repo, about="zebra"))
    edit(repo)
    write(repo, {"src/fresh.py": "def brand_new():\n    return 1\n"})
    (repo / "gone.py").unlink()
    found = scanned(repo, since="HEAD", about="zebra")
    after = units(found)
    assert after["py:src/table.py#load_table"].relevance_score >= CHANGED
    assert after["file:src/fresh.py"].relevance_score >= CHANGED
    assert BESIDE <= after["py:src/table.py#unrelated_thing"].relevance_score < CHANGED
    assert after["file:src/user.py"].relevance_score >= REFERRING
    other = "file:src/other.py"
    assert after[other].relevance_score == pytest.approx(before[other].relevance_score, abs=0.05)
    assert "changed 0.90" in after["py:src/table.py#load_table"].diagnostics[0]
    (told,) = [entry for entry in found.diagnostics if entry.code == "changed_since"]
    assert told.message == "2 files have changed since HEAD; 1 are gone"
    assert told.data["places"] == ["src/fresh.py", "src/table.py"]
    assert told.data["gone"] == ["gone.py"]


def test_a_diff_alone_says_what_the_task_is_about(repo: Path) -> None:
    edit(repo)
    found = units(scanned(repo, since="HEAD"))
    best = max(found.values(), key=lambda unit: (unit.relevance_score, unit.id))
    assert best.id == "py:src/table.py#load_table"


def test_between_two_revisions_the_files_on_disk_do_not_matter(repo: Path) -> None:
    edit(repo)
    git(repo, "commit", "-q", "-a", "-m", "two")
    write(repo, {"src/other.py": "def nothing_of_it():\n    return 8\n"})
    found = scanned(repo, since="HEAD~1", revision="HEAD")
    (told,) = [entry for entry in found.diagnostics if entry.code == "changed_since"]
    assert told.data["places"] == ["src/table.py"]
    assert found.report.revision == git(repo, "rev-parse", "HEAD")


def test_names_and_hunks_of_a_diff(repo: Path) -> None:
    odd = 'odd "na\tme.py'
    write(repo, {odd: "y = 1\nz = 2\nw = 3\n", "src/other.py": "def nothing_of_it():\n"})
    git(repo, "rm", "-q", "gone.py")
    write(repo, {"new \u00e9.py": "n = 1\n"})
    found = changes_since(repo, "HEAD")
    assert found.lines == {
        odd: (Span(2, 3),),
        "src/other.py": (Span(1, 2),),
        "new \u00e9.py": WHOLE,
    }
    assert found.gone == ("gone.py",)
    assert changes_since(repo / "src", "HEAD").lines == {"other.py": (Span(1, 2),)}


@pytest.mark.parametrize("revision", ["none", "--output=x", ""])
def test_a_revision_that_there_is_not(repo: Path, revision: str) -> None:
    with pytest.raises(UsageError, match="is no revision"):
        changes_since(repo, revision)
    assert not (repo / "x").exists()


def test_without_a_repository(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": "a = 1\n"})
    with pytest.raises(FileError, match="no repository"):
        scanned(tmp_path, since="HEAD")


def test_a_page_raises_what_it_names(repo: Path) -> None:
    found = scanned(repo, page="docs/tables.md")
    after = units(found)
    assert after["py:src/table.py#load_table"].relevance_score >= NAMED
    assert after["py:src/table.py#unrelated_thing"].relevance_score < NAMED
    assert after["file:docs/tables.md"].required
    codes = {entry.code: entry for entry in found.diagnostics}
    assert codes["page_drift"].data["count"] == 0
    assert codes["page_names_unknown"].data["names"] == ["vanished_call()"]


def test_a_page_older_than_what_it_names_has_drifted(repo: Path) -> None:
    edit(repo)
    git(repo, "commit", "-q", "-a", "-m", "two")
    found = scanned(repo, page="docs/tables.md")
    (told,) = [entry for entry in found.diagnostics if entry.code == "page_drift"]
    assert told.severity == "warning"
    assert told.data["places"] == ["py:src/table.py#load_table"]
    assert units(found)["py:src/table.py#load_table"].relevance_score >= DRIFTED
    write(repo, {"docs/tables.md": "# Tables\n\nCall `load_table`.\n"})
    git(repo, "commit", "-q", "-a", "-m", "three")
    (told,) = [
        entry for entry in scanned(repo, page="docs/tables.md").diagnostics if entry.code == "page_drift"
    ]
    assert told.data["count"] == 0
    assert last_commit(repo, "docs/tables.md") == git(repo, "rev-parse", "HEAD")


def test_a_page_that_is_not_there(repo: Path) -> None:
    with pytest.raises(FileError):
        scanned(repo, page="docs/none.md")


def test_what_is_deprecated_is_less_fresh(repo: Path) -> None:
    found = units(scanned(repo))
    old, new = found["py:src/table.py#legacy_reader"], found["py:src/table.py#load_table"]
    assert old.freshness_score == new.freshness_score / 2


@pytest.mark.parametrize(
    ("signature", "doc", "expected"),
    [
        ("@Deprecated\npublic void a() {", "", True),
        ('#[deprecated(since = "2")]\npub fn a() {', "", True),
        ('[Obsolete("x")]\nvoid A() {', "", True),
        ("func A() {", "// A does.\n//\n// Deprecated: use B.", True),
        ("def a():", "Warn of what the user calls deprecated parameters.", False),
        ("def mark_deprecated(thing):", "Mark it.", False),
    ],
)
def test_deprecation_is_told_by_markers(signature: str, doc: str, expected: bool) -> None:
    fragment = Fragment("function", "a", "a", (Span(1, 2),), "", signature=signature, doc=doc)
    assert is_deprecated(fragment) is expected
    assert not is_deprecated(Fragment("module", "a", "a", (Span(1, 2),), "", signature=signature, doc=doc))


def test_of_a_revision_the_history_is_its_own(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    git(repo, "tag", "v1")
    edit(repo)
    monkeypatch.setenv("GIT_COMMITTER_DATE", "2035-01-01T00:00:00 +0000")
    git(repo, "commit", "-q", "-a", "-m", "two")
    old, new = units(scanned(repo, revision="v1")), units(scanned(repo, revision="HEAD"))
    other = "file:src/other.py"
    assert old[other].freshness_score == 1.0
    assert new[other].freshness_score < 0.2
    assert new["py:src/table.py#load_table"].freshness_score == 1.0
