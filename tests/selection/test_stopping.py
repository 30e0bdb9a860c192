"""`n_replicates="auto"` stops when the selection is stable, at the same place on any machine."""

from __future__ import annotations

import numpy as np
import pytest

import bayesvc as bv
from bayesvc.selection import stopping
from bayesvc.selection.stopping import first_stable, sample_until_stable

# Short chains: what their notes warn of is not the subject here.
pytestmark = pytest.mark.filterwarnings("ignore::bayesvc.exceptions.BayesvcWarning")

SHORT = {"burn_in": 100, "n_draws": 100, "random_state": 4, "signal_test": False}


@pytest.fixture
def data():
    rng = np.random.default_rng(3)
    X = rng.uniform(size=(100, 12))
    return X, 4 * X[:, 2] + 3 * X[:, 5] + rng.normal(size=100)


def masks_of(text):
    return [np.array([letter == "a", True]) for letter in text]


@pytest.mark.parametrize(
    ("text", "number"),
    [("", None), ("a", None), ("aaaa", None), ("aaaaa", 5), ("baaaaab", 6), ("ababab", None)],
)
def test_the_first_stable_number(text, number):
    assert first_stable(masks_of(text)) == number


def test_as_if_that_number_had_been_asked_for(data):
    found = bv.select(*data, "dart-vc", n_replicates="auto", **SHORT)
    number = found.draws.n_replicates
    assert number == found.stopping.n_replicates == found.method.n_replicates
    assert 5 <= number <= 40
    assert found.stopping.stable
    assert f"Stopped after {number} replicates" in repr(found)
    same = bv.select(*data, "dart-vc", n_replicates=number, **SHORT)
    np.testing.assert_array_equal(found.values, same.values)
    for fewer in range(number - 4, number):
        np.testing.assert_array_equal(
            bv.select(*data, "dart-vc", n_replicates=fewer, **SHORT).mask, found.mask
        )


def test_threads_make_no_difference(data):
    found = [bv.select(*data, n_replicates="auto", n_jobs=n, **SHORT) for n in (1, 3)]
    np.testing.assert_array_equal(found[0].draws.vc, found[1].draws.vc)


def test_it_ends_without_stability_and_without_time(data):
    draws = bv.sample(*data, n_replicates=1, burn_in=1, n_draws=1)

    def more(_, number, taken=[0]):  # noqa: B006
        taken[0] += number
        return draws.take([0] * taken[0])

    def unstable(some):
        return np.arange(50) < some.n_replicates % 7

    last, reason = sample_until_stable(more, unstable, at_once=3)
    assert last.n_replicates == reason.n_replicates == stopping.MAX_REPLICATES
    assert not reason.stable
    assert "the selection was not stable" in reason.reason
    more.__defaults__[0][0] = 0
    last, reason = sample_until_stable(more, unstable, at_once=1, max_seconds=1e-9)
    assert last.n_replicates == stopping.FIRST_REPLICATES
    assert not reason.stable
    assert "max_seconds" in reason.reason


def test_with_permutations_and_a_checkpoint(data, tmp_path):
    settings = {"method": "bart-vip-gse", "n_permutations": 20, **SHORT}
    found = bv.select(*data, n_replicates="auto", checkpoint=tmp_path, **settings)
    again = bv.select(*data, n_replicates="auto", checkpoint=tmp_path, **settings)
    assert found.names == again.names
    assert len(found.null) == 20


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"n_replicates": "many"}, "`n_replicates` must be .* Got 'many'"),
        ({"max_seconds": 5}, "`max_seconds` must not .* n_replicates='auto'.* Got 5"),
        ({"n_replicates": "auto", "max_seconds": -1}, "max_seconds"),
        ({"n_replicates": "auto", "method": "abc-mpm"}, "n_replicates"),
    ],
)
def test_bad_input(data, settings, message):
    with pytest.raises((TypeError, ValueError), match=message):
        bv.select(*data, **settings)
