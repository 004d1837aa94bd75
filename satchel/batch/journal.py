"""What a batch has done so far, kept so that a run which is killed at any moment can be resumed.

The journal grows by one line for each page that is done, written after the page's files are in place. At the
end the manifest, in the order of the tasks, takes its place. A line that was cut short is left out of
account: its page is done again, to the same bytes.
"""

from __future__ import annotations

import json
import os
import shutil
import time
from collections.abc import Iterable, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, BinaryIO, Final, Self

from ..files import make_folders, write_texts
from ..models import FileError, SatchelError, UsageError
from .records import JOURNAL, MANIFEST, SECONDS, PageRecord, Seconds
from .working import PAGE_FILES

if TYPE_CHECKING:
    from collections.abc import Iterator

SYNCED: Final = 1.0
"""Seconds after which the journal is seen on the disk again."""


def read_records(folder: Path) -> dict[str, PageRecord]:
    """Return the records of earlier runs into ``folder`` by task: of the manifest, then of the journal."""
    found: dict[str, PageRecord] = {}
    for name in (MANIFEST, JOURNAL):
        for line in _lines(folder / name):
            with suppress(SatchelError):
                record = PageRecord.from_json(line)
                found[record.task] = record
    return found


def read_seconds(folder: Path) -> dict[str, Seconds]:
    """Return how long the pages of earlier runs took, by task."""
    found: dict[str, Seconds] = {}
    for line in _lines(folder / SECONDS):
        with suppress(SatchelError):
            seconds = Seconds.from_json(line)
            found[seconds.task] = seconds
    return found


def _lines(path: Path) -> list[bytes]:
    try:
        data = path.read_bytes()
    except OSError:
        return []
    # What follows the last line end was cut short.
    return data.split(b"\n")[:-1]


def sweep(folder: Path, outputs: Iterable[str]) -> None:
    """Take away what writers that were killed have left beside the pages, and in them."""
    places = {folder / output for output in outputs}
    for left in folder.glob(".*.tmp"):
        if left.is_file():
            left.unlink(missing_ok=True)
    for parent in sorted({place.parent for place in places}):
        names = {place.name for place in places if place.parent == parent}
        for left in parent.glob(".*.tmp"):
            if left.name.removesuffix(".tmp").rpartition(".")[0][1:] in names:
                shutil.rmtree(left, ignore_errors=True)
    for place in sorted(places):
        for left in place.glob(".*.tmp"):
            if left.name.removesuffix(".tmp").rpartition(".")[0][1:] in PAGE_FILES:
                left.unlink(missing_ok=True)


class Journal:
    """The records of a run as they come in.

    Raises
    ------
    FileError
        It cannot be written.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._path = folder / JOURNAL
        self._file: BinaryIO | None = None
        self._synced = 0.0

    def __enter__(self) -> Self:
        try:
            # A line of an earlier run that was cut short must not run into the next one.
            known = _lines(self._path)
            self._path.write_bytes(b"".join(line + b"\n" for line in known))
            self._file = self._path.open("ab")
        except OSError as error:
            raise _unwritable(self._path, error) from None
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._file is not None:
            self._file.close()

    def add(self, record: PageRecord) -> None:
        """Keep a record: no end of this process can lose it, and a failing machine only the last second's."""
        assert self._file is not None
        try:
            self._file.write(_line(record))
            self._file.flush()
            if time.monotonic() - self._synced > SYNCED:
                os.fsync(self._file.fileno())
                self._synced = time.monotonic()
        except OSError as error:
            raise _unwritable(self._path, error) from None

    def finish(self, records: Sequence[PageRecord], seconds: Iterable[Seconds]) -> None:
        """Put the manifest and the seconds in their places; the journal has had its use."""
        lines = "".join(_line(record).decode("utf-8") for record in records)
        times = "".join(_line(entry).decode("utf-8") for entry in seconds)
        write_texts({self._folder / SECONDS: times, self._folder / MANIFEST: lines})
        self._path.unlink(missing_ok=True)


def _line(record: PageRecord | Seconds) -> bytes:
    return json.dumps(record.to_data(), ensure_ascii=False, separators=(",", ":")).encode("utf-8") + b"\n"


def _unwritable(path: Path, error: OSError) -> FileError:
    hint = "choose another place with --out"
    return FileError(f"cannot be written: {error.strerror}", file=str(path), hint=hint)


@contextmanager
def only_one(folder: Path) -> Iterator[None]:
    """Hold ``folder``, made where it is missing, against another batch that would write into it.

    Raises
    ------
    UsageError
        Another one is at work there.
    FileError
        The folder cannot be made.
    """
    try:
        make_folders(folder, [])
        handle = os.open(folder, os.O_RDONLY)
    except OSError as error:
        raise _unwritable(folder, error) from None
    try:
        with suppress(ImportError):  # there are no such locks on Windows
            import fcntl

            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                hint = "wait for it, or choose another folder with --out"
                raise UsageError(
                    "another batch is writing into this folder", field="--out", value=str(folder), hint=hint
                ) from None
        yield
    finally:
        with suppress(OSError):
            folder.rmdir()  # where nothing came into it
        os.close(handle)
