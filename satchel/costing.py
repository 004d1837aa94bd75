"""What a pack costs to send, with and without a prompt cache; and what recorded calls have cost."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from .counting import estimator_for_artifact
from .exits import clean_data, redacted
from .files import read_bytes
from .models import PackedContext, Problem, SchemaError, Stability, UnknownReferenceError, UsageError
from .models.reading import load_json
from .prefixes import order_of, plan_of, prompt_of
from .prompt import (
    FORMATS,
    Bill,
    CachePlan,
    CacheRule,
    Fill,
    Filler,
    Price,
    PriceTable,
    TokenUsage,
    TurnCost,
    bill,
    bill_each,
    cost_of_calls,
    estimate_turn_cost,
    fill_below_minimum,
    find_cache_rule,
    normalise_usage,
    render,
)

_DATED: Final = re.compile(r"[-@](\d{8}|\d{4}-\d{2}-\d{2}|\d{2}-\d{2}|\d{3,4}|latest)(-v\d+(:\d+)?)?$")
"""What a provider adds to the name of a model to name one version of it."""


@dataclass(frozen=True)
class CostReport:
    """What a pack costs.

    Attributes
    ----------
    rule
        What is known of the model's cache; None where nothing is, and ``minimum`` was given instead.
    plan
        Boundary, markers and warnings for this rule.
    cost
        One call: uncached, a hit, a write, what a hit saves, hits to break even.
    without_micro, with_micro
        ``calls`` calls without a cache, and with one write and hits.
    fill
        Where the prefix is below the minimum: the unit that would lift it, if that pays.
    formats
        Tokens of the whole prompt by format, and of these what is not the units' own text; empty where
        the problem or the tokenizer is not at hand.
    """

    model: str
    price: Price
    rule: CacheRule | None
    minimum: int
    plan: CachePlan
    cost: TurnCost
    calls: int
    without_micro: int
    with_micro: int
    fill: Fill | None
    formats: dict[str, tuple[int, int]]

    def to_data(self) -> dict[str, Any]:
        """Return the report as JSON data; all amounts are micro-units of the currency."""
        cost = self.cost
        return {
            "model": self.model,
            "currency": cost.currency,
            "cachedTokens": cost.cached_tokens,
            "freshTokens": cost.fresh_tokens,
            "uncachedMicro": cost.uncached_micro,
            "cacheHitMicro": cost.cache_hit_micro,
            "cacheWriteMicro": cost.cache_write_micro,
            "savedPerHitMicro": cost.saved_per_hit_micro,
            "breakEvenHits": cost.break_even_hits,
            "calls": self.calls,
            "withoutCacheMicro": self.without_micro,
            "withCacheMicro": self.with_micro,
            "cacheRule": None if self.rule is None else self.rule.to_data(),
            "minimum": self.minimum,
            # Ids repeat names of files, which may hold secrets: no exit without the redactor.
            "breakpoint": clean_data(self.plan.boundary.to_data()),
            "markers": [
                {"afterId": redacted(m.after_id), "tokens": m.tokens, "lifetime": m.lifetime}
                for m in self.plan.markers
            ],
            "warnings": [redacted(warning) for warning in self.plan.warnings],
            "fill": None
            if self.fill is None
            else {
                "id": redacted(self.fill.id),
                "prefixTokens": self.fill.prefix_tokens,
                "savedMicro": self.fill.saved_micro,
            },
            "formats": {
                name: {"tokens": tokens, "overhead": overhead}
                for name, (tokens, overhead) in self.formats.items()
            },
        }


def read_prices(path: str | Path) -> PriceTable:
    """Read a ``price-table.v1`` file, TOML or JSON.

    Raises
    ------
    FileError
        The file is missing or unreadable.
    SchemaError
        The content is at fault (``invalid_price`` for an amount).
    """
    return PriceTable.from_data(_data(Path(path)), file=str(path))


def read_usages(path: str | Path) -> tuple[TokenUsage, ...]:
    """Read usage records of providers: one record or response, a list of them, or one a line (JSONL).

    Raises
    ------
    FileError
        The file is missing or unreadable.
    SchemaError
        ``invalid_usage``: names the record at fault.
    """
    data, file = read_bytes(Path(path)), str(path)
    try:
        whole = load_json(data, file=file)
        records = whole if isinstance(whole, list) else [whole]
    except SchemaError:
        lines = [(i, line) for i, line in enumerate(data.splitlines(), 1) if line.strip()]
        if len(lines) < 2:
            raise
        records = [load_json(line, file=file, line=i) for i, line in lines]
    if not records:
        raise SchemaError(
            "holds no usage record",
            code="invalid_usage",
            file=file,
            hint="give the usage objects of a provider's responses",
        )
    return tuple(_usage(i, record, file) for i, record in enumerate(records))


def cost_of_usages(usages: Iterable[TokenUsage], price: Price | PriceTable) -> Bill:
    """Return what recorded calls have cost, each token billed once.

    With a price all are billed at it; with a table each at the price of the model that its record names.

    Raises
    ------
    UnknownReferenceError
        ``unknown_price``: names the first record whose model the table does not have, or that names none
        where the table has several.
    """
    if isinstance(price, Price):
        return bill(tuple(usages), price)
    listed = [(usage, _own_price(i, usage, price)) for i, usage in enumerate(usages)]
    return bill_each(listed, price.currency)


def _own_price(index: int, usage: TokenUsage, table: PriceTable) -> Price:
    try:
        return table.price(usage.model or None)
    except UnknownReferenceError as error:
        error.field = f"[{index}].model"
        error.hint = f"{error.hint}; state with --model whose price holds for all records"
        raise


def other_models(usages: Iterable[TokenUsage], model: str) -> tuple[str, ...]:
    """Return the model of each record that names another than ``model``; dated versions are the same."""
    return tuple(u.model for u in usages if u.model and _stem(u.model) != _stem(model))


def _stem(model: str) -> str:
    return _DATED.sub("", model.strip().lower().rpartition("/")[2])


def cost_of_pack(
    context: PackedContext,
    price: Price,
    *,
    model: str | None = None,
    problem: Problem | None = None,
    calls: int = 1,
    minimum: int | None = None,
    used: int = 0,
    long_lived: bool = False,
) -> CostReport:
    """Return what the prompt of ``context`` costs.

    Parameters
    ----------
    model
        Whose cache rules hold; the model that the pack was counted for when None.
    problem
        The problem that the pack answers: with it, a prefix below the minimum is looked at for a filler.
    calls
        How often the prompt is expected to be sent with the same prefix.
    minimum
        Instead of what is known of the model: the shortest prefix that is cached.
    used
        Cache markers that the request holds already.
    long_lived
        Keep the prefix for the provider's longer lifetime, at its price.

    Raises
    ------
    UsageError
        The pack has no prompt.
    """
    report = prompt_of(context)
    name = model or (context.model_profile.model if context.model_profile else "")
    rule = rule_for(name, minimum)
    plan = plan_of(context, rule, used=used)
    cached = plan.cached_tokens
    cost = estimate_turn_cost(cached, report.tokens - cached, price, long_lived=long_lived)
    without, cached_total = cost_of_calls(cost, price, calls, long_lived=long_lived)
    return CostReport(
        model=name,
        price=price,
        rule=rule if minimum is None and name else None,
        minimum=rule.minimum,
        plan=plan,
        cost=cost,
        calls=calls,
        without_micro=without,
        with_micro=cached_total,
        fill=None
        if problem is None or plan.boundary.index == 0
        else _filler(context, problem, rule, plan, price, calls, long_lived=long_lived),
        formats={} if problem is None else tokens_by_format(context, problem),
    )


def tokens_by_format(context: PackedContext, problem: Problem) -> dict[str, tuple[int, int]]:
    """Return the tokens of the prompt of ``context`` in each format, and how many are not the units' texts.

    Counted by the tokenizer that counted the artifact; nothing where that is not at hand (L20).
    """
    try:
        estimator = estimator_for_artifact(context.model_profile)
    except UsageError:
        return {}
    accepted = [(unit.id, unit.rung) for unit in context.accepted_units]
    texts = [redacted(problem.by_id[name].ladder()[rung].text or "") for name, rung in accepted]
    order = order_of(context)
    prompts = [render(problem, accepted, fmt, order, redacted).text for fmt in FORMATS]
    counts = estimator.count_batch([*prompts, *texts])
    own = sum(counts[len(prompts) :])
    return {fmt: (tokens, max(0, tokens - own)) for fmt, tokens in zip(FORMATS, counts, strict=False)}


def rule_for(model: str, minimum: int | None) -> CacheRule:
    """Return what is known of the cache of ``model``; with ``minimum``, or without a model, what is given."""
    if minimum is None and model:
        try:
            return find_cache_rule(model)
        except UnknownReferenceError as error:
            error.hint = f"state the shortest prefix that is cached with --min-cacheable; {error.hint}"
            raise
    return CacheRule.from_data(
        {
            "provider": "this provider",
            "match": ["*"],
            "kind": "explicit",
            "minimum": minimum or 0,
            "step": 1,
            "breakpoints": 4,
            "asOf": "1970-01-01",
            "source": "given",
        }
    )


def _filler(
    context: PackedContext,
    problem: Problem,
    rule: CacheRule,
    plan: CachePlan,
    price: Price,
    calls: int,
    *,
    long_lived: bool,
) -> Fill | None:
    prompt = prompt_of(context)
    out = {unit.id for unit in context.rejected_units}
    fillers = [
        Filler(unit.id, unit.token_estimate or 0, round(1000 * (unit.value or unit.relevance_score)))
        for unit in problem.units
        if unit.id in out and unit.stability is Stability.STABLE and unit.text is not None
    ]
    return fill_below_minimum(
        plan.boundary.tokens,
        rule.safe_minimum,
        prompt.limit - prompt.tokens,
        fillers,
        price,
        calls,
        long_lived=long_lived,
    )


def _usage(index: int, record: object, file: str) -> TokenUsage:
    if not isinstance(record, dict):
        raise SchemaError(
            "is no usage record",
            code="invalid_usage",
            file=file,
            field=f"[{index}]",
            value=record,
            hint="give the usage objects of a provider's responses",
        )
    try:
        return normalise_usage(record)
    except SchemaError as error:
        error.file, error.field = file, f"[{index}].{error.field}"
        raise


def _data(path: Path) -> Any:
    data = read_bytes(path)
    if path.suffix.lower() == ".json":
        return load_json(data, file=str(path))
    try:
        return tomllib.loads(data.removeprefix(b"\xef\xbb\xbf").decode("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SchemaError(
            f"is not TOML: {error}", file=str(path), code="schema", hint="call a JSON file .json"
        ) from None
