"""Parts that the package has never seen, and the contracts of its own."""

from __future__ import annotations

import json
import subprocess
import sys
import warnings
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import bayesvc as bv
from bayesvc.exceptions import BayesvcWarning, ConvergenceWarning, NoSignalWarning
from bayesvc.measures import MEASURES
from bayesvc.measures.base import measure_values, replicate_values
from bayesvc.plots import KINDS
from bayesvc.responses import RESPONSES
from bayesvc.thresholds import THRESHOLDS, threshold_from_dict, threshold_to_dict
from bayesvc.thresholds.base import apply_threshold

pytestmark = pytest.mark.filterwarnings("ignore::bayesvc.exceptions.BayesvcWarning")

SHORT: dict[str, Any] = {"burn_in": 60, "n_draws": 60, "n_trees": 5, "random_state": 1}


@dataclass(frozen=True)
class Spread(bv.measures.Measure):
    """Mean and range of the counts."""

    power: float = 1.0

    name = "spread"
    label = "Spread"
    axis_label = "spread (made up)"
    description = "Mean and range of the number of splits."
    column_names = ("spread_mean", "spread_range")
    n_columns = 2

    def compute(self, draws: Any) -> Any:
        return np.column_stack([draws.vc.mean(axis=0) ** self.power, np.ptp(draws.vc, axis=0)])


@dataclass(frozen=True)
class TopHalf(bv.thresholds.Threshold):
    """The upper half by the first column."""

    at: float = 0.5

    name = "top-half"
    description = "Selects the upper half of the variables."

    def apply(self, measure: Any, values: Any, null: Any) -> Any:
        first = values if values.ndim == 1 else values[:, 0]
        limit = np.full(len(first), np.quantile(first, self.at))
        return bv.thresholds.ThresholdResult(first > limit, limit, first - limit)


@dataclass(frozen=True, kw_only=True)
class Stubby(bv.BART):
    """BART with shallow trees."""

    beta: float = 4.0


@dataclass(frozen=True)
class Logged(bv.responses.Gaussian):
    """A positive response on the log scale."""

    name = label = "logged"

    def encode(self, values: Any) -> Any:
        return super().encode(np.log(values))

    def mean(self, sums: Any, calibration: Any) -> Any:
        return np.exp(super().mean(sums, calibration))

    def mean_label(self, classes: Any) -> str:
        return "median of y"


def largest(draws: Any) -> Any:
    """Return the largest count of each variable."""
    return draws.vc.max(axis=0)


def above_mean(values: Any) -> Any:
    return values > values.mean()


@pytest.fixture(scope="module")
def data() -> tuple[pd.DataFrame, Any]:
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.uniform(size=(60, 5)), columns=list("abcde"))
    return X, 10 * X["b"] + 5 * X["d"] + rng.normal(size=60)


@pytest.fixture(scope="module")
def found(data: Any) -> bv.Selection:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BayesvcWarning)
        return bv.select(
            *data, prior=Stubby(), measure=Spread(power=2.0), threshold=TopHalf(0.6),
            n_replicates=3, **SHORT,
        )  # fmt: skip


def check_everything(found: bv.Selection, data: Any, folder: Path, *, known: bool) -> None:
    """Look at a selection in every way there is."""
    assert "spread_mean" in found.table
    assert "spread_range" in found.table
    assert "Spread" in repr(found)
    assert "Spread" in found._repr_html_() or "spread_mean" in found._repr_html_()
    assert found.explain("b").startswith("b is selected by")
    as_json = json.loads(found.to_json())
    assert (as_json["measure"], as_json["threshold"]) == ("spread", "top-half")
    assert as_json["measure_settings"] == {"power": 2.0}
    assert as_json["threshold_settings"] == {"at": 0.6}
    assert (as_json["variables"][1]["selected_leave_one_out"] is not None) == known
    page = found.to_html_report(folder / "report.html").read_text(encoding="utf-8")
    assert "Mean and range of the number of splits." in page
    assert "top_half" in page
    for kind in KINDS:
        if kind in ("nulls", "dendrogram") or (kind == "stability" and not known):
            with pytest.raises(ValueError, match=r"permutes nothing|not cluster|session does not"):
                found.plot(kind)
            continue
        options = dict(zip(("X", "y"), data, strict=True)) if kind == "partial_dependence" else {}
        assert len(found.plot(kind, **options).axes) >= 1
    assert found.plot().ax.get_xlabel().startswith("spread (made up)")


def test_a_selection_with_parts_of_the_users_own(found: Any, data: Any, tmp_path: Path) -> None:
    assert found.method.name == "stubby-spread-top-half"
    assert found.method.description == "Stubby prior, Spread, top-half threshold (at=0.6)"
    assert found.mask.tolist() == (found.importance > np.quantile(found.importance, 0.6)).tolist()
    check_everything(found, data, tmp_path, known=True)


def test_unknown_parts_of_a_file_are_shown_but_not_recomputed(
    found: Any, data: Any, tmp_path: Path
) -> None:
    path = tmp_path / "found.npz"
    found.save(path)
    again = bv.Selection.load(path)
    check_everything(again, data, tmp_path, known=False)
    pd.testing.assert_frame_equal(again.table, found.table)
    np.testing.assert_array_equal(again.per_replicate, found.per_replicate)
    assert [note.code for note in again.notes if note.code == "unknown-part"] == ["unknown-part"]
    with pytest.raises(ValueError, match=r"does not know measure 'spread' and threshold"):
        again.stability  # noqa: B018
    again.save(tmp_path / "again.npz")
    assert bv.Selection.load(tmp_path / "again.npz").to_json() == again.to_json()


def test_parts_can_be_given_to_load(found: Any, data: Any, tmp_path: Path) -> None:
    found.save(tmp_path / "found.npz")
    parts: dict[str, Any] = {"measure": Spread(power=2.0), "threshold": TopHalf(0.6)}
    again = bv.Selection.load(tmp_path / "found.npz", **parts)
    assert again.method == replace(found.method, prior=again.method.prior)
    assert again.to_json() == found.to_json()
    with pytest.raises(ValueError, match=r"the one that the file names, 'spread'"):
        bv.Selection.load(tmp_path / "found.npz", measure=largest)


def test_registered_parts_have_names(found: Any, data: Any, tmp_path: Path) -> None:
    found.save(tmp_path / "found.npz")
    bv.measures.register(Spread())
    bv.thresholds.register(TopHalf())
    try:
        again = bv.Selection.load(tmp_path / "found.npz")
        assert (again.method.measure, again.method.threshold) == (Spread(2.0), TopHalf(0.6))
        assert again.method.recomputable
        by_name = bv.select_from(found.draws, measure="spread", threshold="top-half")
        assert by_name.method.measure == Spread()
    finally:
        del MEASURES._parts["spread"]  # type: ignore[attr-defined]
        del THRESHOLDS._parts["top-half"]  # type: ignore[attr-defined]


def test_plain_functions(data: Any, tmp_path: Path) -> None:
    found = bv.select(*data, measure=largest, threshold=above_mean, n_replicates=2, **SHORT)
    assert found.method.name == "dart-largest-above_mean"
    np.testing.assert_array_equal(found.values, found.draws.vc.max(axis=0))
    assert found.mask.tolist() == (found.values > found.values.mean()).tolist()
    assert "reports no threshold" in found.explain("b")
    found.save(tmp_path / "found.npz")
    again = bv.Selection.load(tmp_path / "found.npz", measure=largest, threshold=above_mean)
    assert again.to_json() == found.to_json()
    assert bv.select_from(found.draws, measure=largest, threshold=above_mean).names == found.names


def test_a_measure_of_the_users_own_beside_null_replicates(data: Any) -> None:
    found = bv.select(
        *data, measure=largest, threshold="gse", n_replicates=2, n_permutations=19, **SHORT
    )
    assert found.null is not None
    np.testing.assert_array_equal(found.null, found.permuted.vc)  # type: ignore[union-attr]
    assert found.plot().data["gse"].shape == found.plot().data["value"].shape
    assert found.p_values["single"].shape == (5,)


def test_a_selector_with_parts_of_the_users_own(data: Any, tmp_path: Path) -> None:
    selector = bv.VariableSelector(
        prior=Stubby(), measure=Spread(), threshold=TopHalf(), n_replicates=2, **SHORT
    )
    selector.fit(*data).save(tmp_path / "selector.npz")
    again = bv.VariableSelector.load(tmp_path / "selector.npz")
    np.testing.assert_array_equal(again.support_, selector.support_)


@pytest.mark.parametrize(
    ("values", "error", "message"),
    [
        (
            lambda draws: draws.vc,
            ValueError,
            r"shape \(4,\) or .* Got shape \(2, 4\)",
        ),
        (lambda draws: draws.vc.mean(axis=0) / 0, ValueError, "must return finite numbers. Got"),
        (lambda draws: "abc", TypeError, "must return an array of numbers. Got str"),
        (lambda draws: 1.0, ValueError, r"Got shape \(\)"),
    ],
)
def test_what_a_measure_returns_is_checked(values: Any, error: Any, message: str) -> None:
    draws = bv.Draws.from_counts([[[9, 1, 0, 8]], [[7, 0, 1, 9]]])
    with np.errstate(all="ignore"), pytest.raises(error, match=message):
        bv.select_from(draws, measure=values)


@pytest.mark.parametrize(
    "mask", [[1, 0, 0, 1], [True, False], 3, None, np.ones((4, 1), dtype=bool), [0.5] * 4]
)
def test_what_a_threshold_returns_is_checked(mask: Any) -> None:
    draws = bv.Draws.from_counts([[[9, 1, 0, 8]]])
    with pytest.raises(ValueError, match=r"must return a boolean mask of shape \(4,\)"):
        bv.select_from(draws, measure="vc", threshold=lambda values: mask)


def test_objects_that_are_no_parts_are_refused() -> None:
    draws = bv.Draws.from_counts([[[9, 1, 0, 8]]])
    with pytest.raises(TypeError, match=r"Got a int without name, label.*Subclass"):
        bv.select_from(draws, measure=3)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"Got the class Spread instead. Add parentheses"):
        bv.select_from(draws, measure=Spread)
    with pytest.raises(TypeError, match="Got the class TopHalf instead"):
        bv.select_from(draws, threshold=TopHalf)

    class Clash(Spread):
        name = "vip"

    with pytest.raises(ValueError, match=r"must not be one of the package's own. Got 'vip'"):
        bv.select_from(draws, measure=Clash())


@pytest.mark.parametrize("name", MEASURES)
def test_contract_of_measures(name: str, found: Any) -> None:
    measure, draws = MEASURES[name], found.draws
    values = measure_values(measure, draws)
    n_columns = 1 if values.ndim == 1 else values.shape[1]
    assert n_columns == measure.n_columns
    columns = measure.columns(n_columns)
    assert len(columns) == n_columns
    assert len({column.key for column in columns}) == n_columns
    assert all(column.label and column.description.endswith(".") for column in columns)
    assert replicate_values(measure, draws).shape == (draws.n_replicates, draws.n_features)
    if measure.replicates_average:
        alone = replicate_values(measure, draws.take([0]))[0]
        first = measure_values(measure, draws.take([0]))
        np.testing.assert_allclose(alone, first if first.ndim == 1 else first[:, 0])
    assert measure.label
    assert measure.axis_label
    assert measure.description.endswith(".")
    assert measure.plot in KINDS
    assert THRESHOLDS[measure.default_threshold].incompatibility(measure) is None
    assert measure.with_settings(measure.settings()) == measure
    view = measure.rank_view(draws, values, measure.per_replicate(draws))
    assert view.rank.shape == view.value.shape == (draws.n_features,)


@pytest.mark.parametrize("name", THRESHOLDS)
def test_contract_of_thresholds(name: str, found: Any) -> None:
    threshold = THRESHOLDS[name]
    assert threshold.name == name
    assert threshold.description.endswith(".")
    assert threshold.plot is None or threshold.plot in KINDS
    assert threshold_from_dict(json.loads(json.dumps(threshold_to_dict(threshold)))) == threshold
    own = threshold.default_measure
    measure = MEASURES["vc-measure" if own is None else own]
    assert threshold.incompatibility(measure) is None
    values = measure_values(measure, found.draws)
    null = np.vstack([measure.per_replicate(found.draws)] * 10) if threshold.needs_null else None
    result = apply_threshold(threshold, measure, values, null)
    importance = values if values.ndim == 1 else values[:, 0]
    for j in range(len(values)):
        assert threshold.explain(result, importance, j)
    known = ~np.isnan(result.margin)
    assert (result.mask[known] == (result.margin[known] >= 0)).all() or threshold.needs_null
    assert isinstance(threshold.notes(result), tuple)


def test_a_prior_of_another_kind_contradicts_the_method(data: Any, found: Any) -> None:
    with pytest.raises(ValueError, match=r"'bart-vc' uses the BART prior.*Use method 'dart-vc'"):
        bv.select(*data, "bart-vc", prior=bv.DART())
    assert bv.select(*data, "bart-mpm", prior=bv.BART(k=3), **SHORT).method.name == "bart-mpm"
    assert (
        bv.select(*data, prior=bv.BART(), n_replicates=2, **SHORT).method.name == "bart-relevance"
    )
    draws = bv.sample(*data, prior=bv.DART(), n_replicates=2, **SHORT)
    assert bv.select_from(draws, "dart-relevance").method.name == "dart-relevance"
    with pytest.raises(ValueError, match=r"'bart-vc' uses the BART prior, but `draws` were"):
        bv.select_from(draws, "bart-vc")
    with pytest.raises(ValueError, match=r"Got the measure 'vip' instead. Pass measure='vip'"):
        bv.select_from(draws, "vip")


def test_doubtful_results_warn_at_the_line_of_the_user() -> None:
    rng = np.random.default_rng(0)
    X, noise = rng.uniform(size=(60, 4)), rng.normal(size=60)
    with pytest.warns(NoSignalWarning, match="depends on the columns") as caught:
        found = bv.select(X, noise, "dart-vc", n_replicates=2, **SHORT)
    assert {warning.filename for warning in caught} == {__file__}
    assert found.notes[0].code == "no-signal"
    assert json.loads(found.to_json())["notes"][0]["severity"] == "warning"
    with pytest.warns(NoSignalWarning) as caught:
        bv.compare(X, noise, ["dart-mpm", "dart-vc"], **SHORT)
    assert sum(warning.category is NoSignalWarning for warning in caught) == 1
    with pytest.warns(NoSignalWarning) as caught:
        bv.VariableSelector(n_replicates=2, **SHORT).fit(X, noise)
    assert {warning.filename for warning in caught} == {__file__}
    assert issubclass(ConvergenceWarning, BayesvcWarning)


def test_a_response_of_the_users_own(data: Any, tmp_path: Path) -> None:
    X, y = data[0], np.exp(data[1] / 5)
    wanted = bv.select(X, np.log(y), **SHORT)
    found = bv.select(X, y, response=Logged(), **SHORT)
    np.testing.assert_array_equal(found.draws.vc, wanted.draws.vc)
    assert found.draws.response == "logged"
    assert "logged" in found.to_html_report(tmp_path / "report.html").read_text(encoding="utf-8")
    assert found.check_prediction(X, y, n_folds=2).loss == "mean squared error"
    halves = bv.row_stability(X, y, selection=found, n_subsamples=2)
    logged = bv.row_stability(X, np.log(y), selection=wanted, n_subsamples=2)
    np.testing.assert_array_equal(halves.frequency, logged.frequency)


def test_a_response_is_known_to_files_once_it_is_registered(
    data: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(RESPONSES, "_parts", dict(RESPONSES._parts))
    X, y = data[0], np.exp(data[1] / 5)
    draws = bv.sample(X, y, response=Logged(), n_replicates=2, keep_trees=True, **SHORT)
    draws.save(tmp_path / "draws.npz")
    loaded = bv.Draws.load(tmp_path / "draws.npz")
    with pytest.raises(ValueError, match=r"'logged' response, which is unknown here"):
        loaded.predict(X)
    bv.responses.register(Logged())
    np.testing.assert_array_equal(loaded.predict(X), draws.predict(X))
    selector = bv.VariableSelector(response=Logged(), n_replicates=2, **SHORT).fit(X, y)
    selector.save(tmp_path / "selector.npz")
    again = bv.VariableSelector.load(tmp_path / "selector.npz")
    assert again.response == "logged"
    np.testing.assert_array_equal(again.fit(X, y).get_support(), selector.get_support())
    with pytest.raises(TypeError, match=r"an object .* Got a dict_like without name, label"):
        bv.select(X, y, response=type("dict_like", (), {"encode": None})())
    with pytest.raises(ValueError, match=r"must not be one of the package's own. Got 'binary'"):
        bv.select(X, y, response=replace_name(Logged(), "binary"))


def replace_name(part: Any, name: str) -> Any:
    return type("Renamed", (type(part),), {"name": name})()


@dataclass(frozen=True, kw_only=True)
class Sized(bv.BART):
    """A prior with a setting that has no default."""

    size: float


def test_a_report_needs_no_class_of_the_prior(data, tmp_path):
    X, y = data
    found = bv.select(X, y, prior=Sized(size=2.0, k=3.0), n_replicates=2, **SHORT)
    code = "Sized(k=3.0, size=2.0)"
    assert code in found.to_html_report(tmp_path / "known.html").read_text()
    found.save(tmp_path / "found.npz")
    script = """
import sys, bayesvc as bv
found = bv.Selection.load(sys.argv[1])
found.to_html_report(sys.argv[2])
print(found)
"""
    target = tmp_path / "unknown.html"
    run = subprocess.run(
        [sys.executable, "-c", script, tmp_path / "found.npz", target],
        capture_output=True, text=True, check=True, cwd=tmp_path,
    )  # fmt: skip
    page = target.read_text()
    assert code in page
    assert "Sized: your own prior" in page
    assert "UnknownPrior" not in page + run.stdout


def test_checks_and_curves_use_the_response_of_the_selection(data):
    X, y = data
    sign = np.where(y > np.median(y), 1, -1)
    found = bv.select(X, sign, "dart-mpm", response="binary", **SHORT)
    assert found.check_prediction(X, sign, n_folds=2, burn_in=20, n_draws=20).loss == "Brier score"
    positive = np.exp(y / 10)
    found = bv.select(X, positive, "dart-mpm", response=Logged(), **SHORT)
    logged = found.check_prediction(X, positive, n_folds=2, burn_in=20, n_draws=20)
    assert logged.of_none == pytest.approx(np.var(y / 10), rel=0.5)
    options = {"burn_in": 20, "n_draws": 20, "features": ["b"]}
    plot = found.plot("partial_dependence", X=X, y=positive, **options)
    assert plot.ax.get_ylabel() == "median of y"


@dataclass(frozen=True)
class Offset(Spread):
    """A measure with a setting that no file can hold."""

    shift: Any = None


def test_settings_that_no_file_can_hold_are_refused_at_once(data):
    with pytest.raises(TypeError, match="settings of measure 'spread' must be numbers, text"):
        bv.select(*data, measure=Offset(shift=np.zeros(2)), threshold="clustering", **SHORT)


def test_a_function_of_two_columns_does_not_go_with_null_replicates(data):
    def two(draws):
        return np.column_stack([draws.vc.mean(axis=0), draws.vip.mean(axis=0)])

    with pytest.raises(ValueError, match="'two' is not compatible with threshold 'gse'"):
        bv.select(*data, measure=two, threshold="gse", n_permutations=20, **SHORT)
