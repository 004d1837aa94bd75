"""The ranking against its definition written out, and its speed."""

from __future__ import annotations

import random
from collections import Counter
from math import log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from satchel.sources.textrank.rank import COMMON, DAMPING, rank

SENTENCES = st.lists(st.lists(st.sampled_from("abcdefghijk"), max_size=8), min_size=1, max_size=12)


def by_definition(words: list[list[str]], bias: list[float] | None = None) -> np.ndarray:
    """The formula of the module, with a matrix and a linear system in place of iteration."""
    sets = [set(own) for own in words]
    n = len(sets)
    spread = Counter(word for own in sets for word in own)
    likeness = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            both = sum(1 for word in sets[i] & sets[j] if spread[word] <= max(4, COMMON * n))
            if i != j and both:
                likeness[i, j] = both / (log(1 + len(sets[i])) + log(1 + len(sets[j])))
    start = np.full(n, 1 / n) if not bias or not sum(bias) else np.array(bias) / sum(bias)
    sums = likeness.sum(axis=1)
    walk = np.array([row / total if total else start for row, total in zip(likeness, sums, strict=True)])
    return np.linalg.solve(np.eye(n) - DAMPING * walk.T, (1 - DAMPING) * start)


@given(SENTENCES, st.data())
def test_the_scores_are_those_of_the_definition(words: list[list[str]], data: st.DataObject) -> None:
    weights = st.lists(st.floats(0, 9), min_size=len(words), max_size=len(words))
    bias = data.draw(st.none() | weights)
    found = rank(words, bias)
    assert found.converged
    assert found.scores == pytest.approx(by_definition(words, bias), abs=1e-7)
    assert found.scores.sum() == pytest.approx(1.0, abs=1e-6)


def test_sentences_that_share_nothing_are_equal() -> None:
    """I10: a graph without edges is uniform, and nothing is divided by zero."""
    assert rank([["a"], ["b"], []]).scores.tolist() == [0.333333333] * 3
    assert rank([]).scores.tolist() == []
    assert rank([[]]).scores.tolist() == [1.0]
    assert rank([["a"], ["a"]], [0.0, 0.0]).scores.tolist() == [0.5, 0.5]


@given(SENTENCES, st.randoms(use_true_random=False))
def test_the_order_of_sentences_and_words_does_not_count(
    words: list[list[str]], chance: random.Random
) -> None:
    order = list(range(len(words)))
    chance.shuffle(order)
    shuffled = [chance.sample(words[n], len(words[n])) for n in order]
    assert rank(shuffled).scores == pytest.approx(rank(words).scores[order], abs=1e-8)


def zipf_text(sentences: int, vocabulary: int = 20_000) -> list[list[str]]:
    """Sentences of 3 to 30 words by Zipf's law: the most common ones stand in most of them."""
    draw = np.random.default_rng(7)
    weights = np.cumsum(1 / np.arange(1, vocabulary + 1))
    return [
        [f"w{k}" for k in np.searchsorted(weights / weights[-1], draw.random(draw.integers(3, 31)))]
        for _ in range(sentences)
    ]


def test_ten_thousand_sentences_converge() -> None:
    words = zipf_text(10_000)
    found = rank(words)
    assert found.converged


def test_a_word_of_every_third_sentence_is_no_burden() -> None:
    """Ten thousand sentences with the same thirty words each in a third of them: 10^9 pairs, never made."""
    words = [[f"w{k}" for k in range(n % 3, 90, 3)] + [f"own{n}"] for n in range(10_000)]
    assert rank(words).converged
