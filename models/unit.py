"""Context units: the pieces of evidence that are weighed, and the ladder of forms each can take."""

from __future__ import annotations

from typing import Annotated, Any, Final, Self

from pydantic import BeforeValidator, Field, model_validator
from pydantic_core import PydanticCustomError

from .base import Count, Flag, Listed, Model, NonEmpty, Number, Score, Tokens
from .names import DEFAULT_ZONE, Kind, Stability, State, Trust


class SourceRef(Model):
    """Where a text comes from: a file, and 1-based inclusive lines where they are known."""

    path: NonEmpty = Field(description="POSIX path relative to the root, or another stable name")
    start_line: Annotated[int, Field(strict=True, ge=1)] | None = None
    end_line: Annotated[int, Field(strict=True, ge=1)] | None = None
    total_lines: Count | None = Field(default=None, description="lines of the whole file, where known")

    @model_validator(mode="after")
    def _lines_in_order(self) -> Self:
        if self.end_line is not None and (self.start_line is None or self.end_line < self.start_line):
            raise PydanticCustomError(
                "lines",
                "endLine must not come before startLine",
                {
                    "field": "endLine",
                    "value": self.end_line,
                    "hint": "give startLine, and endLine at or after it",
                },
            )
        return self

    @model_validator(mode="after")
    def _lines_in_file(self) -> Self:
        last = self.end_line or self.start_line
        if last is not None and self.total_lines is not None and last > self.total_lines:
            raise PydanticCustomError(
                "lines",
                "line {last} is beyond the end of the file",
                {
                    "last": last,
                    "field": "totalLines",
                    "value": self.total_lines,
                    "hint": "totalLines counts the lines of the whole file",
                },
            )
        return self

    def label(self) -> str:
        """Return ``path:start-end``, ``path:line`` or ``path``."""
        if self.start_line is None:
            return self.path
        if self.end_line in (None, self.start_line):
            return f"{self.path}:{self.start_line}"
        return f"{self.path}:{self.start_line}-{self.end_line}"


class Rendering(Model):
    """One shorter form of a unit: a rung of its ladder."""

    state: State
    tokens: Tokens | None = Field(default=None, description="size of the rendered block; counted when absent")
    text: str | None = None
    fidelity: Annotated[float, Field(strict=True, gt=0.0, le=1.0)] | None = Field(
        default=None, description="share of the unit's value and coverage that this form keeps"
    )
    value: Number | None = Field(default=None, description="explicit value; overrides fidelity x unit value")
    source_refs: Annotated[tuple[SourceRef, ...], Listed] = ()

    @model_validator(mode="after")
    def _weighable(self) -> Self:
        if self.fidelity is None and self.value is None:
            raise PydanticCustomError(
                "rendering_value",
                "a rendering needs fidelity or value",
                {"hint": "give fidelity (above 0, at most 1) or an explicit value"},
            )
        if self.tokens is None and self.text is None:
            raise PydanticCustomError(
                "rendering_size",
                "a rendering needs tokens or text",
                {"hint": "give tokens, or text to count"},
            )
        return self


class Dependency(Model):
    """Another unit without which this one cannot be understood."""

    id: NonEmpty
    min_rung: State = Field(
        default=State.SUMMARIZED, description="the shortest form of the other unit that is good enough"
    )


def _dependency(value: Any) -> Any:
    return {"id": value} if isinstance(value, str) else value


def _coverage(value: Any) -> Any:
    # A bare list of dimensions means strength 1 (design §2).
    if isinstance(value, str):
        raise PydanticCustomError("list_type", "should be a list of dimensions or a map to strengths")
    if isinstance(value, (list, tuple)):
        if not all(isinstance(name, str) for name in value):
            raise PydanticCustomError("coverage", "should be a list of dimension names or a map to strengths")
        return dict.fromkeys(value, 1.0)
    return value


_HEADING: Final = "file-heading:"
_LEAD_HEADING: Final = "lead-heading:"


def heading_of(path: str) -> str:
    """Return the id of the unit that names the file ``path`` once, above the units of it that depend on it.

    It is of kind ``heading``, without text and worth nothing; a stable unit that depends on it does not name
    its file again. So several units of a file share what its name takes, and the sum of sizes stays exact.
    """
    return f"{_HEADING}{path}"


def lead_heading_of(path: str) -> str:
    """Return the id of the heading of a file's units that lead the prompt (``Problem.lead``).

    Other units of the file stand further down, under a heading of their own.
    """
    return f"{_LEAD_HEADING}{path}"


def headings_of(path: str) -> tuple[str, str]:
    """Return the ids of both headings that can name the file ``path``."""
    return heading_of(path), lead_heading_of(path)


class ContextUnit(Model):
    """A piece of evidence with what is needed to weigh it (seed 000 §5, design §2).

    ``token_estimate`` is the size of the whole rendered block, header, markers and joiner included.
    """

    id: NonEmpty
    kind: Kind = Kind.FILE_EXCERPT
    title: str = ""
    source_refs: Annotated[tuple[SourceRef, ...], Listed] = ()
    text: str | None = None
    token_estimate: Tokens | None = Field(default=None, description="counted from text when absent")
    authority_score: Score = 0.0
    relevance_score: Score = 0.0
    freshness_score: Score = 0.0
    risk_score: Score = 0.0
    compression_state: State = State.RAW
    required: Flag = False
    zone: NonEmpty = DEFAULT_ZONE
    dependencies: Annotated[tuple[Annotated[Dependency, BeforeValidator(_dependency)], ...], Listed] = ()
    diagnostics: Annotated[tuple[str, ...], Listed] = ()
    coverage: Annotated[dict[str, Score], BeforeValidator(_coverage)] = Field(default_factory=dict)
    redundancy_groups: Annotated[tuple[NonEmpty, ...], Listed] = ()
    stability: Stability = Stability.STABLE
    trust: Trust = Trust.UNTRUSTED
    tags: Annotated[tuple[NonEmpty, ...], Listed] = ()
    value: Number | None = Field(
        default=None, description="explicit value; overrides scoring, taken as it stands"
    )
    renderings: Annotated[tuple[Rendering, ...], Listed] = ()
    held: Count | None = Field(
        default=None, description="place in its ladder of the only form that is offered; all when absent"
    )

    @model_validator(mode="after")
    def _held_is_there(self) -> Self:
        forms = len(self.ladder())
        if self.held is not None and self.held >= forms:
            raise PydanticCustomError(
                "held",
                "the unit has no such form",
                {"field": "held", "value": self.held, "hint": f"accepted: 0 to {forms - 1}"},
            )
        return self

    @model_validator(mode="after")
    def _sized(self) -> Self:
        has_own_form = self.token_estimate is not None or self.text is not None
        if not has_own_form and not self._first_rendering_is_own_form():
            raise PydanticCustomError(
                "unit_size",
                "a unit needs tokenEstimate or text",
                {"value": self.id, "hint": "give tokenEstimate (a whole number), or text to count"},
            )
        for index, rendering in enumerate(self.renderings):
            if index == 0 and not has_own_form:
                continue
            if rendering.state.depth <= self.compression_state.depth:
                shorter = [s.value for s in State if s.depth > self.compression_state.depth]
                raise PydanticCustomError(
                    "ladder",
                    "must be a shorter form than the unit's own, which is {own}",
                    {
                        "own": self.compression_state.value,
                        "field": f"renderings[{index}].state",
                        "value": rendering.state.value,
                        "hint": f"accepted: {', '.join(shorter) or 'no rendering at all'}",
                    },
                )
        if self.id in self.dependency_ids:
            raise PydanticCustomError(
                "self_dependency",
                "a unit cannot depend on itself",
                {"field": "dependencies", "value": self.id, "hint": "remove its own id"},
            )
        return self

    @model_validator(mode="after")
    def _heading_names_a_file(self) -> Self:
        is_heading = self.kind is Kind.HEADING
        names = [headings_of(ref.path) for ref in self.source_refs if ref.start_line is None]
        is_named = len(names) == 1 and self.id in names[0]
        is_plain = not self.text and is_named and self.stability is Stability.STABLE
        if is_heading != self.id.startswith((_HEADING, _LEAD_HEADING)) or (is_heading and not is_plain):
            raise PydanticCustomError(
                "heading",
                "must name one file, hold no text and be stable, as a unit of kind heading",
                {
                    "field": "id",
                    "value": self.id,
                    "hint": f"a heading has the id '{_HEADING}PATH', its kind, that path and an empty text",
                },
            )
        return self

    def _first_rendering_is_own_form(self) -> bool:
        return bool(self.renderings) and self.renderings[0].state == self.compression_state

    @property
    def dependency_ids(self) -> tuple[str, ...]:
        """Ids of the units that this one needs, as authored."""
        return tuple(dependency.id for dependency in self.dependencies)

    @property
    def heading(self) -> str | None:
        """Id of the heading that names its file, where it depends on one, is of one file, and is stable."""
        if not self.dependencies or self.stability is not Stability.STABLE:
            return None
        paths = {ref.path for ref in self.source_refs}
        names = headings_of(next(iter(paths))) if len(paths) == 1 else ()
        return next((d.id for d in self.dependencies if d.id in names), None)

    def ladder(self) -> tuple[Rendering, ...]:
        """Return every form of the unit, its own form first, the others as authored.

        The own form has fidelity 1 and the unit's explicit value, if any. Forms that a zone's
        overflow policy forbids, or that save no tokens, are still in it.
        """
        if self.token_estimate is None and self.text is None:
            return self.renderings
        # Not validated again: every field of it was, as a field of this unit.
        own = Rendering.trusted(
            state=self.compression_state,
            tokens=self.token_estimate,
            text=self.text,
            fidelity=1.0,
            value=self.value,
            source_refs=self.source_refs,
        )
        return (own, *self.renderings)
