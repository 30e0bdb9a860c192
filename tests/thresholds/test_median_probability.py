"""The median probability threshold."""

from __future__ import annotations

import numpy as np
import pytest

from bayesvc.thresholds import (
    median_probability,
)


def test_median_probability():
    answer = median_probability([0.0, 0.49, 0.5, 1.0])
    assert answer.mask.tolist() == [False, False, True, True]
    np.testing.assert_allclose(answer.margin, [-0.5, -0.01, 0, 0.5])
    assert median_probability([0.0, 0.49, 0.5, 1.0], at=1).mask.tolist() == [0, 0, 0, 1]


@pytest.mark.parametrize(
    ("probabilities", "selected"),
    [
        ([0.1, 0.3, 0.2], [0, 1, 0]),
        ([0.3, 0.3, 0.2], [1, 1, 0]),
        ([0.6, 0.3, 0.5], [1, 0, 1]),
        ([0.0, 0.0, 0.0], [0, 0, 0]),
        ([0.5 - 1e-13, 0.4, 0.1], [1, 0, 0]),
    ],
)
def test_at_least_one_is_the_most_probable(probabilities, selected):
    answer = median_probability(probabilities, at_least_one=True)
    assert answer.mask.tolist() == selected
    assert ((answer.margin >= 0) == answer.mask).all()


def test_median_probability_forgives_rounding():
    mean = (0.6 + 0.7 + 0.2) / 3
    assert mean < 0.5, "although it is the mean of 6, 7 and 2 tenths"
    assert median_probability([mean, 0.5 - 1e-6]).mask.tolist() == [True, False]
