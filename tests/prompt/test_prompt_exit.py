"""The one exit in the face: what the scan never saw is redacted too, and counted as it leaves."""

from __future__ import annotations

from pathlib import Path

import pytest

from satchel import (
    PackOptions,
    Problem,
    SolveOptions,
    Task,
    make_estimator,
    pack,
    recount,
    render_artifact,
    solve,
    verify,
)
from satchel.exits import redacted
from satchel.prompt import FORMATS

TOKEN = "ghp_" + "a1B2c3D4e5F6" * 3
PASSWORD = "postgres://admin:" + "hunter" + "2Zq9" + "@db.internal.corp/x"


@pytest.mark.parametrize("fmt", FORMATS)
def test_units_of_a_problem_file_are_redacted_and_counted_so(fmt: str) -> None:
    """J03, J07: text, title and path of a unit, and the task, of a file that no scan has read."""
    problem = Problem.from_data(
        {
            "schemaVersion": "packing-problem.v1",
            "envelope": {"availableInputTokens": 500, "fixedOverheadTokens": 200},
            "task": {"kind": "overview", "about": f"Why is {TOKEN} refused?"},
            "units": [
                {
                    "id": "diff",
                    "text": f"-url = {PASSWORD}\n+token: {TOKEN}\n",
                    "value": 1,
                    "title": f"About {TOKEN}",
                },
                {"id": "file", "text": "x", "value": 1, "sourceRefs": [{"path": f"keys/{TOKEN}.txt"}]},
            ],
        }
    )
    counted = recount(problem, make_estimator(), fmt)
    context = solve(counted, SolveOptions(solver="greedy"))
    rendered = render_artifact(context, counted, fmt)
    assert TOKEN not in rendered.text
    assert "hunter2" not in rendered.text
    assert rendered.text.count("[REDACTED:github-token]") == 4
    assert "[REDACTED:url-password]" in rendered.text
    for span, unit in zip(rendered.spans, context.accepted_units, strict=True):
        (size,) = make_estimator().count_batch([rendered.text[span.start : span.end]])
        assert size == unit.token_estimate


def test_words_of_the_task_and_names_of_files_leave_clean(tmp_path: Path) -> None:
    """J07, promise 1: the budget holds for what leaves, recounted behind the exit."""
    (tmp_path / f"{TOKEN}.py").write_text("def connect():\n    return 1\n")
    (tmp_path / "a.py").write_text("def answer():\n    return 42\n")
    task = Task(about=f"connect with {TOKEN}", title=TOKEN, outline=(TOKEN,), focus=(f"{TOKEN}.py",))
    result = pack(tmp_path, task, PackOptions(budget=1000, solve=SolveOptions(solver="greedy")))
    assert TOKEN not in result.prompt
    assert "connect" in result.prompt
    assert result.context.prompt is not None
    assert result.context.prompt.tokens == make_estimator().count_batch([result.prompt])[0] <= 1000
    assert verify(result.context, result.problem).passed
    kept = result.context.task
    assert kept is not None
    assert TOKEN not in f"{kept.about} {kept.title} {kept.outline} {result.context.task_id}"
    assert any(unit.source_refs[0].path == f"{TOKEN}.py" for unit in result.context.accepted_units)


def test_what_is_clean_stays_and_twice_is_once() -> None:
    for text in ("plain", f"a {TOKEN}\nb {PASSWORD}\n", "[REDACTED:github-token]"):
        assert redacted(redacted(text)) == redacted(text)
        assert redacted(text).count("\n") == text.count("\n")
    assert redacted("plain") == "plain"
