"""Summaries: what they quote, what they mark as left out, and what they promise on any text."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from satchel.models import UsageError
from satchel.sources.extract import Document, default_registry
from satchel.sources.score.risk import redact
from satchel.sources.score.words import query_terms
from satchel.sources.textrank import Summary, SummaryOptions, summarise_code, summarise_prose
from satchel.sources.tokens.exact import ExactEstimator

GUIDE = """# The cache

The cache keeps a summary of every file. A worker makes the summary of a file when the file has changed.
Lunch is at noon.

- The queue tells a worker which file to read.
- Birds sing.

The command line reads the summary from the cache and never waits for a worker.
"""

GOLDEN = {
    "English": (
        GUIDE,
        (
            "# The cache\n… lines 3-7 of 9 left out\n"
            "The command line reads the summary from the cache and never waits for a worker."
        ),
    ),
    "Indonesian": (
        (
            "Cache menyimpan ringkasan berkas. Pekerja membuat ringkasan berkas dari antrean. "
            "Hari ini hujan. Antrean memberi tahu pekerja berkas mana yang berubah."
        ),
        (
            "… Pekerja membuat ringkasan berkas dari antrean. … "
            "Antrean memberi tahu pekerja berkas mana yang berubah."
        ),
    ),
    "German": (
        (
            "Der Speicher hält z. B. Zusammenfassungen von Dateien. Am 3. Mai regnete es. "
            "Ein Arbeiter schreibt Zusammenfassungen von Dateien in den Speicher. Vögel singen laut."
        ),
        (
            "Der Speicher hält z. B. Zusammenfassungen von Dateien. … Ein Arbeiter schreibt "
            "Zusammenfassungen von Dateien in den Speicher. …"
        ),
    ),
    "Chinese": (
        "缓存保存每个文件的摘要。今天天气很好。文件更改后，工作进程更新缓存中的摘要。我们喝茶。",
        "缓存保存每个文件的摘要。 … 文件更改后，工作进程更新缓存中的摘要。 …",
    ),
    "Hindi": (
        "कैश हर फ़ाइल का सारांश रखता है। आज बारिश हुई। कार्यकर्ता कैश में फ़ाइल का सारांश लिखता है।",
        "कैश हर फ़ाइल का सारांश रखता है। … कार्यकर्ता कैश में फ़ाइल का सारांश लिखता है।",
    ),
    "Arabic": (
        "يحفظ المخزن ملخص كل ملف. السماء زرقاء اليوم. يكتب العامل ملخص كل ملف في المخزن!",
        "يحفظ المخزن ملخص كل ملف. … يكتب العامل ملخص كل ملف في المخزن!",
    ),
}


@pytest.mark.parametrize("language", GOLDEN)
def test_golden(language: str) -> None:
    text, expected = GOLDEN[language]
    assert summarise_prose(text, SummaryOptions(sentences=2)).text == expected


MODULE = '''"""Keep summaries in a store. The store is one file."""

import os

LIMIT = 10


class Store:
    """A store of summaries, by path."""

    def get(self, path: str) -> str:
        """Return the summary of a path.

        Raises
        ------
        KeyError
            There is none.
        """
        # A summary of an older file is never served for the path.
        value = self.rows[path]
        return value


def _hidden(x):
    # noqa: X1
    return x  # nothing


@decorated
def warm(
    store: Store,
    paths: list[str],
) -> None:
    """Make the summary of each path and put it into the store."""
    for path in paths:
        os.stat(path)
'''


def test_code_is_summarised_by_what_says_interface_and_logic() -> None:
    document = Document("store.py", MODULE, "source", "python")
    fragments = default_registry().extract(document).fragments
    assert summarise_code(document, fragments, SummaryOptions(sentences=9)).text == (
        "Keep summaries in a store. …\n"
        "… line 3 of 36 left out\n"
        "LIMIT = 10\n"
        "class Store:\n"
        "A store of summaries, by path.\n"
        "    def get(self, path: str) -> str:\n"
        "… 12-17 left out\n"
        "A summary of an older file is never served for the path.\n"
        "… 20-21 left out\n"
        "def _hidden(x):\n"
        "    # noqa: X1\n"
        "… 26 left out\n"
        "@decorated\n"
        "def warm(\n"
        "    store: Store,\n"
        "    paths: list[str],\n"
        ") -> None:\n"
        "… 34-36 left out"
    )


def test_a_comment_brings_the_signature_that_it_is_about() -> None:
    text = (
        "package a\n\n// Add sums two numbers of any size.\nfunc Add(a, b int) int {\n\treturn a + b\n}\n"
        + "\n".join(f"func F{n}() {{\n\tcall()\n}}\n" for n in range(40))
    )
    document = Document("a.go", text, "source", "go")
    fragments = default_registry().extract(document).fragments
    said = summarise_code(document, fragments, SummaryOptions(sentences=2, position=50.0))
    assert said.text.startswith(
        "… line 1 of 165 left out\nAdd sums two numbers of any size.\nfunc Add(a, b int) int {\n… 5-"
    )


def test_code_without_a_word_gives_lines() -> None:
    document = Document("a.lua", "x = 1\n", "source", "lua")
    summary = summarise_code(document, default_registry().extract(document).fragments)
    assert summary.text == "x = 1"
    assert summarise_code(document, ()) == Summary()


MARK = re.compile(r"^\s*… (?:lines? )?(\d+)(?:-(\d+))?(?: of \d+)? left out$", re.MULTILINE)
BUDGETS = st.builds(
    SummaryOptions,
    sentences=st.none() | st.integers(1, 6),
    chars=st.none() | st.integers(1, 300),
    position=st.sampled_from([0.0, 1.0]),
)
LIKE_TEXT = st.text(max_size=400) | st.lists(
    st.sampled_from(
        [
            *GUIDE.split("\n"),
            "```",
            "| a | b |",
            "    code",
            "Title",
            "====",
            "。終わり。",
            "* x",
            "\f",
            "> q",
        ]
    ),
    max_size=25,
).map("\n".join)


@given(LIKE_TEXT, BUDGETS)
@settings(max_examples=200)
def test_promises_on_any_text(text: str, options: SummaryOptions) -> None:
    """B01, B08, B17: never empty, whole quotes in order, exact marks; each line is shown or marked."""
    summary = summarise_prose(text, options)
    document = Document("", text)
    lines = document.lines
    assert bool(summary.text.strip()) == bool(text.strip("\n").strip())
    at = 0
    for quote in summary.quotes:
        stands = "\n".join(lines[quote.span.start - 1 : quote.span.end])
        assert quote.text in stands
        at = summary.text.index(quote.text, at) + len(quote.text)
    if summary.fits:
        assert len(summary.quotes) <= (options.sentences or 5 if options.chars is None else 99)
        assert options.sentences is None or len(summary.quotes) <= options.sentences
        assert options.chars is None or len(summary.text) <= options.chars
    else:
        assert len(summary.quotes) <= 1
    if "left out" not in text:
        marked = {n for a, b in MARK.findall(summary.text) for n in range(int(a), int(b or a) + 1)}
        shown = {n for span in summary.spans for n in range(span.start, span.end + 1)}
        assert not marked & shown
        silent = {n for n, line in enumerate(lines, 1) if re.fullmatch(r"[\W_]*", line)}
        assert not summary.quotes or marked | shown | silent == set(range(1, len(lines) + 1))


def test_limits_hold_in_tokens_too() -> None:
    """A10: marks are counted with the text."""
    count = lambda text: ExactEstimator().count_batch([text])[0]  # noqa: E731
    for limit in (30, 45, 60, 80):
        summary = summarise_prose(GUIDE, SummaryOptions(tokens=limit, counter=count))
        assert summary.fits
        assert count(summary.text) <= limit
    least = summarise_prose(GUIDE, SummaryOptions(tokens=1, counter=count))
    assert least.text
    assert not least.fits


@pytest.mark.parametrize(
    ("text", "quotes"), [("", 0), (" \n\n", 0), ("One", 1), ("One sentence.", 1), ("...", 1)]
)
def test_little_text(text: str, quotes: int) -> None:
    """H09: an empty text has an empty summary; any other has one."""
    summary = summarise_prose(text)
    assert len(summary.quotes) == quotes
    assert summary.text == text.strip()


def test_of_a_long_table_alone_the_first_row_stands() -> None:
    """B17: of a block that is too long, and all there is: a whole line, and a mark for the rest."""
    summary = summarise_prose("| path | hash |\n" * 500, SummaryOptions(chars=100))
    assert summary.text == "| path | hash |\n… lines 2-500 of 500 left out"
    assert summary.fits
    assert not summarise_prose("| path | hash |\n" * 500, SummaryOptions(chars=20)).fits
    fenced = summarise_prose("```\nmake cache\n" + "make rows\n" * 90 + "```", SummaryOptions(chars=80))
    assert fenced.text == "make cache\n… lines 3-92 of 93 left out"


def test_a_question_and_the_beginning_pull() -> None:
    text = " ".join(
        f"The {word} is kept in the store." for word in ("cache", "queue", "lease", "watcher", "worker")
    )
    one = SummaryOptions(sentences=1, position=0.0)
    assert "lease" in summarise_prose(text, SummaryOptions(sentences=1, query=query_terms("the lease"))).text
    assert summarise_prose(text, one).text.startswith("The cache")  # all alike: the first
    assert summarise_prose(text, SummaryOptions(sentences=1, position=9.0)).text.startswith("The cache")


def test_the_same_sentence_is_not_said_twice() -> None:
    text = "The cache keeps summaries. " * 4 + "The queue feeds the workers of the cache."
    quotes = summarise_prose(text, SummaryOptions(sentences=3)).quotes
    assert [quote.text for quote in quotes] == [
        "The cache keeps summaries.",
        "The queue feeds the workers of the cache.",
    ]


@pytest.mark.parametrize("limits", [{"sentences": 0}, {"chars": -1}, {"tokens": 5}])
def test_limits_that_are_none(limits: dict[str, int]) -> None:
    with pytest.raises(UsageError):
        SummaryOptions(**limits)  # type: ignore[arg-type]


def test_a_summary_is_made_of_redacted_text() -> None:
    """J07: a summary quotes what it is given, and what is given has no secret in it."""
    key = "AKIA" + "Q7RZ2MXW5TNB4KDS"
    text = f"The cache uses the key {key} for the store. The store needs the key of the cache."
    clean, findings = redact(text)
    summary = summarise_prose(clean)
    assert findings
    assert key not in summary.text
    assert "[REDACTED:aws-access-key]" in summary.text


def test_a_fresh_process_with_another_hash_seed_says_the_same() -> None:
    script = (
        "import sys; from satchel.sources.textrank import summarise_prose, SummaryOptions as O;"
        "s = summarise_prose(sys.stdin.read(), O(sentences=4)); print([(q.text, q.score) for q in s.quotes])"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", script],
            input=GUIDE * 5,
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONIOENCODING": "utf-8"},
        ).stdout
        for seed in ("0", "1", "77")
    }
    assert len(outputs) == 1
