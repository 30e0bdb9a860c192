"""What the fits leave behind: tallies per replicate and variable, traces, and on request more."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bayesvc import _core, adapters
from bayesvc._validation import check_level, check_memory, resolve_n_jobs
from bayesvc.encode import EncodedX, Response, encode_X
from bayesvc.priors import Calibration, TreePrior
from bayesvc.spike_forest import AbcRecord

if TYPE_CHECKING:
    from bayesvc.problem import Problem
    from bayesvc.progress import ProgressCallback

FloatArray = NDArray[np.float64]
PathLike = str | os.PathLike[str]

MOVE_NAMES = ("birth", "death", "change", "swap")

_PREDICTED_NUMBERS_PER_BLOCK = 8_000_000


def tally_layout(n_features: int, n_draws: int) -> dict[str, tuple[tuple[int, ...], type]]:
    """Return name -> (shape of one replicate, dtype) of everything a fit leaves behind."""
    p, draws = (n_features,), (n_draws,)
    return {
        "vc": (p, np.float64),
        "vip": (p, np.float64),
        "vip_of_sums": (p, np.float64),
        "mpvip": (p, np.float64),
        "mi": (p, np.float64),
        "sigma": (draws, np.float64),
        "n_splits": (draws, np.int32),
        "alpha": (draws, np.float64),
        "count_half_sums": ((2, n_features), np.float64),
        "count_half_squares": ((2, n_features), np.float64),
        "count_batch_squares": (p, np.float64),
        "accepted": ((len(MOVE_NAMES),), np.int64),
        "proposed": ((len(MOVE_NAMES),), np.int64),
        "tree_depth": ((), np.float64),
        "seconds": ((), np.float64),
        "counts": ((n_draws, n_features), np.uint16),
        "s": ((n_draws, n_features), np.float32),
    }


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Draws:
    """Replicate fits of one prior to one data set. Made by `sample`, never changed.

    `from_counts`, `from_stochtree`, `from_bartz` and `from_pymc_bart` make such an object from the
    split counts of other programs' fits. Those tell `vc`, `vip`, `mpvip` and the sums of counts;
    what they do not tell is NaN in the arrays of floats and None elsewhere.

    Attributes
    ----------
    vc, vip, mpvip, mi : ndarray (n_replicates, n_features)
        Mean number of splits on a variable per draw; mean share of the splits; share of draws
        that split on it at all; Metropolis importance.
    vip_of_sums : ndarray (n_replicates, n_features)
        Splits on a variable over all draws divided by all splits.
    sigma, n_splits, alpha : ndarray (n_replicates, n_draws)
        Traces: error sd in the units of y (1 for a binary response), number of splits of the
        forest, and DART's alpha (NaN for BART).
    seconds, tree_depth : ndarray (n_replicates,)
        Time in the sampler alone; mean depth of the trees.
    accepted, proposed : ndarray (n_replicates, 4)
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
    prior, n_trees, burn_in, n_draws, response, classes, random_state : settings of the run
        `random_state` is the integer that seeded it; `classes` the two classes of a binary y.
    feature_names : tuple of str
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
    response: Response | None
    classes: NDArray[Any] | None
    random_state: int | None
    feature_names: tuple[str, ...]
    n_rows: int | None
    data_hash: str | None
    calibration: Calibration | None
    counts: NDArray[np.uint16] | None = None
    s: NDArray[np.float32] | None = None
    forests: tuple[_core.SavedForests, ...] | None = None
    abc: AbcRecord | None = None
    source: str = "bayesvc"
    _problem: Problem | None = field(default=None)

    from_counts = staticmethod(adapters.from_counts)
    from_stochtree = staticmethod(adapters.from_stochtree)
    from_bartz = staticmethod(adapters.from_bartz)
    from_pymc_bart = staticmethod(adapters.from_pymc_bart)

    @property
    def n_replicates(self) -> int:
        """Number of independent fits."""
        return len(self.vc)

    @property
    def n_features(self) -> int:
        """Number of columns of X."""
        return len(self.feature_names)

    @property
    def acceptance(self) -> dict[str, FloatArray]:
        """Share of the proposals accepted, per move: birth, death, change, swap.

        NaN for a move that was never proposed, and for draws made of counts.
        """
        if self.accepted is None or self.proposed is None:
            return {name: np.full(self.n_replicates, np.nan) for name in MOVE_NAMES}
        with np.errstate(invalid="ignore"):
            rates = self.accepted / self.proposed
        return {name: rates[:, i] for i, name in enumerate(MOVE_NAMES)}

    def __repr__(self) -> str:
        top = np.argsort(-self.vc.mean(axis=0), kind="stable")[:5]
        used = ", ".join(f"{self.feature_names[j]} {self.vc[:, j].mean():.2f}" for j in top)
        sigma = self.sigma.mean()
        traces = f"{self.n_splits.mean():.3g} splits per draw"
        if not np.isnan(sigma):
            traces += f", sigma {sigma:.4g}"
        if self.prior is None:
            origin = "of" if self.source == "counts" else f"of {self.source} fits, of"
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
            f"<Draws: {type(self.prior).__name__}, {self.response} y, {self.n_rows} rows x "
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
        n_jobs: int | None = None,
        progress: bool | ProgressCallback | None = None,
    ) -> Draws:
        """Return these draws with `n_more` further replicates.

        The answer is the same, bit for bit, as if all had been asked for at once.

        Parameters
        ----------
        n_more : int
            Number of replicates to add.
        X, y : array or data frame, optional
            The data of the first fits. Needed only for draws that were loaded from a file.
        n_jobs, progress
            As in `sample`.

        Examples
        --------
        >>> import numpy as np
        >>> import bayesvc as bv
        >>> X = np.random.default_rng(0).uniform(size=(50, 3))
        >>> draws = bv.sample(X, X[:, 0], n_replicates=1, burn_in=20, n_draws=30, random_state=0)
        >>> draws.extend(2).n_replicates
        3
        """
        from bayesvc.sampling import extend_draws  # sampling builds on this module

        return extend_draws(self, n_more, X, y, n_jobs=n_jobs, progress=progress)

    def predict(
        self, X: Any, interval: float | None = None, n_jobs: int | None = None
    ) -> FloatArray | tuple[FloatArray, FloatArray, FloatArray]:
        """Predict f at new rows; for a binary response the probability of ``classes[1]``.

        Parameters
        ----------
        X : array or data frame
            Rows with the columns of the data that was fitted.
        interval : float, optional
            Also return the bounds of the central credible interval of f with this probability.
        n_jobs : int, optional
            Threads; all CPUs by default.

        Returns
        -------
        mean : ndarray (n_rows,)
            Posterior mean over all draws of all replicates. With `interval` a tuple
            ``(mean, low, high)``.

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
        if interval is not None:
            interval = check_level("interval", interval)
        threads = resolve_n_jobs(n_jobs)
        new = self._new_rows(X)
        rows = len(new)
        mean, low, high = np.empty(rows), np.empty(rows), np.empty(rows)
        for block, values in self._posterior_blocks(new, threads):
            mean[block] = values.mean(axis=0)
            if interval is not None:
                tails = ((1 - interval) / 2, (1 + interval) / 2)
                low[block], high[block] = np.quantile(values, tails, axis=0)
        return mean if interval is None else (mean, low, high)

    def posterior(self, X: Any, n_jobs: int | None = None) -> FloatArray:
        """Return f at new rows, for a binary response the probability, for every draw.

        Parameters
        ----------
        X : array or data frame
            Rows with the columns of the data that was fitted.
        n_jobs : int, optional
            Threads; all CPUs by default.

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
        threads = resolve_n_jobs(n_jobs)
        new = self._new_rows(X)
        # twice: the sums of each replicate's trees, and all of them in one array
        shape = (2, self.n_replicates * self.n_draws, len(new))
        check_memory("the posterior", shape, 8, "pass fewer rows at a time, or use predict")
        return self._posterior(np.asfortranarray(new), threads)

    def _new_rows(self, X: Any) -> FloatArray:
        """Check and encode rows to predict at."""
        if self.prior is None:
            raise ValueError(
                f"these draws were made of split counts (source={self.source!r}), which hold no "
                "trees; predict with the model that was fitted, or call bayesvc.sample with "
                "keep_trees=True"
            )
        if self.abc is not None:
            raise ValueError(
                "these draws hold no trees: the forests of prior=SpikeForest are there to select "
                "variables; predict with draws of BART or DART and keep_trees=True"
            )
        if self.forests is None:
            raise ValueError(
                "these draws hold no trees (keep_trees=False); call sample with keep_trees=True"
            )
        new = encode_X(X, min_rows=0)
        self._check_columns(new)
        return new.values

    @property
    def _rows_per_block(self) -> int:
        return max(1, _PREDICTED_NUMBERS_PER_BLOCK // (self.n_replicates * self.n_draws))

    def _posterior_blocks(
        self, X: FloatArray, n_threads: int
    ) -> Iterator[tuple[slice, FloatArray]]:
        """Yield blocks of rows and their posterior, in little memory."""
        step = self._rows_per_block
        for start in range(0, len(X), step):
            block = slice(start, start + step)
            yield block, self._posterior(np.asfortranarray(X[block]), n_threads)

    def _posterior(self, X: FloatArray, n_threads: int) -> FloatArray:
        """Return f, or the probability, for each draw of each replicate: (draws, rows)."""
        return self._rescaled(self._tree_sums(X, n_threads))

    def _tree_sums(
        self, X: FloatArray, n_threads: int, held: Sequence[int] = (), using_held: bool = True
    ) -> FloatArray:
        """Return the sum of all trees, or of those that split on a column in `held` or on none."""
        assert self.forests is not None
        parts = [forest.predict(X, n_threads, held, using_held) for forest in self.forests]
        return np.concatenate(parts)

    def _rescaled(self, sums: FloatArray) -> FloatArray:
        """Turn sums of trees, in their place, into f or the probability."""
        assert self.calibration is not None
        if self.response == "binary":
            from scipy.special import ndtr

            sums += self.calibration.offset
            return np.asarray(ndtr(sums, out=sums))
        sums += 0.5
        sums *= self.calibration.y_range
        sums += self.calibration.y_low
        return sums

    def _check_columns(self, new: EncodedX) -> None:
        if len(new.names) != self.n_features:
            raise ValueError(
                f"X has {len(new.names)} columns but the fits had {self.n_features}; "
                "pass the same columns in the same order"
            )
        fitted_with_names = self.feature_names != tuple(f"x{j}" for j in range(self.n_features))
        if new.names_given and fitted_with_names and new.names != self.feature_names:
            j = next(j for j in range(self.n_features) if new.names[j] != self.feature_names[j])
            raise ValueError(
                f"column {j} of X is {new.names[j]!r} but was {self.feature_names[j]!r} in the "
                "fits; pass the same columns in the same order"
            )

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
        from bayesvc._draws_file import write  # it builds on this module

        write(self, path)

    @classmethod
    def load(cls, path: PathLike) -> Draws:
        """Read draws that `save` wrote. `extend` on them needs the data again.

        Examples
        --------
        See `save`.
        """
        from bayesvc._draws_file import read  # it builds on this module

        return read(path)

    def __getstate__(self) -> dict[str, Any]:
        """Leave the encoded data behind, and trees as arrays, so that pickles are plain."""
        state = dict(self.__dict__, _problem=None)
        if self.forests is not None:
            state["forests"] = [forest.to_arrays() for forest in self.forests]
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        if state["forests"] is not None:
            parts = [_core.SavedForests.from_arrays(arrays) for arrays in state["forests"]]
            state = {**state, "forests": tuple(parts)}
        self.__dict__.update(state)
