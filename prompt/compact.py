"""Shortening a conversation: the latest turns verbatim, the older ones folded into one summary (seed 003).

What is given up when it does not fit, in this order: older turns (folded into the summary, where there is
one), the summary, then recent turns from the oldest on. The last turn stays, and ``overflow`` says so when
it alone is too large: half a tool result is worse than an honest flag. A call of a tool and its result stay
or go together, with all that stands between them.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from ..models import SchemaError
from .counting import Count, counted, estimate_tokens
from .knapsack import Choice, Fit, checked_fit

DropReason = Literal["summarised", "over_budget"]


@dataclass(frozen=True, slots=True)
class Turn:
    """One message of a conversation.

    Attributes
    ----------
    text
        What is counted: all that the model reads of this turn.
    calls, results
        Ids of the tool calls that it makes, and of those that it answers.
    pinned
        Never dropped nor folded, such as a system message.
    value
        What keeping it is worth, for the exact mode; None means by its age, the newer the more.
    raw
        The message as it came, untouched.
    """

    role: str
    text: str
    calls: tuple[str, ...] = ()
    results: tuple[str, ...] = ()
    pinned: bool = False
    value: int | None = None
    raw: Any = field(default=None, compare=False)


Block = tuple[int, ...]
"""Indices of turns that stay or go together."""

Summarise = Callable[[tuple[Turn, ...]], str]
"""Returns a summary of the turns; empty where there is nothing to say."""


@dataclass(frozen=True, slots=True)
class DroppedTurn:
    """A turn that is not there verbatim: its 0-based index, why, and its tokens."""

    index: int
    reason: DropReason
    tokens: int


@dataclass(frozen=True, slots=True)
class Compaction:
    """A shortened conversation.

    Attributes
    ----------
    turns
        What is left, in order; the summary stands where the first folded turn stood.
    kept
        The indices of the turns that are left verbatim.
    tokens
        Of all turns that are left.
    summarised
        How many turns the summary stands for.
    dropped
        Every turn that is not in ``kept``.
    overflow
        What may not be dropped takes more than the cap.
    """

    turns: tuple[Turn, ...]
    kept: tuple[int, ...]
    tokens: int
    summarised: int
    dropped: tuple[DroppedTurn, ...]
    overflow: bool


def compact_history(
    history: Sequence[Turn],
    *,
    max_tokens: int,
    keep_recent: int = 4,
    summarise: Summarise | None = None,
    count_tokens: Count = estimate_tokens,
    summary_role: str = "user",
    turn_overhead: int = 0,
    fit: Fit | None = None,
    summary_reserve: int = 0,
) -> Compaction:
    """Shorten ``history`` to ``max_tokens``; a history that fits is returned as it is.

    Parameters
    ----------
    keep_recent
        Turns at the end that are kept verbatim; more where the first of them answers a tool call.
    summarise
        Called at most once, with exactly the turns that are folded, in order; not where the history fits,
        nor where the turns that are kept leave no room for a summary.
    turn_overhead
        Tokens that a provider adds to each message.
    fit
        The exact mode: chooses which older turns stay by their value, in what ``summary_reserve`` leaves
        free. Without it all older turns are folded.

    Raises
    ------
    SchemaError
        ``invalid_history``: a turn that is none, a result before its call, a summary that is no text;
        ``invalid_budget``; ``invalid_token_count``.
    """
    for name, number in (
        ("max_tokens", max_tokens),
        ("keep_recent", keep_recent),
        ("turn_overhead", turn_overhead),
        ("summary_reserve", summary_reserve),
    ):
        _check_number(name, number)
    turns = _checked(history)
    sizes = [turn_overhead + counted(count_tokens, t.text, f"history[{i}]") for i, t in enumerate(turns)]
    if sum(sizes) <= max_tokens:
        return Compaction(turns, tuple(range(len(turns))), sum(sizes), 0, (), overflow=False)
    held, older, recent = _sorted_out(turns, keep_recent)
    room = max_tokens - sum(sizes[i] for block in (*held, *recent) for i in block)
    chosen = _chosen(older, turns, sizes, room - summary_reserve, fit) if fit and room > 0 else frozenset()
    room -= sum(sizes[i] for block in chosen for i in block)
    folded = [i for block in older if block not in chosen for i in block]
    summary = _summary(summarise, [turns[i] for i in folded], summary_role) if room > turn_overhead else None
    spent = 0
    if summary is not None:
        spent = turn_overhead + counted(count_tokens, summary.text, "summary")
        if spent > room:
            summary, spent = None, 0
    gone, room = _given_up(recent, sizes, room)
    kept = sorted(i for block in (*held, *chosen, *recent) for i in block)
    reason: DropReason = "over_budget" if summary is None else "summarised"
    dropped = [DroppedTurn(i, reason, sizes[i]) for i in folded]
    dropped += [DroppedTurn(i, "over_budget", sizes[i]) for i in gone]
    left = [turns[i] for i in kept]
    if summary is not None:
        left.insert(bisect_left(kept, folded[0]), summary)
    return Compaction(
        turns=tuple(left),
        kept=tuple(kept),
        tokens=sum(sizes[i] for i in kept) + spent,
        summarised=0 if summary is None else len(folded),
        dropped=tuple(sorted(dropped, key=lambda entry: entry.index)),
        overflow=room < 0,
    )


def _check_number(name: str, number: object) -> None:
    if not isinstance(number, int) or isinstance(number, bool) or number < 0:
        raise SchemaError(
            "is not a number of this kind",
            code="invalid_budget",
            field=name,
            value=number,
            hint="accepted: whole numbers, 0 or more",
        )


def _checked(history: Sequence[Turn]) -> tuple[Turn, ...]:
    called: set[str] = set()
    for i, turn in enumerate(history):
        if not isinstance(turn, Turn) or not isinstance(turn.text, str) or not turn.role:
            raise _invalid(i, "is no turn", "give Turn(role, text)")
        if strangers := sorted(set(turn.results) - called):
            raise _invalid(
                i, f"answers the tool call {strangers[0]!r}, which no turn before it makes", "keep both"
            )
        called |= set(turn.calls)
    return tuple(history)


def _invalid(index: int, message: str, hint: str) -> SchemaError:
    return SchemaError(message, code="invalid_history", field=f"history[{index}]", hint=hint)


def _blocks(turns: Sequence[Turn]) -> list[Block]:
    """Return the turns in runs that stay or go together: from each call to its last result."""
    last = {name: i for i, turn in enumerate(turns) for name in turn.results}
    blocks: list[Block] = []
    start, end = 0, 0
    for i, turn in enumerate(turns):
        if i > end:
            blocks.append(tuple(range(start, i)))
            start = i
        end = max(end, i, *(last.get(name, i) for name in turn.calls))
    if turns:
        blocks.append(tuple(range(start, len(turns))))
    return blocks


def _sorted_out(turns: Sequence[Turn], keep_recent: int) -> tuple[list[Block], list[Block], list[Block]]:
    """Return the blocks with pinned turns, the older ones, and the recent ones: the last is always recent."""
    blocks = _blocks(turns)
    held: list[Block] = []
    free: list[Block] = []
    for block in blocks:
        (held if any(turns[i].pinned for i in block) else free).append(block)
    first = len(turns) - keep_recent
    recent = [block for block in free if block[-1] >= first] or free[-1:]
    return held, free[: len(free) - len(recent)], recent


def _given_up(recent: list[Block], sizes: Sequence[int], room: int) -> tuple[list[int], int]:
    """Take recent blocks away from the oldest on until they fit; return their turns and the room then."""
    gone: list[int] = []
    while room < 0 and len(recent) > 1:
        oldest = recent.pop(0)
        gone += oldest
        room += sum(sizes[i] for i in oldest)
    return gone, room


def _chosen(
    older: list[Block], turns: Sequence[Turn], sizes: Sequence[int], room: int, fit: Fit
) -> frozenset[Block]:
    """Return the older blocks that stay by their value; of age alone, a newer turn is worth more."""
    values = [turn.value if turn.value is not None else i + 1 for i, turn in enumerate(turns)]
    choices = [
        Choice(str(k), sum(sizes[i] for i in block), 0, sum(values[i] for i in block))
        for k, block in enumerate(older)
    ]
    ranked = sorted(choices, key=lambda choice: (-choice.value, -int(choice.id)))
    kept = checked_fit(fit, ranked, max(0, room))
    return frozenset(block for k, block in enumerate(older) if str(k) in kept)


def _summary(summarise: Summarise | None, folded: Sequence[Turn], role: str) -> Turn | None:
    if summarise is None or not folded:
        return None
    text = summarise(tuple(folded))
    if not isinstance(text, str):
        raise SchemaError(
            "the summariser returned no text",
            code="invalid_history",
            field="summarise",
            value=text,
            hint="it must return a text; an empty one means no summary",
        )
    return Turn(role, text) if text.strip() else None
