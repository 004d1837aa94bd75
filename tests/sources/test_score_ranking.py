"""Words, BM25, links from documents to code, excerpts, coverage."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from satchel.models import Kind
from satchel.sources.extract import Document, Fragment, Span, default_registry
from satchel.sources.file_classes import FileClass
from satchel.sources.gitinfo import History
from satchel.sources.score.coverage import Subject, coverage
from satchel.sources.score.excerpts import SHARE, excerpt
from satchel.sources.score.freshness import UNKNOWN, freshness
from satchel.sources.score.index import K1, B, Index
from satchel.sources.score.links import IN_PASSING, linked_scores, mentions
from satchel.sources.score.relevance import (
    CURVES,
    EVENNESS,
    POWERS,
    PROSE,
    STEEPER,
    STEEPNESS,
    Corpus,
    Relevance,
    relevance,
)
from satchel.sources.score.words import WORD, query_terms, stem, terms
from satchel.sources.tasks import CoverageRule, Dimension


class TestWords:
    @pytest.mark.parametrize(
        ("word", "expected"),
        [
            ("timeout", ("timeout",)),
            ("getHTTPResponse", ("get", "http", "respons", "gethttpresponse")),
            ("max_retries", ("max", "retry", "max_retries")),
            ("v2", ("v", "2", "v2")),
            ("__init__", ("init",)),
            ("Ωmega", ("ω", "mega", "ωmega")),
            ("_", ("_",)),
        ],
    )
    def test_identifiers_are_taken_apart(self, word: str, expected: tuple[str, ...]) -> None:
        assert set(terms(word)) == set(expected)

    def test_scripts_without_spaces_go_by_pairs(self) -> None:
        assert set(terms("設定変更")) >= {"設定", "定変", "変更"}

    @pytest.mark.parametrize(
        "family",
        [
            ("validate", "validates", "validated", "validating", "validation"),
            ("configure", "configuring", "configuration", "configured"),
            ("decorator", "decorators"),
            ("retry", "retries"),
            ("stop", "stopped", "stopping"),
            ("class", "classes"),
            ("solve", "solver", "solvers", "solving", "solved", "solves"),
            ("parse", "parser", "parsing"),
            ("add", "adding", "added", "adds"),
        ],
    )
    def test_endings_meet(self, family: tuple[str, ...]) -> None:
        assert len({stem(word) for word in family}) == 1

    @pytest.mark.parametrize("word", ["is", "bus", "pass", "this", "éa", "x"])
    def test_short_and_foreign_words_stay(self, word: str) -> None:
        assert stem(word) == word

    def test_questions_lose_stop_words_and_weigh_repeats(self) -> None:
        query = query_terms("How to use the Timeout", "timeouts")
        assert query == {"timeout": pytest.approx(2**0.5)}


def test_a_question_about_parts_asks_for_the_whole_too() -> None:
    query = query_terms("subcommands")
    assert query["subcommand"] > query["command"] > 0
    assert set(query_terms("subset")) == {"subset"}


def plain_bm25(texts: list[list[str]], query: dict[str, float]) -> list[float]:
    """The textbook formula, one document and one term at a time."""
    mean = sum(map(len, texts)) / len(texts)
    scores = []
    for text in texts:
        score = 0.0
        for term, weight in query.items():
            having = sum(term in other for other in texts)
            rarity = np.log1p((len(texts) - having + 0.5) / (having + 0.5))
            tf = text.count(term)
            score += weight * rarity * tf * (K1 + 1) / (tf + K1 * (1 - B + B * len(text) / mean))
        scores.append(score)
    return scores


class TestIndex:
    TEXTS = ("alpha beta beta", "beta gamma", "", "delta " * 30 + "alpha", "Alpha_Beta")

    def test_equals_the_textbook(self) -> None:
        words = [text.split() for text in self.TEXTS[:4]]
        query = {"alpha": 1.0, "beta": 2.0, "zeta": 1.0}
        index = Index({"body": self.TEXTS[:4]})
        assert index.scores(query, {"body": 1.0}) == pytest.approx(plain_bm25(words, query))

    def test_identifiers_match_by_their_parts(self) -> None:
        scores = Index({"body": self.TEXTS}).scores({"beta": 1.0}, {"body": 1.0})
        assert scores[4] > 0
        assert scores[3] == 0

    def test_fields_add_up(self) -> None:
        index = Index({"name": ("alpha", "x", "y"), "body": ("x", "alpha", "y")})
        both = index.scores({"alpha": 1.0}, {"name": 0.7, "body": 1.0})
        name = index.scores({"alpha": 1.0}, {"name": 0.7})
        assert both[0] < name[0] * 1.01  # rarity counts texts that hold the term in any field
        assert both[1] > both[0] > 0
        assert both[2] == 0

    def test_only_the_chosen_are_scored(self) -> None:
        scores = Index({"body": self.TEXTS}).scores({"beta": 1.0}, {"body": 1.0}, np.array([0, 3]))
        assert scores[0] > 0
        assert scores[1] == 0

    @pytest.mark.parametrize("texts", [(), ("",), ("", "")])
    def test_nothing_scores_nothing(self, texts: tuple[str, ...]) -> None:
        """I10: no division by the zero of an empty repository."""
        assert not Index({"body": texts}).scores({"a": 1.0}, {"body": 1.0}).any()

    def test_order_of_texts_does_not_matter(self) -> None:
        query = {"alpha": 1.0, "beta": 1.0}
        forth = Index({"body": self.TEXTS}).scores(query, {"body": 1.0})
        back = Index({"body": self.TEXTS[::-1]}).scores(query, {"body": 1.0})
        assert np.array_equal(forth, back[::-1])


def linked(
    texts: tuple[str, ...],
    nearness: list[float],
    definitions: dict[str, list[int]],
    spoken: dict[int, str] | None = None,
    read: int = 9,
) -> list[float]:
    """Return what the texts receive; those after the first two are sections."""
    index = Index({"body": texts})
    as_code = {n: index.word_ids(WORD.findall(text)) for n, text in (spoken or {}).items()}
    named = mentions(index, "body", np.arange(2, len(texts)), definitions, as_code)
    return list(linked_scores(named, np.array([0.0, 0.0, *nearness]), read))


class TestLinks:
    DEFINITIONS: ClassVar = {"Client": [0], "send_it": [1], "go": [1]}

    def linked(self, *sections: str, nearness: list[float]) -> list[float]:
        return linked(("code", "code", *sections), nearness, self.DEFINITIONS)

    def test_a_section_passes_its_score_to_what_it_names(self) -> None:
        received = self.linked("the Client is", "then send_it", nearness=[2.0, 1.0])
        assert received == [1.0, 0.125, 0.0, 0.0]

    def test_a_common_name_counts_less(self) -> None:
        received = self.linked("Client send_it", "Client", "Client", nearness=[1.0, 0.0, 0.0])
        assert received[0] == pytest.approx(3**-0.5)
        assert received[1] == 1.0

    def test_naming_twice_is_naming_once(self) -> None:
        assert self.linked("Client Client", nearness=[1.0]) == self.linked("Client", nearness=[1.0])

    def test_names_must_be_spelled_alike_and_not_short(self) -> None:
        assert not any(self.linked("client go", nearness=[1.0]))

    def test_shared_names_share(self) -> None:
        received = linked(("a", "b", "run_it"), [1.0], {"run_it": [0, 1]})
        assert received[0] == received[1] == pytest.approx(0.5**0.5)

    @pytest.mark.parametrize(("code", "expected"), [("", IN_PASSING), ("client.x()", 1.0)])
    def test_a_word_in_passing_is_hardly_a_name(self, code: str, expected: float) -> None:
        texts = ("a", "b", "the client and send_it", "Client")
        received = linked(texts, [1.0, 0.0], {"client": [0], "send_it": [1]}, {2: code})
        assert received[:2] == [pytest.approx(expected), 1.0]

    def test_only_the_nearest_are_read(self) -> None:
        texts = ("a", "b", "first_name", "second_name")
        received = linked(texts, [2.0, 1.0], {"first_name": [0], "second_name": [1]}, read=1)
        assert received[1] == 0
        assert received[0] > 0

    def test_nothing_near_passes_nothing(self) -> None:
        """I10: no division by the zero of a graph without edges."""
        assert not any(self.linked("Client", nearness=[0.0]))
        assert not any(linked(("a", "b"), [], {}))


def corpus(
    code: list[str],
    prose: list[str],
    definitions: dict[str, list[int]],
    paths: list[str] | None = None,
    files: list[int] | None = None,
) -> Corpus:
    texts = [*code, *prose]
    blank = [""] * len(texts)
    names = {n: name for name, numbers in definitions.items() for n in numbers}
    return Corpus(
        index=Index({"name": blank, "path": paths or blank, "doc": blank, "body": texts}),
        code=np.arange(len(code)),
        prose=np.arange(len(code), len(texts)),
        source=np.arange(len(code)),
        documents=dict.fromkeys(range(len(code), len(texts)), ()),
        files=np.arange(len(texts)) if files is None else np.array(files),
        names=[names.get(n, "") for n in range(len(texts))],
        definitions=definitions,
    )


def ones(parts: Corpus, *asked: str) -> Relevance:
    """Return the relevance where the kind of task makes no difference."""
    return relevance(parts, asked, np.ones(parts.index.size))


class TestRelevance:
    def test_documents_carry_over_to_code_without_a_common_word(self) -> None:
        code, prose = ["def fetch_it(): pass", "timeout = 1", "other"], ["Timeouts: call fetch_it twice"]
        found = ones(corpus(code, prose, {"fetch_it": [0]}), "timeout")
        assert found.parts["words"][0] == 0.0
        assert found.parts["links"][0] == 1.0
        assert found.scores[0] > 0.5
        assert found.scores[2] < 0.05

    def test_factors_lower_and_zero_factors_remove(self) -> None:
        parts = corpus(["timeout a", "timeout a"], [], {})
        settings = replace(parts, source=np.arange(0))
        scores = relevance(settings, ["timeout"], np.array([1.0, 0.5])).scores
        assert scores[0] == 1.0
        product = 0.5 ** POWERS["factor"]
        assert scores[1] == pytest.approx(product)
        # In source, both pass through the curve of the product, which is level from 0.45 on.
        between = np.interp(product, *CURVES["product"]) - np.interp(1.0, *CURVES["product"])
        scores = relevance(parts, ["timeout"], np.array([1.0, 0.5])).scores
        assert scores[0] == 1.0
        assert scores[1] == pytest.approx(np.exp(STEEPER * (EVENNESS * np.log(product) + between)))
        assert relevance(parts, ["timeout"], np.array([1.0, 0.0])).scores[1] == 0.0

    def test_a_name_counts_by_the_files_that_use_it(self) -> None:
        """Ten tests in one file say no more than one; a name with two definitions is told of half."""
        sections = ["load_it", "load_it", "load_it", "keep_it", "other"]
        code = ["timeout load_it", "timeout keep_it", "timeout none"]
        definitions = {"load_it": [0], "keep_it": [1], "none": [2]}
        parts = corpus(code, sections, definitions, files=[0, 1, 2, 3, 3, 4, 4, 5])
        parts.documents.clear()  # type: ignore[attr-defined] # the sections are tests
        found = ones(parts, "timeout")
        assert found.parts["used"].tolist()[:3] == [
            pytest.approx(np.log(3)),
            pytest.approx(np.log(2)),
            0.0,
        ]
        assert found.scores[0] > found.scores[1] > found.scores[2]

    def test_a_path_that_the_title_names_counts_more(self) -> None:
        """The headings do not: a folder is named after what all of its files are about."""
        paths = ["src/timeouts.py", "src/retries.py"]
        found = relevance(corpus(["wait", "wait"], [], {}, paths), ["Timeouts", "retry wait"], np.ones(2))
        assert found.parts["titled"].tolist() == [1.0, 0.0]

    @pytest.mark.parametrize("name", ["links", "used", "titled"])
    def test_more_of_a_part_is_never_worth_less(self, name: str) -> None:
        points, added = CURVES[name]
        assert list(points) == sorted(points)
        assert list(added) == sorted(added)

    def test_a_larger_product_is_worth_more(self) -> None:
        """The curve of the product flattens it, and never turns it around."""
        product = np.linspace(1e-3, 1.0, 200)
        log = EVENNESS * np.log(product) + np.interp(product, *CURVES["product"])
        assert (np.diff(log) > 0).all()

    def test_what_documents_and_tests_name_is_what_pages_are_about(self) -> None:
        sections = ["see load_it", "and load_it again", "words"]
        parts = corpus(["timeout load_it", "timeout keep_it"], sections, {"load_it": [0], "keep_it": [1]})
        found = ones(parts, "timeout")
        assert found.parts["documented"].tolist()[:2] == [pytest.approx(np.log(3)), 0.0]
        assert found.scores[0] > found.scores[1]
        parts.documents.clear()  # type: ignore[attr-defined] # the sections are tests now
        found = ones(parts, "timeout")
        assert found.parts["documented"][0] == 0.0
        assert found.parts["exercised"][0] == pytest.approx(np.log(3))

    def test_no_words_no_relevance(self) -> None:
        assert not ones(corpus(["a"], ["b"], {}), "", "the of").scores.any()

    def test_prose_stands_behind_code(self) -> None:
        found = ones(corpus(["timeout"], ["timeout timeout", "timeout"], {}), "timeout")
        assert found.scores[1] == PROSE
        assert found.scores[2] == pytest.approx(PROSE * found.parts["words"][2] ** STEEPNESS)

    def test_scores_are_within_bounds(self) -> None:
        found = relevance(corpus(["a b", "b"], ["a", "b b"], {"a": [0]}), ["a b"], np.full(4, 0.7))
        assert found.scores.min() >= 0
        assert found.scores.max() <= 0.7

    @given(st.permutations(range(4)), st.sampled_from(["alpha", "beta load_it", "gamma alpha"]))
    def test_order_of_code_does_not_matter(self, order: list[int], asked: str) -> None:
        code = ["alpha load_it", "beta beta", "gamma keep_it", "delta"]
        places = {"load_it": 0, "keep_it": 2}
        prose = ["alpha: load_it", "gamma: keep_it and load_it"]
        plain = ones(corpus(code, prose, {name: [n] for name, n in places.items()}), asked)
        moved = {name: [order.index(n)] for name, n in places.items()}
        mixed = ones(corpus([code[n] for n in order], prose, moved), asked)
        assert mixed.scores[:4] == pytest.approx(plain.scores[order])


def fragment_of(text: str, language: str = "markdown") -> tuple[Fragment, tuple[str, ...]]:
    document = Document("a", text, "doc", language)
    (fragment,) = default_registry().extract(document).fragments
    return fragment, document.lines


class TestExcerpts:
    def test_shows_the_head_and_what_is_asked_for(self) -> None:
        paragraphs = [f"Paragraph {n} is about nothing at all, for so many words.\n" for n in range(40)]
        paragraphs[30] = "Here is what a timeout does to the client.\n"
        fragment, lines = fragment_of("# Title\n\nFirst words.\n\n" + "\n".join(paragraphs))
        spans = excerpt(fragment, lines, query_terms("timeout"))
        shown = [lines[n - 1] for span in spans for n in range(span.start, span.end + 1)]
        assert shown[0] == "# Title"
        assert paragraphs[30].strip() in shown
        assert sum(map(len, shown)) <= SHARE * len(fragment.text)

    def test_no_cut_within_a_fenced_block(self) -> None:
        """B17: no half that looks whole."""
        fence = "```py\n" + "x = timeout\n\n" * 8 + "```\n"
        fragment, lines = fragment_of("# T\n\nLead.\n\n" + ("Words and words.\n\n" + fence + "\n") * 4)
        text = [
            lines[n - 1]
            for s in excerpt(fragment, lines, query_terms("timeout"))
            for n in range(s.start, s.end + 1)
        ]
        assert sum(line.startswith("```") for line in text) % 2 == 0

    def test_stays_within_own_lines(self) -> None:
        lines = tuple(f"line {n} timeout" if n % 3 else "" for n in range(1, 90))
        own = (Span(1, 30), Span(60, 89))
        text = "\n".join(line for s in own for line in lines[s.start - 1 : s.end])
        fragment = Fragment("module", "", "m", own, text)
        for span in excerpt(fragment, lines, query_terms("timeout")):
            assert any(o.start <= span.start and span.end <= o.end for o in own)


class TestCoverage:
    RULES = (
        Dimension(
            name="errors",
            rules=(CoverageRule(pattern="error", where="name"), CoverageRule(strength=0.5)),
        ),
        Dimension(name="docs", rules=(CoverageRule(classes=(FileClass.DOC,)),)),
        Dimension(name="maps", rules=(CoverageRule(kinds=(Kind.REPO_SUMMARY,)),)),
        Dimension(name="places", rules=(CoverageRule(path="^src/", roles=("class",)),)),
    )

    def subject(self, name: str) -> Subject:
        fragment = Fragment("class", name, name, (Span(1, 1),), "text", defines=(name,))
        return Subject(fragment, Kind.SYMBOL, FileClass.SOURCE, "src/a.py")

    def test_the_best_rule_counts(self) -> None:
        assert coverage(self.subject("MyError"), 1.0, self.RULES) == {"errors": 1.0, "places": 1.0}
        assert coverage(self.subject("Other"), 1.0, self.RULES) == {"errors": 0.5, "places": 1.0}

    def test_what_is_not_relevant_covers_nothing(self) -> None:
        assert coverage(self.subject("MyError"), 0.0, self.RULES) == {}
        assert coverage(self.subject("MyError"), 0.033, self.RULES)["errors"] == pytest.approx(0.1)


class TestFreshness:
    YEAR = 31_557_600

    def test_halves_in_two_years_before_the_newest_commit(self) -> None:
        history = History(
            head_time=10 * self.YEAR, last_changes={"new": 10 * self.YEAR, "old": 8 * self.YEAR}
        )
        assert freshness(history, "new") == 1.0
        assert freshness(history, "old") == 0.5

    def test_unknown_is_a_half(self) -> None:
        assert freshness(History(), "a") == UNKNOWN
        assert freshness(History(head_time=5), "a") == UNKNOWN

    def test_beyond_the_horizon_is_at_least_that_old(self) -> None:
        history = History(head_time=10 * self.YEAR, horizon=6 * self.YEAR)
        assert freshness(history, "a") == 0.25
