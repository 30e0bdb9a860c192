"""Odd inputs to `row_stability`."""

from __future__ import annotations

from typing import Any

import numpy as np

import bayesvc as bv
from tests.odd_inputs.case import Accepted, Case, Refused
from tests.odd_inputs.data import TWO, N, X, Y, select


def bad(
    goes_in: str, settings: dict[str, Any], error: type[Exception], *says: str, y: Any = Y
) -> Refused:
    return Refused(goes_in, lambda: bv.row_stability(X, y, **settings), error, says)


def with_selection(
    goes_in: str, data: Any, *says: str, varies: str | None = None, **settings: Any
) -> Refused:
    """A selection that does not go with what else is given."""
    return Refused(
        goes_in, lambda found: bv.row_stability(data, Y, selection=found, **settings), ValueError,
        says, varies, given=select,
    )  # fmt: skip


def of_counts() -> bv.Selection:
    return bv.select_from(bv.Draws.from_counts([[[9, 1, 0]], [[7, 0, 1]]]))


HASH = r"[0-9a-f]{32}"
ONE_ILL = np.where(np.arange(N) == 3, "ill", "well")
NEARLY_CONSTANT = np.where(np.arange(N) == 3, 1.5, 0.0)

CASES: list[Case] = [
    bad("`n_subsamples=1`", {"n_subsamples": 1}, ValueError, "Got 1 instead", "at least 2"),
    bad("`n_subsamples=51`, in pairs", {"n_subsamples": 51}, ValueError, "`n_subsamples`", "Got 51",
        "Pass 52, or pairs=False"),
    bad('`n_subsamples="many"`', {"n_subsamples": "many"}, TypeError, "Got 'many'"),
    bad("`fraction=0`", {"fraction": 0}, ValueError, "in the interval (0, 0.5]", "Got 0"),
    bad("`fraction=0.8`, in pairs", {"fraction": 0.8}, ValueError, "interval (0, 0.5]", "Got 0.8",
        "pairs=False"),
    bad("`fraction=1, pairs=False`", {"fraction": 1, "pairs": False}, ValueError, "(0, 1)"),
    bad('`pairs="yes"`', {"pairs": "yes"}, TypeError, "`pairs` must be True or False"),
    bad("`n_drawz=100`", {"n_drawz": 100}, ValueError, "Got 'n_drawz' instead",
        "Did you mean 'n_draws'"),
    bad('`method="dart-cv"`', {"method": "dart-cv"}, ValueError, "Did you mean 'dart-vc'"),
    bad("`n_trees=0`", {"n_trees": 0}, ValueError, "`n_trees`"),
    bad("too few labels in `blocks`", {"blocks": [1, 2]}, ValueError,
        "`blocks` must have one label per row of X, 30. Got 2"),
    bad("all rows in one block", {"blocks": [1] * N}, ValueError, "Got 1 blocks", "Pass more data"),
    bad("one row of a class", {}, ValueError, "1 rows of class 'ill'", "Pass more data", y=ONE_ILL),
    bad("a response that varies in one row only", {}, ValueError, "`fraction` must", "Got 0.5",
        y=NEARLY_CONSTANT),
    bad("`prior=BART(min_samples_leaf=10)`, too many for 15 rows",
        {"prior": bv.BART(min_samples_leaf=10)}, ValueError,
        "In the smallest subsample, of 15 rows", "`min_samples_leaf` must be at most 7", "Got 10"),
    bad("`selection=` something else", {"selection": "dart-vc"}, TypeError, "`selection`",
        "Got a str"),
    with_selection("a selection from other data", X + np.eye(N)[:, :3],
                   "`X` and `y` must be the data of `selection`", varies=HASH),
    with_selection("a selection from more columns", X[:, :2], "`X` must have the 3 variables",
                   "Got 2"),
    with_selection("a selection and settings", X, "`n_draws` must not be given with `selection`",
                   n_draws=5),
    Refused("a selection from replicates of another package",
            lambda found: bv.row_stability(X, Y, selection=found), ValueError,
            ("Got one from replicates of 'counts'",), given=of_counts),
    Accepted("a class with few rows", lambda: bv.row_stability(X, np.arange(N) < 2, n_subsamples=2,
                                                               **TWO),
             "each subsample has the same fraction of both classes",
             lambda stable: stable.masks.shape == (2, 3)),
]  # fmt: skip
