"""Public instances with known optima, through the importers: ``python -m bench.literature --from FOLDER``.

Nothing is downloaded and no instance is part of this repository. FOLDER holds clones of the repositories in
:data:`SOURCES`, each in a folder of its name; what is not there is passed over, and said. Each instance is
imported, solved by Satchel's own search, and compared with the optimum that its source or a paper states.

Some families have no public instance with a stated optimum that fits: they take one of another family, stated
anew in their own format (marked ``restated``), so that their importers meet real sizes as well.
"""

from __future__ import annotations

import argparse
import csv
import io
import json
import re
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from satchel import InputError, SolveOptions, import_problem, solve

HERE = Path(__file__).resolve().parent

SOURCES = {
    "knapsack-01-instances": ("dnlfm/knapsack-01-instances", "bfab27c480c5"),
    "knapsackProblemInstances": ("JorikJooken/knapsackProblemInstances", "df45dfade087"),
    "KPCG": ("psanse/KPCG", "8bbe18e8d192"),
    "SUKP_python": ("elofamomo/SUKP_python", "2c607f5ca863"),
    "2024.0611": ("INFORMSJoC/2024.0611", "3c3bbf63140c"),
    "modeling-examples": ("Gurobi/modeling-examples", "cf8c3e709709"),
}
"""Folder -> repository on GitHub, and the commit that the published table was made with."""

MCLP = {
    "SJC324": {1: 5461, 2: 8790, 3: 11604, 4: 12106, 5: 12152},
    "SJC402": {1: 6555, 2: 11339, 3: 14690, 4: 15658, 5: 15970, 6: 15984},
    "SJC500": {1: 7944, 2: 12454, 3: 15730, 4: 17794, 5: 18859, 6: 19525, 7: 19692, 8: 19707},
}
"""Optima of maximal covering location (Lorena and Pereira 2002) by number of facilities, radius 800."""

SUKP = {
    "85_100_0.10_0.75": 12045,
    "85_100_0.15_0.85": 12369,
    "100_85_0.10_0.75": 13283,
    "100_85_0.15_0.85": 12479,
    "100_100_0.10_0.75": 14044,
    "100_100_0.15_0.85": 13508,
}
"""Best values known of the smallest set-union knapsacks of He et al. (2018)."""


@dataclass(frozen=True)
class Case:
    """An instance: where it is, how it is read, and the optimum that is known of it, if any."""

    family: str
    name: str
    path: Path
    known: float | None
    restated: bool = False


@dataclass(frozen=True)
class Row:
    """What came of a case; ``agrees`` is None where no optimum is known or none was proven."""

    family: str
    instance: str
    restated: bool
    units: int
    known: float | None
    ours: float | None
    bound: float | None
    status: str
    agrees: bool | None
    seconds: float


def knapsacks(folder: Path, _: Path) -> Iterator[Case]:
    """Pisinger's instances, small and large, each with a file that states its optimum."""
    root = folder / "knapsack-01-instances" / "pisinger_instances_01_KP"
    for size in ("low-dimensional", "large_scale"):
        for path in sorted((root / size).glob("*"), key=_natural):
            known = float((root / f"{size}-optimum" / path.name).read_text("utf-8").split()[0])
            yield Case("knapsack", path.name, path, known)


def hard_knapsacks(folder: Path, _: Path) -> Iterator[Case]:
    """Of Jooken et al. (2022): 400 items, capacity 10**6, two groups; the optimum is in ``outp.out``."""
    root = folder / "knapsackProblemInstances" / "problemInstances"
    for path in sorted(root.glob("n_400_c_1000000_g_2_f_0.1_eps_0*_s_100/test.in"), key=_natural):
        known = float(path.with_name("outp.out").read_text("utf-8").split()[0])
        yield Case("knapsack", path.parent.name, path, known)


def choices(folder: Path, scratch: Path) -> Iterator[Case]:
    """0-1 knapsacks as multiple-choice ones: of each class the item, or nothing."""
    for case in knapsacks(folder, scratch):
        if re.fullmatch(r"knapPI_\d_(100|500|2000)_1000_1", case.name):
            lines = [line.split() for line in case.path.read_text("utf-8").splitlines() if line.strip()]
            count, capacity = lines[0]
            text = f"{count} {capacity}\n" + "".join(
                f"2\n{p} {w}\n0 0\n" for p, w in lines[1 : int(count) + 1]
            )
            yield Case("mckp", case.name, _put(scratch, f"{case.name}.mckp", text), case.known, restated=True)


def conflicts(folder: Path, _: Path) -> Iterator[Case]:
    """The sample of Coniglio et al. (2021): 120 items, conflict density 0.1 to 0.9; one optimum is stated."""
    for path in sorted((folder / "KPCG" / "bin" / "C3").glob("BPPC*"), key=_natural):
        yield Case("kpcg", path.name, path, 570 if path.name.endswith("0.3") else None)


def needs(folder: Path, scratch: Path) -> Iterator[Case]:
    """Opencast mining (Williams, Model Building in Mathematical Programming): blocks below blocks."""
    path = folder / "modeling-examples" / "opencast_mining" / "opencast_mining.ipynb"
    if not path.exists():
        return
    cells = json.loads(path.read_text("utf-8"))["cells"]
    code = "".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
    profits = {int(block): int(worth) for block, worth in re.findall(r"\('(\d+)'\): (-?\d+)", code)}
    arcs = [(int(a), int(b)) for a, b in re.findall(r"\('(\d+)','(\d+)'\): 1", code)]
    lines = [f"{len(profits)} {len(arcs)} {len(profits)}"]
    lines += [f"{worth} 1" for _, worth in sorted(profits.items())]
    lines += [f"{a - 1} {b - 1}" for a, b in arcs]
    yield Case("pckp", "opencast", _put(scratch, "opencast.pckp", "\n".join(lines) + "\n"), 17_500)


def unions(folder: Path, _: Path) -> Iterator[Case]:
    """The smallest set-union knapsacks of He et al. (2018)."""
    root = folder / "SUKP_python" / "SUKP_instances_60"
    for name, known in SUKP.items():
        for path in sorted(root.glob(f"*/sukp?{name}.txt")):
            yield Case("sukp", f"sukp_{name}", path, known)


def coverages(folder: Path, scratch: Path) -> Iterator[Case]:
    """Maximal covering location (Lorena and Pereira 2002) as coverage with items of weight 1."""
    for name, p, known, near, people in _locations(folder):
        lines = [f"m={len(near)} n={len(people)} size={p}", "The weight of the items"]
        lines += [" ".join("1" for _ in near), "The profit of the elements", " ".join(map(str, people))]
        lines += ["Relation matrix"]
        lines += [" ".join("1" if e in row else "0" for e in range(len(people))) for row in near]
        path = _put(scratch, f"{name}_{p}.bmcp", "\n".join(lines) + "\n")
        yield Case("bmcp", f"{name} p={p}", path, known)


def summaries(folder: Path, scratch: Path) -> Iterator[Case]:
    """The same locations as sentences of one word that hold concepts."""
    for name, p, known, near, people in _locations(folder):
        if name != "SJC324":
            continue
        lines = [f"budget {p}", *(f"concept c{e} {weight}" for e, weight in enumerate(people))]
        lines += [f"sentence s{i} 1 {' '.join(f'c{e}' for e in sorted(row))}" for i, row in enumerate(near)]
        path = _put(scratch, f"{name}_{p}.summary", "\n".join(lines) + "\n")
        yield Case("summary", f"{name} p={p}", path, known, restated=True)


def _locations(folder: Path) -> Iterator[tuple[str, int, int, list[set[int]], list[int]]]:
    """Yield (name, facilities, optimum, who is within 800 of each site, people at each site)."""
    for name, optima in MCLP.items():
        path = folder / "2024.0611" / "data" / "SJC" / f"{name}.txt"
        if not path.exists():
            continue
        lines = path.read_text("utf-8").split("\n")
        count = int(lines[0].split()[0])
        sites = [tuple(map(int, line.split())) for line in lines[1 : count + 1]]
        near = [
            {j for j, (x2, y2, _) in enumerate(sites) if (x - x2) ** 2 + (y - y2) ** 2 <= 800**2}
            for x, y, _ in sites
        ]
        for p, known in optima.items():
            yield name, p, known, near, [people for _, _, people in sites]


FAMILIES: tuple[Callable[[Path, Path], Iterator[Case]], ...] = (
    *(knapsacks, hard_knapsacks, choices, needs, conflicts, unions, coverages, summaries),
)


def run(case: Case, limit: float) -> Row:
    """Import and solve ``case``."""
    problem = import_problem(case.family, case.path).problem
    started = time.monotonic()
    try:
        answer = solve(problem, SolveOptions(time_limit=limit)).solver
    except InputError as error:
        return Row(
            *(case.family, case.name, case.restated, len(problem.units), case.known, None, None),
            *(f"refused: {error.message}", None, 0.0),
        )
    ours, bound = answer.objective / answer.scale, answer.bound / answer.scale
    proven = answer.objective == answer.bound
    agrees = None
    if case.known is not None:
        # Decimal values are stated to a few digits by their sources.
        near = abs(ours - case.known) <= 1e-4
        agrees = near if proven else None if ours <= case.known + 1e-4 <= bound + 2e-4 else False
    seconds = round(time.monotonic() - started, 2)
    units, status = len(problem.units), answer.status.value
    return Row(
        *(case.family, case.name, case.restated, units, case.known, ours, bound, status, agrees, seconds)
    )


def _natural(path: Path) -> list[tuple[int, str]]:
    parts = re.split(r"(\d+)", path.as_posix())
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in parts]


def _put(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, "utf-8")
    return path


def csv_text(rows: Sequence[Row]) -> str:
    """Return one line per instance."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow([field.name for field in fields(Row)])
    for row in rows:
        writer.writerow(["" if cell is None else cell for cell in asdict(row).values()])
    return buffer.getvalue()


def markdown(rows: Sequence[Row]) -> str:
    """Return a line per family: how many were proven, and how many of these agree."""
    lines = ["| family | instances | proven | agree with the known optimum | not proven | seconds, median |"]
    lines.append("|---|---|---|---|---|---|")
    for family in dict.fromkeys((row.family, row.restated) for row in rows):
        group = [row for row in rows if (row.family, row.restated) == family]
        proven = [row for row in group if row.status == "optimal"]
        stated = [row for row in proven if row.known is not None]
        name = f"{family[0]}{' (restated)' if family[1] else ''}"
        agree = f"{sum(row.agrees is True for row in stated)} of {len(stated)}"
        middle = sorted(row.seconds for row in group)[len(group) // 2]
        lines.append(
            f"| {name} | {len(group)} | {len(proven)} | {agree} | {len(group) - len(proven)} | {middle:.1f} |"
        )
    return "\n".join(lines) + "\n"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what is there; exit code 1 where an optimum is contradicted."""
    parser = argparse.ArgumentParser(prog="python -m bench.literature", description=__doc__.splitlines()[0])
    parser.add_argument("--from", dest="folder", type=Path, required=True, help="folder of the clones")
    parser.add_argument("--limit", type=float, default=60.0, help="seconds for each instance")
    parser.add_argument("--only", help="a regular expression on 'family instance'")
    parser.add_argument("--csv", type=Path, help="write a line for each instance to this file")
    options = parser.parse_args(arguments)
    for name, (repository, commit) in SOURCES.items():
        if not (options.folder / name).is_dir():
            print(f"not there: {name} (github.com/{repository}, commit {commit})", file=sys.stderr)
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as scratch:
        for family in FAMILIES:
            for case in family(options.folder, Path(scratch)):
                if options.only and not re.search(options.only, f"{case.family} {case.name}"):
                    continue
                row = run(case, options.limit)
                print(
                    f"{row.family:<9} {row.instance:<40} {row.status:<9} {row.ours} of {row.known}",
                    flush=True,
                )
                rows.append(row)
    if options.csv:
        options.csv.write_text(csv_text(rows), "utf-8")
    print(markdown(rows), end="")
    return 1 if any(row.agrees is False for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
