"""A folder of files that belong together, put in place in one stroke.

Renaming one file after another leaves a mixture of two runs when the process is killed in between. A folder
is renamed at once: a new one by any system, one that is there by those that can exchange two folders.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import shutil
import sys
import tempfile
from collections.abc import Container, Mapping
from pathlib import Path
from typing import Final

from .files import make_folders, remove_folders, signals_held, umask, write_file

_HERE: Final = -100  # AT_FDCWD
_EXCHANGE: Final = 2  # RENAME_EXCHANGE of Linux, RENAME_SWAP of macOS


def place_folder(folder: Path, texts: Mapping[str, str | bytes], own: Container[str]) -> bool:
    """Make ``folder`` hold ``texts`` by file name, all at once; return False where that is not possible.

    A folder that is there is replaced only if it holds nothing but plain files named in ``own``; those that
    are not in ``texts`` stay.

    Raises
    ------
    OSError
        A file cannot be written; the folder is as it was.
    """
    place = Path(os.path.realpath(folder))
    there = place.is_dir()
    kept = _kept(place, texts, own) if there else []
    if kept is None:
        return False
    made: list[Path] = []
    stage: Path | None = None
    placed = False
    try:
        try:
            make_folders(place.parent, made)
            stage = Path(tempfile.mkdtemp(prefix=f".{place.name}.", suffix=".tmp", dir=place.parent))
        except OSError:  # nothing may be made beside the folder
            return False
        _fill(stage, place, texts, kept)
        stage.chmod(place.stat().st_mode & 0o7777 if there else 0o777 & ~umask())
        with signals_held():
            placed = _exchanged(stage, place) if there else _renamed(stage, place)
            if placed and there:
                _give_back(stage, place)
                shutil.rmtree(stage, ignore_errors=True)
        return placed
    finally:
        if stage is not None:
            shutil.rmtree(stage, ignore_errors=True)
        if not placed:
            remove_folders(made)


def _fill(stage: Path, place: Path, texts: Mapping[str, str | bytes], kept: list[str]) -> None:
    for name in kept:
        # No hard link: one that a killed run left would look like a name of somebody else's.
        shutil.copy2(place / name, stage / name)
    for name, text in texts.items():
        old = place / name
        write_file(stage / name, text, old.stat().st_mode & 0o777 if old.is_file() else 0o666 & ~umask())


def _give_back(old: Path, place: Path) -> None:
    """Move what somebody put into the folder while it was replaced."""
    for entry in old.iterdir():
        if not (place / entry.name).exists():
            with contextlib.suppress(OSError):
                entry.rename(place / entry.name)


def _kept(place: Path, texts: Mapping[str, str | bytes], own: Container[str]) -> list[str] | None:
    """Return the files that stay, or None where something in the folder is not ours to move."""
    kept: list[str] = []
    with os.scandir(place) as entries:
        for entry in entries:
            if entry.name not in own or not entry.is_file(follow_symlinks=False):
                return None
            if entry.stat(follow_symlinks=False).st_nlink > 1:
                return None  # written to under another name as well
            if entry.name not in texts:
                kept.append(entry.name)
    return sorted(kept)


def _renamed(stage: Path, place: Path) -> bool:
    try:
        stage.rename(place)
    except OSError:  # somebody made it meanwhile
        return False
    return True


def _exchanged(stage: Path, place: Path) -> bool:
    names = os.fsencode(stage), os.fsencode(place)
    with contextlib.suppress(OSError, AttributeError):
        library = ctypes.CDLL(None, use_errno=True)
        if sys.platform == "darwin":
            return int(library.renamex_np(*names, _EXCHANGE)) == 0
        return int(library.renameat2(_HERE, names[0], _HERE, names[1], _EXCHANGE)) == 0
    return False
