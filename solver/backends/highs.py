"""HiGHS for the linear relaxation, fed from the arrays of :class:`..linear.Linear`."""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import metadata
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ..compile import Ints
from ..linear import UNBOUNDED, Linear, Row

Floats = NDArray[np.float64]

ITERATION_WORK = 1.3e-5
"""Work of one iteration of the simplex, in the units of CP-SAT's deterministic time: about a second each."""

ENTRY_WORK = 3.3e-10
"""The same for each entry of the matrix, as measured from 19,000 to 380,000 entries."""


LARGE = 2**36
"""Coefficients of an objective are brought down to it: those of values alone rarely reach it."""


@dataclass(frozen=True)
class Relaxation:
    """An optimal basis of the relaxation, in floats: nothing is claimed from it that was not recomputed.

    ``duals[i]`` is the gain of the objective per unit of row ``i``'s active side: positive where the upper
    side binds, negative where the lower one does.
    """

    found: Literal["optimal", "infeasible", "unknown"]
    columns: Floats
    duals: Floats


@dataclass(frozen=True)
class Basis:
    """Where a simplex ended: the status of each column and each row, as HiGHS has them.

    It starts another program with the same columns and rows, whatever their bounds and values are.
    """

    columns: Sequence[Any]
    rows: Sequence[Any]

    def fits(self, linear: Linear) -> bool:
        """Whether ``linear`` has as many columns and rows."""
        return len(self.columns) == linear.columns and len(self.rows) == len(linear.rows)


def available() -> bool:
    """Whether highspy is installed."""
    return importlib.util.find_spec("highspy") is not None


def version() -> str:
    """Return the version of highspy."""
    return metadata.version("highspy")


def relax(linear: Linear, *, seconds: float | None = None) -> Relaxation:
    """Solve the relaxation of ``linear`` once, by the dual simplex, on one thread.

    Cut by ``seconds``, the columns and duals so far are returned: any duals prove a bound.
    """
    return Simplex(linear).solve(seconds=seconds)


class Simplex:
    """One relaxation that is solved again and again, each time from where it ended: rows are added, columns
    narrowed.

    Rows that are added are divided by their largest coefficient in here, for the sake of the arithmetic;
    duals and multipliers are those of the rows as they were given.
    """

    def __init__(self, linear: Linear, start: Basis | None = None) -> None:
        import highspy

        self._highspy = highspy
        self._highs = quiet(highspy)
        self._highs.silent()
        self._highs.setOptionValue("threads", 1)
        self._highs.setOptionValue("solver", "simplex")
        # Presolve would lose the basis that the next solve starts from, and costs what it saves here.
        self._highs.setOptionValue("presolve", "off")
        model = program(highspy, linear)
        # Its tolerances are absolute: an objective of large numbers, as value times cost is, would stall it.
        self._unit = _unit(linear.objective)
        model.col_cost_ = np.asarray(model.col_cost_) / self._unit
        self._highs.passModel(model)
        if start is not None and start.fits(linear):
            basis = highspy.HighsBasis()
            basis.col_status, basis.row_status = list(start.columns), list(start.rows)
            basis.valid = True
            self._highs.setBasis(basis)
        self._scale: Floats = np.ones(len(linear.rows), dtype=np.float64)
        self._entries = len(linear.cols)
        self.work = 0.0

    def solve(self, *, seconds: float | None = None, work: float | None = None) -> Relaxation:
        """Solve from the last basis on; cut by a limit, the columns and duals so far are returned.

        ``seconds`` are of wall clock; ``work`` is in units of CP-SAT's deterministic time, by iterations.
        """
        highspy, highs = self._highspy, self._highs
        # HiGHS measures its limit against the time of all its runs.
        limit = np.inf if seconds is None else highs.getRunTime() + max(0.0, seconds)
        highs.setOptionValue("time_limit", float(limit))
        each = ITERATION_WORK + ENTRY_WORK * self._entries
        most = 2**31 - 1 if work is None else int(min(max(0.0, work) / each, 2**31 - 1))
        highs.setOptionValue("simplex_iteration_limit", most)
        run(highs)
        info = highs.getInfo()
        self.work += max(0, int(info.simplex_iteration_count)) * each
        status = highs.getModelStatus()
        found: Literal["optimal", "infeasible", "unknown"] = "unknown"
        if status == highspy.HighsModelStatus.kOptimal:
            found = "optimal"
        elif status == highspy.HighsModelStatus.kInfeasible:
            found = "infeasible"
        solution = highs.getSolution()
        duals = np.array(solution.row_dual, dtype=np.float64)
        if len(duals) == len(self._scale):
            duals = duals / self._scale
        return Relaxation(
            found=found,
            columns=np.array(solution.col_value, dtype=np.float64),
            duals=-duals * self._unit,  # HiGHS minimises the negated objective
        )

    def basis(self) -> Basis | None:
        """Return where the last solve ended, or None where HiGHS needed no basis."""
        basis = self._highs.getBasis()
        if not basis.valid or self._highs.getNumNz() == 0:
            return None
        return Basis(tuple(basis.col_status), tuple(basis.row_status))

    def ranges(self) -> list[tuple[float, float]] | None:
        """Return, for each row, from where to where its active side may move with the same basis the best.

        Of a row that does not bind both ends are where it stands. None where HiGHS does not say.
        """
        status, ranging = self._highs.getRanging()
        if status != self._highspy.HighsStatus.kOk or not ranging.valid:
            return None
        low, high = ranging.row_bound_dn.value_, ranging.row_bound_up.value_
        return [(min(a, b), max(a, b)) for a, b in zip(low, high, strict=True)]

    def add(self, rows: Sequence[tuple[Row, Ints, Ints, int]]) -> None:
        """Add ``rows``: of each its name, columns, coefficients and upper side."""
        if not rows:
            return
        scales = [float(np.abs(coefs).max(initial=1)) for _, _, coefs, _ in rows]
        sizes = [len(cols) for _, cols, _, _ in rows]
        self._highs.addRows(
            len(rows),
            np.full(len(rows), -np.inf),
            np.array([side / scale for (*_, side), scale in zip(rows, scales, strict=True)]),
            sum(sizes),
            np.cumsum([0, *sizes[:-1]]).astype(np.int32),
            np.concatenate([cols for _, cols, _, _ in rows]).astype(np.int32),
            np.concatenate([coefs / scale for (_, _, coefs, _), scale in zip(rows, scales, strict=True)]),
        )
        self._scale = np.concatenate([self._scale, scales])
        self._entries += sum(sizes)

    def bound(self, columns: Ints, low: Ints, high: Ints) -> None:
        """Bound ``columns`` by what ``low`` and ``high``, which are of all columns, say of them."""
        self._highs.changeColsBounds(
            len(columns),
            columns.astype(np.int32),
            low[columns].astype(np.float64),
            high[columns].astype(np.float64),
        )

    def narrow(self, linear: Linear) -> None:
        """Take the bounds of columns and rows from ``linear``, and the rows that it has at its end and this
        one has not."""
        highs, known = self._highs, len(self._scale)
        self.bound(np.arange(linear.columns), linear.col_lo, linear.col_hi)
        rows = np.flatnonzero(linear.lo[:known] > -UNBOUNDED)
        for i in rows.tolist():
            side = np.inf if linear.hi[i] >= UNBOUNDED else float(linear.hi[i])
            highs.changeRowBounds(i, float(linear.lo[i]), side)
        spans = [
            slice(int(linear.start[i]), int(linear.start[i + 1])) for i in range(known, len(linear.rows))
        ]
        new = zip(linear.rows[known:], spans, linear.hi[known:].tolist(), strict=True)
        self.add([(row, linear.cols[span], linear.coefs[span], hi) for row, span, hi in new])

    def fractional(self, least: float) -> list[tuple[float, int]]:
        """Return (distance from a whole number, place in the basis) of basic columns that are not whole."""
        if self._highs.getNumNz() == 0:
            return []  # solved without a basis: HiGHS would read one that is not there
        _, basic = self._highs.getBasicVariables()
        places = np.array(basic, dtype=np.int64)
        values = np.array(self._highs.getSolution().col_value, dtype=np.float64)
        inside = np.flatnonzero(places >= 0)
        part = np.abs(values[places[inside]] - np.rint(values[places[inside]]))
        return [(float(part[i]), int(inside[i])) for i in np.flatnonzero(part > least)]

    def multipliers(self, place: int) -> Floats:
        """Return the multipliers of the rows that make up the row of the tableau at ``place``."""
        _, row = self._highs.getBasisInverseRow(place)
        return np.asarray(row, dtype=np.float64) / self._scale


def _unit(objective: Ints) -> float:
    """Return the power of two that objectives beyond ``LARGE`` are divided by: 1 for all others."""
    largest = int(np.abs(objective).max(initial=0))
    return float(2 ** max(0, largest.bit_length() - LARGE.bit_length()))


def run(highs: Any) -> None:
    """Run ``highs``, whatever number of threads this process has used HiGHS with before.

    Its threads are one pool for the process, made by the first run; a run with another number is refused, and
    would pass for one that found nothing.
    """
    import highspy

    if highs.run() == highspy.HighsStatus.kError:
        highspy.Highs.resetGlobalScheduler(True)
        highs.run()


def quiet(highspy: Any) -> Any:
    """Return an instance of HiGHS that has said nothing.

    The public constructor prints a banner to stdout, which carries our data; the base one does not.
    """
    highs: Any = highspy.Highs.__new__(highspy.Highs)
    super(highspy.Highs, highs).__init__()
    return highs


def program(highspy: Any, linear: Linear) -> Any:
    """Return ``linear`` as HiGHS takes it: minimising, every column continuous."""
    model = highspy.HighsLp()
    model.num_col_ = linear.columns
    model.num_row_ = len(linear.rows)
    model.col_cost_ = -linear.objective.astype(np.float64)
    model.col_lower_ = linear.col_lo.astype(np.float64)
    model.col_upper_ = linear.col_hi.astype(np.float64)
    model.row_lower_ = np.where(linear.lo <= -UNBOUNDED, -np.inf, linear.lo).astype(np.float64)
    model.row_upper_ = np.where(linear.hi >= UNBOUNDED, np.inf, linear.hi).astype(np.float64)
    model.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    model.a_matrix_.start_ = linear.start.astype(np.int32)
    model.a_matrix_.index_ = linear.cols.astype(np.int32)
    model.a_matrix_.value_ = linear.coefs.astype(np.float64)
    return model
