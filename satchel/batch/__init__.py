"""Batches: hundreds of pages in one run, each repository read once, resumed where a run was cut short."""

from __future__ import annotations

import os
from typing import Final

from ..models import UsageError
from ..outputs import KINDS, Kind
from .engines import Engine
from .preparing import Amendment, PlanPrefix, Prepared
from .records import PageRecord, Seconds
from .run import DEFAULT_BATCH_FOLDER, BatchOptions, BatchResult, Step, run_batch
from .taskfile import TaskFile, read_tasks

MOST_JOBS: Final = 8
"""Workers unless told otherwise: each takes memory of its own."""


def processors() -> int:
    """Return how many processes pack unless told otherwise."""
    affinity = getattr(os, "sched_getaffinity", None)
    return min(MOST_JOBS, len(affinity(0)) if affinity else os.cpu_count() or 1)


def kinds_named(text: str) -> tuple[Kind, ...]:
    """Return the kinds of files that ``text`` lists, with commas between; raises ``UsageError``."""
    names = [name.strip() for name in text.split(",") if name.strip()]
    for name in names:
        if name not in KINDS:
            hint = f"accepted: {', '.join(KINDS)}, with commas between"
            raise UsageError("is nothing that a page leaves", field="--write", value=name, hint=hint)
    return tuple(kind for kind in KINDS if kind in names)


def cluster_at(address: str, *, shared: bool = False) -> Engine:
    """Return the Ray cluster at ``address``, or with ``auto`` this machine's; UsageError if there is none.

    With ``shared``, all its machines see the output folder, and write into it themselves.
    """
    from .engines.cluster import ClusterEngine

    return ClusterEngine(address, shared=shared)


__all__ = [
    "DEFAULT_BATCH_FOLDER",
    "Amendment",
    "BatchOptions",
    "BatchResult",
    "PageRecord",
    "PlanPrefix",
    "Prepared",
    "Seconds",
    "Step",
    "TaskFile",
    "cluster_at",
    "kinds_named",
    "processors",
    "read_tasks",
    "run_batch",
]
