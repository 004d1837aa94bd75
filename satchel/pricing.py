"""Prices as part of a packing problem: the user's table, the provider's cache, and the calls to come."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Final

from .costing import rule_for
from .counting import estimator_for_artifact
from .exits import redacted
from .models import BudgetEnvelope, Objective, Pricing, Problem, PromptReport, UsageError
from .prompt import CacheRule, Price, PriceTable, frame_texts
from .solver.priced.tariff import Tariff
from .sources.tokens import TokenEstimator

MICRO: Final = 10**6
LARGEST: Final = 10**18
"""Micro-units that a limit may be at most."""


@dataclass(frozen=True)
class PriceOptions:
    """What calls cost, and what that decides.

    Parameters
    ----------
    table
        The user's prices; None takes those that the problem states already.
    model
        Whose price and whose cache; what the pack is counted for when None.
    expected_calls, cache_writes
        How often the prompt will be sent, and how many of these calls find the cache cold. With None, as the
        problem states, or 1.
    long_lived
        Writes are for the provider's longer lifetime, at its price.
    minimum
        The shortest prefix that is cached, instead of what is known of the model.
    answer_tokens
        Output that each call is expected to hold: part of the cost.
    cost_limit
        Micro-units that all calls may cost.
    objective
        What is made as great as can be.
    """

    table: PriceTable | None = None
    model: str | None = None
    expected_calls: int | None = None
    cache_writes: int | None = None
    long_lived: bool = False
    minimum: int | None = None
    answer_tokens: int | None = None
    cost_limit: int | None = None
    objective: str | None = None

    def of(self, problem: Problem, lead: int | None = None) -> Problem:
        """Return ``problem`` with these prices; ``lead`` are the tokens of the frame that lead the prompt.

        Raises
        ------
        UsageError
            There are no prices, or an option does not go with another.
        SchemaError
            A number is out of its range, or the price says nothing of what is asked for.
        UnknownReferenceError
            The table has no price for the model, or nothing is known of its cache.
        """
        stated = problem.pricing
        if self.table is not None:
            data = self._rates(self.table, problem)
            data["prefixTokens"] = _lead(problem) if lead is None else lead
            if stated is not None and lead is None:
                data["prefixTokens"] = stated.prefix_tokens
        elif stated is None:
            raise UsageError(
                "prices are needed to weigh cost",
                code="no_prices",
                field="prices",
                hint="give your price table: prices change too often to come with Satchel",
            )
        else:
            data = stated.to_data()
            given: dict[str, object] = {
                "model": self.model,
                "long_lived": self.long_lived,
                "minimum": self.minimum,
            }
            if not stated.output_per_million:
                given["answer_tokens"] = self.answer_tokens or None
            for name, value in given.items():
                if value not in (None, False):
                    hint = "give the price table, too: the problem states prices that are worked out already"
                    raise UsageError("needs prices", field=name, value=value, hint=hint)
        kept = {} if stated is None else stated.to_data()
        for name, value in (
            ("expectedCalls", self.expected_calls),
            ("cacheWrites", self.cache_writes),
            ("answerTokens", self.answer_tokens),
            ("costLimit", self.cost_limit),
            ("objective", self.objective),
        ):
            if value is not None:
                data[name] = value
            elif name in kept:
                data[name] = kept[name]
        pricing = Pricing.from_data(data)
        self._check_automatic(problem, pricing)
        return problem.model_copy(update={"pricing": pricing})

    def _named(self, problem: Problem) -> str | None:
        return self.model or (problem.profile.model if problem.profile else "") or None

    def _rule(self, problem: Problem) -> CacheRule:
        return rule_for(self._named(problem) or "", self.minimum)

    def _rates(self, table: PriceTable, problem: Problem) -> dict[str, object]:
        price, rule = table.price(self._named(problem)), self._rule(problem)
        named = self._named(problem) is not None or self.minimum is not None
        calls = self.expected_calls or (problem.pricing.expected_calls if problem.pricing else 1)
        if not named and calls > 1:
            raise UsageError(
                "nothing says which prefixes are cached",
                code="unknown_cache_rule",
                field="model",
                hint="name the model with --model, or its shortest cached prefix with --min-cacheable",
            )
        rates: dict[str, object] = {
            "cacheable": named,
            "currency": table.currency,
            "inputPerMillion": price.input_per_million,
            "cachedInputPerMillion": price.cache_read,
            "cacheWritePerMillion": self._write(price, rule),
            # Where documents and practice differ, a prefix in between may be paid for in full.
            "cacheMinimum": rule.safe_minimum if self.minimum is None else self.minimum,
            "cacheStep": rule.step,
        }
        if self.answer_tokens or price.output_per_million is not None:
            rates["outputPerMillion"] = price.output()
        return rates

    def _write(self, price: Price, rule: CacheRule) -> int:
        if self.long_lived and rule.kind == "automatic":
            hint = "leave the option out: this provider keeps prefixes as long as it sees fit"
            raise UsageError("no lifetime can be asked for", field="long_lived", value=True, hint=hint)
        return price.write(long_lived=self.long_lived)

    def _check_automatic(self, problem: Problem, pricing: Pricing) -> None:
        """A provider that caches by itself charges for it, whether it pays or not; that is not modelled."""
        if self.table is None or self._rule(problem).kind != "automatic":
            return
        calls, writes = pricing.expected_calls, pricing.cache_writes
        kept = writes * pricing.cache_write_per_million + (calls - writes) * pricing.cached_input_per_million
        if kept > calls * pricing.input_per_million:
            raise UsageError(
                "the provider caches by itself, and its writes cost more than the reads save",
                code="cache_costs_more",
                field="prices",
                hint="leave cacheWritePerMillion out where writes are billed as input, or expect more calls",
            )


def parse_amount(text: str, *, option: str = "amount") -> int:
    """Return the micro-units of an amount of money such as ``0.25`` or ``1_000``.

    Raises
    ------
    UsageError
        It is no number of 0 or more, has more than six decimals, or is too large.
    """
    hint = "give an amount in the currency of the prices, such as 0.25, with six decimals at most"
    try:
        exact = Decimal(text.strip()) * MICRO
    except InvalidOperation:
        exact = Decimal("NaN")
    if not exact.is_finite() or exact < 0 or exact > LARGEST or exact != exact.to_integral_value():
        raise UsageError("is no amount of money", field=option, value=text, hint=hint)
    return int(exact)


def _lead(problem: Problem) -> int:
    """Return the tokens of the guide, which leads every prompt, where they are part of the overhead."""
    overhead = problem.envelope.fixed_overhead_tokens
    if problem.profile is None or problem.task is None or overhead == 0:
        return 0
    try:
        estimator = estimator_for_artifact(problem.profile)
    except UsageError:
        return 0  # it cannot be counted here: nothing of the frame is taken to be cached
    return min(overhead, lead_tokens(problem, estimator, "markdown"))


def lead_tokens(problem: Problem, estimator: TokenEstimator, fmt: str) -> int:
    """Return the tokens of what leads every prompt in ``fmt``, whatever its task."""
    (tokens,) = estimator.count_batch([frame_texts(problem.task, fmt, redacted).guide])
    return tokens


def dearer(problem: Problem, prompt: PromptReport) -> Problem | None:
    """Return ``problem`` held against a prompt that costs more than its units account for, or None.

    A tokenizer that is not additive may count more for the whole than for its parts, or less for the prefix,
    which is then too short to be cached.
    """
    if problem.pricing is None:
        return None
    tariff, pricing = Tariff.of(problem), problem.pricing
    units = sum(entry.tokens for entry in prompt.manifest)
    stable = sum(entry.tokens for entry in prompt.manifest[: prompt.boundary.index])
    whole = dataclasses.replace(tariff, frame=0, lead=0)
    rendered = whole.cost(prompt.boundary.tokens, prompt.tokens - prompt.boundary.tokens)
    if rendered <= tariff.cost(stable, units - stable):
        return None
    envelope = problem.envelope
    more = max(0, prompt.tokens - envelope.fixed_overhead_tokens - units)
    less = max(0, tariff.lead + stable - prompt.boundary.tokens)
    values = {name: getattr(envelope, name) for name in BudgetEnvelope.model_fields}
    values["fixed_overhead_tokens"] = envelope.fixed_overhead_tokens + more
    values["available_input_tokens"] = max(0, envelope.available - more)
    update = {"cache_minimum": pricing.cache_minimum + less, "prefix_tokens": max(0, tariff.lead - less)}
    return problem.model_copy(
        update={"envelope": BudgetEnvelope(**values), "pricing": pricing.model_copy(update=update)}
    )


__all__ = ["Objective", "PriceOptions", "dearer", "lead_tokens", "parse_amount"]
