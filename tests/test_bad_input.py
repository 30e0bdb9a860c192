"""Bad input is refused before sampling starts, by argument, value and remedy."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

import bayesvc as bv
from bayesvc import _validation, sampling


@pytest.fixture(autouse=True)
def no_sampling(monkeypatch, request):
    """Fail if a fit starts, but in the tests of what is allowed."""
    if "allowed" in request.node.name:
        return

    def refuse(*args, **kwargs):
        pytest.fail("sampling started")

    monkeypatch.setattr(sampling, "run_fits", refuse)


def make_data():
    rng = np.random.default_rng(1)
    X = rng.uniform(size=(30, 3))
    return X, X[:, 0] + rng.normal(size=30)


def with_value(array, index, value):
    changed = array.copy()
    changed[index] = value
    return changed


X, Y = make_data()

BAD_DATA = {
    "inf in X": (with_value(X, (3, 1), np.inf), Y, ValueError, ["X", "1 infinite", "x1", "drop"]),
    "nan in y": (X, with_value(Y, 3, np.nan), ValueError, ["y", "1 missing", "drop"]),
    "inf in y": (X, with_value(Y, 3, -np.inf), ValueError, ["y", "1 infinite", "drop"]),
    "short y": (X, Y[:-1], ValueError, ["y has 29", "X has 30", "one value per row"]),
    "long y": (X[:-1], Y, ValueError, ["y has 30", "X has 29", "one value per row"]),
    "no rows": (X[:0], Y[:0], ValueError, ["X has 0 rows", "at least 2"]),
    "one row": (X[:1], Y[:1], ValueError, ["X has 1 row", "at least 2"]),
    "no columns": (X[:, :0], Y, ValueError, ["X has no columns", "(30, 0)", "at least one"]),
    "one dimension": (X[:, 0], Y, ValueError, ["X has 1 dim", "(30,)", "reshape(-1, 1)"]),
    "constant y": (X, np.full(30, 2.5), ValueError, ["y is constant", "2.5", "varies"]),
    "all zeros": (X, np.zeros(30), ValueError, ["y is constant", "0", "varies"]),
    "one class": (X, np.ones(30, bool), ValueError, ["y", "one class", "True", "needs two"]),
    "three classes": (X, ["a", "b", "c"] * 10, ValueError, ["y", "3 classes", "'a'", "merge"]),
    "object array": (with_value(X.astype(object), (3, 1), "?"), Y, TypeError, ["'x1'", "'?'"]),
    "text": (X.astype(str), Y, TypeError, ["X", "<U", "astype(float)"]),
    "date column": (
        pd.DataFrame({"size": X[:, 0], "day": pd.date_range("2020-01-01", periods=30)}),
        Y,
        TypeError,
        ["X", "'day'", "Datetime", "drop"],
    ),
    "no X": (None, Y, TypeError, ["X=None", "pass rows by columns"]),
    "a path for X": ("rows.csv", Y, TypeError, ["X='rows.csv'", "pass rows by columns"]),
    "a dict for X": ({"a": Y}, Y, TypeError, ["X is a dict", "pass rows by columns"]),
    "no y": (X, None, TypeError, ["y=None", "pass one value per row"]),
    "a generator for y": (X, (v for v in Y), TypeError, ["y is a generator", "pass one value"]),
    "two responses": (X, np.column_stack([Y, Y]), ValueError, ["y has 2 dim", "(30, 2)", "pass"]),
}


@pytest.mark.parametrize("case", BAD_DATA)
def test_bad_data(case):
    bad_X, bad_y, kind, parts = BAD_DATA[case]
    with pytest.raises(kind) as error:
        bv.sample(bad_X, bad_y, burn_in=10, n_draws=10)
    for part in parts:
        assert part in str(error.value)


@pytest.mark.parametrize(
    ("argument", "value", "kind"),
    [
        ("n_replicates", 0, ValueError),
        ("n_replicates", -1, ValueError),
        ("n_replicates", 2.5, TypeError),
        ("n_trees", 0, ValueError),
        ("n_trees", "20", TypeError),
        ("burn_in", -1, ValueError),
        ("n_draws", 0, ValueError),
        ("n_draws", -5, ValueError),
        ("n_draws", True, TypeError),
        ("n_draws", "many", TypeError),
        ("n_jobs", 0, ValueError),
        ("n_jobs", 1.5, TypeError),
        ("n_jobs", True, TypeError),
        ("random_state", -1, ValueError),
        ("random_state", 1.5, TypeError),
        ("random_state", "seed", TypeError),
        ("response", "ordinal", ValueError),
        ("response", None, TypeError),
        ("progress", "yes", TypeError),
        ("keep_counts", 1, TypeError),
        ("keep_s", "no", TypeError),
        ("keep_trees", None, TypeError),
        ("prior", "dart", TypeError),
        ("prior", bv.DART, TypeError),
    ],
)
def test_bad_settings(argument, value, kind):
    with pytest.raises(kind) as error:
        bv.sample(X, Y, **{"burn_in": 10, "n_draws": 10, argument: value})
    message = str(error.value)
    assert message.startswith(argument)
    assert repr(value) in message
    assert ";" in message, "a remedy follows the complaint"


@pytest.mark.parametrize(
    ("prior", "y", "parts"),
    [
        (bv.DART(split_weights=[1, 1]), Y, ["split_weights", "2 numbers", "3 columns"]),
        (bv.BART(min_samples_leaf=16), Y, ["min_samples_leaf=16", "30 rows", "at most 15"]),
        (bv.BART(sigma=1), Y > 0, ["sigma=1.0", "binary", "sigma=None"]),
        (bv.BART(sigma_hat=1), Y > 0, ["sigma_hat=1.0", "binary", "sigma_hat=None"]),
    ],
)
def test_prior_that_does_not_go_with_the_data(prior, y, parts):
    with pytest.raises(ValueError) as error:  # noqa: PT011
        bv.sample(X, y, prior)
    for part in parts:
        assert part in str(error.value)


@pytest.mark.parametrize(
    ("keep", "gigabytes"),
    [({"keep_counts": True}, "1,200.0 GB"), ({"keep_s": True}, "2,400.0 GB")],
)
def test_more_memory_than_there_is(monkeypatch, keep, gigabytes):
    monkeypatch.setattr(_validation, "available_memory", lambda: 10**9)
    with pytest.raises(MemoryError) as error:
        bv.sample(X, Y, n_replicates=20, n_draws=10**10, **keep)
    for part in (next(iter(keep)), gigabytes, "20 x 10,000,000,000 x 3", "1.0 GB", "n_draws"):
        assert part in str(error.value)


@pytest.mark.parametrize(
    "settings", [{"n_replicates": 10**9}, {"n_draws": 10**12}, {"n_trees": 10**12}]
)
@pytest.mark.parametrize("run", [bv.sample, bv.select])
def test_more_fits_draws_or_trees_than_memory_holds(run, settings):
    with pytest.raises(MemoryError) as error:
        run(X, Y, **settings)
    (name, value), message = next(iter(settings.items())), str(error.value)
    for part in (f"{name}={value}", "GB", "use fewer"):
        assert part in message


def test_more_permutations_than_memory_holds(monkeypatch):
    monkeypatch.setattr(_validation, "available_memory", lambda: 10**6)
    with pytest.raises(MemoryError, match="n_permutations=50"):
        bv.select(X, Y, "bart-vip-gse", n_draws=10**4)


def test_available_memory_is_known_here():
    available = _validation.available_memory()
    assert available is None or 0 < available < 2**60


def test_constant_columns_are_allowed_and_never_split_on(rng):
    data = np.column_stack([np.ones(40), rng.uniform(size=40), np.zeros(40)])
    draws = bv.sample(data, data[:, 1], n_replicates=1, burn_in=50, n_draws=50, random_state=0)
    assert draws.vc[0, [0, 2]].tolist() == [0, 0]
    assert draws.vc[0, 1] > 0


def test_only_constant_columns_are_allowed():
    draws = bv.sample(
        np.ones((10, 2)), np.arange(10), n_replicates=1, burn_in=5, n_draws=5, random_state=0
    )
    assert draws.vc.tolist() == [[0, 0]]


@pytest.mark.parametrize("prior", [bv.BART(), bv.DART(), bv.DART(form="explicit")])
def test_the_smallest_data_are_allowed(prior):
    settings = {"n_replicates": 1, "burn_in": 0, "n_draws": 1, "random_state": 0}
    draws = bv.sample([[0.0], [1.0]], [1.0, 2.0], prior, **settings)
    assert math.isfinite(draws.sigma[0, 0])
