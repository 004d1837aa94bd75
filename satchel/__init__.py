"""Satchel packs the evidence that a language model needs into the tokens that it is given.

The public names are imported when first used, so that ``import satchel`` and ``satchel --help`` stay quick.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .counting import count_missing, estimator_for_artifact, recount
    from .explaining import Explanation, explain
    from .files import read_artifact, read_problem, read_prompt, write_text
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
    from .packing import PackOptions, PackResult, pack, problem_of, render_artifact
    from .schemas import SCHEMAS, schema
    from .solver.options import Progress, SolveOptions
    from .solver.solve import solve
    from .solver.verify import VerifyReport, verify
    from .summary import Summary, summarise

__version__ = "0.1.0"

_HOMES = {
    "counting": ("count_missing", "estimator_for_artifact", "recount"),
    "explaining": ("Explanation", "explain"),
    "files": ("read_artifact", "read_problem", "read_prompt", "write_text"),
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
    "packing": ("PackOptions", "PackResult", "pack", "problem_of", "render_artifact"),
    "schemas": ("SCHEMAS", "schema"),
    "solver.options": ("Progress", "SolveOptions"),
    "solver.solve": ("solve",),
    "solver.verify": ("VerifyReport", "verify"),
    "summary": ("Summary", "summarise"),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "SCHEMAS",
    "BudgetEnvelope",
    "BudgetZone",
    "ContextUnit",
    "CoverageDimension",
    "Dependency",
    "Explanation",
    "InfeasibleError",
    "InputError",
    "PackOptions",
    "PackResult",
    "PackedContext",
    "PackingPolicy",
    "Problem",
    "Progress",
    "RedundancyGroup",
    "Rendering",
    "SatchelError",
    "SolveOptions",
    "SourceRef",
    "Summary",
    "Task",
    "UsageError",
    "VerificationError",
    "VerifyReport",
    "Weights",
    "__version__",
    "count_missing",
    "estimator_for_artifact",
    "explain",
    "pack",
    "problem_of",
    "read_artifact",
    "read_problem",
    "read_prompt",
    "recount",
    "render_artifact",
    "schema",
    "solve",
    "summarise",
    "verify",
    "write_text",
]


def __getattr__(name: str) -> Any:
    home = _HOME_OF.get(name)
    if home is None:
        raise AttributeError(f"module 'satchel' has no attribute {name!r}")
    return getattr(import_module(f".{home}", __name__), name)


def __dir__() -> list[str]:
    return __all__
