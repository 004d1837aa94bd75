"""Rows of a linear program added and taken away."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np

from ..compile import Bools, Ints
from ..linear import UNBOUNDED, Linear, Row

Addition = tuple[Row, Ints, Ints, int]
"""A row ``coefs . x[cols] <= hi``: (row, cols, coefs, hi)."""


def with_rows(linear: Linear, rows: Sequence[Addition]) -> Linear:
    """Return ``linear`` with ``rows`` at its end."""
    sizes = np.array([len(cols) for _, cols, _, _ in rows], dtype=np.int64)
    return dataclasses.replace(
        linear,
        start=np.concatenate([linear.start, linear.start[-1] + np.cumsum(sizes)]).astype(np.int64),
        cols=np.concatenate([linear.cols, *(cols for _, cols, _, _ in rows)]).astype(np.int64),
        coefs=np.concatenate([linear.coefs, *(coefs for _, _, coefs, _ in rows)]).astype(np.int64),
        lo=np.concatenate([linear.lo, np.full(len(rows), -UNBOUNDED, dtype=np.int64)]),
        hi=np.concatenate([linear.hi, np.array([hi for *_, hi in rows], dtype=np.int64)]),
        rows=[*linear.rows, *(row for row, *_ in rows)],
    )


def only_rows(linear: Linear, kept: Bools) -> Linear:
    """Return ``linear`` without the rows that are not ``kept``."""
    sizes = np.diff(linear.start)
    inside = np.repeat(kept, sizes)
    return dataclasses.replace(
        linear,
        start=np.concatenate([[0], np.cumsum(sizes[kept])]).astype(np.int64),
        cols=linear.cols[inside],
        coefs=linear.coefs[inside],
        lo=linear.lo[kept],
        hi=linear.hi[kept],
        rows=[linear.rows[i] for i in np.flatnonzero(kept).tolist()],
    )
