"""Codes of short links."""

import secrets

ALPHABET = "abcdefghijkmnpqrstuvwxyz23456789"
"""No letters or digits that look alike."""


def new_code(length: int = 6) -> str:
    """Return a random code of ``length`` characters.

    Raises ValueError for a length below 4: such codes can be guessed.
    """
    if length < 4:
        raise ValueError(f"a code of {length} characters can be guessed")
    return "".join(secrets.choice(ALPHABET) for _ in range(length))


def is_code(text: str) -> bool:
    """Tell whether ``text`` can be a code."""
    return bool(text) and all(char in ALPHABET for char in text)
