"""A page to look at: one self-contained HTML file about a pack.

Charts are drawn by Vega as SVG when the page is made, so that the page brings no library; its own small
script serves tables, theme and tooltips. A content security policy lets that script alone run, by its hash,
and what comes of a repository reaches the page as text only.
"""

from .page import ReportOptions, report_page
from .timeline import Step, read_timeline

__all__ = ["ReportOptions", "Step", "read_timeline", "report_page"]
