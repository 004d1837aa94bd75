"""Two packs compared: where their prompts part, what came and went and why, and what each costs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .beside import PackFiles, read_pack_files
from .causes import UnitChange, changes_between
from .costing import CostReport, cost_of_pack
from .models import UsageError
from .prompt import FirstDifference, PackDiff, PriceTable, diff_packs, first_difference, shared_units


@dataclass(frozen=True)
class DiffReport:
    """What differs between two packs, A and B.

    Attributes
    ----------
    units
        What came, went, changed its form or moved, in the order of the prompts.
    changes
        The same units, those that only moved left out, each with what has changed of it.
    same_prompt
        Whether the prompts are the same bytes; None where a pack was solved from a problem and has none.
    same_prefix
        Whether the stable prefixes are the same bytes: then a cache serves both. None as above.
    shared_tokens, prefix_tokens
        Tokens of A's whole units (and frame) in front of the first difference, of those in its prefix.
    difference
        The first byte that differs and the units that hold it; None where the prompts are the same bytes,
        or where a text is missing, which ``lacking`` then names.
    tokens, available, values
        Of each pack: tokens of its units, tokens that they may fill, and its value.
    costs
        What each pack costs, where prices were given.
    """

    units: PackDiff
    changes: tuple[UnitChange, ...]
    same_prompt: bool | None
    same_prefix: bool | None
    prefix_tokens: tuple[int, int] | None
    shared_tokens: int | None
    difference: FirstDifference | None
    lacking: tuple[str, ...]
    tokens: tuple[int, int]
    available: tuple[int, int]
    values: tuple[float, float]
    costs: tuple[CostReport, CostReport] | None = None

    @property
    def is_empty(self) -> bool:
        """Whether the packs show the same units and the same bytes."""
        return self.same_prompt is not False and self.units.is_empty

    def to_data(self) -> dict[str, Any]:
        """Return the report as JSON data; costs are micro-units of the currency."""
        found = self.difference
        return {
            "samePrompt": self.same_prompt,
            "samePrefix": self.same_prefix,
            "prefixTokens": None if self.prefix_tokens is None else list(self.prefix_tokens),
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
            "changes": [change.to_data() for change in self.changes],
            "tokens": list(self.tokens),
            "availableInputTokens": list(self.available),
            "values": list(self.values),
            "costs": None if self.costs is None else [_cost(report) for report in self.costs],
            "lacking": list(self.lacking),
        }


def diff(
    a: str | Path,
    b: str | Path,
    *,
    prices: PriceTable | None = None,
    model: str | None = None,
    calls: int = 1,
    min_cacheable: int | None = None,
) -> DiffReport:
    """Compare two packs by their artifacts, or by folders that hold them.

    The prompts are those beside the artifacts, where they are still what the artifacts say, or are rendered
    from the problems beside them. With both problems the causes of changes are looked for in texts, scores,
    needs, rules and limits, else in what the artifacts say.

    Parameters
    ----------
    prices
        Have what each pack costs compared as well, at the price of ``model`` (or of the model that the pack
        was counted for), sent ``calls`` times with the same prefix.
    min_cacheable
        The shortest prefix that is cached, instead of what is known of the model.

    Raises
    ------
    FileError, SchemaError
        An artifact cannot be read.
    UnknownReferenceError
        There is no price of the model, or nothing is known of its cache.
    UsageError
        Costs are asked for of a pack that has no prompt.
    """
    sides = read_pack_files(a), read_pack_files(b)
    one, two = _Side(sides[0]), _Side(sides[1])
    reports = [side.report for side in (one, two) if side.report is not None]
    both = len(reports) == 2
    lacking = tuple(str(s.path) for s in (one, two) if s.report is not None and s.rendered is None)
    difference, shared = None, None
    if one.rendered is not None and two.rendered is not None:
        left, right = one.rendered, two.rendered
        difference = first_difference(left.text, right.text, left.spans, right.spans)
        shared = one.tokens_of(shared_units(left, right)) if difference else reports[0].tokens
    contexts = sides[0].context, sides[1].context
    prefixes = [report.boundary for report in reports]
    return DiffReport(
        units=diff_packs(one.rungs, two.rungs),
        changes=changes_between(*sides),
        same_prompt=reports[0].digest == reports[1].digest if both else None,
        same_prefix=prefixes[0].prefix_digest == prefixes[1].prefix_digest if both else None,
        prefix_tokens=(prefixes[0].tokens, prefixes[1].tokens) if both else None,
        shared_tokens=shared,
        difference=difference,
        lacking=lacking,
        tokens=(contexts[0].budget.estimated_input_tokens, contexts[1].budget.estimated_input_tokens),
        available=(contexts[0].budget.available_input_tokens, contexts[1].budget.available_input_tokens),
        values=(one.value, two.value),
        costs=None
        if prices is None
        else (
            _cost_of(sides[0], prices, model, calls, min_cacheable),
            _cost_of(sides[1], prices, model, calls, min_cacheable),
        ),
    )


def _cost_of(
    files: PackFiles, prices: PriceTable, model: str | None, calls: int, minimum: int | None
) -> CostReport:
    if files.context.prompt is None:
        hint = "compare packs of 'satchel pack', or leave the prices out"
        raise UsageError("the artifact has no prompt", file=str(files.path), hint=hint)
    profile = files.context.model_profile
    named = model or (profile.model if profile else "") or None
    return cost_of_pack(files.context, prices.price(named), model=named, calls=calls, minimum=minimum)


def _cost(report: CostReport) -> dict[str, Any]:
    return {
        "model": report.model,
        "currency": report.cost.currency,
        "uncachedMicro": report.cost.uncached_micro,
        "cacheHitMicro": report.cost.cache_hit_micro,
        "cacheWriteMicro": report.cost.cache_write_micro,
        "calls": report.calls,
        "withoutCacheMicro": report.without_micro,
        "withCacheMicro": report.with_micro,
    }


class _Side:
    """One of the packs, with the prompt that its artifact describes where that can be had."""

    def __init__(self, files: PackFiles) -> None:
        context = files.context
        self.path = files.path
        self.report = context.prompt
        self.value = context.solver.objective / context.solver.scale
        rungs = {unit.id: unit.rung for unit in context.accepted_units}
        order = list(rungs) if self.report is None else self.report.order
        self.rungs = {name: rungs[name] for name in order}
        self.rendered = files.rendered

    def tokens_of(self, ids: tuple[str, ...]) -> int:
        """Return the tokens of leading units, and of the frame in front of them."""
        if self.report is None or not ids:
            return 0
        sizes = {entry.id: entry.tokens for entry in self.report.manifest}
        prefix = self.report.order[: self.report.boundary.index]
        frame = max(0, self.report.boundary.tokens - sum(sizes[name] for name in prefix))
        return frame + sum(sizes[name] for name in ids)
