"""The shape of a continuous response, which ``errors="auto"`` and ``transform="auto"`` look at."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from bayesvc._typing import FloatArray

if TYPE_CHECKING:
    from bayesvc.priors.base import TreePrior

# 0.57 for an exponential y, 0 for a symmetric one. Outliers do not change it.
LARGEST_SKEWNESS = 0.4
# Robust standard deviations from the median. Of 1,000 normal values one lies beyond in 6 % of
# cases.
FARTHEST = 4.0
# Central intervals, widest last, and how many standard deviations of a normal they span.
_INTERVALS = ((0.25, 1.3489795), (0.1, 2.5631031), (0.025, 3.9199280))


def uses_scores(prior: TreePrior, y: FloatArray) -> bool:
    """Tell whether the trees are fitted to normal scores of y.

    "auto" takes them if y is skewed; see `is_skewed`.

    Examples
    --------
    >>> import numpy as np
    >>> import bayesvc as bv
    >>> from bayesvc.responses.shape import uses_scores
    >>> y = np.random.default_rng(0).normal(size=200)
    >>> prior = bv.DART(transform="auto")
    >>> uses_scores(prior, y), uses_scores(prior, np.exp(y))
    (False, True)
    """
    return is_skewed(y) if prior.transform == "auto" else prior.transform == "normal-scores"


def is_skewed(y: FloatArray) -> bool:
    """Tell whether ``transform="auto"`` takes normal scores of y.

    Its 95 % quantile is then more than 2.3 times as far from the median as its 5 % quantile, or the
    other way round.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesvc.responses.shape import is_skewed
    >>> is_skewed(np.arange(100.0)), is_skewed(np.exp(np.arange(100.0)))
    (False, True)
    """
    low, middle, high = np.quantile(y, (0.05, 0.5, 0.95))
    return bool(abs((high - middle) - (middle - low)) > LARGEST_SKEWNESS * (high - low))


def error_model(prior: TreePrior, y: FloatArray) -> Literal["gaussian", "student"]:
    """Return the distribution of the errors around the trees; y is what these are fitted to.

    "auto" may be Student's t only if a value of y lies more than 4 robust standard deviations from
    the median. Whether it is, a short chain decides: see `bayesvc.sampling.errors`.

    Examples
    --------
    >>> import numpy as np
    >>> import bayesvc as bv
    >>> from bayesvc.responses.shape import error_model
    >>> y = np.random.default_rng(0).normal(size=200)
    >>> prior = bv.DART(errors="auto")
    >>> error_model(prior, y), error_model(prior, np.append(y, 20))
    ('gaussian', 'student')
    """
    if prior.errors != "auto":
        return prior.errors
    sd = robust_sd(y)
    far = np.abs(y - np.median(y)).max() > FARTHEST * sd
    return "student" if sd > 0 and far else "gaussian"


def robust_sd(y: FloatArray) -> float:
    """Return the sd of a normal distribution with the quartiles of y.

    Where these are equal, of wider quantiles; 0 if nearly all values are equal.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesvc.responses.shape import robust_sd
    >>> round(robust_sd(np.append(np.arange(100.0), 1e9)), 1)
    37.1
    """
    for tail, span in _INTERVALS:
        low, high = np.quantile(y, (tail, 1 - tail))
        if high > low:
            return float(high - low) / span
    return 0.0


def robust_span(y: FloatArray) -> tuple[float, float]:
    """Return the lower end and the width of the bulk of y: 3 robust sds around its median.

    The width is at most the range of y, and at least a millionth of it.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesvc.responses.shape import robust_span
    >>> robust_span(np.array([0.0, 1.0, 2.0, 3.0]))
    (0.0, 3.0)
    """
    low, full = float(y.min()), float(y.max()) - float(y.min())
    width = max(6 * robust_sd(y), 1e-6 * full)
    if width >= full or robust_sd(y) == 0:
        return low, full
    return float(np.median(y)) - 0.5 * width, width
