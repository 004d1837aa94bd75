"""Whether every file of real repositories is accounted for: ``python -m bench.sources.accounting FOLDER…``.

For each folder, in a process of its own time and without changing it:

- every file on disk is among the files read or stands under something that was left out, and only once;
- the walk leaves out what git leaves out: for the files that are there, and for names made from every rule
  of every ignore file, in a scratch folder with the same ignore files;
- every line that is not blank belongs to one unit, or to the licence at the top of a source file.

Ends with exit code 1 when any of that fails.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from satchel.sources.candidates import Reading, document_of, read_candidates
from satchel.sources.extract import default_registry
from satchel.sources.walk import WalkOptions, WalkResult, walk

GIT_ONLY: Final = WalkOptions(default_excludes=False, sensitive_names=False, max_file_bytes=None)
"""Only the rules that git knows too."""

_LICENCE: Final = re.compile(r"copyright|licen[sc]e|SPDX-", re.IGNORECASE)
_SHOWN: Final = 5
_COLUMNS: Final = (
    *("folder", "files", "units", "left out", "MB", "s of processor", "MB/s"),
    *("did not parse", "made names", "wrong"),
)


@dataclass(slots=True)
class Account:
    """What was found out about one folder."""

    name: str
    files: int = 0
    units: int = 0
    left_out: int = 0
    megabytes: float = 0.0
    seconds: float = 0.0
    notes: int = 0
    probes: int = 0
    wrong: list[str] = field(default_factory=list)


def account(root: Path) -> Account:
    """Scan a folder and check it."""
    found = Account(root.name)
    start = time.process_time()
    reading = read_candidates(root, WalkOptions(), default_registry(), jobs=1)
    found.seconds = time.process_time() - start
    found.files, found.units = len(reading.files), len(reading.candidates)
    found.left_out = len(reading.skipped)
    found.megabytes = sum(file.source.size for file in reading.files) / 1e6
    found.notes = sum(
        "do not parse" in note or "plain text" in note for f in reading.files for note in f.notes
    )
    found.wrong += [f"not accounted for: {path}" for path in _unaccounted(root, reading)]
    found.wrong += _wrong_lines(reading)
    if (root / ".git").exists():
        found.wrong += [f"ignored otherwise than by git: {path}" for path in _compared(root)]
    found.probes, wrong = _probed(root)
    found.wrong += [f"a made name is ignored otherwise than by git: {path}" for path in wrong]
    return found


def _on_disk(root: Path) -> set[str]:
    found: set[str] = set()
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if name != ".git"]
        links = [name for name in folders if Path(folder, name).is_symlink()]
        found |= {Path(folder, name).relative_to(root).as_posix() for name in (*names, *links)}
    return found - {".git"}


def _unaccounted(root: Path, reading: Reading) -> list[str]:
    """Return the files that are nowhere, and those that are in two places."""
    read = [file.source.raw for file in reading.files]
    known = set(read)
    skipped = {item.path for item in reading.walked.skipped} | {item.path for item in reading.skipped}
    single = {path for path in skipped if not path.endswith("/")}
    folders = tuple(path for path in skipped if path.endswith("/"))
    missing = [
        path
        for path in _on_disk(root)
        if path not in single and not path.startswith(folders) and path not in known and path.isprintable()
    ]
    twice = [path for path in read if path in single or (folders and path.startswith(folders))]
    return sorted(missing) + sorted(twice)


def _wrong_lines(reading: Reading) -> list[str]:
    owned: dict[str, list[int]] = {file.path: [] for file in reading.files}
    for candidate in reading.candidates:
        lines = owned[candidate.file.path]
        lines.extend(n for span in candidate.fragment.spans for n in range(span.start, span.end + 1))
    wrong: list[str] = []
    for file in reading.files:
        document, lines = document_of(file), owned[file.path]
        if len(lines) != len(set(lines)):
            wrong.append(f"a line belongs to two units: {file.path}")
        if file.language == "jupyter":
            continue  # outputs and metadata belong to no unit
        taken = set(lines)
        free = [n for n, line in enumerate(document.lines, 1) if line.strip() and n not in taken]
        if free and not _LICENCE.search("\n".join(document.lines[n - 1] for n in free)):
            wrong.append(f"lines belong to no unit: {file.path}:{free[0]}")
    return wrong


def _git(root: Path, *arguments: str) -> set[str]:
    environment = {k: v for k, v in os.environ.items() if not k.startswith("GIT_")}
    environment |= {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    command = ["git", "-C", str(root), *arguments]
    output = subprocess.run(command, capture_output=True, env=environment, check=True).stdout
    return {os.fsdecode(name) for name in output.split(b"\0") if name}


def _kept(result: WalkResult) -> set[str]:
    return {file.raw for file in result.files}


def _compared(root: Path) -> list[str]:
    """Return the files that only one of git and the walk leaves out; links and submodules aside."""
    theirs = _git(root, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
    files = {path for path in theirs if (root / path).is_file() and not (root / path).is_symlink()}
    return sorted(_kept(walk(root, GIT_ONLY)) ^ files)


def _probed(root: Path) -> tuple[int, list[str]]:
    """Return how many names were made from the ignore rules, and which of them are judged otherwise."""
    with tempfile.TemporaryDirectory() as scratch:
        top = Path(scratch)
        subprocess.run(["git", "init", "-q", scratch], check=True)
        made: set[str] = set()
        for path in sorted(place for place in root.rglob(".gitignore") if ".git" not in place.parts[:-1]):
            if path.is_symlink() or not path.is_file():
                continue
            folder = path.parent.relative_to(root)
            _write(top / folder / path.name, path.read_bytes())
            rules = path.read_text(encoding="utf-8", errors="replace").splitlines()
            made |= {(folder / name).as_posix() for rule in rules for name in _names(rule)}
        for name in sorted(made):
            if not (top / name).exists():
                _write(top / name, b"x\n")
        theirs = _git(top, "ls-files", "-z", "--others", "--exclude-standard")
        files = {path for path in theirs if not path.endswith("/")}
        return len(made), sorted(_kept(walk(top, GIT_ONLY)) ^ files)


def _write(path: Path, data: bytes) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    except OSError:
        return  # one made name is a folder of another


def _names(rule: str) -> Iterable[str]:
    """Return names that a rule may be about, and some that it may not be about."""
    body = rule.strip().lstrip("!").strip("/")
    if not body or body.startswith("#") or "\\" in body:
        return []
    plain = re.sub(
        r"\[!?(.)[^\]]*\]", r"\1", body.replace("**", "deep").replace("*", "any").replace("?", "q")
    )
    if any(part in ("", ".", "..") or len(part) > 200 for part in plain.split("/")):
        return []
    return [plain, f"{plain}/inside.txt", f"below/{plain}", f"{plain}x", f"x{plain}", plain.swapcase()]


def main(arguments: Sequence[str] | None = None) -> int:
    """Check the folders and print a table of them."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", nargs="+", type=Path)
    given = parser.parse_args(arguments)
    print(f"| {' | '.join(_COLUMNS)} |")
    print("|---" + "|--:" * (len(_COLUMNS) - 1) + "|")
    failed = False
    for root in given.folder:
        found = account(root)
        rate = found.megabytes / found.seconds if found.seconds else 0.0
        print(
            f"| {found.name} | {found.files} | {found.units} | {found.left_out} | {found.megabytes:.1f}"
            f" | {found.seconds:.1f} | {rate:.1f} | {found.notes} | {found.probes} | {len(found.wrong)} |",
            flush=True,
        )
        for line in found.wrong[:_SHOWN]:
            print(f"  {line}", file=sys.stderr)
        failed = failed or bool(found.wrong)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
