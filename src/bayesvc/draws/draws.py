"""What replicates leave behind: tallies per replicate and variable, traces, and on request more."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bayesvc._core import SavedForests
from bayesvc._text import visible
from bayesvc._typing import ColumnName, FloatArray, PathLike
from bayesvc._wiring import ProvidedFunction, provided
from bayesvc.data.schema import ColumnSchema
from bayesvc.draws.tallies import MOVE_NAMES, tally_layout
from bayesvc.priors.base import TreePrior
from bayesvc.priors.calibration import Calibration
from bayesvc.priors.spike_forest import AbcRecord
from bayesvc.responses import RESPONSES, Response

if TYPE_CHECKING:
    from bayesvc.data.dataset import EncodedData
    from bayesvc.sampling.progress import ProgressCallback


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Draws:
    """Replicates of one prior on one data set. Made by `sample`, never changed.

    `from_counts`, `from_stochtree`, `from_bartz` and `from_pymc_bart` make such an object from the
    split counts of other packages' chains. Those tell `vc`, `vip`, `mpvip` and the sums of counts;
    what they do not tell is NaN in the arrays of floats and None elsewhere.

    Attributes
    ----------
    vc, vip, mpvip, mi : ndarray (n_replicates, n_features)
        Mean number of splits on a variable per draw; mean proportion of the splits; proportion of
        draws that split on it at all; Metropolis importance.
    vip_of_sums : ndarray (n_replicates, n_features)
        Splits on a variable over all draws divided by all splits.
    sigma, n_splits, alpha : ndarray (n_replicates, n_draws)
        Traces: error sd in the units of y (1 for a binary response; of log times for survival; of
        normal scores under a prior with a `transform`), number of splits of the forest, and DART's
        alpha (NaN for BART).
    seconds, tree_depth : ndarray (n_replicates,)
        Time in the sampler alone; mean depth of the trees.
    accepted, proposed : ndarray (n_replicates, 5)
        Moves accepted and proposed in the kept draws; see `acceptance`.
    count_half_sums, count_half_squares : ndarray (n_replicates, 2, n_features)
        Sums of the counts and of their squares over each half of the draws.
    count_batch_squares : ndarray (n_replicates, n_features)
        Sum over `n_batches` batches of `batch_size` draws of the squared sum of counts; that of a
        shorter last batch is scaled up to the length of the others.
    counts, s : ndarray (n_replicates, n_draws, n_features) or None
        Splits per variable, and split probabilities, of each draw, if they were kept.
    forests : tuple or None
        The trees of each replicate, if they were kept.
    leaf_sd : ndarray (n_replicates, n_draws) or None
        Trace of the prior sd of the leaf values, on the scale of the trees, if the prior has
        ``k="learned"``; see `k`.
    df : ndarray (n_replicates, n_draws) or None
        Trace of the degrees of freedom of Student-t errors, whose scale is then `sigma`.
    prior, n_trees, burn_in, n_draws, response, classes, random_state : settings of the run
        `random_state` is the integer that seeded it; `classes` the two classes of a binary y.
    feature_names : tuple of str or int
        Names of the variables: of the columns of X, or of the groups if columns were grouped.
        Integer names of a pandas frame stay integers.
    schema : ColumnSchema or None
        What the columns of X were, unless every one was a variable of plain numbers.
    n_rows, data_hash, calibration : the data's size and fingerprint, and the scaling of y
        Under `SpikeForest` every forest has a scaling of its own, and `calibration` is None.
    abc : AbcRecord or None
        For `SpikeForest`: the discrepancy of every sample, and which were kept. Each kept forest is
        a replicate with one draw.
    source : str
        Who made the fits: "bayesvc", "stochtree", "bartz", "pymc-bart", or "counts" if only an
        array was given.

    Examples
    --------
    >>> import numpy as np
    >>> import bayesvc as bv
    >>> X = np.random.default_rng(0).uniform(size=(50, 3))
    >>> draws = bv.sample(X, X[:, 0], n_replicates=2, burn_in=20, n_draws=30, random_state=0)
    >>> draws.sigma.shape
    (2, 30)
    """

    vc: FloatArray
    vip: FloatArray
    vip_of_sums: FloatArray
    mpvip: FloatArray
    mi: FloatArray
    sigma: FloatArray
    n_splits: NDArray[np.int32]
    alpha: FloatArray
    count_half_sums: FloatArray
    count_half_squares: FloatArray
    count_batch_squares: FloatArray
    n_batches: int
    batch_size: int
    accepted: NDArray[np.int64] | None
    proposed: NDArray[np.int64] | None
    tree_depth: FloatArray
    seconds: FloatArray
    prior: TreePrior | None
    n_trees: int | None
    burn_in: int | None
    n_draws: int
    response: str | None
    classes: NDArray[Any] | None
    random_state: int | None
    feature_names: tuple[ColumnName, ...]
    n_rows: int | None
    data_hash: str | None
    calibration: Calibration | None
    counts: NDArray[np.uint16] | None = None
    s: NDArray[np.float32] | None = None
    forests: tuple[SavedForests, ...] | None = None
    leaf_sd: FloatArray | None = None
    df: FloatArray | None = None
    abc: AbcRecord | None = None
    schema: ColumnSchema | None = None
    source: str = "bayesvc"
    _encoded: EncodedData | None = field(default=None)

    from_counts = ProvidedFunction("Draws.from_counts")
    from_stochtree = ProvidedFunction("Draws.from_stochtree")
    from_bartz = ProvidedFunction("Draws.from_bartz")
    from_pymc_bart = ProvidedFunction("Draws.from_pymc_bart")

    @property
    def n_replicates(self) -> int:
        """Number of replicates."""
        return len(self.vc)

    @property
    def n_features(self) -> int:
        """Number of variables."""
        return len(self.feature_names)

    @property
    def columns(self) -> ColumnSchema:
        """The columns of X: as many as variables, unless some were grouped."""
        return ColumnSchema(self.feature_names) if self.schema is None else self.schema

    @property
    def response_model(self) -> Response | None:
        """The kind of response; None if it is unknown, as for draws made of counts."""
        if self._encoded is not None:
            return self._encoded.y.model
        return None if self.response is None else RESPONSES.get(self.response)

    @property
    def k(self) -> FloatArray | None:
        """Trace of k under a prior with ``k="learned"``, an array (n_replicates, n_draws).

        None under other priors.

        Examples
        --------
        >>> import numpy as np
        >>> import bayesvc as bv
        >>> X = np.random.default_rng(0).uniform(size=(50, 3))
        >>> prior = bv.BART(k="learned")
        >>> draws = bv.sample(X, X[:, 0], prior, n_replicates=2, burn_in=20, n_draws=30)
        >>> draws.k.shape
        (2, 30)
        """
        if self.leaf_sd is None or self.prior is None or self.calibration is None:
            return None
        return self.prior.prior_k * self.calibration.leaf_sd / self.leaf_sd

    @property
    def acceptance(self) -> dict[str, FloatArray]:
        """Proportion of the proposals accepted, per move: birth, death, change, swap, perturb.

        NaN for a move that was never proposed, and for draws made of counts.
        """
        if self.accepted is None or self.proposed is None:
            return {name: np.full(self.n_replicates, np.nan) for name in MOVE_NAMES}
        with np.errstate(invalid="ignore"):
            rates = self.accepted / self.proposed
        return {name: rates[:, i] for i, name in enumerate(MOVE_NAMES)}

    def __repr__(self) -> str:
        top = np.argsort(-self.vc.mean(axis=0), kind="stable")[:5]
        used = ", ".join(
            f"{visible(str(self.feature_names[j]))} {self.vc[:, j].mean():.2f}" for j in top
        )
        sigma = self.sigma.mean()
        traces = f"{self.n_splits.mean():.3g} splits per draw"
        if not np.isnan(sigma):
            traces += f", sigma {sigma:.4g}"
        if self.prior is None:
            origin = "of" if self.source == "counts" else f"of {self.source} chains, of"
            return (
                f"<Draws: split counts {origin} {self.n_features} variables,"
                f" {self.n_replicates} replicates x {self.n_draws} draws\n"
                f" {traces}; most used: {used}>"
            )
        length = f"{self.n_replicates} replicates x {self.n_draws} draws"
        seconds = self.seconds.sum()
        if self.abc is not None:
            length = f"{self.n_replicates} of {self.abc.n_samples} samples kept, each one draw"
            seconds = self.abc.seconds
        return (
            f"<Draws: {self.prior.label}, {self.response} y, {self.n_rows} rows x "
            f"{self.n_features} variables, {self.n_trees} trees\n"
            f" {length} after {self.burn_in} burn-in,"
            f" {seconds:.3g} s of sampling, random_state={self.random_state}\n"
            f" {traces}; most used: {used}>"
        )

    def take(self, replicates: Sequence[int]) -> Draws:
        """Return the draws of these replicates, in this order; a number may occur twice.

        Only what begins with the first replicate and leaves none out can be extended.

        Examples
        --------
        >>> import bayesvc as bv
        >>> draws = bv.Draws.from_counts([[[2, 0]], [[3, 1]], [[4, 2]]])
        >>> draws.take([2, 0]).vc
        array([[4., 2.],
               [2., 0.]])
        """
        rows = list(replicates)
        fields = dict(self.__dict__)
        if rows != list(range(len(rows))):
            fields["random_state"] = None
        for name in tally_layout(0, 0):
            if fields[name] is not None:
                fields[name] = fields[name][rows]
        if self.forests is not None:
            fields["forests"] = tuple(self.forests[r] for r in rows)
        if self.abc is not None:
            fields["abc"] = replace(self.abc, kept=self.abc.kept[rows])
        return Draws(**fields)

    def extend(
        self,
        n_more: int,
        X: Any = None,
        y: Any = None,
        n_jobs: int | None = -1,
        progress: bool | ProgressCallback | None = None,
        sample_weight: Any = None,
    ) -> Draws:
        """Return these draws with `n_more` further replicates.

        The answer is the same, bit for bit, as if all had been asked for at once.

        Parameters
        ----------
        n_more : int
            Number of replicates to add.
        X, y : array or data frame, optional
            The data of the first replicates. Needed only for draws that were loaded from a file.
        n_jobs, progress
            As in `sample`.
        sample_weight : array, optional
            The weights of the first replicates, if they had any; it goes with X and y.

        Examples
        --------
        >>> import numpy as np
        >>> import bayesvc as bv
        >>> X = np.random.default_rng(0).uniform(size=(50, 3))
        >>> draws = bv.sample(X, X[:, 0], n_replicates=1, burn_in=20, n_draws=30, random_state=0)
        >>> draws.extend(2).n_replicates
        3
        """
        extended: Draws = provided("Draws.extend")(
            self, n_more, X, y, sample_weight=sample_weight, n_jobs=n_jobs, progress=progress
        )
        return extended

    def predict(
        self, X: Any, interval: float | None = None, n_jobs: int | None = -1
    ) -> FloatArray | tuple[FloatArray, FloatArray, FloatArray]:
        """Predict the mean of y at new rows.

        For a binary y that is the probability of ``classes[1]``; of survival times the median takes
        its place.

        Parameters
        ----------
        X : array or data frame
            Rows with the columns of the data that was fitted. Values may be missing in columns
            that had missing values there; categories must be known from there.
        interval : float, optional
            Also return the bounds of its central credible interval with this probability.
        n_jobs : int or None, default -1
            Number of threads; -1 uses all CPUs, None follows ``joblib.parallel_config``.

        Returns
        -------
        mean : ndarray (n_rows,)
            Posterior mean over all draws of all replicates; of survival times the geometric mean.
            With `interval` a tuple ``(mean, low, high)``.

        Examples
        --------
        >>> import numpy as np
        >>> import bayesvc as bv
        >>> X = np.random.default_rng(0).uniform(size=(50, 3))
        >>> draws = bv.sample(
        ...     X, X[:, 0], n_replicates=1, burn_in=20, n_draws=30, random_state=0, keep_trees=True
        ... )
        >>> mean, low, high = draws.predict(X[:5], interval=0.9)
        >>> mean.shape
        (5,)
        """
        predicted: FloatArray | tuple[FloatArray, FloatArray, FloatArray] = provided(
            "Draws.predict"
        )(self, X, interval, n_jobs)
        return predicted

    def posterior(self, X: Any, n_jobs: int | None = -1) -> FloatArray:
        """Return the mean of y at new rows, the probability or the median time, for every draw.

        Parameters
        ----------
        X : array or data frame
            Rows with the columns of the data that was fitted. Values may be missing in columns
            that had missing values there; categories must be known from there.
        n_jobs : int or None, default -1
            Number of threads; -1 uses all CPUs, None follows ``joblib.parallel_config``.

        Returns
        -------
        values : ndarray (n_replicates * n_draws, n_rows)
            The draws of the first replicate first.

        Examples
        --------
        >>> import numpy as np
        >>> import bayesvc as bv
        >>> X = np.random.default_rng(0).uniform(size=(50, 3))
        >>> draws = bv.sample(
        ...     X, X[:, 0], n_replicates=2, burn_in=20, n_draws=30, random_state=0, keep_trees=True
        ... )
        >>> draws.posterior(X[:5]).shape
        (60, 5)
        """
        predicted: FloatArray = provided("Draws.posterior")(self, X, n_jobs)
        return predicted

    def save(self, path: PathLike) -> None:
        """Write everything but the data to one file; `load` reads it.

        Examples
        --------
        >>> import tempfile, pathlib
        >>> import numpy as np
        >>> import bayesvc as bv
        >>> X = np.random.default_rng(0).uniform(size=(50, 3))
        >>> draws = bv.sample(X, X[:, 0], n_replicates=1, burn_in=20, n_draws=30, random_state=0)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     draws.save(pathlib.Path(folder) / "draws.npz")
        ...     again = bv.Draws.load(pathlib.Path(folder) / "draws.npz")
        >>> bool((again.vc == draws.vc).all())
        True
        """
        provided("Draws.save")(self, path)

    @classmethod
    def load(cls, path: PathLike) -> Draws:
        """Read draws that `save` wrote. `extend` on them needs the data again.

        Examples
        --------
        See `save`.
        """
        loaded: Draws = provided("Draws.load")(path)
        return loaded

    def __getstate__(self) -> dict[str, Any]:
        """Leave the encoded data behind, and trees as arrays, so that pickles are plain."""
        state = dict(self.__dict__, _encoded=None)
        if self.forests is not None:
            state["forests"] = [forest.to_arrays() for forest in self.forests]
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        if state["forests"] is not None:
            parts = [SavedForests.from_arrays(arrays) for arrays in state["forests"]]
            state = {**state, "forests": tuple(parts)}
        self.__dict__.update(state)
