"""Packs with something to mend."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from satchel import Finding, Problem, doctor, read_pack_files, solve
from satchel.files import ARTIFACT, PROBLEM

Examine = Callable[..., dict[str, Finding]]


@pytest.fixture
def examine(tmp_path: Path) -> Examine:
    """Solve a problem and return what the doctor finds in its pack, by code."""

    def examined(
        units: list[dict[str, Any]], available: int = 1_000, *, ask_solver: bool = True, **more: Any
    ) -> dict[str, Finding]:
        envelope = {"availableInputTokens": available, **more.pop("envelope", {})}
        data = {"schemaVersion": "packing-problem.v1", "envelope": envelope, "units": units, **more}
        problem = Problem.from_data(data)
        (tmp_path / ARTIFACT).write_text(solve(problem).to_json(), encoding="utf-8")
        (tmp_path / PROBLEM).write_text(problem.to_json(), encoding="utf-8")
        found = doctor(read_pack_files(tmp_path), ask_solver=ask_solver)
        return {finding.code: finding for finding in found}

    return examined
