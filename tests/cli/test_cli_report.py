"""``satchel report`` and ``satchel doctor`` on the command line."""

from __future__ import annotations

import json
import shlex
import shutil
from pathlib import Path

import pytest
from processes import Satchel

LINKBOX = Path(__file__).parents[1] / "data" / "linkbox"


@pytest.fixture
def packed(here: Satchel, tmp_path: Path) -> Path:
    """The small project of the documents with its pack in ``.satchel``, and the steps of its search."""
    shutil.copytree(LINKBOX, tmp_path / "linkbox", ignore=shutil.ignore_patterns("__pycache__"))
    done = here(
        *("pack", "linkbox", "--task", "api-reference", "--about", "links", "--budget", "700", "--no-cache"),
        *("-o", ".satchel", "--progress", "jsonl"),
    )
    assert done.code == 0, done.err
    (tmp_path / "steps.jsonl").write_text(done.err)
    return tmp_path / ".satchel"


def test_a_page_is_written_beside_the_artifact(here: Satchel, packed: Path) -> None:
    done = here("report", "--timeline", "steps.jsonl", "--frontier")
    assert done.code == 0, done.err
    assert done.out == ""
    page = (packed / "report.html").read_text("utf-8")
    assert page.startswith("<!doctype html>")
    for head in ("Budget", "In the pack", "Left out", "Value against budget", "Timeline", "Prompt", "Solver"):
        assert f">{head}</h" in page
    assert str(packed.parent) not in page
    assert here("report", "--timeline", "steps.jsonl", "--frontier", "-q").code == 0
    assert (packed / "report.html").read_text("utf-8") == page


def test_it_replaces_a_page_and_nothing_else(here: Satchel, packed: Path, tmp_path: Path) -> None:
    (tmp_path / "mine.html").write_text("<!doctype html>\n<p>my own page</p>")
    done = here("report", "-o", "mine.html", "--no-solver")
    assert done.code == 2
    assert "--force" in done.err
    assert "my own page" in (tmp_path / "mine.html").read_text()
    assert here("report", "-o", "mine.html", "--no-solver", "--force").code == 0
    assert here("report", "-o", "mine.html", "--no-solver").code == 0
    assert here("report", "-o", ".satchel/packed-context.json").code == 2


def test_the_artifact_alone_gives_a_page_and_says_what_is_missing(
    here: Satchel, packed: Path, tmp_path: Path
) -> None:
    shutil.copy(packed / "packed-context.json", tmp_path / "alone.json")
    done = here("report", "alone.json", "-o", "alone.html", "--json")
    assert done.code == 0
    assert len(done.json()["lacking"]) == 2
    assert done.json()["bytes"] == (tmp_path / "alone.html").stat().st_size
    done = here("report", "alone.json", "-o", "alone.html", "--frontier")
    assert done.code == 2
    assert "--problem" in done.err


def test_files_of_another_pack_are_refused_by_name(here: Satchel, packed: Path, tmp_path: Path) -> None:
    problem = json.loads((packed / "packing-problem.json").read_text())
    problem["units"] = problem["units"][:-1]
    (tmp_path / "other.json").write_text(json.dumps({**problem, "redundancyGroups": []}))
    (tmp_path / "other.md").write_text("another prompt")
    done = here("report", "--problem", "other.json")
    assert done.code == 2
    assert "other.json" in done.err
    done = here("report", "--prompt", "other.md")
    assert done.code == 2
    assert "other.md" in done.err
    assert here("report", "--timeline", "nowhere.jsonl").code == 2
    assert not (packed / "report.html").exists()


def test_the_doctor_tells_and_its_commands_run(here: Satchel, packed: Path) -> None:
    """Each finding is mended, or its mending is shown, by a command that works as it is printed."""
    done = here("doctor", "--json")
    assert done.code == 0
    found = done.json()
    assert found
    text = here("doctor").out
    for finding in found:
        assert finding["title"] in text
        words = shlex.split(finding["command"])
        if words[:2] == ["satchel", "explain"]:
            asked = here(*words[1:])
            assert asked.code in (0, 1), asked.err  # 1: what is asked for has no pack
    assert any(finding["command"].startswith("satchel explain") for finding in found)


def test_a_folder_will_do_and_commands_name_the_artifact(here: Satchel, packed: Path, tmp_path: Path) -> None:
    packed.rename(tmp_path / "out")
    found = here("doctor", "out", "--json").json()
    commands = [f["command"] for f in found if f["command"].startswith("satchel explain")]
    assert commands
    assert all(command.startswith("satchel explain out/packed-context.json ") for command in commands)


def test_strict_turns_warnings_into_an_exit_code(here: Satchel, packed: Path) -> None:
    grave = [finding["code"] for finding in here("doctor", "--json").json() if finding["severity"] != "info"]
    done = here("doctor", "--strict")
    assert done.code == (1 if grave else 0)
    assert all(code in done.err for code in grave)
    assert here("doctor", "nowhere").code == 2
