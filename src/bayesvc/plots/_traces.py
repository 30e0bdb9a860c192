"""Whether the chains tell the same story: traces, and R-hat of the counts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bayesvc._validation import check_choice, must_be
from bayesvc.draws import diagnostics
from bayesvc.draws.diagnostics import RHAT_LIMIT
from bayesvc.draws.draws import Draws
from bayesvc.plots._canvas import Plot, as_draws, canvas, log1p_axis
from bayesvc.plots._labels import label_points
from bayesvc.plots.style import GREY, LEFT_OUT, SELECTED, STYLES

if TYPE_CHECKING:
    from matplotlib.axes import Axes


_LABELS = {
    "sigma": "sigma",
    "df": "degrees of freedom",
    "n_splits": "splits in the forest",
    "alpha": "alpha",
    "k": "k",
    "rhat": "R-hat of counts",
}
_MOST_POINTS = 1000
_MOST_CHAINS = 10
_MOST_NAMES = 10


def traces(source: Any, *, quantities: str | Sequence[str] | None = None, ax: Any = None) -> Plot:
    """Draw the traces of the chains, with their split-R-hat, and that of every variable's count.

    Parameters
    ----------
    source : Selection, Draws, or fitted BARTRegressor, BARTClassifier or VariableSelector
    quantities : {"sigma", "df", "n_splits", "alpha", "k", "rhat"} or several of these, optional
        Panels to draw; all that are known by default. sigma is not of a binary response, "df" (the
        degrees of freedom) only of Student-t errors, alpha only of DART, k only of a prior that
        learns it, and "rhat" needs counts that change. The selected variables of a Selection are
        filled, and names are those of much-used variables with an R-hat above 1.1.
    ax : matplotlib Axes, or as many as there are panels, optional
        Where to draw; a new figure by default.

    Returns
    -------
    Plot
        `data` has a row per point of a trace and one per variable: quantity, replicate and draw (-1
        for R-hat), variable (an empty text for traces), value. Of long chains only every so many
        draws are drawn, and of many chains the first ten.

    Examples
    --------
    >>> import numpy as np
    >>> import bayesvc as bv
    >>> X = np.random.default_rng(0).uniform(size=(60, 3))
    >>> draws = bv.sample(X, X[:, 0], n_replicates=2, burn_in=100, n_draws=200, random_state=0)
    >>> plot = bv.plots.traces(draws, quantities=["sigma", "rhat"])
    >>> len(plot.axes)
    2
    >>> int((plot.data["quantity"] == "sigma").sum())
    400
    """
    draws = as_draws(source)
    mask = getattr(getattr(source, "selection_", source), "mask", None)
    panels_of = _quantities(draws, quantities)
    heights = 1.5 * len(panels_of) + 0.8 * ("rhat" in panels_of) + 0.4
    ratios = [1.6 if name == "rhat" else 1 for name in panels_of]
    n = len(panels_of)
    last = next((name for name in reversed(panels_of) if name != "rhat"), None)
    parts: list[dict[str, NDArray[Any]]] = []
    with canvas(ax, 6.8, heights, n, 1, n, height_ratios=ratios) as panels:
        for axes, name in zip(panels.axes, panels_of, strict=True):
            if name == "rhat":
                parts.append(_draw_rhat(axes, draws, mask))
            else:
                parts.append(_draw_trace(axes, draws, name))
                axes.set_xlabel("draw" if name == last else "")
    data = {key: np.concatenate([part[key] for part in parts]) for key in parts[0]}
    return Plot(panels.axes, data)


def _quantities(draws: Draws, asked: str | Sequence[str] | None) -> list[str]:
    if draws.abc is not None:
        raise ValueError(
            "`source` must hold chains. Got forests of SpikeForest, one draw each, which have no "
            "traces, instead. Look at draws.abc.discrepancy, or plot the stability."
        )
    known = [name for name in _LABELS if _is_known(draws, name)]
    if asked is None:
        if not known:
            raise ValueError(
                "`source` must hold at least 2 draws per chain for a trace. Got "
                f"{draws.n_draws} instead. Increase `n_draws`."
            )
        return known
    names = [asked] if isinstance(asked, str) else list(asked)
    for name in names:
        check_choice("quantities", name, _LABELS)
        if name not in known:
            listed = ", ".join(map(repr, known))
            raise ValueError(
                f"`quantities` must be known for these draws: {listed}. Got {name!r} instead."
            )
    if not names:
        remedy = "pass some, or leave it out"
        raise ValueError(must_be("quantities", "at least one name", "an empty list", remedy))
    return names


def _is_known(draws: Draws, name: str) -> bool:
    if name == "rhat":
        return bool(np.isfinite(diagnostics.mixing(draws).count_rhat).any())
    trace = getattr(draws, name)
    known = draws.n_draws > 1 and trace is not None and not np.isnan(trace).any()
    fixed = name == "sigma" and known and np.ptp(trace) == 0
    return known and not fixed


def _draw_trace(axes: Axes, draws: Draws, name: str) -> dict[str, NDArray[Any]]:
    trace = getattr(draws, name)
    step = -(-draws.n_draws // _MOST_POINTS)
    at = np.arange(0, draws.n_draws, step)
    drawn = np.asarray(trace[:_MOST_CHAINS, at], dtype=np.float64)
    for chain, (colour, _) in zip(drawn, STYLES.values(), strict=False):
        axes.plot(at, chain, color=colour, linewidth=0.6, alpha=0.7)
    rhat = diagnostics.of_trace(trace.astype(np.float64))[0]
    axes.set_ylabel(_LABELS[name])
    axes.set_xlim(0, max(1, draws.n_draws - 1))
    notes = [] if np.isnan(rhat) else [f"R-hat {rhat:.2f}"]
    notes += [f"one draw in {step}"] * (step > 1)
    notes += [f"first {_MOST_CHAINS} of {len(trace)} chains"] * (len(trace) > _MOST_CHAINS)
    axes.set_title(f"{_LABELS[name]}: {', '.join(notes)}" if notes else _LABELS[name], loc="left")
    n_chains = len(drawn)
    return {
        "quantity": np.full(drawn.size, name, dtype=object),
        "replicate": np.repeat(np.arange(n_chains), len(at)),
        "draw": np.tile(at, n_chains),
        "variable": np.full(drawn.size, "", dtype=object),
        "value": drawn.ravel(),
    }


def _draw_rhat(axes: Axes, draws: Draws, mask: NDArray[np.bool_] | None) -> dict[str, NDArray[Any]]:
    rhat = diagnostics.mixing(draws).count_rhat
    place = np.empty(draws.n_features)
    place[np.argsort(-draws.vc.mean(axis=0), kind="stable")] = np.arange(1, draws.n_features + 1)
    finite = np.isfinite(rhat)
    log1p_axis(axes, "x", place)
    chosen = np.zeros(len(rhat), dtype=bool) if mask is None else mask
    for some, colour, face in (
        (finite & ~chosen, LEFT_OUT, "none"),
        (finite & chosen, SELECTED, SELECTED),
    ):
        axes.scatter(
            place[some], rhat[some], s=18, facecolors=face, edgecolors=colour, linewidths=0.9
        )
    axes.axhline(RHAT_LIMIT, color=GREY, linestyle="--", linewidth=1.2)
    axes.set_ylabel(_LABELS["rhat"])
    axes.set_xlabel("variables, the most used first")
    high = int((rhat[finite] > RHAT_LIMIT).sum())
    axes.set_title(f"R-hat of counts: {high} of {finite.sum()} above {RHAT_LIMIT}", loc="left")
    worth = np.flatnonzero(finite & (rhat > RHAT_LIMIT) & ((place <= 2 * _MOST_NAMES) | chosen))
    worth = worth[np.argsort(place[worth])][:_MOST_NAMES]
    names = [str(draws.feature_names[j]) for j in worth]
    among_finite = np.searchsorted(np.flatnonzero(finite), worth).tolist()
    label_points(axes, place[finite], rhat[finite], among_finite, names)
    everyone = np.full(len(rhat), -1)
    return {
        "quantity": np.full(len(rhat), "rhat", dtype=object),
        "replicate": everyone,
        "draw": everyone,
        "variable": np.array([str(name) for name in draws.feature_names], dtype=object),
        "value": rhat,
    }
