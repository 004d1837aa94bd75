"""What an importer hands back."""

from __future__ import annotations

from dataclasses import dataclass

from ..models import Problem


@dataclass(frozen=True)
class Imported:
    """An instance: its name, the problem, and the optimum if the file states one."""

    name: str
    problem: Problem
    optimum: float | None = None
