"""What memory cannot hold is refused before sampling starts; the smallest data are not."""

from __future__ import annotations

import math

import numpy as np
import pytest

import bayesvc as bv
from bayesvc import _validation
from tests.helpers.no_sampling import no_sampling

# Short chains: what their notes warn of is not the subject here.
pytestmark = pytest.mark.filterwarnings("ignore::bayesvc.exceptions.BayesvcWarning")


def make_data():
    rng = np.random.default_rng(1)
    X = rng.uniform(size=(30, 3))
    return X, X[:, 0] + rng.normal(size=30)


X, Y = make_data()


@pytest.mark.parametrize(
    "settings", [{"n_replicates": 10**9}, {"n_draws": 10**12}, {"n_trees": 10**12}]
)
@pytest.mark.parametrize("run", [bv.sample, bv.select])
def test_more_fits_draws_or_trees_than_memory_holds(run, settings):
    with pytest.raises(MemoryError) as error, no_sampling():
        run(X, Y, **settings)
    (name, value), message = next(iter(settings.items())), str(error.value)
    for part in (f"{name}={value}", "GB", "Use fewer"):
        assert part in message


def test_more_permutations_than_memory_holds(monkeypatch):
    monkeypatch.setattr(_validation, "available_memory", lambda: 10**6)
    with pytest.raises(MemoryError, match="n_permutations=50"), no_sampling():
        bv.select(X, Y, "bart-vip-gse", n_draws=10**4)


def test_available_memory_is_known_here():
    available = _validation.available_memory()
    assert available is None or 0 < available < 2**60


@pytest.mark.parametrize("prior", [bv.BART(), bv.DART(), bv.DART(form="explicit")])
def test_the_smallest_data_are_allowed(prior):
    settings = {"n_replicates": 1, "burn_in": 0, "n_draws": 1, "random_state": 0}
    draws = bv.sample([[0.0], [1.0]], [1.0, 2.0], prior, **settings)
    assert math.isfinite(draws.sigma[0, 0])
