"""In several processes of this machine.

Workers are plain child processes that are told over a pipe what to do, as in :mod:`satchel.sources.parallel`
and for its reasons. A worker gets each survey once, packs page after page, and writes their files itself. One
that dies is replaced, and its page tried again. When this process goes away, however that may be, its
workers see their pipe end and go, too, in the middle of a page if need be.
"""

from __future__ import annotations

import os
import pickle
import struct
import subprocess
import sys
import threading
from contextlib import suppress
from dataclasses import replace
from queue import Empty, SimpleQueue
from typing import IO, Any, Final

from ...models import SatchelError, UsageError
from ...models.reading import collector_paused
from ...sources.scan import Survey
from ..preparing import unpacked_survey
from ..records import Seconds, failure_of
from ..schedule import Schedule
from ..surveys import Surveys
from ..working import Answer, Job, Shop
from . import Answers

ATTEMPTS: Final = 3
"""How often a page is tried whose worker dies."""

_LENGTH: Final = struct.Struct(">Q")
_LOOK: Final = 0.2


class WorkerError(SatchelError):
    """The worker of a page died, again and again: out of memory, or killed."""

    code = "worker_died"


class PoolEngine:
    """Packs pages in ``jobs`` processes.

    Raises
    ------
    UsageError
        ``jobs`` is not 1 or more, or there is no interpreter to start.
    """

    is_local = True

    def __init__(self, jobs: int) -> None:
        if jobs < 1:
            raise UsageError("is out of range", field="--jobs", value=jobs, hint="accepted: 1 or more")
        if getattr(sys, "frozen", False):
            hint = "use --jobs 1"
            raise UsageError("there is no interpreter to start workers with", field="--jobs", hint=hint)
        self.jobs = jobs

    def run(self, schedule: Schedule, surveys: Surveys) -> Answers:
        """Yield what becomes of each job."""
        answers: SimpleQueue[tuple[Job, Answer] | BaseException | None] = SimpleQueue()
        crew = [_Member(number, schedule, surveys, answers) for number in range(self.jobs)]
        for member in crew:
            member.start()
        left = len(crew)
        try:
            while left:
                try:
                    # Not one long wait: it would not hear Ctrl-C on every system.
                    given = answers.get(timeout=_LOOK)
                except Empty:
                    continue
                if given is None:
                    left -= 1
                elif isinstance(given, BaseException):
                    raise given
                else:
                    yield given[1]
        finally:
            schedule.stop()
            for member in crew:
                member.dismiss()
            for member in crew:
                member.join()


class _Member(threading.Thread):
    """A thread that takes jobs and has one worker do them."""

    def __init__(
        self,
        number: int,
        schedule: Schedule,
        surveys: Surveys,
        answers: SimpleQueue[tuple[Job, Answer] | BaseException | None],
    ) -> None:
        super().__init__(name=f"batch worker {number}", daemon=True)
        self._number = number
        self._schedule, self._surveys, self._answers = schedule, surveys, answers
        self._process: subprocess.Popen[bytes] | None = None
        self._has: set[str] = set()
        self._dismissed = False

    def run(self) -> None:
        """Work until there is no more to do."""
        try:
            while (job := self._schedule.next()) is not None:
                answer = self._answer(job)
                if self._dismissed:
                    return
                self._schedule.answered(job, answer)
                self._answers.put((job, answer))
        except BaseException as error:  # noqa: BLE001 - raised in the thread that waits for answers
            self._answers.put(error)
        finally:
            self._answers.put(None)
            self._end()

    def dismiss(self) -> None:
        """End the worker, whatever it is doing."""
        self._dismissed = True
        process = self._process
        if process is not None:
            with suppress(OSError):
                process.kill()

    def _answer(self, job: Job) -> Answer:
        """Have the worker do ``job``; one that dies is replaced."""
        how = ""
        for attempt in range(1, ATTEMPTS + 1):
            try:
                answer = self._ask(job)
            except (OSError, EOFError):
                how = self._end()
                if self._dismissed:
                    break
            else:
                seconds = answer.seconds.model_copy(update={"attempts": attempt})
                return replace(answer, seconds=seconds)
        error = WorkerError(
            f"the worker died {ATTEMPTS} times over this page, {how}",
            hint="use fewer --jobs where memory is short, and run again with --resume",
        )
        seconds = Seconds(task=job.page.id, attempts=ATTEMPTS, worker=str(self._number))
        return Answer(failure_of(job.page, error, job.inputs), seconds)

    def _ask(self, job: Job) -> Answer:
        if self._process is None:
            self._process = _started()
            self._has = set()
            _send(self._process.stdin, str(self._number).encode())
        process = self._process
        if job.survey not in self._has:
            _send(process.stdin, b"survey")
            _send(process.stdin, job.survey.encode("utf-8", "surrogateescape"))
            _send(process.stdin, self._surveys.packed(job.survey))
            self._has.add(job.survey)
        _send(process.stdin, b"job")
        _send(process.stdin, pickle.dumps(job, protocol=pickle.HIGHEST_PROTOCOL))
        answer: Answer = pickle.loads(_receive(process.stdout))  # noqa: S301 - from our own worker
        return answer

    def _end(self) -> str:
        """End the process and return how it ended."""
        process, self._process = self._process, None
        if process is None:
            return "before it began"
        for stream in (process.stdin, process.stdout):
            with suppress(OSError):
                if stream is not None:
                    stream.close()
        with suppress(subprocess.TimeoutExpired):
            process.wait(timeout=0.5)  # its own end says more than ours
        process.kill()
        code = process.wait()
        return f"by signal {-code}" if code < 0 else f"with exit code {code}"


def _started() -> subprocess.Popen[bytes]:
    # Modules come from where they come from here: never from the folder that happens to be current.
    program = f"import sys; sys.path[:] = sys.argv[1:]; from {__name__} import serve; serve()"
    return subprocess.Popen(  # noqa: S603 - our own interpreter and program
        [sys.executable, "-P", "-c", program, *sys.path],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,  # an interrupt is for this process, which then ends its workers
    )


def serve() -> None:
    """Do what is asked on standard input until it ends: a worker's whole life."""
    asked, given = sys.stdin.buffer, sys.stdout.buffer
    sys.stdout = sys.stderr
    surveys: dict[str, Survey] = {}
    jobs: SimpleQueue[Job] = SimpleQueue()
    try:
        name = _receive(asked).decode()
    except EOFError:  # dismissed before it began
        return

    def listen() -> None:
        try:
            while True:
                if _receive(asked) == b"survey":
                    key = _receive(asked).decode("utf-8", "surrogateescape")
                    surveys[key] = unpacked_survey(_receive(asked))
                else:
                    jobs.put(pickle.loads(_receive(asked)))  # noqa: S301 - from the process that started us
        finally:
            os._exit(0)  # whoever asked is gone: nothing is left half done, for files are put in place whole

    threading.Thread(target=listen, daemon=True).start()
    shop = Shop(surveys.__getitem__, name)
    while True:
        job = jobs.get()
        answer = shop.do(job)
        with collector_paused():
            _send(given, pickle.dumps(answer, protocol=pickle.HIGHEST_PROTOCOL))


def _send(stream: IO[bytes] | None, data: bytes) -> None:
    assert stream is not None
    stream.write(_LENGTH.pack(len(data)))
    stream.write(data)
    stream.flush()


def _receive(stream: IO[bytes] | None) -> Any:
    assert stream is not None
    head = stream.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        raise EOFError
    (length,) = _LENGTH.unpack(head)
    data = stream.read(length)
    if len(data) < length:
        raise EOFError
    return data
