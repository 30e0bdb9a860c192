"""Logarithms with the same bits on every processor; those of numpy depend on it."""

from __future__ import annotations

import math

import numpy as np

from bayesvc._typing import FloatArray


def log(values: FloatArray) -> FloatArray:
    """Return the logarithm of each number, as the C library computes it.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesvc._logarithms import log
    >>> log(np.array([1.0, np.e]))
    array([0., 1.])
    """
    from scipy.special import xlogy

    return np.asarray(xlogy(1.0, values))


def log1p(values: FloatArray) -> FloatArray:
    """Return the logarithm of 1 plus each number, as the C library computes it.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesvc._logarithms import log1p
    >>> log1p(np.array([[0.0, np.e - 1]]))
    array([[0., 1.]])
    """
    each = map(math.log1p, values.ravel().tolist())
    return np.fromiter(each, np.float64, values.size).reshape(values.shape)
