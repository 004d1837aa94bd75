"""A small repository with an API, packages and modules, and a tasks file for it."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from satchel import BatchOptions, BatchResult, PackOptions, SolveOptions, run_batch

LINKBOX = Path(__file__).parent.parent / "data" / "linkbox"

TASKS = """\
repo: linkbox
defaults:
  kind: api-reference
  budget: 1200
tasks:
  - id: links
    about: Making, following and deleting links
  - each: module
    paths: ["linkbox/*.py"]
  - each: operation
    budget: 900
"""


@pytest.fixture
def box(tmp_path: Path) -> Path:
    """A folder with ``linkbox`` and ``tasks.yaml``: eight pages."""
    shutil.copytree(LINKBOX, tmp_path / "linkbox", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "tasks.yaml").write_text(TASKS, encoding="utf-8")
    return tmp_path


Batch = Callable[..., BatchResult]


@pytest.fixture
def batch(box: Path) -> Batch:
    """Run the tasks file of ``box`` into one of its folders; greedy unless it is to be proven."""

    def run(
        out: str = "out", *, tasks: str = "tasks.yaml", proven: bool = False, **options: object
    ) -> BatchResult:
        solve = SolveOptions() if proven else SolveOptions(solver="greedy")
        options.setdefault("pack", PackOptions(solve=solve))
        return run_batch(box / tasks, BatchOptions(folder=box / out, **options))  # type: ignore[arg-type]

    return run


@pytest.fixture
def tree() -> Callable[[Path], dict[str, bytes]]:
    """Everything below a folder but what says how long it took."""

    def of(folder: Path) -> dict[str, bytes]:
        return {
            path.relative_to(folder).as_posix(): path.read_bytes()
            for path in sorted(folder.rglob("*"))
            if path.is_file() and path.name != "seconds.jsonl"
        }

    return of
