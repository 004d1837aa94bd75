"""What in a text must not leave, or may mislead its reader: secrets, and instructions to a model.

Secrets are replaced by a typed placeholder and the text stays. The patterns are few and precise: each
needs a prefix or a frame that nothing else has, and values that say that they are samples are left.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final


@dataclass(frozen=True, slots=True)
class Finding:
    """Something found in a text: its rule and its 1-based line."""

    rule: str
    line: int


_SECRETS: Final[Mapping[str, re.Pattern[str]]] = MappingProxyType(
    {
        "private-key": re.compile(
            r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----"
            r"[\s\S]{40,}?(?:-----END (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----|\Z)"
        ),
        "aws-access-key": re.compile(r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b"),
        "github-token": re.compile(r"\b(?:gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_[A-Za-z0-9_]{60,255})\b"),
        "gitlab-token": re.compile(r"\bglpat-[A-Za-z0-9_-]{20,}\b"),
        "slack-token": re.compile(r"\bxox[abprs]-[0-9]{6,}-[A-Za-z0-9-]{10,}"),
        "slack-webhook": re.compile(
            r"https://hooks\.slack\.com/services/T[A-Z0-9]{6,}/B[A-Z0-9]{6,}/[A-Za-z0-9]{20,}"
        ),
        "stripe-key": re.compile(r"\b[rs]k_live_[A-Za-z0-9]{20,}\b"),
        "google-api-key": re.compile(r"\bAIza[0-9A-Za-z_-]{35}\b"),
        "anthropic-key": re.compile(r"\bsk-ant-[A-Za-z0-9]{3,}-[A-Za-z0-9_-]{32,}"),
        "openai-key": re.compile(r"\bsk-(?:proj-|svcacct-)?[A-Za-z0-9_-]{20,}T3BlbkFJ[A-Za-z0-9_-]{20,}"),
        "npm-token": re.compile(r"\bnpm_[A-Za-z0-9]{36}\b"),
        "pypi-token": re.compile(r"\bpypi-AgE[A-Za-z0-9_-]{50,}"),
        "huggingface-token": re.compile(r"\bhf_[A-Za-z0-9]{34}\b"),
        "sendgrid-key": re.compile(r"\bSG\.[A-Za-z0-9_-]{20,24}\.[A-Za-z0-9_-]{40,50}\b"),
        "json-web-token": re.compile(r"\beyJ[A-Za-z0-9_-]{17,}\.eyJ[A-Za-z0-9_-]{20,}\.[A-Za-z0-9_-]{20,}"),
        "url-password": re.compile(
            r"(?<=://)[A-Za-z0-9._~%-]+:(?!\$|\{|<|%[({s])[^\s:/?#\[\]@\"'<>{}$]{3,}(?=@[A-Za-z0-9.-]+)"
        ),
    }
)

_HINTS: Final = re.compile(
    r"PRIVATE KEY|AKIA|ASIA|gh[pousr]_|github_pat_|glpat-|xox[abprs]-|hooks\.slack|k_live_|AIza|sk-|npm_"
    r"|pypi-AgE|hf_|SG\.|eyJ|://[^\s/@]+:[^\s/@]+@"
)
"""A text without any of these holds no secret; asked first, for speed."""

_SAMPLE: Final = re.compile(
    r"example|sample|dummy|fake|placeholder|your[-_]?|xxx|test[-_]?key|redacted|changeme|user:pass|foo:bar"
    r"|username:password|(.)\1{7}|0123456789|abcdefghij",
    re.IGNORECASE,
)
"""Values that say themselves that they are none."""

_INJECTION: Final = re.compile(
    r"\b(?:ignore|disregard|forget|override)\s+(?:all\s+|any\s+|the\s+|your\s+|these\s+|of\s+)*"
    r"(?:previous|prior|preceding|above|earlier|former|system)\s+(?:instruction|prompt|rule|direction|message|context)s?"
    r"|\byou\s+are\s+now\s+(?:a|an|in|the)\s+(?:\w+\s+){0,3}(?:mode|assistant|ai|model|agent)\b"
    r"|\b(?:reveal|print|output|show|repeat|leak)\s+(?:\w+\s+){0,3}(?:system\s+prompt|hidden\s+instructions|credentials|secrets)\b"
    r"|\bdo\s+not\s+(?:tell|inform|mention\s+(?:this\s+)?to)\s+the\s+user\b"
    r"|<\|(?:im_start|system|im_end)\|>\s*(?:system|assistant)?",
    re.IGNORECASE,
)
_INJECTION_HINTS: Final = re.compile(
    r"previous|prior|preceding|above|earlier|former|system|you are now|credentials|secrets|tell the user"
    r"|inform the user|mention|im_start|hidden",
    re.IGNORECASE,
)


def redact(text: str) -> tuple[str, tuple[Finding, ...]]:
    """Replace every secret by ``[REDACTED:rule]``; line breaks inside it stay, so that lines still count.

    Returns
    -------
    The text, and one finding for each secret, by line.
    """
    if not _HINTS.search(text):
        return text, ()
    findings: list[Finding] = []

    def replaced(rule: str, found: re.Match[str]) -> str:
        value = found.group()
        if _SAMPLE.search(value):
            return value
        findings.append(Finding(rule, text.count("\n", 0, found.start()) + 1))
        return f"[REDACTED:{rule}]" + "\n" * value.count("\n")

    out = text
    for rule, pattern in _SECRETS.items():
        out = pattern.sub(lambda found, rule=rule: replaced(rule, found), out)  # type: ignore[misc]
    return out, tuple(sorted(findings, key=lambda finding: (finding.line, finding.rule)))


def injections(text: str) -> tuple[Finding, ...]:
    """Return where a text speaks to a model instead of about the project, by line."""
    if not _INJECTION_HINTS.search(text):
        return ()
    return tuple(
        Finding("prompt-injection", text.count("\n", 0, found.start()) + 1)
        for found in _INJECTION.finditer(text)
    )
