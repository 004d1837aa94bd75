"""What the cache saves, and whether it holds: ``python -m bench.cache scan FOLDER``, ``pack``, ``together``.

``scan`` prepares packs of a copy of a folder cold, warm, after touching one file and after editing one, each
in a process of its own, and compares every byte with a run that has no cache. ``pack`` does the same with the
whole command, and with another task: from the start of the interpreter to the three files. ``together`` lets
four workers, three packers and a watcher loose on one cache for a minute, while files are edited, and looks
for lock errors, lost jobs and doubled results.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

WORKERS: Final = 4
PACKERS: Final = 3
FILES: Final = 200
"""Files of the repository that processes work on together."""

_ABOUT: Final = "Reading options, opening files and reporting errors"

_MEASURED: Final = """
import json, resource, sys, time
from pathlib import Path
from satchel import CacheOptions, PackOptions, Task, make_estimator, prepare
root, cache, about = sys.argv[1:]
def spent():
    used = [resource.getrusage(whose) for whose in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(part.ru_utime + part.ru_stime for part in used)
make_estimator().count_batch(["the vocabulary is loaded before the clock starts"])
told = []
options = PackOptions(
    budget=8000, cache=CacheOptions(Path(cache)) if cache else None, on_notice=told.append
)
wall, cpu = time.perf_counter(), spent()
found, problem = prepare(root, Task(kind="api-reference", about=about), options)
wall, cpu = time.perf_counter() - wall, spent() - cpu
print(json.dumps({
    "wall": wall, "cpu": cpu, "units": len(problem.units), "files": found.report.files, "told": told,
    "digest": problem.digest, "peakMiB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
}))
"""


@dataclass(frozen=True)
class Scanned:
    """One run: its seconds and memory, and whether its bytes are those of a run without a cache."""

    name: str
    wall: float
    cpu: float
    share: float
    same: bool
    peak_mib: float
    files: int
    units: int


def scan(folder: Path, about: str = _ABOUT) -> list[Scanned]:
    """Measure scanning a copy of ``folder``, from reading to counted units; no solve."""
    with tempfile.TemporaryDirectory() as place:
        root, cache = Path(place) / "tree", Path(place) / "cache"
        shutil.copytree(folder, root, symlinks=True)
        touched = sorted(path for path in root.rglob("*.py") if ".git" not in path.parts)
        middle = touched[len(touched) // 2]
        # Files as young as these are not believed by their times: a repository is older than its cache.
        time.sleep(2.5)
        out: list[Scanned] = []
        cold, expected = 0.0, ""
        for name, change in (
            ("cold", lambda: None),
            ("nothing changed", lambda: None),
            ("one file touched", lambda: os.utime(middle)),
            ("one file edited", lambda: _append(middle)),
        ):
            change()
            with_cache = _measured(root, cache, about)
            if name in ("cold", "one file edited"):
                expected = _measured(root, None, about)["digest"]
            cold = cold or with_cache["cpu"]
            out.append(
                Scanned(
                    name=name,
                    wall=with_cache["wall"],
                    cpu=with_cache["cpu"],
                    share=with_cache["cpu"] / cold,
                    same=with_cache["digest"] == expected and not with_cache["told"],
                    peak_mib=with_cache["peakMiB"],
                    files=with_cache["files"],
                    units=with_cache["units"],
                )
            )
        return out


_OTHER_TASK: Final = "Caching of pages, and when they expire"


def packs(folder: Path, about: str = _ABOUT) -> list[Scanned]:
    """Measure the whole command on a copy of ``folder``: reading, solving, checking, writing."""
    with tempfile.TemporaryDirectory() as place:
        root, cache = Path(place) / "tree", Path(place) / "cache"
        shutil.copytree(folder, root, symlinks=True)
        every = sorted(
            path for path in root.rglob("*") if path.suffix in (".py", ".php", ".go", ".ts", ".md")
        )
        middle = next(path for path in every[len(every) // 2 :] if ".git" not in path.parts)
        time.sleep(2.5)
        out: list[Scanned] = []
        cold, expected = 0.0, ""
        for name, words, change in (
            ("cold", about, lambda: None),
            ("nothing changed", about, lambda: None),
            ("one file touched", about, lambda: os.utime(middle)),
            ("another task", _OTHER_TASK, lambda: None),
            ("one file edited", about, lambda: middle.write_bytes(middle.read_bytes() + b"\n# More.\n")),
        ):
            change()
            wall, cpu, peak, digest, counts = _command(root, cache, words, Path(place) / "out")
            cold = cold or cpu
            if name not in ("nothing changed", "one file touched"):
                expected = _command(root, None, words, Path(place) / "plain")[3]
            out.append(Scanned(name, wall, cpu, cpu / cold, digest == expected, peak, *counts))
        return out


def _command(
    root: Path, cache: Path | None, about: str, out: Path
) -> tuple[float, float, float, str, tuple[int, int]]:
    """Run ``satchel pack``; returns wall and CPU seconds, peak MiB, a digest of what it wrote, and counts."""
    where = ["--no-cache"] if cache is None else ["--cache-dir", str(cache)]
    task = ["--task", "api-reference", "--about", about, "--budget", "8k", "-q"]
    command = [sys.executable, "-m", "satchel.cli", "pack", str(root), *task, *where, "--out", str(out)]
    wall = time.perf_counter()
    with subprocess.Popen(command) as process:
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    wall = time.perf_counter() - wall
    if process.returncode:
        raise SystemExit(f"{' '.join(command)} ended with {process.returncode}")
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in sorted(out.iterdir()) if path.is_file()))
    context = json.loads((out / "packed-context.json").read_bytes())
    counts = context["scan"]["files"], context["counts"]["candidates"]
    return wall, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, digest.hexdigest(), counts


def _append(path: Path) -> None:
    path.write_text(path.read_text("utf-8") + "\n\ndef added(value):\n    return value\n", "utf-8")


def _measured(root: Path, cache: Path | None, about: str) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, "-c", _MEASURED, str(root), str(cache or ""), about],
        capture_output=True,
        text=True,
        check=True,
    )
    return dict(json.loads(done.stdout))


@dataclass(frozen=True)
class Together:
    """What many processes on one cache left.

    Attributes
    ----------
    packs, rounds, edits
        Packs made, rounds of the watcher, and edits of files meanwhile.
    errors
        What any process wrote on standard error, or ended with.
    lost, doubled
        Files that have neither a summary nor a job; texts that have more than one.
    faults
        Rows that are not what reading the files anew gives.
    seconds
        How long it ran.
    """

    packs: int
    rounds: int
    edits: int
    errors: tuple[str, ...]
    lost: tuple[str, ...]
    doubled: int
    faults: tuple[str, ...]
    seconds: float

    @property
    def passed(self) -> bool:
        """Whether nothing went wrong, and something went on."""
        wrong = (*self.errors, *self.lost, *self.faults)
        return not wrong and not self.doubled and self.packs > 0 and self.rounds > 0


def together(seconds: float, *, seed: int = 1) -> Together:
    """Run four workers, three packers and a watcher for ``seconds`` while files change."""
    with tempfile.TemporaryDirectory() as place:
        root, cache = Path(place) / "tree", Path(place) / "cache"
        chance = random.Random(seed)
        for n in range(FILES):
            _write(root, n, chance)
        started = time.monotonic()
        until = started + seconds
        crew = [_start(place, "work", "cache", "work", root, "--stay", "--workers", WORKERS, cache=cache)]
        crew.append(_start(place, "watch", "cache", "watch", root, "--workers", 0, "--json", cache=cache))
        packers: list[subprocess.Popen[bytes] | None] = [None] * PACKERS
        packs = edits = 0
        errors: list[str] = []
        while time.monotonic() < until or any(packers):
            for n, packer in enumerate(packers):
                if packer is not None and packer.poll() is None:
                    continue
                if packer is not None:
                    packs += 1
                    errors += _errors(place, f"pack{n}", packer, ended=True)
                packers[n] = None
                if time.monotonic() < until:
                    use = chance.choice(("cached", "compute"))
                    packers[n] = _start(
                        place,
                        f"pack{n}",
                        "scan",
                        root,
                        "--summaries",
                        use,
                        "-q",
                        "--budget",
                        "4k",
                        cache=cache,
                    )
            if time.monotonic() < until:
                edits += _edit(root, chance)
            time.sleep(0.02)
        for process, name in zip(crew, ("work", "watch"), strict=True):
            process.send_signal(signal.SIGINT)
            process.wait(60)
            errors += _errors(place, name, process, ended=name == "watch")
        rounds = len((Path(place) / "watch.out").read_text("utf-8").splitlines())
        return _account(root, cache, packs, rounds, edits, errors, time.monotonic() - started)


def _write(root: Path, n: int, chance: random.Random) -> None:
    folder = root / f"part{n % 7}"
    folder.mkdir(parents=True, exist_ok=True)
    lines = [
        f"Option {n} of kind {m} is read from file {chance.randrange(1000)} before it is opened. "
        f"An error in line {chance.randrange(1000)} is reported once."
        for m in range(12)
    ]
    fresh = folder / f".{n}.tmp"
    fresh.write_text(f"# Option {n}\n\n" + "\n\n".join(lines) + "\n", "utf-8")
    fresh.replace(folder / f"page{n}.md")


def _edit(root: Path, chance: random.Random) -> int:
    n = chance.randrange(FILES)
    path = root / f"part{n % 7}" / f"page{n}.md"
    kind = chance.choice(("write", "write", "delete", "rename", "touch"))
    if kind == "write":
        _write(root, n, chance)
    elif path.exists():
        if kind == "delete":
            path.unlink()
        elif kind == "touch":
            os.utime(path)
        else:
            path.replace(path.with_name(f"renamed{n}.md"))
    return 1


def _start(place: str, name: str, *arguments: object, cache: Path) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "satchel.cli", *map(str, arguments), "--cache-dir", str(cache)]
    with (Path(place) / f"{name}.out").open("ab") as out, (Path(place) / f"{name}.err").open("ab") as err:
        return subprocess.Popen(command, stdout=out, stderr=err, cwd=place)


def _errors(place: str, name: str, process: subprocess.Popen[bytes], *, ended: bool) -> list[str]:
    """Return what a process wrote on standard error since last asked, and an exit code that is none."""
    path = Path(place) / f"{name}.err"
    told = [f"{name}: {line}" for line in path.read_text("utf-8").splitlines() if "interrupted" not in line]
    path.write_text("")
    return [*told, *([f"{name}: exit code {process.returncode}"] if ended and process.returncode else [])]


def _account(
    root: Path, cache: Path, packs: int, rounds: int, edits: int, errors: Sequence[str], seconds: float
) -> Together:
    from satchel import CacheOptions, open_cache, verify_cache

    with open_cache(root, CacheOptions(cache)) as opened:
        database = opened.database
        jobs = opened.queue.paths()
        done = {digest for (digest,) in database.rows("SELECT digest FROM summaries WHERE number = -1")}
        lost = tuple(
            path
            for path, digest in database.rows("SELECT path, digest FROM contexts ORDER BY path")
            if (root / path).exists() and path not in jobs and digest not in done
        )
        twice = "SELECT digest FROM summaries WHERE number = -1 GROUP BY digest HAVING count(*) > 1"
        doubled = len(database.rows(twice))
        dead = [f"dead: {path}: {error}" for path, error in opened.queue.state().dead_jobs]
    faults = verify_cache(root, CacheOptions(cache)).faults
    return Together(packs, rounds, edits, (*errors, *dead), lost, doubled, faults, seconds)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one of the three and print what came of it; 1 when something is wrong."""
    parser = argparse.ArgumentParser(prog="bench.cache", description=__doc__)
    verbs = parser.add_subparsers(dest="verb", required=True)
    scanning = verbs.add_parser("scan")
    scanning.add_argument("folder", type=Path)
    scanning.add_argument("--about", default=_ABOUT)
    whole = verbs.add_parser("pack")
    whole.add_argument("folder", type=Path)
    whole.add_argument("--about", default=_ABOUT)
    many = verbs.add_parser("together")
    many.add_argument("--seconds", type=float, default=60.0)
    options = parser.parse_args(arguments)
    if options.verb == "together":
        found = together(options.seconds)
        print(json.dumps(asdict(found), indent=2))
        return 0 if found.passed else 1
    rows = (scan if options.verb == "scan" else packs)(options.folder, options.about)
    print(f"{rows[0].files:,} files, {rows[0].units:,} units\n")
    print("| run | wall s | CPU s | share of cold | peak MiB | same bytes |\n|---|---|---|---|---|---|")
    for row in rows:
        same = "yes" if row.same else "NO"
        share = f"{row.share:.1%}"
        print(f"| {row.name} | {row.wall:.2f} | {row.cpu:.2f} | {share} | {row.peak_mib:,.0f} | {same} |")
    return 0 if all(row.same for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
