"""The closed vocabularies of the contract."""

from __future__ import annotations

from enum import StrEnum
from typing import Final, Literal


class Kind(StrEnum):
    """What a context unit is."""

    FILE_FULL = "file_full"
    FILE_EXCERPT = "file_excerpt"
    SYMBOL = "symbol"
    CONTRACT = "contract"
    EXAMPLE = "example"
    TEST_CASE = "test_case"
    CONFIG_KEY = "config_key"
    DOC_PAGE = "doc_page"
    REPO_SUMMARY = "repo_summary"
    DIAGRAM_SOURCE = "diagram_source"
    KM_NOTE = "km_note"
    HEADING = "heading"
    """The name of a file, above those of its units that depend on it (:func:`.unit.heading_of`)."""


EXAMPLE_KINDS: Final = frozenset({Kind.EXAMPLE, Kind.TEST_CASE})
"""Kinds that count as 'one example' in ``keep_authoritative_plus_one_example``."""


class State(StrEnum):
    """Rungs of the compression ladder, from the fullest form to the shortest."""

    RAW = "raw"
    EXCERPTED = "excerpted"
    SYMBOLIZED = "symbolized"
    CONTRACT = "contract"
    SUMMARIZED = "summarized"

    @property
    def depth(self) -> int:
        """0 for raw, growing as the form gets shorter."""
        return _DEPTHS[self]


_DEPTHS: Final = {state: depth for depth, state in enumerate(State)}


class OverflowPolicy(StrEnum):
    """The harshest thing that may happen to a unit of a zone."""

    FAIL = "fail"
    DROP_LOW_RANK = "drop_low_rank"
    COMPRESS = "compress"
    SUMMARIZE = "summarize"

    @property
    def states(self) -> frozenset[State]:
        """The rungs that may replace a unit's own form in a zone of this policy."""
        return _STATES[self]


_STATES: Final = {
    OverflowPolicy.FAIL: frozenset({State.RAW}),
    OverflowPolicy.DROP_LOW_RANK: frozenset({State.RAW}),
    OverflowPolicy.COMPRESS: frozenset(State) - {State.SUMMARIZED},
    OverflowPolicy.SUMMARIZE: frozenset(State),
}


class MinPolicy(StrEnum):
    """What happens when a zone's minimum cannot be met."""

    FAIL = "fail"
    RELAX = "relax"


class GroupPolicy(StrEnum):
    """How many members of a redundancy group may be kept, and which."""

    KEEP_ALL = "keep_all"
    KEEP_AT_MOST = "keep_at_most"
    KEEP_AUTHORITATIVE = "keep_authoritative"
    KEEP_AUTHORITATIVE_PLUS_ONE_EXAMPLE = "keep_authoritative_plus_one_example"


class Stability(StrEnum):
    """Whether a unit's bytes stay the same between calls (what a prompt cache can reuse)."""

    STABLE = "stable"
    VOLATILE = "volatile"


class Trust(StrEnum):
    """Whether a unit's text may be read as instruction."""

    TRUSTED = "trusted"
    UNTRUSTED = "untrusted"


class Status(StrEnum):
    """How good the pack is known to be."""

    OPTIMAL = "optimal"
    WITHIN_GAP = "within_gap"
    FEASIBLE = "feasible"
    HEURISTIC = "heuristic"


class StopReason(StrEnum):
    """Why the search ended."""

    PROOF = "proof"
    GAP = "gap"
    DETERMINISTIC_LIMIT = "deterministic_limit"
    WALL_CLOCK = "wall_clock"
    INTERRUPT = "interrupt"
    HEURISTIC_END = "heuristic_end"
    TOLERANCE = "tolerance"
    """An engine that computes in floats was done, within its own tolerances: no exact proof."""


class Severity(StrEnum):
    """How much a diagnostic matters."""

    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


class AcceptReason(StrEnum):
    """Why a unit is in the pack."""

    REQUIRED = "required"
    MUST_INCLUDE = "must_include"
    ZONE_KEEPS_ALL = "zone_keeps_all"
    DEPENDENCY = "dependency"
    ZONE_MINIMUM = "zone_minimum"
    COVERAGE = "coverage"
    SHOULD_INCLUDE = "should_include"
    VALUE = "value"


class RejectReason(StrEnum):
    """Why a candidate is not in the pack.

    The first block never reached the solver (skipped); the second block was
    weighed by it and left out (rejected).
    """

    MUST_EXCLUDE = "must_exclude"
    RISK_CEILING = "risk_ceiling"
    EMPTY = "empty"
    UNREADABLE = "unreadable"
    BINARY = "binary"
    TOO_LARGE = "too_large"
    SENSITIVE_NAME = "sensitive_name"
    OWN_OUTPUT = "own_output"
    NOT_EVIDENCE = "not_evidence"
    DUPLICATE = "duplicate"

    NOT_AUTHORITATIVE = "not_authoritative"
    REDUNDANT = "redundant"
    DEPENDENCY_UNAVAILABLE = "dependency_unavailable"
    DEPENDENCY_NOT_INCLUDED = "dependency_not_included"
    ZONE_CAPACITY_EXCEEDED = "zone_capacity_exceeded"
    TOKEN_BUDGET_EXCEEDED = "token_budget_exceeded"  # noqa: S105 - a reason, not a secret
    COST_LIMIT_EXCEEDED = "cost_limit_exceeded"
    NO_GAIN = "no_gain"
    NOT_WORTH_ITS_COST = "not_worth_its_cost"
    NOT_SELECTED = "not_selected"


CoverageState = Literal["covered", "partial", "missing"]

DEFAULT_ZONES: Final = (
    "system",
    "output_contract",
    "task",
    "repo_map",
    "source_evidence",
    "examples",
    "existing_docs",
    "verification",
)
"""The zones that exist without being declared, in prompt order (seed 000 §3, §9)."""

DEFAULT_ZONE: Final = "source_evidence"
