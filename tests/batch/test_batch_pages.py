"""From entries to pages: globs, names, defaults, and what may not be twice."""

from __future__ import annotations

from pathlib import Path

import pytest

from satchel import PackOptions
from satchel.batch.pages import Page, pages_of
from satchel.batch.taskfile import TaskFile
from satchel.models import SchemaError
from satchel.sources.scan import Survey, survey

LINKBOX = Path(__file__).parent.parent / "data" / "linkbox"


@pytest.fixture(scope="module")
def found() -> Survey:
    return survey(LINKBOX)


def pages(found: Survey, *tasks: dict[str, object], **file: object) -> tuple[Page, ...]:
    whole = TaskFile.from_data({"tasks": tasks, "repo": "box", **file})
    return pages_of(whole, {"box": found}, PackOptions(), name="t.yaml", lines={0: 5, 1: 6})


def test_a_module_is_a_file_of_source(found: Survey) -> None:
    made = pages(found, {"each": "module", "paths": ["linkbox/**"]})
    assert [(page.id, page.output, page.task.focus) for page in made] == [
        ("module:linkbox", "module-linkbox", ("linkbox/__init__.py",)),
        ("module:linkbox.codes", "module-linkbox.codes", ("linkbox/codes.py",)),
        ("module:linkbox.service", "module-linkbox.service", ("linkbox/service.py",)),
        ("module:linkbox.store", "module-linkbox.store", ("linkbox/store.py",)),
    ]


def test_a_package_is_a_folder_of_source(found: Survey) -> None:
    (page,) = pages(found, {"each": "package", "kind": "architecture"})
    assert (page.id, page.task.focus, page.task.kind) == ("package:linkbox", ("linkbox",), "architecture")


def test_an_operation_is_required_in_its_page(found: Survey) -> None:
    made = pages(found, {"each": "operation", "title": "{title}", "about": "{name} of {path}"})
    assert [page.task.title for page in made] == ["POST /links", "GET /links/{code}", "DELETE /links/{code}"]
    assert made[1].task.about == "resolveLink of openapi.yaml"
    assert made[1].policy.must_include == ("id:api:openapi.yaml#resolveLink",)


def test_patterns_take_back(found: Survey) -> None:
    made = pages(found, {"each": "module", "paths": ["linkbox/*.py", "!linkbox/codes.py"]})
    assert "module:linkbox.codes" not in {page.id for page in made}
    assert len(made) == 3


def test_defaults_hold_where_a_task_says_nothing(found: Survey) -> None:
    """L03: several configurations in one file, run in one go."""
    first, second = pages(
        found,
        {"id": "a"},
        {"id": "b", "budget": "2k", "kind": "overview"},
        defaults={"budget": "8k", "kind": "tutorial"},
    )
    assert (first.options.budget, first.task.kind) == (8000, "tutorial")
    assert (second.options.budget, second.task.kind) == (2000, "overview")


def test_a_tokenizer_is_looked_for_beside_the_tasks_file(found: Survey) -> None:
    whole = TaskFile.from_data({"tasks": [{"id": "a", "tokenizer": "t.json"}]})
    (page,) = pages_of(whole, {}, PackOptions(), name="deep/t.yaml")
    assert page.options.tokenizer_file == str(Path("deep/t.json").absolute())


def test_names_that_differ_in_case_only_end_in_their_digests(found: Survey) -> None:
    made = pages(found, {"id": "a/b"}, {"id": "A.b"}, {"id": "c"})
    outputs = [page.output for page in made]
    assert len({output.casefold() for output in outputs}) == 3
    assert outputs[2] == "c"


def test_secrets_in_the_words_of_a_task_are_replaced(found: Survey) -> None:
    (page,) = pages(found, {"id": "a", "about": "the key AKIAIOSFODNN7EXAMPLQ of the bucket"})
    assert "AKIA" not in page.task.about


@pytest.mark.parametrize(
    ("tasks", "field", "line"),
    [
        ([{"id": "a"}, {"id": "a"}], "tasks[1].id", 6),
        ([{"id": "a", "output": "x/y"}, {"id": "b", "output": "X/y"}], "tasks[1].output", 6),
        ([{"id": "a", "output": "x"}, {"id": "b", "output": "x/y"}], "tasks[1].output", 6),
        ([{"each": "module", "paths": ["nothing/**"]}], "tasks[0].paths", 5),
        ([{"each": "module", "paths": ["a["]}, {"id": "x"}], "tasks[0].paths", 5),
        ([{"each": "module", "id": "{package}"}], "tasks[0].id", 5),
    ],
)
def test_what_cannot_be_told_apart_is_refused(
    found: Survey, tasks: list[dict[str, object]], field: str, line: int
) -> None:
    with pytest.raises(SchemaError) as caught:
        pages(found, *tasks)
    assert (caught.value.file, caught.value.field, caught.value.line) == ("t.yaml", field, line)
