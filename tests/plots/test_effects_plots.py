"""Plots of effects: the numbers and names in the axes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("matplotlib")

from matplotlib.figure import Figure

import bayesvc as bv
from bayesvc import plots
from tests.helpers.drawn import HOSTILE, tick_names

pytestmark = pytest.mark.filterwarnings("ignore::bayesvc.exceptions.BayesvcWarning")

SHORT = {"burn_in": 200, "n_draws": 100, "n_replicates": 2, "random_state": 0, "n_jobs": 1}


@pytest.fixture(scope="module")
def effects() -> bv.Effects:
    """Effects of four variables with hostile names: numbers, categories and a group."""
    rng = np.random.default_rng(0)
    a, b, c, d = HOSTILE[:4]
    table = pd.DataFrame({a: rng.uniform(size=200), b: rng.choice(list("xyz"), 200)})
    table[c], table[d] = rng.uniform(size=200), rng.uniform(size=200)
    table["flag"] = rng.integers(0, 2, 200)
    y = 3 * table[a] + (table[b] == "y") + table[c] + table[d] + table["flag"]
    found = bv.select(
        table, y, measure="vc", threshold=lambda v: v > 0, groups={"pair": [c, d]},
        signal_test=False, **SHORT,
    )  # fmt: skip
    return found.effects(table, y, n_trees=20, **SHORT)


def test_curves_have_a_panel_each(effects: bv.Effects) -> None:
    plot = effects.plot()
    assert len(plot.axes) == 3
    assert set(plot.data["variable"]) == {HOSTILE[0], HOSTILE[1], "flag"}
    assert plot.ax.get_ylabel() == "mean of y"
    assert (plot.data["low"] <= plot.data["mean"]).all()
    assert (plot.data["mean"] <= plot.data["high"]).all()
    panel = plot.axes[list(effects.curves).index(HOSTILE[1])]
    assert tick_names(panel.xaxis) == ["x", "y", "z"]
    curve = effects.curve(HOSTILE[0])
    panel = plot.axes[list(effects.curves).index(HOSTILE[0])]
    np.testing.assert_array_equal(panel.lines[0].get_ydata(), curve.mean)


def test_curves_on_request(effects: bv.Effects) -> None:
    plot = effects.plot("curves", variables=[HOSTILE[2], "flag"], curve="pd", ice=True, n_rows=4)
    assert len(plot.axes) == 2
    assert len(plot.ax.lines) == 5
    assert plots.effect_curves(effects, most=1).data["variable"].tolist()[0] in effects.labels
    assert len(effects.plot("curves", variables="flag").axes) == 1


def test_shares_and_loss(effects: bv.Effects) -> None:
    plot = effects.plot("shares")
    np.testing.assert_array_equal(plot.data["first_order"], effects.columns["first_order"])
    np.testing.assert_array_equal(plot.data["total"], effects.columns["total"])
    assert len(tick_names(plot.ax.yaxis)) == 4
    short = effects.plot("loss", most=2)
    np.testing.assert_array_equal(short.data["loss"], effects.columns["loss"][:2])
    assert short.ax.get_title(loc="left") == "2 of 4 variables"
    assert short.ax.get_xlabel().startswith("loss of R2 without the variable")


@pytest.mark.parametrize("kind", ["shares", "loss"])
def test_axes_of_the_caller(effects: bv.Effects, kind: str) -> None:
    axes = Figure().subplots()
    assert effects.plot(kind, ax=axes).axes == (axes,)


def test_refusals(effects: bv.Effects) -> None:
    with pytest.raises(ValueError, match="`kind` must be one of"):
        effects.plot("scatter")
    with pytest.raises(ValueError, match="`curve` must be one of"):
        effects.plot("curves", curve="ice")
    with pytest.raises(ValueError, match="at least one column"):
        effects.plot("curves", variables=[])
    with pytest.raises(TypeError, match="`effects` must be the Effects"):
        plots.variance_shares(3)
    with pytest.raises(ValueError, match="made with loss=False"):
        replace(effects, loss=None).plot("loss")
