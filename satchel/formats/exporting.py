"""Problems as files for other solvers: the whole integer program, in integers, with what each column means.

All formats state the same program: columns ``x`` are rungs of units and binary, columns ``h`` are helpers
(segments of coverage, surplus of groups, tokens above a target, shortfall of relaxed minima). The objective
is maximised and is the problem's value times the scale that the head of the file states, minus the penalty
for each token that relaxed zone minima lack.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from ..models import Problem, ScaleError, UsageError

if TYPE_CHECKING:
    from ..solver.compile import Compiled
    from ..solver.linear import Linear

TITLE: Final = "A packing problem of satchel, to be maximised."
"""The first line of every export, behind what begins a comment there."""

LARGEST: Final = 2**53
"""Sums below it are exact in the doubles that other solvers count in."""

WIDTH: Final = 200
"""Characters of a line of the LP format: its readers have limits."""


@dataclass(frozen=True)
class Program:
    """The integer program of a problem, its shortfall priced into the objective."""

    linear: Linear
    names: list[str]
    scale: int
    penalty: int

    @property
    def columns(self) -> list[str]:
        """The columns' names: ``x`` for rungs, ``h`` for helpers, and their number."""
        m = self.linear.m
        return [f"x{j}" if j < m else f"h{j}" for j in range(self.linear.columns)]

    def rows(self) -> Iterator[tuple[list[int], list[int], int | None, int | None]]:
        """Yield (columns, coefficients, low, high) of every row; None where it has no limit."""
        from ..solver.linear import UNBOUNDED

        start, cols, coefs = (
            part.tolist() for part in (self.linear.start, self.linear.cols, self.linear.coefs)
        )
        sides = zip(self.linear.lo.tolist(), self.linear.hi.tolist(), strict=True)
        for i, (low, high) in enumerate(sides):
            span = slice(start[i], start[i + 1])
            least = None if low <= -UNBOUNDED else low
            most = None if high >= UNBOUNDED else high
            yield cols[span], coefs[span], least, most

    def head(self) -> list[str]:
        """Return what a reader of the file should know, line by line."""
        lines = [
            TITLE,
            f"Objective: value times {self.scale}.",
        ]
        if self.penalty:
            lines[-1] += f" Each token that a relaxed zone minimum lacks costs {self.penalty}."
        return lines + self.names


def program_of(problem: Problem) -> Program:
    """Return the program of ``problem``.

    Raises
    ------
    UsageError
        Prices decide: cost is no part of the program.
    ScaleError
        The shortfall of zone minima cannot be priced exactly.
    InfeasibleError, PolicyError, SchemaError, ScaleError
        The problem cannot be compiled.
    """
    from ..solver.compile import compile_problem
    from ..solver.linear import build

    if problem.pricing is not None and problem.pricing.decides:
        hint = "leave out the cost limit and value per cost"
        raise UsageError("prices decide, which no exported program can state", field="pricing", hint=hint)
    c = compile_problem(problem)
    linear = build(c)
    penalty = _penalty(linear)
    if penalty:
        objective = linear.objective.copy()
        objective[linear.short] = -penalty
        linear = dataclasses.replace(linear, objective=objective)
    return Program(linear, _meanings(c, linear), c.scale, penalty)


def _penalty(linear: Linear) -> int:
    """Return a price of a token of shortfall that no value outweighs; 0 where there is no shortfall."""
    if not len(linear.short):
        return 0
    reach = sum(
        abs(worth) * bound
        for worth, bound in zip(linear.objective.tolist(), linear.col_hi.tolist(), strict=True)
    )
    penalty: int = 2 * reach + 1
    if penalty * int(linear.col_hi[linear.short].sum()) + reach >= LARGEST:
        hint = "give the zones minPolicy fail, or no minTokens"
        raise ScaleError("the shortfall of zone minima is too large to be priced exactly", hint=hint)
    return penalty


def _meanings(c: Compiled, linear: Linear) -> list[str]:
    lines = []
    for u, name in enumerate(c.ids):
        first = int(c.rung_start[u])
        for rung in range(first, int(c.rung_start[u + 1])):
            place = c.standings[u].rungs[rung - first].place
            lines.append(f"x{rung}: unit {json.dumps(name)} rung {place} tokens {int(c.tokens[rung])}")
    lines += [f"h{int(j)}: tokens that a zone minimum lacks" for j in linear.short]
    return lines


def mps(program: Program) -> Iterator[str]:
    """Yield the lines of a free MPS file."""
    linear, names = program.linear, program.columns
    yield from (f"* {line}" for line in program.head())
    yield "NAME satchel"
    yield "OBJSENSE"
    yield "    MAX"
    yield "ROWS"
    yield " N obj"
    entries: list[list[tuple[str, int]]] = [[] for _ in names]
    for j, worth in enumerate(linear.objective.tolist()):
        if worth:
            entries[j].append(("obj", worth))
    sides, ranges = [], []
    for i, (cols, coefs, low, high) in enumerate(program.rows()):
        kind = "E" if low == high else "L" if high is not None else "G" if low is not None else "N"
        yield f" {kind} r{i}"
        for j, coef in zip(cols, coefs, strict=True):
            entries[j].append((f"r{i}", coef))
        side = low if high is None else high
        if side:
            sides.append(f"    rhs r{i} {side}")
        if low is not None and high is not None and low < high:
            ranges.append(f"    rng r{i} {high - low}")
    yield "COLUMNS"
    yield "    mark 'MARKER' 'INTORG'"
    for name, column in zip(names, entries, strict=True):
        for row, coef in column or [("obj", 0)]:
            yield f"    {name} {row} {coef}"
    yield "    mark 'MARKER' 'INTEND'"
    yield "RHS"
    yield from sides
    if ranges:
        yield "RANGES"
        yield from ranges
    yield "BOUNDS"
    for name, low, high in zip(names, linear.col_lo.tolist(), linear.col_hi.tolist(), strict=True):
        if low:
            yield f" LO bnd {name} {low}"
        yield f" UP bnd {name} {high}"
    yield "ENDATA"


def lp(program: Program) -> Iterator[str]:
    """Yield the lines of a file in the LP format of CPLEX."""
    linear, names = program.linear, program.columns
    yield from (f"\\ {line}" for line in program.head())
    yield "Maximize"
    worths = [(worth, names[j]) for j, worth in enumerate(linear.objective.tolist()) if worth]
    yield from _sum("obj: ", worths or [(0, names[0])] if names else [], "")
    yield "Subject To"
    for i, (cols, coefs, low, high) in enumerate(program.rows()):
        terms = [(coef, names[j]) for j, coef in zip(cols, coefs, strict=True)]
        if not terms:
            continue
        if low is not None and low == high:
            yield from _sum(f"r{i}: ", terms, f" = {low}")
            continue
        if high is not None:
            yield from _sum(f"r{i}: ", terms, f" <= {high}")
        if low is not None:
            yield from _sum(f"r{i}{'l' if high is not None else ''}: ", terms, f" >= {low}")
    yield "Bounds"
    bounds = zip(names, linear.col_lo.tolist(), linear.col_hi.tolist(), strict=True)
    yield from (f" {low} <= {name} <= {high}" for name, low, high in bounds)
    yield "General"
    yield from (f" {name}" for name in names)
    yield "End"


def _sum(label: str, terms: list[tuple[int, str]], side: str) -> Iterator[str]:
    line = f" {label}"
    for number, (coef, name) in enumerate(terms):
        sign = "-" if coef < 0 else "+" if number else ""
        term = f"{sign} {abs(coef)} {name}".strip()
        if len(line) + len(term) > WIDTH:
            yield line
            line = "  "
        line += f"{term} "
    yield f"{line.rstrip()}{side}"


def dimacs(program: Program) -> Iterator[str]:
    """Yield the lines of a plain text: ``p``, then a line for each column and each row.

    ``p pack COLUMNS ROWS``; ``v COLUMN LOW HIGH OBJECTIVE``; ``r LOW HIGH COUNT`` and as many pairs
    ``COLUMN COEFFICIENT``; ``-`` and ``+`` stand for no limit. Columns are numbered from 1; ``c`` begins a
    comment.
    """
    linear = program.linear
    names = {name: str(j + 1) for j, name in enumerate(program.columns)}
    for line in program.head():
        name, colon, rest = line.partition(":")
        yield f"c {names[name]}:{rest}" if colon and name in names else f"c {line}"
    yield f"p pack {linear.columns} {len(linear.rows)}"
    columns = zip(linear.col_lo.tolist(), linear.col_hi.tolist(), linear.objective.tolist(), strict=True)
    for j, (low, high, worth) in enumerate(columns, start=1):
        yield f"v {j} {low} {high} {worth}"
    for cols, coefs, least, most in program.rows():
        pairs = " ".join(f"{j + 1} {coef}" for j, coef in zip(cols, coefs, strict=True))
        sides = f"{'-' if least is None else least} {'+' if most is None else most}"
        yield f"r {sides} {len(cols)} {pairs}".rstrip()


def cp_sat(program: Program) -> Iterator[str]:
    """Yield a CpModelProto in protobuf's text format; its objective is the negated one."""
    from ..solver.backends.cpsat import CpSat

    model = CpSat(program.linear)
    model.maximise(program.linear.objective)
    yield from (f"# {line}" for line in program.head())
    yield str(model.model.proto).rstrip("\n")


@dataclass(frozen=True)
class Exporter:
    """A format that other solvers read."""

    name: str
    title: str
    suffix: str
    lines: Callable[[Program], Iterator[str]]


EXPORTERS: Final = {
    exporter.name: exporter
    for exporter in (
        Exporter("mps", "free MPS", ".mps", mps),
        Exporter("lp", "LP format of CPLEX", ".lp", lp),
        Exporter("cp-sat", "CpModelProto of CP-SAT, as text", ".pbtxt", cp_sat),
        Exporter("dimacs", "plain lines, a column or a row each", ".pack", dimacs),
    )
}
"""Every format that can be written, by name."""


def export_problem(problem: Problem, format: str) -> str:  # noqa: A002
    """Return ``problem`` as a text that another solver reads.

    Raises
    ------
    UsageError
        There is no such format, or prices decide.
    InfeasibleError, PolicyError, SchemaError, ScaleError
        As :func:`program_of`.
    """
    exporter = EXPORTERS.get(format)
    if exporter is None:
        hint = f"accepted: {', '.join(EXPORTERS)}"
        raise UsageError("no such format", field="format", value=format, hint=hint)
    return "".join(f"{line}\n" for line in exporter.lines(program_of(problem)))
