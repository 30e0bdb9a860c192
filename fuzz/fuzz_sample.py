"""Random data, priors and settings to the sampler. Allowed: a result, or a refusal.

python fuzz/fuzz_sample.py [options of libFuzzer] folder-of-inputs
"""

from __future__ import annotations

import contextlib
import dataclasses
from typing import Any

import atheris
import harness
import numpy as np
import pandas as pd

with atheris.instrument_imports(include=["bayesvc"]):
    import bayesvc as bv
    from bayesvc import _core
    from bayesvc.priors.calibration import core_settings
    from bayesvc.responses.read import read_dataset
    from bayesvc.sampling.chain import calibrate

REFUSALS = (ValueError, TypeError, MemoryError)


def prior_of(fdp: atheris.FuzzedDataProvider) -> bv.DART | bv.BART | bv.SpikeForest:
    """Return a prior with a few settings that may be anything."""
    kind = fdp.PickValueInList([bv.BART, bv.DART, bv.SpikeForest])
    settings = {}
    if kind is bv.SpikeForest:
        settings = {"n_samples": fdp.ConsumeIntInRange(1, 20), "burn_in": 5}
    names = [field.name for field in dataclasses.fields(kind)]
    for _ in range(fdp.ConsumeIntInRange(0, 3)):
        name = fdp.PickValueInList(names)
        if name in ("n_samples", "burn_in"):
            continue
        if name == "min_samples_leaf":
            settings[name] = fdp.ConsumeIntInRange(0, 6)
        elif name == "moves":
            settings[name] = tuple(abs(harness.number(fdp)) for _ in range(5))
        elif name == "split_weights":
            settings[name] = [harness.number(fdp) for _ in range(fdp.ConsumeIntInRange(0, 5))]
        elif name == "form":
            settings[name] = fdp.PickValueInList(["auto", "explicit", "collapsed", "other"])
        else:
            settings[name] = harness.number(fdp)
    return kind(**settings)


def matrix(fdp: atheris.FuzzedDataProvider) -> np.ndarray:
    """Return up to 40 rows and 5 columns."""
    n, p = fdp.ConsumeIntInRange(0, 40), fdp.ConsumeIntInRange(0, 5)
    X = np.empty((n, p), order=fdp.PickValueInList(["C", "F"]))
    for j in range(p):
        X[:, j] = harness.column(fdp, n)
    return X


def response_to(fdp: atheris.FuzzedDataProvider, n: int) -> np.ndarray:
    """Return a response of numbers, or of zeros and ones."""
    y = harness.column(fdp, n)
    return y if fdp.ConsumeBool() else (y > 0).astype(float)


def check_draws(draws: bv.Draws) -> None:
    """Whatever was sampled makes sense."""
    assert np.isfinite(draws.sigma).all(), draws.sigma
    assert np.isfinite(draws.vc).all()
    assert (draws.sigma > 0).all() or draws.abc is not None, draws.sigma  # ABC: y may not vary
    assert (draws.vc >= 0).all()
    assert (draws.vip >= 0).all()
    assert (draws.mi >= 0).all()
    assert (draws.mpvip <= 1).all()
    repr(draws)


def table(fdp: atheris.FuzzedDataProvider, X: np.ndarray) -> np.ndarray | pd.DataFrame:
    """Return the matrix, or a frame of it with columns of text or categories."""
    if fdp.ConsumeBool():
        return X
    frame = pd.DataFrame(X, columns=[f"c{j}" for j in range(X.shape[1])])
    for j in range(fdp.ConsumeIntInRange(0, 2)):
        n_labels = fdp.PickValueInList([1, 2, 3, 10, 64, 65])
        codes = np.random.default_rng(j).integers(n_labels, size=len(X))
        labels = [None if k == 9 else f"label {k}" for k in codes]
        frame[f"t{j}"] = pd.Categorical(labels) if fdp.ConsumeBool() else labels
    return frame


def about_rows_and_columns(fdp: atheris.FuzzedDataProvider, X: np.ndarray) -> dict[str, Any]:
    """Return groups of columns and weights of rows, now and then."""
    found: dict[str, Any] = {}
    if fdp.ConsumeIntInRange(0, 3) == 0:
        found["groups"] = {"g": [fdp.ConsumeIntInRange(0, 5) for _ in range(2)]}
    if fdp.ConsumeIntInRange(0, 3) == 0:
        found["sample_weight"] = np.abs(harness.column(fdp, len(X)))
    return found


def through_python(fdp: atheris.FuzzedDataProvider) -> None:
    """`sample`, and what follows from it."""
    X = matrix(fdp)
    y = response_to(fdp, len(X))
    keep = fdp.ConsumeBool()
    prior = prior_of(fdp)
    settings = {"n_trees": fdp.ConsumeIntInRange(1, 4), "random_state": 0, "n_jobs": 1}
    if not isinstance(prior, bv.SpikeForest):
        settings |= {
            "n_replicates": 2, "burn_in": fdp.ConsumeIntInRange(0, 20),
            "n_draws": fdp.ConsumeIntInRange(1, 20), "keep_counts": keep, "keep_trees": keep,
        }  # fmt: skip
    settings |= about_rows_and_columns(fdp, X)
    X = table(fdp, X)
    draws = bv.sample(X, y, prior, **settings)
    check_draws(draws)
    if draws.forests is not None:
        assert np.isfinite(draws.predict(X, n_jobs=1)).all()
        assert (draws.counts.sum(axis=2) == draws.n_splits).all()
    if draws.n_features > 1 and fdp.ConsumeBool():
        bv.select_from(draws)


def through_core(fdp: atheris.FuzzedDataProvider) -> None:
    """`_core.fit` with missing values, categories, groups and weights of rows."""
    n, p = fdp.ConsumeIntInRange(2, 40), fdp.ConsumeIntInRange(1, 5)
    X = np.column_stack([harness.column(fdp, n) for _ in range(p)])
    X[np.isinf(X)] = np.nan
    n_categories = [fdp.PickValueInList([0, 0, 1, 2, 5, 63, 64]) for _ in range(p)]
    for j, k in enumerate(n_categories):
        if k:
            X[:, j] = np.random.default_rng(j).integers(fdp.ConsumeIntInRange(1, k), size=n)
    groups = []
    if fdp.ConsumeBool():
        for _ in range(fdp.ConsumeIntInRange(1, 3)):
            size = fdp.ConsumeIntInRange(1, p)
            groups.append([fdp.ConsumeIntInRange(0, p - 1) for _ in range(size)])
    columns = _core.Columns(X, keep_values=True, n_categories=n_categories, groups=groups)
    columns.correlations([0])
    y = response_to(fdp, n)
    prior = prior_of(fdp)
    if isinstance(prior, bv.SpikeForest):
        return
    data = read_dataset(np.random.default_rng(0).normal(size=(n, 2)), y, "auto")
    settings = core_settings(prior, calibrate(data, prior, data.weighted_response, 3), 3, columns.p)
    if fdp.ConsumeBool() and settings.response != "probit":
        settings.row_weights = np.exp(np.random.default_rng(1).normal(size=n))
    scaled = data.calibration(prior, data.arranged, 3).scale(data.y.values)
    seed = np.arange(4, dtype=np.uint64)
    found = []
    for kernel in ("plain", "auto"):
        settings.kernel = kernel
        fit = _core.fit(
            columns, scaled, settings, seed, 10, 10, True, True, True, _core.Control(), True
        )
        found.append(fit)
        assert np.isfinite(fit["sigma"]).all()
        assert (fit["counts"].sum(axis=1) == fit["n_splits"]).all()
    assert (found[0]["sigma"] == found[1]["sigma"]).all()
    assert (found[0]["counts"] == found[1]["counts"]).all()
    forests = _core.SavedForests.from_arrays(found[0]["forests"].to_arrays())
    at_rows = forests.predict(X, n_threads=2)
    assert np.isfinite(at_rows).all()
    np.testing.assert_allclose(at_rows.mean(axis=0), found[0]["fitted"], atol=1e-3)
    elsewhere = np.column_stack([harness.column(fdp, 3) for _ in range(p)])
    assert np.isfinite(forests.predict(elsewhere)).all()


def test_one_input(data: bytes) -> None:
    """One data set."""
    fdp = atheris.FuzzedDataProvider(data)
    with contextlib.suppress(REFUSALS):
        (through_python if fdp.ConsumeBool() else through_core)(fdp)


if __name__ == "__main__":
    harness.run(test_one_input, [bytes(range(256)), bytes(256), bytes(range(255, -1, -1)) * 2])
