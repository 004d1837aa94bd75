"""Satchel packs the evidence that a language model needs into the tokens that it is given."""

__version__ = "0.1.0"
