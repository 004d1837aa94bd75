"""The envelope of seed 000 §3, whose numbers everything above is fitted into."""

from __future__ import annotations

import pytest

from satchel.models import BudgetEnvelope, EnvelopeError

ENVELOPE = {
    "modelId": "provider/model-large-context",
    "maxContextTokens": 128_000,
    "reservedOutputTokens": 10_000,
    "reservedSafetyMarginTokens": 4_000,
    "zones": [
        {"name": name, "minTokens": low, "targetTokens": target, "maxTokens": high, "overflowPolicy": policy}
        for name, low, target, high, policy in (
            ("system", 1200, 2200, 3500, "fail"),
            ("task", 800, 1600, 2500, "fail"),
            ("repo_map", 1500, 4000, 8000, "compress"),
            ("source_evidence", 10_000, 55_000, 85_000, "drop_low_rank"),
            ("examples", 1500, 8000, 15_000, "drop_low_rank"),
            ("existing_docs", 0, 8000, 12_000, "summarize"),
            ("output_contract", 800, 1500, 2500, "fail"),
        )
    ],
}


def test_the_envelope_of_the_seed() -> None:
    """128,000 less 10,000 for the answer and 4,000 of margin are 114,000, stated or computed."""
    assert BudgetEnvelope.from_data(ENVELOPE).available == 114_000
    stated = BudgetEnvelope.from_data({**ENVELOPE, "availableInputTokens": 114_000})
    assert stated.available == 114_000
    assert stated.zones[0].name == "system"
    with pytest.raises(EnvelopeError, match="availableInputTokens"):
        BudgetEnvelope.from_data({**ENVELOPE, "availableInputTokens": 112_000})
