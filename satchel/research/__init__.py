"""For researchers: engines side by side, statistics, tables and plots; scores, generators and logs."""

from .compare import CompareOptions, compare, tables_of, write_report
from .comparison import Comparison
from .families import FAMILIES, make
from .log import SolveLog
from .scores import Cover, Form, Scorer, rescored, with_coverage, with_terms

__all__ = [
    "FAMILIES",
    "CompareOptions",
    "Comparison",
    "Cover",
    "Form",
    "Scorer",
    "SolveLog",
    "compare",
    "make",
    "rescored",
    "tables_of",
    "with_coverage",
    "with_terms",
    "write_report",
]
