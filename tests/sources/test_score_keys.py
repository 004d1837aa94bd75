"""Private keys never leave, whatever their base64 happens to spell (J01, J06)."""

from __future__ import annotations

import base64
import random

import pytest

from satchel.sources.score.risk import redact


def pem(body: bytes, kind: str) -> str:
    text = base64.b64encode(body).decode()
    lines = "\n".join(text[i : i + 70] for i in range(0, len(text), 70))
    return f"-----BEGIN {kind} PRIVATE KEY-----\n{lines}\n-----END {kind} PRIVATE KEY-----\n"


def test_an_openssh_key_with_its_run_of_zeros_is_replaced() -> None:
    body = b"openssh-key-v1\0" + b"\0" * 24 + random.Random(1).randbytes(200)
    text, findings = redact("before\n" + pem(body, "OPENSSH") + "after\n")
    assert [finding.rule for finding in findings] == ["private-key"]
    assert base64.b64encode(body).decode()[80:120] not in text.replace("\n", "")
    assert text.startswith("before\n[REDACTED:private-key]")
    assert text.endswith("after\n")


@pytest.mark.parametrize("seed", range(200))
def test_every_random_key_is_replaced(seed: int) -> None:
    body = random.Random(seed).randbytes(1200)
    text, findings = redact(pem(body, "RSA"))
    assert len(findings) == 1
    assert "REDACTED" in text


def test_a_key_that_spells_out_that_it_is_none_stays() -> None:
    sample = (
        "-----BEGIN RSA PRIVATE KEY-----\n" + "your-key-goes-here " * 4 + "\n-----END RSA PRIVATE KEY-----\n"
    )
    assert redact(sample) == (sample, ())
