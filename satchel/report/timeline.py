"""How a search went: the steps that ``--progress jsonl`` told."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path

from ..files import read_prompt
from ..models import SchemaError


@dataclass(frozen=True)
class Step:
    """A step of the search, in seconds since the first one; values are not scaled, None while unknown."""

    seconds: float
    stage: str
    objective: float | None
    bound: float | None


def read_timeline(path: str | Path) -> tuple[Step, ...]:
    """Read the steps of a search from what ``--progress jsonl`` wrote to standard error.

    Other lines (messages, stages without a value) are passed over.

    Raises
    ------
    FileError
        The file cannot be read.
    SchemaError
        It holds no step.
    """
    steps = [step for line in read_prompt(path).splitlines() if (step := _step(line)) is not None]
    if not steps:
        raise SchemaError(
            "holds no step of a search",
            code="no_steps",
            file=str(path),
            hint="write it with 'satchel pack … --progress jsonl 2> FILE'",
        )
    begin = steps[0].seconds  # before it, the repository was read
    return tuple(replace(step, seconds=round(step.seconds - begin, 3)) for step in steps)


def _step(line: str) -> Step | None:
    if not line.startswith("{"):
        return None
    try:
        data = json.loads(line)
    except (ValueError, RecursionError):
        return None
    scale, seconds = data.get("scale"), data.get("seconds")
    if not _is_number(scale) or not _is_number(seconds) or scale <= 0:
        return None
    objective, bound = (
        data[key] / scale if _is_number(data.get(key)) else None for key in ("objective", "bound")
    )
    if objective is None and bound is None:
        return None
    return Step(float(seconds), str(data.get("stage", "")).removeprefix("solving: "), objective, bound)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e300
