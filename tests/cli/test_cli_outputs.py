"""Outputs never replace what the user would miss: an input, another output, a file that is not Satchel's."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from processes import SMALLEST, Satchel

LINKBOX = Path(__file__).resolve().parent.parent / "data" / "linkbox"


@pytest.fixture
def place(here: Satchel, tmp_path: Path) -> Path:
    """A repository, a problem of its own writing, its artifact, and a file of the user's."""
    shutil.copytree(LINKBOX, tmp_path / "lb", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "ok.json").write_text(json.dumps(SMALLEST), encoding="utf-8")
    (tmp_path / "notes.md").write_text("# Notes\n", encoding="utf-8")
    (tmp_path / "outline.md").write_text("# Links\n", encoding="utf-8")
    (tmp_path / "link.json").symlink_to("ok.json")
    (tmp_path / "hard.json").hardlink_to(tmp_path / "ok.json")
    assert here("pack", "lb", "--budget", "2k", "-q", "-o", "c1").code == 0
    return tmp_path


def everything(folder: Path) -> dict[str, bytes | None]:
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None
        for path in sorted(folder.rglob("*"))
    }


@pytest.mark.parametrize(
    ("args", "option"),
    [
        ("solve ok.json -o ok.json", "--out"),
        ("solve ok.json -o ./c1/../ok.json", "--out"),
        ("solve ok.json -o link.json", "--out"),
        ("solve ok.json -o hard.json --force", "--out"),
        ("solve ok.json --problem-out ok.json --force", "--problem-out"),
        ("solve ok.json -o same.json --problem-out same.json --force", "--problem-out"),
        ("solve ok.json -o new/same.json --problem-out new/../new/same.json", "--problem-out"),
        ("solve ok.json -o notes.md", "--out"),
        ("solve ok.json --problem-out notes.md", "--problem-out"),
        ("solve ok.json -o c1/packing-problem.json", "--out"),
        ("solve ok.json -o c1/prompt.md", "--out"),
        ("render c1/packed-context.json -o c1/packed-context.json", "--out"),
        ("render c1/packed-context.json -o c1/packing-problem.json --force", "--out"),
        ("render c1/packed-context.json -o notes.md", "--out"),
        ("scan lb --problem-out notes.md", "--problem-out"),
        ("scan lb --problem-out lb/README.md", "--problem-out"),
        ("scan lb --outline outline.md --problem-out outline.md --force", "--problem-out"),
        ("pack lb --prompt lb/README.md", "--prompt"),
        ("pack lb --prompt notes.md", "--prompt"),
        ("pack lb --outline outline.md --prompt outline.md --force", "--prompt"),
        ("pack lb --focus README.md --prompt lb/README.md --force", "--prompt"),
        ("pack lb -o c1 --prompt c1/packed-context.json --force", "--prompt"),
        ("pack lb -o new --prompt new/packing-problem.json", "--prompt"),
        ("pack lb --prompt c1/packed-context.json", "--prompt"),
        ("pack lb -o po2 --prompt lb", "--prompt"),
        ("pack lb -o notes.md", "--out"),
        ("solve ok.json -o lb", "--out"),
        ("solve ok.json -o -", "--out"),
        ("pack lb -o -", "--out"),
        ("pack lb --prompt -", "--prompt"),
    ],
)
def test_an_output_that_would_destroy_something_is_refused(
    here: Satchel, place: Path, args: str, option: str
) -> None:
    before = everything(place)
    done = here(*args.split())
    assert (done.code, done.out) == (2, ""), done
    assert done.err.count("\n") == 1
    assert done.err.startswith(f"error[usage]: {option}: "), done.err
    assert everything(place) == before


@pytest.mark.parametrize(
    "args",
    [
        ["solve", "ok.json", "-o", ""],
        ["solve", "ok.json", "--problem-out", ""],
        ["pack", "lb", "-o", ""],
        ["pack", "lb", "--prompt", ""],
        ["render", "c1/packed-context.json", "-o", ""],
        ["scan", "lb", "--problem-out", ""],
    ],
)
def test_an_output_without_a_name_is_refused(here: Satchel, place: Path, args: list[str]) -> None:
    before = everything(place)
    done = here(*args)
    option = {"-o": "--out"}.get(args[-2], args[-2])
    assert done.code == 2
    assert done.err.startswith(f"error[usage]: {option}: "), done.err
    assert everything(place) == before


def test_force_replaces_what_satchel_did_not_write(here: Satchel, place: Path) -> None:
    assert here("solve", "ok.json", "-q", "-o", "notes.md", "--force").code == 0
    assert json.loads((place / "notes.md").read_text("utf-8"))["schemaVersion"] == "packed-context.v1"
    assert here("pack", "lb", "--budget", "2k", "-q", "--prompt", "outline.md", "--force").code == 0
    assert (place / "outline.md").read_text("utf-8").startswith("# Satchel context pack")


def test_satchels_own_files_and_empty_ones_are_replaced(here: Satchel, place: Path) -> None:
    (place / "empty.json").touch()
    for _ in range(2):
        assert here("pack", "lb", "--budget", "2k", "-q", "-o", "c1", "--prompt", "p.md").code == 0
        assert here("solve", "ok.json", "-q", "-o", "empty.json", "--problem-out", "q.json").code == 0
        for fmt in ("markdown", "plain", "xml"):
            args = ("c1/packed-context.json", "--format", fmt, "-o", f"r.{fmt}")
            assert here("render", *args).code in (0, 1)
            assert here("render", *args).code in (0, 1)


def test_a_file_that_cannot_be_placed_leaves_no_folder(tmp_path: Path) -> None:
    from satchel import write_texts
    from satchel.models import FileError

    (tmp_path / "folder").mkdir()
    before = everything(tmp_path)
    with pytest.raises(FileError):
        write_texts({tmp_path / "a/b/c.txt": "x", tmp_path / "folder": "y"})
    assert everything(tmp_path) == before


def test_the_face_refuses_a_prompt_in_the_place_of_another_output(tmp_path: Path) -> None:
    from satchel import PackOptions, Task, UsageError, pack, write_pack

    result = pack(LINKBOX, Task(kind="overview"), PackOptions(budget=2000))
    (tmp_path / "out").mkdir()
    (tmp_path / "link").symlink_to("out")
    with pytest.raises(UsageError, match="prompt"):
        write_pack(result, tmp_path / "out", prompt=tmp_path / "link/packed-context.json")
    assert list((tmp_path / "out").iterdir()) == []
