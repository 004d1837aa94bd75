"""Kinds of task: every file is sound, and its envelope is feasible at every budget."""

from __future__ import annotations

import pytest

from satchel.models import (
    BudgetEnvelope,
    ContextUnit,
    Kind,
    MinPolicy,
    OverflowPolicy,
    Problem,
    SchemaError,
    State,
    UsageError,
)
from satchel.sources.extract import Fragment, Span
from satchel.sources.file_classes import FileClass
from satchel.sources.score.coverage import Subject, coverage
from satchel.sources.tasks import envelope_for, parse_kind, task_kind, task_kinds

KINDS = (
    "api-reference",
    "architecture",
    "km-note",
    "overview",
    "page-update",
    "quickstart",
    "troubleshooting",
    "tutorial",
)

COMMON = """
[weights]
relevance = 1.0
[zones.a]
max = 0.5
[policy]
[authority]
source = 0.9
doc = 0.5
[factors]
[fidelity]
symbolized = 0.5
[repo_map]
relevance = 0.3
"""

HEAD = 'name = "x"\nsummary = "y"\n'


def test_the_kinds_of_seed_000() -> None:
    assert task_kinds() == KINDS


@pytest.mark.parametrize("name", KINDS)
def test_every_kind_is_complete(name: str) -> None:
    kind = task_kind(name)
    assert kind.name == name
    assert kind.summary
    assert kind.words
    assert set(kind.authority) == set(FileClass) - {FileClass.BINARY}
    assert set(kind.fidelity) == set(State) - {State.RAW}
    assert 1.0 > kind.fidelity[State.EXCERPTED] > kind.fidelity[State.SYMBOLIZED]
    assert len(kind.coverage) >= 3
    assert kind.weights.authority + kind.weights.freshness <= 0.001 * kind.weights.relevance


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("available", [0, 1, 100, 2_000, 8_000, 32_000, 1_000_000])
def test_envelopes_are_feasible_at_every_budget(name: str, available: int) -> None:
    zones = envelope_for(name, available)
    envelope = BudgetEnvelope(available_input_tokens=available, zones=zones)
    assert sum(zone.min_tokens for zone in zones) <= available
    hard = [zone for zone in zones if zone.effective_min_policy is MinPolicy.FAIL]
    assert all(zone.min_tokens == 0 for zone in hard)
    assert envelope.zone("source_evidence").max_tokens is None
    assert envelope.zone("task").overflow_policy is OverflowPolicy.FAIL
    Problem(
        schema_version="packing-problem.v1",
        envelope=envelope,
        policy=task_kind(name).policy,
        weights=task_kind(name).weights,
        coverage=tuple(dimension.dimension() for dimension in task_kind(name).coverage),
        units=(ContextUnit(id="a", token_estimate=1),),
    )


def test_an_unknown_kind_lists_those_that_there_are() -> None:
    with pytest.raises(UsageError, match="unknown kind of task") as error:
        task_kind("novel")
    assert all(kind in str(error.value) for kind in KINDS)
    with pytest.raises(UsageError):
        envelope_for("../common", 10)


def test_tables_are_merged_and_lists_replaced() -> None:
    kind = parse_kind(HEAD + "[authority]\ndoc = 0.8\n[zones.b]\nmin = 0.1\n", COMMON, file="x.toml")
    assert kind.authority == {FileClass.SOURCE: 0.9, FileClass.DOC: 0.8}
    assert set(kind.zones) == {"a", "b"}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[authority]\nsource = 2\n", ("authority", "2")),
        ("[authority]\nsoup = 0.5\n", ("authority", "soup")),
        ("[zones.a]\nmaximum = 0.5\n", ("zones", "maximum")),
        ("[[coverage]]\nname = 'e'\nrules = [{ pattern = '(' }]\n", ("pattern", "regular expression")),
        ("[policy]\nmust_exclude = ['nonsense']\n", ("xclude", "nonsense")),
        ("[fidelity]\nsymbolized = 0\n", ("fidelity", "0")),
        ("= 1\n", ("TOML",)),
    ],
)
def test_a_wrong_file_names_field_and_value(text: str, words: tuple[str, ...]) -> None:
    with pytest.raises(SchemaError) as error:
        parse_kind(HEAD + text, COMMON, file="x.toml")
    assert error.value.file == "x.toml"
    assert all(word in str(error.value) for word in words)


def covered(kind: str, name: str) -> set[str]:
    fragment = Fragment("function", name, name, (Span(1, 1),), name, defines=(name,))
    subject = Subject(fragment, Kind.SYMBOL, FileClass.SOURCE, "src/a.py")
    return set(coverage(subject, 1.0, task_kind(kind).coverage))


@pytest.mark.parametrize(
    ("kind", "dimension", "names"),
    [
        ("api-reference", "authentication", "login AuthError BasicAuth api_key OAuth2Session accessToken"),
        ("api-reference", "authentication", "check_permissions Credentials HTTPBearer PasswordHasher"),
        ("api-reference", "errors", "HTTPError BadParameterException read_failure ErrNotFound"),
        ("architecture", "dataflow", "process_all RequestHandler dispatchEvent"),
        ("architecture", "persistence", "SessionStore cache_key Database"),
        ("architecture", "eventing", "onEvent EventListener emit"),
        ("troubleshooting", "error_types", "TimeoutError IOException"),
        ("troubleshooting", "retries_and_timeouts", "Timeout max_retries readTimeOut"),
        ("tutorial", "errors", "ParseError"),
        ("overview", "entry_points", "main"),
        ("quickstart", "first_run", "create_app newServer"),
    ],
)
def test_names_cover_what_their_words_say(kind: str, dimension: str, names: str) -> None:
    assert [name for name in names.split() if dimension not in covered(kind, name)] == []


@pytest.mark.parametrize(
    ("kind", "dimension", "names"),
    [
        ("api-reference", "authentication", "token_normalize_func count_tokens Tokenizer author Authority"),
        ("api-reference", "errors", "default_map terrorise faulty_towers"),
        ("architecture", "dataflow", "mishandled_ preprocessor manhandle"),
        ("architecture", "persistence", "restore history_storey obsession"),
        ("architecture", "eventing", "prevent eventual assignal"),
        ("architecture", "configuration", "adoptions"),
        ("troubleshooting", "error_types", "default mirrored"),
        ("troubleshooting", "configuration", "envelope inventory"),
        ("troubleshooting", "retries_and_timeouts", "entryway"),
        ("tutorial", "errors", "exceptional terror"),
        ("quickstart", "first_run", "newline news"),
    ],
)
def test_parts_of_words_cover_nothing(kind: str, dimension: str, names: str) -> None:
    """A rule asks for whole words: a token of text is no authentication, an envelope no environment."""
    assert [name for name in names.split() if dimension in covered(kind, name)] == []
