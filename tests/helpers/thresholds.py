"""Observed importances and those of null replicates, for tests of thresholds."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

# Multiples of 1/8 are exact, so that only the rules decide on ties.
EIGHTHS = st.integers(0, 16).map(lambda i: i / 8)


NUMBERS_OF_PERMUTATIONS = st.integers(2, 24)


@st.composite
def observed_and_null(draw, n_permutations=NUMBERS_OF_PERMUTATIONS):
    p = draw(st.integers(1, 6))
    return (
        draw(arrays(np.float64, p, elements=EIGHTHS)),
        draw(arrays(np.float64, (draw(n_permutations), p), elements=EIGHTHS)),
    )
