"""Reading and writing of Satchel's own files: whole or not at all."""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path
from typing import BinaryIO

from .models import (
    BudgetEnvelope,
    ContextUnit,
    FileError,
    PackedContext,
    Problem,
    SchemaError,
    UsageError,
)


def read_problem(path: str | Path, *, available: int | None = None) -> Problem:
    """Read a ``packing-problem.v1`` JSON file, or a JSONL file of context units, one a line.

    Parameters
    ----------
    available
        Tokens for units. A JSONL file holds no envelope and needs it; in a JSON file it replaces what the
        envelope states as available.

    Raises
    ------
    FileError
        The file is missing or unreadable.
    InputError
        The content is at fault: file, line or field, and value are named.
    """
    path = Path(path)
    if path.suffix == ".jsonl":
        if available is None:
            raise UsageError(
                "a JSONL file of units holds no envelope",
                file=str(path),
                hint="state the tokens that units may fill, such as --budget 8k",
            )
        return Problem.from_data(
            {
                "schemaVersion": Problem.SCHEMA,
                "envelope": BudgetEnvelope(available_input_tokens=available),
                "units": tuple(_units(path)),
            },
            file=str(path),
        )
    problem = Problem.from_json(read_bytes(path), file=str(path))
    if available is not None:
        envelope = BudgetEnvelope(available_input_tokens=available, zones=problem.envelope.zones)
        problem = problem.model_copy(update={"envelope": envelope})
    return problem


def _units(path: Path) -> list[ContextUnit]:
    units: list[ContextUnit] = []
    first: dict[str, int] = {}
    with _opened(path) as lines:
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            unit = ContextUnit.from_json(line, file=str(path), line=number)
            if unit.id in first:
                raise SchemaError(
                    f"duplicate id, first used on line {first[unit.id]}",
                    code="duplicate_id",
                    file=str(path),
                    line=number,
                    field="id",
                    value=unit.id,
                    hint="each id must be unique",
                )
            first[unit.id] = number
            units.append(unit)
    if not units:
        raise SchemaError(
            "is empty", file=str(path), code="empty_file", hint="a context unit per line is expected"
        )
    return units


def read_artifact(path: str | Path) -> PackedContext:
    """Read a ``packed-context.v1`` JSON file; raises as :func:`read_problem`."""
    return PackedContext.from_json(read_bytes(Path(path)), file=str(path))


def read_bytes(path: Path) -> bytes:
    """Return the file's bytes; FileError says why it cannot be read."""
    with _opened(path) as file:
        return file.read()


def read_prompt(path: str | Path) -> str:
    """Return a rendered prompt's text, byte for byte; FileError where it is no UTF-8."""
    try:
        return read_bytes(Path(path)).decode("utf-8")
    except UnicodeDecodeError as error:
        raise FileError(
            f"is not UTF-8 text: {error.reason} at byte {error.start}",
            file=str(path),
            hint="give the prompt file",
        ) from None


def write_text(path: str | Path, text: str) -> None:
    """Write UTF-8 with LF, whole or not at all: to a temporary file beside ``path``, then renamed over it.

    Raises
    ------
    FileError
        The folder cannot be made or the file cannot be written.
    """
    path = Path(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        mode = path.stat().st_mode & 0o777 if path.exists() else 0o666 & ~_umask()
        descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".tmp", dir=path.parent)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(text.encode("utf-8"))
                file.flush()
                os.fsync(file.fileno())
            Path(name).chmod(mode)
            Path(name).replace(path)
        except BaseException:
            with contextlib.suppress(OSError):
                Path(name).unlink()
            raise
    except OSError as error:
        raise FileError(
            f"cannot be written: {error.strerror}", file=str(path), hint="choose another place with --out"
        ) from None


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _opened(path: Path) -> BinaryIO:
    try:
        return path.open("rb")
    except OSError as error:
        hint = "give the path of an existing file"
        raise FileError(f"cannot be read: {error.strerror}", file=str(path), hint=hint) from None
