"""Evidence: from a repository and a task to units with scores, forms and provenance."""

from .scan import ScanOptions, ScanResult, scan
from .tasks import envelope_for, task_kind, task_kinds

__all__ = ["ScanOptions", "ScanResult", "envelope_for", "scan", "task_kind", "task_kinds"]
