"""What is in a pack that should not be, and what is out that should be in (seed 000 §14)."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator
from statistics import median
from typing import Final

from ..models import AcceptedUnit, ContextUnit, Kind, Severity, Trust
from ..sources.score.risk import injections
from .finding import Finding, Visit, shortlist

SMALL_SHARE: Final = 0.02
"""A file is small where all of it would take no more than this share of the budget …"""

SMALL_LEAST: Final = 200
"""… or no more than these tokens."""

GENERATED_SHARE: Final = 0.2
"""Generated text dominates above this share of the tokens of a pack."""

STALE: Final = 0.35
"""Freshness of what was last changed three years before the newest commit (half in each two years)."""

STALE_BEHIND: Final = 0.3
"""How far behind the source beside it documentation must be to be called stale."""

_SETTING: Final = frozenset({"config", "contract", "manifest", "authentication_config"})
_SETTING_KINDS: Final = frozenset({Kind.CONFIG_KEY, Kind.CONTRACT})
_GENERATED: Final = frozenset({"generated", "minified", "lock"})


def small_files(visit: Visit) -> Iterator[Finding]:
    """Find small files of settings and contracts of which nothing is in, although they are to the point."""
    known = {_path(unit) for unit, _ in visit.accepted()}
    files: dict[str, list[ContextUnit]] = defaultdict(list)
    for unit, _ in visit.rejected():
        if unit.source_refs and _path(unit) not in known:
            files[_path(unit)].append(unit)
    limit = max(SMALL_LEAST, int(SMALL_SHARE * visit.context.budget.available_input_tokens))
    found = []
    for path, units in files.items():
        tokens = sum(unit.token_estimate or 0 for unit in units)
        setting = any(unit.kind in _SETTING_KINDS or _SETTING & set(unit.tags) for unit in units)
        relevance = max(unit.relevance_score for unit in units)
        if setting and tokens <= limit and relevance > 0 and relevance >= visit.usual_relevance:
            found.append((-relevance, path, tokens))
    if not found:
        return
    paths = [path for _, path, _ in sorted(found)]
    sizes = {path: tokens for _, path, tokens in found}
    yield Finding(
        "small_file_left_out",
        Severity.WARNING,
        f"{_files(len(paths))} of settings or contracts {_is(len(paths))} left out whole: {shortlist(paths)}",
        f"Small ({sizes[paths[0]]:,} tokens for the first one), and as relevant as what is in.",
        visit.pack_again(*(word for path in paths[:3] for word in ("--focus", path)))
        or visit.what_if(*(f"require={path}" for path in paths[:3])),
        {"paths": paths, "tokens": [sizes[path] for path in paths]},
    )


def generated_text(visit: Visit) -> Iterator[Finding]:
    """Find generated text that takes a large share of the pack."""
    by_path: dict[str, int] = defaultdict(int)
    for unit, entry in visit.accepted():
        if _GENERATED & set(unit.tags):
            by_path[_path(unit)] += entry.token_estimate
    used, total = visit.context.budget.estimated_input_tokens, sum(by_path.values())
    if not used or total / used < GENERATED_SHARE:
        return
    paths = sorted(by_path, key=lambda path: (-by_path[path], path))
    yield Finding(
        "generated_dominates",
        Severity.WARNING,
        f"generated text takes {total:,} of {used:,} tokens ({total / used:.0%}): {shortlist(paths)}",
        "What it was generated from says the same in fewer tokens, unless the generated text is the subject.",
        visit.pack_again(*(word for path in paths[:3] for word in ("--exclude", path)))
        or visit.what_if(*(f"exclude={path}" for path in paths[:3])),
        {"paths": paths, "tokens": total, "share": round(total / used, 4)},
    )


def stale_docs(visit: Visit) -> Iterator[Finding]:
    """Find documentation in the pack that is much older than the source beside it."""
    source, docs = [], []
    for unit, entry in visit.accepted():
        if unit.value is not None or unit.kind is Kind.HEADING:
            continue
        if unit.kind is Kind.DOC_PAGE or unit.zone == "existing_docs":
            docs.append((unit, entry))
        elif unit.zone == "source_evidence":
            source.append(unit.freshness_score)
    if not source:
        return
    usual = median(source)
    old = [
        (unit, entry)
        for unit, entry in docs
        if unit.freshness_score <= min(STALE, usual - STALE_BEHIND) and unit.freshness_score > 0
    ]
    if not old:
        return
    trusted = [unit for unit, _ in old if unit.trust is Trust.TRUSTED]
    paths = sorted({_path(unit) for unit, _ in old})
    oldest = min(unit.freshness_score for unit, _ in old)
    tokens = sum(entry.token_estimate for _, entry in old)
    yield Finding(
        "stale_docs",
        Severity.WARNING,
        f"{_files(len(paths))} of documentation in the pack {_is(len(paths))} stale: {shortlist(paths)}",
        f"Last changed up to {-2 * math.log2(oldest):.0f} years before the newest commit, while the source "
        f"in the pack is mostly fresh; {tokens:,} tokens"
        + (f", {len(trusted)} units of it marked as trusted." if trusted else "."),
        visit.pack_again(*(word for path in paths[:3] for word in ("--exclude", path)))
        or visit.what_if(*(f"exclude={path}" for path in paths[:3])),
        {"paths": paths, "tokens": tokens, "trusted": sorted(unit.id for unit in trusted)},
    )


def injected(visit: Visit) -> Iterator[Finding]:
    """Find passages in the pack that speak to a model instead of about the project."""
    bad: list[tuple[ContextUnit, AcceptedUnit]] = []
    for unit, entry in visit.accepted():
        text = unit.ladder()[entry.rung].text
        if text and injections(text):
            bad.append((unit, entry))
    if not bad:
        return
    trusted = [unit.id for unit, _ in bad if unit.trust is Trust.TRUSTED]
    paths = sorted({_path(unit) for unit, _ in bad})
    words = "is wrapped as data, which lowers the risk and does not remove it"
    yield Finding(
        "injection_inside",
        Severity.ERROR if trusted else Severity.WARNING,
        f"{len(bad)} {'unit' if len(bad) == 1 else 'units'} in the pack may speak to the model: "
        f"{shortlist(paths)}",
        f"{len(trusted)} of it stands as trusted text." if trusted else f"The text {words}.",
        visit.pack_again(*(word for path in paths[:3] for word in ("--exclude", path)))
        or visit.what_if(*(f"exclude={unit.id}" for unit, _ in bad[:3])),
        {"ids": sorted(unit.id for unit, _ in bad), "paths": paths, "trusted": sorted(trusted)},
    )


def _path(unit: ContextUnit) -> str:
    return unit.source_refs[0].path if unit.source_refs else unit.id


def _files(number: int) -> str:
    return f"{number} file" if number == 1 else f"{number} files"


def _is(number: int) -> str:
    return "is" if number == 1 else "are"
