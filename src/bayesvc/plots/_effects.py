"""The effects of the selected variables: curves, shares of the variance, and loss."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bayesvc._text import percent
from bayesvc._typing import FloatArray
from bayesvc._validation import check_choice, check_integer, must_be
from bayesvc.explain.curves import EffectCurve
from bayesvc.explain.result import Effects, IndividualCurves
from bayesvc.plots._canvas import Plot, canvas, name_ticks, row_lines, shown, verbatim
from bayesvc.plots.style import FAINT, GREY, LEFT_OUT, SELECTED

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_TITLES = {"ale": "accumulated local effects", "pd": "partial dependence"}


def effect_curves(
    effects: Effects,
    *,
    curve: str = "ale",
    variables: int | str | Sequence[int | str] | None = None,
    most: int = 12,
    ice: bool = False,
    n_rows: int = 30,
    n_jobs: int | None = -1,
    ax: Any = None,
) -> Plot:
    """Draw how the prediction changes with each variable, with credible bands.

    Parameters
    ----------
    effects : Effects
    curve : {"ale", "pd"}
        Accumulated local effects or partial dependence; see `bayesvc.Effects.curve`.
    variables : str, int or several of these, optional
        Columns. By default the variables with the largest share of the variance, at most `most`;
        groups of columns are left out, but their columns can be named.
    most : int, default 12
    ice : bool, default False
        Whether to draw the curves of single rows too.
    n_rows : int, default 30
        Number of these rows.
    n_jobs : int or None, default -1
        Number of threads; -1 uses all CPUs, None follows ``joblib.parallel_config``.
    ax : as many matplotlib Axes as columns, optional
        Where to draw; a new figure by default.

    Returns
    -------
    Plot
        `data` has a row per column and value: variable, x, mean, low, high. Grey lines at the
        bottom of a panel are the deciles of the column. Of categories `x` holds the labels.

    Examples
    --------
    >>> import numpy as np
    >>> import bayesvc as bv
    >>> X = np.random.default_rng(0).uniform(size=(200, 3))
    >>> found = bv.select(X, X[:, 0], n_replicates=2, burn_in=200, n_draws=200, random_state=0)
    >>> effects = found.effects(X, X[:, 0], burn_in=100, n_draws=100, loss=False)
    >>> bv.plots.effect_curves(effects, ice=True, n_rows=5).data["x"].shape
    (21,)
    """
    effects = _as_effects(effects)
    kind = check_choice("curve", curve, tuple(_TITLES))
    names = _columns(effects, variables, check_integer("most", most, 1))
    curves = [effects.curve(name, kind, n_jobs=n_jobs) for name in names]
    rows = [
        effects.individual_curves(name, n_rows=n_rows, n_jobs=n_jobs) if ice else None
        for name in names
    ]
    response = effects.draws.response_model
    assert response is not None  # it has trees to predict with
    wide = min(len(curves), 3)
    tall = -(-len(curves) // wide)
    size = (0.6 + 2.7 * wide, 0.7 + 2.1 * tall, tall, wide, len(curves))
    with canvas(ax, *size, sharey=True) as panels:
        for axes, one, own in zip(panels.axes, curves, rows, strict=True):
            _draw_curve(axes, one, own, effects)
        for axes in panels.axes[:: wide if panels.own else 1]:
            axes.set_ylabel(shown(response.mean_label(effects.draws.classes)))
            verbatim(axes.yaxis.label)
        if panels.own:
            title = f"{_TITLES[kind]}, with {percent(effects.interval)} bands"
            panels.ax.figure.suptitle(title, x=0.01, ha="left", fontsize=10)
    return Plot(panels.axes, _curve_numbers(curves))


def variance_shares(effects: Effects, *, most: int = 30, ax: Any = None) -> Plot:
    """Draw the share of the variance of each variable, first order and total.

    Parameters
    ----------
    effects : Effects
    most : int, default 30
        Most variables to show, those with the largest total shares.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    Plot
        `data` has a row per variable, from the top: variable, first_order, first_order_low,
        first_order_high, total, total_low, total_high.

    Examples
    --------
    >>> import numpy as np
    >>> import bayesvc as bv
    >>> X = np.random.default_rng(0).uniform(size=(200, 3))
    >>> found = bv.select(X, X[:, 0], n_replicates=2, burn_in=200, n_draws=200, random_state=0)
    >>> effects = found.effects(X, X[:, 0], burn_in=100, n_draws=100, loss=False)
    >>> bv.plots.variance_shares(effects).data["total"].round(2)
    array([1.])
    """
    effects = _as_effects(effects)
    top = slice(check_integer("most", most, 1))
    data: dict[str, NDArray[Any]] = {"variable": np.array(effects.labels[top], dtype=object)}
    for name in ("first_order", "total"):
        values = effects.summary(getattr(effects.shares, name)[:, top])
        data |= dict(zip((name, f"{name}_low", f"{name}_high"), values, strict=True))
    with canvas(ax, 6.4, 1.6 + 0.26 * len(data["variable"])) as panels:
        axes = panels.ax
        row_lines(axes, len(data["variable"]))
        handles = [
            _draw_intervals(axes, data, "first_order", SELECTED, "o", -0.12, "alone (first order)"),
            _draw_intervals(axes, data, "total", LEFT_OUT, "D", 0.12, "with interactions (total)"),
        ]
        _finish(axes, data, effects, "share of the variance, independent variables")
        axes.set_xlim(left=0)
        panels.legend(handles)
    return Plot((axes,), data)


def predictive_loss(effects: Effects, *, most: int = 30, ax: Any = None) -> Plot:
    """Draw how much worse new rows are predicted without each variable.

    Parameters
    ----------
    effects : Effects
    most : int, default 30
        Most variables to show, those with the largest total shares.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    Plot
        `data` has a row per variable, from the top: variable, loss, loss_low, loss_high.

    Examples
    --------
    >>> import numpy as np
    >>> import bayesvc as bv
    >>> X = np.random.default_rng(0).uniform(size=(200, 3))
    >>> found = bv.select(X, X[:, 0], n_replicates=2, burn_in=200, n_draws=200, random_state=0)
    >>> effects = found.effects(X, X[:, 0], burn_in=100, n_draws=100)
    >>> bv.plots.predictive_loss(effects).data["loss"].round(1)
    array([1.])
    """
    effects = _as_effects(effects)
    if effects.loss is None:
        raise ValueError(
            "`effects` must hold the loss without each variable. Got effects made with loss=False "
            "instead. Call `Selection.effects` again without it."
        )
    top = slice(check_integer("most", most, 1))
    names = ("loss", "loss_low", "loss_high")
    data: dict[str, NDArray[Any]] = {"variable": np.array(effects.labels[top], dtype=object)}
    data |= {name: effects.columns[name][top] for name in names}
    label = "loss of R2 without the variable"
    if effects.loss.name != "R2":
        label = f"rise of the {effects.loss.name} without the variable"
    with canvas(ax, 6.4, 1.3 + 0.26 * len(data["variable"])) as panels:
        axes = panels.ax
        row_lines(axes, len(data["variable"]))
        axes.axvline(0, color=GREY, linewidth=1)
        _draw_intervals(axes, data, "loss", SELECTED, "o", 0, label)
        _finish(axes, data, effects, label)
    return Plot((axes,), data)


def _as_effects(effects: Any) -> Effects:
    if not isinstance(effects, Effects):
        got = f"a {type(effects).__name__}"
        wanted = "the Effects that `Selection.effects` returns"
        raise TypeError(must_be("effects", wanted, got))
    return effects


def _columns(effects: Effects, variables: Any, most: int) -> list[Any]:
    if variables is None:
        names: list[Any] = list(effects.curves)[:most]
    elif isinstance(variables, str) or np.ndim(variables) == 0:
        names = [variables]
    else:
        names = list(variables)
    if not names:
        got = "none" if variables is not None else "effects of column groups only"
        remedy = "pass the names of columns"
        raise ValueError(must_be("variables", "at least one column", got, remedy))
    return names


def _draw_curve(
    axes: Axes, curve: EffectCurve, rows: IndividualCurves | None, effects: Effects
) -> None:
    schema = effects.X.schema
    places: FloatArray = np.arange(len(curve.x), dtype=np.float64)
    if rows is not None and len(rows.x) == len(curve.x):
        at = places if curve.categorical else rows.x
        axes.plot(at, rows.values.T, color=GREY, alpha=2 * FAINT, linewidth=0.6, zorder=1)
    elif rows is not None:
        axes.plot(rows.x, rows.values.T, color=GREY, alpha=2 * FAINT, linewidth=0.6, zorder=1)
    if curve.categorical:
        spread = np.array([curve.mean - curve.low, curve.high - curve.mean])
        axes.errorbar(
            places, curve.mean, spread, fmt="o", markersize=4, color=SELECTED, ecolor=LEFT_OUT
        )
        labels = [str(label) for label in curve.x]
        name_ticks(axes.xaxis, places, labels, rotation=30 if len(labels) > 3 else 0)
    else:
        few = len(curve.x) <= 2
        axes.fill_between(curve.x, curve.low, curve.high, color=LEFT_OUT, alpha=0.25, linewidth=0)
        axes.plot(curve.x, curve.mean, color=SELECTED, marker="o" if few else None, linewidth=1.6)
        own = effects.X.values[:, schema.places[curve.variable]]
        deciles = np.quantile(own[~np.isnan(own)], np.linspace(0.1, 0.9, 9))
        axes.vlines(
            deciles, 0, 0.05, colors=GREY, linewidth=1, transform=axes.get_xaxis_transform(),
            zorder=0,
        )  # fmt: skip
    axes.set_xlabel(shown(curve.variable))
    verbatim(axes.xaxis.label)


def _draw_intervals(
    axes: Axes,
    data: dict[str, NDArray[Any]],
    name: str,
    colour: str,
    marker: str,
    shift: float,
    label: str,
) -> Any:
    at = np.arange(len(data[name])) + shift
    axes.hlines(at, data[f"{name}_low"], data[f"{name}_high"], colors=colour, linewidth=1.4)
    return axes.scatter(data[name], at, s=24, color=colour, marker=marker, zorder=3, label=label)


def _finish(axes: Axes, data: dict[str, NDArray[Any]], effects: Effects, label: str) -> None:
    names = [str(name) for name in data["variable"]]
    name_ticks(axes.yaxis, np.arange(len(names)), names)
    axes.set_xlabel(f"{label}\nlines: {percent(effects.interval)} intervals")
    hidden = len(effects.names) - len(names)
    if hidden > 0:
        axes.set_title(f"{len(names)} of {len(effects.names)} variables", loc="left")


def _curve_numbers(curves: list[EffectCurve]) -> dict[str, NDArray[Any]]:
    names = [np.full(len(curve.mean), curve.variable, dtype=object) for curve in curves]
    parts = {
        key: np.concatenate([getattr(curve, key) for curve in curves])
        for key in ("x", "mean", "low", "high")
    }
    return {"variable": np.concatenate(names), **parts}
