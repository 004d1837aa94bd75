"""Two packs compared: where their prompts part, and what came and went."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .beside import PackFiles, read_pack_files
from .models import UsageError
from .prompt import (
    FirstDifference,
    PackDiff,
    diff_packs,
    first_difference,
    shared_units,
)


@dataclass(frozen=True)
class DiffReport:
    """What differs between two packs, A and B.

    Attributes
    ----------
    same_prefix
        Whether the stable prefixes are the same bytes: then a cache serves both.
    shared_tokens, prefix_tokens
        Tokens of A's whole units (and frame) in front of the first difference, of those in its prefix.
    difference
        The first byte that differs and the units that hold it; None where the prompts are the same bytes,
        or where a text is missing, which ``lacking`` then names.
    """

    units: PackDiff
    same_prompt: bool
    same_prefix: bool
    prefix_tokens: tuple[int, int]
    shared_tokens: int | None
    difference: FirstDifference | None
    lacking: tuple[str, ...]

    @property
    def is_empty(self) -> bool:
        """Whether the packs show the same units and the same bytes."""
        return self.same_prompt and self.units.is_empty

    def to_data(self) -> dict[str, Any]:
        """Return the report as JSON data."""
        found = self.difference
        return {
            "samePrompt": self.same_prompt,
            "samePrefix": self.same_prefix,
            "prefixTokens": list(self.prefix_tokens),
            "sharedTokens": self.shared_tokens,
            "firstDifference": None
            if found is None
            else {
                "byte": found.byte,
                "line": found.line,
                "column": found.column,
                "inA": found.in_a or None,
                "inB": found.in_b or None,
            },
            "entered": list(self.units.entered),
            "left": list(self.units.left),
            "changedRung": [
                dict(zip(("id", "a", "b"), change, strict=True)) for change in self.units.changed_rung
            ],
            "moved": list(self.units.moved),
            "lacking": list(self.lacking),
        }


def diff(a: str | Path, b: str | Path) -> DiffReport:
    """Compare two packs by their artifacts, or by folders that hold them.

    The prompts are those beside the artifacts, where they are still what the artifacts say, or are rendered
    from the problems beside them.

    Raises
    ------
    FileError, SchemaError
        An artifact cannot be read.
    UsageError
        A pack has no prompt.
    """
    one, two = _Side(read_pack_files(a)), _Side(read_pack_files(b))
    lacking = tuple(str(side.path) for side in (one, two) if side.rendered is None)
    difference, shared = None, None
    if one.rendered is not None and two.rendered is not None:
        left, right = one.rendered, two.rendered
        difference = first_difference(left.text, right.text, left.spans, right.spans)
        shared = one.tokens_of(shared_units(left, right)) if difference else one.report.tokens
    return DiffReport(
        units=diff_packs(one.rungs, two.rungs),
        same_prompt=one.report.digest == two.report.digest,
        same_prefix=one.report.boundary.prefix_digest == two.report.boundary.prefix_digest,
        prefix_tokens=(one.report.boundary.tokens, two.report.boundary.tokens),
        shared_tokens=shared,
        difference=difference,
        lacking=lacking,
    )


class _Side:
    """One of the packs, with the prompt that its artifact describes where that can be had."""

    def __init__(self, files: PackFiles) -> None:
        context = files.context
        if context.prompt is None:
            raise UsageError(
                "the artifact has no prompt", file=str(files.path), hint="compare packs of 'satchel pack'"
            )
        self.path = files.path
        self.report = context.prompt
        rungs = {unit.id: unit.rung for unit in context.accepted_units}
        self.rungs = {name: rungs[name] for name in self.report.order}
        self.rendered = files.rendered

    def tokens_of(self, ids: tuple[str, ...]) -> int:
        """Return the tokens of leading units, and of the frame in front of them."""
        sizes = {entry.id: entry.tokens for entry in self.report.manifest}
        prefix = self.report.order[: self.report.boundary.index]
        frame = max(0, self.report.boundary.tokens - sum(sizes[name] for name in prefix))
        return frame + sum(sizes[name] for name in ids) if ids else 0
