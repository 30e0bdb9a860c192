from __future__ import annotations

import re
import tracemalloc
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import bayesvc as bv
from bayesvc import measures
from tests.helpers.settings import SHORT

# Two fits, four variables: ties within a fit, and the last variable is never split on.
VC = np.array([[4.0, 1, 1, 0], [2, 3, 1, 0]])
EVERY_MEASURE = [
    "vip",
    "metropolis_importance",
    "mpvip",
    "vc",
    "vip_rank",
    "vc_rank",
    "vc_measure",
    "vip_measure",
]


def tallies(values):
    """The same numbers under every name."""
    names = ("vc", "vip", "vip_of_sums", "mpvip", "mi")
    return SimpleNamespace(**{name: np.asarray(values, dtype=float) for name in names})


def test_means_and_medians_worked_out_by_hand():
    draws = tallies([[1.0, 0], [2, 0], [6, 3]])
    for name in ("vc", "vip", "mpvip"):
        assert getattr(measures, name)(draws).tolist() == [3, 1], name
    assert measures.metropolis_importance(draws).tolist() == [2, 0]
    assert measures.metropolis_importance(tallies([[1.0, 0], [2, 5]])).tolist() == [1.5, 2.5], (
        "an even number of fits"
    )


def test_ranks_worked_out_by_hand():
    # Fit 1: 1, 2.5, 2.5, 4. Fit 2: 2, 1, 3, 4.
    assert measures.vc_rank(tallies(VC)).tolist() == [1.5, 1.75, 2.75, 4]
    assert measures.vip_rank(tallies(VC)).tolist() == [1.5, 1.75, 2.75, 4]


@pytest.mark.parametrize("measure", [measures.vc_measure, measures.vip_measure])
def test_the_matrix_worked_out_by_hand(measure):
    expected = [
        [3, 2.5, 1.5, 1.75],
        [2, 1.5, 1.75, 2.125],
        [1, 1, 2.75, 2.875],
        [0, 0, 4, 4],
    ]
    assert measure(tallies(VC)).tolist() == expected


def test_the_matrix_of_one_fit():
    draws = tallies([[4.0, 1, 1]])
    four = [[4, 4, 1, 1], [1, 1, 2.5, 2.5], [1, 1, 2.5, 2.5]]
    for measure in (measures.vc_measure, measures.vip_measure):
        assert measure(draws).tolist() == four
        assert measure(draws, one_column_if_single=True).tolist() == [[4], [1], [1]]
        assert measure(tallies(VC), one_column_if_single=True).shape == (4, 4), "two fits"


def test_vip_of_draws_and_of_sums():
    # One variable with 1 of 1 splits, then 1 of 3: the mean share is 2/3, the share of sums 1/2.
    draws = SimpleNamespace(vip=np.array([[2 / 3, 1 / 3]]), vip_of_sums=np.array([[0.5, 0.5]]))
    assert measures.vip(draws).tolist() == [2 / 3, 1 / 3]
    assert measures.vip(draws, of="sums").tolist() == [0.5, 0.5]
    assert measures.vip_rank(draws).tolist() == [1, 2]
    assert measures.vip_rank(draws, of="sums").tolist() == [1.5, 1.5]
    assert measures.vip_measure(draws, of="sums")[:, 0].tolist() == [0.5, 0.5]


def test_equal_counts_in_all_fits_give_equal_rows():
    matrix = measures.vc_measure(tallies(np.full((3, 5), 0.1)))
    assert np.all(matrix == matrix[0])
    assert matrix[0, 2:].tolist() == [3, 3]


COUNTS = arrays(
    np.float64,
    st.tuples(st.integers(1, 6), st.integers(1, 8)),
    elements=st.one_of(st.just(0.0), st.integers(0, 5), st.floats(0, 100, width=32)),
)


@settings(deadline=None)
@given(COUNTS, st.randoms(use_true_random=False))
def test_permuting_columns_permutes_every_measure(values, random):
    order = random.sample(range(values.shape[1]), values.shape[1])
    for name in EVERY_MEASURE:
        measure = getattr(measures, name)
        expected = measure(tallies(values))[order]
        np.testing.assert_array_equal(measure(tallies(values[:, order])), expected, err_msg=name)


@settings(deadline=None)
@given(COUNTS)
def test_duplicated_and_never_split_columns(values):
    p = values.shape[1]
    wide = np.hstack([values, values, np.zeros((len(values), 2))])
    for name in EVERY_MEASURE:
        answer = getattr(measures, name)(tallies(wide))
        np.testing.assert_array_equal(answer[:p], answer[p : 2 * p], err_msg=name)
        np.testing.assert_array_equal(answer[-1], answer[-2], err_msg=name)
    ranks = measures.vc_rank(tallies(wide))
    assert ranks.sum() == pytest.approx((2 * p + 2) * (2 * p + 3) / 2)
    assert ranks.max() == ranks[-1], "nothing ranks below a variable that was never split on"


@settings(deadline=None)
@given(COUNTS, st.data())
def test_a_larger_count_never_lowers_a_variable(values, data):
    fit = data.draw(st.integers(0, values.shape[0] - 1))
    j = data.draw(st.integers(0, values.shape[1] - 1))
    more = values.copy()
    more[fit, j] += 1
    before, after = measures.vc_measure(tallies(values))[j], measures.vc_measure(tallies(more))[j]
    assert np.all(after[:2] >= before[:2])
    assert np.all(after[2:] <= before[2:])


def test_real_draws(regression):
    X, y = regression
    draws = bv.sample(X, y, n_replicates=3, random_state=0, **SHORT)
    for name in EVERY_MEASURE:
        assert len(getattr(measures, name)(draws)) == 5
    assert measures.vip(draws).sum() == pytest.approx(1)
    assert measures.vip(draws, of="sums").sum() == pytest.approx(1)
    assert measures.vc(draws).argmax() == 1
    assert measures.vc_rank(draws).argmin() == 1


def test_the_matrix_needs_little_memory(rng):
    # A few arrays of the size of the tally, whatever the number of variables.
    draws = tallies(rng.poisson(0.01, size=(10, 20_000)))
    tracemalloc.start()
    measures.vc_measure(draws)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 12 * draws.vc.nbytes


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (
            lambda: measures.mpvip(SimpleNamespace(mpvip=None)),
            ValueError,
            "must hold 'mpvip' for this measure",
        ),
        (lambda: measures.vc(SimpleNamespace()), ValueError, "Got SimpleNamespace without it"),
        (lambda: measures.vc(tallies([1.0, 2])), ValueError, r"shape (2,)"),
        (lambda: measures.vc(tallies(np.empty((0, 3)))), ValueError, r"shape (0, 3)"),
        (
            lambda: measures.metropolis_importance(tallies([[1, np.nan]])),
            ValueError,
            "`draws.mi` must be finite. Got nan at [0, 1]",
        ),
        (
            lambda: measures.vip(tallies(VC), of="means"),
            ValueError,
            "Got 'means' instead",
        ),
        (
            lambda: measures.vc_measure(tallies(VC), 1),
            TypeError,
            "`one_column_if_single` must be True or False. Got 1",
        ),
    ],
)
def test_errors_name_argument_and_value(call, error, message):
    with pytest.raises(error, match=re.escape(message)):
        call()
