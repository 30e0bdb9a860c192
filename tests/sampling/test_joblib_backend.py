"""Every entry point runs its replicates on a Dask cluster, to the same bits as on threads."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator
from typing import Any

import joblib
import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

import bayesvc as bv
from bayesvc import _core
from bayesvc.sampling import joblib_backend
from bayesvc.sampling.chain import ChainTask
from bayesvc.sampling.checkpoint import settings_to_dict
from bayesvc.sampling.config import ChainConfig
from bayesvc.sampling.seeds import Role, chain_seed
from bayesvc.selection.half_samples import N_HALF_SAMPLES
from bayesvc.selection.held_out import N_BLOCKS
from tests.helpers.settings import SEEDED, SHORT

# Short chains: what their notes warn of is not the subject here.
pytestmark = pytest.mark.filterwarnings("ignore::bayesvc.exceptions.BayesvcWarning")

FloatArray = NDArray[np.float64]
Data = tuple[FloatArray, FloatArray]

SPIKES = bv.SpikeForest(n_samples=40, burn_in=20)


@pytest.fixture(scope="module")
def dask_client() -> Iterator[Any]:
    distributed = pytest.importorskip("distributed")
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": "127.0.0.1:0"}
    with distributed.LocalCluster(**options) as local, distributed.Client(local) as client:
        yield client


@pytest.fixture(scope="module")
def data() -> Data:
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(80, 6))
    return X, 10 * X[:, 1] + rng.normal(size=80)


@pytest.fixture
def nothing_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no task run in this process."""

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a task ran in the caller's process")

    monkeypatch.setattr("bayesvc.sampling.chain.fit", refuse)
    monkeypatch.setattr("bayesvc.sampling.abc.AbcSampler", refuse)


def count_tasks() -> None:
    """Count, in a worker, the tasks that run there from now on."""
    from bayesvc.sampling import executor

    def counting(run: Callable[..., Any]) -> Callable[..., Any]:
        def run_and_count(*arguments: Any) -> Any:
            executor.counted[0] += 1  # type: ignore[attr-defined]
            return run(*arguments)

        return run_and_count

    if not hasattr(executor, "counted"):
        executor.counted = [0]  # type: ignore[attr-defined]
        for name in ("_run_remotely", "_run_on_threads"):
            setattr(executor, name, counting(getattr(executor, name)))
    executor.counted[0] = 0  # type: ignore[attr-defined]


def counted_tasks() -> int:
    from bayesvc.sampling import executor

    return int(executor.counted[0])  # type: ignore[attr-defined]


def sampled(X: FloatArray, y: FloatArray) -> list[FloatArray]:
    draws = bv.sample(
        X, y, n_replicates=2, keep_trees=True, keep_counts=True, keep_s=True, **SEEDED
    )
    assert draws.counts is not None
    return [draws.vc, draws.sigma, draws.counts, draws.posterior(X[:5])]


def extended(X: FloatArray, y: FloatArray) -> list[FloatArray]:
    draws = bv.sample(X, y, n_replicates=1, **SEEDED).extend(2)
    return [draws.vc, draws.sigma]


def selected(X: FloatArray, y: FloatArray, **settings: Any) -> list[FloatArray]:
    found = bv.select(X, y, **{**SEEDED, **settings})
    assert found.signal is not None
    rest = [found.null, found.row_frequency]
    known = [part for part in rest if part is not None]
    return [found.draws.vc, found.draws.sigma, found.values, found.signal.null, *known]


def compared(X: FloatArray, y: FloatArray) -> list[FloatArray]:
    both = bv.compare(X, y, ["dart-vc", "bart-mpm"], **SEEDED)
    return [found.values for found in both.values()]


def subsampled(X: FloatArray, y: FloatArray) -> list[FloatArray]:
    stable = bv.row_stability(X, y, n_subsamples=4, n_replicates=2, **SEEDED)
    return [stable.masks.astype(float), stable.selection.values]


def searched(X: FloatArray, y: FloatArray) -> list[FloatArray]:
    selector = bv.VariableSelector(n_replicates=2, burn_in=30, n_draws=30, random_state=3)
    grid = {"variableselector__method": ["dart-vc", "dart-mpm"]}
    search = GridSearchCV(make_pipeline(selector, LinearRegression()), grid, cv=2)
    return [search.fit(X, y).cv_results_["mean_test_score"]]


ENTRY_POINTS: dict[str, Callable[..., list[FloatArray]]] = {
    "sample": sampled,
    "extend": extended,
    "select": lambda X, y: selected(X, y, n_replicates=2),
    "auto": lambda X, y: selected(X, y, n_replicates="auto"),
    "permutation": lambda X, y: selected(
        X, y, method="bart-vip-local", n_replicates=2, n_permutations=20
    ),
    "abc": lambda X, y: selected(
        X, y, prior=SPIKES, measure="vc", threshold="clustering", n_draws=None
    ),
    "abc with permutations": lambda X, y: selected(
        X, y, prior=SPIKES, measure="vip", threshold="local", n_permutations=20, n_draws=None
    ),
    "compare": compared,
    "row_stability": subsampled,
    "VariableSelector in GridSearchCV": searched,  # which sends whole selectors to the workers
}


@pytest.mark.usefixtures("nothing_here")
@pytest.mark.parametrize("name", ENTRY_POINTS)
def test_on_workers_to_the_same_bits(
    dask_client: Any, data: Data, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    dask_client.run(count_tasks)
    with joblib.parallel_config(backend="dask"):
        there = ENTRY_POINTS[name](*data)
    assert sum(dask_client.run(counted_tasks).values()) > 0
    monkeypatch.undo()
    here = ENTRY_POINTS[name](*data)
    for own, other in zip(there, here, strict=True):
        np.testing.assert_array_equal(own, other)


@pytest.mark.usefixtures("nothing_here")
def test_messy_data(dask_client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Missing values, categories, groups, weights and blocks travel with the data."""
    rng = np.random.default_rng(0)
    rows: list[list[Any]] = [
        [*row, "abc"[i % 3]] for i, row in enumerate(rng.uniform(size=(60, 3)))
    ]
    rows[3][0] = None
    y = 10 * (np.arange(60) % 3) + rng.normal(size=60)
    weighted: dict[str, Any] = {
        "method": "bart-vip-local",
        "n_replicates": 1,
        "n_permutations": 20,
        "sample_weight": np.arange(1, 61),
        "permute_within": np.arange(60) // 20,
        **SHORT,
    }
    spikes: dict[str, Any] = {"prior": SPIKES, "measure": "vc", "threshold": "clustering"}
    runs = [{"groups": {"pair": [0, 3]}, "random_state": 3, **own} for own in (weighted, spikes)]
    with joblib.parallel_config(backend="dask"):
        there = [bv.select(rows, y, **run) for run in runs]
    monkeypatch.undo()
    for found, run in zip(there, runs, strict=True):
        expected = bv.select(rows, y, **run)
        np.testing.assert_array_equal(found.draws.vc, expected.draws.vc)
        np.testing.assert_array_equal(found.draws.sigma, expected.draws.sigma)


def test_progress_counts_iterations(dask_client: Any, data: Data) -> None:
    seen: list[tuple[int, int]] = []
    with joblib.parallel_config(backend="dask"):
        bv.sample(*data, SPIKES, random_state=3, progress=lambda *a: seen.append(a))
    assert seen[-1] == (40 * 21, 40 * 21)


def test_only_clusters_are_active(dask_client: Any) -> None:
    assert not joblib_backend.is_active()
    for backend in ("threading", "loky"):
        with joblib.parallel_config(backend=backend):
            assert not joblib_backend.is_active()
    with joblib.parallel_config(backend="dask"):
        assert joblib_backend.is_active()


def test_tasks_survive_the_journey() -> None:
    settings = _core.Settings()
    settings.n_trees, settings.weights, settings.splitting = 7, np.array([1.0, 2.0]), "collapsed"
    settings.moves = (0.1, 0.2, 0.3, 0.3, 0.1)
    settings.row_weights = np.array([0.5, 1.5])
    seed = chain_seed(0, Role.REPLICATE, 0)
    task = ChainTask(np.arange(2.0), settings, seed, ChainConfig(3, 4))
    again = pickle.loads(pickle.dumps(task))
    assert again.chain == task.chain
    for name, value in settings_to_dict(settings).items():
        np.testing.assert_array_equal(getattr(again.settings, name), value)


def test_a_task_of_a_cluster_sends_none_of_its_own(dask_client: Any) -> None:
    """It would wait for workers that wait for it."""

    def told() -> tuple[bool, int]:
        from bayesvc._validation import resolve_n_jobs

        with joblib.parallel_config(backend="dask"):
            return joblib_backend.is_active(), resolve_n_jobs(None)

    assert dask_client.submit(told).result() == (False, 1)


def test_errors_on_workers_come_back(dask_client: Any) -> None:
    with joblib.parallel_config(backend="dask"), pytest.raises(ZeroDivisionError):
        joblib_backend.run_calls([(divmod, (1, 0))], lambda *_: None)


def note_arrivals() -> None:
    """Note, in a worker, how many rows the columns have that arrive there from now on."""
    set_state = _core.Columns.__setstate__

    def set_state_and_note(columns: Any, state: Any) -> None:
        set_state(columns, state)
        joblib_backend.arrivals.append(columns.n)  # type: ignore[attr-defined]

    if not hasattr(joblib_backend, "arrivals"):
        _core.Columns.__setstate__ = set_state_and_note  # type: ignore[method-assign]
    joblib_backend.arrivals = []  # type: ignore[attr-defined]


def noted_arrivals() -> list[int]:
    return list(joblib_backend.arrivals)  # type: ignore[attr-defined]


def test_columns_travel_once_to_each_worker(dask_client: Any, data: Data) -> None:
    """Replicates, the signal test and replicates that are added later: one journey."""
    dask_client.run(count_tasks)
    dask_client.run(note_arrivals)
    with joblib.parallel_config(backend="dask"):
        found = bv.select(*data, n_replicates=6, row_stability=False, **SEEDED)
        found.draws.extend(8)
    assert sum(dask_client.run(counted_tasks).values()) == 6 + 1 + N_BLOCKS + 8
    for arrived in dask_client.run(noted_arrivals).values():
        assert arrived.count(80) <= 1
        assert len(arrived) - arrived.count(80) <= N_BLOCKS


def test_half_samples_travel_once_to_each_worker(dask_client: Any, data: Data) -> None:
    """Each has two replicates. The columns of all rows travel once too."""
    dask_client.run(count_tasks)
    dask_client.run(note_arrivals)
    with joblib.parallel_config(backend="dask"):
        bv.select(*data, n_replicates=3, signal_test=False, **SEEDED)
    assert sum(dask_client.run(counted_tasks).values()) == 3 + 2 * N_HALF_SAMPLES
    for arrived in dask_client.run(noted_arrivals).values():
        assert arrived.count(80) <= 1
        assert arrived.count(40) == len(arrived) - arrived.count(80) <= N_HALF_SAMPLES


@pytest.mark.parametrize("keep_values", [False, True])
def test_columns_survive_the_journey(keep_values: bool) -> None:
    X = np.random.default_rng(0).integers(0, 400, size=(500, 3)).astype(float)
    X[:, 1] %= 3
    X[::7, 2] = np.nan
    columns = _core.Columns(X, keep_values, [0, 3, 0], [[0, 2], [1]])
    again = pickle.loads(pickle.dumps(columns))
    assert (again.n, again.p, again.nbytes) == (500, 2, columns.nbytes)
    assert again.fingerprint == columns.fingerprint
    np.testing.assert_array_equal(again.n_distinct(), columns.n_distinct())
    np.testing.assert_array_equal(again.max_ties(), columns.max_ties())
    for coding in range(5):
        np.testing.assert_array_equal(again.codes(coding), columns.codes(coding))
    if keep_values:
        np.testing.assert_array_equal(again.values(0), columns.values(0))


def test_columns_that_contradict_themselves_are_refused() -> None:
    state = list(_core.Columns(np.eye(4)).__getstate__())
    state[-1] = state[-1][:-40]
    with pytest.raises(ValueError, match="contradict"):
        _core.Columns.__new__(_core.Columns).__setstate__(tuple(state))
