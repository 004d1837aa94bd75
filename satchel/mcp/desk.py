"""What the tools do: packs of one repository, kept while the server runs, and questions about them."""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any, Final

from ..changing import what_if
from ..explaining import Question, explain
from ..models import FileError, Task, UsageError
from ..packing import PackOptions, PackResult, pack
from ..solver.options import SolveOptions
from ..sources.tokens import parse_tokens
from ..summary import summarise
from ..tracing import frontier

KEPT: Final = 8
"""Packs that are kept; the oldest goes first."""

MOST_TOLD: Final = 50
"""Candidates that one answer explains."""

WORK: Final = 10.0
"""CP-SAT work units of each solve: an answer is the same on every machine, and does not take minutes."""

MOST_POINTS: Final = 24


@dataclass
class Desk:
    """Answers about the repository at ``root``, and about nothing outside it.

    Raises
    ------
    FileError
        ``root`` is no folder.
    """

    root: Path
    _packs: OrderedDict[str, PackResult] = field(default_factory=OrderedDict)

    def __post_init__(self) -> None:
        if not self.root.is_dir():
            raise FileError("is no folder", file=str(self.root), hint="start in a repository, or name one")
        self.root = Path(os.path.realpath(self.root))

    def pack(
        self,
        *,
        kind: str = "overview",
        about: str = "",
        title: str = "",
        focus: Sequence[str] = (),
        outline: Sequence[str] = (),
        budget: str | int = "8k",
        model: str | None = None,
        encoding: str | None = None,
        fmt: str = "markdown",
    ) -> dict[str, Any]:
        """Pack the repository and keep the pack under its id; raises as :func:`satchel.pack`."""
        task = Task(
            kind=kind,
            about=about,
            title=title,
            outline=tuple(outline),
            focus=tuple(self.inside(path) for path in focus),
        )
        options = PackOptions(
            budget=parse_tokens(budget, option="budget"),
            model=model,
            encoding=encoding,
            format=fmt,
            solve=SolveOptions(deterministic_limit=WORK),
        )
        result = pack(self.root, task, options)
        name = result.context.digest.removeprefix("sha256:")[:12]
        self._packs[name] = result
        self._packs.move_to_end(name)
        while len(self._packs) > KEPT:
            self._packs.popitem(last=False)
        context = result.context
        told = summarise(context)
        return {
            "pack": name,
            "prompt": result.prompt,
            "tokens": told.prompt_tokens,
            "limit": told.prompt_limit,
            "status": context.solver.status.value,
            "objective": context.solver.objective,
            "bound": context.solver.bound,
            "scale": context.solver.scale,
            "counts": context.counts.to_data(),
            "included": [
                {"id": unit.id, "form": unit.compression_state.value, "tokens": unit.token_estimate}
                for unit in context.accepted_units
            ],
            "warnings": [d.message for d in context.diagnostics if d.severity.value != "info"],
        }

    def explain(
        self, candidate: str, *, pack: str | None = None, question: Question = "fate"
    ) -> dict[str, Any]:
        """Say why candidates are in a pack or not; raises as :func:`satchel.explain`."""
        name, kept = self._kept(pack)
        found = explain(
            kept.context,
            candidate,
            kept.problem,
            question=question,
            options=SolveOptions(deterministic_limit=WORK),
        )
        return {
            "pack": name,
            "explanations": [each.to_data() for each in found[:MOST_TOLD]],
            "notTold": max(0, len(found) - MOST_TOLD),
        }

    def what_if(self, changes: Sequence[str], *, pack: str | None = None) -> dict[str, Any]:
        """Say what the best pack would be otherwise; raises as :func:`satchel.what_if`."""
        name, kept = self._kept(pack)
        options = SolveOptions(deterministic_limit=WORK)
        found = what_if(kept.problem, changes, context=kept.context, options=options)
        return {"pack": name, **found.to_data()}

    def frontier(
        self,
        *,
        pack: str | None = None,
        least: str | int | None = None,
        most: str | int | None = None,
        points: int = 8,
    ) -> dict[str, Any]:
        """Trace value against budget; raises as :func:`satchel.frontier`."""
        if not 2 <= points <= MOST_POINTS:
            hint = f"accepted: 2 to {MOST_POINTS}"
            raise UsageError("is out of range", field="points", value=points, hint=hint)
        name, kept = self._kept(pack)
        found = frontier(
            kept.problem,
            context=kept.context,
            options=SolveOptions(deterministic_limit=WORK),
            least=None if least is None else parse_tokens(least, option="least"),
            most=None if most is None else parse_tokens(most, option="most"),
            points=points,
        )
        return {"pack": name, **found.to_data()}

    def inside(self, path: str) -> str:
        """Return ``path``, a place below the root, as a scan spells it.

        Raises
        ------
        UsageError
            It is absolute, climbs, or leads out by a link.
        """
        hint = "give a path relative to the repository, such as src/app.py"
        pure = PurePosixPath(path)
        windows = PureWindowsPath(path)
        climbs = ".." in pure.parts or ".." in windows.parts
        if not path or "\0" in path or pure.is_absolute() or windows.drive or windows.root or climbs:
            raise UsageError(
                "leads out of the repository", code="outside_root", field="focus", value=path, hint=hint
            )
        place = Path(os.path.realpath(self.root / pure))
        if not place.is_relative_to(self.root):
            raise UsageError(
                "leads out of the repository by a link",
                code="outside_root",
                field="focus",
                value=path,
                hint=hint,
            )
        return str(pure)

    def _kept(self, pack: str | None) -> tuple[str, PackResult]:
        if pack is None and self._packs:
            return next(reversed(self._packs.items()))
        if pack is None or pack not in self._packs:
            known = ", ".join(self._packs) or "none yet: call pack first"
            raise UsageError(
                "no such pack is kept", code="unknown_pack", field="pack", value=pack, hint=f"kept: {known}"
            )
        return pack, self._packs[pack]
