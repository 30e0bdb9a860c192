"""Plots of selections of all kinds, in the caller's axes, and what is refused."""

from __future__ import annotations

import subprocess
import sys
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray

matplotlib = pytest.importorskip("matplotlib")

import bayesvc as bv  # noqa: E402
from bayesvc import plots  # noqa: E402
from tests.helpers.drawn import drawn_texts, offsets, tick_names  # noqa: E402
from tests.helpers.settings import SEEDED  # noqa: E402

# Short chains: what their notes warn of is not the subject here.
pytestmark = pytest.mark.filterwarnings("ignore::bayesvc.exceptions.BayesvcWarning")

Dataset = tuple[NDArray[np.float64], NDArray[np.float64]]


def test_binary_response(classification: Dataset) -> None:
    X, y = classification
    labels = np.where(y > 0, "$yes$", "$no$")
    found = bv.select(X, labels, n_replicates=2, **SEEDED)
    assert len(found.plot("traces", quantities=["n_splits", "alpha"]).axes) == 2
    with pytest.raises(ValueError, match="`quantities` must be known for these draws"):
        found.plot("traces", quantities="sigma")
    plot = found.plot("partial_dependence", X=X, y=labels, features=2, n_trees=10, burn_in=50,
                      n_draws=30)  # fmt: skip
    assert plot.ax.get_ylabel() == "probability of $yes$"
    assert plot.data["high"].max() <= 1
    assert not any(t.get_parse_math() for t in drawn_texts(plot.figure) if "$" in t.get_text())


def test_abc(regression: Dataset) -> None:
    X, y = regression
    prior = bv.SpikeForest(n_samples=60, burn_in=30, keep=0.5)
    found = bv.select(X, y, "abc-vc", prior=prior, random_state=0)
    for kind in ("scatter", "importance", "dendrogram"):
        assert "abc-vc" in found.plot(kind).ax.get_title(loc="left")
    assert "30 kept forests" in found.plot().ax.get_xlabel()
    assert found.plot("stability", n_subsets=3).data["n_replicates"].max() == 30
    plot = found.plot(
        "partial_dependence", X=X, y=y, features=1, n_trees=10, burn_in=30, n_draws=20
    )
    assert set(plot.data["variable"]) == {"x1"}
    with pytest.raises(ValueError, match="one draw each, which have no traces, instead"):
        found.plot("traces")


@pytest.mark.parametrize("method", ["dart-vc", "bart-vip-rank", "bart-vip-local", "dart-mpm"])
def test_one_variable_and_one_fit(regression: Dataset, method: str) -> None:
    X, y = regression
    found = bv.select(X[:, 1:2], y, method, n_replicates=1, **SEEDED)
    for kind in ("scatter", "importance", "stability", "traces", None):
        plot = found.plot(kind)
        drawn_texts(plot.figure)
        assert set(plot.data["variable"]) <= {"", "x0"}
    assert "one replicate does not show" in found.plot("stability").ax.get_xlabel()
    if method in ("dart-vc", "bart-vip-rank"):
        texts = [t.get_text() for t in found.plot("dendrogram").ax.texts]
        assert texts == ["one variable: no clusters"]


def test_nothing_selected() -> None:
    alike = bv.Draws.from_counts(np.ones((2, 3, 4), dtype=int))
    found = bv.select_from(alike, "dart-vc")
    assert found.names == []
    assert len(offsets(found.plot("scatter").ax, 1)) == 0
    assert found.plot("importance").data["selected"].tolist() == [False] * 4
    assert found.plot("dendrogram").ax.texts[0].get_text() == "all variables are alike: no clusters"
    assert len(found.plot("stability").data["variable"]) == 0
    assert plots.agreement({"a": found}).ax.texts[0].get_text() == "no method selects anything"
    with pytest.raises(ValueError, match=r"`features` must be given, .* selected nothing"):
        found.plot("partial_dependence", X=np.ones((3, 4)), y=[1, 2, 3])


@pytest.mark.parametrize(
    ("fixture", "kind"),
    [
        ("clustered", "dendrogram"),
        *product(("clustered", "probable"), ("scatter", "importance", "stability", "traces")),
    ],
)
def test_hostile_names_are_text(request: pytest.FixtureRequest, fixture: str, kind: str) -> None:
    """Drawn for real: one of the names is no valid mathematics and would raise an error."""
    plot = request.getfixturevalue(fixture).plot(kind)
    shown = [t for t in drawn_texts(plot.figure) if "$" in t.get_text()]
    assert not any(t.get_parse_math() for t in shown)
    if kind in ("importance", "dendrogram"):
        names = tick_names(plot.ax.yaxis)
        assert {"$x_{1}$", "<b>", "_hidden", "$\\frac{", "two lines"} <= set(names)
        assert max(map(len, names)) <= 24


def test_hostile_names_in_nulls_and_agreement(
    permuted: bv.Selection, clustered: bv.Selection
) -> None:
    plot = permuted.plot("nulls")
    drawn_texts(plot.figure)
    assert {"$x_{1}$", "<b>", "$\\frac{"} <= set(tick_names(plot.ax.xaxis))
    plot = plots.agreement({"a": clustered, "b": permuted})
    drawn_texts(plot.figure)
    assert "$x_{1}$" in tick_names(plot.ax.yaxis)
    assert "long " * 20 in plot.data["variable"]


def test_the_callers_axes_and_settings(clustered: bv.Selection) -> None:
    before = dict(matplotlib.rcParams)
    figure = matplotlib.figure.Figure()
    left, right = figure.subplots(1, 2)
    assert clustered.plot("scatter", ax=left).figure is figure
    assert clustered.plot("traces", quantities=["sigma"], ax=[right]).axes == (right,)
    half = figure.add_subfigure(figure.add_gridspec(1, 1)[0]).subplots()
    assert clustered.plot("importance", ax=half).figure is figure
    figure.draw_without_rendering()
    assert dict(matplotlib.rcParams) == before
    with pytest.raises(ValueError, match=r"`ax` must hold 2 panels. Got 1"):
        clustered.plot("traces", quantities=["sigma", "rhat"], ax=left)
    with pytest.raises(TypeError, match=r"`ax` must be matplotlib Axes. Got 'here'"):
        clustered.plot("scatter", ax="here")


def test_own_figures_do_not_follow_the_callers_style(clustered: bv.Selection) -> None:
    with matplotlib.rc_context({"text.color": "red", "font.size": 30, "figure.facecolor": "red"}):
        plot = clustered.plot("importance")
        plot.figure.draw_without_rendering()
    assert plot.figure.get_facecolor() == (1, 1, 1, 1)
    assert plot.ax.title.get_color() != "red"
    assert plot.ax.get_yticklabels()[0].get_fontsize() == 8


def test_save_and_notebook(clustered: bv.Selection, tmp_path: Path) -> None:
    plot = clustered.plot()
    for ending in ("png", "svg", "pdf"):
        assert plot.save(tmp_path / f"a.{ending}").stat().st_size > 1000
    assert plot._repr_png_().startswith(b"\x89PNG")  # type: ignore[union-attr]
    assert "<b>" not in (tmp_path / "a.svg").read_text()
    table = pd.DataFrame(plot.data)
    assert table.columns[0] == "variable"


def test_errors_name_the_remedy(clustered: bv.Selection, permuted: bv.Selection) -> None:
    with pytest.raises(ValueError, match=r"'dart-vc' permutes nothing, .* such as 'bart-vip-gse'"):
        clustered.plot("nulls")
    with pytest.raises(ValueError, match=r"'bart-vip-gse' does not cluster, .* such as 'dart-vc'"):
        permuted.plot("dendrogram")
    with pytest.raises(ValueError, match=r"Got 'scater' instead. Did you mean 'scatter'"):
        clustered.plot("scater")
    with pytest.raises(TypeError, match=r"`selection` must be a Selection .* Got a Draws"):
        plots.scatter(clustered.draws)
    with pytest.raises(TypeError, match=r"`source` must be a Selection, Draws .* Got a int"):
        plots.traces(3)
    with pytest.raises(TypeError, match=r"`comparison` must be a mapping .* Got a Selection"):
        plots.agreement(clustered)
    other = bv.select_from(bv.Draws.from_counts([[[1, 0]]]))
    with pytest.raises(ValueError, match="must hold selections of the same variables"):
        plots.agreement({"a": clustered, "b": other})
    with pytest.raises(
        ValueError, match="`y` must be given with a Selection, which keeps no trees"
    ):
        clustered.plot("partial_dependence", X=np.ones((3, 6)))
    with pytest.raises(ValueError, match=r"`features` must be one of .* Got 'no'"):
        clustered.plot("partial_dependence", X=np.ones((3, 6)), y=[1, 2, 3], features="no")
    with pytest.raises(ValueError, match=r"`X` must have the 6 columns .*Got 2 columns"):
        clustered.plot("partial_dependence", X=np.ones((3, 2)), y=[1, 2, 3])
    with pytest.raises(ValueError, match=r"`most` must be an integer of at least 1"):
        clustered.plot("importance", most=0)


def test_a_fitted_selector(regression: Dataset) -> None:
    X, y = regression
    selector = bv.VariableSelector(n_replicates=2, **SEEDED).fit(X, y)
    assert plots.scatter(selector).data["selected"].tolist() == selector.support_.tolist()
    assert len(plots.traces(selector).axes) == 5


def test_without_matplotlib(clustered: bv.Selection, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match=r"pip install 'bayesvc\[plot\]'"):
        clustered.plot()


def test_no_import_of_matplotlib_or_pyplot() -> None:
    """Selecting needs no matplotlib, and plotting no pyplot."""
    code = (
        "import sys, bayesvc as bv\n"
        "found = bv.select_from(bv.Draws.from_counts([[[9, 1]], [[7, 0]]]))\n"
        "bv.plots.Plot\n"
        "assert 'matplotlib' not in sys.modules\n"
        "found.plot()._repr_png_()\n"
        "assert 'matplotlib.pyplot' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)
