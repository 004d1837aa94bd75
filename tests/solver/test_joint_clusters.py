"""Groups of pages by what they like, and pages that change between groups."""

from __future__ import annotations

import numpy as np

from satchel.solver.joint.clusters import moved, seeded

LIKINGS = np.array(
    [
        [9.0, 8.0, 0.0, 0.0],
        [0.0, 1.0, 7.0, 9.0],
        [8.0, 9.0, 1.0, 0.0],
        [0.0, 0.0, 9.0, 8.0],
        [9.0, 9.0, 0.0, 1.0],
    ]
)


def test_pages_that_like_the_same_are_together() -> None:
    """Two kinds of pages, told apart whatever their order is."""
    assert sorted(seeded(LIKINGS, 2)) == [[0, 2, 4], [1, 3]]
    order = [3, 0, 4, 1, 2]
    parts = [sorted(order[p] for p in part) for part in seeded(LIKINGS[order], 2)]
    assert sorted(parts) == [[0, 2, 4], [1, 3]]


def test_every_page_is_in_one_group() -> None:
    """Of however many groups are asked for, also where pages like nothing or all the same."""
    for likings in (LIKINGS, np.zeros((5, 3)), np.ones((5, 3))):
        for count in range(1, 6):
            parts = seeded(likings, count)
            assert sorted(p for part in parts for p in part) == [0, 1, 2, 3, 4]
            assert 1 <= len(parts) <= count


def test_a_page_moves_to_where_it_is_worth_more() -> None:
    """The second page to the other group, the third to none; the first stays, for nothing is better."""
    worths = np.array([[5.0, 5.0, 5.0], [1.0, 2.0, 0.0], [0.0, -np.inf, 1.0], [0.0, 3.0, 1.0]])
    assert moved([[0, 1, 2], [3], []], worths) == [[0], [1, 3], [2]]
    # A group that its only page leaves is empty, in its place.
    assert moved([[0], [1]], np.array([[0.0, 1.0], [0.0, 1.0]])) == [[], [0, 1]]


def test_where_nothing_is_better_nothing_moves() -> None:
    """So that planning ends."""
    assert moved([[0], [1]], np.array([[1.0, 1.0, 0.0], [0.0, 2.0, 2.0]])) is None
