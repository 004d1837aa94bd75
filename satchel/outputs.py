"""What a pack leaves on disk: the artifact, the problem that it answers, and the prompt."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from .files import ARTIFACT, DEFAULT_FOLDER, PROBLEM, PROMPTS, write_texts
from .models import UsageError
from .packing import PackResult


def write_pack(
    result: PackResult, folder: str | Path = DEFAULT_FOLDER, *, prompt: str | Path | None = None
) -> dict[str, Path]:
    """Write artifact, problem and prompt: all of them or none.

    Parameters
    ----------
    folder
        Made when missing. One that is called ``.satchel`` gets a ``.gitignore`` that keeps it out of commits.
    prompt
        Where the prompt goes instead.

    Returns
    -------
    dict
        The paths of ``artifact``, ``problem`` and ``prompt``.

    Raises
    ------
    FileError
        A file cannot be written.
    UsageError
        ``prompt`` is the place of one of the other two.
    """
    folder = Path(folder)
    stated = result.context.prompt
    written = folder / PROMPTS[stated.format if stated else "markdown"]
    files = {
        "artifact": folder / ARTIFACT,
        "problem": folder / PROBLEM,
        "prompt": written if prompt is None else Path(prompt),
    }
    if files["prompt"] in (files["artifact"], files["problem"]):
        raise UsageError("is already the place of another output", field="prompt", value=str(files["prompt"]))
    texts: dict[str | Path, str] = {
        files["problem"]: result.problem.to_json(),
        files["prompt"]: result.prompt,
        files["artifact"]: result.context.to_json(),
    }
    ignore = folder / ".gitignore"
    if folder.name == DEFAULT_FOLDER and not ignore.exists():
        texts[ignore] = "*\n"
    write_texts(texts)
    return files


def inside(root: str | Path, places: Iterable[str | Path]) -> tuple[str, ...]:
    """Return those of ``places`` that lie below ``root``, relative to it: what a scan must not read."""
    base = os.path.realpath(root)
    relative = (os.path.relpath(os.path.realpath(place), base) for place in places)
    below = (path for path in relative if Path(path).parts[:1] not in ((), (os.pardir,)))
    return tuple(sorted({path.replace(os.sep, "/") for path in below}))
