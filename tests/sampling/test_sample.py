from __future__ import annotations

import os
import subprocess
import sys
import textwrap

import numpy as np
import pandas as pd
import polars as pl
import pytest

import bayesvc as bv
from bayesvc._validation import resolve_n_jobs, resolve_random_state, usable_cpus
from bayesvc.sampling import progress
from bayesvc.sampling.seeds import Role, chain_seed
from tests.helpers.processes import assert_stops_on_ctrl_c
from tests.helpers.same_bits import assert_same_bits
from tests.helpers.settings import SHORT

PRIORS = {"bart": bv.BART(), "dart": bv.DART(), "explicit": bv.DART(form="explicit")}


@pytest.mark.parametrize("prior", PRIORS.values(), ids=PRIORS)
def test_shapes_and_meaning(regression, prior):
    X, y = regression
    draws = bv.sample(X, y, prior, n_replicates=3, random_state=1, keep_counts=True, **SHORT)
    assert (draws.n_replicates, draws.n_features, draws.n_rows) == (3, 5, 60)
    for values in (draws.vc, draws.vip, draws.mpvip, draws.mi, draws.vip_of_sums):
        assert values.shape == (3, 5)
    assert draws.sigma.shape == draws.n_splits.shape == draws.alpha.shape == (3, 60)
    assert draws.seconds.shape == draws.tree_depth.shape == (3,)
    assert (draws.seconds > 0).all()
    assert np.isnan(draws.alpha).all() == isinstance(prior, bv.BART)
    counts = draws.counts.astype(float)
    assert counts.shape == (3, 60, 5)
    np.testing.assert_allclose(draws.vc, counts.mean(axis=1))
    np.testing.assert_array_equal(draws.n_splits, counts.sum(axis=2))
    shares = counts / np.maximum(counts.sum(axis=2, keepdims=True), 1)
    np.testing.assert_allclose(draws.vip, shares.mean(axis=1))
    np.testing.assert_allclose(draws.mpvip, (counts > 0).mean(axis=1))
    np.testing.assert_allclose(draws.vip_of_sums, (s := counts.sum(1)) / s.sum(1, keepdims=True))
    halves = np.stack([counts[:, :30].sum(1), counts[:, 30:].sum(1)], axis=1)
    np.testing.assert_allclose(draws.count_half_sums, halves)
    assert all(0 < rate < 1 for rate in draws.acceptance["birth"])


def test_tallies_per_batch(regression):
    X, y = regression
    draws = bv.sample(X, y, n_replicates=1, random_state=1, keep_counts=True, **SHORT)
    assert (draws.batch_size, draws.n_batches) == (7, 9)
    batches = [draws.counts[0, start : start + 7].astype(float) for start in range(0, 60, 7)]
    squares = [batch.sum(axis=0) ** 2 * 7 / len(batch) for batch in batches]
    np.testing.assert_allclose(draws.count_batch_squares[0], np.sum(squares, axis=0))


def test_sigma_is_in_the_units_of_y(regression):
    X, y = regression
    one = bv.sample(X, y, n_replicates=1, random_state=1, **SHORT)
    assert y.std() / 100 < one.sigma.mean() < y.std()
    fixed = bv.sample(X, y, bv.BART(sigma=0.7), n_replicates=1, random_state=1, **SHORT)
    np.testing.assert_allclose(fixed.sigma, 0.7, rtol=1e-12)


@pytest.mark.parametrize("prior", PRIORS.values(), ids=PRIORS)
def test_binary_response(classification, prior):
    X, y = classification
    draws = bv.sample(X, y, prior, n_replicates=2, random_state=1, **SHORT)
    assert draws.response == "binary"
    assert draws.classes.tolist() == [0, 1]
    assert (draws.sigma == 1).all()
    labels = np.where(y == 1, "yes", "no")
    assert_same_bits(draws, bv.sample(X, labels, prior, n_replicates=2, random_state=1, **SHORT))


@pytest.mark.parametrize("prior", PRIORS.values(), ids=PRIORS)
def test_same_bits_on_any_number_of_threads(regression, prior):
    X, y = regression
    settings = {"n_replicates": 8, "random_state": 3, "keep_counts": True, "keep_s": True, **SHORT}
    one = bv.sample(X, y, prior, n_jobs=1, **settings)
    for n_jobs in (2, 7):
        assert_same_bits(one, bv.sample(X, y, prior, n_jobs=n_jobs, **settings))


def test_same_bits_for_every_container(regression):
    X, y = regression
    names = list("abcde")
    expected = bv.sample(X, y, n_replicates=1, random_state=2, **SHORT)
    assert expected.feature_names == ("x0", "x1", "x2", "x3", "x4")
    for frame in (pd.DataFrame(X, columns=names), pl.DataFrame(X, schema=names)):
        draws = bv.sample(frame, y.tolist(), n_replicates=1, random_state=2, **SHORT)
        assert_same_bits(draws, expected)
        assert draws.feature_names == tuple(names)
    assert_same_bits(
        bv.sample(np.asfortranarray(X), y, n_replicates=1, random_state=2, **SHORT), expected
    )


def test_replicates_and_seeds_differ(regression):
    X, y = regression
    draws = bv.sample(X, y, n_replicates=2, random_state=0, **SHORT)
    assert (draws.sigma[0] != draws.sigma[1]).any()
    other = bv.sample(X, y, n_replicates=1, random_state=1, **SHORT)
    assert (draws.sigma[0] != other.sigma[0]).any()


def test_a_fresh_seed_can_be_used_again(regression):
    X, y = regression
    draws = bv.sample(X, y, n_replicates=1, **SHORT)
    assert isinstance(draws.random_state, int)
    again = bv.sample(X, y, n_replicates=1, random_state=draws.random_state, **SHORT)
    assert_same_bits(draws, again)


def test_random_states():
    assert resolve_random_state(5) == resolve_random_state(np.int64(5)) == 5
    assert resolve_random_state(2**130) == 2**130
    assert resolve_random_state(None) != resolve_random_state(None)
    generator = np.random.default_rng(1)
    assert resolve_random_state(generator) != resolve_random_state(generator)
    assert resolve_random_state(np.random.default_rng(1)) == resolve_random_state(
        np.random.default_rng(1)
    )
    assert isinstance(resolve_random_state(np.random.RandomState(1)), int)
    children = np.random.SeedSequence(1).spawn(2)
    assert resolve_random_state(children[0]) != resolve_random_state(children[1])


def test_seeds_of_roles_and_replicates_differ():
    keys = [(role, number) for role in Role for number in range(5)]
    seeds = {chain_seed(7, *key).tobytes() for key in keys}
    assert len(seeds) == len(keys)
    seed = chain_seed(7, Role.REPLICATE, 0)
    assert (seed.dtype, seed.shape) == (np.uint64, (4,))


def test_numbers_of_threads():
    assert resolve_n_jobs(None) == 1
    assert resolve_n_jobs(-1) == usable_cpus()
    assert resolve_n_jobs(3) == 3
    assert resolve_n_jobs(-1000) == 1


def test_split_weights_keep_variables_out(regression):
    X, y = regression
    for prior in (bv.BART, bv.DART):
        weighted = prior(split_weights=[1, 0, 1, 1, 1])
        draws = bv.sample(X, y, weighted, n_replicates=1, random_state=0, **SHORT)
        assert draws.vc[0, 1] == 0
        assert draws.vc.sum() > 0


def test_progress_callback(regression):
    X, y = regression
    seen = []
    bv.sample(X, y, n_replicates=3, progress=lambda *report: seen.append(report), **SHORT)
    assert seen[-1] == (300, 300)
    assert all(0 <= done <= total == 300 for done, total in seen)


def test_an_error_in_the_callback_stops_the_fits(regression):
    X, y = regression

    def fail(done: int, total: int) -> None:
        raise KeyError("callback")

    with pytest.raises(KeyError, match="callback"):  # days before the sampling would be done
        bv.sample(X, y, n_replicates=2, burn_in=10**9, n_draws=1, progress=fail)


def test_no_bar_unless_on_a_terminal(regression, capsys):
    X, y = regression
    bv.sample(X, y, n_replicates=1, progress=True, **SHORT)
    assert capsys.readouterr() == ("", "")


def test_bar_on_a_terminal(monkeypatch, capsys):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    progress.Progress(True, total=10).finish()
    assert "100 %" in capsys.readouterr().err
    assert "1:00:00, ? left" in progress.bar_text(0, 10, 3600)


@pytest.mark.skipif(os.name == "nt", reason="sends a POSIX signal")
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_ctrl_c_stops_with_work_left(n_jobs):
    program = f"""
        import numpy as np, bayesvc as bv
        X = np.random.default_rng(0).uniform(size=(2000, 50))
        started = lambda done, total: print("running", flush=True) if done else None
        bv.sample(X, X[:, 0], n_replicates=4, burn_in=10**8, n_draws=1, n_jobs={n_jobs},
                  progress=started)
    """
    assert_stops_on_ctrl_c(program)


@pytest.mark.parametrize("statement", ["import bayesvc", "import bayesvc; bayesvc.sample(X, y)"])
def test_sampling_loads_no_heavy_packages(statement):
    program = textwrap.dedent(f"""
        import sys, numpy as np
        X, y = np.eye(3), np.arange(3.0)
        {statement.replace("(X, y)", "(X, y, n_replicates=1, burn_in=1, n_draws=1)")}
        heavy = {{"sklearn", "pandas", "polars", "joblib", "narwhals", "matplotlib"}}
        print(sorted(heavy & set(sys.modules)))
    """)
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout == "[]\n"
