"""The result is a function of data, settings and seed alone, down to the last bit."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import numpy as np
import pandas as pd
import pytest

import bayesvc as bv
from bayesvc import _core
from bayesvc.priors.calibration import core_settings
from bayesvc.responses import RESPONSES
from bayesvc.sampling import abc, chain
from tests.helpers.paths import GOLDEN

FINGERPRINTS = GOLDEN / "fingerprints.json"
PRIORS = {
    "bart": bv.BART(),
    "bart-weighted": bv.BART(split_weights=(1, 2, 3, 4, 5, 6, 7, 8)),
    "dart": bv.DART(),
    "dart-explicit": bv.DART(form="explicit"),
    "dart-fixed-alpha": bv.DART(alpha=0.5),
    "leaf-3": bv.DART(min_samples_leaf=3),
    "bart-learned-k": bv.BART(k="learned"),
    "dart-learned-k": bv.DART(k="learned"),
    "perturb": bv.DART(moves=(0.25, 0.25, 0.2, 0.1, 0.2)),
    "deep": bv.BART(gamma=0.99, beta=0.5, moves=(0.3, 0.2, 0.2, 0.3)),
}
ROBUST_PRIORS = {
    "bart-student": bv.BART(errors="student"),
    "dart-student": bv.DART(errors="student", k="learned"),
    "dart-scores": bv.DART(transform="normal-scores"),
}
KINDS = ("continuous", "tied", "binary-y", "outlier")
MESSY_PRIORS = ("bart", "dart", "dart-explicit", "leaf-3", "perturb")
MESSY_KINDS = (
    "missing", "categories", "groups", "weights", "mixed", "mixed-outlier", "mixed-binary-y",
    "mixed-16-bits",
)  # fmt: skip
THREADS = (1, 2, 7)
TRACES = ("vc", "vip", "mpvip", "mi", "sigma", "n_splits", "alpha")


def problem(kind: str) -> tuple[np.ndarray, np.ndarray]:
    """133 rows (no multiple of a vector's width) and 8 columns of exactly representable values."""
    words = np.random.SeedSequence(20260101).generate_state(133 * 9, np.uint32)
    X = (words >> 12).astype(np.float64).reshape(133, 9) / 2**20
    X, noise = X[:, :8], X[:, 8]
    if kind == "tied":
        X = np.floor(X * np.array([2, 2, 3, 3, 5, 10, 40, 2**20]))
    y = 4 * X[:, 0] + 2 * X[:, 2] * X[:, 3] + X[:, 7] / X[:, 7].max() + noise
    if kind == "binary-y":
        y = (y > np.median(y)).astype(np.float64)
    if kind == "outlier":
        y[5] = 1e7
    return X, y


def messy_problem(kind: str) -> tuple[pd.DataFrame, np.ndarray, dict[str, Any]]:
    """X, y and the arguments of `sample` that belong to them; sums of the weights are exact."""
    X, y = problem(kind.removeprefix("mixed-"))
    if kind.endswith("16-bits"):  # rank codes of so many: more than 256 distinct values
        X = np.vstack([X, 1.5 * X, 2.5 * X])
        y = np.concatenate([y, y + 0.25, y - 0.25])
    rows = np.arange(len(X))
    if not kind.startswith(("categories", "groups", "weights")):
        X[rows % 5 == 2, 0] = np.nan
        X[(rows % 7 < 3) | (X[:, 3] > 0.75), 3] = np.nan
        X[rows % 2 == 0, 5] = np.nan
    table = pd.DataFrame(X, columns=[f"c{j}" for j in range(8)])
    if kind.startswith(("categories", "mixed")):
        table["c2"] = pd.Series(rows % 3).map({0: "red", 1: "green", 2: "blue"})
        table["c7"] = pd.Categorical(np.floor(X[:, 7] * 20).astype(int).astype(str))
        y = y + (rows % 3 == 1) * (0 if "binary" in kind else 1)
    arguments: dict[str, Any] = {}
    if kind.startswith(("groups", "mixed")):
        arguments["groups"] = {"one": ["c0", "c4"], "other": ["c5", "c6", "c7"]}
    if kind.startswith(("weights", "mixed")) and "binary" not in kind:
        arguments["sample_weight"] = np.array([0.5, 1.0, 2.0, 0.25, 0.0, 4.0])[rows % 6]
    return table, y, arguments


@pytest.fixture(params=_core.available_kernels())
def kernel(request, monkeypatch):
    """Let all samplers run the plain or a vectorised code path."""

    def chosen(*args, **settings):
        found = core_settings(*args, **settings)
        found.kernel = request.param
        return found

    monkeypatch.setattr(chain, "core_settings", chosen)
    monkeypatch.setattr(abc, "core_settings", chosen)
    return request.param


def fingerprint(draws: bv.Draws) -> str:
    digest = hashlib.sha256()
    for name in TRACES:
        digest.update(np.nan_to_num(getattr(draws, name), nan=-1.0).tobytes())
    for trace in (draws.leaf_sd, draws.df):
        if trace is not None:
            digest.update(trace.tobytes())
    if draws.abc is not None:
        digest.update(draws.abc.discrepancy.tobytes() + draws.abc.kept.tobytes())
    return digest.hexdigest()[:16]


@pytest.mark.usefixtures("kernel")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("prior", PRIORS)
def test_fingerprint(prior, kind, request):
    """The bits of the last release. `pytest --regenerate-golden` accepts new ones."""
    X, y = problem(kind)
    draws = bv.sample(X, y, PRIORS[prior], n_replicates=2, burn_in=150, n_draws=150, random_state=3)
    check_fingerprint(f"{prior}/{kind}", draws, request)


@pytest.mark.usefixtures("kernel")
@pytest.mark.parametrize("kind", ["continuous", "outlier", "weights", "mixed"])
@pytest.mark.parametrize("prior", ROBUST_PRIORS)
def test_fingerprint_of_robust_responses(prior, kind, request):
    X, y, arguments = (*problem(kind), {}) if kind in KINDS else messy_problem(kind)
    draws = bv.sample(
        X, y, ROBUST_PRIORS[prior], **arguments, n_replicates=2, burn_in=150, n_draws=150,
        random_state=3,
    )  # fmt: skip
    check_fingerprint(f"{prior}/{kind}", draws, request)


@pytest.mark.usefixtures("kernel")
@pytest.mark.parametrize("kind", KINDS)
def test_fingerprint_of_spike_forests(kind, request):
    X, y = problem(kind)
    draws = bv.sample(X, y, bv.SpikeForest(n_samples=60, burn_in=50), random_state=3)
    check_fingerprint(f"spike-forest/{kind}", draws, request)


@pytest.mark.usefixtures("kernel")
@pytest.mark.parametrize("n_jobs", THREADS)
@pytest.mark.parametrize("kind", MESSY_KINDS)
@pytest.mark.parametrize("prior", MESSY_PRIORS)
def test_fingerprint_of_messy_data(prior, kind, n_jobs, request):
    """Missing values, categories, groups and weights; as many fits as keep seven threads busy."""
    X, y, arguments = messy_problem(kind)
    draws = bv.sample(
        X, y, PRIORS[prior], **arguments, n_replicates=8, burn_in=50, n_draws=50, random_state=3,
        n_jobs=n_jobs,
    )  # fmt: skip
    check_fingerprint(f"{prior}/{kind}", draws, request)


@pytest.mark.usefixtures("kernel")
@pytest.mark.parametrize("n_jobs", THREADS)
@pytest.mark.parametrize("kind", [k for k in MESSY_KINDS if not k.startswith("weights")])
def test_fingerprint_of_spike_forests_on_messy_data(kind, n_jobs, request):
    X, y, arguments = messy_problem(kind)
    arguments.pop("sample_weight", None)  # which ABC does not take
    prior = bv.SpikeForest(n_samples=30, burn_in=30)
    draws = bv.sample(X, y, prior, **arguments, random_state=3, n_jobs=n_jobs)
    check_fingerprint(f"spike-forest/{kind}", draws, request)


def check_fingerprint(name: str, draws: bv.Draws, request: pytest.FixtureRequest) -> None:
    known = json.loads(FINGERPRINTS.read_text()) if FINGERPRINTS.exists() else {}
    if request.config.getoption("--regenerate-golden"):
        known[name] = fingerprint(draws)
        FINGERPRINTS.write_text(json.dumps(dict(sorted(known.items())), indent=1) + "\n")
    assert fingerprint(draws) == known[name], (
        "results for a given seed changed: if that is meant, say so in CHANGELOG.md and run "
        "pytest --regenerate-golden"
    )


@pytest.mark.parametrize("precision", ["single", "double"])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("prior", PRIORS)
def test_vectorised_and_plain_code_agree(prior, kind, precision):
    X, y = problem(kind)
    binary = kind == "binary-y"
    response = RESPONSES["binary" if binary else "continuous"]
    calibration = response.calibrate(PRIORS[prior], y, 10, linear_model=_core.LinearModel(X))
    scaled = y if binary else (y - y.min()) / (y.max() - y.min()) - 0.5
    results = []
    for kernel in _core.available_kernels():
        settings = core_settings(PRIORS[prior], calibration, 10, X.shape[1])
        settings.kernel = kernel
        settings.precision = precision
        seed = np.arange(1, 5, dtype=np.uint64)
        results.append(
            _core.fit(
                _core.Columns(X), scaled, settings, seed, 60, 60,
                False, False, False, _core.Control(),
            )
        )  # fmt: skip
    plain, *others = results
    for vectorised in others:
        for name in TRACES:
            assert plain[name].tobytes() == vectorised[name].tobytes(), name
