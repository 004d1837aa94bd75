"""What made a result: code and libraries, as one short text that cached rows carry.

A row is served only to the very code that would make it again. So nobody has to remember to raise a number
when an extractor, a rule or a table changes.
"""

from __future__ import annotations

import hashlib
import sys
import unicodedata
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Final

_SOURCES: Final = Path(__file__).resolve().parent.parent
_NOT_COUNTED: Final = frozenset({"__pycache__", "cache"})
"""The cache's own code decides nothing; what it writes has a schema version."""

_LIBRARIES: Final = ("ast-grep-py", "charset-normalizer", "markdown-it-py", "numpy")


@cache
def code_version() -> str:
    """Return a digest of everything that decides what a scan makes of a file."""
    digest = hashlib.blake2b(digest_size=12)
    digest.update(f"{sys.version_info[:2]} {unicodedata.unidata_version}".encode())
    for name in _LIBRARIES:
        digest.update(f"{name} {_installed(name)}\n".encode())
    digest.update(code_of(_SOURCES).encode())
    return digest.hexdigest()


def code_of(folder: Path) -> str:
    """Return a digest of the code and data below a folder."""
    digest = hashlib.blake2b(digest_size=12)
    for path, data in _code(folder, ""):
        digest.update(f"{path} {len(data)}\n".encode())
        digest.update(data)
    return digest.hexdigest()


def _installed(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return ""


def _code(folder: Path, prefix: str) -> list[tuple[str, bytes]]:
    found: list[tuple[str, bytes]] = []
    for place in sorted(folder.iterdir()):
        if place.is_dir() and place.name not in _NOT_COUNTED:
            found += _code(place, f"{prefix}{place.name}/")
        elif place.suffix in (".py", ".toml", ".json", ".txt"):
            found.append((prefix + place.name, place.read_bytes()))
    return found
