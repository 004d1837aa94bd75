"""For researchers: engines side by side, statistics, tables and plots; scores and generators."""

from .compare import CompareOptions, compare, tables_of, write_report
from .comparison import Comparison

__all__ = ["CompareOptions", "Comparison", "compare", "tables_of", "write_report"]
