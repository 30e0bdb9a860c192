"""The result is a function of data, settings and seed alone, down to the last bit."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import numpy as np
import pytest

import bayesvc as bv
from bayesvc import _core
from bayesvc.priors import calibrate, core_settings

GOLDEN = Path(__file__).parent / "golden" / "fingerprints.json"
PRIORS = {
    "bart": bv.BART(),
    "bart-weighted": bv.BART(split_weights=(1, 2, 3, 4, 5, 6, 7, 8)),
    "dart": bv.DART(),
    "dart-explicit": bv.DART(form="explicit"),
    "dart-fixed-alpha": bv.DART(alpha=0.5),
    "leaf-3": bv.DART(min_samples_leaf=3),
    "deep": bv.BART(gamma=0.99, beta=0.5, moves=(0.3, 0.2, 0.2, 0.3)),
}
KINDS = ("continuous", "tied", "binary-y", "outlier")
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


def fingerprint(draws: bv.Draws) -> str:
    digest = hashlib.sha256()
    for name in TRACES:
        digest.update(np.nan_to_num(getattr(draws, name), nan=-1.0).tobytes())
    if draws.abc is not None:
        digest.update(draws.abc.discrepancy.tobytes() + draws.abc.kept.tobytes())
    return digest.hexdigest()[:16]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("prior", PRIORS)
def test_fingerprint(prior, kind, request):
    """The bits of the last release. `pytest --regenerate-golden` accepts new ones."""
    X, y = problem(kind)
    draws = bv.sample(X, y, PRIORS[prior], n_replicates=2, burn_in=150, n_draws=150, random_state=3)
    check_fingerprint(f"{prior}/{kind}", draws, request)


@pytest.mark.parametrize("kind", KINDS)
def test_fingerprint_of_spike_forests(kind, request):
    X, y = problem(kind)
    draws = bv.sample(X, y, bv.SpikeForest(n_samples=60, burn_in=50), random_state=3)
    check_fingerprint(f"spike-forest/{kind}", draws, request)


def check_fingerprint(name: str, draws: bv.Draws, request: pytest.FixtureRequest) -> None:
    known = json.loads(GOLDEN.read_text()) if GOLDEN.exists() else {}
    if request.config.getoption("--regenerate-golden"):
        known[name] = fingerprint(draws)
        GOLDEN.write_text(json.dumps(dict(sorted(known.items())), indent=1) + "\n")
    assert fingerprint(draws) == known[name], (
        "results for a given seed changed: if that is meant, say so in CHANGELOG.md and run "
        "pytest --regenerate-golden"
    )


@pytest.mark.skipif(_core.kernel_in_use() == "plain", reason="this CPU has the plain path alone")
@pytest.mark.parametrize("precision", ["single", "double"])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("prior", PRIORS)
def test_vectorised_and_plain_code_agree(prior, kind, precision):
    X, y = problem(kind)
    binary = kind == "binary-y"
    calibration = calibrate(PRIORS[prior], y, 10, binary=binary, linear_model=_core.LinearModel(X))
    scaled = y if binary else (y - y.min()) / (y.max() - y.min()) - 0.5
    results = []
    for kernel in ("plain", "avx2"):
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
    plain, vectorised = results
    for name in TRACES:
        assert plain[name].tobytes() == vectorised[name].tobytes(), name
