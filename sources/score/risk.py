"""What in a text must not leave, or may mislead its reader: secrets, and instructions to a model.

Secrets are replaced by a typed placeholder and the text stays. The patterns are few and precise: each
needs a prefix or a frame that nothing else has, or is a random value given to a name such as
``password`` (:mod:`.assigned`); values that say that they are samples are left.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from typing import Final

from .assigned import assigned, assignments


@dataclass(frozen=True, slots=True)
class Finding:
    """Something found in a text: its rule and its 1-based line."""

    rule: str
    line: int


@dataclass(frozen=True, slots=True)
class _Secret:
    """A pattern, and texts one of which stands in all that it matches: asked first, for speed."""

    rule: str
    hints: tuple[str, ...]
    pattern: re.Pattern[str]


def _secret(rule: str, hints: str, pattern: str) -> _Secret:
    return _Secret(rule, tuple(hints.split("|")), re.compile(pattern))


_SECRETS: Final = (
    _secret(
        "private-key",
        "PRIVATE KEY",
        r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----"
        r"[\s\S]{40,}?(?:-----END (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----|\Z)",
    ),
    _secret("aws-access-key", "AKIA|ASIA", r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b"),
    _secret("github-token", "ghp_|gho_|ghu_|ghs_|ghr_", r"\bgh[pousr]_[A-Za-z0-9]{36,255}\b"),
    _secret("github-token", "github_pat_", r"\bgithub_pat_[A-Za-z0-9_]{60,255}\b"),
    _secret("gitlab-token", "glpat-", r"\bglpat-[A-Za-z0-9_-]{20,}"),
    _secret("slack-token", "xox", r"\bxox[abprs]-[0-9]{6,}-[A-Za-z0-9-]{10,}"),
    _secret(
        "slack-webhook",
        "hooks.slack.com",
        r"https://hooks\.slack\.com/services/T[A-Z0-9]{6,}/B[A-Z0-9]{6,}/[A-Za-z0-9]{20,}",
    ),
    _secret("stripe-key", "k_live_", r"\b[rs]k_live_[A-Za-z0-9]{20,}\b"),
    _secret("google-api-key", "AIza", r"\bAIza[0-9A-Za-z_-]{35}(?![\w-])"),
    _secret("anthropic-key", "sk-ant-", r"\bsk-ant-(?=[A-Za-z_-]{0,60}\d)[A-Za-z0-9_-]{20,}"),
    _secret(
        "openai-key",
        "T3BlbkFJ",
        r"\bsk-(?:proj-|svcacct-|admin-)?[A-Za-z0-9_-]{20,}T3BlbkFJ[A-Za-z0-9_-]{20,}",
    ),
    _secret(
        "openai-key",
        "sk-",
        r"\bsk-(?:(?:proj|svcacct|admin|service|None|or-v1)-(?=[A-Za-z_-]{0,60}\d)[A-Za-z0-9_-]{20,}"
        r"|(?=[A-Za-z]{0,60}\d)(?=[0-9]{0,60}[A-Za-z])[A-Za-z0-9]{32,}(?![\w-]))",
    ),
    _secret("npm-token", "npm_", r"\bnpm_[A-Za-z0-9]{36}\b"),
    _secret("pypi-token", "pypi-AgE", r"\bpypi-AgE[A-Za-z0-9_-]{50,}"),
    _secret("huggingface-token", "hf_", r"\bhf_[A-Za-z0-9]{34}\b"),
    _secret("sendgrid-key", "SG.", r"\bSG\.[A-Za-z0-9_-]{20,24}\.[A-Za-z0-9_-]{40,50}"),
    _secret("json-web-token", "eyJ", r"\beyJ[A-Za-z0-9_-]{17,}\.eyJ[A-Za-z0-9_-]{20,}\.[A-Za-z0-9_-]{20,}"),
    _secret(
        "url-password",
        "://",
        r"://(?P<value>[A-Za-z0-9._~%+-]+:(?![${<%])[^\s:/?#\[\]@\"'<>{}$]{3,})@"
        r"(?!localhost|127\.|0\.0\.0\.0|(?:[\w-]+\.)*(?:example|test|invalid)\b)[\w.-]+",
    ),
)
"""A group called ``value`` is what is replaced; the whole match where there is none."""

_SAMPLE: Final = re.compile(
    r"example|sample|dummy|fake|placeholder|your[-_]?|xxx|test[-_]?key|redacted|change[-_]?(?:me|this|it)|replace[-_]?(?:me|this)|insert[-_]|user:pass|foo:bar"
    r"|username:password|(.)\1{7}|0123456789|abcdefghij|eyJzdWIiOiIxMjM0NTY3ODkw"
    r"|:(?:test|my|a)?(?:%\w\w)?(?:p(?:a(?:%20)?|%40)ss(?:w(?:or)?d)?|secret|foo|bar|baz|foobar)\d{0,3}$",
    re.IGNORECASE,
)
"""Values that say themselves that they are none."""

_SPELLED_OUT: Final = re.compile(
    r"(?i:example|placeholder|redacted|changeme|your[-_ ])|eyJzdWIiOiIxMjM0NTY3ODkw|\.{3}|…|<[^>]*>"
)
"""The same for long random bodies: what base64 does not spell by chance."""

_INJECTION: Final = re.compile(
    r"\b(?:ignore|disregard|forget|override)\s+(?:all\s+|any\s+|the\s+|your\s+|these\s+|of\s+)*"
    r"(?:previous|prior|preceding|above|earlier|former|system)\s+"
    r"(?:instruction|prompt|rule|direction|message)s?\b"
    r"|\byou\s+are\s+now\s+(?:a|an|in|the)\s+(?:\w+\s+){0,3}(?:mode|assistant|ai|model|agent)\b"
    r"|\b(?:reveal|print|output|show|repeat|leak)\s+(?:\w+\s+){0,3}"
    r"(?:system\s+prompt|hidden\s+instructions|credentials)\b"
    r"|\bdo\s+not\s+(?:tell|inform)\s+the\s+user\b"
)
"""Searched in lower-case text."""

_INJECTION_HINTS: Final = (
    *(
        f"{which} {what}"
        for which in ("previous", "prior", "preceding", "above", "earlier", "former", "system")
        for what in ("instruction", "prompt", "rule", "direction", "message")
    ),
    *("you are now", "hidden instructions", "credentials", "tell the user", "inform the user"),
)
"""A text without any of these, white space aside, holds no such passage; asked first, for speed."""


def redact(text: str) -> tuple[str, tuple[Finding, ...]]:
    """Replace every secret by ``[REDACTED:rule]``; line breaks inside it stay, so that lines still count.

    Returns
    -------
    The text, and one finding for each secret, by line.
    """
    findings: list[Finding] = []
    for secret in _SECRETS:
        if _has_any(text, secret.hints):
            text = secret.pattern.sub(partial(_replaced, secret.rule, findings), text)
    text = _without_assigned(text, findings)
    return text, tuple(sorted(findings, key=lambda finding: (finding.line, finding.rule)))


def _has_any(text: str, parts: Iterable[str]) -> bool:
    # A loop: a generator expression takes longer than the search.
    for part in parts:  # noqa: SIM110
        if part in text:
            return True
    return False


def _replaced(rule: str, findings: list[Finding], found: re.Match[str]) -> str:
    value = found["value"] if "value" in found.re.groupindex else found.group()
    # A long random body holds by chance what a sample says on purpose, and every unencrypted OpenSSH key
    # holds a run of A: there, only words that chance does not write count.
    sample = _SPELLED_OUT if rule in ("private-key", "json-web-token") else _SAMPLE
    if sample.search(value):
        return found.group()
    findings.append(Finding(rule, found.string.count("\n", 0, found.start()) + 1))
    return found.group().replace(value, f"[REDACTED:{rule}]" + "\n" * value.count("\n"), 1)


def _without_assigned(text: str, findings: list[Finding]) -> str:
    parts: list[str] = []
    done = 0
    for found in assignments(text):
        secret = assigned(found)
        if secret is None or _SAMPLE.search(text, secret[1], secret[2]):
            continue
        rule, start, end = secret
        findings.append(Finding(rule, text.count("\n", 0, found.start()) + 1))
        parts += (text[done:start], f"[REDACTED:{rule}]")
        done = end
    return "".join((*parts, text[done:])) if parts else text


def injections(text: str) -> tuple[Finding, ...]:
    """Return where a text speaks to a model instead of about the project, by line."""
    lower = text.lower()
    plain = " ".join(lower.split())
    if not _has_any(plain, _INJECTION_HINTS):
        return ()
    return tuple(
        Finding("prompt-injection", lower.count("\n", 0, found.start()) + 1)
        for found in _INJECTION.finditer(lower)
    )
