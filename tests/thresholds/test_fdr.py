"""The largest set with an expected proportion of false positives."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bayesvc as bv
from bayesvc.measures import MEASURES
from bayesvc.thresholds import fdr

probabilities = st.lists(st.sampled_from([0.0, 0.2, 0.5, 0.7, 0.9, 0.95, 1.0]), min_size=1)


@given(probabilities.filter(lambda p: len(p) <= 7), st.sampled_from([0.05, 0.1, 0.2, 0.5]))
def test_no_larger_set_of_whole_ties_is_allowed(p, rate):
    p = np.array(p)
    mask = fdr(p, rate).mask
    if mask.any():
        assert (1 - p[mask]).mean() <= rate + 1e-9
        assert p[mask].min() > max(p[~mask], default=-1)
    allowed = [
        k
        for k in range(1, len(p) + 1)
        for chosen in combinations(range(len(p)), k)
        if (1 - p[list(chosen)]).mean() <= rate + 1e-9
        and min(p[list(chosen)]) > max(np.delete(p, chosen), default=-1)
    ]
    assert mask.sum() == max(allowed, default=0)


def test_limit_and_margin_tell_what_decided():
    result = fdr([0.99, 0.9, 0.7, 0.1], 0.1)
    np.testing.assert_allclose(result.threshold, 0.9)
    np.testing.assert_allclose(result.margin, [0.09, 0, -0.2, -0.8])
    nothing = fdr([0.3, 0.2], 0.1)
    assert not nothing.mask.any()
    np.testing.assert_allclose(nothing.threshold, 0.9)


def test_a_selection_says_what_it_bounds():
    counts = np.zeros((2, 10, 30), dtype=int)
    counts[:, :, :2] = 3
    found = bv.select_from(bv.Draws.from_counts(counts), threshold=bv.FDR(0.05))
    assert found.names == ["x0", "x1"]
    assert found.method.threshold == bv.FDR(0.05)
    said = found.explain("x0")
    assert "expected proportion of false positives is at most 0.05" in said
    assert "does not belong" in found.explain("x5")


def test_a_measure_without_probabilities_is_refused():
    counts = np.ones((2, 10, 3), dtype=int)
    with pytest.raises(ValueError, match=r"'vc' is not compatible with threshold 'fdr'"):
        bv.select_from(bv.Draws.from_counts(counts), measure="vc", threshold=bv.FDR())
    assert bv.FDR().incompatibility(MEASURES["mpvip"]) is None


@pytest.mark.parametrize("rate", [0, 1, -0.1, 1.5, float("nan"), "0.1", None])
def test_a_rate_is_between_0_and_1(rate):
    with pytest.raises((ValueError, TypeError), match="`rate` must be"):
        bv.FDR(rate)


@pytest.mark.parametrize("p", [[1.2, 0.5], [-0.1], [float("nan")], []])
def test_what_is_no_probability_is_refused(p):
    with pytest.raises(ValueError, match=r"`probability(\[0\])?` must"):
        fdr(p)
