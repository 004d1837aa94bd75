"""The frontier: the best value at each budget, as points, as a table, and as a picture."""

from __future__ import annotations

import csv
import importlib.util
import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

from .models import FileError, PackedContext, Problem, UsageError
from .solver.options import SolveOptions

if TYPE_CHECKING:
    from .solver.explain.frontier import FrontierPoint

__all__ = ["Frontier", "frontier", "picture", "write_picture"]

_KINDS: Final[dict[str, Literal["png", "svg"]]] = {".png": "png", ".svg": "svg"}


@dataclass(frozen=True)
class Frontier:
    """The best value against the budget of units (in tokens), by rising budget.

    ``points`` hold scaled integers; ``scale`` makes values of them. ``knee`` is the budget beyond which more
    tokens bring little, None where the curve has no bend. ``current`` is the problem's own budget. Values
    never fall from one point to the next, where both lack as much of relaxed zone minima.
    """

    points: tuple[FrontierPoint, ...]
    scale: int
    knee: int | None
    current: int

    def value(self, point: FrontierPoint) -> float:
        """Return the value of a point."""
        return point.value / self.scale

    def to_data(self) -> dict[str, Any]:
        """Return the frontier as JSON data, in value."""
        return {
            "points": [point.to_data(self.scale) for point in self.points],
            "knee": self.knee,
            "current": self.current,
        }

    def to_csv(self) -> str:
        """Return the points as CSV with a header."""
        rows = [point.to_data(self.scale) for point in self.points]
        text = io.StringIO()
        writer = csv.DictWriter(text, rows[0].keys() if rows else (), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
        return text.getvalue()


def frontier(
    problem: Problem,
    *,
    context: PackedContext | None = None,
    options: SolveOptions | None = None,
    least: int | None = None,
    most: int | None = None,
    points: int = 12,
    at: Sequence[int] = (),
    on_point: Callable[[FrontierPoint], None] | None = None,
) -> Frontier:
    """Return the best value of ``problem`` at several budgets, zones as they stand.

    Parameters
    ----------
    context
        The artifact of ``problem``, which need not be solved again then.
    options
        Limits of each solve. Without limits every point is the optimum.
    least, most
        Ends of the curve, in tokens for units; by default a quarter of the problem's budget (or the smallest
        that works) and four times it (or what all units take).
    points
        How many points there are, 2 or more. They are set where the curve bends.
    at
        Budgets that are points in any case.
    on_point
        Called with each new point.

    Raises
    ------
    UsageError
        The ends or the number of points are out of range, or ``context`` answers another problem.
    InfeasibleError
        No pack fits even the largest budget.
    """
    from .solver.explain.frontier import trace
    from .solver.explain.solved import Solved

    if points < 2:
        raise UsageError("is too few for a curve", field="points", value=points, hint="give 2 or more")
    if least is not None and most is not None and least >= most:
        hint = "the curve runs from the smaller to the larger one"
        raise UsageError("is not below the other end", field="least", value=least, hint=hint)
    known = None if context is None else Solved.of(problem, context, options)
    curve = trace(
        problem, options, least=least, most=most, points=points, at=tuple(at), on_point=on_point, known=known
    )
    return Frontier(curve.points, curve.scale, curve.knee, problem.envelope.available)


def picture(found: Frontier, kind: Literal["png", "svg"]) -> bytes:
    """Return the frontier as a picture; the same frontier gives the same bytes with the same matplotlib.

    Raises
    ------
    UsageError
        matplotlib is not installed.
    """
    if importlib.util.find_spec("matplotlib") is None:
        hint = "pip install 'satchel[plot]', or leave the picture out"
        raise UsageError("needs matplotlib", code="extra_missing", field="plot", hint=hint)
    import matplotlib
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    with matplotlib.rc_context({"svg.hashsalt": "satchel", "svg.fonttype": "path"}):
        figure = Figure(figsize=(8, 5), layout="constrained")
        canvas = FigureCanvasAgg(figure) if kind == "png" else FigureCanvasSVG(figure)
        _draw(found, figure.add_subplot())
        data = io.BytesIO()
        if kind == "png":
            canvas.print_figure(data, format="png", dpi=150, metadata={"Software": None})
        else:
            canvas.print_figure(data, format="svg", metadata={"Date": None, "Creator": None})
    return data.getvalue()


def _draw(found: Frontier, axes: Any) -> None:
    budgets = [point.budget for point in found.points]
    axes.plot(budgets, [found.value(point) for point in found.points], color="#2563eb", zorder=2)
    for label, proven, fill in (("proven best", True, "#2563eb"), ("best found", False, "white")):
        some = [point for point in found.points if point.proven is proven]
        if some:
            xs, ys = [point.budget for point in some], [found.value(point) for point in some]
            axes.scatter(xs, ys, label=label, facecolor=fill, edgecolor="#2563eb", zorder=3)
    for budget, label, style in ((found.current, "this problem", ":"), (found.knee, "knee", "--")):
        if budget is not None:
            axes.axvline(budget, label=f"{label}: {budget:,}", color="#64748b", linestyle=style, zorder=1)
    axes.set(xlabel="budget of units (tokens)", ylabel="value", title="Value against budget")
    axes.xaxis.set_major_formatter("{x:,.0f}")
    axes.grid(alpha=0.3)
    axes.legend(loc="lower right")


def write_picture(found: Frontier, path: str | Path) -> None:
    """Write the frontier to ``path``, a .png or .svg file, whole or not at all.

    Raises
    ------
    UsageError
        The name ends otherwise, or matplotlib is not installed.
    FileError
        The file cannot be written.
    """
    path = Path(path)
    kind = _KINDS.get(path.suffix.lower())
    if kind is None:
        hint = "name a file that ends in .png or .svg"
        raise UsageError("is no kind of picture", field="plot", value=str(path), hint=hint)
    data, temporary = picture(found, kind), path.with_name(f".{path.name}.tmp")
    try:
        temporary.write_bytes(data)
        temporary.replace(path)
    except OSError as error:
        hint = "choose another place with --plot"
        raise FileError(f"cannot be written: {error.strerror}", file=str(path), hint=hint) from None
    finally:
        temporary.unlink(missing_ok=True)
