"""The summary as a rung of units made from a folder."""

from __future__ import annotations

import pytest

from satchel.models import ContextUnit, State, Task
from satchel.sources.extract import Document, default_registry
from satchel.sources.scan import scan
from satchel.sources.textrank.rung import SHORTEST, summary_form

KEY = "AKIA" + "Q7RZ2MXW5TNB4KDS"
TOPICS = ["cache", "queue", "worker", "watcher", "lease", "store", "path", "hash", "row", "table", "lock"]
PAIRS = list(zip(TOPICS, TOPICS[1:] + TOPICS[:1], strict=True))
PAGE = "# The cache\n\n" + "\n".join(
    f"The {one} of the cache knows {KEY if n == 3 else 'the ' + other}. It was late in the day when {n} came."
    for n, (one, other) in enumerate(PAIRS)
)
CODE = '"""The cache of summaries."""\n\n' + "\n".join(
    f'def {one}_of(cache):\n    """Return the {one} of the cache; it belongs to the {other}."""\n'
    f"    # The {other} knows its {one} by the cache.\n    return cache.{one}\n"
    for one, other in PAIRS[:10]
)


@pytest.fixture(scope="module")
def units(tmp_path_factory: pytest.TempPathFactory) -> dict[str, ContextUnit]:
    root = tmp_path_factory.mktemp("project")
    (root / "docs").mkdir()
    (root / "docs/cache.md").write_text(PAGE, "utf-8")
    (root / "docs/short.md").write_text("# Cache\n\nThe cache is short.\n", "utf-8")
    (root / "data.json").write_text('{"cache": [' + ", ".join(['"the cache. The row."'] * 90) + "]}", "utf-8")
    (root / "test_cache.py").write_text(CODE, "utf-8")
    return {unit.id: unit for unit in scan(root, Task(kind="api-reference", about="the cache")).units}


def rungs(unit: ContextUnit) -> list[State]:
    return [form.state for form in unit.renderings]


def test_the_summary_is_the_last_rung_and_says_where_it_is_from(units: dict[str, ContextUnit]) -> None:
    """B18, L08: a unit at its summary keeps its id, its path and its lines."""
    unit = units["file:docs/cache.md"]
    summary = unit.renderings[-1]
    assert summary.state is State.SUMMARIZED
    assert summary.text is not None
    assert summary.text.startswith("# The cache\n")
    lines = PAGE.split("\n")
    assert [ref.path for ref in summary.source_refs] == ["docs/cache.md"] * len(summary.source_refs)
    shown = [n for ref in summary.source_refs for n in range(ref.start_line or 0, (ref.end_line or 0) + 1)]
    assert shown
    assert all(any(word in summary.text for word in lines[n - 1].split()) for n in shown)
    sizes = [len(unit.text or ""), *(len(form.text or "") for form in unit.renderings)]
    assert sizes == sorted(sizes, reverse=True)


def test_a_summary_holds_no_secret(units: dict[str, ContextUnit]) -> None:
    """J07: redaction comes before extraction, so no rung can bring a secret back."""
    unit = units["file:docs/cache.md"]
    assert "[REDACTED:aws-access-key]" in (unit.text or "")
    assert not any(KEY in (form.text or "") for form in unit.renderings)


def test_short_texts_data_and_zones_without_summaries_have_none(
    units: dict[str, ContextUnit],
) -> None:
    assert State.SUMMARIZED not in rungs(units["file:docs/short.md"])
    others = [unit for unit in units.values() if unit.zone == "examples" or "data.json" in unit.id]
    assert len(others) >= 2
    assert not any(State.SUMMARIZED in rungs(unit) for unit in others)


@pytest.mark.parametrize(
    ("path", "language", "text"),
    [("a.py", "python", CODE), ("a.md", "markdown", PAGE), ("a.txt", "text", PAGE)],
)
def test_a_rung_is_shorter_than_the_one_above(path: str, language: str, text: str) -> None:
    document = Document(path, text, "source" if language == "python" else "doc", language)
    (fragment,) = default_registry().extract(document).fragments
    assert len(fragment.text) >= SHORTEST
    form = summary_form(document, fragment)
    assert form is not None
    above = fragment.forms[-1].text if fragment.forms else fragment.text
    assert len(form.text) <= 0.85 * len(above)
    assert summary_form(document, fragment) == form
