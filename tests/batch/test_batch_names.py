"""Names of output folders."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from satchel.batch.names import LONGEST, safe_name, unique_names

TEXTS = st.text(st.characters(exclude_categories=("Cs",)), min_size=1, max_size=200)
ODD = st.sampled_from(
    ["../..", ".", "con", "NUL.txt", "a/b", "a.b", "A.B", "a\\b", "é", "e\u0301", " ", "x" * 300]
)


@given(st.lists(TEXTS | ODD, min_size=1, max_size=12, unique=True))
def test_names_are_safe_and_never_two_for_one(texts: list[str]) -> None:
    names = unique_names(texts)
    assert len({name.casefold() for name in names}) == len(names)
    for name in names:
        assert name
        assert name.strip(".-")
        assert not set(name) & set('/\\:*?"<>|\0\n')
        assert name.partition(".")[0].casefold() not in {"con", "nul", "aux", "prn"}
        assert len(name.encode()) <= LONGEST


@given(st.lists(TEXTS | ODD, min_size=2, max_size=8, unique=True))
def test_a_name_does_not_depend_on_the_order(texts: list[str]) -> None:
    assert dict(zip(texts, unique_names(texts), strict=True)) == dict(
        zip(reversed(texts), unique_names(texts[::-1]), strict=True)
    )


def test_plain_names_stay_as_they_are() -> None:
    assert [safe_name(text) for text in ("src/box/store", "a_b-1.2", "naïve")] == [
        "src.box.store",
        "a_b-1.2",
        "naïve",
    ]
