"""Files that change between calls: their units stand behind the task, where no cache holds them."""

from __future__ import annotations

from .models import ContextUnit, Kind, PackingPolicy, Stability, UsageError, selects


def mark_volatile(units: tuple[ContextUnit, ...], globs: tuple[str, ...]) -> tuple[ContextUnit, ...]:
    """Return ``units`` with those from files that match any of ``globs`` marked as volatile.

    Raises
    ------
    UsageError
        A glob is none, or matches nothing.
    """
    changing: set[str] = set()
    for text in globs:
        selector = f"path:{text}"
        try:
            PackingPolicy(must_include=(selector,))
        except ValueError:
            hint = "check the [...] of the pattern"
            raise UsageError("is no pattern", field="volatile", value=text, hint=hint) from None
        found = {unit.id for unit in units if selects(selector, unit)}
        if not found:
            hint = "give a path or glob of files that are read, such as 'src/**'"
            raise UsageError("matches no candidate", field="volatile", value=text, hint=hint)
        changing |= found
    return _marked(units, changing) if changing else units


def _marked(units: tuple[ContextUnit, ...], changing: set[str]) -> tuple[ContextUnit, ...]:
    """Return ``units``, those in ``changing`` as volatile. They name their file themselves: a heading leads
    stable units, and goes where none is left under it."""
    headings = {unit.id for unit in units if unit.kind is Kind.HEADING}
    marked = []
    for unit in units:
        if unit.id in changing - headings:
            needs = tuple(need for need in unit.dependencies if need.id not in headings)
            marked.append(unit.model_copy(update={"stability": Stability.VOLATILE, "dependencies": needs}))
        else:
            marked.append(unit)
    led = {need for unit in marked for need in unit.dependency_ids}
    return tuple(unit for unit in marked if unit.id not in headings or unit.id in led)
