"""Odd inputs to the scikit-learn estimators, and to predictions."""

from __future__ import annotations

import numpy as np
import pandas as pd
from sklearn.exceptions import NotFittedError

import bayesvc as bv
from tests.helpers.settings import TINY
from tests.odd_inputs.case import Accepted, Case, Refused
from tests.odd_inputs.data import X, Y, sample, with_value
from tests.odd_inputs.files import fixture

FRAME = pd.DataFrame(X, columns=["a", "b", "c"])
SITES = pd.DataFrame({"site": ["north", "south"] * 15, "a": X[:, 0]})
ONE = TINY | {"n_replicates": 1, "random_state": 0}


def frame_draws() -> bv.Draws:
    return sample(FRAME, keep_trees=True)


def site_model() -> bv.BARTRegressor:
    """A fit to two categories."""
    return bv.BARTRegressor(**ONE).fit(SITES, Y)


CASES: list[Case] = [
    Refused("`VariableSelector().transform(X)` before `fit`",
            lambda: bv.VariableSelector().transform(X), NotFittedError, ("not fitted yet",)),
    Refused("`VariableSelector().fit(X, None)`", lambda: bv.VariableSelector().fit(X, None),
            ValueError, ("requires y to be passed",)),
    Refused('`VariableSelector(n_trees="20").fit(X, y)`; the error comes with `fit`, not before',
            lambda: bv.VariableSelector(n_trees="20").fit(X, Y), TypeError, ("Got '20'",)),
    Refused("`VariableSelector().fit(X, y)` with an infinite value",
            lambda: bv.VariableSelector().fit(with_value(X, (0, 0), np.inf), Y), ValueError,
            ("Input X contains infinity",)),
    Refused("`BARTClassifier().fit(X, y)` with three classes",
            lambda: bv.BARTClassifier().fit(X, np.arange(30) % 3), ValueError,
            ("Only binary", "OneVsRestClassifier")),
    Refused("`BARTRegressor().fit(X, y)` with text",
            lambda: bv.BARTRegressor().fit(X, ["a", "b"] * 15), TypeError,
            ("`y` must hold numbers", "Got text", "BARTClassifier")),
    Refused("`BARTRegressor(prior=SpikeForest()).fit(X, y)`",
            lambda: bv.BARTRegressor(prior=bv.SpikeForest()).fit(X, Y), ValueError,
            ("must keep trees to predict with", "Pass bayesvc.BART()")),
    Refused("a prediction from more columns than the fitted data had",
            lambda: fixture("bart").predict(np.ones((2, 4))), ValueError,
            ("`X` must have the 3 columns", "Got 4 columns")),
    Refused("a prediction with a missing value in a column that had none in the fitted data",
            lambda: fixture("bart").predict([[np.nan, 1, 1]]), ValueError,
            ("`X`", "only in columns that had some", "in 'x0'", "Fill them")),
    Refused("a prediction from draws without trees",
            lambda: fixture("spike-forest").predict(np.ones((2, 3))), ValueError,
            ("keep",)),
    Refused("`draws.predict(X, interval=90)`",
            lambda: fixture("bart").predict(np.ones((2, 3)), interval=90), ValueError,
            ("Got 90", "such as 0.9")),
    Refused("`draws.extend(1)` of draws from a file, without the data",
            lambda: fixture("bart").extend(1), ValueError,
            ("`X` and `y` must be given", "Pass the data of the first")),
    Refused("`draws.extend(1, X, y)` with other data",
            lambda: fixture("bart").extend(1, X, Y), ValueError,
            ("`X` and `y` must be the data", "Pass the same"),
            r"[0-9a-f]{32}"),
    Refused("a prediction for a category that the fitted data did not have",
            lambda model: model.predict(SITES.assign(site="west")), ValueError,
            ("'site' of `X` must hold", "'north', 'south'", "Got 'west'"), given=site_model),
    Refused("a prediction for numbers where the fitted data had categories",
            lambda model: model.predict(SITES.assign(site=1.0)), ValueError,
            ("'site' of `X` must hold categories", "Got numbers"), given=site_model),
    Refused("a prediction with the columns in another order",
            lambda draws: draws.predict(FRAME[["b", "a", "c"]]), ValueError,
            ("Column 0 of `X` must be 'a'", "Got 'b'"), given=frame_draws),
    Refused("a prediction from draws whose trees were not kept",
            lambda draws: draws.predict(X), ValueError, ("keep_trees=True",), given=sample),
    Accepted("no rows to predict", lambda: fixture("bart").predict(np.ones((0, 3))),
             "no predictions", lambda predicted: predicted.shape == (0,)),
]  # fmt: skip
