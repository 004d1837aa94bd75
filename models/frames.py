"""Problems and packs as tables of pandas, for whoever works with those."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final

from .errors import UsageError
from .unit import ContextUnit

if TYPE_CHECKING:
    import pandas as pd

    from .packed import PackedContext

UNIT_COLUMNS: Final = (
    *("id", "rung", "state", "tokens", "value", "fidelity", "kind", "zone", "required"),
    *("relevance", "authority", "freshness", "risk", "needs", "covers", "path"),
)

CANDIDATE_COLUMNS: Final = (
    *("id", "decision", "rung", "state", "tokens", "value", "kind", "zone", "reason", "detail", "path"),
)


def frame_of(columns: Sequence[str], rows: Iterable[tuple[Any, ...]]) -> pd.DataFrame:
    """Return ``rows`` as a data frame.

    Raises
    ------
    UsageError
        pandas is not installed.
    """
    try:
        import pandas as pd
    except ImportError:
        raise UsageError(
            "pandas is not installed", code="extra_missing", hint="pip install 'satchel[research]'"
        ) from None
    return pd.DataFrame(list(rows), columns=list(columns))


def forms_frame(units: Iterable[ContextUnit]) -> pd.DataFrame:
    """Return a row for each unit and form; tokens that are to be counted, and values to be worked out, NA."""
    return frame_of(UNIT_COLUMNS, (row for unit in units for row in _forms(unit)))


def _forms(unit: ContextUnit) -> Iterable[tuple[Any, ...]]:
    for rung, form in enumerate(unit.ladder()):
        value = form.value if form.value is not None else unit.value
        if form.value is None and value is not None and form.fidelity is not None:
            value *= form.fidelity
        yield (
            unit.id,
            rung,
            form.state.value,
            form.tokens,
            value,
            form.fidelity,
            unit.kind.value,
            unit.zone,
            unit.required,
            unit.relevance_score,
            unit.authority_score,
            unit.freshness_score,
            unit.risk_score,
            len(unit.dependencies),
            len(unit.coverage),
            unit.source_refs[0].path if unit.source_refs else "",
        )


def candidates_frame(context: PackedContext) -> pd.DataFrame:
    """Return a row for each candidate: what was decided of it, in which form and why."""
    scale = context.solver.scale
    rows: list[tuple[Any, ...]] = [
        (
            unit.id,
            "accepted",
            unit.rung,
            unit.compression_state.value,
            unit.token_estimate,
            unit.value / scale,
            unit.kind.value,
            unit.zone,
            unit.reason.value,
            unit.detail,
            unit.source_refs[0].path if unit.source_refs else "",
        )
        for unit in context.accepted_units
    ]
    for decision, units in (("rejected", context.rejected_units), ("skipped", context.skipped_units)):
        rows += [
            (
                unit.id,
                decision,
                None,
                None,
                unit.token_estimate,
                None,
                unit.kind.value if unit.kind else "",
                unit.zone,
                unit.reason.value,
                unit.detail,
                unit.source_refs[0].path if unit.source_refs else "",
            )
            for unit in units
        ]
    return frame_of(CANDIDATE_COLUMNS, rows)
