"""Paired statistics of engines over instances, by scipy.

Each instance is a pair: the losses of two engines on it. The signed-rank test (Wilcoxon 1945) asks whether
one loses more than the other; pairs without a difference count half to either side (``zsplit``). The interval
is of the mean difference, by the percentile bootstrap (Efron 1979) over instances. Where several engines are
tested against one, p is adjusted as by Holm (1979).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Final

from .extras import needed

RESAMPLES: Final = 10_000
EXACT: Final = 50
"""Up to so many pairs, without ties, p is exact; beyond it the normal approximation serves."""

CONFIDENCE: Final = 0.95

SEED: Final = 20_240_501
"""Of the bootstrap: the same losses give the same interval."""


def pairs(losses: Mapping[str, Mapping[str, float]], reference: str) -> list[dict[str, Any]]:
    """Return a row for each engine but ``reference``: how much more than it the engine loses.

    Parameters
    ----------
    losses
        Loss by engine and instance.

    Raises
    ------
    UsageError
        scipy is not installed.
    """
    rows = [_pair(engine, losses[engine], losses[reference]) for engine in losses if engine != reference]
    _adjust(rows)
    return [{"engine": row.pop("engine"), "reference": reference, **row} for row in rows]


def _pair(engine: str, losses: Mapping[str, float], reference: Mapping[str, float]) -> dict[str, Any]:
    shared = sorted(losses.keys() & reference.keys())
    differences = [losses[name] - reference[name] for name in shared]
    low, high = interval(differences)
    return {
        "engine": engine,
        "instances": len(shared),
        "worse": sum(difference > 0 for difference in differences),
        "equal": sum(difference == 0 for difference in differences),
        "better": sum(difference < 0 for difference in differences),
        "mean_difference": math.fsum(differences) / len(differences) if differences else None,
        "low": low,
        "high": high,
        "p": signed_rank(differences),
    }


def signed_rank(differences: Sequence[float]) -> float | None:
    """Return the two-sided p of the signed-rank test; 1 where nothing differs, None without a pair."""
    if not differences:
        return None
    if not any(differences):
        return 1.0
    stats = needed("scipy.stats")
    sizes = [abs(difference) for difference in differences]
    plain = 0.0 not in sizes and len(set(sizes)) == len(sizes) <= EXACT
    method = "exact" if plain else "asymptotic"
    return float(stats.wilcoxon(differences, zero_method="zsplit", method=method).pvalue)


def interval(numbers: Sequence[float]) -> tuple[float | None, float | None]:
    """Return the bootstrap interval of the mean; the mean itself where all numbers are the same."""
    if not numbers:
        return None, None
    if len(set(numbers)) == 1:
        return numbers[0], numbers[0]
    np, stats = needed("numpy"), needed("scipy.stats")
    found = stats.bootstrap(
        (np.array(numbers, dtype=np.float64),),
        np.mean,
        n_resamples=RESAMPLES,
        confidence_level=CONFIDENCE,
        method="percentile",
        rng=np.random.default_rng(SEED),
    ).confidence_interval
    return float(found.low), float(found.high)


def _adjust(rows: Sequence[dict[str, Any]]) -> None:
    """Add ``p_adjusted``: p times the number of tests that are left, never below that of a smaller p."""
    tested = sorted((row for row in rows if row["p"] is not None), key=lambda row: float(row["p"]))
    least = 0.0
    for rank, row in enumerate(tested):
        least = min(1.0, max(least, row["p"] * (len(tested) - rank)))
        row["p_adjusted"] = least
    for row in rows:
        row.setdefault("p_adjusted", None)
