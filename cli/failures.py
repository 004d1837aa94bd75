"""From an exception to one clear line (or one JSON object) on standard error, and an exit code.

=====  ==========================================================================
code   meaning
=====  ==========================================================================
0      done
1      infeasible: a must-have does not fit; or a verification failed
2      wrong use or bad input
3      done, not proven optimal, and ``--require-optimal`` was given
70     a fault of Satchel itself
130    interrupted
141    the reader of standard output went away
=====  ==========================================================================
"""

from __future__ import annotations

import errno
import json
import os
import sys
import traceback
from typing import Any, Final

from .console import Line, print_lines, shown

NOT_OPTIMAL: Final = 3
FAULT: Final = 70
INTERRUPTED: Final = 130
BROKEN_PIPE: Final = 141

DEBUG: Final = "SATCHEL_DEBUG"
"""Set to 1, this environment variable shows the traceback of a fault."""


_SAME_NAME: Final = (
    *(
        "budget",
        "deterministic_limit",
        "encoding",
        "engine",
        "exclude",
        "format",
        "gap",
        "include",
        "max_file_bytes",
    ),
    *("model", "out", "problem", "problem_out", "prompt", "seed", "solver", "time_limit", "workers"),
)
_NO_ROOM: Final = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)

OPTIONS: Final = {
    **{name: f"--{name.replace('_', '-')}" for name in _SAME_NAME},
    "task.kind": "--task",
    "order": "--order",
    "volatile": "--volatile",
    "prices": "--prices",
    "expectedCalls": "--expected-calls",
    "cacheWrites": "--cache-writes",
    "costLimit": "--cost-limit",
    "pricing.costLimit": "--cost-limit",
    "objective": "--objective",
    "answerTokens": "--answer-tokens",
    "answer_tokens": "--answer-tokens",
    "minimum": "--min-cacheable",
    "cacheMinimum": "--min-cacheable",
    "long_lived": "--long-lived",
    "why_rejected": "--why-rejected",
    "why_accepted": "--why-accepted",
    "why_rung": "--why-rung",
    "what_if": "--what-if",
    "points": "--points",
    "least": "--from",
    "plot": "--plot",
    "tokenizer_file": "--tokenizer",
    "explicit": "--focus",
    "own_outputs": "--out",
}
"""Arguments of the face by the option that a user of the command line gave."""


def report(error: BaseException, *, as_json: bool) -> int:
    """Tell the user about ``error`` and return the exit code."""
    if isinstance(error, BrokenPipeError):
        _let_go_of_stdout()
        return BROKEN_PIPE
    if _is_of_stdout(error):
        _let_go_of_stdout()
    text, facts, code = _describe(error)
    if as_json:
        sys.stderr.write(json.dumps({"error": facts, "exitCode": code}) + "\n")
    else:
        print_lines([Line(f"error[{facts['code']}]: {shown(text)}", "bold red")], to=sys.stderr)
        print_lines([Line(f"  {shown(line)}") for line in _story(error)], to=sys.stderr)
    if code == FAULT and os.environ.get(DEBUG) == "1":
        traceback.print_exception(error)
    return code


def _story(error: BaseException) -> list[str]:
    """Return why there is no pack, and what would help, line by line; nothing for other errors."""
    from .. import InfeasibleError

    if not isinstance(error, InfeasibleError):
        return []
    from .. import infeasible_story

    return infeasible_story(error)


def _describe(error: BaseException) -> tuple[str, dict[str, Any], int]:
    from .. import SatchelError

    if isinstance(error, SatchelError):
        if error.file is None and error.field in OPTIONS:
            error.field = OPTIONS[error.field]
        return str(error), error.to_dict(), error.exit_code
    if isinstance(error, KeyboardInterrupt):
        return _plain("interrupted", "stopped before the end; nothing was written", INTERRUPTED)
    if (usage := _usage(error)) is not None:
        return _plain("usage", usage, 2)
    if isinstance(error, OSError) and _is_of_stdout(error):
        return _plain("file", f"standard output cannot be written: {error.strerror}", 2)
    if isinstance(error, MemoryError):
        return _plain("memory", "there is not enough memory for this", FAULT)
    text = (
        f"{type(error).__name__}: {error}; this is a fault of Satchel: please report it "
        f"(run again with {DEBUG}=1 for the details)"
    )
    return _plain("fault", text, FAULT)


def _plain(code: str, text: str, exit_code: int) -> tuple[str, dict[str, Any], int]:
    return text, {"code": code, "message": text}, exit_code


def _usage(error: BaseException) -> str | None:
    """Return the message of an error that the parser of the command line raised, or None."""
    # typer carries click inside from 0.26 on, and needs it beside it before: both have these names.
    message = getattr(error, "format_message", None)
    if message is None or not hasattr(error, "exit_code"):
        return None
    text = " ".join(str(message()).split()).removesuffix(".")
    context = getattr(error, "ctx", None)
    command = context.command_path if context is not None else "satchel"
    return f"{text[:1].lower()}{text[1:]}; see '{command} --help'"


def _is_of_stdout(error: BaseException) -> bool:
    # What goes wrong with a file that Satchel opens is told with the file's name.
    return isinstance(error, OSError) and error.filename is None and error.errno in _NO_ROOM


def _let_go_of_stdout() -> None:
    # The interpreter flushes standard output at its end, which would complain about the pipe once more.
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, sys.stdout.fileno())
    os.close(null)
