"""The measured prompt."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

import pytest
import toktok

from satchel.models import Problem, SchemaError, UsageError
from satchel.prompt import FORMATS, frame_texts, render, report

DATA = Path(__file__).parent / "data"
ACCEPTED = [("question", 0), ("handler", 2), ("map", 0), ("style", 0)]


@pytest.fixture(scope="module")
def pack() -> Problem:
    return Problem.from_json((DATA / "pack.json").read_bytes())


def count_many(texts: Sequence[str]) -> list[int]:
    return list(toktok.batch_count(list(texts), "o200k_base"))


def count(text: str) -> int:
    return count_many([text])[0]


@pytest.mark.parametrize("fmt", FORMATS)
def test_the_whole_text_is_recounted(pack: Problem, fmt: str) -> None:
    """L20: the overhead of each format is shown; it is the frame and nothing else."""
    prompt = render(pack, ACCEPTED, fmt)
    measured = report(pack, prompt, count_many=count_many, method="exact", limit=4000)
    assert measured == report(pack, prompt, count, method="exact", limit=4000)
    assert measured.tokens == count(prompt.text)
    assert measured.overhead_tokens == sum(count_many(frame_texts(pack.task, fmt)))
    assert measured.tokens == measured.overhead_tokens + sum(entry.tokens for entry in measured.manifest)
    assert measured.digest == "sha256:" + sha256(prompt.text.encode()).hexdigest()
    assert [entry.id for entry in measured.manifest] == list(measured.order)
    assert (measured.format, measured.limit, measured.method) == (fmt, 4000, "exact")


def test_boundary_of_a_prompt(pack: Problem) -> None:
    prompt = render(pack, ACCEPTED)
    boundary = report(pack, prompt, count, method="exact", limit=4000).boundary
    assert boundary.segment_ids == ("style", "map", "handler")
    assert (boundary.reason, boundary.ended_by, boundary.stranded_ids) == ("volatile_segment", "question", ())
    assert boundary.tokens == count(prompt.prefix)
    assert boundary.prefix_digest == "sha256:" + sha256(prompt.prefix.encode()).hexdigest()
    assert boundary.cacheable


def test_the_minimum_is_met_by_the_prefix_with_its_frame(pack: Problem) -> None:
    """K04: the boundary reaches the provider's minimum, or says that it does not."""
    prompt = render(pack, ACCEPTED)
    size = count(prompt.prefix)
    at, above = (
        report(pack, prompt, count, method="exact", limit=4000, min_cacheable_tokens=minimum).boundary
        for minimum in (size, size + 1)
    )
    assert at.cacheable
    assert (above.reason, above.cacheable, above.index) == ("below_minimum", False, 3)


def test_as_given_strands_what_stands_behind(pack: Problem) -> None:
    prompt = render(pack, ACCEPTED, order="as-given")
    boundary = report(pack, prompt, count, method="exact", limit=4000).boundary
    assert (boundary.index, boundary.reason, boundary.ended_by) == (0, "no_stable_prefix", "question")
    assert boundary.stranded_ids == ("handler", "map", "style")
    assert not boundary.cacheable


def quickstart(order: tuple[str, ...]) -> Problem:
    facts = {
        "system": {"trust": "trusted"},
        "tools": {"trust": "trusted"},
        "invoice": {"trust": "untrusted"},
        "question": {"trust": "untrusted", "stability": "volatile"},
    }
    return Problem.from_data(
        {
            "schemaVersion": "packing-problem.v1",
            "envelope": {"availableInputTokens": 9000},
            "units": [{"id": name, "text": f"The {name}.", **facts[name]} for name in order],
        }
    )


def test_quickstart_of_the_seed() -> None:
    """Breakpoint index 3, nothing stranded, untrusted ids [invoice, question]; as given, tools strand."""
    names: tuple[str, ...] = ("system", "tools", "invoice", "question")
    problem = quickstart(names)
    prompt = render(problem, [(name, 0) for name in names])
    measured = report(problem, prompt, count, method="exact", limit=9000)
    assert (measured.boundary.index, measured.boundary.stranded_ids) == (3, ())
    assert measured.untrusted_ids == ("invoice", "question")

    names = ("system", "question", "tools")
    problem = quickstart(names)
    prompt = render(problem, [(name, 0) for name in names], order="as-given")
    boundary = report(problem, prompt, count, method="exact", limit=9000).boundary
    assert (boundary.index, boundary.segment_ids, boundary.stranded_ids) == (1, ("system",), ("tools",))
    assert boundary.ended_by == "question"

    prompt = render(problem, [(name, 0) for name in names])
    boundary = report(problem, prompt, count, method="exact", limit=9000).boundary
    assert (boundary.index, boundary.segment_ids, boundary.stranded_ids) == (2, ("system", "tools"), ())


@pytest.mark.parametrize("bad", [-1, 2.0, float("nan"), True, None])
def test_a_counter_that_does_not_count_is_refused(pack: Problem, bad: object) -> None:
    """C09: never a number that is none."""
    with pytest.raises(SchemaError) as caught:
        report(pack, render(pack, ACCEPTED), lambda _: bad, method="exact", limit=9)  # type: ignore[arg-type, return-value]
    assert caught.value.code == "invalid_token_count"


def test_a_batch_counter_must_answer_for_each_text(pack: Problem) -> None:
    prompt = render(pack, ACCEPTED)
    with pytest.raises(SchemaError, match="1 counts for 6 texts"):
        report(pack, prompt, count_many=lambda _: [1], method="exact", limit=9)
    with pytest.raises(UsageError, match="count"):
        report(pack, prompt, method="exact", limit=9)


def test_the_overhead_is_never_negative(pack: Problem) -> None:
    """A tokenizer that adds a token per text counts less for the whole than for its parts."""
    measured = report(
        pack, render(pack, ACCEPTED), lambda text: 1000 + count(text), method="approximate", limit=9
    )
    assert measured.overhead_tokens == 0
    assert measured.tokens > measured.limit
