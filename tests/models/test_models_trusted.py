"""Records built without validation are what validation would have made."""

from __future__ import annotations

from satchel.models import ContextUnit, Rendering, SourceRef, State

REF = {"path": "a.py", "start_line": 1, "end_line": 2}


def test_a_trusted_record_is_the_validated_one_to_the_byte() -> None:
    for model, values in (
        (SourceRef, REF),
        (
            Rendering,
            {"state": State.SYMBOLIZED, "text": "f", "fidelity": 0.5, "source_refs": (SourceRef(**REF),)},
        ),
        (ContextUnit, {"id": "a", "text": "x", "tags": ("t",), "coverage": {}}),
    ):
        built, checked = model.trusted(**values), model(**values)
        assert built == checked
        assert built.to_json() == checked.to_json()
        assert built.model_fields_set == checked.model_fields_set
        assert built.model_copy(update={}) == checked


def test_fields_are_written_in_their_order_whatever_order_they_come_in() -> None:
    one = SourceRef.trusted(end_line=2, path="a.py", start_line=1)
    assert one.to_json() == SourceRef(**REF).to_json()


def test_a_trusted_record_is_frozen_and_shares_nothing_that_changes() -> None:
    one, two = (ContextUnit.trusted(id=name, text="", coverage={}) for name in "ab")
    assert one.coverage is not two.coverage
    assert one.model_fields_set is not two.model_fields_set
