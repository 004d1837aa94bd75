"""What the tests of the command line share: a process and what it left."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

SMALLEST: dict[str, Any] = {
    "schemaVersion": "packing-problem.v1",
    "envelope": {"availableInputTokens": 10},
    "units": [
        {"id": "a", "tokenEstimate": 10, "value": 11},
        {
            "id": "b",
            "tokenEstimate": 4,
            "value": 6,
            "renderings": [{"state": "summarized", "tokens": 1, "value": 2}],
        },
        {"id": "c", "tokenEstimate": 6, "value": 7, "dependencies": ["b"], "coverage": ["errors"]},
    ],
    "redundancyGroups": [{"id": "g", "members": ["a", "c"], "policy": "keep_at_most", "k": 1}],
    "coverage": [{"name": "errors", "weight": 3, "gains": [1]}],
}
"""The smallest problem of design §2: its optimum is 16."""


@dataclass(frozen=True)
class Done:
    """What a process left: exit code, and what it wrote to either stream."""

    code: int
    out: str
    err: str

    def json(self) -> Any:
        return json.loads(self.out)

    def error(self) -> dict[str, Any]:
        """The error object of ``--json``."""
        (line,) = self.err.splitlines()
        return dict(json.loads(line)["error"])


Satchel = Callable[..., Done]


def environment(extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """An environment in which nothing but ``extra`` decides how a terminal is written to."""
    meddling = (
        "NO_COLOR",
        "FORCE_COLOR",
        "COLUMNS",
        "TERM",
        "SATCHEL_DEBUG",
        "PYTHONUNBUFFERED",
        "PYTHONUTF8",
    )
    kept = {name: text for name, text in os.environ.items() if name not in meddling}
    return {**kept, "TERM": "xterm-256color", **(extra or {})}
