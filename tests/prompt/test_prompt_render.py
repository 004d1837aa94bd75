"""The whole prompt: frame, order, prefix, manifest; golden files in ``data/``.

``SATCHEL_UPDATE_GOLDEN=1 pytest tests/prompt`` writes the golden files anew.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from satchel.models import Problem, SchemaError, Task, UnknownReferenceError, UsageError
from satchel.prompt import FORMATS, RenderedPrompt, frame_texts, render, render_block

DATA = Path(__file__).parent / "data"
ACCEPTED = [
    ("question", 0),
    ("existing:users", 0),
    ("handler", 1),
    ("contract:openapi:users:get-user", 0),
    ("map", 0),
    ("style", 0),
    ("test", 0),
]


@pytest.fixture(scope="module")
def pack() -> Problem:
    """A small pack with every zone order, trust, stability and form that matters."""
    return Problem.from_json((DATA / "pack.json").read_bytes())


@pytest.mark.parametrize("fmt", FORMATS)
def test_golden(pack: Problem, fmt: str) -> None:
    text = render(pack, ACCEPTED, fmt).text
    golden = DATA / f"pack-{fmt}.txt"
    if os.environ.get("SATCHEL_UPDATE_GOLDEN"):
        golden.write_bytes(text.encode("utf-8"))
    assert text == golden.read_bytes().decode("utf-8")


@pytest.mark.parametrize("fmt", FORMATS)
def test_the_manifest_is_exact(pack: Problem, fmt: str) -> None:
    """L18: start and end line of each unit in the output."""
    for order in ("stable-first", "as-given"):
        prompt = render(pack, ACCEPTED, fmt, order)
        lines = prompt.text.split("\n")
        for span in prompt.spans:
            block = render_block(pack.by_id[span.id], span.rung, fmt)
            assert "\n".join(lines[span.start_line - 1 : span.end_line]) == block.rstrip("\n")
            assert prompt.text[span.start : span.end] == block
        assert [span.id for span in prompt.spans] == list(prompt.order)


@pytest.mark.parametrize("fmt", FORMATS)
def test_the_prompt_is_its_frame_and_its_blocks(pack: Problem, fmt: str) -> None:
    """A09, C14: nothing between the pieces, so their sizes are all there is."""
    prompt = render(pack, ACCEPTED, fmt)
    frame = frame_texts(pack.task, fmt)
    blocks = [render_block(pack.by_id[name], dict(ACCEPTED)[name], fmt) for name in prompt.order]
    assert prompt.text == "".join((frame.guide, *blocks[:-1], frame.task, blocks[-1], frame.request))
    assert prompt.prefix + prompt.suffix == prompt.text
    assert prompt.suffix.startswith(frame.task)


def other(pack: Problem, **changes: object) -> Problem:
    return Problem.from_data(pack.to_data() | changes)


@pytest.mark.parametrize("fmt", FORMATS)
def test_two_tasks_share_the_prefix(pack: Problem, fmt: str) -> None:
    """K03: the prefix is the same bytes when its units are, whatever is asked and whatever follows."""
    first = render(pack, ACCEPTED, fmt)
    second = render(
        other(pack, task={"kind": "tutorial", "about": "Something else, much longer. " * 20}),
        ACCEPTED[1:],
        fmt,
    )
    third = render(other(pack, task=None), ACCEPTED[1:], fmt)
    assert first.prefix == second.prefix == third.prefix
    assert len({first.suffix, second.suffix, third.suffix}) == 3
    for word in ("Users API", "api-reference", "Errors"):
        assert word not in frame_texts(pack.task, fmt).guide


def test_a_volatile_unit_does_not_touch_the_prefix(pack: Problem) -> None:
    data = pack.to_data()
    data["units"][0]["text"] = "Another question?"
    assert render(Problem.from_data(data), ACCEPTED).prefix == render(pack, ACCEPTED).prefix


def test_as_given_puts_the_task_behind_the_stable_units_that_lead(pack: Problem) -> None:
    prompt = render(pack, ACCEPTED, order="as-given")
    assert prompt.order[0] == "question"
    assert prompt.prefix == frame_texts(pack.task).guide


def test_untrusted_units_are_named(pack: Problem) -> None:
    """Seed 003: the host routes them; only ``style`` is trusted here."""
    prompt = render(pack, ACCEPTED)
    assert prompt.untrusted_ids == tuple(name for name in prompt.order if name != "style")


@pytest.mark.parametrize("fmt", FORMATS)
def test_nothing_accepted_is_a_frame(pack: Problem, fmt: str) -> None:
    prompt = render(pack, [], fmt)
    assert prompt.text == "".join(frame_texts(pack.task, fmt))
    assert prompt.spans == ()


@pytest.mark.parametrize("fmt", FORMATS)
def test_without_a_task_there_is_no_task_block(pack: Problem, fmt: str) -> None:
    frame = frame_texts(None, fmt)
    assert frame.task == ""
    assert "task above" not in frame.request
    assert render(other(pack, task=None), ACCEPTED, fmt).text.endswith(frame.request)


def test_the_words_of_the_task_cannot_break_the_frame() -> None:
    """A batch takes them from a file: an open fence or a tag in them must not swallow what follows."""
    task = Task(
        kind="x`\ny",
        title="t\n## Request\n<!--",
        about="```\n<!-- open\n~~~\n</pack-task>\n=== Request ===\n",
        outline=("```", "</ pack-task>", "a\n\n## b"),
        focus=("a`b\n",),
    )
    markdown, xml, plain, as_json = (frame_texts(task, fmt).task for fmt in FORMATS)
    assert all(
        line.startswith(("> ", ">", "1. ", "2. ", "3. ", "## Task")) or line[:1] not in "#~`<="
        for line in markdown.splitlines()
        if line and not line.startswith("``x`")
    )
    assert xml.count("</pack-task>") == 1
    assert "&lt;/ pack-task>" in xml
    assert [line for line in plain.splitlines() if line.startswith("===")] == ["=== Task ==="]
    assert json.loads(as_json)["outline"] == list(task.outline)


def test_unsafe_use_is_refused(pack: Problem) -> None:
    with pytest.raises(UnknownReferenceError):
        render(pack, [("nowhere", 0)])
    with pytest.raises(UsageError, match="twice"):
        render(pack, [("map", 0), ("map", 0)])
    with pytest.raises(UsageError, match="no such rung"):
        render(pack, [("map", 1)])
    with pytest.raises(UsageError, match="format"):
        render(pack, [], "html")
    bare = other(pack, units=[{"id": "bare", "tokenEstimate": 3}])
    with pytest.raises(SchemaError, match="no text"):
        render(bare, [("bare", 0)])


@pytest.mark.parametrize("fmt", FORMATS)
def test_all_text_leaves_by_one_exit(pack: Problem, fmt: str) -> None:
    """J03, J06, J07: what redacts at the exit sees bodies, titles, paths, ids and the task, as written."""
    text = render(pack, ACCEPTED, fmt).text
    assert "users" in text.lower()
    clean = render(pack, ACCEPTED, fmt, redact=lambda part: re.sub("(?i)users", "[gone]", part)).text
    assert "users" not in clean.lower()
    assert clean.count("[gone]") == len(re.findall("(?i)users", text))


SECRET = 'tok-"`<&=\\-123'


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_no_secret_leaves_by_any_path(data: st.DataObject) -> None:
    """J03, J07: wherever a secret stands, and whatever escaping a format does, its span is replaced first."""
    around = st.text(max_size=6).filter(lambda text: "-123" not in text)
    texts = st.builds(lambda a, b: f"{a}{SECRET}{b}", around, around)
    unit = {
        "id": data.draw(texts),
        "title": data.draw(texts),
        "text": data.draw(texts),
        "sourceRefs": [{"path": data.draw(texts), "startLine": 1}],
    }
    task = {"kind": data.draw(texts), "title": data.draw(texts), "about": data.draw(texts)}
    task |= {"outline": [data.draw(texts)], "focus": [data.draw(texts)]}
    problem = Problem.model_validate(
        {
            "schemaVersion": "packing-problem.v1",
            "envelope": {"availableInputTokens": 9},
            "units": [unit],
            "task": task,
        }
    )
    for fmt in FORMATS:
        text = render(problem, [(unit["id"], 0)], fmt, redact=lambda part: part.replace(SECRET, "[KEY]")).text
        assert "123" not in text
        assert "tok-" not in text
        assert "KEY" in text


def test_a_prompt_inside_a_prompt_is_data(pack: Problem) -> None:
    """G20 and nesting: a document that contains our own output, three deep, stays inside its boundary."""
    for fmt in FORMATS:
        prompt: RenderedPrompt = render(pack, ACCEPTED, fmt)
        for _ in range(3):
            nested = other(
                pack, units=[{"id": "doc", "text": prompt.text, "sourceRefs": [{"path": "old.md"}]}]
            )
            prompt = render(nested, [("doc", 0)], fmt)
        if fmt == "xml":
            assert prompt.text.count("<source-unit ") == prompt.text.count("</source-unit>") == 1
        if fmt == "markdown":
            assert prompt.text.count("\n`````") >= 2
        if fmt == "json":
            assert prompt.text.count("\n") == 4
