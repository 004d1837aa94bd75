"""Solver libraries: only modules in here touch one, and they import it when first used."""
