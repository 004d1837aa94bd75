"""Reading and writing of Satchel's own files: whole or not at all."""

from __future__ import annotations

import contextlib
import errno
import io
import json
import os
import re
import signal
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import BinaryIO, Final

from .models import (
    BudgetEnvelope,
    ContextUnit,
    FileError,
    PackedContext,
    Problem,
    SchemaError,
    UsageError,
)

STDIN: Final = Path("-")
"""Where a file to read is named: standard input."""

DEFAULT_FOLDER: Final = ".satchel"
"""Where a pack is written unless told otherwise; a scan never reads it."""

ARTIFACT: Final = "packed-context.json"
PROBLEM: Final = "packing-problem.json"

PROMPTS: Final = {"markdown": "prompt.md", "xml": "prompt.xml", "plain": "prompt.txt", "json": "prompt.jsonl"}
"""The prompt's file by its format."""


_HEADING: Final = re.compile(r"#{1,6}[ \t]+(.*?)(?:[ \t]+#+)?")
_FENCE: Final = re.compile(r"(`{3,}|~{3,})")


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
    data = None if path.suffix == ".jsonl" else read_bytes(path)
    if data is None or _is_units(data):
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
                "units": tuple(_units(path, data)),
            },
            file=str(path),
        )
    with _told_apart("an artifact", PackedContext.SCHEMA, "a packing problem"):
        problem = Problem.from_json(data, file=str(path))
    if available is not None:
        overhead = problem.envelope.fixed_overhead_tokens if problem.pricing else 0  # a part of what is paid
        envelope = BudgetEnvelope(
            available_input_tokens=available, fixed_overhead_tokens=overhead, zones=problem.envelope.zones
        )
        problem = problem.model_copy(update={"envelope": envelope})
    return problem


def _units(path: Path, data: bytes | None) -> list[ContextUnit]:
    """Read the units of ``data``, or line by line those of the file, which may be large."""
    units: list[ContextUnit] = []
    first: dict[str, int] = {}
    with _opened(path) if data is None else io.BytesIO(data) as lines:
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
    data = read_bytes(Path(path))
    with _told_apart("a packing problem", Problem.SCHEMA, "an artifact"):
        return PackedContext.from_json(data, file=str(path))


@contextlib.contextmanager
def _told_apart(other: str, schema: str, expected: str) -> Iterator[None]:
    """Say of a file that holds ``other`` what it is, rather than that its version is unknown."""
    try:
        yield
    except SchemaError as error:
        if error.field == "schemaVersion" and error.value == schema:
            error.message = f"this is {other}, not {expected}"
        raise


def _is_units(data: bytes) -> bool:
    """Tell whether ``data`` is context units, one a line: its first line is an object that is no problem."""
    first, _, rest = data.removeprefix(b"\xef\xbb\xbf").lstrip().partition(b"\n")
    if not first.rstrip().endswith(b"}"):
        return False
    try:
        head = json.loads(first)
    except (ValueError, RecursionError):
        return False
    if not isinstance(head, dict) or {"schemaVersion", "envelope", "units"} & head.keys():
        return False
    return "id" in head or rest.strip() != b""


def read_bytes(path: Path) -> bytes:
    """Return the file's bytes; FileError says why it cannot be read, SchemaError that none came on stdin."""
    try:
        with _opened(path) as file:
            data = file.read()
    except OSError as error:
        raise _unreadable(path, error) from None
    if path == STDIN and not data.strip():
        hint = "pipe a file into it, such as '< FILE', or name the file instead of -"
        raise SchemaError("nothing came from standard input", file=str(path), code="empty_file", hint=hint)
    return data


def read_outline(path: str | Path) -> tuple[str, ...]:
    """Return the headings of a page, in order: a Markdown file's headings, or each line that is not blank.

    Raises
    ------
    FileError
        The file cannot be read or is no UTF-8.
    SchemaError
        It holds no heading.
    """
    lines = [line.strip() for line in read_prompt(path).removeprefix("\ufeff").splitlines()]
    marked = [match[1] for line in _unfenced(lines) if (match := _HEADING.fullmatch(line))]
    headings = tuple(marked or [line for line in lines if line])
    if not headings:
        hint = "give one heading a line, or a Markdown file"
        raise SchemaError("holds no heading", code="empty_file", file=str(path), hint=hint)
    return headings


def _unfenced(lines: Iterable[str]) -> Iterator[str]:
    """Yield the lines outside fenced code, where a ``#`` begins no heading."""
    fence = ""
    for line in lines:
        mark = _FENCE.match(line)
        if fence:
            if mark and mark[1].startswith(fence) and line == mark[1]:
                fence = ""
        elif mark:
            fence = mark[1]
        else:
            yield line


def read_prompt(path: str | Path) -> str:
    """Return the text of a file, byte for byte; FileError where it is no UTF-8."""
    try:
        return read_bytes(Path(path)).decode("utf-8")
    except UnicodeDecodeError as error:
        raise FileError(
            f"is not UTF-8 text: {error.reason} at byte {error.start}",
            file=str(path),
            hint="give a text file",
        ) from None


def write_text(path: str | Path, text: str) -> None:
    """Write UTF-8 with LF, whole or not at all; see :func:`write_texts`."""
    write_texts({path: text})


def write_texts(texts: Mapping[str | Path, str | bytes]) -> None:
    """Write several files as UTF-8 with LF: each whole, and none before all of them could be written.

    Bytes are texts that are encoded already.

    Each goes to a temporary file beside its place first; when all are on disk they are renamed over it.
    A link keeps pointing to its file; a device or pipe, which cannot be replaced, is written to last, and so
    is standard output where a place is what it writes to.

    Raises
    ------
    FileError
        A folder cannot be made or a file cannot be written; no place was touched, no folder was left.
    """
    staged: list[tuple[Path, Path]] = []
    streams: list[tuple[Path, str | bytes]] = []
    made: list[Path] = []
    place = ""
    try:
        for name, text in texts.items():
            place, path = str(name), Path(os.path.realpath(name))
            if is_stdout(name) or (path.exists() and not path.is_file() and not path.is_dir()):
                streams.append((Path(name), text))
            else:
                make_folders(path.parent, made)
                staged.append((_stage(path, text), path))
        with signals_held():
            for temporary, path in staged:
                place = str(path)
                temporary.replace(path)
        made.clear()
        for path, text in streams:
            place = str(path)
            _send(path, text)
    except BrokenPipeError:
        raise
    except OSError as error:
        hint = "choose another place with --out"
        raise FileError(f"cannot be written: {error.strerror}", file=place, hint=hint) from None
    finally:
        for temporary, _ in staged:
            with contextlib.suppress(OSError):
                temporary.unlink()
        remove_folders(made)


@contextlib.contextmanager
def signals_held() -> Iterator[None]:
    """Hold interrupts back until files that belong together are all in their places."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def is_stdout(path: str | Path) -> bool:
    """Tell whether standard output writes to ``path`` already, whatever it is called."""
    try:
        return os.path.samestat(Path(path).stat(), os.fstat(sys.stdout.fileno()))
    except (OSError, ValueError, AttributeError):  # no such file; a standard output that is no file, or none
        return False


def _send(path: Path, text: str | bytes) -> None:
    """Write to what cannot be replaced: a device, a pipe, or what standard output has written to before."""
    data = encoded(text)
    if is_stdout(path):
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    else:
        path.write_bytes(data)


def make_folders(folder: Path, made: list[Path]) -> None:
    """Make ``folder`` and what is above it, and add to ``made`` those that were missing, outer ones first."""
    missing = [place for place in (folder, *folder.parents) if not place.exists()]
    for place in reversed(missing):
        place.mkdir(exist_ok=True)
        made.append(place)


def remove_folders(made: list[Path]) -> None:
    """Take away the folders of ``made`` that are empty, inner ones first."""
    for folder in reversed(made):
        with contextlib.suppress(OSError):
            folder.rmdir()


def _stage(path: Path, text: str | bytes) -> Path:
    """Write ``text`` to a temporary file beside ``path``, with its permissions."""
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    mode = path.stat().st_mode & 0o777 if path.exists() else 0o666 & ~umask()
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".tmp", dir=path.parent)
    os.close(descriptor)
    try:
        write_file(Path(name), text, mode)
    except BaseException:
        with contextlib.suppress(OSError):
            Path(name).unlink()
        raise
    return Path(name)


def write_file(path: Path, text: str | bytes, mode: int) -> None:
    """Write ``text`` as UTF-8 with permissions ``mode``, and see it on the disk."""
    with path.open("wb") as file:
        file.write(encoded(text))
        file.flush()
        os.fsync(file.fileno())
    path.chmod(mode)


def encoded(text: str | bytes) -> bytes:
    """Return a text as UTF-8, and bytes as they are."""
    return text if isinstance(text, bytes) else text.encode("utf-8")


def umask() -> int:
    """Return what the process takes off the permissions of new files."""
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _opened(path: Path) -> BinaryIO:
    if path == STDIN:
        return sys.stdin.buffer
    try:
        return path.open("rb")
    except OSError as error:
        raise _unreadable(path, error) from None


def _unreadable(path: Path, error: OSError) -> FileError:
    hint = "give the path of an existing file"
    return FileError(f"cannot be read: {error.strerror}", file=str(path), hint=hint)
