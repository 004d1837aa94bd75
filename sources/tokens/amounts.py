"""Token amounts as people write them: ``8k``, ``128_000``, ``1m``."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Final

from ...models import UsageError

MAX_TOKENS: Final = 2**40
"""The ceiling of the contract's token counts."""

_FACTORS: Final = {"": 1, "k": 1_000, "m": 1_000_000}
_AMOUNT: Final = re.compile(
    r"(?P<number>[0-9]{1,3}(?:,[0-9]{3})+|[0-9]+(?:_[0-9]+)*)(?P<fraction>\.[0-9]+)?(?P<unit>[km]?)",
    re.IGNORECASE | re.ASCII,
)
_ACCEPTED: Final = "use a whole number, with k for thousands or m for millions: 8000, 8k, 128_000, 1m"


def parse_tokens(amount: str | int, *, option: str = "--budget", minimum: int = 1) -> int:
    """Return the tokens that ``amount`` says; ``k`` is 1,000 and ``m`` 1,000,000.

    Raises
    ------
    UsageError
        Names ``option``, the value and what is accepted; also below ``minimum`` or above 2**40.
    """
    tokens = amount if isinstance(amount, int) and not isinstance(amount, bool) else _parse(amount, option)
    if not minimum <= tokens <= MAX_TOKENS:
        raise UsageError(
            f"must be from {minimum} to {MAX_TOKENS} tokens", field=option, value=amount, hint=_ACCEPTED
        )
    return tokens


def _parse(amount: object, option: str) -> int:
    # No tokenizer count has more than 13 digits: a longer text is refused before it is read as a number.
    text = amount.strip() if isinstance(amount, str) else ""
    match = _AMOUNT.fullmatch(text) if len(text) <= 40 else None
    if match is None:
        raise UsageError("is not a number of tokens", field=option, value=amount, hint=_ACCEPTED)
    digits = match["number"].replace(",", "").replace("_", "") + (match["fraction"] or "")
    tokens = Decimal(digits) * _FACTORS[match["unit"].lower()]
    if tokens != tokens.to_integral_value():
        raise UsageError("is not a whole number of tokens", field=option, value=amount, hint=_ACCEPTED)
    return int(tokens)
