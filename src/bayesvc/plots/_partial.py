"""How the prediction depends on one variable at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bayesvc._typing import FloatArray
from bayesvc._validation import check_integer, must_be
from bayesvc.data.align import align_to
from bayesvc.data.column_source import ArrayColumns
from bayesvc.data.encode import EncodedX, check_names, encode_X
from bayesvc.data.schema import ColumnSchema
from bayesvc.draws.draws import Draws
from bayesvc.draws.prediction import new_rows
from bayesvc.estimators.partial_dependence import PartialDependence, column_number
from bayesvc.estimators.partial_dependence import partial_dependence as compute
from bayesvc.plots._canvas import Plot, as_draws, canvas, name_ticks, shown, verbatim
from bayesvc.plots.style import GREY, LEFT_OUT, SELECTED

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from bayesvc.selection.result import Selection


def partial_dependence(
    source: Any,
    X: Any,
    y: Any = None,
    *,
    features: int | str | Sequence[int | str] | None = None,
    most: int = 6,
    n_rows: int = 300,
    grid_resolution: int = 20,
    interval: float = 0.9,
    n_trees: int = 50,
    burn_in: int = 1000,
    n_draws: int = 500,
    n_jobs: int | None = -1,
    ax: Any = None,
) -> Plot:
    """Draw the average prediction with one variable held fixed, for each variable that matters.

    Parameters
    ----------
    source : Selection, fitted BARTRegressor, BARTClassifier or BARTSurvival, or Draws with trees
        A selection keeps no trees, so from X and y a forest of its prior (BART instead of
        SpikeForest) is fitted to the selected columns alone, with the seed of the selection. The
        others are drawn as they were fitted.
    X : array or data frame
        Data with the columns that the replicates were fitted to.
    y : array or series, optional
        Response; only for a Selection.
    features : int, str or several of these, optional
        Columns, by position in X or name. By default the selected ones, or those with the largest
        proportion of the splits, at most `most`, the most important first; groups of columns are
        left out, for they cannot be held at one value.
    most : int, default 6
    n_rows : int, default 300
        Most rows of X to average over, evenly spaced.
    grid_resolution, interval
        As in `bayesvc.estimators.partial_dependence.partial_dependence`. The band is the
        central credible interval of the average.
    n_trees, burn_in, n_draws : int, default 50, 1000 and 500
        Of the forest for a Selection; two chains.
    n_jobs : int or None, default -1
        Number of threads; -1 uses all CPUs, None follows ``joblib.parallel_config``.
    ax : as many matplotlib Axes as columns, optional
        Where to draw; a new figure by default.

    Returns
    -------
    Plot
        `data` has a row per column and grid value: variable, x, mean, low, high. Grey lines at
        the bottom of a panel are the deciles of the column: between far-apart ones
        there are few data. Of categories `x` holds the labels.

    Examples
    --------
    >>> import numpy as np
    >>> import bayesvc as bv
    >>> X = np.random.default_rng(0).uniform(size=(100, 4))
    >>> y = 10 * X[:, 0] + 5 * X[:, 2]
    >>> found = bv.select(X, y, n_replicates=2, burn_in=200, n_draws=200, random_state=0)
    >>> plot = bv.plots.partial_dependence(found, X, y, burn_in=100, n_draws=100)
    >>> sorted(set(plot.data["variable"]))
    ['x0', 'x2']
    """
    most, n_rows = check_integer("most", most, 1), check_integer("n_rows", n_rows, 1)
    model, data, columns, title = _model(
        source, X, y, features, most, {"n_trees": n_trees, "burn_in": burn_in, "n_draws": n_draws,
                                       "n_jobs": n_jobs},
    )  # fmt: skip
    values = data.values
    some = np.unique(np.linspace(0, len(values) - 1, min(n_rows, len(values))).astype(int))
    rows = replace(data, source=ArrayColumns(values[some]))
    effects = [
        compute(
            model, rows, data.names[j], grid_resolution=grid_resolution,
            interval=interval, n_jobs=n_jobs,
        )
        for j in columns
    ]  # fmt: skip
    response = model.response_model
    assert response is not None  # it has trees to predict with
    n, wide = len(effects), min(len(effects), 3)
    tall = -(-n // wide)
    with canvas(ax, 0.6 + 2.7 * wide, 0.7 + 2.1 * tall, tall, wide, n, sharey=True) as panels:
        for axes, effect, j in zip(panels.axes, effects, columns, strict=True):
            _draw(axes, effect, values[:, j][~np.isnan(values[:, j])])
        for axes in panels.axes[:: wide if panels.own else 1]:
            axes.set_ylabel(shown(response.mean_label(model.classes)))
            verbatim(axes.yaxis.label)
        if panels.own:
            panels.ax.figure.suptitle(title, x=0.01, ha="left", fontsize=10)
    return Plot(panels.axes, _numbers(effects))


def _model(
    source: Any, X: Any, y: Any, features: Any, most: int, run: dict[str, Any]
) -> tuple[Draws, EncodedX, list[int], str]:
    """Return draws with trees, their data, the columns to draw, and what to say of the model."""
    from bayesvc.selection.result import Selection

    source = getattr(source, "selection_", source)
    if isinstance(source, Selection):
        return _fit_selected(source, X, y, features, most, run)
    draws = as_draws(source)
    data = EncodedX(ArrayColumns(new_rows(draws, X)), draws.columns, True)
    order = np.argsort(-draws.vip.mean(axis=0), kind="stable")
    columns = _positions(features, data.schema, order, most)
    return draws, data, columns, f"partial dependence, {len(data.names)} columns fitted"


def _fit_selected(
    selection: Selection,
    X: Any,
    y: Any,
    features: Any,
    most: int,
    run: dict[str, Any],
) -> tuple[Draws, EncodedX, list[int], str]:
    """Fit a forest to the selected columns, or to those asked for besides."""
    from bayesvc.sampling.sample import sample

    if y is None:
        raise ValueError(
            "`y` must be given with a Selection, which keeps no trees, so that a forest can be "
            "fitted to the selected columns. Got None instead. Pass y, or pass a fitted "
            "BARTRegressor or BARTClassifier in place of the Selection."
        )
    schema = selection.draws.columns
    (y,) = align_to(X, y=y)
    data = encode_X(X, min_rows=1, groups=schema.groups)
    check_names(data.names, data.names_given, schema.names)
    data = replace(data, schema=replace(data.schema, names=schema.names))
    order = selection.selected[np.argsort(selection.ranks[selection.mask], kind="stable")]
    drawn = _positions(features, schema, order, most)
    if not drawn:
        raise ValueError(
            f"`features` must be given, because method {selection.method.name!r} selected nothing. "
            "Got None instead. Pass the names of the most important variables."
        )
    used = np.union1d(order, schema.variable_of[drawn]).astype(np.intp)
    data, columns = data.take(np.arange(data.shape[0]), used), schema.part(used)[1]
    draws = sample(
        data, y, _prior(selection), n_replicates=2, keep_trees=True,
        random_state=selection.draws.random_state,
        response=selection.draws.response_model or "auto", **run,
    )  # fmt: skip
    title = f"{selection.method.name}: partial dependence in a forest on {len(columns)} columns"
    return draws, data, np.searchsorted(columns, drawn).tolist(), title


def _prior(selection: Selection) -> Any:
    from bayesvc.priors import BART

    prior = selection.draws.prior
    return BART() if prior is None else prior.for_prediction()


def _positions(
    features: Any, schema: ColumnSchema, order: NDArray[np.intp], most: int
) -> list[int]:
    """Return the columns asked for, or those of the first variables that are one column each."""
    if features is None:
        own = (schema.variables[k][1] for k in order.tolist())
        return [columns[0] for columns in own if len(columns) == 1][:most]
    given = [features] if isinstance(features, str) or np.ndim(features) == 0 else list(features)
    if not given:
        raise ValueError(
            must_be(
                "features", "at least one column", "an empty list", "pass some, or leave it out"
            )
        )
    return [column_number(schema, feature) for feature in given]


def _draw(axes: Axes, effect: PartialDependence, column: FloatArray) -> None:
    grid = effect.grid[0]
    if grid.dtype == object:
        _draw_categories(axes, effect)
    else:
        few = len(grid) <= 2
        axes.fill_between(grid, effect.low, effect.high, color=LEFT_OUT, alpha=0.25, linewidth=0)
        axes.plot(grid, effect.mean, color=SELECTED, marker="o" if few else None, linewidth=1.6)
        deciles = np.quantile(column, np.linspace(0.1, 0.9, 9))
        axes.vlines(
            deciles, 0, 0.05, colors=GREY, linewidth=1, transform=axes.get_xaxis_transform(),
            zorder=0,
        )  # fmt: skip
    axes.set_xlabel(shown(effect.features[0]))
    verbatim(axes.xaxis.label)


def _draw_categories(axes: Axes, effect: PartialDependence) -> None:
    labels = [str(label) for label in effect.grid[0]]
    places = np.arange(len(labels))
    spread = np.array([effect.mean - effect.low, effect.high - effect.mean])
    axes.errorbar(places, effect.mean, spread, fmt="o", color=SELECTED, ecolor=LEFT_OUT)
    name_ticks(axes.xaxis, places, labels, rotation=30 if len(labels) > 3 else 0)


def _numbers(effects: list[PartialDependence]) -> dict[str, NDArray[Any]]:
    names = [np.full(len(effect.mean), effect.features[0], dtype=object) for effect in effects]
    return {
        "variable": np.concatenate(names),
        "x": np.concatenate([effect.grid[0] for effect in effects]),
        "mean": np.concatenate([effect.mean for effect in effects]),
        "low": np.concatenate([effect.low for effect in effects]),
        "high": np.concatenate([effect.high for effect in effects]),
    }
