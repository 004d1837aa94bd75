"""Finished runs on disk, and runs in processes of their own: a kill loses the run that it hits, no other."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Protocol

from .running import surroundings

Row = dict[str, Any]


class Keyed(Protocol):
    """What is run; rows of the same key are the same run."""

    @property
    def key(self) -> str:
        """The case as text."""


class Store:
    """Finished runs, a JSON line each; a line that was cut short by a kill is dropped."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self.path = folder / "runs.jsonl"
        self.rows: list[Row] = []
        if self.path.exists():
            lines = self.path.read_text("utf-8").splitlines(keepends=True)
            self._keep([json.loads(line) for line in lines if line.endswith("\n")])

    def has(self, case: Keyed, digest: str) -> bool:
        """Whether this run is there, on the instance as it is now."""
        return bool(self.of(case, digest))

    def of(self, case: Keyed, digest: str) -> list[Row]:
        """Return the rows of this run."""
        return [row for row in self.rows if row["key"] == case.key and row["instance"] == digest]

    def add(self, row: Row) -> None:
        """Keep a finished run."""
        self.rows.append(row)
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")

    def forget(self, cases: Iterable[Keyed]) -> None:
        """Drop the runs of ``cases``, so that they are run again."""
        keys = {case.key for case in cases}
        self._keep([row for row in self.rows if row["key"] not in keys])

    def _keep(self, rows: list[Row]) -> None:
        self.rows = rows
        write_whole(self.path, "".join(json.dumps(row) + "\n" for row in rows))


def write_whole(path: Path, text: str) -> None:
    """Write ``text`` to ``path``, whole or not at all."""
    partial = path.with_suffix(".partial")
    partial.write_text(text, "utf-8")
    partial.replace(path)


def run_apart(
    command: Sequence[str], out: Path, failed: Row, patience: float, cwd: Path | None = None
) -> Row:
    """Run ``command``, which leaves a row in ``out``, in a process; what it does not survive is a row, too.

    Parameters
    ----------
    failed
        What a row of a run that left nothing holds beside its status.
    patience
        Seconds until it is killed.
    """
    out.unlink(missing_ok=True)
    status, note = "crashed", ""
    try:
        done = subprocess.run(  # noqa: S603 - the interpreter that runs this, and a module of ours
            command, cwd=cwd, capture_output=True, text=True, timeout=patience, check=False
        )
        note = f"exit code {done.returncode}: {done.stderr.strip()[-300:]}"
    except subprocess.TimeoutExpired:
        status, note = "killed", f"no answer {patience:.0f} s after its start"
    if out.exists():
        row: Row = json.loads(out.read_text("utf-8"))
        out.unlink()
        return row
    return failed | {"status": status, "note": note} | surroundings()
