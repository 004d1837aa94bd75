"""The report of a comparison as Markdown: ``python -m bench.compare_report FOLDER > bench/compare.md``.

FOLDER is what ``satchel compare`` left for the problems of ``bench.instances``. Real and drawn problems are
told apart by their names, and each kind has tables of its own.
"""

from __future__ import annotations

import argparse
import csv
import json
import math
import statistics
import sys
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path

from satchel.research.statistics import pairs

Row = Mapping[str, str]

KINDS = ("real", "drawn")

LEGEND = """\
Loss: share of the best bound of any engine that the pack lacks; all of it where there is no pack, where it
breaks a rule, or lacks more tokens of the zones' minima than it need. Overlap: Jaccard's index of the chosen
units with those of the best pack. Seconds: median. [docs/research.md](../docs/research.md) says more."""


def kind_of(name: str) -> str:
    """Return ``drawn`` or ``real``."""
    return "drawn" if name.startswith("drawn-") else "real"


def read(folder: Path, table: str) -> list[Row]:
    """Return the rows of a table of the comparison in ``folder``."""
    with (folder / f"{table}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def markdown(folder: Path, note: str = "") -> str:
    """Return the report, with ``note`` on how it was measured."""
    stated = json.loads((folder / "comparison.json").read_text("utf-8"))
    quality, times, lacks = (read(folder, table) for table in ("quality", "times", "lacks"))
    counts = [f"{len(_names(quality, kind))} {kind}" for kind in KINDS if _names(quality, kind)]
    what = f"On {' and '.join(counts)} problems ([instances.md](instances.md))"
    limit, seeds = stated["timeLimitSeconds"], ", ".join(map(str, stated["seeds"]))
    how = f"{limit:g} s for each run, seeds {seeds}, workers: {stated['workers']}"
    lines = ["# Engines compared", "", f"{what}, {how}. {_where(times)}", "", LEGEND]
    if note:
        lines += ["", note]
    for kind in KINDS:
        if _names(quality, kind):
            lines += ["", *_kind(kind, quality, times, lacks, stated["engines"])]
    return "\n".join(lines) + "\n"


def _names(rows: Iterable[Row], kind: str) -> list[str]:
    return sorted({row["instance"] for row in rows if kind_of(row["instance"]) == kind})


def _where(times: Sequence[Row]) -> str:
    dates = sorted({row["date"] for row in times})
    when = dates[0] if len(dates) == 1 else f"{dates[0]} to {dates[-1]}"
    cores = " or ".join(sorted({row["cores"] for row in times}))
    return f"Measured {when} on {cores} cores; {_versions(times)}."


def _versions(times: Sequence[Row]) -> str:
    return ", ".join(part.replace("=", " ") for part in times[0]["versions"].split(" "))


def _kind(
    kind: str,
    quality: Sequence[Row],
    times: Sequence[Row],
    lacks: Sequence[Row],
    engines: Sequence[str],
) -> list[str]:
    own = [row for row in quality if kind_of(row["instance"]) == kind]
    lines = [f"## {len(_names(own, kind))} {kind} problems", "", _sizes(own), ""]
    head = ["engine", "keeps rules", "proved", "best", "mean loss", "median", "worst", "overlap", "seconds"]
    lines += ["| " + " | ".join(head) + " |", "|---" * len(head) + "|"]
    for engine in engines:
        runs = [row for row in own if row["engine"] == engine]
        seconds = [
            float(row["seconds"])
            for row in times
            if row["engine"] == engine and kind_of(row["instance"]) == kind and row["seconds"]
        ]
        lines.append("| " + " | ".join([engine, *_cells(runs), _median(seconds)]) + " |")
    lines += [
        "",
        *_pairs(own, engines),
        "",
        *_by_tightness(own, engines),
        "",
        *_lacking(kind, lacks, engines),
    ]
    return lines


def _sizes(rows: Sequence[Row]) -> str:
    units = sorted({row["instance"]: int(row["units"]) for row in rows}.values())
    tight = sorted({row["instance"]: float(row["tightness"]) for row in rows}.values())
    return (
        f"{units[0]:,} to {units[-1]:,} units, {statistics.median(units):,.0f} in the median; budgets of "
        f"{tight[0]:.1%} to {min(1.0, tight[-1]):.0%} of all tokens."
    )


def _cells(runs: Sequence[Row]) -> list[str]:
    losses = [float(row["loss"]) for row in runs if row["loss"]]
    overlaps = [float(row["jaccard"]) for row in runs if row["jaccard"]]
    best = sum(row["keeps_rules"] == "yes" and row["objective"] == row["best_objective"] for row in runs)
    return [
        f"{sum(row['keeps_rules'] == 'yes' for row in runs)} of {len(runs)}",
        str(sum(row["status"] == "optimal" for row in runs)),
        str(best),
        _share(math.fsum(losses) / len(losses) if losses else None),
        _share(statistics.median(losses) if losses else None),
        _share(max(losses, default=None)),
        f"{math.fsum(overlaps) / len(overlaps):.2f}" if overlaps else "–",
    ]


def _share(part: float | None) -> str:
    if part is None:
        return "–"
    return "0" if part == 0 else f"{part:.3%}" if part < 0.001 else f"{part:.2%}"


def _median(seconds: Sequence[float]) -> str:
    return f"{statistics.median(seconds):.2f}" if seconds else "–"


def _losses(rows: Sequence[Row], engines: Sequence[str]) -> dict[str, dict[str, float]]:
    return {
        engine: {
            row["instance"]: float(row["loss"]) for row in rows if row["engine"] == engine and row["loss"]
        }
        for engine in engines
    }


def _pairs(rows: Sequence[Row], engines: Sequence[str]) -> list[str]:
    how = "95 % interval of the mean; p by signed ranks, adjusted by Holm"
    lines = [
        f"Loss beyond that of `{engines[0]}`, instance by instance ({how}):",
        "",
        "| engine | worse | equal | better | mean | interval | p |",
        "|---|---|---|---|---|---|---|",
    ]
    for row in pairs(_losses(rows, engines), engines[0]):
        ends = f"{_signed(row['low'])} to {_signed(row['high'])}"
        counts = f"{row['worse']} | {row['equal']} | {row['better']}"
        mean, p = _signed(row["mean_difference"]), f"{row['p_adjusted']:.2g}"
        lines.append(f"| {row['engine']} | {counts} | {mean} | {ends} | {p} |")
    return lines


def _signed(part: float) -> str:
    return "0" if part == 0 else f"{part:+.4%}" if abs(part) < 0.001 else f"{part:+.2%}"


def _by_tightness(rows: Sequence[Row], engines: Sequence[str]) -> list[str]:
    """Return the mean loss by tightness, in five ranges."""
    edges = (0.0, 0.15, 0.25, 0.4, 0.6, math.inf)
    names = ("up to 15 %", "15 to 25 %", "25 to 40 %", "40 to 60 %", "above 60 %")
    groups: list[list[Row]] = [
        [row for row in rows if low < float(row["tightness"]) <= high] for low, high in pairwise(edges)
    ]
    shown = [(name, group) for name, group in zip(names, groups, strict=True) if group]
    lines = [
        "Mean loss by tightness (the budget as a share of all tokens):",
        "",
        "| engine | " + " | ".join(f"{name} (n {len(_all(group))})" for name, group in shown) + " |",
        "|---" * (len(shown) + 1) + "|",
    ]
    for engine in engines:
        cells = []
        for _, group in shown:
            losses = [float(row["loss"]) for row in group if row["engine"] == engine and row["loss"]]
            cells.append(_share(math.fsum(losses) / len(losses) if losses else None))
        lines.append(f"| {engine} | " + " | ".join(cells) + " |")
    return lines


def _all(rows: Iterable[Row]) -> set[str]:
    return {row["instance"] for row in rows}


def _lacking(kind: str, lacks: Sequence[Row], engines: Sequence[str]) -> list[str]:
    own = [row for row in lacks if kind_of(row["instance"]) == kind]
    lines = [
        "Units by what the best pack does otherwise, over all instances:",
        "",
        "| engine | lacks | has beside it | fuller there | shorter there |",
        "|---|---|---|---|---|",
    ]
    for engine in engines:
        rows = [row for row in own if row["engine"] == engine]
        both = [(int(row["best_form"]), int(row["form"])) for row in rows if row["best_form"] and row["form"]]
        counts = (
            sum(not row["form"] for row in rows),
            sum(not row["best_form"] for row in rows),
            sum(best < form for best, form in both),
            sum(best > form for best, form in both),
        )
        lines.append(f"| {engine} | " + " | ".join(f"{count:,}" for count in counts) + " |")
    return lines


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the report of the comparison in a folder."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.compare_report", description=__doc__.splitlines()[0]
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--note", default="", help="what else a reader should know of how it was measured")
    options = parser.parse_args(arguments)
    sys.stdout.write(markdown(options.folder, options.note))


if __name__ == "__main__":
    main()
