"""The demands of a problem, asked in sets whether a pack keeps them.

A set is asked on a small program. Whatever no kept demand wants in (a required unit, a hard zone minimum, a
required dimension, or what one of these needs) can be left out without breaking any row, so its columns are
held at 0: a pack of the small program is one of the whole, and there is none where the small one has none.

Where that program is still large, the relaxation answers: it is infeasible, or nearly whole, and then a pack
is found among few units around it. It computes in floats, so a conflict found so is confirmed at the end.
"""

from __future__ import annotations

import dataclasses
import math
import time
from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from .backends import highs
from .backends.cpsat import Answer, CpSat, Limits
from .backends.ray import dual_ray
from .compile import Bools, Ints
from .linear import UNBOUNDED, Linear, Row
from .restrict import Restricted, restrict

DEMANDS = ("coverage", "group", "zone minimum", "zone maximum", "dependency", "required", "budget")
"""Families of rows that a user can change."""

ASKING = 0.003
"""CP-SAT work units that asking costs beside the search: building the small program."""

RELAXING = 1e-5
"""The same for one column of a relaxation."""

SMALL = 1500
"""Columns up to which CP-SAT answers at once."""

CORE = 500
"""Columns beside the fractional ones that a pack is looked for in, around a relaxation."""

Verdict = Literal["pack", "clash", "unknown"]


@dataclass
class Allowance:
    """What may still be spent on an explanation: work units, the same on every machine, and seconds."""

    work: float
    deadline: float | None = None
    seed: int = 0

    @classmethod
    def of(cls, work: float, seconds: float | None, seed: int) -> Allowance:
        """Return an allowance of ``work`` units within ``seconds`` from now; None for no clock."""
        return cls(work, None if seconds is None else time.monotonic() + seconds, seed)

    def part(self, work: float) -> Allowance:
        """Return an allowance of its own work under the same clock."""
        return Allowance(work, self.deadline, self.seed)

    @property
    def gone(self) -> bool:
        """Whether nothing is left."""
        return self.work <= 0 or (self.deadline is not None and time.monotonic() >= self.deadline)

    def limits(self) -> Limits:
        """Return the limits of the next run."""
        seconds = None if self.deadline is None else max(0.0, self.deadline - time.monotonic())
        return Limits(seconds=seconds, work=max(0.0, self.work), seed=self.seed)

    def spend(self, work: float) -> None:
        """Take ``work`` off."""
        self.work -= work


class UndecidedError(Exception):
    """The allowance ended before it was known whether there is a pack."""


@dataclass(frozen=True)
class _Near:
    """A pack around a relaxation, all columns of the whole program, and no more than what can be reached."""

    columns: Ints | None
    bound: int = 0
    infeasible: bool = False


@dataclass(frozen=True)
class Extreme:
    """The least (or most) of a sum that was found, and whether nothing beyond it is possible."""

    value: int
    proven: bool


@dataclass
class Demands:
    """The demands of a program, ``rows``: indices into ``linear.rows``; what may give way costs nothing."""

    linear: Linear
    rows: list[int] = field(init=False)

    def __post_init__(self) -> None:
        linear = self.linear
        soft = np.zeros(linear.columns + 1, dtype=np.bool_)
        soft[linear.short] = True
        hard = (_sums(soft[linear.cols].astype(np.int64), linear.start) == 0).tolist()
        self.rows = [i for i, row in enumerate(linear.rows) if row.family in DEMANDS and hard[i]]
        self._demand = np.zeros(len(linear.rows), dtype=np.bool_)
        self._demand[self.rows] = True
        self._choice = np.array([row.family in ("choice", "required") for row in linear.rows], dtype=np.bool_)
        self._wants = self._demand & (linear.lo > 0)
        # Rows of a small program are told by their number.
        self._named = [Row(row.family, row.name, str(i)) for i, row in enumerate(linear.rows)]
        self._witnesses: list[Bools] = []
        self._needs: dict[int, list[int]] = defaultdict(list)
        for i in self.rows:
            if linear.rows[i].family == "dependency":
                for col in self._own(i).tolist():
                    self._needs[col].append(i)

    def size(self, row: int) -> int:
        """Return the fewest tokens that one of the row's columns takes."""
        cols = self.linear.cols[self._span(row)]
        return int(self.linear.tokens[cols].min()) if len(cols) else 0

    def ask(self, kept: Collection[int], allowance: Allowance, *, exact: bool = False) -> Verdict:
        """Tell whether a pack keeps all of ``kept``, whatever becomes of the other demands.

        Packs are always checked in whole numbers; ``exact`` asks the same of a clash.
        """
        wanted = np.fromiter(kept, dtype=np.int64, count=len(kept))
        if any(bool(witness[wanted].all()) for witness in self._witnesses):
            return "pack"
        if allowance.gone:
            return "unknown"
        small = self._program(kept)
        if not small.feasible:
            allowance.spend(ASKING)
            return "clash"
        if small.linear.columns > SMALL and not exact and highs.available():
            verdict = self._relaxed(small, allowance)
            if verdict != "unknown":
                return verdict
        answer = self._run(small, allowance)
        if self._expanded(small, answer) is not None:
            return "pack"
        return "clash" if answer.found == "infeasible" else "unknown"

    def impossible(self) -> int | None:
        """Return a demand that no choice of forms can meet, whatever the others say, or None."""
        linear = self.linear
        every = np.where(linear.coefs > 0, linear.coefs * linear.col_hi[linear.cols], 0)
        fewest = np.where(linear.coefs < 0, linear.coefs * linear.col_hi[linear.cols], 0)
        most, least = _sums(every, linear.start), _sums(fewest, linear.start)
        broken = np.flatnonzero(self._demand & ((most < linear.lo) | (least > linear.hi)))
        return int(broken[0]) if len(broken) else None

    def extreme(
        self, kept: Collection[int], row: int, allowance: Allowance, *, most: bool = False
    ) -> Extreme | None:
        """Return the least (or ``most``) that ``row`` comes to where ``kept`` hold; None where nothing does.

        Raises
        ------
        UndecidedError
            The allowance ended before a pack was found.
        """
        linear, span = self.linear, self._span(row)
        aim = np.zeros(linear.columns, dtype=np.int64)
        aim[linear.cols[span]] = linear.coefs[span] if most else -linear.coefs[span]
        small = self._program(kept, also=linear.cols[span] if most else None)
        if not small.feasible:
            return None
        if allowance.gone:
            raise UndecidedError
        if small.linear.columns > SMALL and highs.available():
            near = self._around(small, aim[small.free], allowance)
            if near.columns is not None:
                self._remember(near.columns)
                value = int(aim @ near.columns)
                return Extreme(abs(value), proven=value >= near.bound)
        answer = self._run(small, allowance, aim[small.free])
        if answer.found == "infeasible":
            return None
        columns = self._expanded(small, answer)
        if columns is None:
            raise UndecidedError
        return Extreme(abs(int(aim @ columns)), answer.found == "optimal")

    def contradicting(self, kept: set[int], allowance: Allowance) -> set[int]:
        """Return those of ``kept`` that contradict each other in the relaxation; all where it is small or
        holds."""
        small = self._program(kept)
        if not small.feasible or small.linear.columns <= SMALL or not highs.available():
            return kept
        allowance.spend(2 * RELAXING * small.linear.columns)
        ray = dual_ray(small.linear, seconds=allowance.limits().seconds)
        if ray is None:
            return kept
        weighed = {int(small.linear.rows[i].other) for i in np.flatnonzero(np.abs(ray) > 1e-9).tolist()}
        found = weighed & kept
        return found if self.ask(found, allowance) == "clash" else kept

    def reached(self, kept: Collection[int]) -> Bools:
        """Return which columns some demand of ``kept`` may want in."""
        inside = np.zeros(self.linear.columns, dtype=np.bool_)
        for i in kept:
            if self._wants[i]:
                inside[self.linear.cols[self._span(i)]] = True
        return self._closed(inside, kept)

    def idle(self, kept: Collection[int]) -> set[int]:
        """Return the dependencies among ``kept`` of units that nothing wants in: they cannot clash."""
        inside = self.reached(kept)
        return {
            i
            for i in kept
            if self.linear.rows[i].family == "dependency" and not bool(inside[self._own(i)].any())
        }

    def _closed(self, inside: Bools, kept: Collection[int]) -> Bools:
        """Add to ``inside`` the columns that dependencies of ``kept`` ask for, until nothing is missing."""
        held = set(kept)
        queue = [col for col in self._needs if inside[col]]
        done: set[int] = set()
        while queue:
            for i in self._needs.get(queue.pop(), ()):
                if i in done or i not in held:
                    continue
                done.add(i)
                span = self._span(i)
                targets = self.linear.cols[span][self.linear.coefs[span] < 0]
                fresh = targets[~inside[targets]]
                inside[fresh] = True
                queue += fresh.tolist()
        return inside

    def _program(self, kept: Collection[int], also: Ints | None = None) -> Restricted:
        """Return the small program of ``kept``; units that need not stay become optional."""
        linear = self.linear
        holds = np.zeros(len(linear.rows), dtype=np.bool_)
        holds[list(kept)] = True
        named = list(self._named)
        for i in np.flatnonzero(self._choice & self._demand & ~holds).tolist():
            named[i] = dataclasses.replace(named[i], family="choice")
        inside = self.reached(kept)
        if also is not None:
            inside[also] = True
            inside = self._closed(inside, kept)
        open_rows = dataclasses.replace(
            linear,
            lo=np.where(holds, linear.lo, -UNBOUNDED),
            hi=np.where(holds | self._choice, linear.hi, UNBOUNDED),
            rows=named,
        )
        return restrict(open_rows, np.zeros_like(linear.col_lo), np.where(inside, linear.col_hi, 0))

    def _relaxed(self, small: Restricted, allowance: Allowance) -> Verdict:
        """Ask the relaxation, with as few tokens as it can do with, and look for a pack around it."""
        near = self._around(small, -small.linear.tokens, allowance, any_pack=True)
        if near.columns is not None:
            self._remember(near.columns)
            return "pack"
        return "clash" if near.infeasible else "unknown"

    def _around(self, small: Restricted, aim: Ints, allowance: Allowance, *, any_pack: bool = False) -> _Near:
        """Maximise ``aim`` over the relaxation, then among few columns around it (or find any pack)."""
        program = small.linear
        allowance.spend(RELAXING * program.columns)
        relaxed = highs.relax(dataclasses.replace(program, objective=aim), seconds=allowance.limits().seconds)
        if relaxed.found != "optimal":
            return _Near(None, infeasible=relaxed.found == "infeasible")
        x = relaxed.columns
        distance = np.abs(x - np.rint(x))
        # Beside the fractional columns: those that the relaxation decides least, the smallest first.
        weights = np.repeat(relaxed.duals, np.diff(program.start)) * program.coefs
        paid = np.bincount(program.cols, weights=weights, minlength=program.columns)
        order = np.lexsort((program.tokens, np.abs(aim - paid), distance < 1e-6))
        loose = np.zeros(program.columns, dtype=np.bool_)
        loose[order[: int((distance > 1e-6).sum()) + CORE]] = True
        whole = np.rint(x).astype(np.int64)
        core = restrict(program, np.where(loose, 0, whole), np.where(loose, program.col_hi, whole))
        if not core.feasible:
            return _Near(None)
        answer = self._run(core, allowance, None if any_pack else aim[core.free])
        if answer.columns is None:
            return _Near(None)
        best = float(aim @ x)
        bound = math.floor(best + 1e-6 + 1e-9 * abs(best))
        return _Near(small.expand(core.expand(answer.columns)), bound)

    def _expanded(self, small: Restricted, answer: Answer) -> Ints | None:
        if answer.columns is None:
            return None
        columns = small.expand(answer.columns)
        self._remember(columns)
        return columns

    def _run(self, small: Restricted, allowance: Allowance, aim: Ints | None = None) -> Answer:
        allowance.spend(ASKING)
        model = CpSat(small.linear)
        if aim is not None:
            model.maximise(aim)
        answer = model.solve(allowance.limits())
        allowance.spend(answer.deterministic_time)
        if answer.interrupted:
            raise KeyboardInterrupt
        return answer

    def _remember(self, columns: Ints) -> None:
        linear = self.linear
        total = _sums(linear.coefs * columns[linear.cols], linear.start)
        self._witnesses.append(np.asarray((total >= linear.lo) & (total <= linear.hi), dtype=np.bool_))

    def _span(self, row: int) -> slice:
        return slice(int(self.linear.start[row]), int(self.linear.start[row + 1]))

    def _own(self, row: int) -> Ints:
        span = self._span(row)
        return self.linear.cols[span][self.linear.coefs[span] > 0]


def _sums(products: Ints, start: Ints) -> Ints:
    sums = np.concatenate([[0], np.cumsum(products)])
    return np.asarray(sums[start[1:]] - sums[start[:-1]], dtype=np.int64)
