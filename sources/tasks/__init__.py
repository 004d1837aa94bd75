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

__all__ = [
    "CoverageRule",
    "Dimension",
    "TaskKind",
    "ZoneShare",
    "envelope_for",
    "parse_kind",
    "task_kind",
    "task_kinds",
]
