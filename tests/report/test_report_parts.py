"""The parts of the page: text made harmless, tiles, charts, the timeline."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from satchel import Problem, report_page, solve
from satchel.beside import PackFiles
from satchel.models import SchemaError
from satchel.report.folders import MOST_FOLDERS, folders_of
from satchel.report.svg import draw
from satchel.report.timeline import read_timeline
from satchel.report.visible import embedded, spelled

PARTS = st.text(st.sampled_from("abc<&\"'"), min_size=1, max_size=3)
PATHS = st.lists(PARTS, min_size=1, max_size=5).map("/".join)


@given(
    st.recursive(st.text() | st.integers(), lambda part: st.lists(part) | st.dictionaries(st.text(), part))
)
def test_embedded_data_reads_back_and_ends_no_element(data: object) -> None:
    text = embedded(data)
    assert json.loads(text) == data
    assert not set("<>&'\u2028\u2029") & set(text)


@given(st.text(st.characters()))
def test_spelled_text_holds_nothing_that_acts_on_its_neighbours(text: str) -> None:
    shown = spelled(text)
    assert not [char for char in shown if char not in "\n\t" and not char.isprintable() and ord(char) < 0xA0]
    assert not set("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200b\ufeff\u2028") & set(shown)
    shown.encode("utf-8")
    assert spelled(shown) == shown


@settings(max_examples=60)
@given(
    st.dictionaries(
        PATHS,
        st.tuples(st.integers(0, 50), st.integers(1, 9), st.sampled_from(["source", "docs"])),
        max_size=300,
    )
)
def test_tiles_add_up_to_the_tokens_of_the_files(paths: dict[str, tuple[int, int, str]]) -> None:
    folders = folders_of(paths)
    assert sum(folder.tokens for folder in folders) == sum(tokens for tokens, _, _ in paths.values())
    assert len(folders) <= MOST_FOLDERS
    shown = [tile for folder in folders for tile in folder.tiles]
    assert sum(tile.files for tile in shown) == sum(1 for tokens, _, _ in paths.values() if tokens)
    for folder in folders:
        inside = "" if folder.name == "top level" else f"{folder.name}/"
        assert all(tile.path == "" or tile.path.startswith(inside) for tile in folder.tiles)


def test_a_chart_keeps_shapes_and_text_alone() -> None:
    """Names that are markup stay text, in labels and in tooltips."""
    name = '</text><script>alert(1)</script><a href="javascript:alert(1)" onload="x">'
    text = draw(bars(name, {}), title='a "title" <b>')
    root = ElementTree.fromstring(text)
    assert {element.tag.rpartition("}")[2] for element in root.iter()} <= {
        *("svg", "g", "path", "line", "rect", "text", "title"),
    }
    names = {attribute for element in root.iter() for attribute in element.attrib}
    assert not {"style", "href", "onload", "class", "id"} & names
    assert root.get("aria-label") == 'a "title" <b>'
    assert [e.text for e in root.iter() if e.tag.endswith("}title")] == [name]
    assert [e.get("data-i") for e in root.iter() if e.get("data-i")] == ["7"]


def test_a_chart_keeps_no_link() -> None:
    text = draw(bars("x", {"href": {"field": "url"}}), title="bars")
    assert "example.org" not in text
    assert "<a" not in text


def bars(name: str, more: dict[str, Any]) -> dict[str, Any]:
    """Return a chart of one bar called ``name``."""
    return {
        "$schema": "https://vega.github.io/schema/vega-lite/v5.json",
        "data": {"values": [{"name": name, "n": 3, "says": f"7\t{name}", "url": "https://example.org/"}]},
        "mark": {"type": "bar", "cursor": "pointer"},
        "encoding": {
            "y": {"field": "name", "type": "nominal", "axis": {"labelLimit": 900}},
            "x": {"field": "n", "type": "quantitative"},
            "description": {"field": "says"},
            **more,
        },
    }


def test_a_timeline_is_read_from_the_lines_of_progress(tmp_path: Path) -> None:
    path = tmp_path / "steps.jsonl"
    path.write_text(
        '{"seconds": 0.5, "stage": "reading"}\n'
        "note: a message, not a step\n"
        '{"seconds": 2.0, "stage": "solving: greedy", "objective": 50, "bound": null, "scale": 10}\n'
        '{"seconds": 3.25, "stage": "solving: proof", "objective": 60, "bound": 60, "scale": 10}\n'
    )
    steps = read_timeline(path)
    assert [(s.seconds, s.stage, s.objective, s.bound) for s in steps] == [
        (0.0, "greedy", 5.0, None),
        (1.25, "proof", 6.0, 6.0),
    ]


@pytest.mark.parametrize("text", ["", "{}\n", '{"seconds": 1, "scale": true, "objective": 1}\n', "{[\n"])
def test_a_file_without_a_step_says_how_to_write_one(tmp_path: Path, text: str) -> None:
    path = tmp_path / "steps.jsonl"
    path.write_text(text)
    with pytest.raises(SchemaError) as caught:
        read_timeline(path)
    assert "--progress jsonl" in str(caught.value.hint)


UNITS = st.lists(
    st.fixed_dictionaries(
        {"tokenEstimate": st.integers(0, 40)},
        optional={
            "relevanceScore": st.floats(0, 1),
            "riskScore": st.floats(0, 1),
            "value": st.integers(-3, 9),
            "zone": st.sampled_from(["examples", "existing_docs", "task"]),
            "coverage": st.just({"errors": 0.5}),
            "sourceRefs": st.sampled_from([[{"path": "a/b.py"}], [{"path": "."}], [{"path": "c.md"}]]),
            "renderings": st.just([{"state": "summarized", "tokens": 1, "fidelity": 0.5}]),
        },
    ),
    max_size=5,
)


@settings(max_examples=6, deadline=None)
@given(UNITS, st.integers(0, 90), st.sampled_from([None, 10, 60]), st.booleans())
def test_any_pack_has_a_page(units: list[dict[str, Any]], budget: int, most: int | None, alone: bool) -> None:
    """Empty packs, zones without limits, values below nothing: what can be solved can be looked at."""
    zone = {"name": "examples", "targetTokens": most, "maxTokens": most, "minTokens": (most or 0) // 2}
    problem = Problem.from_data(
        {
            "schemaVersion": "packing-problem.v1",
            "envelope": {"availableInputTokens": budget, "zones": [zone]},
            "units": [{"id": f"u{number}", **unit} for number, unit in enumerate(units)],
            "coverage": [{"name": "errors"}],
        }
    )
    context = solve(problem)
    files = PackFiles(Path("a.json"), context, None if alone else problem, text=None, lacking=())
    page = report_page(files)
    assert page.count("<section") >= 5
