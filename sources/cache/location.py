"""Where the cache of a repository lies, and whether a folder is fit for one."""

from __future__ import annotations

import hashlib
import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import platformdirs

VARIABLE: Final = "SATCHEL_CACHE_DIR"
"""Environment variable that names the folder for caches; an option given goes before it."""

SUFFIX: Final = ".sqlite3"

_MOUNTS: Final = Path("/proc/self/mountinfo")
_NETWORK: Final = frozenset(
    {
        *("nfs", "nfs4", "cifs", "smbfs", "smb3", "afs", "ncpfs", "glusterfs", "lustre", "beegfs", "gpfs"),
        *("ceph", "fuse.sshfs", "fuse.rclone", "fuse.s3fs", "fuse.glusterfs", "fuse.ceph", "fuse.gcsfuse"),
    }
)
"""File systems between machines: they lock unreliably, and WAL needs memory that all readers share."""


def default_folder() -> Path:
    """Return the folder for caches: ``SATCHEL_CACHE_DIR``, or Satchel's part of the user's cache folder."""
    named = os.environ.get(VARIABLE)
    return Path(named) if named else Path(platformdirs.user_cache_dir("satchel", appauthor=False))


def database_path(
    root: Path | Sequence[Path], folder: Path | None = None, *, revisions: bool = False
) -> Path:
    """Return the file that holds the cache of the repository at ``root``, in ``folder`` or the default one.

    Its name is that of the folder, to be recognised, and a digest of the whole path, to be unique. Several
    folders that are read together have a file of their own, and so have the ``revisions`` of a repository.
    """
    places = [os.path.realpath(one) for one in ([root] if isinstance(root, Path) else root)]
    name = os.path.basename(places[0])  # noqa: PTH119
    readable = re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-.")[:40] or "root"
    whole = b"\0".join([*map(os.fsencode, places), *([b"", b"revisions"] if revisions else [])])
    digest = hashlib.sha256(whole).hexdigest()[:16]
    return (default_folder() if folder is None else folder) / f"{readable}-{digest}{SUFFIX}"


def network_file_system(folder: Path, mounts: Path = _MOUNTS) -> str | None:
    """Return the name of the network file system that ``folder`` is on; None for a local or unknown one.

    Only Linux tells without asking the network.
    """
    if not sys.platform.startswith("linux"):
        return None
    try:
        lines = mounts.read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    except OSError:
        return None
    place = os.path.realpath(folder)
    best, kind = "", ""
    for line in lines:
        before, _, after = line.partition(" - ")
        fields = before.split(" ")
        if len(fields) < 5 or not after:
            continue
        point = re.sub(r"\\([0-7]{3})", lambda found: chr(int(found[1], 8)), fields[4])
        inside = place == point or place.startswith(point.rstrip("/") + "/")
        # Of two mounts on one point the later one is seen.
        if inside and len(point) >= len(best):
            best, kind = point, after.split(" ")[0]
    return kind if kind in _NETWORK else None
