"""The shared prefix of a batch: what its prompts begin with, and what that saves (docs/shared-prefix.md)."""

from __future__ import annotations

from .options import SharingOptions, parse_share
from .planning import PrefixPlanner, SharedLead
from .report import GroupFigures, PageFigures, SharingReport

SHARED_PREFIX = "shared-prefix.json"
"""Name of the report beside the manifest."""

__all__ = [
    "SHARED_PREFIX",
    "GroupFigures",
    "PageFigures",
    "PrefixPlanner",
    "SharedLead",
    "SharingOptions",
    "SharingReport",
    "parse_share",
]
