"""Draws made of fits of the real stochtree, bartz and pymc-bart.

Their split counts are compared with a walk through the trees and with the counts that the package
itself reports, and the selection finds the relevant variables of an easy problem.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import bayesvc as bv
from bayesvc import measures, thresholds
from bayesvc.draws.adapters import pymc_bart

pytestmark = [
    pytest.mark.peers,
    pytest.mark.timeout(600),
    # The peers' own warnings are not ours to mend.
    pytest.mark.filterwarnings("default"),
]

RELEVANT = [1, 4, 6]
N_TREES, N_DRAWS = 20, 60
Counts = NDArray[np.integer]


@cache
def data() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    rng = np.random.default_rng(3)
    X = rng.uniform(size=(200, 12))
    signal = 10 * X[:, 1] + 8 * (X[:, 4] - 0.5) ** 2 * 4 + 8 * (X[:, 6] > 0.5)
    return X, 100 + 5 * (signal + rng.normal(scale=0.5, size=200))


def assert_finds_the_relevant(draws: bv.Draws) -> None:
    selected = thresholds.clustering(measures.vc_measure(draws))
    assert np.flatnonzero(selected).tolist() == RELEVANT
    with pytest.raises(ValueError, match="`draws` must hold 'mi'"):
        measures.metropolis_importance(draws)


def assert_sigma_is_plausible(draws: bv.Draws) -> None:
    """The noise has an sd of 2.5 in the units of y; nothing has mixed after so few draws."""
    assert draws.sigma.shape == draws.n_splits.shape
    assert 1.5 < draws.sigma.mean() < 8


# ---- pymc-bart -------------------------------------------------------------------
# First in this file: a BART variable forks a process, which is unsafe once JAX has run.


def sample_pymc(model: Any, n_draws: int, seed: int, **settings: Any) -> Any:
    import pymc

    quiet = {"progressbar": False, "compute_convergence_checks": False}
    return pymc.sample(
        draws=n_draws,
        tune=103,
        chains=1,
        cores=1,
        random_seed=seed,
        model=model,
        **quiet,
        **settings,
    )


def walk_pymc(variable: Any, n_columns: int) -> Counts:
    """Count by draw, over all chains in the order in which they ended."""
    op = variable.owner.op
    history = list(op.all_trees)
    if isinstance(history[0], tuple):
        forests = [forest for chain in history for forest in forests_of_chain(*chain)]
        used = [[tree.split_var[: tree.size] for tree in forest] for forest in forests]
    else:
        used = [[list(tree.get_split_variables()) for tree in np.ravel(f)] for f in history]
    flat = [np.concatenate(forest).astype(np.int64) for forest in used]
    # A leaf bears a number that no variable has.
    return np.array([np.bincount(j[j < n_columns], minlength=n_columns) for j in flat])


def forests_of_chain(baseline: list[Any], batches: list[tuple[int, list[Any]]]) -> list[list[Any]]:
    """Put together the forests of a chain that was stored as its first one and what changed."""
    forest, found = list(baseline), []
    for start, trees in batches:
        for k, tree in enumerate(trees):
            forest[(start + k) % len(forest)] = tree
        found.append(list(forest))
    return found


def test_pymc_bart() -> None:
    pymc_bart = pytest.importorskip("pymc_bart")
    import pymc

    X, y = data()
    with pymc.Model() as model:
        mu = pymc_bart.BART("mu", X, y, m=N_TREES)
        sigma = pymc.HalfNormal("sigma", y.std())
        pymc.Normal("y", mu, sigma, observed=y)
    traces = [sample_pymc(model, 200, seed) for seed in (1, 2, 3)]
    draws = bv.Draws.from_pymc_bart(traces, model, sigma_name="sigma")
    assert draws.counts is not None
    assert draws.counts.shape == (3, 181, X.shape[1])
    walked = walk_pymc(mu, X.shape[1]).reshape(3, 200, -1)
    np.testing.assert_array_equal(draws.counts, walked[:, 19:])
    for trace, values in zip(traces, draws.sigma, strict=True):
        np.testing.assert_array_equal(values, trace["posterior"]["sigma"].values[0, 19:])
    assert_finds_the_relevant(draws)
    assert np.isnan(bv.Draws.from_pymc_bart(traces, model).sigma).all()
    assert_pymc_counts_as_reported(traces[0], model, X)
    assert_pymc_errors(traces[0], model)


def assert_pymc_counts_as_reported(trace: Any, model: Any, X: Any) -> None:
    """The package reports the share of each variable in all splits that its steps recorded."""
    from pymc_bart import get_variable_inclusion

    shares, labels = get_variable_inclusion(trace, X)
    recorded = pymc_bart._batches("idata", trace, 0, 1)[0].sum(axis=0)
    np.testing.assert_allclose((recorded / recorded.sum())[[int(j) for j in labels]], shares)


def assert_pymc_errors(trace: Any, model: Any) -> None:
    make = bv.Draws.from_pymc_bart
    with pytest.raises(ValueError, match=r"`sigma_name` must name .*Got 'mu'.*\['sigma'\]"):
        make(trace, model, sigma_name="mu")
    with pytest.raises(ValueError, match=r"`var_name` must name .*which has: 'mu'. Got 'nu'"):
        make(trace, model, var_name="nu")
    with pytest.raises(ValueError, match=r"must have all draws from 0 to 198.*not thinned"):
        make(trace.isel(draw=slice(None, None, 2)), model)
    with pytest.raises(ValueError, match=r"at least 20 draws.*two sweeps of 10 steps.*Got 19"):
        make(trace.isel(draw=slice(19)), model)
    with pytest.raises(ValueError, match=r"`idata` must have variable_inclusion"):
        make({"sample_stats": {}}, model)
    with pytest.raises(TypeError, match=r"`model` must be the pymc.Model .*Got None"):
        make(trace, None)


def test_pymc_bart_with_two_forests_and_other_batches() -> None:
    """The batches of the tuning phase end within a batch of the draws that follow."""
    pymc_bart = pytest.importorskip("pymc_bart")
    import pymc

    PGBART = getattr(pymc_bart, "PGBART", None)
    if PGBART is None:  # pymc-bart 0.12 and later
        from bartrs.pgbart import PGBART

    X, y = data()
    with pymc.Model() as model:
        first = pymc_bart.BART("first", X[:, :5], y, m=20)
        second = pymc_bart.BART("second", X[:, 5:], y - y.mean(), m=12)
        pymc.Normal("y", first + second, 5.0, observed=y)
        steps = [
            PGBART([first], batch=(0.15, 0.2)),
            PGBART([second], batch=(0.1, 0.25)),
        ]
    trace = sample_pymc(model, 30, 1, step=steps)
    make = bv.Draws.from_pymc_bart
    for variable, name, batch, n_sweep in ((first, "first", 0.2, 5), (second, "second", 0.25, 4)):
        n_columns = 5 if name == "first" else 7
        draws = make(trace, model, var_name=name, batch=batch)
        assert draws.counts is not None
        walked = walk_pymc(variable, n_columns)
        np.testing.assert_array_equal(draws.counts[0], walked[2 * n_sweep - 1 :])
    with pytest.raises(ValueError, match=r"which has: 'first', 'second'. Got None"):
        make(trace, model)


# ---- stochtree -------------------------------------------------------------------


def fit_stochtree(X: Any, y: Any, seed: int = 0, burn_in: int = 300, **general: Any) -> Any:
    stochtree = pytest.importorskip("stochtree")
    model = stochtree.BARTModel()
    model.sample(
        X_train=X,
        y_train=y,
        num_gfr=general.pop("num_gfr", 0),
        num_burnin=burn_in,
        num_mcmc=general.pop("num_mcmc", N_DRAWS),
        general_params={"random_seed": seed + 1, **general},
        mean_forest_params={"num_trees": N_TREES},
    )
    return model


def walk_stochtree(model: Any, n_columns: int) -> Counts:
    forests = model.forest_container_mean
    counts = np.zeros((forests.num_samples(), n_columns), int)
    for k, row in enumerate(counts):
        for tree in range(N_TREES):
            for node in forests.nodes(k, tree):
                if not forests.is_leaf_node(k, tree, node):
                    row[forests.node_split_index(k, tree, node)] += 1
    return counts


def test_stochtree() -> None:
    X, y = data()
    models = [fit_stochtree(X, y, seed) for seed in range(3)]
    draws = bv.Draws.from_stochtree(models)
    assert draws.counts is not None
    assert draws.counts.shape == (3, N_DRAWS, X.shape[1])
    for model, counts, sigma in zip(models, draws.counts, draws.sigma, strict=True):
        np.testing.assert_array_equal(counts, walk_stochtree(model, X.shape[1]))
        overall = model.forest_container_mean.get_overall_split_counts(X.shape[1])
        np.testing.assert_array_equal(counts.sum(axis=0), overall)
        np.testing.assert_allclose(sigma**2, model.global_var_samples, rtol=1e-12)
    assert_sigma_is_plausible(draws)
    assert_finds_the_relevant(draws)
    assert "stochtree" in repr(draws)


def test_stochtree_chains_are_replicates() -> None:
    X, y = data()
    model = fit_stochtree(X, y, num_chains=2, num_gfr=10)
    draws = bv.Draws.from_stochtree(model)
    assert draws.counts is not None
    assert draws.counts.shape == (2, N_DRAWS, X.shape[1])
    walked = walk_stochtree(model, X.shape[1])
    np.testing.assert_array_equal(draws.counts.reshape(walked.shape), walked)
    np.testing.assert_allclose(draws.sigma.ravel() ** 2, model.global_var_samples, rtol=1e-12)


def test_stochtree_categories_count_for_their_variable() -> None:
    pd = pytest.importorskip("pandas")
    X, y = data()
    frame = pd.DataFrame(X[:, :5])
    levels = np.array(list("abcd"))[(X[:, 6] * 4).astype(int)]
    frame.insert(2, "level", pd.Categorical(levels))
    model = fit_stochtree(frame, y)
    draws = bv.Draws.from_stochtree(model, feature_names=[str(name) for name in frame.columns])
    walked = walk_stochtree(model, 9)
    grouped = np.column_stack([walked[:, :2], walked[:, 2:6].sum(axis=1), walked[:, 6:]])
    assert draws.counts is not None
    np.testing.assert_array_equal(draws.counts[0], grouped)
    most_used = np.argsort(-draws.vc[0])[:3]
    assert {draws.feature_names[j] for j in most_used} == {"1", "level", "4"}


def test_stochtree_sigma_where_it_is_not_sampled() -> None:
    X, y = data()
    stochtree = pytest.importorskip("stochtree")
    fixed = fit_stochtree(X, y, sample_sigma2_global=False, sigma2_init=0.25)
    np.testing.assert_allclose(bv.Draws.from_stochtree(fixed).sigma, 0.5 * y.std(), rtol=1e-12)
    outcome = stochtree.OutcomeModel(outcome="binary", link="probit")
    probit = fit_stochtree(X, y > y.mean(), outcome_model=outcome, sample_sigma2_global=False)
    assert (bv.Draws.from_stochtree(probit).sigma == 1).all()


def test_stochtree_estimators_and_grow_from_root() -> None:
    from stochtree import StochTreeBARTRegressor

    X, y = data()
    general = {"random_seed": 1}
    estimator = StochTreeBARTRegressor(num_gfr=15, num_mcmc=0, general_params=general).fit(X, y)
    draws = bv.Draws.from_stochtree(estimator)
    assert draws.vc.shape == (1, X.shape[1])
    assert draws.n_draws == 15


def test_stochtree_refuses_what_it_cannot_tell() -> None:
    stochtree = pytest.importorskip("stochtree")
    with pytest.raises(TypeError, match=r"`models` must be a sampled .*`sample` first"):
        bv.Draws.from_stochtree(stochtree.BARTModel())
    X, y = data()
    short = {"burn_in": 10, "num_mcmc": 20}
    with pytest.raises(ValueError, match=r"each of the 20 draws .*Got 30 forests.*keep_burnin"):
        bv.Draws.from_stochtree(fit_stochtree(X, y, keep_burnin=True, **short))
    models = [fit_stochtree(X, y, **short), fit_stochtree(X, y, burn_in=10, num_mcmc=21)]
    with pytest.raises(ValueError, match=r"Got 21 draws of 12 variables in model 1"):
        bv.Draws.from_stochtree(models)


# ---- bartz -----------------------------------------------------------------------


def walk_bartz(model: Any, n_columns: int) -> Counts:
    """Count by chain and draw; a node of the heap without a cut is a leaf or none at all."""
    trace = model._main_trace
    cuts, variables = np.asarray(trace.split_tree), np.asarray(trace.var_tree)
    forests = (-1, N_TREES * cuts.shape[-1])
    pairs = zip(cuts.reshape(forests), variables.reshape(forests), strict=True)
    return np.array([np.bincount(j[cut > 0], minlength=n_columns) for cut, j in pairs])


def test_bartz_chains_are_replicates() -> None:
    bartz = pytest.importorskip("bartz")
    X, y = data()
    model = bartz.Bart(
        x_train=X.T, y_train=y, num_trees=N_TREES, n_burn=500, n_save=N_DRAWS, num_chains=3, seed=1
    )
    draws = bv.Draws.from_bartz(model)
    assert draws.counts is not None
    assert draws.counts.shape == (3, N_DRAWS, X.shape[1])
    flat = draws.counts.reshape(-1, X.shape[1])
    np.testing.assert_array_equal(flat, walk_bartz(model, X.shape[1]))
    np.testing.assert_array_equal(flat, model.varcount)
    precision = np.asarray(model.get_latent_prec())[:, -N_DRAWS:]
    np.testing.assert_allclose(draws.sigma, precision**-0.5, rtol=1e-5)
    assert_sigma_is_plausible(draws)
    assert_finds_the_relevant(draws)


def test_bartz_in_the_manner_of_r() -> None:
    BART = pytest.importorskip("bartz").BART
    X, y = data()
    settings = {"ntree": N_TREES, "nskip": 500, "ndpost": 2 * N_DRAWS, "printevery": None}
    one = BART.gbart(X, y, seed=1, **settings)
    two = BART.mc_gbart(X, y, seed=2, mc_cores=2, **settings)
    draws = bv.Draws.from_bartz(two)
    assert draws.counts is not None
    assert draws.counts.shape == (2, N_DRAWS, X.shape[1])
    walked = walk_bartz(two, X.shape[1])
    np.testing.assert_array_equal(draws.counts.reshape(walked.shape), walked)
    np.testing.assert_allclose(draws.sigma, np.asarray(two.sigma)[-N_DRAWS:].T, rtol=1e-6)
    assert_sigma_is_plausible(draws)
    single = bv.Draws.from_bartz(one)
    assert single.vc.shape == (1, X.shape[1])
    np.testing.assert_allclose(measures.vc(single), one.varcount_mean, rtol=1e-5)
    with pytest.raises(ValueError, match=r"Got 60 draws of 12 .*model 1, and 120 of 12 in model 0"):
        bv.Draws.from_bartz([one, two])


def test_bartz_binary_response() -> None:
    BART = pytest.importorskip("bartz").BART
    X, y = data()
    settings = {"ntree": N_TREES, "nskip": 50, "ndpost": N_DRAWS, "printevery": None}
    model = BART.gbart(X, y > y.mean(), type="pbart", seed=1, **settings)
    assert (bv.Draws.from_bartz(model).sigma == 1).all()
    assert (bv.Draws.from_bartz(model._bart).sigma == 1).all()
