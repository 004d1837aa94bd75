"""Counts that are looked up are the counts of what is rendered, whatever of a unit changes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from satchel.caching import CountBook
from satchel.counting import recount
from satchel.models import BudgetEnvelope, ContextUnit, Problem, Rendering, SourceRef, heading_of
from satchel.sources.cache.counts import TextCounts
from satchel.sources.cache.store import Cache
from satchel.sources.tokens import TokenEstimator, make_estimator
from satchel.sources.tokens.cached import CachedEstimator

REFS = (SourceRef(path="src/a.py", start_line=3, end_line=9, total_lines=40),)
UNIT: dict[str, Any] = {
    "id": "py:src/a.py#f",
    "kind": "symbol",
    "title": "function f",
    "source_refs": REFS,
    "text": "def f(a):\n    return a\n" * 3,
    "authority_score": 0.9,
    "renderings": (
        Rendering(state="excerpted", text="def f(a):\n    …\n", fidelity=0.5, source_refs=REFS),
        Rendering(state="symbolized", text="def f(a)", fidelity=0.3, source_refs=REFS),
    ),
}
CHANGES: dict[str, tuple[Any, ...]] = {
    "id": ("py:src/a.py#g", "other"),
    "kind": ("example", "file_full", "repo_summary"),
    "title": ("", "another title altogether"),
    "source_refs": (
        (),
        (SourceRef(path="src/b.py", start_line=3, end_line=9, total_lines=40),),
        (SourceRef(path="src/a.py", start_line=1203, end_line=1309, total_lines=4000),),
        (SourceRef(path="src/a.py"),),
        (*REFS, SourceRef(path="src/c.py", start_line=1, end_line=2)),
    ),
    "text": ("short", "longer " * 40, "```\nfence\n```"),
    "token_estimate": (7,),
    "authority_score": (0.1, 0.5, 0.7),
    "relevance_score": (0.7,),
    "freshness_score": (0.7,),
    "risk_score": (0.6,),
    "compression_state": ("excerpted",),
    "required": (True,),
    "zone": ("examples",),
    "dependencies": ((), (heading_of("src/a.py"),), (heading_of("src/b.py"),), ("other",)),
    "diagnostics": (("something is odd",),),
    "coverage": ({"errors": 0.5},),
    "redundancy_groups": (("g",),),
    "stability": ("volatile",),
    "trust": ("trusted",),
    "tags": (("public", "prompt_injection"),),
    "value": (3,),
    "held": (0,),
    "renderings": (
        (),
        (Rendering(state="excerpted", text="def f(a): …", fidelity=0.5),),
        (Rendering(state="summarized", text="def f(a):\n    …\n", fidelity=0.5, source_refs=REFS),),
        (Rendering(state="symbolized", tokens=3, fidelity=0.5),),
    ),
}
ESTIMATOR = make_estimator()


@pytest.fixture
def cache(tmp_path: Path) -> Iterator[Cache]:
    (tmp_path / "repo").mkdir()
    with Cache(tmp_path / "repo") as cache:
        cache.contexts.keys.update({path: path for path in ("src/a.py", "src/b.py", "src/c.py")})
        cache.database.write(
            lambda db: db.execute(
                "INSERT INTO contexts SELECT ?, 1, 1, 1, 1, '', '', ?, '', 0", ("src/a.py", "src/a.py")
            )
        )
        yield cache


def problem(units: list[ContextUnit]) -> Problem:
    empty = Problem(
        schema_version="packing-problem.v1", envelope=BudgetEnvelope(available_input_tokens=100_000), units=()
    )
    return empty.model_copy(update={"units": tuple(units)})


def test_every_field_of_a_unit_was_thought_of() -> None:
    assert set(CHANGES) == set(ContextUnit.model_fields)


@pytest.mark.parametrize("fmt", ["markdown", "xml", "plain", "json"])
def test_a_change_of_any_field_is_counted_as_it_is_rendered(cache: Cache, fmt: str) -> None:
    base = ContextUnit(**UNIT)
    variants = [
        ContextUnit(**{**UNIT, name: value, **({"renderings": ()} if name == "compression_state" else {})})
        for name, values in CHANGES.items()
        for value in values
    ]
    book = CountBook(cache, ESTIMATOR, fmt)
    recount(problem([base]), ESTIMATOR, fmt, None, book)
    book.flush()
    for variant in variants:
        again = CountBook(cache, ESTIMATOR, fmt)
        with_book = recount(problem([variant]), ESTIMATOR, fmt, None, again)
        assert with_book == recount(problem([variant]), ESTIMATOR, fmt, None), variant


class Counting:
    """An estimator that tells what it was asked."""

    def __init__(self, inner: TokenEstimator) -> None:
        self.inner = inner
        self.texts: list[str] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)

    def count_batch(self, texts: list[str]) -> list[int]:
        self.texts += texts
        return self.inner.count_batch(texts)


def test_what_was_counted_is_not_counted_again(cache: Cache) -> None:
    one = problem([ContextUnit(**UNIT)])
    for asked in (3, 0):
        spy = Counting(ESTIMATOR)
        book = CountBook(cache, ESTIMATOR, "markdown")
        assert recount(one, spy, "markdown", None, book) == recount(one, ESTIMATOR, "markdown", None)  # type: ignore[arg-type]
        book.flush()
        assert len(spy.texts) == asked


@pytest.mark.parametrize("change", ["tokenizer", "format"])
def test_another_recipe_has_counts_of_its_own(cache: Cache, change: str) -> None:
    one = problem([ContextUnit(**UNIT)])
    book = CountBook(cache, ESTIMATOR, "markdown")
    recount(one, ESTIMATOR, "markdown", None, book)
    book.flush()
    other = make_estimator(encoding="cl100k_base") if change == "tokenizer" else ESTIMATOR
    fmt = "xml" if change == "format" else "markdown"
    spy = Counting(other)
    recount(one, spy, fmt, None, CountBook(cache, other, fmt))  # type: ignore[arg-type]
    assert len(spy.texts) == 3


def test_texts_are_counted_once(cache: Cache) -> None:
    spy = Counting(ESTIMATOR)
    texts = [f"text {n}" for n in range(1_200)]
    for _ in range(2):
        counter = CachedEstimator(spy, TextCounts(cache.database))  # type: ignore[arg-type]
        assert counter.count_batch(texts) == ESTIMATOR.count_batch(texts)
    assert len(spy.texts) == len(texts)
