"""Tasks files: three formats that mean the same, and errors that name file, line, field and value."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from satchel import InputError, read_tasks

YAML = """\
# pages of the box
repo: box
defaults: &usual
  kind: overview
  budget: 8k
tasks:
  - id: first
    focus: [a.py]
    policy: {mustExclude: ["path:old/**"], riskCeiling: 0.5}
  - each: module
    paths: ["src/**", "!src/old"]
    about: "{name}"
"""
TOML = """\
# pages of the box
repo = "box"
[defaults]
kind = "overview"
budget = "8k"

[[tasks]]
id = "first"
focus = ["a.py"]
policy = { mustExclude = ["path:old/**"], riskCeiling = 0.5 }

[[tasks]]
each = "module"
paths = ["src/**", "!src/old"]
about = "{name}"
"""
JSONL = """\
{"repo": "box", "defaults": {"kind": "overview", "budget": 8000}}

{"id": "first", "focus": ["a.py"], "policy": {"mustExclude": ["path:old/**"], "riskCeiling": 0.5}}
{"each": "module", "paths": ["src/**", "!src/old"], "about": "{name}"}
"""


def given(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_the_three_formats_mean_the_same(tmp_path: Path) -> None:
    files = [
        read_tasks(given(tmp_path, name, text))
        for name, text in (("a.yaml", YAML), ("a.toml", TOML), ("a.jsonl", JSONL))
    ]
    (yaml, yaml_lines), (toml, toml_lines), (jsonl, jsonl_lines) = files
    assert yaml == toml == jsonl
    assert yaml.defaults.budget == 8000
    assert (yaml_lines, toml_lines, jsonl_lines) == ({0: 7, 1: 10}, {0: 7, 1: 12}, {0: 3, 1: 4})


@pytest.mark.parametrize(
    ("name", "text", "line", "field", "told"),
    [
        ("a.yaml", YAML.replace("budget: 8k", "budget: many"), 5, "defaults.budget", "8k"),
        ("a.yaml", YAML.replace("focus:", "fokus:"), 8, "tasks[0].fokus", "focus"),
        ("a.yaml", YAML.replace("each: module", "each: modul"), 10, "tasks[1].each", "module"),
        ("a.yaml", YAML.replace("riskCeiling: 0.5", "riskCeiling: 5"), 9, "tasks[0].policy.riskCeiling", "1"),
        ("a.toml", TOML.replace('each = "module"', "each = 3"), 13, "tasks[1].each", "module"),
        ("a.toml", TOML.replace('budget = "8k"', "budget = 0"), 5, "defaults.budget", "k for thousands"),
        ("a.jsonl", JSONL.replace('"id": "first"', '"id": ""'), 3, "tasks[0].id", "empty"),
        ("a.jsonl", JSONL + '{"id": "x", "output": "../x"}', 5, "tasks[2].output", "below"),
        ("a.jsonl", JSONL + '{"id": "x", "paths": ["a"]}', 5, "tasks[2].paths", "each"),
        ("a.jsonl", JSONL + '{"each": "module", "id": "x"}', 5, "tasks[2].id", "{name}"),
    ],
)
def test_an_error_names_file_line_field_and_what_works(
    tmp_path: Path, name: str, text: str, line: int, field: str, told: str
) -> None:
    path = given(tmp_path, name, text)
    with pytest.raises(InputError) as caught:
        read_tasks(path)
    error = caught.value
    assert (error.file, error.line, error.field) == (str(path), line, field)
    assert told in str(error)


@pytest.mark.parametrize(
    ("name", "text", "line"),
    [
        ("a.yaml", "tasks: [\n  {id: a", 2),
        ("a.yaml", "tasks:\n  - id: a\n    id: b\n", 3),
        ("a.yaml", "a: &a [x]\nb: !!python/object:os.system x\n", 2),
        ("a.yaml", "a: &a\n  - *a\n", 1),
        ("a.toml", "tasks = [\nid = 1", 2),
        ("a.jsonl", '{"id": "a"}\n{"id": ', 2),
        ("a.jsonl", '{"id": "a"}\n{"id": "b", "id": "c"}', 2),
    ],
)
def test_a_malformed_file_is_refused_with_its_line(tmp_path: Path, name: str, text: str, line: int) -> None:
    with pytest.raises(InputError) as caught:
        read_tasks(given(tmp_path, name, text))
    assert caught.value.line == line


def test_aliases_that_stand_for_too_much_are_refused(tmp_path: Path) -> None:
    """Ten of ten of ten …: a few lines that would be ten million values."""
    lines = ["a0: &a0 [x]"] + [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]" for i in range(1, 8)]
    with pytest.raises(InputError, match="aliases hold too much"):
        read_tasks(given(tmp_path, "a.yaml", "\n".join(lines)))


def test_defaults_may_be_merged_in_yaml(tmp_path: Path) -> None:
    text = "defaults: &d {budget: 9k}\ntasks:\n  - {<<: *d, id: a}\n  - {<<: *d, id: b, budget: 7k}\n"
    tasks, _ = read_tasks(given(tmp_path, "a.yaml", text))
    assert [task.budget for task in tasks.tasks] == [9000, 7000]


@pytest.mark.parametrize("text", ["", "tasks: []", "{}"])
def test_a_file_without_tasks_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(InputError):
        read_tasks(given(tmp_path, "a.yaml", text))


def test_a_file_of_another_format_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"\.jsonl"):
        read_tasks(given(tmp_path, "a.json", json.dumps({"tasks": [{"id": "a"}]})))
