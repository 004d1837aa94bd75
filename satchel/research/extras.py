"""Libraries that only researchers need: imported when used, and named where they are missing."""

from __future__ import annotations

import importlib
import importlib.util
from typing import Any, Final

from ..models import UsageError

LIBRARIES: Final = ("matplotlib", "pyarrow", "scipy")
"""What tables in Parquet, plots and statistics need."""


def needed(module: str) -> Any:
    """Return ``module``.

    Raises
    ------
    UsageError
        It is not installed.
    """
    try:
        return importlib.import_module(module)
    except ImportError:
        raise missing([module.partition(".")[0]]) from None


def check() -> None:
    """Refuse to begin what could not be finished.

    Raises
    ------
    UsageError
        One of :data:`LIBRARIES` is not installed.
    """
    lacking = [name for name in LIBRARIES if importlib.util.find_spec(name) is None]
    if lacking:
        raise missing(lacking)


def missing(names: list[str]) -> UsageError:
    """Return the error that says what to install."""
    return UsageError(
        f"{' and '.join(names)} {'is' if len(names) == 1 else 'are'} not installed",
        code="extra_missing",
        hint="pip install 'satchel[research]'",
    )
