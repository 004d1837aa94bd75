"""From the pages of a batch to the prefixes that they share, and to the figures once they are packed."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256

import numpy as np

from ..batch.preparing import Amendment, Prepared
from ..batch.records import PageRecord
from ..models import BackendError, ContextUnit, InfeasibleError, Problem, SatchelError, UsageError
from ..models.parsing import content_hash
from ..pricing import lead_tokens
from ..prompt import place
from ..prompt.blocks import render_block
from ..solver.backends import highs
from ..solver.compile import compile_problem
from ..solver.greedy import greedy
from ..solver.joint.lead import LeadUnit, with_lead
from ..solver.joint.page import Draft, Form, Shared, programs_of
from ..solver.joint.plan import JointPlan, PlanOptions, plan_joint
from ..solver.joint.rates import Rates
from .options import SharingOptions
from .report import GroupFigures, PageFigures, SharingReport, micro


@dataclass(frozen=True)
class SharedLead:
    """The change to a page's problem: the units that lead it, and the tokens that all its units may take."""

    lead: tuple[LeadUnit, ...]
    room: int

    @property
    def digest(self) -> str:
        """What the change is."""
        units = [[unit.id, unit.state, unit.tokens, unit.text_digest, unit.file] for unit in self.lead]
        return content_hash({"lead": units, "room": self.room})

    def apply(self, problem: Problem) -> Problem:
        """Return ``problem`` behind the prefix; raises as :func:`satchel.solver.joint.lead.with_lead`."""
        return with_lead(problem, self.lead, self.room)


@dataclass(frozen=True)
class _Seen:
    """A page that takes part: its id, its place in the batch, its draft, and how its tokens are counted."""

    id: str
    place: int
    draft: Draft
    settings: tuple[str | None, str, str]


@dataclass
class PrefixPlanner:
    """Plans the prefixes of a batch: ``plan`` of :class:`satchel.BatchOptions`.

    Parameters
    ----------
    options
        Prices, loss, how many prefixes.
    tell
        Told what is being done.

    Attributes
    ----------
    left_out
        Pages that are packed on their own, with the reason.
    """

    options: SharingOptions
    tell: Callable[[str], None] | None = None
    left_out: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._plan: JointPlan | None = None
        self._pages: list[_Seen] = []
        self._leads: list[tuple[LeadUnit, ...]] = []
        self._rates = Rates(0, 0, 0)
        self._model: str | None = None
        self._shared = Shared.of([])

    def __call__(self, pages: Sequence[Prepared]) -> Mapping[str, Amendment]:
        """Return the change to each page that takes part.

        Raises
        ------
        BackendError
            highspy is not installed.
        UsageError
            Pages of several models, formats or vocabularies: they share no bytes, or no price.
        SatchelError
            The price table or what is known of the cache lacks the model.
        """
        if not highs.available():
            raise BackendError(
                "planning a shared prefix needs highspy",
                code="backend_missing",
                field="--shared-prefix",
                hint="pip install highspy, or leave the option out",
            )
        first: Prepared | None = None
        for i in range(len(pages)):
            prepared = self._take(pages, i)
            first = first or prepared
        if len(self._pages) < 2 or first is None:
            return {}
        self._model = first.problem.profile.model if first.problem.profile else None
        lead = lead_tokens(first.problem, first.estimator, first.page.options.format)
        self._rates = self.options.rates(first.page.options.model, lead)
        drafts = [page.draft for page in self._pages]
        self._shared = Shared.of(drafts)
        programs, scale = programs_of(drafts, self._shared)
        asked = self.options
        options = PlanOptions(asked.loss, asked.prefixes, asked.page_loss, asked.exact, tell=self.tell)
        self._plan = plan_joint(programs, self._shared, self._rates, scale, options)
        return self._amendments(pages)

    def _take(self, pages: Sequence[Prepared], i: int) -> Prepared | None:
        """Take the page in, unless it has to be packed on its own; only its arrays are kept."""
        try:
            prepared = pages[i]
        except SatchelError:
            return None  # it will fail again when it is its turn, and be in the manifest
        name, options = prepared.page.id, prepared.page.options
        if options.order != "stable-first":
            self.left_out[name] = "its units stand as given, so nothing can lead them"
            return None
        if prepared.problem.pricing is not None:
            self.left_out[name] = "its problem has prices of its own"
            return None
        profile = prepared.problem.profile
        settings = (options.model, options.format, profile.tokenizer if profile else "")
        if self._pages and settings != self._pages[0].settings:
            raise UsageError(
                f"{name!r} differs from {self._pages[0].id!r} in model, format or tokenizer",
                code="mixed_pages",
                field="--shared-prefix",
                hint="put them into batches of their own",
            )
        fmt = options.format
        try:
            c = compile_problem(prepared.problem)
        except InfeasibleError:
            self.left_out[name] = "it cannot be packed"
            return None
        if any(zone.minimum > 0 and zone.relax for zone in c.zones):
            # A shortfall comes before value and cost. Where none is needed, none is allowed.
            c = dataclasses.replace(c, zones=[dataclasses.replace(zone, relax=False) for zone in c.zones])
            if greedy(c) is None:
                self.left_out[name] = "its zones do not reach their minimum"
                return None

        def key_of(unit: ContextUnit, rung: int) -> bytes:
            block = render_block(unit, rung, fmt, None)
            return sha256(block.encode("utf-8", "surrogatepass")).digest()

        self._pages.append(_Seen(name, i, Draft.of(c, key_of), settings))
        return prepared

    def _amendments(self, pages: Sequence[Prepared]) -> dict[str, Amendment]:
        if self._plan is None:
            return {}
        changes: dict[str, Amendment] = {}
        for group in self._plan.groups:
            members = self._shared.members(np.array(group.inside, dtype=np.int64))
            first = pages[self._pages[group.pages[0]].place]
            lead = _in_order(first.problem, members, first.page.options.format)
            self._leads.append(lead)
            for p in group.pages:
                page = self._pages[p]
                changes[page.id] = SharedLead(lead, self._plan.packs[p].tokens)
        return changes

    def report(self, records: Sequence[PageRecord]) -> SharingReport | None:
        """Return the figures of the run, or None where nothing was planned.

        ``records`` are those of the manifest: pages that failed count as planned.
        """
        plan = self._plan
        if plan is None:
            return None
        by_task = {record.task: record for record in records}
        group_of = {p: g for g, group in enumerate(plan.groups) for p in group.pages}
        digests = [self._digest(group.pages, by_task) for group in plan.groups]
        pages = tuple(
            self._page(p, group_of[p], digests[group_of[p]], by_task.get(page.id))
            for p, page in enumerate(self._pages)
        )
        groups = tuple(self._group(g, digests[g]) for g in range(len(plan.groups)))
        price = self.options.price(self._pages[0].settings[0])
        cost = self._rates.input * sum(page.tokens for page in pages)
        for group in groups:
            cost -= self._rates.refund(len(group.pages)) * group.cached_tokens
        planned, bound = micro(plan.cost), micro(plan.bound)
        even = self._rates.break_even()
        return SharingReport(
            currency=price.currency,
            model=self._model or None,
            input_per_million=self._rates.input,
            cached_input_per_million=self._rates.read,
            cache_write_per_million=self._rates.write,
            cache_minimum=self._rates.minimum,
            max_value_loss=str(self.options.loss),
            max_page_loss=None if self.options.page_loss is None else str(self.options.page_loss),
            scale=plan.scale,
            floor=plan.floor,
            alone_value=sum(pack.value for pack in plan.alone),
            alone_bound=plan.value_bound,
            value=sum(page.value for page in pages),
            cost_alone=micro(plan.cost_alone),
            cost_trimmed=micro(plan.cost_trimmed),
            cost=micro(cost),
            cost_planned=planned,
            cost_bound=bound,
            gap=(planned - bound) / max(1, planned),
            method="joint program" if plan.method == "joint program" else "decomposition",
            break_even=even,
            groups=groups,
            pages=pages,
            left_out=dict(sorted(self.left_out.items())),
        )

    def _page(self, p: int, group: int, digest: str, record: PageRecord | None) -> PageFigures:
        plan = self._plan
        assert plan is not None
        frame = self._pages[p].draft.frame
        done = record is not None and record.is_done and record.objective is not None and record.scale
        value = tokens = shares = None
        if done and record is not None and record.objective is not None and record.scale:
            value = record.objective * plan.scale // record.scale
            tokens = record.tokens
            shares = bool(digest) and record.boundary is not None and record.boundary.digest == digest
        return PageFigures(
            task=self._pages[p].id,
            group=group,
            alone_value=plan.alone[p].value,
            alone_tokens=plan.alone[p].tokens + frame,
            planned_value=plan.packs[p].value,
            planned_tokens=plan.packs[p].tokens + frame,
            packed_value=value,
            packed_tokens=tokens,
            shares=shares if self._leads[group] else None,
        )

    def _group(self, g: int, digest: str) -> GroupFigures:
        plan = self._plan
        assert plan is not None
        group, lead = plan.groups[g], self._leads[g]
        prefix = self._rates.lead + self._shared.prefix_tokens(np.array(group.inside, dtype=np.int64))
        cached = self._rates.cached(prefix) if lead else 0
        return GroupFigures(
            pages=tuple(self._pages[p].id for p in group.pages),
            units=tuple(unit.id for unit in lead),
            prefix_tokens=prefix if lead else 0,
            cached_tokens=cached,
            writes=self._rates.writes(len(group.pages)) if cached else 0,
            prefix_digest=digest if lead else "",
        )

    def _digest(self, pages: Sequence[int], records: Mapping[str, PageRecord]) -> str:
        """Return the digest of the prefix of the first of the pages that was packed."""
        for p in pages:
            record = records.get(self._pages[p].id)
            if record is not None and record.boundary is not None:
                return record.boundary.digest
        return ""


def _in_order(problem: Problem, members: Sequence[Form], fmt: str) -> tuple[LeadUnit, ...]:
    """Return the units of a prefix in the order in which prompts show them."""
    found: dict[str, LeadUnit] = {}
    for form in members:
        unit = problem.by_id[form.unit]
        for rung, offered in enumerate(unit.ladder()):
            block = render_block(unit, rung, fmt, None) if offered.tokens == form.tokens else ""
            if sha256(block.encode("utf-8", "surrogatepass")).digest() == form.key:
                found[unit.id] = LeadUnit.of(unit, rung)
                break
    headings = {form.heading for form in members if form.heading}
    placed = place(problem, [*found, *headings])
    return tuple(found[name] for name in placed if name in found)
