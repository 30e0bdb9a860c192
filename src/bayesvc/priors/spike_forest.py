"""The spike-and-forest prior, and what is remembered of its samples."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from bayesvc._validation import check_integer, check_number, must_be, shown
from bayesvc.priors.bart import BART
from bayesvc.priors.base import Sampler, TreePrior

_KEEPS_TALLIES = "which keeps only the tallies of each forest."
_UNSUPPORTED = {
    "n_replicates": "whose kept forests are the replicates. Leave it out, and set "
    "SpikeForest(n_samples=..., keep=...).",
    "n_draws": "which takes one draw of each forest. Leave it out, and set "
    "SpikeForest(n_samples=...) for more forests.",
    "keep_counts": f"{_KEEPS_TALLIES} Leave it False: draws.vc holds the counts of its one draw.",
    "keep_s": f"{_KEEPS_TALLIES} Leave it False: its split probabilities are fixed.",
    "keep_trees": f"{_KEEPS_TALLIES} Leave it False, and predict with BART or DART.",
    "sample_weight": "whose discrepancy gives all rows the same weight. Leave it out, or use BART "
    "or DART.",
}


@dataclass(frozen=True, kw_only=True)
class SpikeForest(TreePrior):
    """A random subset of the variables, and a BART forest that may split on these alone.

    Each variable is in the subset with probability theta, and theta follows Beta(a0, b0). The
    posterior is sampled by approximate Bayesian computation. Each of `n_samples` times: draw a
    subset; split the rows at random into training rows and the rest; fit a forest to the training
    rows with the variables of the subset; simulate responses, noise included, for the other rows
    from one draw of it; and record the discrepancy, the Euclidean distance between these and the
    observed ones. The forests with the smallest discrepancies are kept.

    Parameters
    ----------
    n_samples : int, default 1000
        Number of subsets tried.
    keep : float, default 0.1
        Fraction of the samples to keep, those with the smallest discrepancy; at least one, and of
        equal ones those that came first.
    epsilon : float, optional
        Keep instead every sample whose discrepancy, in the units of y, is at most this.
    burn_in : int, default 200
        Draws of each forest before the one that is used.
    train_fraction : float, default 0.5
        Fraction of the rows that each forest is fitted to: at least 2 rows, and all but 1 at most.
    a0, b0 : float, default 1.0
        Parameters of the Beta prior of theta; a larger `b0` prefers smaller subsets.
    **others
        `k` (a number), `nu`, `q`, `gamma`, `beta`, `moves`, `min_samples_leaf`, `sigma_hat`,
        `sigma` and `split_weights` as in `BART`. Each forest is calibrated to its own training
        rows; `split_weights` count within the subset and leave its choice alone.

    Notes
    -----
    An empty subset gives a forest without splits. So do training rows with a constant y: the
    forest then predicts that value, without noise unless `sigma` is given. In training rows of one
    class the proportion of that class, from which the probit model's offset follows, is taken for
    ``1 - 0.5 / n_train``.

    Examples
    --------
    >>> import numpy as np
    >>> import bayesvc as bv
    >>> X = np.random.default_rng(0).uniform(size=(100, 5))
    >>> y = 10 * X[:, 2] + X[:, 4]
    >>> prior = bv.SpikeForest(n_samples=200, burn_in=50)
    >>> draws = bv.sample(X, y, prior, random_state=0)
    >>> draws.n_replicates
    20
    >>> int(bv.measures.mpvip(draws).argmax())
    2
    """

    name: ClassVar[str] = "abc"
    label: ClassVar[str] = "SpikeForest"
    sampler: ClassVar[Sampler] = "abc"
    sets_replicates: ClassVar[bool] = True
    unsupported: ClassVar[Mapping[str, str]] = _UNSUPPORTED

    n_samples: int = 1000
    keep: float = 0.1
    epsilon: float | None = None
    burn_in: int = 200
    train_fraction: float = 0.5
    a0: float = 1.0
    b0: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.learns_k:
            wanted = "a number for SpikeForest, whose forests run too briefly to learn it"
            remedy = "leave it out, or use BART or DART"
            raise ValueError(must_be("k", wanted, shown(self.k), remedy))
        for name, usual in (("errors", "gaussian"), ("transform", None)):
            if (value := getattr(self, name)) != usual:
                wanted = f"{usual!r} for SpikeForest, whose discrepancy is a sum of squares of y"
                remedy = "leave it out, or use BART or DART"
                raise ValueError(must_be(name, wanted, shown(value), remedy))
        self._set("n_samples", check_integer("n_samples", self.n_samples, 1))
        remedy = "pass a fraction such as 0.1"
        self._set("keep", check_number("keep", self.keep, above=0, most=1, remedy=remedy))
        if self.epsilon is not None:
            remedy = "pass a distance in the units of y, or None to keep a fraction of the samples"
            self._set("epsilon", check_number("epsilon", self.epsilon, least=0, remedy=remedy))
        self._set("burn_in", check_integer("burn_in", self.burn_in, 0))
        remedy = "the usual value is 0.5"
        fraction = check_number(
            "train_fraction", self.train_fraction, above=0, below=1, remedy=remedy
        )
        self._set("train_fraction", fraction)
        for name in ("a0", "b0"):
            value = check_number(name, getattr(self, name), above=0, remedy="the usual value is 1")
            self._set(name, value)

    @property
    def n_kept(self) -> int:
        """How many samples the fraction `keep` leaves."""
        return max(1, round(self.keep * self.n_samples))

    def n_train_rows(self, n_rows: int) -> int:
        """Return how many of the rows each forest is fitted to."""
        return min(max(round(self.train_fraction * n_rows), 2), n_rows - 1)

    def n_iterations(self, n_chains: int, per_chain: int) -> int:
        """Return how many iterations all samples take."""
        return self.n_samples * (self.burn_in + 1)

    def with_burn_in(self, burn_in: int | Literal["auto"] | None) -> SpikeForest:
        """Return the prior with this `burn_in` of each forest."""
        if burn_in is None:
            return self
        remedy = "automatic lengths are for BART and DART"
        return replace(self, burn_in=check_integer("burn_in", burn_in, 0, remedy))

    def for_prediction(self) -> TreePrior:
        """Return BART with the settings that the two priors share: its trees can be kept."""
        shared = {field.name: getattr(self, field.name) for field in fields(BART)}
        return BART(**shared).for_prediction()


@dataclass(frozen=True, eq=False)
class AbcRecord:
    """All samples behind draws under `SpikeForest`, kept or not.

    Attributes
    ----------
    discrepancy : ndarray (n_samples,)
        Distance between simulated and observed responses, in the units of y.
    kept : ndarray (n_kept,)
        Which samples were kept, ascending; replicate r of the draws is sample ``kept[r]``.
    subset_size : ndarray (n_samples,)
        Number of variables that the forest was allowed to split on.
    seconds : float
        Time in the sampler, over all samples.

    Examples
    --------
    >>> import numpy as np
    >>> import bayesvc as bv
    >>> X = np.random.default_rng(0).uniform(size=(40, 3))
    >>> prior = bv.SpikeForest(n_samples=20, burn_in=20)
    >>> record = bv.sample(X, X[:, 0], prior, random_state=0).abc
    >>> record.n_samples, record.kept.size
    (20, 2)
    """

    discrepancy: NDArray[np.float64]
    kept: NDArray[np.int64]
    subset_size: NDArray[np.int64]
    seconds: float

    @property
    def n_samples(self) -> int:
        """Number of samples drawn."""
        return len(self.discrepancy)
