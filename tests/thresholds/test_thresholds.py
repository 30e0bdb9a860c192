from __future__ import annotations

import math
import re

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats
from scipy.cluster.hierarchy import dendrogram, linkage

from bayesvc import _validation, measures
from bayesvc.thresholds import (
    clustering,
    clusters,
    gmax,
    gse,
    local,
    median_probability,
    permutation_pvalues,
)
from bayesvc.thresholds._linkage import average_linkage, last_split

# Short chains: what their notes warn of is not the subject here.
pytestmark = pytest.mark.filterwarnings("ignore::bayesvc.exceptions.BayesvcWarning")

PERMUTATION_CUTS = {
    "local": local,
    "gmax": gmax,
    "gse": gse,
    "gse per variable": lambda *given: gse(*given, joint=False),
}
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


# ---- permutation thresholds ------------------------------------------------------


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


# ---- median probability ----------------------------------------------------------


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


# ---- p-values --------------------------------------------------------------------


def brute_force_maxt(observed, null):
    """Step-down maxT from its definition, with loops."""
    rows = np.vstack([observed, null])
    varies = np.ptp(rows, axis=0) > 0
    sd = np.where(varies, rows.std(axis=0, ddof=1), 1)
    scores = np.where(varies, (rows - rows.mean(axis=0)) / sd, -np.inf)
    order = sorted(range(len(observed)), key=lambda j: -scores[0, j])
    pvalues, last = np.empty(len(observed)), 0.0
    for place, j in enumerate(order):
        maxima = [max(row[i] for i in order[place:]) for row in scores[1:]]
        count = sum(top >= scores[0, j] - 1e-9 for top in maxima)
        last = pvalues[j] = max(last, (1 + count) / (len(null) + 1))
    return pvalues


def brute_force_bh(observed, null):
    rows = np.vstack([observed, null])
    varies = np.ptp(rows, axis=0) > 0
    scores = (rows - rows.mean(axis=0))[:, varies] / rows.std(axis=0, ddof=1)[varies]
    pool = scores[1:].ravel()
    raw = np.ones(len(observed))
    raw[varies] = [(1 + np.sum(pool >= z - 1e-9)) / (1 + pool.size) for z in scores[0]]
    p = len(raw)
    return [
        min([1, *(raw[i] * p / np.sum(raw <= raw[i]) for i in range(p) if raw[i] >= raw[j])])
        for j in range(p)
    ]


def test_pvalues_worked_out_by_hand():
    null = np.array([[1.0, 0], [2, 0], [3, 0]])
    assert permutation_pvalues([2.0, 0], null).tolist() == [0.75, 1]
    assert permutation_pvalues([4.0, 1], null).tolist() == [0.25, 0.25]
    # Scores of the second variable in the three rows are all below: -0.5 against 1.16 and 1.5.
    assert permutation_pvalues([4.0, 1], null, "maxt").tolist() == [0.25, 0.25]
    assert permutation_pvalues([4.0, 1], null, "bh").tolist() == pytest.approx([1 / 7, 1 / 7])


@settings(deadline=None)
@given(observed_and_null())
def test_adjusted_pvalues_against_their_definitions(values):
    np.testing.assert_allclose(permutation_pvalues(*values, "maxt"), brute_force_maxt(*values))
    if np.ptp(np.vstack(values), axis=0).any():
        np.testing.assert_allclose(permutation_pvalues(*values, "bh"), brute_force_bh(*values))


@settings(deadline=None)
@given(observed_and_null())
def test_bounds_of_pvalues(values):
    observed, null = values
    plain, maxt, bh = (permutation_pvalues(*values, adjust) for adjust in (None, "maxt", "bh"))
    least = 1 / (len(null) + 1)
    assert np.all((plain >= least) & (plain <= 1))
    assert np.all(maxt >= plain), "adjustment never lowers a p-value"
    assert np.all((bh > 0) & (bh <= 1))
    unused = (observed == 0) & (null == 0).all(axis=0)
    for pvalues in (plain, maxt, bh):
        assert np.all(pvalues[unused] == 1), "never split on"


def test_pooling_goes_below_what_fifty_permutations_can_say(rng):
    null = rng.gamma(2, size=(50, 200))
    observed = np.append(rng.gamma(2, size=199), 40.0)
    assert permutation_pvalues(observed, null)[-1] == 1 / 51
    assert permutation_pvalues(observed, null, "maxt")[-1] == 1 / 51
    assert permutation_pvalues(observed, null, "bh")[-1] == pytest.approx(200 / 10_001)


def test_pvalues_are_uniform_under_the_null(rng):
    """False-alarm rate 0.001: chi-square test of 4,000 p-values on 20 equally likely values."""
    rows = rng.gamma(0.5, size=(20, 4000))
    pvalues = permutation_pvalues(rows[0], rows[1:])
    counts = np.bincount(np.rint(pvalues * 20).astype(int), minlength=21)[1:]
    assert stats.chisquare(counts).pvalue > 0.001


@pytest.mark.parametrize(("adjust", "level"), [("maxt", 0.05), ("maxt", 0.2), ("bh", 0.2)])
def test_the_family_wise_error_rate_under_the_null(rng, adjust, level):
    """False-alarm rate 0.001: binomial test of 2,000 families of 8 correlated variables."""
    n_families = 2000
    errors = 0
    for _ in range(n_families):
        rows = rng.gamma(1.0, size=(20, 8)) + rng.gamma(1.0, size=(20, 1))
        errors += permutation_pvalues(rows[0], rows[1:], adjust).min() <= level + 1e-12
    # maxT is exact here; the pooled p-values of BH promise no more than the level.
    side = "two-sided" if adjust == "maxt" else "greater"
    assert stats.binomtest(errors, n_families, level, alternative=side).pvalue > 0.001


# ---- clustering ------------------------------------------------------------------


def feature_matrix(rng, p=30, relevant=4, n_fits=5):
    counts = rng.poisson(0.3, size=(n_fits, p)) / 7
    counts[:, :relevant] += rng.uniform(3, 9, size=relevant)
    return measures.vc_measure(type("Draws", (), {"vc": counts}))


def cluster_all_rows(Z, ddof=0):
    """The paper's pseudo code, row by row, with scipy alone."""
    logs = np.log1p(Z)
    full = linkage((logs - logs.mean(axis=0)) / logs.std(axis=0, ddof=ddof), method="average")
    second = last_split(full)
    return second if Z[second, 0].mean() > Z[~second, 0].mean() else ~second


def test_clustering_worked_out_by_hand():
    # One column: 10 and 9 against 0, 1, 2, whose mean distance is 8.5.
    split = clusters([[10.0], [1], [9], [0], [2]], transform=False)
    assert split.mask.tolist() == [True, False, True, False, False]
    assert split.heights.tolist() == [1, 1, 1.5, 8.5]
    assert split.threshold.tolist() == [5.5] * 5
    assert split.margin.tolist() == [8, -8, 7, -9, -7]
    assert split.separation == pytest.approx(1 - 1.5 / 8.5)
    assert clustering([10.0, 1, 9, 0, 2], False, keep="low").tolist() == [0, 1, 0, 1, 1]


@pytest.mark.parametrize("ddof", [0, 1])
def test_merged_rows_select_what_all_rows_select(rng, ddof):
    for _ in range(20):
        Z = feature_matrix(rng, p=60)
        assert len(np.unique(Z, axis=0)) < 60, "some variables are alike"
        np.testing.assert_array_equal(clustering(Z), cluster_all_rows(Z, ddof))


def test_a_hundred_thousand_variables_most_of_them_never_split_on(rng, monkeypatch):
    few = feature_matrix(rng, p=300)
    p = 100_000
    counts = np.zeros((10, p))
    place = rng.permutation(p)[:300]
    counts[:, place] = rng.poisson(0.3, size=(10, 300)) / 7
    counts[:, place[:4]] += rng.uniform(3, 9, size=4)
    draws = type("Draws", (), {"vc": counts})
    monkeypatch.setattr(_validation, "available_memory", lambda: 50_000_000)
    clustered = []

    def linked(points, sizes):
        clustered.append(len(points))
        return average_linkage(points, sizes)

    monkeypatch.setattr("bayesvc.thresholds._clustering.average_linkage", linked)
    mask = clustering(measures.vc_measure(draws))
    assert sorted(np.flatnonzero(mask)) == sorted(place[:4])
    assert len(clustered) == 1
    assert clustered[0] <= 300 + 1, "variables never split on are one point"
    assert clustering(few).sum() == 4


def test_a_mean_rank_of_many_distinct_values_needs_no_matrix(rng, monkeypatch):
    monkeypatch.setattr(_validation, "available_memory", lambda: 0)
    ranks = np.append(rng.uniform(1, 10, size=5), rng.uniform(5000, 9000, size=9995))
    assert clustering(ranks, transform=False, keep="low").nonzero()[0].tolist() == [0, 1, 2, 3, 4]


def test_too_many_distinct_rows_are_refused(rng, monkeypatch):
    monkeypatch.setattr(_validation, "available_memory", lambda: 100_000)
    with pytest.raises(MemoryError, match=r"1,000 distinct variables needs.*screen"):
        clustering(rng.uniform(size=(1000, 4)))


@pytest.mark.parametrize("p", [1, 2, 50])
@pytest.mark.parametrize("transform", [True, False])
def test_equal_counts_select_nothing(p, transform):
    Z = np.tile([0.1, 0.1, (p + 1) / 2, (p + 1) / 2], (p, 1))
    split = clusters(Z, transform)
    assert split.mask.tolist() == [p == 1] * p, "a single variable that was split on is kept"
    assert np.isnan(split.margin).all()
    assert math.isnan(split.separation)
    Z[:, :2] = 0
    assert not clustering(Z, transform).any()


def test_two_variables():
    assert clustering([[3.0, 3, 1, 1], [1, 1, 2, 2]]).tolist() == [True, False]
    assert clustering([1.0, 2], transform=False, keep="low").tolist() == [True, False]


def test_clusters_alike_in_the_first_column_select_nothing():
    Z = [[2.0, 5], [2, 5], [2, 1]]
    split = clusters(Z)
    assert not split.mask.any()
    assert len(split.tree) == 1
    assert clustering([[0.1, 5]] * 3 + [[0.1, 1]] * 7).sum() == 0, "means of 0.1 that round"


def test_a_constant_column_and_a_weight_of_zero_contribute_nothing(rng):
    Z = feature_matrix(rng)
    expected = clustering(Z)
    np.testing.assert_array_equal(clustering(np.column_stack([Z, np.full(30, 0.1)])), expected)
    noise = 1000 * rng.uniform(size=30)
    with_noise = clustering(np.column_stack([Z, noise]), weights=[1, 1, 1, 1, 0])
    np.testing.assert_array_equal(with_noise, expected)
    np.testing.assert_array_equal(clustering(Z, weights=np.full(4, 2.5)), expected)


def test_weights_decide_between_columns():
    Z = np.array([[1.0, 0], [1.1, 9], [8, 1], [8.1, 9.5]])
    assert clustering(Z, weights=[1, 0]).tolist() == [False, False, True, True]
    assert clustering(Z, weights=[0, 1]).tolist() == [False, True, False, True]
    assert clustering(Z, False, weights=[10, 0.1]).tolist() == [False, False, True, True]


def test_tiny_and_huge_numbers(rng):
    column = np.append(rng.uniform(0, 1, size=20), [8.0, 9])
    for scale in (1e-300, 1e-200, 1e-9):
        mask = clustering(np.column_stack([column, column**2]) * scale)
        assert np.flatnonzero(mask).tolist() == [20, 21], scale
    assert clustering([1e300, 1.0, 1.5, 2.0]).tolist() == [True, False, False, False]


def test_the_dendrogram_can_be_drawn(rng):
    split = clusters(feature_matrix(rng))
    assert len(dendrogram(split.tree, no_plot=True)["leaves"]) == len(split.points)
    assert split.points[split.leaf].shape == (30, 4)
    assert np.all((split.margin > 0) == split.mask)
    assert 0 < split.separation < 1


MATRICES = arrays(
    np.float64,
    st.tuples(st.integers(1, 12), st.integers(1, 4)),
    elements=st.one_of(st.integers(0, 3), st.floats(0, 50, width=32)),
)


@settings(deadline=None)
@given(MATRICES, st.booleans(), st.sampled_from(["high", "low"]), st.randoms(use_true_random=False))
def test_permuting_variables_permutes_the_clusters(Z, transform, keep, random):
    order = random.sample(range(len(Z)), len(Z))
    before, after = clusters(Z, transform, keep=keep), clusters(Z[order], transform, keep=keep)
    for part in ("mask", "threshold", "margin", "leaf"):
        np.testing.assert_array_equal(getattr(after, part), getattr(before, part)[order])
    np.testing.assert_array_equal(after.tree, before.tree)
    if before.mask.any() and len(Z) > 1:
        means = Z[before.mask, 0].mean(), Z[~before.mask, 0].mean()
        assert (means[0] > means[1]) == (keep == "high")
        assert np.all((before.margin > 0) == before.mask)


@settings(deadline=None)
@given(MATRICES, st.booleans())
def test_equal_variables_share_their_fate(Z, transform):
    doubled = clustering(np.vstack([Z, Z]), transform)
    np.testing.assert_array_equal(doubled[: len(Z)], doubled[len(Z) :])


# ---- bad input -------------------------------------------------------------------

NULL = np.zeros((3, 2))


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: local([1, 2, 3], NULL), ValueError, "`null` must have shape (n_permutations, 3)"),
        (lambda: gse([1, 2], NULL[0]), ValueError, "Got shape (2,) instead"),
        (lambda: gmax([[1, 2]], NULL), ValueError, "per variable. Got an array of shape (1, 2)"),
        (lambda: gmax([], NULL), ValueError, "Got an array of shape (0,)"),
        (
            lambda: gmax([1, 2], NULL[:1]),
            ValueError,
            "at least 2 rows, one per permutation",
        ),
        (
            lambda: local([1, np.nan], NULL),
            ValueError,
            "`observed[1]` must be a finite number. Got nan",
        ),
        (
            lambda: local([1, 2], NULL * np.inf),
            ValueError,
            "`null[0, 0]` must be a finite number. Got nan",
        ),
        (
            lambda: local(["a", "b"], NULL),
            TypeError,
            "`observed` must be an array of numbers. Got dtype <U1",
        ),
        (
            lambda: local([1, 2], NULL, alpha=0),
            ValueError,
            "`alpha` must be a number in the interval (0, 1). Got 0",
        ),
        (
            lambda: gse([1, 2], NULL, alpha=1),
            ValueError,
            "Got 1 instead. Pass a level such as 0.05.",
        ),
        (lambda: gse([1, 2], NULL, alpha="5%"), TypeError, "Got '5%'"),
        (
            lambda: gse([1, 2], NULL, joint="yes"),
            TypeError,
            "`joint` must be True or False. Got 'yes'",
        ),
        (
            lambda: permutation_pvalues([1, 2], NULL, "holm"),
            ValueError,
            "`adjust` must be one of 'maxt', 'bh'. Got 'holm'",
        ),
        (
            lambda: median_probability([0.5, 1.5]),
            ValueError,
            "`probability` must be in the interval [0, 1]. Got 1.5 for variable 1",
        ),
        (
            lambda: median_probability([0.5], at=2),
            ValueError,
            "`at` must be a number in the interval (0, 1]. Got 2",
        ),
        (
            lambda: median_probability([0.5], at=0),
            ValueError,
            "`at` must be a number in the interval (0, 1]. Got 0",
        ),
        (lambda: clustering(np.zeros((2, 2, 2))), ValueError, "Got shape (2, 2, 2)"),
        (lambda: clustering([]), ValueError, "Got shape (0, 1)"),
        (lambda: clustering([1, -1]), ValueError, "`Z` must be above -1"),
        (lambda: clustering([1, 2], weights=[-1]), ValueError, "Got [-1.0] instead"),
        (lambda: clustering([1, 2], weights=[0]), ValueError, "Got [0.0] instead"),
        (lambda: clustering([1, 2], weights=[1, 2]), ValueError, "`weights` must be 1 numbers"),
        (
            lambda: clustering([1, 2], keep="best"),
            ValueError,
            "`keep` must be one of 'high', 'low'. Got 'best'",
        ),
        (
            lambda: clustering([1, 2], transform=None),
            TypeError,
            "`transform` must be True or False. Got None",
        ),
    ],
)
def test_errors_name_argument_and_value(call, error, message):
    with np.errstate(invalid="ignore"), pytest.raises(error, match=re.escape(message)):
        call()
