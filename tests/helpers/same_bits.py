"""Comparison of draws down to the last bit."""

from __future__ import annotations

import bayesvc as bv
from bayesvc.draws.draws import tally_layout


def assert_same_bits(first: bv.Draws, second: bv.Draws) -> None:
    """Assert that all tallies but the seconds are the same, bit by bit."""
    for name in set(tally_layout(0, 0)) - {"seconds"}:
        left, right = getattr(first, name), getattr(second, name)
        assert (left is None) == (right is None), name
        if left is not None:
            assert left.dtype == right.dtype, name
            assert left.tobytes() == right.tobytes(), name
