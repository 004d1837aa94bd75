"""What a doctor finds, and what it looks at."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from statistics import median
from typing import Any

from ..beside import PackFiles
from ..exits import clean_data, redacted
from ..models import AcceptedUnit, ContextUnit, Kind, PackedContext, Problem, RejectedUnit, Severity
from ..solver.verify.facts import Facts
from ..valuing import LeftOut, TokenPrices, explain_all, token_prices


@dataclass(frozen=True)
class Finding:
    """Something that may be wrong with a pack.

    ``command`` is what would mend it, or show what mending it would do; empty where there is no such command.
    """

    code: str
    severity: Severity
    title: str
    detail: str = ""
    command: str = ""
    data: Mapping[str, Any] = field(default_factory=dict)

    def to_data(self) -> dict[str, Any]:
        """Return the finding as JSON data."""
        return {
            "code": self.code,
            "severity": self.severity.value,
            "title": self.title,
            "detail": self.detail,
            "command": self.command,
            "data": clean_data(dict(self.data)),
        }


class Visit:
    """A pack as the checks see it; what several of them ask is worked out once.

    Parameters
    ----------
    named
        How the artifact is called in commands; None where it is the one that commands take by default.
    ask_solver
        Whether prices and bounds may be asked of the solver, which takes a relaxation.
    """

    def __init__(self, files: PackFiles, *, named: str | None, ask_solver: bool) -> None:
        self.files = files
        self.context: PackedContext = files.context
        self.problem: Problem | None = files.problem
        self.named = named
        self.ask_solver = ask_solver and files.problem is not None

    @cached_property
    def facts(self) -> Facts | None:
        """What the problem says of each unit, or None where it is not at hand or not counted."""
        try:
            return None if self.problem is None else Facts(self.problem)
        except ValueError:  # a form without a token count
            return None

    @cached_property
    def prices(self) -> TokenPrices | None:
        """What tokens are worth, or None where the solver is not asked."""
        if not self.ask_solver or self.problem is None:
            return None
        return token_prices(self.problem, self.context)

    @cached_property
    def left_out(self) -> list[LeftOut]:
        """The candidates that are not in the pack with what they would cost; empty without the solver."""
        if not self.ask_solver or self.problem is None:
            return []
        return explain_all(self.context, self.problem)

    @cached_property
    def lost(self) -> dict[str, float | None]:
        """The least value that the best pack would lose with a candidate in, by id."""
        return {entry.id: entry.lost for entry in self.left_out}

    @cached_property
    def usual_relevance(self) -> float:
        """The median relevance of what is in the pack, headings and maps left out."""
        found = [
            unit.relevance_score
            for unit, _ in self.accepted()
            if unit.kind not in (Kind.HEADING, Kind.REPO_SUMMARY)
        ]
        return median(found) if found else 0.0

    def accepted(self) -> Iterator[tuple[ContextUnit, AcceptedUnit]]:
        """Yield the units of the pack as the problem and as the artifact have them."""
        if self.problem is not None:
            for entry in self.context.accepted_units:
                yield self.problem.by_id[entry.id], entry

    def rejected(self) -> Iterator[tuple[ContextUnit, RejectedUnit]]:
        """Yield what the solver left out, as the problem and as the artifact have it."""
        if self.problem is not None:
            for entry in self.context.rejected_units:
                yield self.problem.by_id[entry.id], entry

    def pack_again(self, *options: str) -> str:
        """Return the command that packs this task again, with further ``options``.

        Where the artifact has no prompt, it was solved from a problem file: then there is no such command.
        """
        task, prompt, profile = self.context.task, self.context.prompt, self.context.model_profile
        if prompt is None:
            return ""
        words = ["satchel", "pack"]
        if task is not None:
            words += ["--task", task.kind]
            for option, text in (("--title", task.title), ("--about", task.about)):
                words += [option, text] if text else []
            for path in task.focus:
                words += ["--focus", path]
        if not {"--budget"} & set(options):
            words += ["--budget", str(prompt.limit)]
        if profile is not None and profile.model and not {"--model", "--encoding"} & set(options):
            words += ["--model", profile.model]
        return _command([*words, *options])

    def what_if(self, *changes: str) -> str:
        """Return the command that shows what ``changes`` of the problem would do."""
        words = ["satchel", "explain", *([] if self.named is None else [self.named])]
        for change in changes:
            words += ["--what-if", change]
        return _command(words)


def _command(words: list[str]) -> str:
    return shlex.join(redacted(word) for word in words)


def shortlist(names: list[str], most: int = 3) -> str:
    """Return the first of ``names`` in words, and how many more there are."""
    shown = [redacted(name) for name in names[:most]]
    more = len(names) - len(shown)
    return ", ".join(shown) + (f" and {more:,} more" if more > 0 else "")


def label(unit: ContextUnit) -> str:
    """Return how a unit is called in a sentence: its title, and where it is from."""
    where = unit.source_refs[0].path if unit.source_refs else ""
    name = unit.title or unit.id
    return f"{name} ({where})" if where and where not in name else name
