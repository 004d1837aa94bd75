"""Several folders, a revision, a diff and a page, at the command line."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from processes import Satchel

LINKBOX = Path(__file__).resolve().parents[1] / "data" / "linkbox"


def git(root: Path, *arguments: str) -> None:
    command = ["git", "-c", "user.name=a", "-c", "user.email=a@b.c", "-C", str(root), *arguments]
    subprocess.run(command, check=True, capture_output=True)


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    root = tmp_path / "repo"
    shutil.copytree(LINKBOX, root)
    git(root, "init", "-q", "-b", "main")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "one")
    return root


def test_several_folders(repo: Path, here: Satchel) -> None:
    """I04, L06."""
    shutil.copytree(LINKBOX, repo.parent / "other")
    done = here("pack", "repo", "other", "--focus", "other/docs", "--budget", "4k", "--json", "--no-cache")
    assert done.code == 0, done.err
    found = json.loads(done.out)
    paths = {ref["path"] for unit in found["acceptedUnits"] for ref in unit.get("sourceRefs", ())}
    assert {path.partition("/")[0] for path in paths - {"."}} == {"repo", "other"}
    assert found["scan"]["revision"].startswith("repo@")
    # What the run writes below one of them is not read the next time.
    again = here("scan", "repo", "other", "--json", "--no-cache", "--budget", "4k", "--focus", "other/docs")
    assert not [unit for unit in json.loads(again.out)["units"] if ".satchel" in unit["id"]]


def test_one_folder_twice(repo: Path, here: Satchel) -> None:
    done = here("scan", "repo", "repo/../repo")
    assert done.code == 2
    assert "given twice" in done.err


def test_a_revision(repo: Path, here: Satchel) -> None:
    (repo / "linkbox/codes.py").write_text("def only_on_disk():\n    return 1\n")
    old = here("scan", "repo", "--rev", "main", "--json", "--no-cache", "--jobs", "2")
    new = here("scan", "repo", "--json", "--no-cache")
    assert (old.code, new.code) == (0, 0), old.err
    assert "only_on_disk" not in old.out
    assert json.loads(old.out)["scan"]["revision"] == json.loads(new.out)["scan"]["revision"]
    done = here("scan", "repo", "--rev", "nowhere")
    assert done.code == 2
    assert "is no revision" in done.err


def test_a_diff(repo: Path, here: Satchel) -> None:
    """L02."""
    text = (repo / "linkbox/store.py").read_text()
    (repo / "linkbox/store.py").write_text(text + "\n\ndef emptied(store):\n    return store\n")
    done = here("scan", "repo", "--since", "HEAD", "--json", "--no-cache")
    assert done.code == 0, done.err
    found = json.loads(done.out)
    (told,) = [entry for entry in found["diagnostics"] if entry["code"] == "changed_since"]
    assert told["data"]["places"] == ["linkbox/store.py"]
    (store,) = [unit for unit in found["units"] if unit["id"] == "file:linkbox/store.py"]
    assert store["relevanceScore"] >= 0.9


def test_a_page(repo: Path, here: Satchel) -> None:
    done = here("scan", "repo", "--task", "page-update", "--page", "docs/errors.md", "--json", "--no-cache")
    assert done.code == 0, done.err
    found = json.loads(done.out)
    assert [entry for entry in found["diagnostics"] if entry["code"] == "page_drift"]
    missing = here("scan", "repo", "--page", "docs/none.md", "--no-cache")
    assert missing.code == 2
    assert "docs/none.md" in missing.err


@pytest.mark.parametrize("option", ["--rev", "--since", "--page"])
def test_an_empty_value_is_a_mistake(repo: Path, here: Satchel, option: str) -> None:
    done = here("scan", "repo", option, " ")
    assert done.code == 2
    assert option in done.err


PROFILES = """
[tasks.release-notes]
base = "overview"

[profiles.small]
task = "release-notes"
budget = 2000
exclude = ["tests/**"]
no-ignore = true
out = "made"

[profiles.wrong]
budgett = "2k"

[profiles.listed]
exclude = "tests"
"""


@pytest.fixture
def configured(tmp_path: Path) -> Path:
    shutil.copytree(LINKBOX, tmp_path, dirs_exist_ok=True)
    (tmp_path / "satchel.toml").write_text(PROFILES, encoding="utf-8")
    return tmp_path


def test_a_profile_says_what_the_command_line_does_not(configured: Path, here: Satchel) -> None:
    """L03, L10."""
    done = here("pack", "--profile", "small", "--json", "--no-cache")
    assert done.code == 0, done.err
    found = json.loads(done.out)
    assert found["task"]["kind"] == "release-notes"
    assert found["prompt"]["limit"] == 2000
    assert (configured / "made" / "prompt.md").exists()
    assert [unit for unit in found["skippedUnits"] if unit["id"] == "file:tests/"]
    other = here(
        "pack", "--budget", "1k", "--profile", "small", "--json", "--no-cache", "--out", "else", "--force"
    )
    assert json.loads(other.out)["prompt"]["limit"] == 1000
    # What is an option of pack alone does not trouble the others.
    listed = here("scan", "--profile", "small", "--json", "--no-cache")
    assert listed.code == 0, listed.err


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("none", "accepted: listed, small, wrong"),
        ("wrong", "satchel.toml: profiles.wrong.budgett: is no option"),
        ("listed", "satchel.toml: profiles.listed.exclude: should be a list of texts"),
    ],
)
def test_a_profile_that_cannot_be(configured: Path, here: Satchel, name: str, told: str) -> None:
    done = here("pack", "--profile", name)
    assert done.code == 2
    assert told in done.err


def test_own_tasks_at_the_command_line(configured: Path, here: Satchel) -> None:
    assert here("budget", "--task", "release-notes").code == 0
    assert here("scan", "--task", "release-notes", "--no-cache").code == 0
    refused = here("scan", "--task", "release-notes", "--no-config", "--no-cache")
    assert refused.code == 2
    assert "unknown kind of task" in refused.err
    (configured / "satchel.toml").write_text("[tasks.x]\nwrods = 'a'\n", encoding="utf-8")
    done = here("scan", "--no-cache")
    assert done.code == 2
    assert (
        "satchel.toml: tasks.x.wrods: is not a known field (got 'wrods'); did you mean 'words'?" in done.err
    )
