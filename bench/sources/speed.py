"""How fast a folder is read, beside others: ``python -m bench.sources.speed FOLDER [FOLDER …]``.

    [--repeat 3] [--repomix VERSION | --repomix none] [--about TEXT]

In one run, in turn, on a copy of each folder: Satchel's whole scan (walk, read, redact, cut, index, score,
count every form of every unit) without a cache, with a full one, and after touching one file; repomix
``--compress``, which the bench installs into a temporary folder with npm; and ripgrep, which reads every file
and does nothing with it: the floor. The start of each program is part of its time, and the shortest of the
repeats counts. Where others use the machine, seconds of processor tell more than the clock.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from satchel.sources.walk import WalkOptions, walk

REPOMIX: Final = "1.18.1"
"""The release of repomix that is measured unless another one is named."""

_ABOUT: Final = "Reading options, opening files and reporting errors"
_COLD: Final = "satchel, cold"


@dataclass(frozen=True)
class Tool:
    """A program that is measured: its command line, and what happens before each run of it."""

    name: str
    command: tuple[str, ...]
    before: Callable[[], None] = lambda: None


@dataclass(frozen=True)
class Timed:
    """The shortest run of a program.

    Attributes
    ----------
    wall, cpu
        Seconds: by the clock, and of all its processes.
    peak_mib
        Largest resident memory of one of its processes, in MiB.
    """

    name: str
    wall: float
    cpu: float
    peak_mib: float


def tools(root: Path, cache: Path, about: str, repomix: Path | None) -> list[Tool]:
    """Return what is measured on the tree at ``root``; ``cache`` is a folder for Satchel's."""
    task = ("--task", "api-reference", "--about", about, "--budget", "8k", "--quiet")
    scan = (sys.executable, "-m", "satchel.cli", "scan", str(root), *task)
    middle = _middle(root)
    found = [
        Tool(_COLD, (*scan, "--no-cache")),
        Tool("satchel, cold, filling a cache", (*scan, "--cache-dir", str(cache)), lambda: _emptied(cache)),
        Tool("satchel, warm", (*scan, "--cache-dir", str(cache))),
        Tool("satchel, one file touched", (*scan, "--cache-dir", str(cache)), lambda: os.utime(middle)),
    ]
    if repomix is not None:
        out = str(cache.parent / "repomix.xml")
        found.append(
            Tool("repomix --compress", (str(repomix), "--compress", "--quiet", "-o", out, str(root)))
        )
    ripgrep = shutil.which("rg")
    if ripgrep is not None:
        found.append(Tool("ripgrep", (ripgrep, "--count", "--quiet", "no line is like this one", str(root))))
    return found


def measured(tools: Sequence[Tool], repeat: int) -> list[Timed]:
    """Run each tool ``repeat`` times, one after the other, and return the shortest run of each."""
    runs: dict[str, list[Timed]] = {tool.name: [] for tool in tools}
    for _ in range(repeat):
        for tool in tools:
            tool.before()
            runs[tool.name].append(_run(tool))
    return [min(found, key=lambda run: run.wall) for found in runs.values()]


def _run(tool: Tool) -> Timed:
    started = time.perf_counter()
    process = subprocess.Popen(
        tool.command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    assert process.stderr is not None
    told = process.stderr.read()
    _, status, used = os.wait4(process.pid, 0)
    wall = time.perf_counter() - started
    process.stderr.close()
    process.returncode = os.waitstatus_to_exitcode(status)
    # ripgrep ends with 1 when it finds nothing, as here.
    if process.returncode not in ((0, 1) if tool.name == "ripgrep" else (0,)):
        raise RuntimeError(f"{tool.name} ended with {process.returncode}: {told.decode(errors='replace')}")
    return Timed(tool.name, wall, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)


def _middle(root: Path) -> Path:
    files = walk(root, WalkOptions()).files
    return Path(root, files[len(files) // 2].raw)


def _emptied(cache: Path) -> None:
    shutil.rmtree(cache, ignore_errors=True)


def installed_repomix(version: str, folder: Path) -> Path | None:
    """Return repomix's program, installed into ``folder``; None where npm is missing or cannot have it."""
    npm = shutil.which("npm")
    if npm is None:
        return None
    wanted = [npm, "install", "--prefix", str(folder), "--no-audit", "--no-fund", "--silent"]
    done = subprocess.run([*wanted, f"repomix@{version}"], capture_output=True, check=False)
    program = folder / "node_modules" / ".bin" / "repomix"
    return program if done.returncode == 0 and program.exists() else None


def table(files: int, size: int, rows: Sequence[Timed]) -> Iterator[str]:
    """Yield a Markdown table; ratios are to the first row."""
    first = rows[0]
    yield "| | wall s | CPU s | files/s | MB/s | wall, of the first | CPU, of the first | peak MiB |"
    yield "|---|---|---|---|---|---|---|---|"
    for row in rows:
        speed = f"{files / row.wall:,.0f} | {size / 1e6 / row.wall:,.1f}"
        ratios = f"{row.wall / first.wall:.2f} | {row.cpu / first.cpu:.2f}"
        yield f"| {row.name} | {row.wall:.1f} | {row.cpu:.1f} | {speed} | {ratios} | {row.peak_mib:,.0f} |"


def bench(folder: Path, about: str, repeat: int, repomix: Path | None) -> tuple[int, int, list[Timed]]:
    """Return how many files of a folder are read, their bytes, and the runs on a copy of it."""
    with tempfile.TemporaryDirectory() as place:
        root = Path(place) / folder.name
        shutil.copytree(folder, root, symlinks=True)
        time.sleep(2.5)  # the cache does not believe the times of files as young as these
        sources = walk(root, WalkOptions()).files
        rows = measured(tools(root, Path(place) / "cache", about, repomix), repeat)
    return len(sources), sum(source.size for source in sources), rows


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print a table for each folder."""
    parser = argparse.ArgumentParser(prog="bench.sources.speed", description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--repomix", default=REPOMIX, metavar="VERSION")
    parser.add_argument("--about", default=_ABOUT)
    parsed = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as place:
        wanted: str = parsed.repomix
        repomix = None if wanted == "none" else installed_repomix(wanted, Path(place))
        if repomix is None and wanted != "none":
            print(f"repomix {wanted} cannot be installed here: it is left out")
        for folder in parsed.folders:
            files, size, rows = bench(folder, parsed.about, parsed.repeat, repomix)
            print(f"\n{folder.name}: {files:,} files, {size / 1e6:,.1f} MB\n")
            print("\n".join(table(files, size, rows)), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
