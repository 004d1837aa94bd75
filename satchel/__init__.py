"""Satchel packs the evidence that a language model needs into the tokens that it is given.

The public names are imported when first used, so that ``import satchel`` and ``satchel --help`` stay quick.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .asked import read_pack
    from .assembling import (
        SegmentFile,
        assemble_segments,
        assembly_data,
        breakers_of,
        min_cacheable,
        read_segments,
    )
    from .batch import BatchOptions, BatchResult, PageRecord, read_tasks, run_batch
    from .beside import PackFiles, read_pack_files
    from .caching import CacheOptions
    from .causes import Cause, UnitChange
    from .changing import UnitShift, WhatIf, what_if
    from .compacting import compact, compaction_data
    from .costing import CostReport, cost_of_pack, cost_of_usages, read_prices, read_usages
    from .counting import count_missing, estimator_for_artifact, recount
    from .diffing import DiffReport, diff
    from .doctoring import Finding, doctor
    from .exits import redacted
    from .explaining import Explanation, explain
    from .files import (
        ARTIFACT,
        DEFAULT_FOLDER,
        PROBLEM,
        PROMPTS,
        read_artifact,
        read_outline,
        read_problem,
        read_prompt,
        write_text,
        write_texts,
    )
    from .fitting import exact_fit
    from .formats import EXPORTERS, IMPORTERS, Imported, export_problem, import_problem, import_problems
    from .histories import History, read_history
    from .models import (
        BudgetEnvelope,
        BudgetZone,
        ContextUnit,
        CoverageDimension,
        Dependency,
        InfeasibleError,
        InputError,
        PackedContext,
        PackingPolicy,
        Problem,
        RedundancyGroup,
        Rendering,
        SatchelError,
        SourceRef,
        Task,
        UsageError,
        VerificationError,
        Weights,
    )
    from .outputs import inside, write_pack
    from .packing import (
        PackOptions,
        PackResult,
        pack,
        plan_budget,
        prepare,
        problem_of,
        recount_problem,
        render_artifact,
    )
    from .prefixes import PromptRequest, plan_of, request_of
    from .pricing import PriceOptions, parse_amount
    from .prompt import PriceTable
    from .report import ReportOptions, read_timeline, report_page
    from .research import CompareOptions, Comparison, compare
    from .schemas import SCHEMAS, schema
    from .solver.engines import EngineSpec
    from .solver.explain.frontier import FrontierPoint
    from .solver.explain.prices import TokenPrice
    from .solver.options import Engine, Progress, SolveOptions
    from .solver.verify import VerifyReport, verify
    from .solving import engines, solve
    from .sources.cache.report import CacheStatus, CacheVerdict, Saving, Savings
    from .sources.cache.summaries import SummaryUse
    from .sources.scan import ScanOptions, ScanResult, scan
    from .sources.seeds import Seeding
    from .sources.tasks import Settings, read_settings, task_kinds
    from .sources.tokens import list_profiles, make_estimator, parse_tokens
    from .sources.walk import WalkOptions
    from .stories import infeasible_story
    from .summary import Summary, summarise
    from .tracing import Frontier, frontier, picture, write_picture
    from .upkeep import (
        cache_file,
        cache_savings,
        cache_status,
        clear_cache,
        open_cache,
        verify_cache,
        watch_cache,
        work_cache,
    )
    from .valuing import LeftOut, TokenPrices, explain_all, left_out_csv, token_prices

__version__ = "0.1.0"

_HOMES = {
    "asked": ("read_pack",),
    "changing": ("UnitShift", "WhatIf", "what_if"),
    "stories": ("infeasible_story",),
    "tracing": ("Frontier", "frontier", "picture", "write_picture"),
    "valuing": ("LeftOut", "TokenPrices", "explain_all", "left_out_csv", "token_prices"),
    "assembling": (
        "SegmentFile",
        "assemble_segments",
        "assembly_data",
        "breakers_of",
        "min_cacheable",
        "read_segments",
    ),
    "batch": ("BatchOptions", "BatchResult", "PageRecord", "read_tasks", "run_batch"),
    "compacting": ("compact", "compaction_data"),
    "costing": ("CostReport", "cost_of_pack", "cost_of_usages", "read_prices", "read_usages"),
    "caching": ("CacheOptions",),
    "causes": ("Cause", "UnitChange"),
    "counting": ("count_missing", "estimator_for_artifact", "recount"),
    "beside": ("PackFiles", "read_pack_files"),
    "diffing": ("DiffReport", "diff"),
    "doctoring": ("Finding", "doctor"),
    "exits": ("redacted",),
    "explaining": ("Explanation", "explain"),
    "files": (
        "ARTIFACT",
        "DEFAULT_FOLDER",
        "PROBLEM",
        "PROMPTS",
        "read_artifact",
        "read_outline",
        "read_problem",
        "read_prompt",
        "write_text",
        "write_texts",
    ),
    "fitting": ("exact_fit",),
    "formats": (
        "EXPORTERS",
        "IMPORTERS",
        "Imported",
        "export_problem",
        "import_problem",
        "import_problems",
    ),
    "histories": ("History", "read_history"),
    "models": (
        "BudgetEnvelope",
        "BudgetZone",
        "ContextUnit",
        "CoverageDimension",
        "Dependency",
        "InfeasibleError",
        "InputError",
        "PackedContext",
        "PackingPolicy",
        "Problem",
        "RedundancyGroup",
        "Rendering",
        "SatchelError",
        "SourceRef",
        "Task",
        "UsageError",
        "VerificationError",
        "Weights",
    ),
    "outputs": ("inside", "write_pack"),
    "packing": (
        "PackOptions",
        "PackResult",
        "pack",
        "plan_budget",
        "prepare",
        "problem_of",
        "recount_problem",
        "render_artifact",
    ),
    "prefixes": ("PromptRequest", "plan_of", "request_of"),
    "pricing": ("PriceOptions", "parse_amount"),
    "prompt": ("PriceTable",),
    "research": ("CompareOptions", "Comparison", "compare"),
    "report": ("ReportOptions", "read_timeline", "report_page"),
    "schemas": ("SCHEMAS", "schema"),
    "solver.engines": ("EngineSpec",),
    "solver.explain.frontier": ("FrontierPoint",),
    "solver.explain.prices": ("TokenPrice",),
    "solver.options": ("Engine", "Progress", "SolveOptions"),
    "solver.verify": ("VerifyReport", "verify"),
    "solving": ("engines", "solve"),
    "sources.cache.report": ("CacheStatus", "CacheVerdict", "Saving", "Savings"),
    "sources.cache.summaries": ("SummaryUse",),
    "sources.scan": ("ScanOptions", "ScanResult", "scan"),
    "sources.seeds": ("Seeding",),
    "sources.tasks": ("Settings", "read_settings", "task_kinds"),
    "sources.tokens": ("list_profiles", "make_estimator", "parse_tokens"),
    "sources.walk": ("WalkOptions",),
    "summary": ("Summary", "summarise"),
    "upkeep": (
        "cache_file",
        "cache_savings",
        "cache_status",
        "clear_cache",
        "open_cache",
        "verify_cache",
        "watch_cache",
        "work_cache",
    ),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "ARTIFACT",
    "DEFAULT_FOLDER",
    "EXPORTERS",
    "IMPORTERS",
    "PROBLEM",
    "PROMPTS",
    "SCHEMAS",
    "BatchOptions",
    "BatchResult",
    "BudgetEnvelope",
    "BudgetZone",
    "CacheOptions",
    "CacheStatus",
    "CacheVerdict",
    "Cause",
    "CompareOptions",
    "Comparison",
    "ContextUnit",
    "CostReport",
    "CoverageDimension",
    "Dependency",
    "DiffReport",
    "Engine",
    "EngineSpec",
    "Explanation",
    "Finding",
    "Frontier",
    "FrontierPoint",
    "History",
    "Imported",
    "InfeasibleError",
    "InputError",
    "LeftOut",
    "PackFiles",
    "PackOptions",
    "PackResult",
    "PackedContext",
    "PackingPolicy",
    "PageRecord",
    "PriceOptions",
    "PriceTable",
    "Problem",
    "Progress",
    "PromptRequest",
    "RedundancyGroup",
    "Rendering",
    "ReportOptions",
    "SatchelError",
    "Saving",
    "Savings",
    "ScanOptions",
    "ScanResult",
    "Seeding",
    "SegmentFile",
    "Settings",
    "SolveOptions",
    "SourceRef",
    "Summary",
    "SummaryUse",
    "Task",
    "TokenPrice",
    "TokenPrices",
    "UnitChange",
    "UnitShift",
    "UsageError",
    "VerificationError",
    "VerifyReport",
    "WalkOptions",
    "Weights",
    "WhatIf",
    "__version__",
    "assemble_segments",
    "assembly_data",
    "breakers_of",
    "cache_file",
    "cache_savings",
    "cache_status",
    "clear_cache",
    "compact",
    "compaction_data",
    "compare",
    "cost_of_pack",
    "cost_of_usages",
    "count_missing",
    "diff",
    "doctor",
    "engines",
    "estimator_for_artifact",
    "exact_fit",
    "explain",
    "explain_all",
    "export_problem",
    "frontier",
    "import_problem",
    "import_problems",
    "infeasible_story",
    "inside",
    "left_out_csv",
    "list_profiles",
    "make_estimator",
    "min_cacheable",
    "open_cache",
    "pack",
    "parse_amount",
    "parse_tokens",
    "picture",
    "plan_budget",
    "plan_of",
    "prepare",
    "problem_of",
    "read_artifact",
    "read_history",
    "read_outline",
    "read_pack",
    "read_pack_files",
    "read_prices",
    "read_problem",
    "read_prompt",
    "read_segments",
    "read_settings",
    "read_tasks",
    "read_timeline",
    "read_usages",
    "recount",
    "recount_problem",
    "redacted",
    "render_artifact",
    "report_page",
    "request_of",
    "run_batch",
    "scan",
    "schema",
    "solve",
    "summarise",
    "task_kinds",
    "token_prices",
    "verify",
    "verify_cache",
    "watch_cache",
    "what_if",
    "work_cache",
    "write_pack",
    "write_picture",
    "write_text",
    "write_texts",
]


def __getattr__(name: str) -> Any:
    home = _HOME_OF.get(name)
    if home is None:
        raise AttributeError(f"module 'satchel' has no attribute {name!r}")
    return getattr(import_module(f".{home}", __name__), name)


def __dir__() -> list[str]:
    return __all__
