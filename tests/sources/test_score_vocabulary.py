"""Words in flat arrays: kept as they were, put together in order, and found without being taken apart."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from satchel.sources.score.index import Index
from satchel.sources.score.vocabulary import Words, words_of, words_that_may_hold
from satchel.sources.score.words import WORD as PATTERN
from satchel.sources.score.words import terms

WORD = st.one_of(
    st.from_regex(r"[A-Za-z0-9_]{1,12}", fullmatch=True),
    st.from_regex(r"(?:get|HTTP|query|queries|Links?|pass(?:es)?|y|ies|er)+_?[0-9]?", fullmatch=True),
    st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=6),
    st.sampled_from(["ΟΔΟΣ", "İstanbul", "straße", "数据库查询", "ties", "dies", "cities", "Y", "ys"]),
)
TEXTS = st.lists(st.lists(WORD, max_size=6).map(" ".join), min_size=1, max_size=5)


@given(words=st.lists(WORD, max_size=30, unique=True), asked=st.lists(WORD, min_size=1, max_size=4))
def test_no_word_with_a_term_is_missed(words: list[str], asked: list[str]) -> None:
    wanted = sorted({term for word in asked for term in terms(word)})
    found = words_that_may_hold(words, wanted)
    assert len(set(found)) == len(found)
    holding = {word for word in words if set(terms(word)).intersection(wanted)}
    assert holding <= set(found) <= set(words)


def test_what_is_found_is_not_everything() -> None:
    words = [f"name{n}" for n in range(100)]
    assert words_that_may_hold(words, ["name7"]) == ["name7", *(f"name7{n}" for n in range(10))]
    assert words_that_may_hold(words, ["nothing"]) == []
    assert words_that_may_hold(["queries", "query"], ["query"]) == ["queries", "query"]


@given(parts=st.lists(TEXTS, min_size=1, max_size=4))
def test_parts_make_the_index_of_all_texts(parts: list[list[str]]) -> None:
    whole = Index({"body": [text for texts in parts for text in texts]})
    index = Index.from_words([Words.of({"body": texts}) for texts in parts])
    assert index.words == whole.words
    assert index.size == whole.size
    for n in range(whole.size):
        assert np.array_equal(index.of("body", n), whole.of("body", n))


@given(texts=TEXTS, more=st.data())
def test_words_come_back_as_they_were(texts: list[str], more: st.DataObject) -> None:
    others = more.draw(st.lists(WORD, min_size=len(texts), max_size=len(texts)))
    words = Words.of({"body": texts, "name": others})
    again = Words.from_bytes(words.to_bytes())
    assert again.vocabulary == words.vocabulary
    for name in ("body", "name"):
        assert np.array_equal(again.places[name], words.places[name])
        assert np.array_equal(again.lengths[name], words.lengths[name])


@pytest.mark.parametrize("cut", [0, 1, 10, -1])
def test_damaged_bytes_are_an_error(cut: int) -> None:
    data = Words.of({"body": ["one two", "three"]}).to_bytes()
    with pytest.raises(ValueError):
        Words.from_bytes(data[:cut])


def test_numbers_beyond_the_vocabulary_are_an_error() -> None:
    words = Words.of({"body": ["one two", "three"]})
    wrong = Words(words.vocabulary[:1], words.places, words.lengths)
    with pytest.raises(ValueError, match="not hold"):
        Words.from_bytes(wrong.to_bytes())


@given(st.text(st.sampled_from("abzA Z09_-.\t\n\x1c\x7f(\xe9\u0301\u4e00"), max_size=40))
def test_words_are_those_that_the_pattern_finds(text: str) -> None:
    assert words_of(text) == PATTERN.findall(text)
