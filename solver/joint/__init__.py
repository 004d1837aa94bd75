"""Packs of several pages behind one common beginning: the joint program of docs/shared-prefix.md."""
