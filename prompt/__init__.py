"""After the decision: order, isolate, render, cache boundary. Pure: no file, no clock, no network."""

from .blocks import FORMATS, Format, render_block
from .boundary import Segment, find_cache_breakpoint
from .emit import Redact, emit
from .escape import neutralise, restore
from .facts import authority_level
from .frame import Frame, frame_texts
from .order import ORDERS, Order, place
from .render import RenderedPrompt, Span, render
from .report import report

__all__ = [
    "FORMATS",
    "ORDERS",
    "Format",
    "Frame",
    "Order",
    "Redact",
    "RenderedPrompt",
    "Segment",
    "Span",
    "authority_level",
    "emit",
    "find_cache_breakpoint",
    "frame_texts",
    "neutralise",
    "place",
    "render",
    "render_block",
    "report",
    "restore",
]
