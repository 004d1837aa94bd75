"""Rows to CSV and Markdown, and the published table in the README."""

from __future__ import annotations

import csv
import io
import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path

from satchel.research.figures import GAPS, Figures, Reference, Row, figures, median, reference

OURS = "satchel"
RIVALS = ("highs-mip", "cp-sat-plain")
"""The engines that our targets are stated against."""

LABELS = tuple(f"{gap:.0e}".replace("e-0", "e-") for gap in GAPS)

COLUMNS = (
    *("units", "seed", "dials", "engine", "status", "feasible"),
    *("objective", "bound", "best_objective", "best_bound", "gap", "own_gap"),
    *(f"found_{label}" for label in LABELS),
    *(f"proved_{label}" for label in LABELS),
    *("proof", "primal_integral", "seconds", "setup", "peak_mb", "base_mb", "shortfall"),
    *("limit", "workers", "instance", "date", "commit", "note"),
)

LEGEND = """\
Medians over seeds, in seconds of wall clock from the problem in memory; every engine has the same limit and a
process of its own. Each cell of a gap reads *found / proved*: the pack is within that gap of the best bound
that any engine has of the instance / the engine's own bound says so. `–`: not reached by half of the runs;
`(k/n)`: reached by k of n runs. Gap: of the final pack to the best bound known. Integral: of the primal gap
over the limit. A heuristic proves nothing; of one that breaks rules, the gap is what it lacks even so."""

RATIO_LEGEND = """\
Time to prove each gap, by instance, median. `≥`: the rivals did not get there within the limit; `≤`: ours did
not."""


def measured(rows: Iterable[Row]) -> tuple[list[Figures], dict[str, Reference]]:
    """Return the figures of all rows, and the best known by instance."""
    by_instance: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        by_instance[row["instance"]].append(row)
    best = {name: reference(group) for name, group in by_instance.items()}
    return [figures(row, best[name]) for name, group in by_instance.items() for row in group], best


def csv_text(rows: Sequence[Row]) -> str:
    """Return one line per run; an empty cell is a time that was not reached."""
    found, best = measured(rows)
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(COLUMNS)
    for entry in sorted(found, key=lambda f: _order(f.row)):
        row, case = entry.row, entry.row["case"]
        known = best[row["instance"]]
        note = "; ".join(part for part in (row.get("note", ""), *row.get("complaints", ())) if part)
        writer.writerow(
            [
                case["units"],
                case["seed"],
                " ".join(case["dials"]),
                case["engine"],
                row["status"],
                row.get("feasible", ""),
                _blank(row.get("objective")),
                _blank(row.get("bound")),
                _blank(known.objective),
                _blank(known.bound),
                *(_blank(number) for number in (entry.gap, entry.own_gap)),
                *(_blank(number) for number in (*entry.found, *entry.proved, entry.proof)),
                _blank(round(entry.integral, 4)),
                *(row.get(name, "") for name in ("seconds", "setup", "peakMb", "baseMb", "shortfall")),
                case["limit"],
                case["workers"],
                row["instance"],
                row["date"],
                row["commit"],
                note,
            ]
        )
    return buffer.getvalue()


def _order(row: Row) -> tuple[int, int, str, str]:
    case = row["case"]
    return case["units"], case["seed"], " ".join(case["dials"]), case["engine"]


def _blank(number: float | None) -> float | str:
    return "" if number is None or math.isinf(number) else number


def markdown_text(rows: Sequence[Row], engines: Sequence[str]) -> str:
    """Return the report: where and how it was measured, one table per size, and the ratios to our rivals."""
    found, best = measured(rows)
    lines = [*_protocol(rows), ""]
    contradictions = sorted(name for name, known in best.items() if known.contradiction)
    if contradictions:
        names = ", ".join(contradictions)
        lines += [f"**Contradiction**: on {names} a pack is worth more than some engine's bound.", ""]
    groups: dict[tuple[int, str], list[Figures]] = defaultdict(list)
    for entry in found:
        groups[entry.row["case"]["units"], " ".join(entry.row["case"]["dials"])].append(entry)
    for (units, dials), entries in sorted(groups.items()):
        lines += [*_table(units, dials, entries, engines), ""]
    lines += _ratios(groups)
    return "\n".join(lines).rstrip() + "\n"


def _protocol(rows: Sequence[Row]) -> list[str]:
    dates = sorted({row["date"] for row in rows})
    cores = _list(sorted({row["cores"] for row in rows}))
    workers = _list(sorted({row["case"]["workers"] for row in rows}))
    versions = sorted({f"{name} {version}" for row in rows for name, version in row["versions"].items()})
    commits = sorted({row["commit"] for row in rows if row["commit"]})
    when = dates[0] if len(dates) == 1 else f"{dates[0]} to {dates[-1]}"
    where = f"on {cores} cores, workers for each engine that uses them: {workers}"
    at = f"; commit {', '.join(commits)}" if commits else ""
    return [f"Measured {when} {where}; {', '.join(versions)}{at}.", "", LEGEND]


def _list(numbers: Iterable[int]) -> str:
    return " or ".join(str(number) for number in numbers)


def _table(units: int, dials: str, entries: list[Figures], engines: Sequence[str]) -> list[str]:
    limits = " or ".join(sorted({f"{entry.row['case']['limit']:g}" for entry in entries}))
    seeds = len({entry.row["case"]["seed"] for entry in entries})
    name = f"{units:,} units{f', {dials}' if dials else ''}"
    title = f"### {name} (seeds: {seeds}, limit: {limits} s)"
    header = ["engine", *LABELS, "proof", "gap", "integral", "peak MB"]
    lines = [title, "", "| " + " | ".join(header) + " |", "|---" * len(header) + "|"]
    by_engine: dict[str, list[Figures]] = defaultdict(list)
    for entry in entries:
        by_engine[entry.row["case"]["engine"]].append(entry)
    known = [name for name in engines if name in by_engine]
    names = [*known, *sorted(set(by_engine) - set(known))]
    return lines + ["| " + " | ".join(_cells(name, by_engine[name])) + " |" for name in names]


def _cells(name: str, entries: list[Figures]) -> list[str]:
    broken = sum(bool(entry.row.get("complaints")) for entry in entries)
    failed = sum(entry.row["status"] in ("error", "killed", "no_answer") for entry in entries)
    label = name
    if broken:
        label += f" (breaks rules {broken}/{len(entries)})"
    if failed:
        label += f" (no answer {failed}/{len(entries)})"
    proves = any(entry.row.get("bound") is not None for entry in entries)
    cells = [label]
    for i in range(len(GAPS)):
        found = _time([entry.found[i] for entry in entries])
        cells.append(f"{found} / {_time([entry.proved[i] for entry in entries])}" if proves else found)
    cells.append(_time([entry.proof for entry in entries]) if proves else "")
    cells.append(_gap(median([entry.gap for entry in entries])))
    cells.append(f"{median([entry.integral for entry in entries]):.3g}")
    memory = [entry.row["peakMb"] for entry in entries if "peakMb" in entry.row]
    cells.append(f"{max(memory):,.0f}" if memory else "–")
    return cells


def _time(times: list[float]) -> str:
    reached = sum(not math.isinf(seconds) for seconds in times)
    middle = median(times)
    text = "–" if math.isinf(middle) else f"{middle:.2f}" if middle < 10 else f"{middle:.0f}"
    return text if reached in (0, len(times)) else f"{text} ({reached}/{len(times)})"


def _gap(gap: float) -> str:
    if math.isinf(gap):
        return "–"
    return "0" if gap == 0 else f"{gap:.1e}".replace("e-0", "e-") if gap < 0.01 else f"{gap:.1%}"


def _ratios(groups: dict[tuple[int, str], list[Figures]]) -> list[str]:
    """Return how many times faster ours was than the best rival, instance by instance, in the median."""
    levels = range(GAPS.index(1e-4), len(GAPS) + 1)
    header = ["units", *(LABELS[level] if level < len(GAPS) else "proof" for level in levels)]
    table = []
    for (units, dials), entries in sorted(groups.items()):
        cells = [_ratio(entries, level) for level in levels]
        if any(cells):
            name = f"{units:,}{f' ({dials})' if dials else ''}"
            table.append("| " + " | ".join([name, *(cell or "–" for cell in cells)]) + " |")
    if not table:
        return []
    title = f"### Times faster than the better of {' and '.join(RIVALS)}"
    head = "| " + " | ".join(header) + " |"
    return [title, "", RATIO_LEGEND, "", head, "|---" * len(header) + "|", *table]


def _ratio(entries: list[Figures], level: int) -> str:
    """Return the median ratio of times to prove ``GAPS[level]``; the level after the last is optimality."""
    by_instance: dict[str, dict[str, float]] = defaultdict(dict)
    for entry in entries:
        times = (*entry.proved, entry.proof)
        by_instance[entry.row["instance"]][entry.row["case"]["engine"]] = times[level]
    limit = max(float(entry.row["case"]["limit"]) for entry in entries)
    ratios: list[tuple[float, str]] = []
    for runs in by_instance.values():
        rivals = [runs[name] for name in RIVALS if name in runs]
        if OURS not in runs or not rivals or (math.isinf(runs[OURS]) and math.isinf(min(rivals))):
            continue
        ours, other = runs[OURS], min(rivals)
        mark = "≤" if math.isinf(ours) else "≥" if math.isinf(other) else ""
        ratios.append((min(other, limit) / max(min(ours, limit), 1e-3), mark))
    if not ratios:
        return ""
    ratio, mark = sorted(ratios)[len(ratios) // 2]
    return f"{mark}{ratio:.2g}"


def refresh(readme: Path, text: str, table: str = "solver") -> None:
    """Put ``text`` between the markers of ``table`` in ``readme``.

    Raises
    ------
    ValueError
        The markers are not there.
    """
    old = readme.read_text("utf-8")
    first, last = f"<!-- {table} table: start -->", f"<!-- {table} table: end -->"
    head, start, rest = old.partition(first)
    _, end, tail = rest.partition(last)
    if not start or not end:
        raise ValueError(f"{readme.name} has no {first} … {last}")
    readme.write_text(f"{head}{first}\n\n{text}\n{last}{tail}", "utf-8")
