"""Counts that do not depend on the machine, against a baseline: ``python -m bench.regress``.

Sixteen small instances are solved without a clock: some to the end, some to a deterministic limit. Compared
with ``regress.json`` are

``objective`` and ``bound``
    of what is proven: they must be the same, whatever the libraries;
``gap``
    of what the deterministic limit ended: it must not be wider by more than the slack;
``iterations``, ``programs``, ``searches`` and ``work``
    of the simplex, programs that were relaxed, runs of CP-SAT and their deterministic time: they must not
    grow by more than the slack. Other versions of the libraries count otherwise: then these are told, and
    nothing is held against them.

``--update`` writes the baseline anew, after a change that is meant to change it. Seconds are nowhere in it.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from importlib import metadata
from pathlib import Path
from typing import Any
from unittest.mock import patch

from satchel import Problem, SolveOptions, solve
from satchel.research import make
from satchel.solver.backends.cpsat import CpSat
from satchel.solver.backends.highs import Simplex

from .generate import generate
from .spec import Spec

HERE = Path(__file__).resolve().parent
BASELINE = HERE / "regress.json"

SLACK = 0.25
"""Counts may grow by a quarter and ten: a change of a coefficient's last bit moves them that far."""

TEN = 10.0

COUNTS = ("iterations", "programs", "searches", "work")


@dataclass
class Counted:
    """What one solve came to, and what it took in machine-independent numbers."""

    status: str = ""
    objective: int = 0
    bound: int = 0
    gap: float = 0.0
    iterations: int = 0
    programs: int = 0
    searches: int = 0
    work: float = 0.0


@dataclass(frozen=True)
class Case:
    """An instance by what draws it, and the deterministic limit; None asks for the proof."""

    name: str
    draw: Callable[[], Problem]
    limit: float | None = None


CASES = (
    *(Case(f"evidence-60-{seed}", lambda seed=seed: generate(Spec(60), seed)) for seed in range(3)),
    Case("evidence-120", lambda: generate(Spec(120), 1)),
    Case("evidence-tight", lambda: generate(Spec(100, tightness=0.08), 2)),
    Case("evidence-covers", lambda: generate(Spec(100, cover=4.0), 3)),
    Case("evidence-groups", lambda: generate(Spec(100, groups=0.3), 4)),
    Case("evidence-1000-cut", lambda: generate(Spec(1000), 5), 0.1),
    Case("knapsack-strongly", lambda: make("knapsack", 300, 1, kind="strongly")),
    Case("knapsack-weakly", lambda: make("knapsack", 1000, 2)),
    Case("mckp", lambda: make("mckp", 100, 3)),
    Case("pckp", lambda: make("pckp", 80, 4)),
    Case("kpcg", lambda: make("kpcg", 40, 5)),
    Case("sukp-cut", lambda: make("sukp", 160, 6, density=0.1), 0.5),
    Case("bmcp", lambda: make("bmcp", 30, 7)),
    Case("summary", lambda: make("summary", 40, 8)),
)


@contextmanager
def counting() -> Iterator[Counted]:
    """Count what solves take while inside."""
    counts = Counted()
    search, relax, begin = CpSat.solve, Simplex.solve, Simplex.__init__

    def searched(self: CpSat, *args: Any, **kwargs: Any) -> Any:
        answer = search(self, *args, **kwargs)
        counts.searches += 1
        counts.work += answer.deterministic_time
        return answer

    def relaxed(self: Simplex, *args: Any, **kwargs: Any) -> Any:
        answer = relax(self, *args, **kwargs)
        counts.iterations += max(0, int(self._highs.getInfo().simplex_iteration_count))
        return answer

    def begun(self: Simplex, *args: Any, **kwargs: Any) -> None:
        begin(self, *args, **kwargs)
        counts.programs += 1

    with (
        patch.object(CpSat, "solve", searched),
        patch.object(Simplex, "solve", relaxed),
        patch.object(Simplex, "__init__", begun),
    ):
        yield counts


def run(case: Case) -> Counted:
    """Solve ``case`` and return its counts."""
    problem = case.draw()
    with counting() as counts:
        answer = solve(problem, SolveOptions(deterministic_limit=case.limit)).solver
    counts.status, counts.objective, counts.bound = answer.status.value, answer.objective, answer.bound
    counts.gap, counts.work = answer.gap, round(counts.work, 4)
    return counts


def versions() -> dict[str, str]:
    """Return the versions of the libraries that count."""
    return {name: metadata.version(name) for name in ("highspy", "ortools")}


def differences(name: str, now: Counted, then: dict[str, Any], *, same_libraries: bool) -> Iterator[str]:
    """Yield what is worse in ``now`` than in the baseline ``then``."""
    if then["status"] == "optimal":
        if now.status != "optimal":
            yield f"{name}: was proven optimal, is {now.status}"
        elif now.objective != then["objective"]:
            yield f"{name}: the optimum was {then['objective']:,}, is {now.objective:,}"
    elif now.objective > then["bound"] or now.bound < then["objective"]:
        known = f"{then['objective']:,} of {then['bound']:,}"
        yield f"{name}: {now.objective:,} of {now.bound:,} contradicts {known}"
    elif now.gap > then["gap"] * (1 + SLACK) + 1e-6:
        yield f"{name}: at the deterministic limit the gap was {then['gap']:.2e}, is {now.gap:.2e}"
    if not same_libraries:
        return
    for count in COUNTS:
        before, after = then[count], getattr(now, count)
        # Work is in units of about a second; the other counts in whole things.
        spare = 0.1 if count == "work" else TEN
        if after > before * (1 + SLACK) + spare:
            yield f"{name}: {count} were {before:,}, are {after:,}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run all cases; exit code 1 where something is worse than the baseline."""
    parser = argparse.ArgumentParser(prog="python -m bench.regress", description=__doc__.splitlines()[0])
    parser.add_argument("--update", action="store_true", help="write the baseline anew")
    parser.add_argument("--baseline", type=Path, default=BASELINE)
    options = parser.parse_args(arguments)
    found = {case.name: run(case) for case in CASES}
    if options.update:
        data = {"versions": versions(), "cases": {name: asdict(counts) for name, counts in found.items()}}
        options.baseline.write_text(json.dumps(data, indent=1) + "\n", "utf-8")
        print(f"wrote {options.baseline.name}: {len(found)} cases")
        return 0
    then = json.loads(options.baseline.read_text("utf-8"))
    same = then["versions"] == versions()
    if not same:
        print(f"other libraries than the baseline's {then['versions']}: counts are not compared")
    if found.keys() != then["cases"].keys():
        print("the baseline is of other cases; write it anew with --update")
        return 1
    worse = [
        line
        for name, now in found.items()
        for line in differences(name, now, then["cases"][name], same_libraries=same)
    ]
    for line in worse:
        print(line)
    print(f"{len(found)} cases, {len(worse)} worse than the baseline")
    return 1 if worse else 0


if __name__ == "__main__":
    sys.exit(main())
