"""Fits on a Dask cluster: the same bits as on threads."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import joblib
import numpy as np
import pytest
from numpy.typing import NDArray

import bayesvc as bv
from bayesvc import _core
from bayesvc.sampling import joblib_backend as cluster
from tests.helpers.no_sampling import no_sampling
from tests.helpers.settings import SHORT

Dataset = tuple[NDArray[np.float64], NDArray[np.float64]]


@pytest.fixture(scope="module")
def dask_client() -> Iterator[Any]:
    distributed = pytest.importorskip("distributed")
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": "127.0.0.1:0"}
    with distributed.LocalCluster(**options) as local, distributed.Client(local) as client:
        yield client


def test_only_clusters_are_active(dask_client: Any) -> None:
    assert not cluster.is_active()
    with joblib.parallel_config(backend="threading"):
        assert not cluster.is_active()
    with joblib.parallel_config(backend="loky"):
        assert not cluster.is_active()
    with joblib.parallel_config(backend="dask"):
        assert cluster.is_active()


METHODS = ["dart-vc", "bart-vip-local", "abc-vc"]


@pytest.fixture(scope="module")
def on_threads() -> tuple[Dataset, bv.Comparison]:
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(80, 6))
    data = X, 10 * X[:, 1] + rng.normal(size=80)
    return data, bv.compare(*data, METHODS, random_state=3, **SHORT)


def test_same_bits_on_a_cluster(
    dask_client: Any, on_threads: tuple[Dataset, bv.Comparison]
) -> None:
    data, expected = on_threads
    seen: list[tuple[int, int]] = []
    with joblib.parallel_config(backend="dask"), no_sampling():  # in this process
        found = bv.compare(
            *data, METHODS, random_state=3, **SHORT, progress=lambda *a: seen.append(a)
        )
    for name in METHODS:
        np.testing.assert_array_equal(found[name].values, expected[name].values)
        np.testing.assert_array_equal(found[name].mask, expected[name].mask)
        np.testing.assert_array_equal(found[name].draws.sigma, expected[name].draws.sigma)
    null, other = found["bart-vip-local"].null, expected["bart-vip-local"].null
    assert null is not None
    assert other is not None
    np.testing.assert_array_equal(null, other)
    assert (1000 * 201, 1000 * 201) in seen
    assert found["dart-vc"].signal.explained == expected["dart-vc"].signal.explained


def test_messy_data_on_a_cluster(dask_client: Any) -> None:
    """Missing values, categories, groups, weights and blocks travel with the data."""
    rng = np.random.default_rng(0)
    rows: list[list[Any]] = [
        [*row, "abc"[i % 3]] for i, row in enumerate(rng.uniform(size=(60, 3)))
    ]
    rows[3][0] = None
    y = 10 * (np.arange(60) % 3) + rng.normal(size=60)
    weighted: dict[str, Any] = {
        "method": "bart-vip-local", "n_replicates": 1, "n_permutations": 20,
        "sample_weight": np.arange(1, 61), "permute_within": np.arange(60) // 20, **SHORT,
    }  # fmt: skip
    spikes: dict[str, Any] = {
        "prior": bv.SpikeForest(n_samples=40, burn_in=20), "measure": "vc",
        "threshold": "clustering",
    }  # fmt: skip
    for settings in (weighted, spikes):
        run = {"groups": {"pair": [0, 3]}, "random_state": 3, **settings}
        with joblib.parallel_config(backend="dask"), no_sampling():
            found = bv.select(rows, y, **run)
        expected = bv.select(rows, y, **run)
        np.testing.assert_array_equal(found.draws.vc, expected.draws.vc)
        np.testing.assert_array_equal(found.draws.sigma, expected.draws.sigma)
        if expected.null is not None:
            assert found.null is not None
            np.testing.assert_array_equal(found.null, expected.null)


def test_settings_survive_the_journey() -> None:
    settings = _core.Settings()
    settings.n_trees, settings.weights, settings.splitting = 7, np.array([1.0, 2.0]), "collapsed"
    settings.moves = (0.1, 0.2, 0.3, 0.4)
    settings.row_weights = np.array([0.5, 1.5])
    again = cluster.settings_from_dict(cluster.settings_to_dict(settings))
    for name, value in cluster.settings_to_dict(settings).items():
        np.testing.assert_array_equal(getattr(again, name), value)


def test_errors_on_workers_come_back(dask_client: Any) -> None:
    from bayesvc.sampling.progress import Progress

    report = Progress(None, total=1)
    with joblib.parallel_config(backend="dask"), pytest.raises(ZeroDivisionError):
        cluster.run_tasks([(divmod, (1, 0))], lambda *_: None, report, 1)


def test_columns_are_made_once_for_one_array() -> None:
    X = np.random.default_rng(0).uniform(size=(10, 2))
    assert cluster.columns_of(X) is cluster.columns_of(X)
    assert cluster.columns_of(X.copy()) is not cluster.columns_of(X)
