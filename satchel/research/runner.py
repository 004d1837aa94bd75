"""Has cases run one by one, each in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from types import TracebackType
from typing import Self

from .one import Case
from .running import surroundings
from .store import Row, run_apart


class Runner:
    """Runs cases; what a run does not survive is a row as well.

    Where processes can be forked, one server that has loaded the libraries forks each run; elsewhere each run
    loads them itself.

    Parameters
    ----------
    folder
        Where a run leaves its row, which is then taken from there.
    """

    def __init__(self, folder: Path) -> None:
        self._out = folder.absolute() / "case.json"
        self._errors = self._out.with_suffix(".errors")
        self._server: subprocess.Popen[str] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end()
        self._errors.unlink(missing_ok=True)

    def run(self, case: Case, digest: str, patience: float) -> Row:
        """Run ``case``, for at most ``patience`` seconds, and return its row."""
        if not hasattr(os, "fork"):
            text = json.dumps({**asdict(case), "digest": digest})
            command = [sys.executable, "-m", "satchel.research.one", text, str(self._out)]
            return run_apart(command, self._out, case.stated(digest), patience)
        self._out.unlink(missing_ok=True)
        job = {"case": asdict(case), "digest": digest, "patience": patience}
        code = self._ask({**job, "out": str(self._out), "errors": str(self._errors)})
        if self._out.exists():
            row: Row = json.loads(self._out.read_text("utf-8"))
            self._out.unlink()
            return row
        if code is None:
            found = {"status": "killed", "note": f"no answer {patience:.0f} s after its start"}
        else:
            found = {"status": "crashed", "note": f"exit code {code}: {self._last_words()}"}
        return case.stated(digest) | found | surroundings()

    def _ask(self, job: dict[str, object]) -> int | None:
        """Have the server run ``job``; return its exit code, or None where it was killed."""
        self._errors.unlink(missing_ok=True)
        if self._server is None:
            command = [sys.executable, "-m", "satchel.research.serve"]
            self._server = subprocess.Popen(  # noqa: S603 - the interpreter that runs this
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8"
            )
        assert self._server.stdin is not None
        assert self._server.stdout is not None
        try:
            self._server.stdin.write(json.dumps(job) + "\n")
            self._server.stdin.flush()
            answer = self._server.stdout.readline()
        except BrokenPipeError:
            answer = ""
        if not answer:  # the server itself is gone: the next run starts another
            code = self._server.wait()
            self._end()
            return code
        ended: int | None = json.loads(answer)
        return ended

    def _last_words(self) -> str:
        try:
            return self._errors.read_text("utf-8", "replace").strip()[-300:]
        except FileNotFoundError:
            return ""

    def _end(self) -> None:
        if self._server is None:
            return
        if self._server.poll() is None:
            self._server.terminate()
        self._server.wait()
        for stream in (self._server.stdin, self._server.stdout):
            with suppress(BrokenPipeError):  # what was never read is of no use to anybody
                if stream is not None:
                    stream.close()
        self._server = None
