"""The rows of a run as a table: means, and how far they may be off, by repository."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

_DRAWS: Final = 2_000
_SEED: Final = 1


def interval(values: Sequence[float], groups: Sequence[str]) -> tuple[float, float]:
    """Return the 95 % interval of the mean of ``values`` when whole groups are drawn again."""
    names = sorted(set(groups))
    number = {name: n for n, name in enumerate(names)}
    at = np.array([number[group] for group in groups], dtype=np.int64)
    sums = np.bincount(at, weights=np.asarray(values, dtype=np.float64), minlength=len(names))
    counts = np.bincount(at, minlength=len(names))
    drawn = np.random.default_rng(_SEED).integers(0, len(names), (_DRAWS, len(names)))
    means = sums[drawn].sum(axis=1) / counts[drawn].sum(axis=1)
    low, high = np.quantile(means, [0.025, 0.975])
    return float(low), float(high)


def table(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return a Markdown table: one line for each variant, three figures for each budget.

    The interval is of *half*; of a variant other than the first, of its paired difference to the first.
    """
    budgets = sorted({row["budget"] for row in rows})
    variants = list(dict.fromkeys(row["variant"] for row in rows))
    pages = {(row["repository"], row["page"]) for row in rows}
    repositories = {row["repository"] for row in rows}
    head = ["variant", *(f"{budget:,} tokens: signature / body = half" for budget in budgets)]
    lines = [
        f"{len(pages)} pages of {len(repositories)} repositories.",
        "",
        _line(head),
        _line(["---"] * len(head)),
    ]
    first = {_key(row): _half(row) for row in rows if row["variant"] == variants[0]}
    for variant in variants:
        cells = [variant]
        for budget in budgets:
            own = [row for row in rows if row["variant"] == variant and row["budget"] == budget]
            cells.append(_cell(own, None if variant == variants[0] else first))
        lines.append(_line(cells))
    return "\n".join(lines)


def _cell(rows: Sequence[Mapping[str, Any]], first: Mapping[tuple[str, str, int], float] | None) -> str:
    halves = np.array([_half(row) for row in rows])
    groups = [row["repository"] for row in rows]
    text = f"{_mean(rows, 'signature'):.3f} / {_mean(rows, 'body'):.3f} = {halves.mean():.3f}"
    if first is None:
        low, high = interval(halves.tolist(), groups)
        return f"{text} [{low:.3f}, {high:.3f}]"
    differences = halves - np.array([first[_key(row)] for row in rows])
    low, high = interval(differences.tolist(), groups)
    return f"{text}, {differences.mean():+.3f} [{low:+.3f}, {high:+.3f}]"


def _mean(rows: Sequence[Mapping[str, Any]], name: str) -> float:
    values: npt.NDArray[np.float64] = np.array([row[name] for row in rows], dtype=np.float64)
    return float(values.mean())


def _half(row: Mapping[str, Any]) -> float:
    return float(row["signature"] + row["body"]) / 2


def _key(row: Mapping[str, Any]) -> tuple[str, str, int]:
    return row["repository"], row["page"], row["budget"]


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
