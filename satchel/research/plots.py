"""Plots of a comparison, as SVG: the same comparison gives the same bytes.

``profile``
    Share of instances on which an engine's loss is at most so large.
``times``
    Share of instances that an engine had proved optimal after so many seconds.
``size`` and ``tightness``
    Loss of every run against the number of units, and against the budget's share of all tokens.
``anytime``
    Mean primal gap to the best pack known, over time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

from .comparison import WORST, Comparison
from .extras import needed
from .figures import Row, primal_gap, usable

LEAST: Final = 1e-7
"""Where a loss of nothing is drawn on a scale of powers."""

STEPS: Final = 200
"""Points of an anytime curve."""


def write_plots(comparison: Comparison, folder: Path) -> list[Path]:
    """Draw all plots into ``folder`` and return their paths.

    Raises
    ------
    UsageError
        matplotlib is not installed.
    """
    draws: dict[str, Callable[[Comparison, Any], None]] = {
        "profile": profile,
        "times": times,
        "size": by_size,
        "tightness": by_tightness,
        "anytime": anytime,
    }
    paths = []
    for name, draw in draws.items():
        path = folder / f"{name}.svg"
        with _axes(path) as axes:
            draw(comparison, axes)
        paths.append(path)
    return paths


@contextmanager
def _axes(path: Path) -> Iterator[Any]:
    matplotlib = needed("matplotlib")
    figure_class = needed("matplotlib.figure").Figure
    with matplotlib.rc_context({"svg.hashsalt": "satchel", "svg.fonttype": "none", "font.size": 9}):
        figure = figure_class(figsize=(6.4, 4.0))
        figure.subplots_adjust(left=0.11, right=0.98, bottom=0.13, top=0.97)
        axes = figure.add_subplot()
        yield axes
        if axes.get_legend_handles_labels()[0]:
            axes.legend(frameon=False)
        axes.spines[["top", "right"]].set_visible(False)
        figure.savefig(path, format="svg", metadata={"Date": None, "Creator": None})


def profile(comparison: Comparison, axes: Any) -> None:
    """Draw the share of instances by loss; higher and further left is better."""
    for engine, losses in comparison.losses().items():
        ordered = sorted(max(LEAST, number) for number in losses.values())
        _stairs(axes, engine, ordered, len(ordered), WORST)
    axes.set(xscale="log", xlim=(LEAST, WORST), ylim=(0, 1.02))
    axes.set(xlabel="loss: share of the best bound that the pack lacks", ylabel="share of instances")


def times(comparison: Comparison, axes: Any) -> None:
    """Draw the share of runs proved optimal by time."""
    for engine in comparison.engines:
        proofs = [entry.proof for entry in comparison.figures if entry.row["case"]["engine"] == engine]
        ordered = sorted(max(1e-3, seconds) for seconds in proofs if seconds != float("inf"))
        if ordered:
            _stairs(axes, engine, ordered, len(proofs), comparison.limit)
    axes.set(xscale="log", ylim=(0, 1.02), xlabel="seconds", ylabel="share of runs proved optimal")


def _stairs(axes: Any, engine: str, ordered: Sequence[float], count: int, end: float) -> None:
    xs = [*ordered[:1], *ordered, max(end, *ordered)] if ordered else []
    ys = [place / count for place in range(len(xs) - 1)]
    axes.step(xs, [*ys, *ys[-1:]], where="post", label=engine)


def by_size(comparison: Comparison, axes: Any) -> None:
    """Draw losses against the number of units."""
    _scatter(comparison, axes, "units")
    axes.set(xscale="log", xlabel="units")


def by_tightness(comparison: Comparison, axes: Any) -> None:
    """Draw losses against tightness."""
    _scatter(comparison, axes, "tightness")
    axes.set(xlabel="tightness: budget as a share of all tokens")


def _scatter(comparison: Comparison, axes: Any, column: str) -> None:
    for engine in comparison.engines:
        rows = [row for row in comparison.quality if row["engine"] == engine and row["loss"] is not None]
        losses = [max(LEAST, row["loss"]) for row in rows]
        axes.plot([row[column] for row in rows], losses, ".", alpha=0.6, label=engine)
    axes.set(yscale="log", ylim=(LEAST / 2, 2 * WORST), ylabel="loss")


def anytime(comparison: Comparison, axes: Any) -> None:
    """Draw the mean primal gap over time; a run without a pack counts as 1."""
    first = 1e-3
    moments = [first * (comparison.limit / first) ** (step / STEPS) for step in range(STEPS + 1)]
    for engine in comparison.engines:
        sums = [0.0] * len(moments)
        runs = [
            (row, comparison.best[name].objective)
            for name, rows in comparison.by_instance.items()
            for row in rows
            if row["case"]["engine"] == engine
        ]
        for row, best in runs:
            for place, gap in enumerate(_gaps(row, best, moments)):
                sums[place] += gap
        axes.plot(moments, [max(LEAST, total / max(1, len(runs))) for total in sums], label=engine)
    axes.set(xscale="log", yscale="log", xlabel="seconds", ylabel="mean primal gap")


def _gaps(row: Row, best: int | None, moments: Sequence[float]) -> Iterator[float]:
    """Yield the primal gap of the pack in hand at each of ``moments``, which rise."""
    points = [(t, o) for t, o, _ in row["trajectory"] if o is not None] if usable(row) else []
    ends = [*pairwise([t for t, _ in points]), (points[-1][0], float("inf"))] if points else []
    place = -1
    for moment in moments:
        while place + 1 < len(ends) and ends[place + 1][0] <= moment:
            place += 1
        yield 1.0 if place < 0 else primal_gap(points[place][1], best)
