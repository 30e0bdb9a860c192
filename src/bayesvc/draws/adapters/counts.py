"""`Draws` from an array of split counts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from bayesvc.draws.adapters.chains import Chains, check_counts, draws_of_chains, unknown_sigma
from bayesvc.draws.draws import Draws


def from_counts(counts: ArrayLike, *, feature_names: Sequence[str] | None = None) -> Draws:
    """Make `Draws` of the number of splits on each variable in each draw.

    They give the measures of counts, proportions and inclusion, but not Metropolis importance,
    sigma, or anything that needs the data or the trees.

    Parameters
    ----------
    counts : array (n_replicates, n_draws, n_features) or (n_draws, n_features)
        Whole numbers of at least 0. Two dimensions are the draws of one replicate, not the means
        of several: for means make an object with an array ``vc`` and pass it to a measure.
    feature_names : sequence of str, optional
        x0, x1, ... by default.

    Returns
    -------
    Draws

    Examples
    --------
    >>> import bayesvc as bv
    >>> draws = bv.Draws.from_counts([[[2, 0], [1, 1]], [[3, 0], [1, 0]]])
    >>> draws.vc
    array([[1.5, 0.5],
           [2. , 0. ]])
    >>> bv.measures.mpvip(draws)
    array([1.  , 0.25])
    """
    checked = check_counts("counts", counts)
    if checked.ndim == 2:
        checked = checked[np.newaxis]
    return draws_of_chains([Chains(checked, unknown_sigma(checked))], feature_names, "counts")
