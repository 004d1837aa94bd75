"""Counts by a ``tokenizer.json``: those of the library, bounded on hard texts, safe from panics."""

from __future__ import annotations

import base64
import importlib
import json
import random
import sys
from pathlib import Path
from typing import Any

import pytest

from satchel.models import BackendError, FileError
from satchel.sources.tokens import ApproximateEstimator, HuggingFaceEstimator

tokenizers = importlib.import_module("tokenizers")  # an optional package: the tests declare it


@pytest.fixture(scope="module")
def tokenizer_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A byte-level BPE with special tokens, trained here on a few sentences; it asks for truncation."""
    tokenizer = tokenizers.Tokenizer(tokenizers.models.BPE())
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=400,
        special_tokens=["<|endoftext|>", "<s>"],
        initial_alphabet=tokenizers.pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(
        ["the packer chooses evidence for the page", "tokens of the text"] * 50, trainer
    )
    tokenizer.post_processor = tokenizers.processors.TemplateProcessing(
        single="<s> $A", special_tokens=[("<s>", tokenizer.token_to_id("<s>"))]
    )
    tokenizer.enable_truncation(max_length=8)
    tokenizer.enable_padding(length=8)
    file = tmp_path_factory.mktemp("tokenizer") / "tokenizer.json"
    tokenizer.save(str(file))
    return file


def test_tokenizer_file_counts_as_the_library_does(tokenizer_file: Path) -> None:
    """H10: no hidden window: truncation, padding and begin tokens of the file do not change a count."""
    plain = tokenizers.Tokenizer.from_file(str(tokenizer_file))
    plain.no_truncation()
    plain.no_padding()
    texts = ["the packer chooses evidence", "", "naïve 中文 😀", "the tokens of the page\n" * 40]
    expected = [len(plain.encode(text, add_special_tokens=False).ids) for text in texts]
    estimator = HuggingFaceEstimator(tokenizer_file)
    assert estimator.count_batch(texts) == expected
    assert estimator.estimate(texts[0]).method == "exact"
    assert estimator.estimate(texts[0]).confidence == "high"
    assert estimator.count_batch([]) == []


def test_special_tokens_of_a_tokenizer_file_are_text(tokenizer_file: Path) -> None:
    """D01, D02: the marker is as many tokens as its letters need, not one."""
    estimator = HuggingFaceEstimator(str(tokenizer_file))
    assert estimator.count_batch(["<|endoftext|>"])[0] > 5
    assert estimator.estimate("a \ud800").warnings == ("1 lone surrogate counted as U+FFFD",)
    assert estimator.count_batch(["a \ud800"]) == estimator.count_batch(["a \ufffd"])


def test_identity_is_the_content_of_the_file(tokenizer_file: Path, tmp_path: Path) -> None:
    copy = tmp_path / "other-name.json"
    copy.write_bytes(tokenizer_file.read_bytes())
    name = HuggingFaceEstimator(tokenizer_file).name
    assert HuggingFaceEstimator(copy).name == name
    assert name.startswith(f"tokenizers {tokenizers.__version__}/")
    assert str(tmp_path) not in name


@pytest.mark.parametrize(
    "text",
    [
        "a" * 300_000,
        " " * 300_000,
        "^" * 300_000,
        "x " + base64.b64encode(random.Random(1).randbytes(150_000)).decode() + " y",
    ],
    ids=["letters", "spaces", "carets", "base64"],
)
def test_long_runs_of_a_tokenizer_file_are_bounded(text: str, tokenizer_file: Path) -> None:
    """E01, E02, E04: a long run is counted in pieces: close, and flagged."""
    estimator = HuggingFaceEstimator(tokenizer_file)
    estimate = estimator.estimate(text)
    assert (estimate.method, estimate.confidence) == ("approximate", "medium")
    assert "counted in pieces of 1024" in estimate.warnings[0]
    plain = tokenizers.Tokenizer.from_file(str(tokenizer_file))
    plain.no_truncation()
    true = len(plain.encode(text, add_special_tokens=False).ids)
    assert true * 0.99 <= estimate.token_count <= true + len(text) // 1_024 + 10


def test_huge_texts_get_the_byte_estimate(tokenizer_file: Path) -> None:
    """E03: a 5 MB file of one line is not tokenized at all, and says so."""
    text = "const a=function(b,c){return b+c*x.y.z}; " * 122_000
    estimate = HuggingFaceEstimator(tokenizer_file).estimate(text)
    assert (estimate.method, estimate.confidence) == ("approximate", "low")
    assert estimate.token_count == ApproximateEstimator().count_batch([text])[0]
    assert "byte estimate" in estimate.warnings[0]


class PanicError(BaseException):
    """What a panic of a Rust extension looks like: only ``BaseException`` catches it."""


class Panicking:
    """Wraps a real tokenizer and panics on texts with ``boom``, as old releases did on long runs."""

    def __init__(self, tokenizer: Any) -> None:
        self._tokenizer = tokenizer

    def encode_batch_fast(self, texts: list[str], *, add_special_tokens: bool) -> Any:
        if any("boom" in text for text in texts):
            raise PanicError("index out of bounds")
        return self._tokenizer.encode_batch_fast(texts, add_special_tokens=add_special_tokens)


def test_a_panic_of_the_library_costs_only_its_own_text(
    tokenizer_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """E01: a panic is caught, the text gets the byte estimate, its neighbours keep their counts."""
    estimator = HuggingFaceEstimator(tokenizer_file)
    before = estimator.count_batch(["the page", "tokens"])
    monkeypatch.setattr(estimator, "_tokenizer", Panicking(estimator._tokenizer))
    counts = estimator.count_batch(["the page", "boom", "tokens"])
    assert counts == [before[0], ApproximateEstimator().count_batch(["boom"])[0], before[1]]
    estimate = estimator.estimate("boom")
    assert (estimate.method, estimate.confidence) == ("approximate", "low")
    assert "failed on this text" in estimate.warnings[0]


def test_an_interrupt_is_not_swallowed(tokenizer_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    estimator = HuggingFaceEstimator(tokenizer_file)

    class Interrupted:
        def encode_batch_fast(self, texts: list[str], *, add_special_tokens: bool) -> Any:
            raise KeyboardInterrupt

    monkeypatch.setattr(estimator, "_tokenizer", Interrupted())
    with pytest.raises(KeyboardInterrupt):
        estimator.count_batch(["text"])


@pytest.mark.parametrize("content", [b"", b"not json", b"{}", b'{"version": "1.0"}', b"\xff\xfe\x00"])
def test_a_file_that_is_no_tokenizer_is_refused(content: bytes, tmp_path: Path) -> None:
    file = tmp_path / "tokenizer.json"
    file.write_bytes(content)
    with pytest.raises(FileError, match=r"is not a tokenizer\.json") as caught:
        HuggingFaceEstimator(file)
    assert caught.value.file == str(file)


def test_a_missing_file_and_a_folder_are_refused(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="cannot be read"):
        HuggingFaceEstimator(tmp_path / "missing.json")
    with pytest.raises(FileError, match="cannot be read"):
        HuggingFaceEstimator(tmp_path)


def test_missing_package_names_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    with pytest.raises(BackendError, match=r'pip install "satchel\[tokenizers\]"'):
        HuggingFaceEstimator(tmp_path / "tokenizer.json")


def test_warnings_are_json(tokenizer_file: Path) -> None:
    assert json.dumps(HuggingFaceEstimator(tokenizer_file).estimate("x" * 5_000).warnings)
