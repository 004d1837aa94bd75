"""Kinds of documentation task: data files, and what reads them."""

from .kinds import (
    CoverageRule,
    Dimension,
    TaskKind,
    ZoneShare,
    envelope_for,
    parse_kind,
    task_kind,
    task_kinds,
)
from .settings import Settings, read_settings

__all__ = [
    "CoverageRule",
    "Dimension",
    "Settings",
    "TaskKind",
    "ZoneShare",
    "envelope_for",
    "parse_kind",
    "read_settings",
    "task_kind",
    "task_kinds",
]
