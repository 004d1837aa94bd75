"""Writes what the documents quote of the program: ``docs/cli.md``, and the outputs of ``SESSIONS``.

``make docs`` runs it; ``tests/test_docs.py`` fails while a document says something else than the program.
In these, a ``console`` block is a session in a folder that holds a copy of ``tests/data/linkbox``
and the files that the document itself shows: each line after ``$ `` is run, and what it prints follows.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
SESSIONS = ("README.md", "docs/solving.md")
"""Documents whose sessions are run."""

EXAMPLE = ROOT / "tests" / "data" / "linkbox"
COMMANDS = (
    *("pack", "scan", "solve", "render", "budget", "explain", "verify", "diff", "frontier", "batch"),
    *("cost", "compact", "assemble", "schema", "models", "engines", "import", "export", "compare", "mcp"),
    *("report", "doctor"),
    *(f"cache {name}" for name in ("status", "warm", "work", "watch", "savings", "verify", "clear")),
)

_BLOCK = re.compile(r"^```(\w+)(?: title=(\S+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_OWN = {"NO_COLOR", "FORCE_COLOR", "COLUMNS", "TERM", "SATCHEL_DEBUG"}

INTRODUCTION = """\
# Command line

Written by `make docs` from the program's own help: do not edit.

Data goes to standard output, messages to standard error. With `--json`, standard output holds one JSON
document and nothing else, and an error is one JSON object on standard error:
`{"error": {"code": …, "message": …, "file": …, "line": …, "field": …, "value": …, "hint": …, "data": …},
"exitCode": …}`, with the parts that are known. Without it, an error is one line:
`error[code]: place: message (got value); what would work`; where there is no pack, indented lines below it
tell what clashes and what would help.

| exit code | meaning |
| --- | --- |
| 0 | done |
| 1 | infeasible: a must-have does not fit, and the message says what would work; or verification failed |
| 2 | wrong use or bad input: the message names the file, the field and the value |
| 3 | done, but not proven optimal, where `--require-optimal` was given; the outputs are written |
| 70 | a fault of Satchel itself; `SATCHEL_DEBUG=1` shows the traceback |
| 130 | interrupted; the best pack so far is written when there is one |
| 141 | the reader of standard output went away |

Nothing is left half-written: the files of a run are put in place together, after it has succeeded.
`NO_COLOR` is respected, pipes get plain text of 80 columns, and progress is shown on a terminal only, after
a second.
"""


def environment() -> dict[str, str]:
    """Return an environment in which no terminal setting decides what is printed."""
    kept = {name: text for name, text in os.environ.items() if name not in _OWN}
    scripts = Path(sys.executable).parent
    return {**kept, "PATH": f"{scripts}{os.pathsep}{kept.get('PATH', '')}", "PYTHONPATH": ""}


def satchel(*args: str, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    """Run the program as its users do."""
    return subprocess.run(
        [sys.executable, "-m", "satchel.cli", *args],
        capture_output=True,
        text=True,
        encoding="utf-8",
        cwd=cwd,
        env=environment(),
        check=False,
    )


def cli_reference() -> str:
    """Return the text of ``docs/cli.md``, made of what ``--help`` shows but not of how it is laid out."""
    import typer

    from satchel.cli.app import app

    group: Any = typer.main.get_command(app)  # typer brings click's classes with it, or not, by its version
    parts = [INTRODUCTION, "| command | |\n| --- | --- |"]
    parts += [
        f"| [{name}](#satchel-{name.replace(' ', '-')}) | {_first(_find(group, name).help)} |"
        for name in COMMANDS
    ]
    parts += ["", "`--version` shows the version, `--help` the help of the program or of a command."]
    for name in COMMANDS:
        parts += ["", *_command(name, _find(group, name))]
    return "\n".join(parts) + "\n"


def _find(group: Any, name: str) -> Any:
    for part in name.split():
        group = group.commands[part]
    return group


def _first(text: str) -> str:
    return text.strip().split("\n\n")[0].strip()


def _command(name: str, command: Any) -> list[str]:
    arguments = [param for param in command.params if param.param_type_name == "argument"]
    options = [param for param in command.params if param.param_type_name == "option" and param.help]
    places = " ".join(param.metavar if param.required else f"[{param.metavar}]" for param in arguments)
    parts = [f"## satchel {name}", "", _paragraphs(command.help), ""]
    parts += ["```text", f"satchel {name} {places} [OPTIONS]".replace("  ", " "), "```", ""]
    rows = [(param.metavar, param) for param in arguments]
    rows += [(_option(param), param) for param in options if "--help" not in param.opts]
    parts += ["| | |", "| --- | --- |"]
    parts += [f"| `{_cell(label)}` | {_cell(_meaning(param))} |" for label, param in rows]
    return parts


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _paragraphs(text: str) -> str:
    return "\n\n".join(" ".join(part.split()) for part in text.strip().split("\n\n"))


def _option(param: Any) -> str:
    names = ", ".join(sorted((*param.opts, *param.secondary_opts), key=len))
    return f"{names} {param.metavar}" if param.metavar and not param.is_flag else names


def _meaning(param: Any) -> str:
    default = param.default
    told = not isinstance(default, bool) and default not in (None, "", ()) and param.show_default is not False
    return f"{param.help} Default: `{default}`." if told else str(param.help)


def with_sessions(text: str) -> str:
    """Return a document with the outputs of its sessions as they are now."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        shutil.copytree(EXAMPLE, place / "linkbox", ignore=shutil.ignore_patterns("__pycache__"))
        pieces, end = [], 0
        for block in _BLOCK.finditer(text):
            language, title, body = block.groups()
            if title:
                (place / title).write_text(body, encoding="utf-8")
            if language == "console":
                pieces += [text[end : block.start(3)], _session(body, place)]
                end = block.end(3)
        return "".join([*pieces, text[end:]])


def _session(body: str, place: Path) -> str:
    lines = body.splitlines()
    out: list[str] = []
    for i, line in enumerate(lines):
        if not line.startswith("$ "):
            continue
        command = line[2:]
        while command.endswith("\\"):
            i += 1
            command = f"{command[:-1]}\n{lines[i]}"
        out.append(f"$ {command}".replace("\n", "\\\n"))
        program, *args = shlex.split(command.replace("\n", " "))
        run = satchel(*args, cwd=place) if program == "satchel" else _other(program, args, place)
        out += [*run.stdout.splitlines(), *run.stderr.splitlines()]
    return "".join(f"{line}\n" for line in out)


def _other(program: str, args: list[str], place: Path) -> subprocess.CompletedProcess[str]:
    runner = [sys.executable] if program == "python" else [program]
    return subprocess.run(
        [*runner, *args],
        capture_output=True,
        text=True,
        encoding="utf-8",
        cwd=place,
        env=environment(),
        check=False,
    )


def main() -> None:
    """Write all of them."""
    (ROOT / "docs" / "cli.md").write_text(cli_reference(), encoding="utf-8")
    for name in SESSIONS:
        path = ROOT / name
        path.write_text(with_sessions(path.read_text("utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
