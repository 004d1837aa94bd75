"""Instances of the literature in, and our problems out to other solvers."""

from .exporting import EXPORTERS, Exporter, export_problem
from .importing import IMPORTERS, Imported, Importer, import_problem, import_problems

__all__ = [
    "EXPORTERS",
    "IMPORTERS",
    "Exporter",
    "Imported",
    "Importer",
    "export_problem",
    "import_problem",
    "import_problems",
]
