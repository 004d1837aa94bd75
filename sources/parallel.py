"""Reading many files in several processes.

Workers are plain child processes that are told what to read and answer over a pipe. They are not made by
``multiprocessing``: a forked copy of a program with threads may hang, and a spawned one runs the caller's
main module again, which a library must not ask of its callers.
"""

from __future__ import annotations

import os
import pickle
import struct
import subprocess
import sys
from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, suppress
from pathlib import Path
from queue import SimpleQueue
from typing import IO, TYPE_CHECKING, Any, Final

from .files import SourceFile
from .tree import DiskTree

if TYPE_CHECKING:
    from .candidates import Parsed

LEAST_BYTES: Final = 6_000_000
"""Below this much text, workers take longer to start than they save."""

MOST_JOBS: Final = 8
"""More workers wait for the one process that takes their answers."""

_CHUNK_BYTES: Final = 400_000
_CHUNK_FILES: Final = 200
"""A worker is given about so much at a time."""

_LENGTH: Final = struct.Struct(">Q")


def read_apart(
    sources: Sequence[SourceFile], limit: int | None, versions: str, jobs: int | None = None
) -> Generator[Parsed] | None:
    """Return what reading each source gives, in order, or ``None`` where one process does as well.

    The workers end when the generator does: close it.

    Parameters
    ----------
    sources
        Files on disk; others are not read apart.
    limit
        Largest file, in bytes.
    versions
        Of the extractors that the caller has: workers have those that come with Satchel.
    jobs
        Number of workers; as many as there are processors when absent, and then only for much text.
    """
    from .extract import default_registry

    workers = min(jobs or len(_processors()), MOST_JOBS)
    size = sum(source.size for source in sources)
    if getattr(sys, "frozen", False):
        return None  # there is no interpreter to start
    if workers < 2 or not sources or (jobs is None and size < LEAST_BYTES):
        return None
    on_disk = all(isinstance(source.tree, DiskTree) for source in sources)
    if not on_disk or versions != default_registry().versions:
        return None
    return _read(list(_chunks(sources)), limit, workers)


def _processors() -> Sequence[int]:
    affinity = getattr(os, "sched_getaffinity", None)
    return sorted(affinity(0)) if affinity else range(os.cpu_count() or 1)


def _chunks(sources: Sequence[SourceFile]) -> Iterator[list[SourceFile]]:
    chunk: list[SourceFile] = []
    size = 0
    for source in sources:
        if chunk and source.tree is not chunk[-1].tree:
            yield chunk
            chunk, size = [], 0
        chunk.append(source)
        size += source.size
        if size >= _CHUNK_BYTES or len(chunk) >= _CHUNK_FILES:
            yield chunk
            chunk, size = [], 0
    if chunk:
        yield chunk


def _read(chunks: list[list[SourceFile]], limit: int | None, jobs: int) -> Generator[Parsed]:
    """Yield the answers in order; a worker that fails leaves its chunk to this process."""
    idle: SimpleQueue[subprocess.Popen[bytes] | None] = SimpleQueue()
    with ExitStack() as stack:
        for _ in range(jobs):
            idle.put(_worker(stack))
        threads = stack.enter_context(ThreadPoolExecutor(jobs))
        waiting: list[Future[list[Parsed]]] = []
        following = 0
        while following < len(chunks) or waiting:
            # Not all at once: what is answered but not yet taken stays in memory.
            while following < len(chunks) and len(waiting) < 3 * jobs:
                waiting.append(threads.submit(_ask, idle, chunks[following], limit))
                following += 1
            yield from waiting.pop(0).result()


def _worker(stack: ExitStack) -> subprocess.Popen[bytes] | None:
    # Modules come from where they come from here: never from the folder that happens to be current.
    program = f"import sys; sys.path[:] = sys.argv[1:]; from {__name__} import serve; serve()"
    try:
        process = subprocess.Popen(  # noqa: S603 - our own interpreter and program
            [sys.executable, "-P", "-c", program, *sys.path],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,  # an interrupt is for this process, which then ends its workers
        )
    except OSError:
        return None
    stack.callback(_dismissed, process)
    return process


def _dismissed(process: subprocess.Popen[bytes]) -> None:
    for stream in (process.stdin, process.stdout):
        with suppress(OSError):  # what it was still to be told it cannot be told
            if stream is not None:
                stream.close()
    process.kill()
    process.wait()


def _ask(
    idle: SimpleQueue[subprocess.Popen[bytes] | None], chunk: list[SourceFile], limit: int | None
) -> list[Parsed]:
    worker = idle.get()
    tree = chunk[0].tree
    root = tree.root if isinstance(tree, DiskTree) else ""
    try:
        if worker is not None and worker.stdin is not None and worker.stdout is not None:
            files = [(source.path, source.size, source.explicit, source.raw) for source in chunk]
            _send(worker.stdin, (root, limit, files))
            answer: list[Parsed] = _receive(worker.stdout)
            return answer
    except (OSError, EOFError):
        worker = None
    finally:
        idle.put(worker)
    return _parsed(chunk, limit)


def _parsed(chunk: list[SourceFile], limit: int | None) -> list[Parsed]:
    from .candidates import parsed
    from .extract import default_registry

    registry = default_registry()
    return [parsed(source, limit, registry) for source in chunk]


def serve() -> None:
    """Answer what is asked on standard input until it ends: a worker's whole life."""
    asked, given = sys.stdin.buffer, sys.stdout.buffer
    sys.stdout = sys.stderr
    while True:
        try:
            root, limit, files = _receive(asked)
        except EOFError:
            return
        tree = DiskTree(Path(root))
        chunk = [SourceFile(path, size, explicit, raw, tree) for path, size, explicit, raw in files]
        _send(given, _parsed(chunk, limit))


def _send(stream: IO[bytes], message: object) -> None:
    data = pickle.dumps(message, protocol=pickle.HIGHEST_PROTOCOL)
    stream.write(_LENGTH.pack(len(data)))
    stream.write(data)
    stream.flush()


def _receive(stream: IO[bytes]) -> Any:
    head = stream.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        raise EOFError
    (length,) = _LENGTH.unpack(head)
    data = stream.read(length)
    if len(data) < length:
        raise EOFError
    return pickle.loads(data)  # noqa: S301 - from a process that we started
