"""Importance measures: pure functions of what the fits left behind.

Each takes a `Draws`, or any object that holds the one (n_replicates, n_features) array the measure
needs, and returns one number, or one row, per variable.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, cast

import numpy as np
from scipy.stats import rankdata

from bayesvc._typing import FloatArray
from bayesvc._validation import check_choice, check_flag
from bayesvc.measures._relevance_model import probability

_VIP_TALLY = {"draws": "vip", "sums": "vip_of_sums"}


def vip(draws: object, of: Literal["draws", "sums"] = "draws") -> FloatArray:
    """Variable inclusion proportion: the share of the splits that are on a variable.

    Parameters
    ----------
    draws : Draws
    of : {"draws", "sums"}, default "draws"
        "draws" averages the share of each draw; "sums" divides all splits on a variable, over the
        draws of a fit, by all splits.

    Returns
    -------
    ndarray (n_features,)
        Mean over the replicates.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> import numpy as np
    >>> from bayesvc.measures import vip
    >>> vip(SimpleNamespace(vip=np.array([[0.75, 0.25], [0.25, 0.75], [0.5, 0.5]])))
    array([0.5, 0.5])
    """
    return _mean(_tally(draws, _VIP_TALLY[check_choice("of", of, _VIP_TALLY)]))


def mi(draws: object) -> FloatArray:
    """Metropolis importance: how readily the splits on a variable were accepted.

    Returns
    -------
    ndarray (n_features,)
        Median over the replicates.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> import numpy as np
    >>> from bayesvc.measures import mi
    >>> mi(SimpleNamespace(mi=np.array([[0.9, 0.1], [0.7, 0.3], [0.1, 0.9]])))
    array([0.7, 0.3])
    """
    return np.asarray(np.median(_tally(draws, "mi"), axis=0), dtype=np.float64)


def mpvip(draws: object) -> FloatArray:
    """Marginal posterior inclusion probability: the share of draws that split on a variable.

    Returns
    -------
    ndarray (n_features,)
        Mean over the replicates.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> import numpy as np
    >>> from bayesvc.measures import mpvip
    >>> mpvip(SimpleNamespace(mpvip=np.array([[1.0, 0.25], [1.0, 0.75]])))
    array([1. , 0.5])
    """
    return _mean(_tally(draws, "mpvip"))


def vc(draws: object) -> FloatArray:
    """Variable count: the mean number of splits on a variable in a draw.

    Returns
    -------
    ndarray (n_features,)
        Mean over the replicates.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> import numpy as np
    >>> from bayesvc.measures import vc
    >>> vc(SimpleNamespace(vc=np.array([[6.0, 0.5], [4.0, 1.5]])))
    array([5., 1.])
    """
    return _mean(_tally(draws, "vc"))


def vip_rank(draws: object, of: Literal["draws", "sums"] = "draws") -> FloatArray:
    """VIP Rank: the mean over the fits of a variable's rank by VIP.

    Rank 1 is the largest VIP of a fit; equal ones share the mean of their ranks.

    Parameters
    ----------
    draws : Draws
    of : {"draws", "sums"}, default "draws"
        As in `vip`.

    Returns
    -------
    ndarray (n_features,)

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> import numpy as np
    >>> from bayesvc.measures import vip_rank
    >>> vip_rank(SimpleNamespace(vip=np.array([[0.7, 0.3, 0.0], [1.0, 0.0, 0.0]])))
    array([1.  , 2.25, 2.75])
    """
    return _mean(_ranks(_tally(draws, _VIP_TALLY[check_choice("of", of, _VIP_TALLY)])))


def vc_rank(draws: object) -> FloatArray:
    """VC Rank: the mean over the fits of a variable's rank by variable count.

    Rank 1 is the largest count of a fit; equal ones share the mean of their ranks.

    Returns
    -------
    ndarray (n_features,)

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> import numpy as np
    >>> from bayesvc.measures import vc_rank
    >>> vc_rank(SimpleNamespace(vc=np.array([[6.0, 0.5, 0.0], [4.0, 1.5, 2.0]])))
    array([1. , 2.5, 2.5])
    """
    return _mean(_ranks(_tally(draws, "vc")))


def vc_measure(draws: object, one_column_if_single: bool = False) -> FloatArray:
    """VC-measure: what the fits say of a variable's count and of its rank, for clustering.

    Parameters
    ----------
    draws : Draws
    one_column_if_single : bool, default False
        With one replicate, ranks and quantiles say no more than the count; True then returns the
        counts alone, as a matrix of one column. The clusters can differ between the two forms.

    Returns
    -------
    ndarray (n_features, 4)
        Mean count, 25 % quantile of the counts, mean rank, 75 % quantile of the ranks, over the
        replicates; raw, without transformation.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> import numpy as np
    >>> from bayesvc.measures import vc_measure
    >>> vc_measure(SimpleNamespace(vc=np.array([[6.0, 0.0], [4.0, 0.0], [5.0, 8.0]])))
    array([[5.        , 4.5       , 1.33333333, 1.5       ],
           [2.66666667, 0.        , 1.66666667, 2.        ]])
    """
    return _summary(_tally(draws, "vc"), one_column_if_single)


def vip_measure(
    draws: object,
    one_column_if_single: bool = False,
    of: Literal["draws", "sums"] = "draws",
) -> FloatArray:
    """VIP-measure: as `vc_measure`, with inclusion proportions in the place of counts.

    Parameters
    ----------
    draws : Draws
    one_column_if_single : bool, default False
        With one replicate return its VIP alone, as a matrix of one column.
    of : {"draws", "sums"}, default "draws"
        As in `vip`.

    Returns
    -------
    ndarray (n_features, 4)
        Mean VIP, 25 % quantile of the VIPs, mean rank, 75 % quantile of the ranks.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> import numpy as np
    >>> from bayesvc.measures import vip_measure
    >>> vip_measure(SimpleNamespace(vip=np.array([[0.75, 0.25]])))
    array([[0.75, 0.75, 1.  , 1.  ],
           [0.25, 0.25, 2.  , 2.  ]])
    >>> vip_measure(SimpleNamespace(vip=np.array([[0.75, 0.25]])), one_column_if_single=True)
    array([[0.75],
           [0.25]])
    """
    name = _VIP_TALLY[check_choice("of", of, _VIP_TALLY)]
    return _summary(_tally(draws, name), one_column_if_single)


def relevance(draws: object) -> FloatArray:
    """Probability of relevance: how likely a variable matters, from what the fits agree on.

    Learned on problems whose truth is known, with BART and DART forests of 20 trees; see
    `bayesvc.measures._relevance_model`. It needs several fits: a variable that only one of them
    uses is in doubt.
    Of one fit it is what that would mean if others agreed with it as much as they usually do.

    Returns
    -------
    ndarray (n_features,)

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> import numpy as np
    >>> from bayesvc.measures import relevance
    >>> vc = np.array([[2.0, 1.0] + [0.02] * 48, [2.5, 0.0] + [0.03] * 48])
    >>> relevance(SimpleNamespace(vc=vc, mpvip=np.minimum(vc, 1)))[:3].round(2)
    array([0.9 , 0.01, 0.  ])
    """
    return probability(_tally(draws, "vc"), _tally(draws, "mpvip"))


def _relevance_alone(draws: object) -> FloatArray:
    counts, inclusion = _tally(draws, "vc"), _tally(draws, "mpvip")
    fits = range(len(counts))
    return np.array([probability(counts[[fit]], inclusion[[fit]]) for fit in fits])


@dataclass(frozen=True)
class Measure:
    """A measure as methods name it.

    Attributes
    ----------
    name, label : str
        In recipes, and in text.
    shape : {"scores", "ranks", "matrix"}
        One number per variable of which high ones are good, or low ones, or a row per variable.
    n_columns : int
    tally : str
        The array of the draws that the measure summarises.
    compute : callable
        From draws to the values.
    is_probability : bool
    least_fits : int
        How many fits it takes to compute the measure.
    priors : tuple of str
        Whose fits it can judge.
    alone : callable, optional
        What each fit says alone, where that is no tally of the draws.
    """

    name: str
    label: str
    shape: Literal["scores", "ranks", "matrix"]
    n_columns: int
    tally: str
    compute: Callable[[object], FloatArray]
    is_probability: bool = False
    least_fits: int = 1
    priors: tuple[str, ...] = ("bart", "dart", "abc")
    alone: Callable[[object], FloatArray] | None = None

    def per_fit(self, draws: object) -> FloatArray:
        """Return what is summarised, or what each fit says alone: (n_replicates, n_features)."""
        return _tally(draws, self.tally) if self.alone is None else self.alone(draws)


MEASURES = {
    measure.name: measure
    for measure in (
        Measure("vip", "VIP", "scores", 1, "vip", vip),
        Measure("mi", "MI", "scores", 1, "mi", mi),
        Measure("vc", "VC", "scores", 1, "vc", vc),
        Measure("mpvip", "MPVIP", "scores", 1, "mpvip", mpvip, is_probability=True),
        Measure(
            "relevance", "P(relevant)", "scores", 1, "relevance", relevance, is_probability=True,
            least_fits=2, priors=("bart", "dart"), alone=_relevance_alone,
        ),
        Measure("vip-rank", "VIP Rank", "ranks", 1, "vip", vip_rank),
        Measure("vc-rank", "VC Rank", "ranks", 1, "vc", vc_rank),
        Measure("vc-measure", "VC-measure", "matrix", 4, "vc", vc_measure),
        Measure("vip-measure", "VIP-measure", "matrix", 4, "vip", vip_measure),
    )
}  # fmt: skip


def _tally(draws: object, name: str) -> FloatArray:
    """Return the (n_replicates, n_features) array `name` of the draws, checked."""
    found: Any = getattr(draws, name, None)
    tally = np.asarray(np.nan if found is None else found, dtype=np.float64, order="C")
    if tally.size > 0 and np.isnan(tally).all():  # what draws made of counts do not know is NaN
        raise ValueError(
            f"draws={type(draws).__name__} holds no {name!r}, so this measure cannot be computed; "
            "pass the Draws of bayesvc.sample, or another measure"
        )
    if tally.ndim != 2 or tally.size == 0:
        raise ValueError(
            f"draws.{name} has shape {tally.shape}, but a row per replicate and a column per "
            "variable are needed; pass one fit as an array of shape (1, n_features)"
        )
    if not np.isfinite(tally).all():
        row, column = np.argwhere(~np.isfinite(tally))[0]
        raise ValueError(
            f"draws.{name}[{row}, {column}]={tally[row, column]} is not a finite number; "
            "sample again, or leave that replicate out"
        )
    return tally


def _mean(per_fit: FloatArray) -> FloatArray:
    return cast(FloatArray, per_fit.mean(axis=0))


def _ranks(tally: FloatArray) -> FloatArray:
    return np.asarray(rankdata(-tally, axis=1), dtype=np.float64)


def _summary(tally: FloatArray, one_column_if_single: bool) -> FloatArray:
    if check_flag("one_column_if_single", one_column_if_single) and len(tally) == 1:
        return tally.T.copy()
    ranks = _ranks(tally)
    columns = [
        _mean(tally),
        np.quantile(tally, 0.25, axis=0),
        _mean(ranks),
        np.quantile(ranks, 0.75, axis=0),
    ]
    return np.column_stack(columns)
