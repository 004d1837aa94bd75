"""The prompt section: order, cache boundary, trust and size, and the text itself where it is at hand."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from hashlib import sha256

from ...models import ManifestEntry, PackedContext, PromptReport, Stability, Trust
from .facts import Facts
from .report import Complaints

Count = Callable[[str], int]


def check_prompt(
    facts: Facts, context: PackedContext, complaints: Complaints, *, text: str | None, count: Count | None
) -> None:
    """Recompute what follows from the accepted units; with ``text``, digest, recount and manifest too."""
    prompt = context.prompt
    if prompt is None:
        if text is not None:
            complaints.add("prompt", "a prompt was given, and the artifact describes none")
        return
    _check_size(facts, prompt, complaints)
    _check_order(facts, context, prompt, complaints)
    _check_boundary(facts, context, prompt, complaints)
    _check_manifest(prompt, complaints)
    if text is not None:
        _check_text(prompt, text, count, complaints)


def _check_size(facts: Facts, prompt: PromptReport, complaints: Complaints) -> None:
    """The whole text may fill the window but for the answer: evidence, frame and safety margin."""
    complaints.open("prompt", f"{prompt.tokens} of {prompt.limit} tokens, {len(prompt.order)} units")
    envelope, profile = facts.problem.envelope, facts.problem.profile
    limit = envelope.available + envelope.fixed_overhead_tokens + envelope.reserved_safety_margin_tokens
    complaints.expect("prompt", "prompt.limit", prompt.limit, limit)
    complaints.require(
        "prompt",
        prompt.tokens <= prompt.limit,
        f"the prompt holds {prompt.tokens} tokens of {prompt.limit}",
    )
    complaints.require(
        "prompt",
        profile is None or prompt.method in (profile.mode, "cached"),
        f"method is {prompt.method}, of a profile that counts otherwise",
    )


def _check_order(facts: Facts, context: PackedContext, prompt: PromptReport, complaints: Complaints) -> None:
    accepted = {unit.id: unit for unit in context.accepted_units}
    complaints.require(
        "prompt",
        sorted(prompt.order) == sorted(accepted),
        "prompt.order is not a permutation of the accepted units",
    )
    lead = facts.problem.lead or ()
    complaints.expect("prompt", "the units that lead", list(prompt.order[: len(lead)]), list(lead))
    untrusted = [
        name for name in prompt.order if name in accepted and accepted[name].trust is Trust.UNTRUSTED
    ]
    complaints.expect("prompt", "prompt.untrustedIds", list(prompt.untrusted_ids), untrusted)


def _check_boundary(
    facts: Facts, context: PackedContext, prompt: PromptReport, complaints: Complaints
) -> None:
    """A prompt cache holds a prefix: it ends at the first volatile unit, whatever comes after (seed 003).

    Where units lead by the problem's word, it ends behind them: the rest changes from page to page.
    """
    check, boundary, order = "boundary", prompt.boundary, prompt.order
    complaints.open(check, f"{boundary.reason}, {boundary.index} units")
    stability = {unit.id: unit.stability for unit in context.accepted_units}
    lead = facts.problem.lead
    shared = set(order if lead is None else lead)
    stable = [name in shared and stability.get(name) is Stability.STABLE for name in order]
    index = stable.index(False) if False in stable else len(stable)
    stranded = [name for name, still in zip(order[index:], stable[index:], strict=True) if still]
    reason = (
        "empty"
        if not order
        else "all_stable"
        if index == len(order)
        else "volatile_segment"
        if index
        else "no_stable_prefix"
    )
    if boundary.reason == "below_minimum":
        complaints.require(check, index > 0 and not boundary.cacheable, f"below_minimum, should be {reason}")
    else:
        complaints.expect(check, "reason", boundary.reason, reason)
        complaints.expect(check, "cacheable", boundary.cacheable, index > 0)
    for what, stated, computed in (
        ("index", boundary.index, index),
        ("segmentIds", list(boundary.segment_ids), list(order[:index])),
        ("strandedIds", list(boundary.stranded_ids), stranded),
        ("endedBy", boundary.ended_by, order[index] if index < len(order) else None),
    ):
        complaints.expect(check, what, stated, computed)
    complaints.require(
        check,
        boundary.tokens <= prompt.tokens,
        f"the prefix holds {boundary.tokens} tokens, the whole prompt {prompt.tokens}",
    )


def _check_manifest(prompt: PromptReport, complaints: Complaints) -> None:
    check = "manifest"
    complaints.open(check, f"{len(prompt.manifest)} entries")
    names = [entry.id for entry in prompt.manifest]
    complaints.expect(check, "the manifest's order", names, list(prompt.order))
    last = 0
    for entry in prompt.manifest:
        complaints.require(
            check,
            last < entry.start_line <= entry.end_line,
            f"{entry.id!r}: lines {entry.start_line} to {entry.end_line} after line {last}",
        )
        last = max(last, entry.end_line)
    outside = max(0, prompt.tokens - sum(entry.tokens for entry in prompt.manifest))
    complaints.expect(check, "overheadTokens", prompt.overhead_tokens, outside)


def _check_text(prompt: PromptReport, text: str, count: Count | None, complaints: Complaints) -> None:
    check = "prompt_text"
    data = text.encode("utf-8", "surrogatepass")
    complaints.open(check, f"{len(data)} bytes" + ("" if count is None else ", recounted"))
    complaints.expect(check, "prompt.digest", prompt.digest, _digest(data))
    if count is not None:
        complaints.expect(check, "prompt.tokens", prompt.tokens, count(text))
    lines = text.split("\n")
    for entry in prompt.manifest:
        if not 0 < entry.start_line <= entry.end_line <= len(lines):
            spot = f"lines {entry.start_line} to {entry.end_line}"
            complaints.add(check, f"{entry.id!r}: {spot} of {len(lines)}")
        elif not (lines[entry.start_line - 1] and lines[entry.end_line - 1]):
            complaints.add(check, f"{entry.id!r}: its block begins or ends with a blank line")
        elif count is not None and entry.tokens not in _block_sizes(lines, entry, count):
            complaints.add(check, f"{entry.id!r}: its lines do not hold {entry.tokens} tokens")
    _check_prefix(prompt, text, count, complaints)


def _block_sizes(lines: list[str], entry: ManifestEntry, count: Count) -> Iterator[int]:
    """Yield the tokens of the block of ``entry``, with none and with each of the blank lines behind it."""
    block = "\n".join(lines[entry.start_line - 1 : entry.end_line])
    yield count(block)
    for line in lines[entry.end_line :]:
        block += "\n"
        yield count(block)
        if line:
            return


def _check_prefix(prompt: PromptReport, text: str, count: Count | None, complaints: Complaints) -> None:
    """Some prefix of the text, cut at the end of a line, has the stated digest and size."""
    stated = prompt.boundary.prefix_digest
    running, end = sha256(), 0
    for line in ("", *text.splitlines(keepends=True)):
        running.update(line.encode("utf-8", "surrogatepass"))
        end += len(line)
        if stated == "sha256:" + running.hexdigest():
            break
    else:
        complaints.add("prompt_text", "no prefix of the prompt has the boundary's digest")
        return
    if count is not None:
        complaints.expect("prompt_text", "boundary.tokens", prompt.boundary.tokens, count(text[:end]))


def _digest(data: bytes) -> str:
    return "sha256:" + sha256(data).hexdigest()
