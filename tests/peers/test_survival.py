"""Censored times where the truth is linear: `BARTSurvival` against a log-normal model of lifelines.

The linear model is the truth, so its coefficients and its sigma are close to it, and a forest can
only come near. It must not be further from the truth than its own error allows.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import bayesvc as bv
from bayesvc.estimators.concordance import concordance_index

pytestmark = [
    pytest.mark.peers,
    pytest.mark.timeout(1800),
    # The peers' own warnings are not ours to mend.
    pytest.mark.filterwarnings("default"),
]

lifelines = pytest.importorskip("lifelines")
SIGMA = 0.5
COEFFICIENTS = np.array([1.0, -0.5, 0.0])


def linear_data(rng, n, shift):
    X = rng.normal(size=(n, 3))
    log_time = 1 + X @ COEFFICIENTS + SIGMA * rng.normal(size=n)
    limit = rng.normal(1 + shift, 1.2, size=n)
    return X, np.minimum(log_time, limit), log_time <= limit


@pytest.mark.parametrize("shift", [1.0, -0.4])
def test_a_linear_truth(shift, rng):
    """About 25 and 60 % of the times are censored."""
    X, log_time, event = linear_data(rng, 800, shift)
    table = pd.DataFrame(X, columns=list("abc")).assign(time=np.exp(log_time), event=event)
    fitter = lifelines.LogNormalAFTFitter().fit(table, "time", "event")
    assert float(np.exp(fitter.params_["sigma_", "Intercept"])) == pytest.approx(SIGMA, abs=0.06)
    y = bv.Surv(np.exp(log_time), event)
    model = bv.BARTSurvival(n_replicates=4, random_state=0).fit(X, y)
    draws = model.draws_
    assert draws.sigma.mean() == pytest.approx(SIGMA, abs=0.1)
    new = rng.normal(size=(500, 3)).clip(-1.5, 1.5)
    truth = 1 + new @ COEFFICIENTS
    median, low, high = model.predict(new, return_interval=0.95)
    linear = fitter.predict_median(pd.DataFrame(new, columns=list("abc")))
    assert np.abs(np.log(linear) - truth).mean() < 0.1
    assert np.abs(np.log(median) - truth).mean() < 0.25
    assert ((low < np.exp(truth)) & (np.exp(truth) < high)).mean() > 0.8
    assert model.feature_importances_[2] < model.feature_importances_[:2].min()


def test_concordance_is_that_of_lifelines(rng):
    """Times without ties, for which all definitions agree."""
    X, log_time, event = linear_data(rng, 300, 0.3)
    predicted = X[:, 0] + rng.normal(size=300)
    ours = concordance_index(bv.Surv(np.exp(log_time), event), predicted)
    assert ours == pytest.approx(lifelines.utils.concordance_index(log_time, predicted, event))
