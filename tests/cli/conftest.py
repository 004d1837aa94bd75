"""The command line as a real process, and small inputs for it."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from processes import SMALLEST, Done, Satchel, environment

from satchel.cli.app import main


@pytest.fixture
def satchel(tmp_path: Path) -> Satchel:
    """Run ``satchel`` with arguments, in ``tmp_path`` unless told otherwise."""

    def run(
        *args: str | Path,
        stdin: str | bytes = b"",
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
    ) -> Done:
        done = subprocess.run(
            [sys.executable, "-m", "satchel.cli", *map(str, args)],
            input=stdin.encode() if isinstance(stdin, str) else stdin,
            capture_output=True,
            cwd=cwd or tmp_path,
            env=environment(env),
            check=False,
            timeout=60,
        )
        return Done(done.returncode, done.stdout.decode("utf-8"), done.stderr.decode("utf-8"))

    return run


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Satchel:
    """Run the command line in this process, in ``tmp_path``: quicker, where no process is the point."""
    monkeypatch.chdir(tmp_path)

    def run(*args: str | Path, stdin: str | bytes = b"") -> Done:
        raw = stdin.encode() if isinstance(stdin, str) else stdin
        streams = [io.TextIOWrapper(io.BytesIO(part), encoding="utf-8") for part in (raw, b"", b"")]
        with monkeypatch.context() as patch:
            for name, stream in zip(("stdin", "stdout", "stderr"), streams, strict=True):
                patch.setattr(sys, name, stream)
            code = main([str(arg) for arg in args])
        texts = []
        for stream in streams[1:]:
            stream.flush()
            assert isinstance(stream.buffer, io.BytesIO)
            texts.append(stream.buffer.getvalue().decode("utf-8"))
        return Done(code, *texts)

    return run


@pytest.fixture
def smallest(tmp_path: Path) -> Path:
    """The smallest problem as a file."""
    path = tmp_path / "problem.json"
    path.write_text(json.dumps(SMALLEST), encoding="utf-8")
    return path
