"""Two hundred and fifty problems to compare on: ``python -m bench.instances FOLDER``.

Fifty are real: the packages of ``instances.txt``, pinned by version and hash, are downloaded with pip,
checked, unpacked and scanned for a task each. No code of theirs is run: wheels are plain archives.
Two hundred are drawn by ``bench.generate``. ``bench/instances.md`` says how they vary.
"""

from __future__ import annotations

import argparse
import hashlib
import re
import subprocess
import sys
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from satchel import PackOptions, Problem, Task, prepare

from .generate import generate
from .spec import Spec

HERE = Path(__file__).resolve().parent
PINS = HERE / "instances.txt"

TASKS = ("api-reference", "overview", "architecture", "quickstart", "troubleshooting")
BUDGETS = (4000, 8000, 16_000)
"""Task and budget of a package go round with its place in the list: 15 combinations."""

SIZES = (60, 90, 120, 240)
TIGHTNESS = (0.1, 0.2, 0.3, 0.5, 0.7)
SEEDS = range(10)
"""Every size with every tightness and every seed: 200 drawn problems."""


@dataclass(frozen=True)
class Pin:
    """A package of the list."""

    name: str
    version: str
    digest: str

    @classmethod
    def of(cls, line: str) -> Pin:
        """Read a line of the list.

        Raises
        ------
        ValueError
            It is no pin.
        """
        found = re.fullmatch(r"([a-z0-9-]+)==(\S+) --hash=sha256:([0-9a-f]{64})", line)
        if not found:
            raise ValueError(f"no pin by hash: {line!r}")
        return cls(*found.groups())


def pins(path: Path = PINS) -> list[Pin]:
    """Return the packages of the list."""
    return [Pin.of(line) for line in path.read_text("utf-8").splitlines() if line.strip()]


def download(folder: Path, path: Path = PINS) -> None:
    """Have pip fetch the wheels of the list into ``folder``, each held to its hash.

    Raises
    ------
    subprocess.CalledProcessError
        pip cannot have one of them.
    """
    target = ["--python-version", "3.11", "--platform", "any", "--implementation", "py", "--abi", "none"]
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--require-hashes", "--no-deps"]
    command += ["--only-binary", ":all:", *target, "--dest", str(folder), "--requirement", str(path)]
    subprocess.run(command, check=True)


def wheel_of(pin: Pin, folder: Path) -> Path:
    """Return the wheel of ``pin`` in ``folder``.

    Raises
    ------
    ValueError
        It is not there, or is another file than the one that was pinned.
    """
    stem = f"{pin.name.replace('-', '_')}-{pin.version}-"
    found = [path for path in folder.glob("*.whl") if path.name.lower().startswith(stem)]
    if len(found) != 1:
        raise ValueError(f"{pin.name} {pin.version}: {len(found)} wheels in {folder.name}")
    digest = hashlib.sha256(found[0].read_bytes()).hexdigest()
    if digest != pin.digest:
        raise ValueError(f"{found[0].name}: its hash is {digest}, pinned is {pin.digest}")
    return found[0]


def unpack(wheel: Path, folder: Path) -> Path:
    """Unpack ``wheel`` below ``folder``; what its maker noted about the package itself is left out."""
    place = folder / wheel.name.split("-")[0].lower()
    with zipfile.ZipFile(wheel) as archive:
        for entry in archive.infolist():
            parts = PurePosixPath(entry.filename).parts
            if ".." in parts or PurePosixPath(entry.filename).is_absolute():
                raise ValueError(f"{wheel.name}: {entry.filename} leads out of it")
            if not parts[0].endswith(".dist-info"):
                archive.extract(entry, place)
    return place


def real(folder: Path) -> Iterator[tuple[str, Problem]]:
    """Yield a problem for each package whose wheel is in ``folder``, with its name."""
    for place, pin in enumerate(pins()):
        root = unpack(wheel_of(pin, folder / "wheels"), folder / "sources")
        kind, budget = TASKS[place % len(TASKS)], BUDGETS[place % len(BUDGETS)]
        task = Task(kind=kind, about=pin.name.replace("-", " "))
        _, problem = prepare(root, task, PackOptions(budget=budget))
        yield f"{pin.name}-{kind}-{budget}", without_texts(problem)


def without_texts(problem: Problem) -> Problem:
    """Return ``problem`` with counts alone: nothing of it is rendered, and files stay small."""
    units = [
        unit.model_copy(
            update={
                "text": None,
                "renderings": tuple(form.model_copy(update={"text": None}) for form in unit.renderings),
            }
        )
        for unit in problem.units
    ]
    return problem.model_copy(update={"units": tuple(units)})


def drawn() -> Iterator[tuple[str, Problem]]:
    """Yield the drawn problems with their names."""
    for units in SIZES:
        for tightness in TIGHTNESS:
            for seed in SEEDS:
                name = f"drawn-{units}-{round(100 * tightness):02d}-{seed}"
                yield name, generate(Spec(units, tightness=tightness), seed)


def main(arguments: Sequence[str] | None = None) -> None:
    """Write the problems that are not there yet."""
    parser = argparse.ArgumentParser(prog="python -m bench.instances", description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="gets wheels, sources and problems")
    parser.add_argument("--offline", action="store_true", help="take the wheels that are in FOLDER/wheels")
    parser.add_argument("--only", choices=("real", "drawn"), help="one of the two sets")
    options = parser.parse_args(arguments)
    problems = options.folder / "problems"
    problems.mkdir(parents=True, exist_ok=True)
    if options.only != "drawn":
        if not options.offline:
            download(options.folder / "wheels")
        _write(problems, real(options.folder))
    if options.only != "real":
        _write(problems, drawn())
    print(f"{len(list(problems.glob('*.json')))} problems in {problems}")


def _write(folder: Path, problems: Iterator[tuple[str, Problem]]) -> None:
    for name, problem in problems:
        (folder / f"{name}.json").write_text(problem.to_json(indent=None), "utf-8")


if __name__ == "__main__":
    main()
