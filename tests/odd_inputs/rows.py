"""Odd groups of columns, weights of rows and blocks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

import bayesvc as bv
from tests.odd_inputs.case import Accepted, Case, Refused
from tests.odd_inputs.data import N, X, Y, sample, select

FRAME = pd.DataFrame(X, columns=["a", "b", "c"])


def bad_groups(goes_in: str, groups: Any, error: type[Exception], *says: str) -> Refused:
    return Refused(f"groups: {goes_in}", lambda: select(FRAME, groups=groups), error, says)


def bad_weights(
    goes_in: str, weights: Any, error: type[Exception], *says: str, y: Any = Y, **how: Any
) -> Refused:
    what = f"sample_weight: {goes_in}"
    return Refused(what, lambda: select(X, y, sample_weight=weights, **how), error, says)


def bad_blocks(
    goes_in: str, blocks: Any, error: type[Exception], *says: str, y: Any = Y, **how: Any
) -> Refused:
    how = {"method": "bart-vip-gse"} | how
    what = f"permute_within: {goes_in}"
    return Refused(what, lambda: bv.select(X, y, permute_within=blocks, **how), error, says)


ONES = [1.0] * (N - 1)

GROUPS: list[Case] = [
    bad_groups("a list", [["a", "b"]], TypeError, "Got a list", "Pass a mapping"),
    bad_groups("a number as name", {1: ["a"]}, TypeError, "Got the key 1"),
    bad_groups("a group of nothing", {"g": []}, ValueError, "at least one column"),
    bad_groups("an unknown column", {"g": ["aa"]}, ValueError, "`groups['g']` must be one of",
               "Did you mean 'a'"),
    bad_groups("a column past the last", {"g": [5]}, ValueError, "at most 2", "Got 5"),
    bad_groups("a column by a fraction", {"g": [1.5]}, TypeError, "Got 1.5", "the name of"),
    bad_groups("a column in two groups", {"g": ["a", "b"], "h": ["b", "c"]}, ValueError,
               "column 'b' twice, in 'g' and 'h'"),
    bad_groups("a column twice in a group", {"g": ["a", "a"]}, ValueError, "column 'a' twice"),
    bad_groups("the name of a column outside the group", {"c": ["a", "b"]}, ValueError,
               "must not be that of a column outside the group. Got 'c'", "Choose another name"),
    Accepted("groups: the name of one of the group's own columns",
             lambda: sample(FRAME, groups={"a": ["a", "b"]}), "one variable of that name",
             lambda draws: draws.feature_names == ("a", "c")),
]  # fmt: skip

WEIGHTS: list[Case] = [
    bad_weights("too few", np.ones(N - 1), ValueError,
                "`sample_weight` must have one number per row of X, 30. Got 29"),
    bad_weights("too few, and some zero", [0, *ONES[1:]], ValueError,
                "`sample_weight` must have one number per row of X, 30. Got 29"),
    Refused("sample_weight: a pandas series with another index than X",
            lambda: sample(pd.DataFrame(X), Y, sample_weight=pd.Series(1.5, index=range(1, N + 1))),
            ValueError, ("`sample_weight` must have the index of `X`",)),
    bad_weights("two columns", np.ones((N, 2)), ValueError, "`sample_weight` must be one-dim",
                "(30, 2)"),
    bad_weights("below zero", [-1.0, *ONES], ValueError, "`sample_weight[0]` must be", "Got -1",
                "Pass one positive"),
    bad_weights("missing", [*ONES, np.nan], ValueError, "`sample_weight[29]` must be", "Got nan"),
    bad_weights("infinite", [*ONES, np.inf], ValueError, "`sample_weight[29]` must be", "Got inf"),
    bad_weights("zero in all rows", np.zeros(N), ValueError, "zero in all 30 rows"),
    bad_weights("zero in all rows but one", [1] + [0] * (N - 1), ValueError,
                "at least 2 rows with positive sample_weight. Got 1 row"),
    bad_weights("text", ["a"] * N, TypeError, "`sample_weight` must be", "Got dtype <U1"),
    bad_weights("booleans", np.ones(N, bool), TypeError, "`sample_weight` must", "Got dtype bool"),
    bad_weights("one number", 2.0, TypeError, "`sample_weight` must be an array", "Got 2.0"),
    bad_weights("with two classes", np.arange(1, N + 1), ValueError, "sample_weight",
                "binary response", "Leave `sample_weight` out", y=Y > 1),
    bad_weights("with `prior=SpikeForest()`", np.ones(N), ValueError,
                "`sample_weight` is not compatible with prior=SpikeForest",
                prior=bv.SpikeForest(), n_replicates=None, burn_in=None, n_draws=None),
    Refused("sample_weight: in `sample` with `prior=SpikeForest()`",
            lambda: bv.sample(X, Y, bv.SpikeForest(), sample_weight=np.ones(N)), ValueError,
            ("`sample_weight` is not compatible with prior=SpikeForest",)),
    Refused("sample_weight: in `compare` with methods of SpikeForest",
            lambda: bv.compare(X, Y, ["dart-vc", "abc-vc"], sample_weight=np.ones(N)), ValueError,
            ("SpikeForest", "methods=['dart-vc']")),
    Accepted("sample_weight: zero in some rows", lambda: sample(sample_weight=[0, *ONES]),
             "these rows are left out, bit for bit",
             lambda draws: (draws.vc == sample(X[1:], Y[1:]).vc).all()),
    Accepted("sample_weight: equal in all rows", lambda: sample(sample_weight=[7] * N),
             "nothing changes, bit for bit", lambda draws: (draws.vc == sample().vc).all()),
    Accepted("sample_weight: beyond all measure, such as 1e300",
             lambda: sample(sample_weight=np.arange(1, N + 1) * 1e300),
             "only their ratios count",
             lambda draws: (draws.vc == sample(sample_weight=np.arange(1, N + 1)).vc).all()),
]  # fmt: skip

BLOCKS: list[Case] = [
    bad_blocks("a label of its own for each row", np.arange(N), ValueError,
               "`permute_within`", "different label for each of the 30 rows"),
    bad_blocks("too few labels", np.zeros(N - 1), ValueError,
               "`permute_within` must have one label per row of X, 30. Got 29"),
    bad_blocks("a missing label", [None, *ONES], ValueError, "`permute_within` must have a label",
               "Got 1 missing label ", "Give each"),
    bad_blocks("a label that is NaN", [np.nan, *ONES], ValueError, "Got 1 missing label "),
    bad_blocks("the name of a column", "site", TypeError, "`permute_within` must be", "Got 'site'"),
    bad_blocks("blocks within which y is constant", Y.round(), ValueError,
               "`permute_within`", "constant y", "coarser", y=Y.round()),
    bad_blocks("where nothing is permuted", [1, 2] * 15, ValueError,
               "'dart-vc', because nothing is permuted",
               method="dart-vc", signal_test=False),
    Refused("permute_within: the same in `compare`",
            lambda: bv.compare(X, Y, ["dart-vc", "dart-mpm"], permute_within=[1, 2] * 15,
                               signal_test=False),
            ValueError, ("'dart-vc', 'dart-mpm', because nothing is permuted",)),
    Accepted("permute_within: dates, booleans or categories as labels",
             lambda: select(X, Y, "bart-vip-local", n_permutations=19,
                            permute_within=pd.to_datetime(["2020-01-02", "2020-01-01"] * 15)),
             "equal labels are a block",
             lambda found: found.null.shape == (19, 3)),
]  # fmt: skip

CASES: list[Case] = [*GROUPS, *WEIGHTS, *BLOCKS]
