"""Hostile contents and names, against readers that are not ours.

Markdown is read by a CommonMark parser; XML by a reader that is deaf to case, accents, spaces and
everything that cannot be seen; plain text by its rules.
"""

from __future__ import annotations

import json
import re
import unicodedata
from pathlib import Path

import toktok
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from satchel.models import Kind, Problem, Task, heading_of
from satchel.prompt import FORMATS, RenderedPrompt, frame_texts, neutralise, render, restore
from satchel.prompt.emit import emit
from satchel.prompt.escape import STRUCTURAL_TAGS, quoted

ENCODINGS = ("cl100k_base", "o200k_base", "o200k_harmony", "qwen3.5")

FRAGMENTS: list[str] = json.loads((Path(__file__).parent / "data" / "hostile.json").read_text("utf-8"))

bodies = st.lists(st.one_of(st.sampled_from(FRAGMENTS), st.text(max_size=4)), max_size=12).map("".join)
names = (
    st.lists(st.one_of(st.sampled_from(FRAGMENTS), st.text(max_size=3)), min_size=1, max_size=4)
    .map(lambda parts: "".join(parts).encode("utf-8", "ignore").decode("utf-8"))
    .filter(bool)
)
tasks = st.builds(
    Task, kind=names, title=bodies, about=bodies, outline=st.lists(bodies, max_size=3).map(tuple),
    focus=st.lists(names, max_size=2).map(tuple),
)  # fmt: skip


@st.composite
def packs(draw: st.DrawFn) -> Problem:
    """Up to five units of hostile bodies, titles, ids and paths, and up to two files with a heading."""
    ids = draw(st.lists(names, min_size=1, max_size=5, unique=True))
    units = [
        {
            "id": name,
            "title": draw(names | st.just("")),
            "text": draw(bodies),
            "sourceRefs": [{"path": path} for path in draw(st.lists(names, max_size=2))],
            "stability": draw(st.sampled_from(["stable", "volatile"])),
            "trust": draw(st.sampled_from(["trusted", "untrusted"])),
        }
        for name in ids
    ]
    for path in draw(st.lists(names, max_size=2, unique=True)):
        file = {"path": path, "totalLines": draw(st.none() | st.just(9))}
        units.append({"id": heading_of(path), "kind": "heading", "text": "", "sourceRefs": [file]})
        units += [
            {
                "id": f"{number}:{path}#{draw(names)}",
                "title": draw(names | st.just("")),
                "text": draw(bodies),
                "sourceRefs": [{**file, "startLine": number, "endLine": 8}],
                "dependencies": [heading_of(path)],
            }
            for number in range(1, draw(st.integers(1, 3)))
        ]
    units = draw(st.permutations(units))
    return Problem.model_validate(
        {
            "schemaVersion": "packing-problem.v1",
            "envelope": {"availableInputTokens": 1},
            "task": draw(st.none() | tasks),
            "units": units,
        }
    )


def is_one_visible_line(text: str) -> bool:
    """Whether ``text`` holds no control, no line end, nothing bidirectional and nothing of no width."""
    return all(unicodedata.category(char) not in ("Cc", "Cf", "Cs", "Zl", "Zp") for char in text)


def rendered(problem: Problem, fmt: str) -> RenderedPrompt:
    return render(problem, [(unit.id, 0) for unit in problem.units], fmt)


def body_of(problem: Problem, name: str) -> str:
    """What must stand inside the boundary: the text as it leaves, ending with a line end."""
    text = emit(problem.by_id[name].text or "")
    return text if text.endswith("\n") or not text else text + "\n"


def with_text(problem: Problem, prompt: RenderedPrompt) -> list[str]:
    """The ids in prompt order, without headings."""
    return [name for name in prompt.order if problem.by_id[name].kind is not Kind.HEADING]


NAME = r'(?:"(?:[^"\\`]|\\.)*"|(?=[^ ]*[/:#.])[a-zA-Z_.@$][\w./#@~+$:-]*)'
HEADER = re.compile(rf"{NAME}(?:,? {NAME})*(?: \d+ lines?| low| trusted)*", re.ASCII | re.DOTALL)
UNDER = re.compile(rf"(?:{NAME} )?(?:#[\w$.]+:)?\d-8(?: {NAME})?(?: low)?", re.ASCII | re.DOTALL)
HEADING = re.compile(rf"{NAME}(?:, 9 lines)?", re.ASCII | re.DOTALL)


@settings(max_examples=200, deadline=None)
@given(packs())
def test_markdown_holds_against_a_commonmark_parser(problem: Problem) -> None:
    """Promise 8: one fence per unit with its body and nothing else, and no heading but those of the frame."""
    prompt = rendered(problem, "markdown")
    tokens = MarkdownIt("commonmark").parse(prompt.text)
    top = [token for token in tokens if token.level == 0]
    fences = [token for token in top if token.type == "fence"]
    texts = with_text(problem, prompt)
    bodies = [body_of(problem, name).replace("\0", "\ufffd") for name in texts]
    assert [token.content for token in fences] == bodies
    headings = [
        tokens[i + 1].content
        for i, token in enumerate(tokens)
        if token.type == "heading_open" and token.level == 0
    ]
    assert headings == ["Satchel context pack", *(["Task"] if problem.task else []), "Request"]
    allowed = {"fence", "heading_open", "inline", "heading_close", "paragraph_open", "paragraph_close"}
    allowed |= {f"{kind}_{end}" for kind in ("blockquote", "ordered_list") for end in ("open", "close")}
    assert {token.type for token in top} <= allowed
    named = [tokens[i - 1] for i, token in enumerate(tokens) if token.type == "paragraph_close"]
    named = [token.children for token in named if token.content.startswith("`")]
    spans = [children[0].content for children in named if len(children) == 2 and children[1].content == ":"]
    assert len(spans) >= len(prompt.order) - len(texts)
    assert all(HEADING.fullmatch(span) for span in spans[: len(prompt.order) - len(texts)])
    for token, name in zip(fences, texts, strict=True):
        unit = problem.by_id[name]
        assert (UNDER if unit.heading else HEADER).fullmatch(token.info)
        assert is_one_visible_line(token.info)
        if not unit.source_refs:
            assert token.info.startswith((name, quoted(name)))


@settings(max_examples=200, deadline=None)
@given(packs())
def test_json_holds_against_a_json_parser(problem: Problem) -> None:
    """Promise 8: one object a line, whatever a reader takes for a line end, and each text as it is."""
    prompt = rendered(problem, "json")
    lines = prompt.text.splitlines()
    assert prompt.text.count("\n") == len(lines)
    objects = [json.loads(line) for line in lines]
    texts = [found["text"] for found in objects if "text" in found]
    assert texts == [emit(problem.by_id[name].text or "") for name in with_text(problem, prompt)]
    kinds = [next(k for k in ("guide", "text", "file", "task", "request") if k in found) for found in objects]
    assert [kind for kind in kinds if kind not in ("text", "file")] == [
        "guide",
        *(["task"] if problem.task else []),
        "request",
    ]
    for span in prompt.spans:
        found = json.loads(lines[span.start_line - 1])
        if problem.by_id[span.id].kind is Kind.HEADING:
            assert emit(heading_of(found.pop("file"))) == emit(span.id)
            assert found in ({}, {"lines": "9"})
            continue
        assert set(found) <= {"id", "at", "name", "is", "text"}
        assert found["text"] == emit(problem.by_id[span.id].text or "")


def seen(line: str) -> str:
    """What a reader sees of a line: no accent, nothing invisible, compatible characters as one."""
    hidden = ("Mn", "Me", "Cf", "Cc", "Cs")
    return "".join(c for c in unicodedata.normalize("NFKD", line) if unicodedata.category(c) not in hidden)


def fold(text: str) -> str:
    """What a very tolerant reader sees: no case, accent or space, nothing invisible, one dash, one slash."""
    kept = []
    for char in unicodedata.normalize("NFKD", text):
        category = unicodedata.category(char)
        if category in ("Mn", "Me", "Cf", "Cc", "Zs", "Zl", "Zp", "Cs"):
            continue
        kept.append("-" if category == "Pd" or char in "_\u2212" else "/" if char == "\\" else char)
    return "".join(kept).casefold()


@settings(max_examples=200, deadline=None)
@given(packs())
def test_xml_holds_against_a_tolerant_reader(problem: Problem) -> None:
    """Promise 8, J12, J13, J14, J16: the only structural tags are ours, in our order."""
    prompt = rendered(problem, "xml")
    found = re.findall(rf"<(/*)({'|'.join(STRUCTURAL_TAGS)})", fold(prompt.text))
    leading = sum(span.end <= prompt.prefix_end for span in prompt.spans)
    both = ("", "/")
    units = [
        [(slash, "source-unit") for slash in (both[: 1 + (problem.by_id[name].kind is not Kind.HEADING)])]
        for name in prompt.order
    ]
    expected = [[(slash, "pack-guide") for slash in both], *units[:leading]]
    expected += [[(slash, "pack-task") for slash in both]] if problem.task else []
    expected += [*units[leading:], [(slash, "pack-request") for slash in both]]
    assert found == [one for tags in expected for one in tags]
    for span in prompt.spans:
        head, _, rest = prompt.text[span.start : span.end].partition("\n")
        if problem.by_id[span.id].kind is Kind.HEADING:
            assert re.fullmatch(r'<source-unit file="[^"<>]*"(?: lines="9")?/>', head)
            assert (is_one_visible_line(head), rest) == (True, "")
            continue
        assert re.fullmatch(r'<source-unit(?: [a-z]+="[^"<>]*")+>', head)
        assert is_one_visible_line(head)
        assert restore(rest.removesuffix("</source-unit>\n")) == body_of(problem, span.id)


@settings(max_examples=200, deadline=None)
@given(packs())
def test_plain_holds_by_its_rules(problem: Problem) -> None:
    """Promise 8: up to the first rule as long as that of the first line is exactly the body."""
    prompt = rendered(problem, "plain")
    lines = prompt.text.split("\n")
    for span in prompt.spans:
        block = lines[span.start_line - 1 : span.end_line]
        mark, _, name = block[0].partition(" ")
        if problem.by_id[span.id].kind is Kind.HEADING:
            assert (mark, name[-1], len(block)) == ("===", ":", 1)
            assert HEADING.fullmatch(name[:-1])
            continue
        assert set(mark) == {"="}
        assert len(mark) >= 3
        assert is_one_visible_line(block[0])
        assert block[-1] == mark
        assert not any(mark in seen(line) for line in block[1:-1])
        assert "".join(line + "\n" for line in block[1:-1]) == body_of(problem, span.id)


@settings(max_examples=500, deadline=None)
@given(bodies)
def test_neutralising_is_reversible_and_leaves_no_tag(body: str) -> None:
    safe = neutralise(body)
    assert restore(safe) == body
    assert not re.search(rf"</*(?:{'|'.join(STRUCTURAL_TAGS)})", fold(safe))
    if not re.search(rf"(?:<|&(?:amp;)*(?:lt|#x\w+);)/*(?:{'|'.join(STRUCTURAL_TAGS)})", fold(body)):
        lookalike = any(char in body for char in "‹«⟨⟪〈《˂ᐸ❮❰") or "\u0455" in body
        assert safe == body or lookalike


@settings(max_examples=120, deadline=None)
@given(packs())
def test_tokens_of_the_pieces_add_up(problem: Problem) -> None:
    """A09, C14: frame and blocks, counted one by one, are exactly the whole, in every encoding."""
    for fmt in FORMATS:
        prompt = rendered(problem, fmt)
        pieces = [
            *frame_texts(problem.task, fmt),
            *(prompt.text[span.start : span.end] for span in prompt.spans),
        ]
        for encoding in ENCODINGS:
            whole, *parts = toktok.batch_count([prompt.text, *pieces], encoding, 1)
            assert whole == sum(parts)


@settings(max_examples=100, deadline=None)
@given(packs())
def test_lines_of_the_manifest(problem: Problem) -> None:
    """L18, over contents with every kind of line end."""
    for fmt in FORMATS:
        prompt = rendered(problem, fmt)
        lines = prompt.text.split("\n")
        for span in prompt.spans:
            block = prompt.text[span.start : span.end]
            assert "\n".join(lines[span.start_line - 1 : span.end_line]) == block.rstrip("\n")
            assert prompt.text.encode("utf-8")


@settings(max_examples=100, deadline=None)
@given(packs(), tasks, bodies)
def test_the_prefix_is_stable_under_changes_behind_it(problem: Problem, task: Task, text: str) -> None:
    """K03: another task, other volatile units or none: the prefix is the same bytes, in every format."""
    changed = [
        unit.model_copy(update={"text": text + (unit.text or "")}) if unit.stability == "volatile" else unit
        for unit in problem.units
    ]
    other = problem.model_copy(update={"task": task, "units": tuple(changed)})
    stable = problem.model_copy(update={"units": tuple(u for u in changed if u.stability == "stable")})
    for fmt in FORMATS:
        assert rendered(problem, fmt).prefix == rendered(other, fmt).prefix == rendered(stable, fmt).prefix
