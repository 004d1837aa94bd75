"""``satchel cost``: what a pack costs to send, with and without a prompt cache, or what calls have cost."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..console import Line, columns, count, note, number, print_json, print_lines, shown
from ..options import Artifact, Json, Model, ProblemFile, artifact_path, naming, problem_path

if TYPE_CHECKING:
    from ... import CostReport, PriceTable


def command(
    artifact: Artifact = None,
    prices: Annotated[
        Path | None,
        typer.Option(
            "--prices",
            metavar="FILE",
            help="Your price-table.v1 file, TOML or JSON: none is shipped. 'satchel schema price-table' "
            "describes it.",
        ),
    ] = None,
    model: Model = None,
    calls: Annotated[
        int, typer.Option("--calls", metavar="N", help="How often the prompt is sent with the same prefix.")
    ] = 1,
    usage: Annotated[
        Path | None,
        typer.Option(
            "--usage",
            metavar="FILE",
            help="Bill the usage records in FILE instead of a pack: a response of a provider, a list of "
            "them, or one a line.",
        ),
    ] = None,
    min_cacheable: Annotated[
        int | None,
        typer.Option(
            "--min-cacheable",
            metavar="TOKENS",
            help="The shortest prefix that is cached, instead of what is known of the model.",
        ),
    ] = None,
    used_breakpoints: Annotated[
        int,
        typer.Option(
            "--used-breakpoints", metavar="N", min=0, help="Cache markers that your request holds already."
        ),
    ] = 0,
    long_lived: Annotated[
        bool, typer.Option("--long-lived", help="Keep the prefix for the provider's longer lifetime.")
    ] = False,
    problem: ProblemFile = None,
    json: Json = False,
) -> None:
    """Show what a pack costs, with and without a prompt cache.

    Whole millionths of your currency: a call without a cache, with a hit, with a write; what a hit saves,
    and how many hits pay back a write.
    """
    from ... import UsageError, cost_of_pack, read_artifact, read_prices, read_problem
    from ...exits import clean_errors, redacted

    if prices is None:
        hint = "give your price table: prices change too often to come with Satchel"
        raise UsageError("no prices are given", field="--prices", hint=hint)
    table = read_prices(prices)
    if usage is not None:
        _bill(usage, table, model, as_json=json)
        return
    if calls < 0:
        raise UsageError("is no number of calls", field="--calls", value=calls, hint="give 0 or more")
    path = artifact_path(artifact)
    context = read_artifact(path)
    named = model or (context.model_profile.model if context.model_profile else "") or None
    answered = problem_path(path, problem)
    fields = {"used": "--used-breakpoints", "model": "--model", "minimum": "--min-cacheable"}
    with clean_errors(), naming(None, fields):
        report = cost_of_pack(
            context,
            table.price(named),
            model=named,
            problem=read_problem(answered) if problem is not None or answered.is_file() else None,
            calls=calls,
            minimum=min_cacheable,
            used=used_breakpoints,
            long_lived=long_lived,
        )
    if json:
        print_json(report.to_data())
    else:
        print_lines(_lines(report))
    for warning in report.plan.warnings:
        note(redacted(warning), kind="warning", style="yellow")


def _lines(report: CostReport) -> list[Line]:
    from ...exits import redacted

    cost, boundary = report.cost, report.plan.boundary
    unit = f"millionths of {shown(cost.currency)}"
    lines = [Line(f"Cost of one call, in {unit}", "bold")]
    hits = "never" if cost.break_even_hits is None else number(cost.break_even_hits)
    rows = [
        ["uncached", number(cost.uncached_micro)],
        ["cache hit", number(cost.cache_hit_micro)],
        ["cache write", number(cost.cache_write_micro)],
        ["saved per hit", number(cost.saved_per_hit_micro)],
        ["break-even hits", hits],
    ]
    lines += [Line(text) for text in columns(rows, right={1})]
    lines += [Line(), Line(f"Cost of {count(report.calls, 'call')}, in {unit}", "bold")]
    totals = [["without a cache", number(report.without_micro)], ["with one", number(report.with_micro)]]
    lines += [Line(text) for text in columns(totals, right={1})]
    lines += [Line(), Line("Prefix", "bold")]
    facts = [
        ["stable", f"{number(boundary.tokens)} tokens, {boundary.reason.replace('_', ' ')}"],
        ["cached", f"{number(cost.cached_tokens)} tokens, the minimum is {number(report.minimum)}"],
        ["fresh", f"{number(cost.fresh_tokens)} tokens"],
    ]
    if report.rule is not None:
        facts.append(
            ["rule", shown(f"{report.rule.provider}, as of {report.rule.as_of}: {report.rule.source}")]
        )
        if report.rule.note:
            facts.append(["", shown(report.rule.note)])
    facts += [
        ["marker", shown(f"behind {redacted(marker.after_id)}, {number(marker.tokens)} tokens")]
        for marker in report.plan.markers
    ]
    if boundary.stranded_ids:
        facts.append(["stranded", shown(redacted(", ".join(boundary.stranded_ids)))])
    if report.fill is not None:
        saved = f"saves {number(report.fill.saved_micro)} over all calls"
        filler = redacted(report.fill.id)
        facts.append(["filler", shown(f"{filler} would lift it above the minimum, and {saved}")])
    return [*lines, *(Line(text) for text in columns(facts)), *_formats(report)]


def _formats(report: CostReport) -> list[Line]:
    if not report.formats:
        return []
    rows = [["", "tokens", "around the texts"]]
    rows += [[name, number(whole), number(around)] for name, (whole, around) in report.formats.items()]
    head = Line("The same prompt in every format", "bold")
    return [Line(), head, *(Line(text) for text in columns(rows, right={1, 2}))]


def _bill(path: Path, table: PriceTable, model: str | None, *, as_json: bool) -> None:
    from ... import cost_of_usages, read_usages
    from ...costing import other_models

    usages = read_usages(path)
    bill = cost_of_usages(usages, table if model is None else table.price(model))
    if model is not None and (others := other_models(usages, model)):
        verb = "names" if len(others) == 1 else "name"
        found = f"{', '.join(sorted(set(others)))}; billed"
        head = f"{count(len(others), 'record')} {verb} another model than {model}"
        note(f"{head}: {found} at the price of {model} all the same", kind="warning", style="yellow")
    if as_json:
        data = {"currency": bill.currency, "records": len(usages), "totalMicro": bill.total_micro}
        print_json({**data, "partsMicro": bill.parts_micro})
        return
    tokens = {
        "input": sum(usage.fresh for usage in usages),
        "cacheRead": sum(usage.cache_read for usage in usages),
        "cacheWrite": sum(usage.cache_write for usage in usages),
        "cacheWriteLong": sum(usage.cache_write_long for usage in usages),
        "output": sum(usage.output for usage in usages),
    }
    names = {"cacheRead": "cache reads", "cacheWrite": "cache writes", "cacheWriteLong": "long-lived writes"}
    rows = [["", "tokens", "cost"]]
    rows += [
        [names.get(name, name), number(tokens[name]), number(part)] for name, part in bill.parts_micro.items()
    ]
    rows.append(["all", number(sum(tokens.values())), number(bill.total_micro)])
    head = f"{count(len(usages), 'record')}, in millionths of {shown(bill.currency)}"
    print_lines([Line(head, "bold"), *(Line(text) for text in columns(rows, right={1, 2}))])
