"""After the decision: order, isolate, render, cache boundary, cost, compaction. Pure: no clock, no network.

Nothing here calls a model: summarising and compressing are the caller's functions, counting and the exact
choice come from outside.
"""

from .assemble import (
    Assembly,
    Budget,
    assemble,
    cache_split,
    compress_segments,
    fit_segments,
    isolate_segments,
    order_segments,
    prepare_segments,
    select_segments,
)
from .blocks import FORMATS, Format, render_block
from .boundary import SegmentSize, find_cache_breakpoint
from .breakpoints import CachePlan, Marker, plan_breakpoints
from .cache_rules import CacheRule, find_cache_rule, list_cache_rules
from .compact import Compaction, DroppedTurn, Turn, compact_history
from .cost import Bill, TurnCost, bill, bill_each, cost_of_calls, estimate_turn_cost
from .counting import Count, estimate_tokens
from .diff import FirstDifference, PackDiff, diff_packs, first_difference, shared_units
from .emit import Redact, emit
from .escape import neutralise, restore
from .facts import authority_level
from .filling import Fill, Filler, fill_below_minimum
from .frame import Frame, frame_texts
from .knapsack import Choice, Fit, greedy_fit
from .lint import PrefixBreaker, lint_prefix, lint_text
from .messages import SHAPES, Part, Shape, chat_request, split_parts
from .order import ORDERS, Order, place
from .prices import Price, PriceTable, Rates, price_from
from .render import RenderedPrompt, Span, render
from .report import report
from .segments import DroppedSegment, Segment, Sized
from .usage import TokenUsage, normalise_usage

__all__ = [
    "FORMATS",
    "ORDERS",
    "SHAPES",
    "Assembly",
    "Bill",
    "Budget",
    "CachePlan",
    "CacheRule",
    "Choice",
    "Compaction",
    "Count",
    "DroppedSegment",
    "DroppedTurn",
    "Fill",
    "Filler",
    "FirstDifference",
    "Fit",
    "Format",
    "Frame",
    "Marker",
    "Order",
    "PackDiff",
    "Part",
    "PrefixBreaker",
    "Price",
    "PriceTable",
    "Rates",
    "Redact",
    "RenderedPrompt",
    "Segment",
    "SegmentSize",
    "Shape",
    "Sized",
    "Span",
    "TokenUsage",
    "Turn",
    "TurnCost",
    "assemble",
    "authority_level",
    "bill",
    "bill_each",
    "cache_split",
    "chat_request",
    "compact_history",
    "compress_segments",
    "cost_of_calls",
    "diff_packs",
    "emit",
    "estimate_tokens",
    "estimate_turn_cost",
    "fill_below_minimum",
    "find_cache_breakpoint",
    "find_cache_rule",
    "first_difference",
    "fit_segments",
    "frame_texts",
    "greedy_fit",
    "isolate_segments",
    "lint_prefix",
    "lint_text",
    "list_cache_rules",
    "neutralise",
    "normalise_usage",
    "order_segments",
    "place",
    "plan_breakpoints",
    "prepare_segments",
    "price_from",
    "render",
    "render_block",
    "report",
    "restore",
    "select_segments",
    "shared_units",
    "split_parts",
]
