"""The pack that a question is about: an artifact with its problem, or a problem alone."""

from __future__ import annotations

import json
from pathlib import Path

from .files import ARTIFACT, DEFAULT_FOLDER, PROBLEM, STDIN, read_artifact, read_problem
from .models import PackedContext, Problem, UsageError

HEAD = 4096
"""Bytes that tell which schema a file has."""


def read_pack(
    source: str | Path | None = None, problem: str | Path | None = None
) -> tuple[Problem, PackedContext | None]:
    """Return the problem that is asked about, and the artifact that answers it if there is one.

    Parameters
    ----------
    source
        An artifact, a folder that holds one, or a problem; by default the pack that ``satchel pack`` has
        written here.
    problem
        The problem of the artifact; by default the one beside it.

    Raises
    ------
    UsageError
        There is no pack here, or no problem beside the artifact.
    FileError, InputError
        As :func:`satchel.files.read_problem`.
    """
    path = Path(DEFAULT_FOLDER) / ARTIFACT if source is None else Path(source)
    if source is None and not path.exists():
        hint = "run 'satchel pack' first, or name an artifact or a problem"
        raise UsageError("there is no pack here", file=str(path), hint=hint)
    if path.is_dir():
        path = path / ARTIFACT
    if problem is None and (path == STDIN or path.suffix == ".jsonl" or not _is_artifact(path)):
        return read_problem(path), None
    context = read_artifact(path)
    beside = path.parent / PROBLEM if problem is None else Path(problem)
    if problem is None and not beside.exists():
        raise UsageError(
            "there is no problem beside the artifact",
            code="no_problem",
            file=str(beside),
            hint="name it with --problem; 'satchel solve' writes it with --problem-out",
        )
    return read_problem(beside), context


def _is_artifact(path: Path) -> bool:
    try:
        head = path.read_bytes()[:HEAD]
    except OSError:
        return False  # the reader says what is wrong
    return json.dumps(PackedContext.SCHEMA).encode() in head
