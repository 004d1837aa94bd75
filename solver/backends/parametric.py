"""HiGHS for relaxations that are solved again and again with other bounds, sides and prices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...models import BackendError
from ..compile import Ints
from ..linear import Linear
from .highs import program, quiet, run

Floats = NDArray[np.float64]


class Parametric:
    """One relaxation whose columns, rows and objective move; each solve starts from where the last ended.

    Answers are floats: nothing is claimed from them that was not recomputed.
    """

    def __init__(self, linear: Linear) -> None:
        import highspy

        self._states = highspy.HighsModelStatus
        self._highs = _simplex(highspy)
        self._highs.passModel(program(highspy, linear))

    def bound(self, columns: Ints, low: Floats, high: Floats) -> None:
        """Hold ``columns`` within ``low`` and ``high``."""
        self._highs.changeColsBounds(len(columns), columns.astype(np.int32), low, high)

    def cap(self, rows: Ints, high: Floats) -> None:
        """Let ``rows`` have no lower and these upper sides."""
        self._highs.changeRowsBounds(
            len(rows), rows.astype(np.int32), np.full(len(rows), -np.inf), high.astype(np.float64)
        )

    def price(self, objective: Ints) -> None:
        """Maximise ``objective``, one coefficient per column."""
        columns = np.arange(len(objective), dtype=np.int32)
        self._highs.changeColsCost(len(columns), columns, -objective.astype(np.float64))

    def solve(self) -> tuple[Floats, Floats] | None:
        """Return columns and multipliers of rows, or None where there is no solution.

        A multiplier is the gain of the objective per unit of the side that binds.
        """
        run(self._highs)
        status = self._highs.getModelStatus()
        if status in (self._states.kInfeasible, self._states.kUnboundedOrInfeasible):
            return None
        solution = self._highs.getSolution()
        return _floats(solution.col_value), -_floats(solution.row_dual)


class Planes:
    """The largest ``gain . s + least of the planes``, over ``0 <= s <= most`` within rows: a master.

    Parameters
    ----------
    most
        Upper bound of each entry of ``s``.
    rows
        (columns, coefficients, lower side, upper side) of each row.
    """

    def __init__(self, most: Floats, rows: Sequence[tuple[Ints, Floats, float, float]]) -> None:
        import highspy

        self.size = size = len(most)
        self.rows = len(rows)
        self._optimal = highspy.HighsModelStatus.kOptimal
        self._highs = _simplex(highspy)
        infinite = float(highspy.kHighsInf)
        columns = size + 1
        self._highs.addVars(columns, np.append(np.zeros(size), -infinite), np.append(most, infinite))
        self._highs.changeObjectiveSense(highspy.ObjSense.kMaximize)
        for cols, coefs, low, high in rows:
            self._highs.addRow(low, high, len(cols), cols.astype(np.int32), coefs)

    def reward(self, gain: Floats) -> None:
        """Set what each entry of ``s`` is worth beside the planes."""
        columns = np.arange(self.size + 1, dtype=np.int32)
        self._highs.changeColsCost(self.size + 1, columns, np.append(gain, 1.0))

    def add(self, constant: float, slope: Floats) -> None:
        """Add the plane ``constant + slope . s``."""
        inside = np.flatnonzero(slope)
        cols = np.append(inside, self.size).astype(np.int32)
        coefs = np.append(-slope[inside], 1.0)
        self._highs.addRow(-np.inf, constant, len(cols), cols, coefs)

    def solve(self) -> tuple[Floats, Floats]:
        """Return the best ``s``, and the weight of each plane in the proof that no other is better.

        Raises
        ------
        BackendError
            HiGHS did not finish.
        """
        run(self._highs)
        if self._highs.getModelStatus() != self._optimal:
            raise BackendError(
                "HiGHS did not solve a program that has a solution",
                code="no_answer",
                hint="this is a fault of Satchel; please report it with the tasks",
            )
        solution = self._highs.getSolution()
        return _floats(solution.col_value)[: self.size], np.abs(_floats(solution.row_dual)[self.rows :])


def _simplex(highspy: Any) -> Any:
    highs = quiet(highspy)
    highs.silent()
    highs.setOptionValue("threads", 1)
    highs.setOptionValue("solver", "simplex")
    # Presolve would lose the basis that the next solve starts from.
    highs.setOptionValue("presolve", "off")
    return highs


def _floats(values: Any) -> Floats:
    return np.array(values, dtype=np.float64)
