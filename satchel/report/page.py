"""The page: what it shows, put into its template under a policy that lets no other script run."""

from __future__ import annotations

import base64
import importlib.util
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from importlib import resources
from typing import Any, Final

from ..beside import PackFiles
from ..doctoring import Visit, findings_of
from ..models import UsageError
from ..summary import Summary, summarise
from ..tracing import Frontier
from .charts import Chart, budget_chart, folder_chart, frontier_chart, timeline_chart
from .folders import Folder, folders_of
from .prompting import boundary_words, prompt_parts
from .rows import paths_of, table_data
from .timeline import Step
from .visible import embedded, visible

_TONES: Final = {"optimal": "good", "within_gap": "good", "feasible": "warning", "heuristic": "warning"}
_STATES: Final = {"covered": "good", "partial": "warning", "missing": "bad"}
_WORDS: Final = {
    "optimal": "No pack of these candidates is worth more: proven.",
    "within_gap": "Within the gap that was asked for of the best one.",
    "feasible": "A limit came before the proof.",
    "heuristic": "Found by greedy choice: fast, and proves nothing.",
}


@dataclass(frozen=True)
class ReportOptions:
    """What a report shows beyond the pack.

    Attributes
    ----------
    named
        How commands on the page name the artifact; None where it is the one that they take by default.
    frontier
        Value against budget, see :func:`satchel.frontier`.
    timeline
        Steps of the search, see :func:`satchel.report.read_timeline`.
    ask_solver
        Whether to ask the solver for the price of tokens and for what each candidate would cost.
    """

    named: str | None = None
    frontier: Frontier | None = None
    timeline: Sequence[Step] = ()
    ask_solver: bool = True


def report_page(files: PackFiles, options: ReportOptions | None = None) -> str:
    """Return a self-contained HTML page about a pack; the same input gives the same bytes.

    The artifact alone is enough. With its problem there are scores, forms, coverage, needs, groups and
    prices as well; with the problem or the prompt there is the prompt's text.

    Raises
    ------
    UsageError
        The extra ``report`` is not installed.
    """
    if any(importlib.util.find_spec(name) is None for name in ("jinja2", "vl_convert")):
        hint = "pip install 'satchel[report]'"
        raise UsageError("a report needs Jinja2 and vl-convert-python", code="extra_missing", hint=hint)
    from jinja2 import Environment, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters.update(n=_number, worth=_worth, percent=_percent, svg=Markup)
    page = _Page(files, options or ReportOptions())
    css, script = _asset("page.css"), _asset("page.js")
    policy = "; ".join(
        (
            "default-src 'none'",
            f"script-src '{_source_hash(script)}'",
            f"style-src '{_source_hash(css)}'",
            "img-src data:",
            "base-uri 'none'",
            "form-action 'none'",
            "require-trusted-types-for 'script'",
            "trusted-types 'none'",
        )
    )
    template = environment.from_string(_asset("page.html"))
    # All else is escaped. These are files of ours, and JSON in which nothing can end its element.
    trusted = {"css": Markup(css), "js": Markup(script), "data": Markup(page.data())}  # noqa: S704
    return template.render(policy=policy, **trusted, **page.shown())


def _asset(name: str) -> str:
    return resources.files(__package__).joinpath("assets", name).read_text(encoding="utf-8")


def _source_hash(text: str) -> str:
    return "sha256-" + base64.b64encode(sha256(text.encode("utf-8")).digest()).decode("ascii")


def _number(value: int) -> str:
    return f"{value:,}"


def _worth(value: float) -> str:
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:,.4f}"


def _percent(part: float) -> str:
    return "under 0.01 %" if 0 < part < 0.0001 else f"{part:.2%}".replace("%", " %")


class _Page:
    """What the template shows, part by part."""

    def __init__(self, files: PackFiles, options: ReportOptions) -> None:
        self.files, self.options = files, options
        self.context, self.problem = files.context, files.problem
        self.visit = Visit(files, named=options.named, ask_solver=options.ask_solver)
        self.summary: Summary = summarise(self.context)
        self.zones = {zone.name: number for number, zone in enumerate(self.context.zones)}
        self.folders: tuple[Folder, ...] = folders_of(paths_of(self.context.accepted_units))

    def data(self) -> str:
        """Return the candidates as JSON that may stand in the page."""
        return embedded(table_data(self.context, self.problem, self.visit.facts, self.visit.lost))

    def shown(self) -> dict[str, Any]:
        """Return the values of the template."""
        parts = prompt_parts(self.files, self.zones)
        coverage, prices, charts = self._coverage(), self._prices(), self._charts()
        findings = [
            {
                "severity": finding.severity.value,
                "title": visible(finding.title[:1].upper() + finding.title[1:]),
            }
            | {"detail": visible(finding.detail), "command": visible(finding.command)}
            for finding in findings_of(self.visit)
        ]
        known = {
            "overview": "Overview",
            "findings": findings and "Findings",
            "budget": "Budget",
            "files": charts["folders"] and "Files",
            "accepted": "In the pack",
            "left-out": "Left out",
            "coverage": coverage and "Coverage",
            "relations": self.problem and "Needs",
            "prices": (prices or charts["frontier"]) and "Prices",
            "prompt": parts and "Prompt",
            "solver": "Solver",
        }
        tree = {tile.zone for folder in self.folders for tile in folder.tiles}
        return {
            "title": visible(self.summary.task) or "Packed context",
            "status": self._status(),
            "summary": self.summary,
            "counts": self.context.counts,
            "boundary": self._boundary(),
            "notes": self._notes(),
            "findings": findings,
            "sections": [(name, label) for name, label in known.items() if label],
            "charts": charts,
            "zones": [_cleaned(zone) for zone in map(asdict, self.summary.zones)],
            "budget_facts": self._budget_facts(),
            "tree_zones": [(n, visible(name)) for name, n in self.zones.items() if name in tree],
            "folders": [
                {"name": visible(folder.name), "tiles": [_cleaned(asdict(tile)) for tile in folder.tiles]}
                for folder in self.folders
            ],
            "coverage": coverage,
            "has_problem": self.problem is not None,
            "prices": prices,
            "frontier": self._frontier(),
            "frontier_words": self._frontier_words(),
            "parts": parts,
            "prompt_format": "" if self.context.prompt is None else self.context.prompt.format,
            "timeline": [_cleaned(asdict(step)) for step in self.options.timeline],
            "solver_facts": self._solver_facts(),
            "version": self.context.solver.versions.get("satchel", ""),
            "digest": self.context.digest,
        }

    def _status(self) -> dict[str, str]:
        word = self.context.solver.status.value
        return {"word": word.replace("_", " "), "tone": _TONES[word], "sentence": _WORDS[word]}

    def _boundary(self) -> dict[str, Any] | None:
        if self.context.prompt is None:
            return None
        boundary = self.context.prompt.boundary
        return {"tokens": boundary.tokens, "sentence": boundary_words(boundary)}

    def _notes(self) -> list[str]:
        notes = [visible(f"{text[:1].upper()}{text[1:]}.") for text in self.files.lacking]
        if self.problem is None:
            notes.append("Without the problem there are no scores, forms, coverage by unit, needs or prices.")
        return notes

    def _charts(self) -> dict[str, Chart | None]:
        used = [
            (self.zones[zone.name], zone)
            for zone in self.context.zones
            if zone.units or zone.min_tokens or zone.target_tokens or zone.max_tokens is not None
        ]
        available = self.context.budget.available_input_tokens
        options = self.options
        return {
            "budget": budget_chart(used, available) if used else None,
            "folders": folder_chart(self.folders, self.zones) if any(f.tiles for f in self.folders) else None,
            "frontier": None if options.frontier is None else frontier_chart(options.frontier),
            "timeline": timeline_chart(options.timeline) if options.timeline else None,
        }

    def _budget_facts(self) -> list[tuple[str, str]]:
        budget = self.context.budget
        known = (
            ("Window", budget.max_context_tokens),
            ("Reserved for the answer", budget.reserved_output_tokens or None),
            ("Safety margin", budget.safety_margin_tokens or None),
            ("Frame of the prompt", budget.fixed_overhead_tokens or None),
            ("Left for units", budget.available_input_tokens),
            ("Taken by units", budget.estimated_input_tokens),
        )
        facts = [(name, f"{tokens:,} tokens") for name, tokens in known if tokens is not None]
        cost = self.context.cost
        if cost is not None:
            words = f"{cost.cost_micro:,} millionths of {visible(cost.currency)}"
            facts.append((f"Cost of {cost.expected_calls:,} calls", words))
            facts.append(("The same without a cache", f"{cost.uncached_micro:,}"))
        empty = [visible(name) for name, number in self.zones.items() if not self.context.zones[number].units]
        return [*facts, ("Zones without a unit", ", ".join(empty))] if empty else facts

    def _coverage(self) -> list[dict[str, Any]]:
        required = set() if self.problem is None else {d.name for d in self.problem.coverage if d.required}
        rows = []
        for name, state in self.context.coverage.items():
            counts: tuple[int | None, int | None] = (None, None)
            if self.problem is not None:
                counts = (
                    sum(unit.coverage.get(name, 0) > 0 for unit, _ in self.visit.accepted()),
                    sum(unit.coverage.get(name, 0) > 0 for unit, _ in self.visit.rejected()),
                )
            rows.append(
                {
                    "name": visible(name.replace("_", " ")),
                    "state": state,
                    "tone": _STATES[state],
                    "units": counts[0],
                    "out": counts[1],
                    "required": name in required,
                }
            )
        return rows

    def _prices(self) -> list[dict[str, Any]]:
        found = self.visit.prices
        if found is None or found.total is None:
            return []
        return [
            {
                "name": visible(f"{price.family} of {price.zone}" if price.zone else "The whole budget"),
                "limit": price.limit,
                "used": price.used,
                "value": price.per_thousand,
                "low": price.low,
                "high": price.high,
            }
            for price in (found.total, *found.zones)
        ]

    def _frontier(self) -> list[dict[str, Any]]:
        found = self.options.frontier
        if found is None:
            return []
        return [
            {
                "budget": point.budget,
                "value": found.value(point),
                "bound": point.bound / found.scale,
                "tokens": point.tokens,
                "units": point.units,
                "price": point.price,
            }
            for point in found.points
        ]

    def _frontier_words(self) -> str:
        found = self.options.frontier
        if found is None:
            return ""
        words = "Each point is the best pack of its budget"
        words += "; hollow ones are not proven." if any(not p.proven for p in found.points) else ", proven."
        if found.knee is None:
            return words + " The curve hardly bends."
        return words + f" Beyond {found.knee:,} tokens more brings less than on average."

    def _solver_facts(self) -> list[tuple[str, str]]:
        solver = self.context.solver
        limits = ", ".join(f"{name} {value}" for name, value in sorted(solver.limits.items()))
        versions = ", ".join(f"{name} {version}" for name, version in sorted(solver.versions.items()))
        facts = [
            ("Status", solver.status.value.replace("_", " ")),
            ("Stopped by", solver.stop_reason.value.replace("_", " ")),
            ("Engine", solver.engine),
            (
                "Objective",
                f"{_worth(self.summary.objective)} ({solver.objective:,} scaled by {solver.scale:,})",
            ),
            ("Bound", _worth(self.summary.bound)),
            ("Gap", "0" if solver.gap == 0 else _percent(solver.gap)),
            ("Reproducible", "yes" if solver.reproducible else "no: a clock or several workers decided"),
            ("Limits", limits or "none"),
            ("Seed and workers", f"{solver.seed} and {solver.workers}"),
            ("Versions", versions),
            ("Problem", solver.problem_digest),
            ("Checked", f"{solver.verdict} by code that shares nothing with the solver"),
        ]
        if solver.certificate is not None:
            bound = _worth(solver.certificate.bound / solver.scale)
            rows = len(solver.certificate.duals)
            facts.append(
                ("Certificate", f"{rows:,} multipliers prove that no pack is worth more than {bound}")
            )
        scan = self.context.scan
        if scan is not None:
            left = ", ".join(f"{count:,} {name}" for name, count in sorted(scan.skipped.items()) if count)
            facts.append(("Read", f"{scan.files:,} files, {scan.bytes:,} bytes"))
            facts.append(("Files left out", left or "none"))
        return [(name, visible(text)) for name, text in facts]


def _cleaned(data: dict[str, Any]) -> dict[str, Any]:
    return {key: visible(value) if isinstance(value, str) else value for key, value in data.items()}
