"""Prices for small problems, and their best pack by enumeration: the model of docs/cost-in-the-solve.md.

Nothing is taken from the solver or its checker.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from hypothesis import strategies as st
from oracle import Model
from strategies import problems

from satchel.models import Problem, Stability

MILLION = 10**6


@dataclass(frozen=True)
class Best:
    """The canonical answer: value (scaled), cost in millionths of a micro-unit, tokens, shortfall."""

    selection: dict[str, int]
    value: int
    cost: int
    tokens: int
    shortfall: int


def cost_of(problem: Problem, model: Model, selection: dict[str, int]) -> int:
    """Return what all calls cost, call by call."""
    pricing = problem.pricing
    assert pricing is not None
    prefix, total = pricing.prefix_tokens, problem.envelope.fixed_overhead_tokens
    for name, rung in selection.items():
        tokens = model.form(name, rung).tokens
        total += tokens
        prefix += tokens if model.units[name].stability is Stability.STABLE else 0
    answer = pricing.answer_tokens * pricing.output_per_million
    plain = pricing.expected_calls * (total * pricing.input_per_million + answer)
    held = prefix - (pricing.cache_step - 1)  # a last step is counted as not full
    if not pricing.cacheable or prefix < pricing.cache_minimum or held < 0:
        return plain
    cached = 0
    for call in range(pricing.expected_calls):
        writes = call < pricing.cache_writes
        price = pricing.cache_write_per_million if writes else pricing.cached_input_per_million
        cached += held * price + (total - held) * pricing.input_per_million + answer
    return min(plain, cached)


def best_priced(problem: Problem) -> Best | None:
    """Return the best pack within the cost limit, or None."""
    model, pricing = Model(problem), problem.pricing
    assert pricing is not None
    if any(name in model.out for name in model.wanted):
        return None
    best: tuple[Any, Best] | None = None
    for selection in _selections(model, list(model.units)):
        if not model.allows(selection):
            continue
        cost = cost_of(problem, model, selection)
        if pricing.cost_limit is not None and cost > pricing.cost_limit * MILLION:
            continue
        value, tokens, lack = model.objective(selection), model.tokens(selection), model.shortfall(selection)
        aim: tuple[int, Fraction] = (0, Fraction(-value))
        if pricing.objective == "value-per-cost":
            aim = (0, Fraction(-value, cost)) if value > 0 else (1, Fraction(-value))
        rank = (lack, *aim, tokens)
        # Fuller forms and earlier units come first, so the first of equals is the canonical one.
        if best is None or rank < best[0]:
            best = rank, Best(dict(selection), value, cost, tokens, lack)
    return None if best is None else best[1]


def _selections(model: Model, names: list[str]) -> Iterator[dict[str, int]]:
    if not names:
        yield {}
        return
    name, *rest = names
    if name not in model.out:
        for form in model.forms[name]:
            for others in _selections(model, rest):
                yield {name: form.rung, **others}
    if name not in model.must:
        yield from _selections(model, rest)


@st.composite
def priced_problems(draw: st.DrawFn, *, objective: str, max_units: int = 6) -> Problem:
    """Draw a problem with prices: minimum, step, writes and limit such that each may bind."""
    data = draw(problems(max_units=max_units)).to_data()
    envelope = data["envelope"]
    if "fixedOverheadTokens" not in envelope or objective == "value-per-cost":
        envelope.pop("maxContextTokens", None)
        envelope["fixedOverheadTokens"] = draw(st.integers(int(objective == "value-per-cost"), 6))
    frame, room = envelope["fixedOverheadTokens"], envelope["availableInputTokens"]
    read = draw(st.integers(int(objective == "value-per-cost"), 4))
    pricing: dict[str, Any] = {
        "currency": "USD",
        "inputPerMillion": read + draw(st.integers(0, 8)),
        "cachedInputPerMillion": read,
        "cacheWritePerMillion": read + draw(st.integers(0, 12)),
        "expectedCalls": draw(st.integers(1, 6)),
        "prefixTokens": draw(st.integers(0, frame)),
        "cacheMinimum": draw(st.integers(0, room // 2 + 2)),
        "cacheStep": draw(st.sampled_from([1, 1, 2, 4])),
        "cacheable": draw(st.sampled_from([True, True, True, False])),
        "objective": objective,
    }
    pricing["cacheWrites"] = draw(st.integers(1, pricing["expectedCalls"]))
    if draw(st.booleans()):
        pricing |= {"outputPerMillion": draw(st.integers(0, 9)), "answerTokens": draw(st.integers(0, 3))}
    if objective == "value" or draw(st.integers(0, 2)) == 0:
        # Prices of a whole currency unit per token: limits are stated in millionths.
        scaled = ("inputPerMillion", "cachedInputPerMillion", "cacheWritePerMillion", "outputPerMillion")
        pricing |= {name: pricing[name] * MILLION for name in scaled if name in pricing}
        most = pricing["expectedCalls"] * (frame + room) * pricing["inputPerMillion"] // MILLION
        pricing["costLimit"] = draw(st.integers(0, most + 3))
    return Problem.from_data({**data, "pricing": pricing})
