"""Where sentences end, in many languages and scripts, and in what is no language at all."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from satchel.sources.extract import Span
from satchel.sources.textrank.prose import read
from satchel.sources.textrank.sentences import LONGEST, split

SENTENCES = {
    "titles and times": ["Dr. Smith met Mr. Jones at 3.14 p.m. on Jan. 5.", "It was fun!"],
    "versions and addresses": ["Use 2.0.1 of foo.bar.", "See https://example.org/a.b?c=d.", "Then stop."],
    "names in capitals": [
        "The U.S. is large.",
        "J. K. Rowling lives in the U.K. now.",
        "World War II. ended.",
    ],
    "references": ["See Fig. 3 and Sec. 2.1.", "They cite Brin et al. (1998).", "The answer is no.", "Stay."],
    "code": ["Call `a. B()` now.", "It returns None.", "get_all is faster."],
    "brackets": ["What is it?", "I (who. Else) know!", "(It was late.)", "Yes."],
    "quotes": ['He said "Stop. It is late." and left.', "“Why? Tell me.” she asked.", "Nobody knew."],
    "ellipsis": ["Wait... what happened?", "Nothing . . . at all."],
    "notes": ["Gas has no colour.[1][2]", "It burns."],
    "German": ["Das ist z. B. ein Test.", "Am 3. Oktober kam u. a. Dr. Müller.", "Siehe Abs. 2 bzw. Nr. 5."],
    "Indonesian": [
        "Bpk. Andi tinggal di Jl. Merdeka No. 5.",
        "Data disimpan, mis. di cache.",
        "Harga Rp 1.500,00.",
    ],
    "French": ["M. Dupont a dit : « Bonjour ! »", "Puis il est parti."],
    "Spanish": ["¿Qué es esto?", "¡No lo sé!", "El Sr. García vive aquí."],
    "Russian": ["Это г. Москва, ул. Ленина, д. 5.", "В 2020 г. всё изменилось.", "Т. е. стало лучше."],
    "Greek": ["Τι είναι αυτό;", "Δεν ξέρω."],
    "Armenian": ["Սա թեստ է։", "Մութ է:", "Սա երկրորդն է։"],
    "Hindi": ["यह एक परीक्षण है।", "क्या यह काम करता है?", "डॉ. शर्मा आए॥"],
    "Arabic": ["هذا اختبار.", "هل يعمل؟", "نعم!"],
    "Urdu": ["یہ ایک جملہ ہے۔", "کیا یہ ٹھیک ہے؟"],
    "Amharic": ["ይህ ፈተና ነው።", "ሁለተኛ ዓረፍተ ነገር ነው፧"],
    "Burmese": ["ဒါက စမ်းသပ်မှုပါ။", "ဒုတိယစာကြောင်း။"],
    "Khmer": ["នេះជាការសាកល្បង។", "នេះជាប្រយោគទីពីរ។"],
    "Thai": ["นี่คือการทดสอบของเรา", "ประโยคที่สองอยู่ที่นี่"],
    "Korean": ["이것은 시험입니다.", "두 번째 문장입니다."],
    "Chinese": ["今天天气很好。", "我们去公园吧！", "他说：“好的。”", "看《摔跤吧！爸爸》吗？"],
    "Japanese": ["これはテストです。", "「本当ですか？」と彼は言った。", "はい！"],
}


@pytest.mark.parametrize("name", SENTENCES)
def test_sentences_end_where_a_reader_ends_them(name: str) -> None:
    sentences = SENTENCES[name]
    text = ("" if name in ("Chinese", "Japanese") else " ").join(sentences)
    assert [text[piece.start : piece.end] for piece in split(text)] == sentences
    assert all(piece.whole for piece in split(text))


@given(st.text(max_size=2_000))
def test_every_character_is_in_exactly_one_piece(text: str) -> None:
    """F10: nothing is lost, doubled or moved, whatever the text."""
    pieces = split(text)
    assert "".join("".join(text[p.start : p.end].split()) for p in pieces) == "".join(text.split())
    assert all(a.end <= b.start for a, b in pairwise(pieces))
    assert all(p.start < p.end for p in pieces)


@pytest.mark.parametrize(
    ("text", "border"),
    [
        ("word " * 600, " "),
        ("คำ" * 2_000, ""),
        ("e\u0301" * 2_000, ""),
        ("👩‍💻" * 1_000, ""),
        ("A" * 5_000, ""),
    ],
)
def test_a_run_without_ends_is_shown_in_windows(text: str, border: str) -> None:
    """H12: text without full stops gives windows, cut between words or whole characters."""
    pieces = split(text)
    assert len(pieces) > 3
    assert not any(piece.whole for piece in pieces)
    assert max(piece.end - piece.start for piece in pieces) <= LONGEST
    for piece in pieces[:-1]:
        assert not border or text[piece.end] == border
        assert text[piece.end] not in "\u0301\u200d"
        assert text[piece.end - 1] != "\u200d"


@pytest.mark.parametrize(
    "unit", ["a", ".", "(", "`", "“", ". ", " ", "!?", "[1]", "a.b", "·", "- ", "|", "/*", "“a.” "]
)
def test_long_runs_end(unit: str) -> None:
    """E01, E02, H04: long runs of anything take no longer than their length allows."""
    text = unit * (200_000 // len(unit)) + "x"
    split(text)
    read(text.split("\n"), extent_of(text))


def extent_of(text: str) -> Span:
    return Span(1, text.count("\n") + 1)


def parts(text: str) -> list[tuple[str, str]]:
    return [(s.part.value, s.text) for s in read(text.split("\n"), extent_of(text))]


def test_blocks_of_markdown_are_sentences_of_their_own() -> None:
    text = """---
title: Page
---
# Title

One. Two
goes on.

- item one. Still it
  and here
1. item two

| a | b |
| - | - |

```sh
run. This
```
> quoted text.

Setext
======
<div align="center">

    indented code
"""
    assert parts(text) == [
        ("markup", "---\ntitle: Page\n---"),
        ("heading", "# Title"),
        ("prose", "One."),
        ("prose", "Two\ngoes on."),
        ("item", "- item one."),
        ("item", "Still it\n  and here"),
        ("item", "1. item two"),
        ("table", "| a | b |\n| - | - |"),
        ("code", "```sh\nrun. This\n```"),
        ("prose", "> quoted text."),
        ("heading", "Setext\n======"),
        ("markup", '<div align="center">'),
        ("code", "    indented code"),
    ]


def test_lines_are_sentences_where_there_are_no_full_stops() -> None:
    """H12: a transcript by lines goes by lines."""
    lines = ["so we begin with the cache", "and then the queue", "where workers claim jobs", "and write rows"]
    assert parts("\n".join(lines)) == [("prose", line) for line in lines]
    assert parts("a wrapped line\nthat goes on") == [("prose", "a wrapped line\nthat goes on")]
