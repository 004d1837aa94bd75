"""The exact fitter of the face against brute force."""

from __future__ import annotations

from itertools import combinations

from hypothesis import given, settings
from hypothesis import strategies as st

from satchel import exact_fit
from satchel.models import Stability
from satchel.prompt import Budget, Choice, Segment, Turn, assemble, compact_history, greedy_fit

choices_of_all_kinds = st.lists(
    st.builds(
        Choice,
        id=st.text("abc", min_size=1, max_size=3),
        tokens=st.integers(0, 12),
        priority=st.integers(0, 2),
        value=st.integers(0, 9),
    ),
    max_size=7,
    unique_by=lambda choice: choice.id,
)


def worth(choices: list[Choice], kept: tuple[str, ...]) -> tuple[int, ...]:
    """Values by class, the highest class first: what is compared, in this order."""
    return tuple(sum(c.value for c in choices if c.id in kept and c.priority == p) for p in (2, 1, 0))


def best(choices: list[Choice], cap: int) -> tuple[int, ...]:
    names = [choice.id for choice in choices]
    sets = (c for k in range(len(names) + 1) for c in combinations(names, k))
    size = {choice.id: choice.tokens for choice in choices}
    return max(worth(choices, kept) for kept in sets if sum(size[name] for name in kept) <= cap)


@settings(max_examples=60, deadline=None)
@given(choices_of_all_kinds, st.integers(0, 40))
def test_no_choice_is_worth_more(choices: list[Choice], cap: int) -> None:
    kept = exact_fit(choices, cap)
    assert sum(choice.tokens for choice in choices if choice.id in kept) <= cap
    assert worth(choices, kept) == best(choices, cap)
    assert worth(choices, kept) >= worth(choices, greedy_fit(choices, cap))
    assert exact_fit(choices, cap) == kept


def test_a_class_of_equal_worth_leaves_the_next_one_all_the_room_it_can() -> None:
    choices = [Choice("big", 9, 1, 5), Choice("small", 4, 1, 5), Choice("low", 6, 0, 1)]
    assert set(exact_fit(choices, 10)) == {"small", "low"}


def test_prompts_and_histories_use_it() -> None:
    """A14 for both: one large against several that are worth more together."""
    segments = [
        Segment("rules", "x" * 40, Stability.STABLE, pinned=True),
        Segment("big", "y" * 160, relevance=0.9),
    ]
    segments += [Segment(f"s{i}", "z" * 76, relevance=0.8) for i in range(2)]
    exact, greedy = (assemble(segments, Budget(52), fit=fit) for fit in (exact_fit, greedy_fit))
    assert [entry.id for entry in exact.segments] == ["rules", "s0", "s1"]
    assert [entry.id for entry in greedy.segments] == ["rules", "big"]
    assert exact.tokens <= 52
    turns = [Turn("user", "x" * 4 * size, value=value) for size, value in ((20, 6), (10, 5), (10, 5), (5, 0))]
    kept = [
        compact_history(turns, max_tokens=26, keep_recent=1, fit=fit).kept for fit in (exact_fit, greedy_fit)
    ]
    assert kept == [(1, 2, 3), (0, 3)]
