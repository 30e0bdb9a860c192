"""`select` and `compare`: from data to the variables that matter."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from bayesvc._validation import (
    check_choice,
    check_integer,
    resolve_n_jobs,
    resolve_random_state,
)
from bayesvc.checkpoint import Checkpoint, open_checkpoint
from bayesvc.cuts import Threshold
from bayesvc.draws import Draws, PathLike
from bayesvc.fits import Fits, Need, sample_fits
from bayesvc.frames import frame_kind, make_frame
from bayesvc.priors import TreePrior
from bayesvc.problem import Data
from bayesvc.progress import ProgressCallback, check_progress
from bayesvc.recipe import DEFAULT_METHOD, RECIPES, Method, resolve_method
from bayesvc.running import DEFAULT_DRAWS, Length
from bayesvc.selection import Selection, cut_draws, find_twins
from bayesvc.spike_forest import SpikeForest, refuse_settings

if TYPE_CHECKING:
    from bayesvc.plots import Plot


@dataclass(frozen=True)
class _Run:
    """How to sample, checked."""

    n_trees: int
    burn_in: int | None
    n_draws: int | None
    entropy: int
    n_jobs: int
    progress: bool | ProgressCallback | None
    checkpoint: Checkpoint | None

    @property
    def length(self) -> Length:
        burn_in = DEFAULT_DRAWS if self.burn_in is None else self.burn_in
        return Length(burn_in, DEFAULT_DRAWS if self.n_draws is None else self.n_draws)


def select(
    X: Any,
    y: Any,
    method: str = DEFAULT_METHOD,
    *,
    goal: Literal["balanced", "quick", "screening", "confirmatory"] | None = None,
    prior: TreePrior | None = None,
    measure: str | None = None,
    threshold: str | Threshold | None = None,
    n_replicates: int | None = None,
    n_permutations: int | None = None,
    n_trees: int = 20,
    burn_in: int | None = None,
    n_draws: int | None = None,
    random_state: Any = None,
    n_jobs: int | None = None,
    progress: bool | ProgressCallback | None = None,
    response: Literal["auto", "continuous", "binary"] = "auto",
    checkpoint: PathLike | None = None,
) -> Selection:
    """Select the columns of X that drive y.

    Parameters
    ----------
    X : array, data frame or sparse matrix (n_rows, n_features)
        Predictors: numbers or truth values, without missing values.
    y : array, series or list (n_rows,)
        Response: numbers, or two classes (probit model): text, truth values, or 0 and 1; of
        other two numbers ``response="binary"`` makes classes.
    method : str, default "dart-vc"
        One of `bayesvc.recipes`.
    goal : {"balanced", "quick", "screening", "confirmatory"}, optional
        Picks the method as the paper advises; the result says what and why.
    prior, measure, threshold : optional
        Take the place of the method's own. `prior` is an object such as ``BART(k=3)``; `measure`
        one of "vip", "mi", "vc", "mpvip", "vip-rank", "vc-rank", "vc-measure", "vip-measure";
        `threshold` one of "local", "gse", "gmax", "median-probability", "clustering", or an object
        such as ``Permutation("gse", alpha=0.1)``.
    n_replicates, n_permutations : int, optional
        Fits to the data, and to permuted responses; by default as many as the paper takes.
    n_trees : int, default 20
    burn_in, n_draws : int, optional
        5000 each by default. `SpikeForest` has its own `burn_in` (200) and no use for `n_draws`.
    random_state, n_jobs, progress, response, checkpoint
        As in `bayesvc.sample`.

    Returns
    -------
    Selection

    Examples
    --------
    >>> import numpy as np
    >>> import bayesvc as bv
    >>> X = np.random.default_rng(0).uniform(size=(100, 6))
    >>> y = 10 * X[:, 1] + 5 * X[:, 4] ** 2
    >>> found = bv.select(X, y, n_replicates=3, burn_in=300, n_draws=300, random_state=0)
    >>> found.selected
    array([1, 4])
    """
    plan = resolve_method(
        method, goal=goal, prior=prior, measure=measure, threshold=threshold,
        n_replicates=n_replicates, n_permutations=n_permutations,
    )  # fmt: skip
    if isinstance(plan.prior, SpikeForest):
        refuse_settings(n_draws=n_draws)
        if burn_in is not None:
            plan = replace(plan, prior=replace(plan.prior, burn_in=burn_in))
    run = _check_run(n_trees, burn_in, n_draws, random_state, n_jobs, progress, checkpoint)
    data = Data(X, y, response, n_jobs=run.n_jobs)
    fits = _sample(data, [plan], run)
    return _selection(plan, fits, data, frame_kind(X))


class Comparison(Mapping[str, Selection]):
    """Several methods on the same fits, by name. Made by `compare`.

    Examples
    --------
    See `compare`.
    """

    def __init__(self, selections: dict[str, Selection], frame: str | None) -> None:
        self._selections = selections
        self._frame = frame

    def __getitem__(self, name: str) -> Selection:
        return self._selections[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._selections)

    def __len__(self) -> int:
        return len(self._selections)

    @property
    def table(self) -> Any:
        """One row per variable, one column of truth values per method, and their sum."""
        first = next(iter(self.values()))
        masks = {name: selection.mask for name, selection in self.items()}
        votes = np.sum(list(masks.values()), axis=0)
        return make_frame(
            {"variable": list(first.feature_names), **masks, "methods": votes}, self._frame
        )

    def plot(self, **options: Any) -> Plot:
        """Draw which methods select which variables. Needs matplotlib.

        Parameters
        ----------
        **options
            Of `bayesvc.plots.agreement`, such as `most` and `ax`.

        Examples
        --------
        >>> import numpy as np
        >>> import bayesvc as bv
        >>> X = np.random.default_rng(0).uniform(size=(100, 4))
        >>> both = bv.compare(
        ...     X, X[:, 1], ["dart-vc", "dart-mpm"], burn_in=200, n_draws=200, random_state=0
        ... )
        >>> both.plot().data["variable"].tolist()
        ['x1']
        """
        from bayesvc.plots import agreement  # only those who draw need matplotlib

        return agreement(self, **options)

    def to_html_report(self, path: PathLike, **settings: Any) -> Path:
        """Write the comparison as one HTML file that needs no network, and return where it is.

        Parameters
        ----------
        path : str or path
        **settings
            title, data_summary: see `bayesvc.write_report`.

        Examples
        --------
        >>> import tempfile, pathlib
        >>> import numpy as np
        >>> import bayesvc as bv
        >>> X = np.random.default_rng(0).uniform(size=(60, 3))
        >>> both = bv.compare(X, X[:, 0], "dart-mpm", burn_in=100, n_draws=100, random_state=0)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     both.to_html_report(pathlib.Path(folder) / "report.html").name
        'report.html'
        """
        from bayesvc.report import write_report  # it builds on this module

        return write_report(self, path, **settings)

    def __repr__(self) -> str:
        width = max(map(len, self))
        lines = [
            f"{name:{width}}  {len(found.selected):4d}  {_listed(found.names)}"
            for name, found in self.items()
        ]
        return "\n".join(lines)


def compare(
    X: Any,
    y: Any,
    methods: str | Sequence[str] = "all",
    *,
    n_trees: int = 20,
    burn_in: int | None = None,
    n_draws: int | None = None,
    random_state: Any = None,
    n_jobs: int | None = None,
    progress: bool | ProgressCallback | None = None,
    response: Literal["auto", "continuous", "binary"] = "auto",
    checkpoint: PathLike | None = None,
) -> Comparison:
    """Apply several methods to one set of fits: each prior is sampled once.

    Parameters
    ----------
    X, y
        As in `select`.
    methods : "all" or list of str
        Names of `bayesvc.recipes`.
    n_trees, burn_in, n_draws, random_state, n_jobs, progress, response, checkpoint
        As in `select`, but for `burn_in`, which here leaves `SpikeForest` alone. Each method gives
        what `select` gives with the same `random_state`.

    Returns
    -------
    Comparison
        A mapping from the names to `Selection`.

    Examples
    --------
    >>> import numpy as np
    >>> import bayesvc as bv
    >>> X = np.random.default_rng(0).uniform(size=(100, 5))
    >>> y = 10 * X[:, 1]
    >>> both = bv.compare(X, y, ["dart-vc", "dart-mpm"], burn_in=300, n_draws=300, random_state=0)
    >>> both["dart-mpm"].names
    ['x1']
    """
    plans = [resolve_method(name) for name in _check_names(methods)]
    run = _check_run(n_trees, burn_in, n_draws, random_state, n_jobs, progress, checkpoint)
    data = Data(X, y, response, n_jobs=run.n_jobs)
    fits = _sample(data, plans, run)
    frame = frame_kind(X)
    found = {plan.name: _selection(plan, fits, data, frame) for plan in plans}
    return Comparison(found, frame)


def select_from(
    draws: Draws,
    measure: str = "vc-measure",
    threshold: str | Threshold | None = None,
    *,
    permuted: Draws | None = None,
) -> Selection:
    """Select from fits that exist: of `sample`, loaded from a file, or of another program.

    Parameters
    ----------
    draws : Draws
    measure, threshold
        As in `select`.
    permuted : Draws, optional
        Fits to permuted responses, one replicate each, for the thresholds that need them.

    Examples
    --------
    >>> import bayesvc as bv
    >>> draws = bv.Draws.from_counts([[[9, 1, 0, 8]], [[7, 0, 1, 9]]], feature_names=list("abcd"))
    >>> bv.select_from(draws).names
    ['a', 'd']
    """
    plan = resolve_method(measure=measure, threshold=threshold)
    _check_draws("draws", draws)
    if permuted is not None:
        _check_draws("permuted", permuted)
    null = None
    if plan.threshold.needs_null:
        if permuted is None:
            raise ValueError(
                f"permuted=None, but threshold={plan.threshold.name!r} needs fits to permuted "
                "responses; pass their Draws, or use threshold='clustering'"
            )
        null = plan.measure.per_fit(permuted)
    name = f"{plan.measure.name}-{plan.threshold.name}"
    method = Method(
        name if draws.prior is None else plan.name, draws.prior, plan.measure, plan.threshold,
        draws.n_replicates, 0 if null is None else len(null),
    )  # fmt: skip
    mask, cut, values = cut_draws(method, draws, null)
    return Selection(
        method=method, mask=mask, cut=cut, values=values, null=null, draws=draws, permuted=permuted
    )


def _check_names(methods: Any) -> list[str]:
    """Return the names of the methods to compare."""
    remedy = "pass names of bayesvc.recipes, or 'all'"
    if isinstance(methods, str):
        check_choice("methods", methods, (*RECIPES, "all"))
        return list(RECIPES) if methods == "all" else [methods]
    try:
        names = list(methods)
    except TypeError:
        raise TypeError(f"methods={methods!r} is no list of names; {remedy}") from None
    if not names:
        raise ValueError(f"methods={methods!r} is empty; {remedy}")
    return [check_choice(f"methods[{i}]", name, RECIPES) for i, name in enumerate(names)]


def _check_draws(name: str, draws: Any) -> None:
    if not isinstance(draws, Draws):
        raise TypeError(
            f"{name} is a {type(draws).__name__}; pass a Draws of bayesvc.sample, or of "
            "bayesvc.Draws.from_counts for split counts"
        )


def _check_run(
    n_trees: Any,
    burn_in: Any,
    n_draws: Any,
    random_state: Any,
    n_jobs: Any,
    progress: Any,
    checkpoint: PathLike | None,
) -> _Run:
    check_progress(progress)
    return _Run(
        n_trees=check_integer("n_trees", n_trees, 1),
        burn_in=None if burn_in is None else check_integer("burn_in", burn_in, 0),
        n_draws=None if n_draws is None else check_integer("n_draws", n_draws, 1),
        entropy=resolve_random_state(random_state),
        n_jobs=resolve_n_jobs(n_jobs),
        progress=progress,
        checkpoint=open_checkpoint(checkpoint, random_state),
    )


def _sample(data: Data, plans: Sequence[Method], run: _Run) -> dict[TreePrior, Fits]:
    needs: dict[TreePrior, Need] = {}
    for plan in plans:
        assert plan.prior is not None
        need = Need(plan.n_replicates, plan.n_permutations)
        needs[plan.prior] = need.both(needs.get(plan.prior))
    return sample_fits(
        data, needs, n_trees=run.n_trees, length=run.length, entropy=run.entropy,
        n_jobs=run.n_jobs, progress=run.progress, checkpoint=run.checkpoint,
    )  # fmt: skip


def _selection(
    plan: Method, fits: dict[TreePrior, Fits], data: Data, frame: str | None
) -> Selection:
    assert plan.prior is not None
    own = fits[plan.prior]
    draws = own.first(plan.n_replicates)
    null = own.null(plan.measure, plan.n_permutations)
    mask, cut, values = cut_draws(plan, draws, null)
    selected = np.flatnonzero(mask)
    return Selection(
        method=plan,
        mask=mask,
        cut=cut,
        values=values,
        null=null,
        draws=draws,
        permuted=None if null is None else own.permuted,
        twins=find_twins(_correlations(data, selected), selected, data.names),
        frame=frame,
    )


def _correlations(data: Data, selected: NDArray[np.intp]) -> NDArray[np.float64]:
    return data.problem.columns.correlations(selected.tolist())


def _listed(names: Sequence[str], most: int = 8) -> str:
    shown = ", ".join(names[:most])
    return f"{shown}, ..." if len(names) > most else shown
