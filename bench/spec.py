"""What an instance is drawn from: how zones are filled, how forms shrink, and the dials of difficulty.

``bench/README.md`` says the same in words.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

VERSION = 1
"""Raised when the same seed draws other numbers, so that old rows are not mixed with new ones."""

STATES = ("excerpted", "symbolized", "contract", "summarized")
RATIOS = (0.50, 0.28, 0.18, 0.09)
"""Median share of the tokens that a form of each state keeps; the spread is log-normal, sigma 0.35."""

FIDELITIES = (0.82, 0.62, 0.50, 0.34)
"""Median share of the value that a form of each state keeps; the spread is uniform, 15 % to either side."""

RUNG_COUNTS = (0.10, 0.20, 0.30, 0.40)
"""Share of units with 1, 2, 3 and 4 forms, the unit's own among them."""


@dataclass(frozen=True)
class ZoneSpec:
    """How a zone is filled: share of units, median tokens, kinds, and its part of the budget.

    ``maximum`` and ``minimum`` are shares: of what the zone would hold if the budget were shared out by
    demand, and of that maximum. ``price`` is value lost per token above 80 % of the maximum.
    """

    name: str
    share: float
    median: float
    kinds: tuple[str, ...]
    authority: float
    policy: str
    maximum: float
    minimum: float
    hard: bool
    price: float = 0.0


ZONES = (
    ZoneSpec("system", 0.0, 120, ("doc_page",), 0.9, "fail", 1.0, 0.0, False),
    ZoneSpec("output_contract", 0.0, 110, ("contract",), 0.9, "fail", 1.0, 0.0, False),
    ZoneSpec("task", 0.0, 130, ("doc_page",), 0.9, "drop_low_rank", 1.1, 0.3, True),
    ZoneSpec("repo_map", 0.07, 260, ("repo_summary", "diagram_source"), 0.6, "compress", 0.8, 0.3, False),
    ZoneSpec(
        "source_evidence",
        0.53,
        220,
        ("file_excerpt", "symbol", "contract", "symbol", "file_full", "config_key"),
        0.65,
        "summarize",
        1.3,
        0.4,
        False,
    ),
    ZoneSpec(
        "examples", 0.16, 180, ("example", "example", "test_case"), 0.5, "summarize", 0.75, 0.5, False, 2e-4
    ),
    ZoneSpec(
        "existing_docs",
        0.15,
        320,
        ("doc_page", "doc_page", "km_note"),
        0.3,
        "summarize",
        0.6,
        0.35,
        True,
        5e-4,
    ),
    ZoneSpec("verification", 0.09, 150, ("test_case", "config_key"), 0.55, "compress", 0.85, 0.4, False),
)
"""The eight zones of seed 000 §3. The first three hold instructions: a few units each, whatever the size."""

INSTRUCTIONS = 3
EXAMPLES = (5, 7)
"""Zones that hold mostly examples and tests."""


@dataclass(frozen=True)
class Spec:
    """How large an instance is and how hard: every dial has a benign and a severe end.

    Parameters
    ----------
    units
        Number of candidates.
    tightness
        Budget as a share of the tokens of all candidates in their own form; smaller is tighter.
    slack
        Factor on every zone maximum; below 1 the zones bind before the budget does.
    correlation
        0: value does not depend on size (small units win); 1: value grows with the root of the size.
    chains
        Share of units that need the one before them in their module, in chains of about ``chain_length``.
    chain_length
        Mean length of those chains.
    hubs
        Share of units that need one of a few hubs, drawn by Zipf's law.
    cycles
        Share of dependencies that go both ways.
    groups
        Redundancy groups per unit; each has up to 8 members of one module.
    soft
        Share of groups with a price on every member beyond the first.
    cover
        Dimensions drawn for a unit, in the mean; the same one drawn twice counts once.
    required
        Share of units that must be in the pack.
    """

    units: int
    tightness: float = 0.2
    slack: float = 1.0
    correlation: float = 0.5
    chains: float = 0.25
    chain_length: float = 6.0
    hubs: float = 0.15
    cycles: float = 0.01
    groups: float = 0.1
    soft: float = 0.5
    cover: float = 1.5
    required: float = 0.01

    def __post_init__(self) -> None:
        if self.units < 20:
            raise ValueError(f"units: {self.units} is too few for eight zones; 20 or more")
        for name in ("tightness", "correlation", "chains", "hubs", "cycles", "soft", "required"):
            if not 0 <= getattr(self, name) <= 1:
                raise ValueError(f"{name}: {getattr(self, name)} is not between 0 and 1")
        for name in ("slack", "groups", "cover"):
            if getattr(self, name) < 0:
                raise ValueError(f"{name}: {getattr(self, name)} is below 0")
        if self.chain_length < 1:
            raise ValueError(f"chain_length: {self.chain_length} is below 1")


def spec_of(units: int, dials: Sequence[str]) -> Spec:
    """Return a spec with ``dials`` such as ``correlation=0.9`` set.

    Raises
    ------
    ValueError
        A dial that does not exist, or a value out of its range.
    """
    names = [field.name for field in fields(Spec) if field.name != "units"]
    values: dict[str, float] = {}
    for dial in dials:
        name, _, value = dial.partition("=")
        if name not in names:
            raise ValueError(f"no dial {name!r}; there are {', '.join(names)}")
        values[name] = float(value)
    return Spec(units, **values)
