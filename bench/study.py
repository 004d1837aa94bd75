"""When does optimal pay? ``python -m bench.study``: greedy packers against the optimum, factor by factor.

One factor is moved at a time, all others stay at the generator's defaults; every level has the same seeds.
For each packer, the *loss* is the share of the bound that its pack lacks, so that an unproven optimum is not
counted against anybody; *more tokens* is by how much the budget must grow until Satchel's greedy has the
value that the exact pack has within the budget as it is. Packs that break a rule have no loss: they are
counted.

Real problems come from ``--real FOLDER`` of problem files (``satchel scan … --problem-out``).
"""

from __future__ import annotations

import argparse
import csv
import json
import statistics
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from functools import partial
from pathlib import Path
from typing import Final

from satchel import BudgetEnvelope, Problem, SolveOptions, read_problem, solve
from satchel.solver.engines import EngineResult, judged, run_engine

from .generate import generate
from .one import surroundings
from .report import refresh
from .spec import spec_of

HERE = Path(__file__).resolve().parent
PAGE = HERE.parent / "docs" / "study.md"
FIGURE = HERE.parent / "docs" / "study.svg"

PACKERS: Final = ("seed-greedy", "density-greedy", "lazy-greedy", "greedy")
"""From the plainest to ours."""

UNITS: Final = 200
LIMIT: Final = 10.0
"""Units of work for the exact search, about seconds: other machines give the same table."""
SEEDS: Final = range(10)

FACTORS: Final[dict[str, tuple[float, ...]]] = {
    "plain": (0.05, 0.2, 0.5),
    "tightness": (0.1, 0.15, 0.2, 0.3, 0.5, 0.7),
    "rungs": (1, 2, 3, 4),
    "chains": (0.0, 0.25, 0.6),
    "hubs": (0.0, 0.15, 0.5),
    "cover": (0.0, 1.5, 4.0),
    "groups": (0.0, 0.1, 0.3),
    "units": (50, 100, 200, 500, 1000),
}
"""Levels of each factor; ``rungs`` is the most forms that a unit keeps.

``plain`` is tightness without dependencies, groups, limits of zones and required dimensions: values, coverage
and one budget, which is all that the plainest packer knows.
"""

GROWTH: Final = 64
"""The budget grows by 64ths, to at most twice what it was."""


@dataclass(frozen=True)
class Row:
    """One packer on one instance; shares are of the bound, None where the pack breaks a rule."""

    factor: str
    level: float
    name: str
    packer: str
    loss: float | None
    proven: bool
    more_tokens: float | None = None


@dataclass(frozen=True)
class Case:
    """One instance: where it stands in the study, and how it is had."""

    factor: str
    level: float
    name: str
    make: Callable[[], Problem]


def cases(factors: Sequence[str], seeds: Sequence[int], real: Sequence[Path]) -> list[Case]:
    """Return the instances of the study, in order."""
    drawn = [
        Case(factor, level, f"seed {seed}", partial(instance, factor, level, seed))
        for factor in factors
        for level in FACTORS[factor]
        for seed in seeds
    ]
    return drawn + [Case("real", 0.0, path.stem, partial(read_problem, path)) for path in real]


def instance(factor: str, level: float, seed: int) -> Problem:
    """Return the drawn problem that has ``factor`` at ``level``."""
    if factor == "units":
        return generate(spec_of(int(level), ()), seed)
    if factor == "plain":
        return _plain(generate(spec_of(UNITS, (f"tightness={level}",)), seed))
    if factor == "rungs":
        problem = generate(spec_of(UNITS, ()), seed)
        units = [
            unit.model_copy(update={"renderings": unit.renderings[: int(level) - 1]})
            for unit in problem.units
        ]
        return problem.model_copy(update={"units": tuple(units)})
    return generate(spec_of(UNITS, (f"{factor}={level}",)), seed)


def _plain(problem: Problem) -> Problem:
    units = [unit.model_copy(update={"dependencies": (), "redundancy_groups": ()}) for unit in problem.units]
    coverage = [dimension.model_copy(update={"required": False}) for dimension in problem.coverage]
    envelope = BudgetEnvelope(available_input_tokens=problem.envelope.available)
    changes = {
        "units": tuple(units),
        "coverage": tuple(coverage),
        "redundancy_groups": (),
        "envelope": envelope,
    }
    return problem.model_copy(update=changes)


def rows_of(case: Case) -> Iterator[Row]:
    """Yield a row for each packer on one instance."""
    problem = case.make()
    best = solve(problem, SolveOptions(deterministic_limit=LIMIT)).solver
    for packer in PACKERS:
        result = judged(problem, run_engine(packer, problem, check=False))
        value = _value(result, best.shortfall)
        loss = None if value is None else (best.bound - value) / max(1, abs(best.bound))
        more = tokens_for(problem, best.objective, best.shortfall) if packer == "greedy" else None
        proven = best.objective == best.bound
        yield Row(case.factor, case.level, case.name, packer, loss, proven, more)


def tokens_for(problem: Problem, value: int, shortfall: int) -> float | None:
    """Return by what share the budget must grow until greedy reaches ``value``, or None beyond twice."""
    low, high = 0, GROWTH + 1
    while low < high:
        middle = (low + high) // 2
        reached = _value(run_engine("greedy", _wider(problem, middle), check=False), shortfall)
        if reached is not None and reached >= value:
            high = middle
        else:
            low = middle + 1
    return None if low > GROWTH else low / GROWTH


def _wider(problem: Problem, steps: int) -> Problem:
    """Return the problem with ``steps`` 64ths more of the budget and of every zone's limits."""
    zones = [
        zone.model_copy(
            update={
                name: limit * (GROWTH + steps) // GROWTH
                for name in ("target_tokens", "max_tokens")
                if (limit := getattr(zone, name)) is not None
            }
        )
        for zone in problem.envelope.zones
    ]
    grown = problem.envelope.available * (GROWTH + steps) // GROWTH
    envelope = BudgetEnvelope(available_input_tokens=grown, zones=tuple(zones))
    return problem.model_copy(update={"envelope": envelope})


def _value(result: EngineResult, shortfall: int) -> int | None:
    broken = result.verdict is not None and not result.verdict.feasible
    return None if broken or result.objective is None or result.shortfall > shortfall else result.objective


def table(rows: Sequence[Row]) -> str:
    """Return medians and counts by factor and level, as a Markdown table."""
    facts = surroundings()
    proven = sum(row.proven for row in rows if row.packer == "greedy")
    what = f"{len(_names(rows))} instances, {proven} proven optimal within {LIMIT:g} units of work"
    made = f"{facts['date']}, commit {facts['commit']}, {facts['cores']} cores"
    heads = ["factor", "level", *PACKERS, "broken by seed-greedy", "more tokens for greedy"]
    lines = [
        f"{made}; {what}. Median of the value lost in per cent, in brackets the largest.",
        "",
        f"| {' | '.join(heads)} |",
        "|" + "---|" * len(heads),
    ]
    for factor, level in dict.fromkeys((row.factor, row.level) for row in rows):
        here = [row for row in rows if (row.factor, row.level) == (factor, level)]
        cells = [_loss(_losses(rows, factor, level, packer)) for packer in PACKERS]
        seed = [row for row in here if row.packer == "seed-greedy"]
        broken = f"{sum(row.loss is None for row in seed)} of {len(seed)}"
        more = [row.more_tokens for row in here if row.packer == "greedy"]
        beyond = [share if share is not None else 2.0 for share in more]
        tokens = f"{100 * statistics.median(beyond):.0f} %" if beyond else "–"
        lines.append(f"| {factor} | {level:g} | " + " | ".join(cells) + f" | {broken} | {tokens} |")
    return "\n".join(lines) + "\n"


def _loss(losses: Sequence[float]) -> str:
    return f"{100 * statistics.median(losses):.2f} ({100 * max(losses):.1f})" if losses else "–"


def _names(rows: Sequence[Row]) -> set[tuple[str, float, str]]:
    return {(row.factor, row.level, row.name) for row in rows}


def figure(rows: Sequence[Row], path: Path) -> None:
    """Draw the median loss of every packer against every factor."""
    import matplotlib as mpl

    mpl.use("svg")
    mpl.rcParams["svg.hashsalt"] = "satchel"  # the same rows give the same bytes
    import matplotlib.pyplot as plt

    factors = [factor for factor in FACTORS if any(row.factor == factor for row in rows)]
    plot, axes = plt.subplots(2, 4, figsize=(12, 5.4), layout="constrained", sharey=True)
    colours = dict(zip(PACKERS, ("#aaaaaa", "#ddaa33", "#228833", "#4477aa"), strict=True))
    for axis, factor in zip(axes.flat, factors, strict=False):
        for packer in PACKERS:
            losses = [_losses(rows, factor, level, packer) for level in FACTORS[factor]]
            medians = [100 * statistics.median(each) if each else float("nan") for each in losses]
            axis.plot(FACTORS[factor], medians, marker="o", color=colours[packer], label=packer)
        axis.set(title=factor, yscale="log")
        axis.grid(alpha=0.3)
    for axis in axes.flat[len(factors) :]:
        axis.axis("off")
    axes[0][0].set_ylabel("value lost, %")
    axes[1][0].set_ylabel("value lost, %")
    axes[0][0].yaxis.set_major_formatter("{x:g}")
    handles, labels = axes[0][0].get_legend_handles_labels()
    axes.flat[-1].legend(handles, labels, loc="center", frameon=False)
    plot.savefig(path, metadata={"Date": None})
    plt.close(plot)


def _losses(rows: Sequence[Row], factor: str, level: float, packer: str) -> list[float]:
    key = (factor, level, packer)
    return [row.loss for row in rows if (row.factor, row.level, row.packer) == key and row.loss is not None]


def write_rows(rows: Sequence[Row], path: Path) -> None:
    """Write ``rows`` as CSV."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, [field.name for field in fields(Row)], lineterminator="\n")
        writer.writeheader()
        writer.writerows(asdict(row) for row in rows)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the study; what is done already is kept in ``--out`` and not run again."""
    command = argparse.ArgumentParser(prog="python -m bench.study", description=__doc__.splitlines()[0])
    command.add_argument("--factors", default=",".join(FACTORS), help="comma-separated")
    command.add_argument("--seeds", type=int, default=len(SEEDS), help="instances for each level")
    command.add_argument("--real", type=Path, help="a folder of problem files")
    command.add_argument("--out", type=Path, default=HERE / "runs" / "study.jsonl")
    command.add_argument(
        "--publish", action="store_true", help="write docs/study.md, its figure and the rows"
    )
    options = command.parse_args(arguments)
    factors = [factor for factor in options.factors.split(",") if factor]
    real = sorted(options.real.glob("*.json")) if options.real else []
    rows = _resumed(options.out, cases(factors, range(options.seeds), real))
    print(table(rows), end="")
    if options.publish:
        write_rows(rows, HERE / "results" / "study.csv")
        figure(rows, FIGURE)
        refresh(PAGE, table(rows), "study")


def _resumed(out: Path, wanted: Sequence[Case]) -> list[Row]:
    """Return the rows of the cases that are ``wanted``: a line of ``out`` each, run where it is not there."""
    out.parent.mkdir(parents=True, exist_ok=True)
    known = [Row(**json.loads(line)) for line in out.read_text("utf-8").splitlines()] if out.exists() else []
    by_case: dict[tuple[str, float, str], list[Row]] = {}
    for row in known:
        by_case.setdefault((row.factor, row.level, row.name), []).append(row)
    rows: list[Row] = []
    with out.open("a", encoding="utf-8") as file:
        for case in wanted:
            key = (case.factor, case.level, case.name)
            if len(by_case.get(key, ())) < len(PACKERS):
                by_case[key] = list(rows_of(case))
                file.writelines(json.dumps(asdict(row)) + "\n" for row in by_case[key])
                file.flush()
            rows += by_case[key]
    return rows


if __name__ == "__main__":
    main()
