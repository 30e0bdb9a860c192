"""Repeat a selection on subsamples of the rows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesvc._typing import BoolArray, FloatArray, PathLike
from bayesvc._validation import check_choice
from bayesvc.data.frames import make_frame
from bayesvc.data.schema import Groups
from bayesvc.exceptions import silenced
from bayesvc.responses.base import Response
from bayesvc.sampling.progress import Progress, ProgressCallback
from bayesvc.selection.result import Selection
from bayesvc.selection.select import select
from bayesvc.selection.subsample_plan import SubsamplePlan, plan_subsamples
from bayesvc.selection.subsample_text import as_html, as_text
from bayesvc.selection.subsamples import SubsampleScheme

SETTINGS = (
    "goal", "prior", "measure", "threshold", "n_replicates", "n_permutations", "n_trees", "burn_in",
    "n_draws", "signal_test", "time_order", "max_seconds",
)  # fmt: skip


@dataclass(frozen=True, eq=False, repr=False)
class RowStability:
    """How often each variable is selected from some of the rows. Made by `row_stability`.

    The selection frequency says how much a selection depends on the rows at hand. It is neither
    the probability that a variable matters nor a p-value: a near-duplicate of a relevant column
    can have a frequency of 1. It is conservative, because half of the rows show less than all: a
    variable that only all rows reveal has a low frequency and may matter all the same.

    Attributes
    ----------
    selection : Selection
        Selection from all rows; its `table` has the frequencies too, as `row_stability`.
    masks : ndarray of bool (n_subsamples, n_features)
        What each subsample selects. Those of a pair follow each other.
    n_rows : ndarray of int (n_subsamples,)
        Number of rows in each subsample.
    scheme : SubsampleScheme
        `n_subsamples`, `fraction` and `pairs`.

    Examples
    --------
    See `row_stability`.
    """

    selection: Selection
    masks: BoolArray
    n_rows: NDArray[np.int64]
    scheme: SubsampleScheme

    @property
    def frequency(self) -> FloatArray:
        """Selection frequency: proportion of the subsamples that select each variable."""
        return np.asarray(self.masks.mean(axis=0))

    @property
    def table(self) -> Any:
        """One row per variable: variable, selected (from all rows) and selection frequency."""
        columns = {
            "variable": list(self.selection.labels),
            "selected": self.selection.mask,
            "frequency": self.frequency,
        }
        return make_frame(columns, self.selection.frame)

    def __repr__(self) -> str:
        return as_text(self)

    def _repr_html_(self) -> str:
        return as_html(self)


def row_stability(
    X: Any,
    y: Any,
    method: str | None = None,
    *,
    selection: Selection | None = None,
    n_subsamples: int = 50,
    fraction: float = 0.5,
    pairs: bool = True,
    blocks: Any = None,
    random_state: Any = None,
    n_jobs: int | None = -1,
    progress: bool | ProgressCallback | None = None,
    response: str | Response = "auto",
    checkpoint: PathLike | None = None,
    groups: Groups | None = None,
    sample_weight: Any = None,
    permute_within: Any = None,
    allow_empty: bool | None = None,
    **settings: Any,
) -> RowStability:
    """Repeat a selection on subsamples of the rows.

    Parameters
    ----------
    X, y, method
        As in `select`.
    selection : Selection, optional
        Selection from all rows, if there is one; its method and settings are used again. Without
        it, a selection from all rows is made first.
    n_subsamples : int, default 50
        Number of subsamples; an even number if they come in pairs.
    fraction : float, default 0.5
        Fraction of the rows in each subsample, and of each class. Rows are drawn without
        replacement: in a bootstrap sample rows come twice, a tree can tell such rows from all
        others, and the noise looks smaller than it is, so that too much is selected.
    pairs : bool, default True
        Draw two disjoint subsamples at a time (complementary pairs of Shah and Samworth, 2013).
        `fraction` is then at most 0.5.
    blocks : array (n_rows,), optional
        A label for each row, such as its patient. Rows with the same label are drawn together or
        not at all, and `fraction` is a fraction of the blocks.
    random_state, n_jobs, response, groups, sample_weight, permute_within, allow_empty
        As in `select`; weights and labels go with their rows. The result does not depend on
        `n_jobs`. With `selection` the seed is that of the selection unless another is given.
    progress : bool or callable, optional
        As in `select`, but counted in selections.
    checkpoint : path, optional
        Folder for finished replicates: a run that was stopped continues from there.
    **settings
        goal, prior, measure, threshold, n_replicates, n_permutations, n_trees, burn_in, n_draws,
        signal_test, time_order, max_seconds: as in `select`. The test for signal is made with all
        rows; with the subsamples only where ``allow_empty=True`` is given. With `selection` only
        time_order may be given.

    Returns
    -------
    RowStability

    Notes
    -----
    It costs `n_subsamples` selections from fewer rows. ``n_replicates=2`` makes it five times
    cheaper for the methods that take ten replicates.

    References
    ----------
    Shah, R. D. and Samworth, R. J. (2013). Variable selection with error control: another look at
    stability selection. Journal of the Royal Statistical Society B 75, 55-80.

    Examples
    --------
    >>> import numpy as np
    >>> import bayesvc as bv
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(size=(100, 4))
    >>> y = 5 * X[:, 1] + 0.5 * rng.normal(size=100)
    >>> short = {"n_replicates": 2, "burn_in": 100, "n_draws": 100, "random_state": 0}
    >>> stable = bv.row_stability(X, y, n_subsamples=10, **short)
    >>> stable.frequency
    array([0.1, 1. , 0.2, 0. ])
    >>> stable.selection.table["row_stability"].tolist()
    [0.1, 1.0, 0.2, 0.0]
    """
    _check_settings(settings, selection, method)
    scheme = SubsampleScheme(n_subsamples, fraction, pairs)
    work = plan_subsamples(
        X, y, scheme, selection=selection, method=method, settings=settings, blocks=blocks,
        random_state=random_state, n_jobs=n_jobs, response=response, groups=groups,
        sample_weight=sample_weight, permute_within=permute_within, allow_empty=bool(allow_empty),
        progress=progress, checkpoint=checkpoint,
    )  # fmt: skip
    report = Progress(progress, total=scheme.n_subsamples + 1)
    try:
        if selection is None:
            selection = select(
                X, y, method, random_state=work.entropy, n_jobs=n_jobs, response=response,
                checkpoint=checkpoint, groups=groups, sample_weight=sample_weight,
                permute_within=permute_within, allow_empty=allow_empty, row_stability=False,
                **settings,
            )  # fmt: skip
        with silenced():  # notes on single subsamples are of no use
            masks = _masks(work, report)
    except BaseException:
        report.abandon()
        raise
    report.finish()
    found = RowStability(selection, masks, work.n_rows, scheme)
    told = replace(selection, row_frequency=found.frequency, row_fraction=float(fraction))
    return replace(found, selection=told)


def _masks(work: SubsamplePlan, report: Progress) -> BoolArray:
    masks = []
    for number in range(len(work.rows)):
        report.update(number + 1)
        masks.append(select(**work.arguments(number)).mask)
    return np.array(masks)


def _check_settings(settings: dict[str, Any], selection: Any, method: Any) -> None:
    if selection is not None and not isinstance(selection, Selection):
        raise TypeError(
            f"`selection` must be what bayesvc.select returned. Got a {type(selection).__name__} "
            "instead. Pass a Selection, or leave it out."
        )
    for name in settings:
        check_choice("setting", name, SETTINGS)
    of_rows = {"time_order"}  # which the selection does not tell, as with `permute_within`
    given = [name for name in settings if name not in of_rows]
    given += [] if method is None else ["method"]
    if selection is not None and given:
        raise ValueError(
            f"`{given[0]}` must not be given with `selection`, whose own settings are used. Leave "
            "out one of them."
        )
