"""Histories made shorter: the seed's promises, tool calls with their results, and the exact mode."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from satchel.models import SchemaError
from satchel.prompt import Choice, Turn, compact_history, greedy_fit


def turn(i: int, tokens: int = 50, **fields: Any) -> Turn:
    return Turn(fields.pop("role", "user"), f"{i}".ljust(tokens * 4, "."), **fields)


class Summariser:
    """Remembers what it was given."""

    def __init__(self, tokens: int = 29) -> None:
        self.given: list[tuple[Turn, ...]] = []
        self.text = "s" * (tokens * 4)

    def __call__(self, turns: tuple[Turn, ...]) -> str:
        self.given.append(turns)
        return self.text


def best_by_brute_force(choices: Sequence[Choice], cap: int) -> tuple[str, ...]:
    """The most valuable subset; few choices only."""
    sets = (c for k in range(len(choices) + 1) for c in combinations(choices, k))
    fitting = [c for c in sets if sum(x.tokens for x in c) <= cap]
    best = max(fitting, key=lambda c: (sum(x.value for x in c), -sum(x.tokens for x in c)))
    return tuple(choice.id for choice in best)


def test_the_example_of_the_seed() -> None:
    """Twelve turns of 50, four kept, eight folded into a summary of 29: 229 tokens of 400."""
    history = [turn(i) for i in range(12)]
    summarise = Summariser()
    short = compact_history(history, max_tokens=400, keep_recent=4, summarise=summarise)
    assert short.turns == (Turn("user", summarise.text), *history[-4:])
    assert (short.tokens, short.summarised, short.overflow) == (229, 8, False)
    assert [(d.index, d.reason, d.tokens) for d in short.dropped] == [(i, "summarised", 50) for i in range(8)]
    assert summarise.given == [tuple(history[:8])]
    assert short.kept == (8, 9, 10, 11)


def test_what_fits_is_left_alone_and_nobody_is_asked() -> None:
    history = [turn(i) for i in range(8)]
    summarise = Summariser()
    short = compact_history(history, max_tokens=400, summarise=summarise)
    assert (short.turns, short.tokens, short.dropped) == (tuple(history), 400, ())
    assert summarise.given == []


def test_the_summary_is_given_up_before_recent_turns() -> None:
    history = [turn(i) for i in range(12)]
    summarise = Summariser(101)
    short = compact_history(history, max_tokens=300, summarise=summarise)
    assert short.turns == tuple(history[-4:])
    assert (short.tokens, short.summarised) == (200, 0)
    assert {d.reason for d in short.dropped} == {"over_budget"}
    assert len(summarise.given) == 1


def test_recent_turns_go_from_the_oldest_on_and_no_summary_is_asked_for_in_vain() -> None:
    history = [turn(i) for i in range(12)]
    summarise = Summariser(1)
    short = compact_history(history, max_tokens=120, summarise=summarise)
    assert short.turns == tuple(history[-2:])
    assert [d.index for d in short.dropped] == list(range(10))
    assert summarise.given == [], "recent turns alone leave no room"


def test_the_last_turn_stays_with_an_honest_flag() -> None:
    """No text is ever cut: half a tool result is worse."""
    history = [turn(0), turn(1, 500)]
    for keep in (0, 1, 4):
        short = compact_history(history, max_tokens=100, keep_recent=keep)
        assert short.turns == (history[1],)
        assert (short.tokens, short.overflow) == (500, True)
    assert compact_history([turn(0, 500)], max_tokens=1).overflow
    assert compact_history([], max_tokens=0).turns == ()


def test_calls_and_results_stay_or_go_together() -> None:
    """A33: two parallel calls, their results, and what stands between them are one."""
    history = [
        turn(0),
        turn(1),
        turn(2, role="assistant", calls=("a", "b")),
        turn(3, role="tool", results=("a",)),
        turn(4, role="tool", results=("b",)),
        turn(5),
        turn(6),
    ]
    short = compact_history(history, max_tokens=300, keep_recent=3)
    assert short.kept == (2, 3, 4, 5, 6), "the third turn from the end answers a call"
    short = compact_history(history, max_tokens=249, keep_recent=3)
    assert short.kept == (5, 6), "room for two of the three is no room"
    summarise = Summariser(1)
    short = compact_history(history, max_tokens=120, keep_recent=2, summarise=summarise)
    assert summarise.given == [tuple(history[:5])]
    assert short.kept == (5, 6)


def test_pinned_turns_always_stay() -> None:
    """A26: the system message is neither dropped nor folded; the summary follows it."""
    system = Turn("system", "rules " * 10, pinned=True)
    history = [system, *(turn(i) for i in range(9))]
    summarise = Summariser(10)
    short = compact_history(history, max_tokens=250, keep_recent=3, summarise=summarise)
    assert short.turns[0] is system
    assert short.turns[1].text == summarise.text
    assert short.kept == (0, 7, 8, 9)
    only = compact_history([system, system], max_tokens=5)
    assert (only.kept, only.overflow) == ((0, 1), True)


def test_the_exact_mode_keeps_the_older_turns_that_are_worth_most() -> None:
    """Greedy by value takes one of 100 tokens; two of 50 are worth more."""
    history = [
        turn(0, 100, value=10),
        turn(1, 50, value=8),
        turn(2, 50, value=8),
        turn(3, 90, value=1),
        turn(4),
    ]
    options: dict[str, Any] = {"max_tokens": 160, "keep_recent": 1}
    exact = compact_history(history, fit=best_by_brute_force, **options)
    greedy = compact_history(history, fit=greedy_fit, **options)
    assert (exact.kept, greedy.kept) == ((1, 2, 4), (0, 4))
    summarise = Summariser(9)
    short = compact_history(
        history, fit=best_by_brute_force, summarise=summarise, summary_reserve=10, **options
    )
    assert short.kept == (1, 2, 4)
    assert short.turns[0].text == summarise.text
    assert [given.text[0] for given in summarise.given[0]] == ["0", "3"]
    by_age = compact_history([turn(i) for i in range(6)], max_tokens=150, keep_recent=1, fit=greedy_fit)
    assert by_age.kept == (3, 4, 5)


def test_bad_histories_raise() -> None:
    for history in ([turn(0, results=("x",))], ["a"], [Turn("", "x")], [Turn("user", None)]):  # type: ignore[arg-type]
        with pytest.raises(SchemaError) as caught:
            compact_history(history, max_tokens=10)  # type: ignore[arg-type]
        assert caught.value.code == "invalid_history"
    for options in ({"max_tokens": -1}, {"max_tokens": 1.5}, {"max_tokens": 1, "keep_recent": -1}):
        with pytest.raises(SchemaError) as caught:
            compact_history([turn(0)], **options)  # type: ignore[arg-type]
        assert caught.value.code == "invalid_budget"
    with pytest.raises(SchemaError) as caught:
        compact_history([turn(0)], max_tokens=1, count_tokens=lambda _: -1)
    assert caught.value.code == "invalid_token_count"
    with pytest.raises(SchemaError, match="summariser"):
        compact_history([turn(i) for i in range(9)], max_tokens=300, summarise=lambda _: None)  # type: ignore[arg-type, return-value]


@st.composite
def histories(draw: st.DrawFn) -> list[Turn]:
    """Turns with calls that are answered later, some never, and some pinned."""
    turns: list[Turn] = []
    waiting: list[str] = []
    for i in range(draw(st.integers(0, 9))):
        calls = tuple(f"c{i}.{k}" for k in range(draw(st.integers(0, 2))))
        answers = tuple(sorted({draw(st.sampled_from(waiting))})) if waiting and draw(st.booleans()) else ()
        waiting = [name for name in [*waiting, *calls] if name not in answers]
        turns.append(
            Turn(
                "user",
                "x" * draw(st.integers(0, 80)),
                calls=calls,
                results=answers,
                pinned=draw(st.integers(0, 9)) == 0,
                value=draw(st.none() | st.integers(0, 20)),
            )
        )
    return turns


@settings(max_examples=300, deadline=None)
@given(
    histories(),
    st.integers(0, 120),
    st.integers(0, 5),
    st.sampled_from([None, greedy_fit, best_by_brute_force]),
    st.integers(0, 30),
    st.integers(0, 4),
)
def test_what_always_holds(
    history: list[Turn], cap: int, keep: int, fit: Any, summary: int, overhead: int
) -> None:
    """Within the cap or flagged; each turn kept or told; pairs unbroken; the folded are summarised."""
    summarise = Summariser(summary)
    options: dict[str, Any] = {"max_tokens": cap, "keep_recent": keep, "fit": fit, "turn_overhead": overhead}
    short = compact_history(history, summarise=summarise, **options)
    assert short.tokens <= cap or short.overflow
    assert sorted([*short.kept, *(d.index for d in short.dropped)]) == list(range(len(history)))
    assert [t for t in short.turns if any(t is h for h in history)] == [history[i] for i in short.kept]
    assert all(i in short.kept for i, t in enumerate(history) if t.pinned)
    if history:
        assert len(history) - 1 in short.kept
    calls = {name: i for i, t in enumerate(history) for name in t.calls}
    for i, t in enumerate(history):
        for name in t.results:
            assert (i in short.kept) == (calls[name] in short.kept)
    assert len(summarise.given) <= 1
    folded = [d.index for d in short.dropped if d.reason == "summarised"]
    assert short.summarised == len(folded)
    if folded:
        assert summarise.given == [tuple(history[i] for i in folded)]
        assert len(short.turns) == len(short.kept) + 1
    else:
        assert len(short.turns) == len(short.kept)
    sizes = [overhead + -(-len(t.text) // 4) for t in short.turns]
    assert short.tokens == sum(sizes)
    assert compact_history(history, summarise=Summariser(summary), **options) == short
