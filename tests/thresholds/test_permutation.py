"""Thresholds that compare with null replicates."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from bayesvc.thresholds import (
    gmax,
    gse,
    local,
    permutation_pvalues,
)
from tests.helpers.thresholds import observed_and_null

PERMUTATION_CUTS = {
    "local": local,
    "gmax": gmax,
    "gse": gse,
    "gse per variable": lambda *given: gse(*given, joint=False),
}


def test_local_and_gmax_worked_out_by_hand():
    null = np.array([[0.0, 4], [1, 3], [2, 2], [3, 1], [4, 5]])
    # Type 7 at 0.9: 0.6 of the way from the 4th to the 5th of 0..4; of 1, 2, 3, 4, 5.
    cut = local([3.7, 4.5], null, alpha=0.1)
    np.testing.assert_allclose(cut.threshold, [3.6, 4.6])
    assert cut.mask.tolist() == [True, False]
    np.testing.assert_allclose(cut.margin, [0.1, -0.1])
    # Row maxima: 4, 3, 2, 3, 5 -> 4.6.
    cut = gmax([4.7, 4.5], null, alpha=0.1)
    np.testing.assert_allclose(cut.threshold, [4.6, 4.6])
    assert cut.mask.tolist() == [True, False]


def test_gse_worked_out_by_hand():
    # Column 0: mean 1, sd 1, scores -1, 0, 1. Column 1: mean 4, sd 2, scores 1, -1, 0.
    null = np.array([[0.0, 6], [1, 2], [2, 4]])
    # Row maxima of the scores: 1, 0, 1. alpha = 0.5: the 2nd smallest, 1. Each column's own: 0.
    assert gse([2.5, 5], null, alpha=0.5).threshold.tolist() == [2, 6]
    assert gse([2.5, 5], null, alpha=0.5).mask.tolist() == [True, False]
    assert gse([2.5, 5], null, alpha=0.5, joint=False).threshold.tolist() == [1, 4]
    assert gse([2.5, 5], null, alpha=0.5, joint=False).mask.tolist() == [True, True]
    # More than 1/3 of 3 is 2 of 3, exactly 1/3 is not enough; above 2/3 all 3 are needed.
    assert gse([2.5, 5], null, alpha=0.7).threshold.tolist() == [1, 4]
    assert gse([2.5, 5], null, alpha=0.3).threshold.tolist() == [2, 6]


def test_gse_ignores_variables_without_spread():
    null = np.full((50, 3), 0.1)  # the mean of fifty times 0.1 is not 0.1
    null[:, 0] = np.arange(50)
    cut = gse([60, 0.1, 0.2], null)
    assert cut.threshold[1:].tolist() == [0.1, 0.1]
    assert cut.mask.tolist() == [True, False, True]
    alone = gse([60], null[:, :1])
    assert cut.threshold[0] == alone.threshold[0], "they have no say in C"


@pytest.mark.parametrize(("alpha", "rank"), [(0.9, 2), (0.05, 10), (0.1, 10), (0.11, 9), (0.3, 8)])
def test_the_level_is_the_decimal_that_was_written(alpha, rank):
    # 1 - 0.9 is a rounding error below 0.1: one of ten would be taken for more than a tenth.
    null = np.arange(1.0, 11)[:, np.newaxis]
    assert gse([1], null, alpha).threshold == pytest.approx(rank)
    eleven = np.arange(1.0, 12)[:, np.newaxis]
    assert not local([2], eleven, alpha=0.9).mask, "the second of eleven is the 10 % quantile"


@pytest.mark.parametrize("cut", PERMUTATION_CUTS.values(), ids=PERMUTATION_CUTS)
def test_equality_and_zero_are_never_selected(cut):
    null = np.full((5, 3), 0.25)
    null[:, 2] = 0
    answer = cut([0.25, 0.5, 0.0], null, 0.05)
    assert answer.mask.tolist() == [False, True, False]
    assert answer.margin[0] == 0
    negative = cut([0.0, 1.0], np.array([[-3.0, -3], [-2, -2], [-1, -1]]), 0.05)
    assert negative.mask.tolist() == [False, True], "all need a measure above 0"
    assert negative.threshold.tolist() == [0, 0]


@settings(deadline=None)
@given(observed_and_null(), st.sampled_from([0.05, 0.1, 0.5]), st.randoms(use_true_random=False))
def test_permuting_columns_permutes_every_permutation_cut(values, alpha, random):
    observed, null = values
    order = random.sample(range(len(observed)), len(observed))
    for name, cut in PERMUTATION_CUTS.items():
        before, after = cut(observed, null, alpha), cut(observed[order], null[:, order], alpha)
        for part in ("mask", "threshold", "margin"):
            expected = getattr(before, part)[order]
            np.testing.assert_array_equal(getattr(after, part), expected, err_msg=name)
    for adjust in (None, "maxt", "bh"):
        expected = permutation_pvalues(observed, null, adjust)[order]
        answer = permutation_pvalues(observed[order], null[:, order], adjust)
        np.testing.assert_array_equal(answer, expected, err_msg=str(adjust))


@settings(deadline=None)
@given(observed_and_null(), st.sampled_from([0.05, 0.1, 0.5]), st.data())
def test_a_larger_measure_stays_selected(values, alpha, data):
    observed, null = values
    j = data.draw(st.integers(0, len(observed) - 1))
    more = observed.copy()
    more[j] += 0.125
    for cut in PERMUTATION_CUTS.values():
        before, after = cut(observed, null, alpha), cut(more, null, alpha)
        assert np.all(after.mask >= before.mask)
        np.testing.assert_array_equal(after.threshold, before.threshold)
    assert np.all(permutation_pvalues(more, null) <= permutation_pvalues(observed, null))


@settings(deadline=None)
@given(observed_and_null(), st.sampled_from([0.05, 0.1, 0.3, 0.5]))
def test_the_order_of_strictness(values, alpha):
    observed, null = values
    # A row's maximum is at least each of its values, so G.Max is never below Local, and the joint
    # C never below that of the variables. Against each other G.SE and G.Max have no order.
    largest, own = gmax(observed, null, alpha), local(observed, null, alpha)
    assert np.all(largest.threshold >= own.threshold - 1e-12)
    assert np.all((largest.margin > 1e-12) <= own.mask)
    joint, single = (gse(observed, null, alpha, joint=joint) for joint in (True, False))
    assert np.all(joint.threshold >= single.threshold)
    assert np.all(joint.mask <= single.mask)


@settings(deadline=None)
@given(observed_and_null(n_permutations=st.sampled_from([10, 20, 50])))
def test_gse_is_stricter_than_local_at_the_usual_levels(values):
    observed, null = values
    # The k-th smallest null value, k = floor(L (1 - alpha)) + 1, is at least the type 7 quantile
    # where the fraction of L (1 - alpha) is at most 1 - alpha, as it is here.
    thresholds = gse(observed, null, joint=False).threshold
    assert np.all(thresholds >= local(observed, null).threshold - 1e-12)


@settings(deadline=None)
@given(observed_and_null(), st.sampled_from([0.05, 0.2, 0.5]))
def test_the_constant_of_gse_is_the_least_that_covers(values, alpha):
    observed, null = values
    mean, sd = null.mean(axis=0), null.std(axis=0, ddof=1)
    varies = np.ptp(null, axis=0) > 0
    assume(varies.any())
    scores = (null[:, varies] - mean[varies]) / sd[varies]
    maxima = scores.max(axis=1)
    joint = min(C for C in maxima if np.mean(maxima <= C) > 1 - alpha + 1e-9)
    own = min(C for C in scores.ravel() if np.all((scores <= C).mean(axis=0) > 1 - alpha + 1e-9))
    for C, given_joint in ((joint, True), (own, False)):
        expected = np.maximum(np.where(varies, mean + C * sd, null[0]), 0)
        answer = gse(observed, null, alpha, joint=given_joint).threshold
        np.testing.assert_allclose(answer, expected, atol=1e-12)
