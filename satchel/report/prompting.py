"""The prompt in parts: what stands around the units, each unit with its marks, and the cache's boundary."""

from __future__ import annotations

from dataclasses import dataclass

from ..beside import PackFiles
from ..models import Boundary
from .visible import visible

_REASONS = {
    "all_stable": "everything is stable",
    "volatile_segment": "behind it comes what changes from call to call",
    "below_minimum": "below the least that the model's cache takes",
    "no_stable_prefix": "the prompt begins with what changes",
    "empty": "there is no unit",
}


@dataclass(frozen=True)
class Part:
    """A unit of the prompt (``number`` is its place), text around units, or a ``mark`` of the page."""

    text: str = ""
    number: int | None = None
    title: str = ""
    form: str = ""
    zone: int = 0
    zone_name: str = ""
    tokens: int = 0
    untrusted: bool = False
    volatile: bool = False
    stranded: bool = False
    mark: str = ""


def boundary_words(boundary: Boundary) -> str:
    """Return in words where the stable prefix ends, and why."""
    reason = _REASONS[boundary.reason]
    return reason[0].upper() + reason[1:] + ("." if boundary.cacheable else "; nothing is cached.")


def prompt_parts(files: PackFiles, zones: dict[str, int]) -> list[Part]:
    """Return the parts of the prompt in order; empty where its text is not at hand.

    Parameters
    ----------
    zones
        The number of each zone.
    """
    rendered, report = files.rendered, files.context.prompt
    if rendered is None or report is None:
        return []
    accepted = {unit.id: unit for unit in files.context.accepted_units}
    sizes = {entry.id: entry.tokens for entry in report.manifest}
    stranded = set(report.boundary.stranded_ids)
    untrusted = set(report.untrusted_ids)
    place = {name: number for number, name in enumerate(report.order)}
    words = f"stable prefix ends here: {report.boundary.tokens:,} tokens"
    mark = Part(mark=words if report.boundary.cacheable else f"{words}, not cached")
    parts: list[Part] = []
    end = 0
    for span in sorted(rendered.spans, key=lambda span: span.start):
        if rendered.text[end : span.start].strip():
            parts.append(Part(text=visible(rendered.text[end : span.start].strip("\n"))))
        number = place[span.id]
        if number == report.boundary.index:
            parts.append(mark)
        unit = accepted[span.id]
        parts.append(
            Part(
                text=visible(rendered.text[span.start : span.end].strip("\n")),
                number=number,
                title=visible(unit.title or unit.id),
                form=unit.compression_state.value,
                zone=zones[unit.zone],
                zone_name=visible(unit.zone),
                tokens=sizes.get(span.id, unit.token_estimate),
                untrusted=span.id in untrusted,
                volatile=unit.stability.value == "volatile",
                stranded=span.id in stranded,
            )
        )
        end = span.end
    if report.boundary.index >= len(report.order):
        parts.append(mark)
    if rendered.text[end:].strip():
        parts.append(Part(text=visible(rendered.text[end:].strip("\n"))))
    return parts
