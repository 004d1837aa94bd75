"""A run that is killed at any moment leaves nothing or a whole set of files: the old ones, or the new."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from processes import SMALLEST, Satchel, environment

KILLING = Path(__file__).with_name("killing.py")


def killed(folder: Path, **plan: Any) -> tuple[list[dict[str, str]], list[dict[str, Any]]]:
    """Run the plan; return the outputs of whole runs, and what each kill left."""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", str(KILLING), json.dumps({"kills": 0, "seed": 1, **plan})],
        capture_output=True,
        text=True,
        cwd=folder,
        env=environment(),
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    first, *reports = [json.loads(line) for line in done.stdout.splitlines()]
    return first["goldens"], reports


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    """A folder with a small repository, ``repo``, in it."""
    (tmp_path / "repo").mkdir()
    for name in ("links", "codes", "rules"):
        text = "".join(f"def {name}_{i}(value: int) -> int:\n    return value + {i}\n\n\n" for i in range(12))
        (tmp_path / "repo" / f"{name}.py").write_text(text, encoding="utf-8")
    return tmp_path


FILES = {".gitignore", "packed-context.json", "packing-problem.json", "prompt.md"}


def test_a_kill_at_any_step_of_writing_leaves_the_old_pack_or_the_new_one(repo: Path) -> None:
    """Each step that may change a folder, in a new one and over an older pack."""
    (old, new), reports = killed(repo, place=str(repo / "out" / ".satchel"))
    assert set(old) == set(new) == FILES
    assert all(old[name] != new[name] for name in FILES - {".gitignore"})
    for over in (False, True):
        mine = [report for report in reports if report["over"] is over]
        assert len(mine) >= 12
        assert [report["ended"] for report in mine] == [-9] * (len(mine) - 1) + [0]
        before = old if over else {}
        assert all(report["left"] in (before, new) for report in mine)
        # The kills struck before the files were in place, and after.
        assert mine[0]["left"] == before
        assert mine[-2]["left"] == new


@pytest.mark.slow
def test_a_pack_killed_at_random_instants_leaves_nothing_or_a_whole_one(repo: Path) -> None:
    place = repo / "out" / ".satchel"
    runs = [["pack", "repo", "--budget", budget, "-q", "-o", str(place)] for budget in ("900", "500")]
    (old, new), reports = killed(repo, place=str(place), runs=runs, kills=60)
    assert set(old) == set(new) == FILES
    assert all(report["left"] in (old, new) for report in reports)
    assert {report["ended"] for report in reports} == {0, -9}


@pytest.mark.slow
def test_an_artifact_killed_at_random_instants_is_the_old_one_or_the_new(tmp_path: Path) -> None:
    (tmp_path / "p.json").write_text(json.dumps(SMALLEST), encoding="utf-8")
    runs = [["solve", "p.json", "--budget", budget, "-q", "-o", "out/a.json"] for budget in ("10", "4")]
    (old, new), reports = killed(tmp_path, place=str(tmp_path / "out"), runs=runs, kills=150)
    for report in reports:
        whole = {name: digest for name, digest in report["left"].items() if not name.endswith(".tmp")}
        assert whole in ({}, old, new), report
    assert {report["ended"] for report in reports} == {0, -9}


def test_where_one_stroke_is_not_possible_a_mixture_is_noticed(repo: Path, here: Satchel) -> None:
    """A folder with other things in it keeps them; files of two runs side by side do not verify."""
    place = repo / "out"
    assert here("pack", "repo", "--budget", "900", "-q", "-o", "out").code == 0
    (place / "notes").mkdir()
    shutil.copytree(place, repo / "before")
    assert here("pack", "repo", "--budget", "500", "-q", "-o", "out").code == 0
    assert (place / "notes").is_dir()
    assert here("verify", "out/packed-context.json").code == 0
    for name in ("packing-problem.json", "prompt.md"):
        mixed = repo / f"mixed-{name}"
        shutil.copytree(place, mixed)
        shutil.copy(repo / "before" / name, mixed / name)
        assert here("verify", mixed / "packed-context.json").code == 1
