"""Conversations of a file made shorter, counted exactly."""

from __future__ import annotations

from typing import Any

from .fitting import exact_fit
from .histories import History
from .prompt import Compaction, compact_history
from .sources.tokens import TokenEstimator

TURN_OVERHEAD = 4
"""Tokens that a provider puts around each message: the common figure for roles and separators."""


def compact(
    history: History,
    estimator: TokenEstimator,
    *,
    max_tokens: int,
    keep_recent: int = 4,
    summary: str | None = None,
    exact: bool = False,
    turn_overhead: int = TURN_OVERHEAD,
) -> Compaction:
    """Shorten ``history`` to ``max_tokens``.

    Parameters
    ----------
    summary
        The text that stands for the turns that are folded; ``folded_by`` says which these are.
    exact
        Keep those of the older turns that are worth most together, newer ones more, as far as
        there is room beside the summary.

    Raises as :func:`satchel.prompt.compact_history`.
    """

    def count(text: str) -> int:
        return estimator.count_batch([text])[0]

    reserve = count(summary) + turn_overhead if summary and exact else 0
    return compact_history(
        history.turns,
        max_tokens=max_tokens,
        keep_recent=keep_recent,
        summarise=None if summary is None else lambda _turns: summary,
        count_tokens=count,
        turn_overhead=turn_overhead,
        fit=exact_fit if exact else None,
        summary_reserve=reserve,
    )


def begins_with_an_answer(compacted: Compaction, history: History) -> bool:
    """Tell whether a conversation that the user began would now begin with somebody else."""
    before, after = (
        next((turn.role for turn in turns if not turn.pinned), "user")
        for turns in (history.turns, compacted.turns)
    )
    return before == "user" and after != "user"


def compaction_data(compacted: Compaction, history: History) -> dict[str, Any]:
    """Return a compaction as JSON data: its messages, and what became of every turn."""
    return {
        "messages": [history.summary(t.text) if t.raw is None else t.raw for t in compacted.turns],
        "tokens": compacted.tokens,
        "kept": list(compacted.kept),
        "summarised": compacted.summarised,
        "dropped": [
            {"index": drop.index, "reason": drop.reason, "tokens": drop.tokens} for drop in compacted.dropped
        ],
        "overflow": compacted.overflow,
        "uncountedParts": history.uncounted,
    }
