"""Thresholds name the argument that is wrong, and what it was."""

from __future__ import annotations

import re

import numpy as np
import pytest

from bayesvc.thresholds import (
    clustering,
    gmax,
    gse,
    local,
    median_probability,
    permutation_pvalues,
)

NULL = np.zeros((3, 2))


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: local([1, 2, 3], NULL), ValueError, "`null` must have shape (n_permutations, 3)"),
        (lambda: gse([1, 2], NULL[0]), ValueError, "Got shape (2,) instead"),
        (lambda: gmax([[1, 2]], NULL), ValueError, "per variable. Got an array of shape (1, 2)"),
        (lambda: gmax([], NULL), ValueError, "Got an array of shape (0,)"),
        (
            lambda: gmax([1, 2], NULL[:1]),
            ValueError,
            "at least 2 rows, one per permutation",
        ),
        (
            lambda: local([1, np.nan], NULL),
            ValueError,
            "`observed[1]` must be a finite number. Got nan",
        ),
        (
            lambda: local([1, 2], NULL * np.inf),
            ValueError,
            "`null[0, 0]` must be a finite number. Got nan",
        ),
        (
            lambda: local(["a", "b"], NULL),
            TypeError,
            "`observed` must be an array of numbers. Got dtype <U1",
        ),
        (
            lambda: local([1, 2], NULL, alpha=0),
            ValueError,
            "`alpha` must be a number in the interval (0, 1). Got 0",
        ),
        (
            lambda: gse([1, 2], NULL, alpha=1),
            ValueError,
            "Got 1 instead. Pass a level such as 0.05.",
        ),
        (lambda: gse([1, 2], NULL, alpha="5%"), TypeError, "Got '5%'"),
        (
            lambda: gse([1, 2], NULL, joint="yes"),
            TypeError,
            "`joint` must be True or False. Got 'yes'",
        ),
        (
            lambda: permutation_pvalues([1, 2], NULL, "holm"),
            ValueError,
            "`adjust` must be one of 'maxt', 'bh'. Got 'holm'",
        ),
        (
            lambda: median_probability([0.5, 1.5]),
            ValueError,
            "`probability` must be in the interval [0, 1]. Got 1.5 for variable 1",
        ),
        (
            lambda: median_probability([0.5], at=2),
            ValueError,
            "`at` must be a number in the interval (0, 1]. Got 2",
        ),
        (
            lambda: median_probability([0.5], at=0),
            ValueError,
            "`at` must be a number in the interval (0, 1]. Got 0",
        ),
        (lambda: clustering(np.zeros((2, 2, 2))), ValueError, "Got shape (2, 2, 2)"),
        (lambda: clustering([]), ValueError, "Got shape (0, 1)"),
        (lambda: clustering([1, -1]), ValueError, "`Z` must be above -1"),
        (lambda: clustering([1, 2], weights=[-1]), ValueError, "Got [-1.0] instead"),
        (lambda: clustering([1, 2], weights=[0]), ValueError, "Got [0.0] instead"),
        (lambda: clustering([1, 2], weights=[1, 2]), ValueError, "`weights` must be 1 numbers"),
        (
            lambda: clustering([1, 2], keep="best"),
            ValueError,
            "`keep` must be one of 'high', 'low'. Got 'best'",
        ),
        (
            lambda: clustering([1, 2], transform=None),
            TypeError,
            "`transform` must be True or False. Got None",
        ),
    ],
)
def test_errors_name_argument_and_value(call, error, message):
    with np.errstate(invalid="ignore"), pytest.raises(error, match=re.escape(message)):
        call()
