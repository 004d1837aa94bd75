"""What a pack leaves on disk: artifact, problem and prompt; and what an output may replace."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from .files import ARTIFACT, DEFAULT_FOLDER, PROBLEM, PROMPTS, is_stdout, write_texts
from .formats.exporting import TITLE
from .models import FileError, PackedContext, Problem, UsageError
from .placing import place_folder
from .sources.read import begins_like_ours
from .sources.roots import Root, folders, labels_of

if TYPE_CHECKING:
    from .packing import PackResult

Kind = Literal["artifact", "problem", "prompt", "program", "report"]

KINDS: Final[tuple[Kind, ...]] = ("artifact", "problem", "prompt")
"""What a pack leaves."""

OWN_FILES: Final = frozenset({ARTIFACT, PROBLEM, *PROMPTS.values(), ".gitignore"})
"""What a folder may hold that is replaced as a whole."""

REPORT_MARK: Final = '<meta name="generator" content="satchel report">'
"""What the page of a report says of itself near its beginning."""

_SCHEMAS: Final[Mapping[str, Kind]] = {PackedContext.SCHEMA: "artifact", Problem.SCHEMA: "problem"}
_SCHEMA: Final = re.compile(r'\{\s*"schemaVersion"\s*:\s*"([^"]*)"')
_HEAD: Final = 1024
"""Bytes that tell what a file is."""


@dataclass(frozen=True)
class Output:
    """A file that is to be written: the argument that names it, its place, and what it will be."""

    name: str
    path: Path
    kind: Kind


def check_outputs(
    outputs: Sequence[Output], inputs: Iterable[str | Path | None] = (), *, force: bool = False
) -> None:
    """Refuse outputs that would destroy something; devices, pipes and standard output cannot be destroyed.

    Parameters
    ----------
    inputs
        What is read; None and what does not exist is passed over.
    force
        Let an output replace a file that is nothing of its kind.

    Raises
    ------
    UsageError
        An output is the same file as an input or another output, whatever either is called; is a folder
        or lies in a file; or would replace a file that Satchel did not write, or wrote as something else.
    """
    given = [Path(path) for path in inputs if path is not None]
    for i, output in enumerate(outputs):
        path = output.path
        if path.is_dir():
            raise _refusal(output, "cannot be written: it is a folder", "name a file")
        above = next(place for place in path.absolute().parents if place.exists())
        if not above.is_dir():
            raise _refusal(output, f"cannot be written: {above.name} is no folder", "choose another place")
        if path.exists() and not path.is_file():
            continue
        if any(_same(path, other) for other in given):
            raise _refusal(output, "is the place of an input", "choose another place")
        if any(_same(path, other.path) for other in outputs[:i]):
            raise _refusal(output, "is the place of another output", "choose another place")
        if not force and _holds_other(output):
            raise _refusal(
                output,
                f"holds something other than a {output.kind} that Satchel wrote",
                "choose another place, or replace it with --force",
            )


def _refusal(output: Output, message: str, hint: str) -> UsageError:
    return UsageError(message, code="usage", field=output.name, value=str(output.path), hint=hint)


def _same(one: Path, other: Path) -> bool:
    try:
        return one.samefile(other)
    except OSError:  # one of them does not exist
        return os.path.realpath(one) == os.path.realpath(other)


def _holds_other(output: Output) -> bool:
    if is_stdout(output.path):
        return False
    try:
        with output.path.open("rb") as file:
            head = file.read(_HEAD).decode("utf-8", "replace")
    except FileNotFoundError:
        return False
    except OSError:  # what cannot be read is not known to be ours
        return True
    schema = _SCHEMA.match(head)
    kind: str | None = _SCHEMAS.get(schema[1]) if schema else None
    if schema is None and begins_like_ours(head):
        kind = "prompt"
    elif TITLE in head.partition("\n")[0]:
        kind = "program"
    elif head.startswith("<!doctype html>") and REPORT_MARK in head:
        kind = "report"
    return head != "" and kind != output.kind


def pack_outputs(folder: str | Path, fmt: str, prompt: str | Path | None = None) -> list[Output]:
    """Return the files that a pack in ``fmt`` leaves: artifact, problem and prompt."""
    folder = Path(folder)
    beside = folder / PROMPTS.get(fmt, PROMPTS["markdown"])
    return [
        Output("out", folder / ARTIFACT, "artifact"),
        Output("out", folder / PROBLEM, "problem"),
        Output("out", beside, "prompt") if prompt is None else Output("prompt", Path(prompt), "prompt"),
    ]


def write_pack(
    result: PackResult,
    folder: str | Path = DEFAULT_FOLDER,
    *,
    prompt: str | Path | None = None,
    kinds: Container[Kind] = KINDS,
) -> dict[str, Path]:
    """Write artifact, problem and prompt: all of them or none, in one stroke where the system can.

    Where the folder holds other things, or the prompt goes elsewhere, they are put in place one right after
    the other, the artifact last: a process that is killed between two leaves files of which the artifact's
    digests tell that they are not its own.

    Parameters
    ----------
    folder
        Made when missing. One that is called ``.satchel`` gets a ``.gitignore`` that keeps it out of commits.
    prompt
        Where the prompt goes instead.
    kinds
        Which of the three are wanted.

    Returns
    -------
    dict
        The paths of ``artifact``, ``problem`` and ``prompt``, as far as they are wanted.

    Raises
    ------
    FileError
        A file cannot be written.
    UsageError
        ``prompt`` is the place of one of the other two; or one of the three is a folder.
    """
    folder = Path(folder)
    stated = result.context.prompt
    outputs = pack_outputs(folder, stated.format if stated else "markdown", prompt)
    check_outputs(outputs, force=True)
    files: dict[str, Path] = {output.kind: output.path for output in outputs if output.kind in kinds}
    made: dict[Kind, Callable[[], str | bytes]] = {
        "problem": result.problem_bytes,
        "prompt": lambda: result.prompt,
        "artifact": result.context_text,
    }
    texts: dict[str | Path, str | bytes] = {
        files[kind]: make() for kind, make in made.items() if kind in files
    }
    ignore = folder / ".gitignore"
    if folder.name == DEFAULT_FOLDER and not ignore.exists():
        texts[ignore] = "*\n"
    if not _in_one_stroke(folder, texts):
        write_texts(texts)
    return files


def _in_one_stroke(folder: Path, texts: Mapping[str | Path, str | bytes]) -> bool:
    """Put the files in place together, if all of them are plain files of ``folder``."""
    paths = [Path(path) for path in texts]
    if any(path.parent != folder or (path.exists() and not path.is_file()) for path in paths):
        return False
    if any(is_stdout(path) for path in paths):
        return False
    try:
        return place_folder(folder, {Path(path).name: text for path, text in texts.items()}, OWN_FILES)
    except OSError as error:
        hint = "choose another place with --out"
        raise FileError(f"cannot be written: {error.strerror}", file=str(folder), hint=hint) from None


def inside(root: Root, places: Iterable[str | Path]) -> tuple[str, ...]:
    """Return those of ``places`` that lie below ``root``, relative to it: what a scan must not read.

    Of several folders they begin with labels, as all paths of the scan do.
    """
    roots = folders(root)
    if len(roots) > 1:
        pairs = list(zip(labels_of(roots), roots, strict=True))
        places = tuple(places)
        return tuple(sorted(f"{label}/{path}" for label, one in pairs for path in inside(one, places)))
    base = os.path.realpath(roots[0])
    relative = (os.path.relpath(os.path.realpath(place), base) for place in places)
    below = (path for path in relative if Path(path).parts[:1] not in ((), (os.pardir,)))
    return tuple(sorted({path.replace(os.sep, "/") for path in below}))
