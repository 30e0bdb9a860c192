"""The guard against sampling works wherever sampling can start."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner

import bayesvc as bv
from bayesvc.cli.app import app
from bayesvc.responses.read import read_dataset
from bayesvc.sampling import executor
from bayesvc.sampling.config import check_sampling_config
from bayesvc.selection.half_samples import half_sample_frequency
from bayesvc.selection.methods import resolve_method
from bayesvc.selection.signal import find_signal
from tests.helpers.no_sampling import MESSAGE, no_sampling
from tests.helpers.settings import SEEDED, TINY

# Short chains: what their notes warn of is not the subject here.
pytestmark = pytest.mark.filterwarnings("ignore::bayesvc.exceptions.BayesvcWarning")

ONE = TINY | {"n_replicates": 1, "random_state": 0}
UNTESTED = TINY | {"random_state": 0, "signal_test": False}


def select(X, y, method="dart-vc", **settings):
    return bv.select(X, y, method, **UNTESTED | settings)


def signal_test(X, y):
    return find_signal(read_dataset(X, y), 1000, check_sampling_config(5, random_state=0, n_jobs=1))


def half_samples(X, y):
    """Call it as `select` does once it has the draws, which are of no interest here."""
    data, config = read_dataset(X, y), check_sampling_config(5, random_state=0, n_jobs=1)
    draws = SimpleNamespace(n_replicates=2, burn_in=20, n_draws=20, calibration=None)
    return half_sample_frequency(data, resolve_method(), draws, config)


def chosen(X):
    """Return a selection of all columns, made without sampling."""
    counts = np.ones((1, 10, X.shape[1]), dtype=int)
    return bv.select_from(bv.Draws.from_counts(counts), "dart-mpm")


ENTRIES = {
    "sample": lambda X, y: bv.sample(X, y, **ONE),
    "sample of a spike forest": lambda X, y: bv.sample(X, y, bv.SpikeForest(n_samples=10)),
    "select": select,
    "select auto": lambda X, y: select(X, y, n_replicates="auto"),
    "select by permutation": lambda X, y: select(X, y, "bart-vip-local"),
    "select by ABC": lambda X, y: bv.select(X, y, "abc-vc", random_state=0, signal_test=False),
    "signal test": signal_test,
    "compare": lambda X, y: bv.compare(X, y, ["dart-vc", "abc-mpm"], **UNTESTED),
    "row_stability": lambda X, y: bv.row_stability(X, y, n_subsamples=2, **TINY),
    "selector": lambda X, y: bv.VariableSelector(**ONE | {"n_replicates": 2}).fit(X, y),
    "half-samples": half_samples,
    "effects": lambda X, y: chosen(X).effects(X, y, random_state=0),
    "regressor": lambda X, y: bv.BARTRegressor(**ONE).fit(X, y),
    "classifier": lambda X, y: bv.BARTClassifier(**ONE).fit(X, y > y.mean()),
}


@pytest.mark.parametrize("entry", ENTRIES.values(), ids=ENTRIES)
def test_every_entry_point_is_guarded(regression, entry):
    with pytest.raises(AssertionError, match=MESSAGE), no_sampling():
        entry(*regression)


def test_more_replicates_are_guarded(regression):
    draws = bv.sample(*regression, n_replicates=1, **SEEDED)
    with pytest.raises(AssertionError, match=MESSAGE), no_sampling():
        draws.extend(2, *regression)


@pytest.mark.parametrize(
    "command",
    [
        ["select", "t.csv", "-y", "y"],
        ["compare", "t.csv", "-y", "y", "--methods", "dart-vc"],
        ["predict", "t.csv", "t.csv", "-y", "y", "--out", "p.csv"],
        ["demo", "--out", "demo"],
    ],
    ids=lambda command: command[0],
)
def test_every_command_is_guarded(regression, tmp_path, monkeypatch, command):
    X, y = regression
    monkeypatch.chdir(tmp_path)
    pl.DataFrame(np.column_stack([X, y]), schema=[*"abcde", "y"]).write_csv("t.csv")
    with pytest.raises(AssertionError, match=MESSAGE), no_sampling():
        CliRunner().invoke(app, command)  # it keeps the error of the guard to itself


def test_the_guard_ends_with_its_block(regression):
    run = executor._run_on_threads
    with no_sampling():
        assert executor._run_on_threads is not run
    assert executor._run_on_threads is run
    assert bv.sample(*regression, **ONE).n_replicates == 1
