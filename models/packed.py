"""The packed context: what went in, in which form, why, and how good it is (seed 000 §13, design §2)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal, Self

from pydantic import Field, model_validator

from .base import Count, Data, Flag, Listed, Model, NonEmpty, Tokens
from .errors import SchemaError
from .names import (
    AcceptReason,
    CoverageState,
    Kind,
    RejectReason,
    Severity,
    Stability,
    State,
    Status,
    StopReason,
    Trust,
)
from .parsing import content_hash
from .pricing import Calls, Currency, Objective
from .reading import collector_paused
from .task import ModelProfile, Task
from .unit import SourceRef

if TYPE_CHECKING:
    import pandas as pd

Scaled = Annotated[int, Field(strict=True)]
"""A value times ``solver.scale``, as an integer."""


class Diagnostic(Model):
    """Something the reader should know; ``data`` holds the ids and numbers behind the sentence."""

    severity: Severity
    code: NonEmpty
    message: str
    data: Data = Field(default_factory=dict)


class AcceptedUnit(Model):
    """A unit of the pack at its rung, with its provenance."""

    id: NonEmpty
    kind: Kind
    title: str = ""
    zone: NonEmpty
    compression_state: State
    rung: Count = Field(description="index into the unit's ladder; 0 is its own form")
    token_estimate: Tokens
    value: Scaled = Field(description="scaled value of this form, coverage and penalties not included")
    reason: AcceptReason
    detail: str = ""
    data: Data = Field(default_factory=dict)
    source_refs: Annotated[tuple[SourceRef, ...], Listed] = ()
    stability: Stability = Stability.STABLE
    trust: Trust = Trust.UNTRUSTED


class RejectedUnit(Model):
    """A candidate that is not in the pack, and why."""

    id: NonEmpty
    kind: Kind | None = None
    title: str = ""
    zone: str = ""
    token_estimate: Tokens = Field(default=0, description="size of its own form")
    reason: RejectReason
    detail: str = ""
    data: Data = Field(default_factory=dict)
    source_refs: Annotated[tuple[SourceRef, ...], Listed] = ()


class PackedBudget(Model):
    """Where the tokens of the call go."""

    available_input_tokens: Tokens
    estimated_input_tokens: Tokens
    max_context_tokens: Tokens | None = None
    reserved_output_tokens: Tokens = 0
    safety_margin_tokens: Tokens = 0
    fixed_overhead_tokens: Tokens = 0


class PackedZone(Model):
    """Tokens of one zone beside its limits; ``shortfall`` is what a relaxed minimum lacks."""

    name: NonEmpty
    units: Count
    estimated_tokens: Tokens
    min_tokens: Tokens = 0
    target_tokens: Tokens | None = None
    max_tokens: Tokens | None = None
    shortfall: Tokens = 0


class Counts(Model):
    """``accepted + rejected + skipped = candidates``, always."""

    candidates: Count
    accepted: Count
    rejected: Count
    skipped: Count


class RowDual(Model):
    """The multiplier of one row of the integer program, times the certificate's denominator.

    ``family`` and ``name`` say which row: ``budget``; ``zone maximum``, ``zone minimum`` and ``zone target``
    of a zone; ``group`` and ``redundancy`` of a group; ``coverage`` (units needed) and ``cover`` (amount) of
    a dimension; ``dependency`` of unit ``name`` on unit ``other``; ``shortfall`` of the relaxed minima.
    """

    family: NonEmpty
    name: str = ""
    other: str = ""
    value: Scaled


class Certificate(Model):
    """Multipliers that prove ``bound`` by weak duality, in whole numbers.

    Sum over the rows of multiplier times the side that binds, plus for each unit the most that one of its
    options is worth beyond what it pays, plus the same for the helper columns; divided by ``denominator``,
    rounded down. Whatever the multipliers are, no pack is worth more.

    Where prices decide, worth is ``value_weight`` x value - ``cost_weight`` x cost, and ``case`` says of
    which packs: those whose prefix is paid for as ``uncached``, or as ``cached``.
    """

    denominator: Annotated[int, Field(strict=True, ge=1)]
    bound: Scaled
    duals: Annotated[tuple[RowDual, ...], Listed] = ()
    case: Literal["uncached", "cached"] | None = None
    value_weight: Annotated[int, Field(strict=True, ge=1)] | None = None
    cost_weight: Annotated[int, Field(strict=True, ge=0)] | None = None


class SolverReport(Model):
    """Outcome, stop reason and evidence, kept apart (design §2).

    ``objective`` and ``bound`` are integers: value times ``scale``. ``gap`` is
    ``(bound - objective) / max(1, |objective|)``, 0 exactly when they are equal.
    """

    status: Status
    stop_reason: StopReason
    engine: NonEmpty
    objective: Scaled
    bound: Scaled
    gap: Annotated[float, Field(strict=True, ge=0.0)]
    scale: Annotated[int, Field(strict=True, ge=1)]
    shortfall: Tokens = Field(default=0, description="tokens that relaxed zone minima lack in total")
    shortfall_bound: Tokens = Field(default=0, description="no pack lacks less")
    limits: Data = Field(default_factory=dict)
    seed: Annotated[int, Field(strict=True)] = 0
    workers: Count = 1
    versions: dict[str, str] = Field(default_factory=dict)
    reproducible: Flag = True
    problem_digest: NonEmpty
    certificate: Certificate | None = Field(
        default=None, description="proves a bound in plain arithmetic; `bound` may be tighter by search"
    )
    cached_certificate: Certificate | None = Field(
        default=None, description="where prices decide: the same for packs whose prefix is cached"
    )
    verdict: Literal["passed"] = Field(default="passed", description="of the independent checker")


class PackedCost(Model):
    """What all expected calls cost, in micro-units of ``currency``, a fraction rounded once, halves up.

    ``exact_cost`` is the same before rounding, in millionths of a micro-unit: value per cost is
    ``solver.objective`` over it, and no pack has more than ``solver.bound`` over it where that was asked for.
    Tokens are those of the problem, and a last step of the cache that is not full counts as not cached: the
    rendered prompt costs as much or less.
    """

    currency: Currency
    objective: Objective
    expected_calls: Calls
    cache_writes: Calls
    prefix_tokens: Tokens = Field(description="stable tokens, the frame's own included")
    cached_tokens: Tokens = Field(description="of these, what is paid for as cached")
    fresh_tokens: Tokens = Field(description="all others of one call's input")
    cost_micro: Annotated[int, Field(strict=True, ge=0)]
    uncached_micro: Annotated[int, Field(strict=True, ge=0)] = Field(description="the same without a cache")
    exact_cost: Annotated[int, Field(strict=True, ge=0)]
    cost_limit: Annotated[int, Field(strict=True, ge=0)] | None = None


class Boundary(Model):
    """Where the stable prefix of the prompt ends (seed 003)."""

    index: Count = Field(description="number of leading stable units")
    segment_ids: Annotated[tuple[str, ...], Listed] = ()
    stranded_ids: Annotated[tuple[str, ...], Listed] = ()
    reason: Literal["all_stable", "volatile_segment", "no_stable_prefix", "below_minimum", "empty"]
    ended_by: str | None = None
    cacheable: Flag
    tokens: Tokens = Field(description="tokens of the prefix, frame included")
    prefix_digest: str = Field(default="", description="SHA-256 of the prefix's bytes")


class ManifestEntry(Model):
    """Where a unit stands in the rendered prompt: 1-based inclusive lines."""

    id: NonEmpty
    start_line: Count
    end_line: Count
    tokens: Tokens


class PromptReport(Model):
    """The rendered prompt: order, boundary, trust, and its size as recounted."""

    format: Literal["markdown", "xml", "plain", "json"]
    order: Annotated[tuple[str, ...], Listed]
    placement: Literal["as-given"] | None = Field(
        default=None, description="units stand as authored; otherwise stable ones come first"
    )
    boundary: Boundary
    untrusted_ids: Annotated[tuple[str, ...], Listed] = ()
    tokens: Tokens = Field(description="recount of the whole text")
    limit: Tokens = Field(description="what the whole text may hold")
    overhead_tokens: Tokens = Field(default=0, description="tokens outside the units: frame and headings")
    method: Literal["exact", "approximate", "cached"]
    digest: NonEmpty = Field(description="SHA-256 of the text's bytes")
    manifest: Annotated[tuple[ManifestEntry, ...], Listed] = ()


class ScanReport(Model):
    """What was read to find the candidates, and what was left out before."""

    files: Count
    bytes: Annotated[int, Field(strict=True, ge=0)] = 0
    skipped: dict[str, Count] = Field(default_factory=dict, description="left-out files by reason")
    revision: str | None = None


class PackedContext(Model):
    """The artifact: it accounts for every candidate.

    Raises
    ------
    SchemaError
        The counts, the partition of candidates or the token sums do not add up.
    """

    SCHEMA: ClassVar[str] = "packed-context.v1"

    schema_version: Literal["packed-context.v1"]
    task_id: str = ""
    task: Task | None = None
    model_profile: ModelProfile | None = None
    budget: PackedBudget
    counts: Counts
    zones: Annotated[tuple[PackedZone, ...], Listed] = ()
    coverage: dict[str, CoverageState] = Field(default_factory=dict)
    accepted_units: Annotated[tuple[AcceptedUnit, ...], Listed] = ()
    rejected_units: Annotated[tuple[RejectedUnit, ...], Listed] = ()
    skipped_units: Annotated[tuple[RejectedUnit, ...], Listed] = ()
    diagnostics: Annotated[tuple[Diagnostic, ...], Listed] = ()
    solver: SolverReport
    cost: PackedCost | None = Field(default=None, description="where the problem states prices")
    scan: ScanReport | None = None
    prompt: PromptReport | None = None
    digest: str = Field(default="", description="SHA-256 of the canonical JSON of everything else")

    def to_frame(self) -> pd.DataFrame:
        """Return a row for each candidate as a data frame of pandas, values not scaled.

        Raises
        ------
        UsageError
            pandas is not installed.
        """
        from .frames import candidates_frame

        return candidates_frame(self)

    def content_digest(self) -> str:
        """Return the digest of every field but ``digest`` itself."""
        with collector_paused():
            data = self.to_data()
            data.pop("digest")
            return content_hash(data)

    def seal(self) -> Self:
        """Return a copy whose ``digest`` binds its content; to be called last, after every other change."""
        return self.model_copy(update={"digest": self.content_digest()})

    @model_validator(mode="after")
    def _adds_up(self) -> Self:
        parts = (len(self.accepted_units), len(self.rejected_units), len(self.skipped_units))
        counts = self.counts
        if parts != (counts.accepted, counts.rejected, counts.skipped) or sum(parts) != counts.candidates:
            raise _broken("counts", f"{parts} listed, {counts.to_data()} stated")
        every: list[str] = [
            entry.id
            for part in (self.accepted_units, self.rejected_units, self.skipped_units)
            for entry in part
        ]
        if len(set(every)) != len(every):
            raise _broken("acceptedUnits", "a candidate is listed twice")
        total = sum(unit.token_estimate for unit in self.accepted_units)
        if total != self.budget.estimated_input_tokens:
            raise _broken("budget.estimatedInputTokens", f"accepted units hold {total} tokens")
        by_zone = _sum_by_zone(self.accepted_units)
        stated = {zone.name: zone.estimated_tokens for zone in self.zones if zone.estimated_tokens}
        if stated != by_zone:
            raise _broken("zones", f"accepted units hold {by_zone} tokens by zone, {stated} stated")
        return self


def _sum_by_zone(units: Iterable[AcceptedUnit]) -> dict[str, int]:
    sums: dict[str, int] = {}
    for unit in units:
        sums[unit.zone] = sums.get(unit.zone, 0) + unit.token_estimate
    return {zone: tokens for zone, tokens in sums.items() if tokens}


def _broken(field: str, message: str) -> SchemaError:
    return SchemaError(f"does not add up: {message}", code="artifact_sum", field=field)
