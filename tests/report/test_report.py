"""The report without a browser: what it says, that it is whole, and that names stay text."""

from __future__ import annotations

import base64
import dataclasses
import hashlib
import json
import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bayesvc as bv
from bayesvc.report import DataSummary, report_html, summarize_data, words
from bayesvc.report.charts import scatter
from bayesvc.report.reproduce import comparison_code, selection_code
from bayesvc.report.table import row_order
from bayesvc.selection.substitutes import Twin
from tests.helpers.settings import SEEDED, SHORT

# Short chains: what their notes warn of is not the subject here.
pytestmark = pytest.mark.filterwarnings("ignore::bayesvc.exceptions.BayesvcWarning")

HOSTILE = [
    "<script>alert(1)</script>",
    "</script><img src=x onerror=alert(1)>",
    "\"double\" & 'single'",
    "<!--<script>",
    "plain",
    "\ud800 half a pair",
    "\u202eturned",
]


class Page(HTMLParser):
    """Elements of a page, with their attributes and the text of scripts."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[tuple[dict[str, str | None], str]] = []
        self.text = ""
        self._inside: dict[str, str | None] | None = None
        self._parts: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag in ("script", "style"):
            self._inside, self._parts = dict(attrs), []

    def handle_endtag(self, tag: str) -> None:
        if tag == "script" and self._inside is not None:
            self.scripts.append((self._inside, "".join(self._parts)))
        if tag in ("script", "style"):
            self._inside = None

    def handle_data(self, data: str) -> None:
        if self._inside is None:
            self.text += data
        else:
            self._parts.append(data)

    @property
    def data(self) -> Any:
        return json.loads(next(text for attrs, text in self.scripts if "report-data" in str(attrs)))


def from_counts(rates: Any, names: list[str] | None = None, fits: int = 4) -> bv.Selection:
    rates = np.asarray(rates, dtype=float)
    counts = np.random.default_rng(0).poisson(rates, (fits, 40, len(rates)))
    return bv.select_from(
        bv.Draws.from_counts(counts, feature_names=names), measure="vc", threshold="clustering"
    )


@pytest.fixture(scope="module")
def fitted() -> tuple[Any, Any, bv.Selection]:
    rng = np.random.default_rng(1)
    X = rng.uniform(size=(80, 6))
    y = 10 * X[:, 1] + 6 * X[:, 4] + 0.1 * rng.normal(size=80)
    settings = {"burn_in": 150, "n_draws": 150, "random_state": 3}
    return X, y, bv.select(X, y, "dart-vc", n_replicates=3, **settings)


@pytest.fixture(scope="module")
def probable(fitted: Any) -> bv.Selection:
    """The same by the default method."""
    X, y, _ = fitted
    return bv.select(X, y, n_replicates=3, burn_in=150, n_draws=150, random_state=3)


def test_conclusion_comes_first_in_a_plain_sentence(fitted: Any) -> None:
    page = Page(report_html(fitted[2]))
    assert "2 of 6 columns were selected as predictive of y: x1, x4." in page.text
    assert page.text.index("2 of 6 columns were selected") < page.text.index("All variables")


def test_sections_and_settings_are_there(fitted: Any) -> None:
    text = Page(report_html(fitted[2], title="My trial")).text
    for expected in ("My trial", "Stability", "Diagnostics", "R-hat of sigma", "dart-vc",
                     "Trees per forest", "Seed (random_state)", "Constant columns"):  # fmt: skip
        assert expected in text


def test_data_block_has_every_variable_selected_first(fitted: Any) -> None:
    found = fitted[2]
    data = Page(report_html(found)).data
    assert data["names"][:2] == ["x1", "x4"]
    assert sorted(data["names"]) == sorted(found.feature_names)
    assert data["marked"] == 2
    columns = {column["label"]: column["values"] for column in data["columns"]}
    assert columns["Selected"] == [1, 1, 0, 0, 0, 0]
    assert columns["Splits per draw"][0] == pytest.approx(found.values[1, 0], rel=1e-3)
    assert columns["One replicate left out"][:2] == [1, 1]


def test_the_page_of_the_default_method(probable: bv.Selection) -> None:
    page = Page(report_html(probable))
    assert "2 of 6 columns were selected as predictive of y: x1, x4." in page.text
    assert "dart-relevance" in page.text
    assert "There is evidence that y depends on the columns (signal test, p = " in page.text
    data = page.data
    assert sorted(data["names"][:2]) == ["x1", "x4"]
    rows = [probable.feature_names.index(name) for name in data["names"]]
    columns = {column["label"]: column["values"] for column in data["columns"]}
    assert columns["Selected"] == [1, 1, 0, 0, 0, 0]
    assert columns["P(relevant)"] == pytest.approx(probable.values[rows], rel=2e-3)
    assert columns["In half-samples"] == pytest.approx(probable.row_frequency[rows], rel=2e-3)
    assert "VC-measure selects" not in columns  # of so few
    assert "Without evidence of signal, nothing is selected." in page.text
    assert page.text.count("Bayesian additive regression trees") == 1
    assert "normal errors and no transformation (both chosen automatically)" in page.text


@pytest.mark.parametrize("names", [HOSTILE, HOSTILE[::-1]])
def test_hostile_names_stay_text(names: list[str], tmp_path: Path) -> None:
    found = from_counts([9, 8, 7, 6, 5, 0.1, 0.1], names)
    path = bv.write_report(found, tmp_path / "r.html", title=HOSTILE[1])
    html = path.read_text(encoding="utf-8")
    page = Page(html)
    tags = [tag for tag, _ in page.elements]
    assert "img" not in tags
    assert tags.count("script") == html.count("<script") == 4
    assert not any(name.startswith("on") for _, attrs in page.elements for name in attrs)
    assert sorted(page.data["names"]) == sorted(names)
    assert all(name in page.text for name in HOSTILE[:5] if name in found.names)
    assert "\u202e" not in page.text


def test_json_in_a_script_holds_no_markup() -> None:
    html = report_html(from_counts([9, 8, 0, 0, 0, 0, 0], HOSTILE))
    block = re.search(r'id="report-data">(.*?)</script>', html, re.S)
    assert block is not None
    assert not set("<>&") & set(block[1])


def test_only_the_scripts_of_the_page_may_run(fitted: Any) -> None:
    page = Page(report_html(fitted[2]))
    policy = next(a["content"] for t, a in page.elements if t == "meta" and "http-equiv" in a)
    assert policy is not None
    assert "default-src 'none'" in policy
    allowed = set(re.findall(r"'sha256-(.*?)'", policy))
    code = [text for attrs, text in page.scripts if attrs.get("type") != "application/json"]
    hashes = {base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in code}
    assert hashes == allowed


def test_nothing_is_loaded_and_plotly_is_there_once(fitted: Any) -> None:
    html = report_html(fitted[2])
    page = Page(html)
    for tag, attrs in page.elements:
        assert tag not in ("link", "iframe", "object", "embed", "base", "img"), tag
        assert "src" not in attrs
        assert (attrs.get("href") or "#").startswith("#")
    assert "@import" not in html.split("</style>")[0]
    assert "url(" not in html.split("</style>")[0]
    plotly = [text for _, text in page.scripts if "plotly.js v" in text]
    assert len(plotly) == 1
    assert "this, (() => {" in plotly[0]  # else see read_once: it opens more slowly


def test_every_control_has_a_label_and_the_table_is_semantic(fitted: Any) -> None:
    html = report_html(fitted[2])
    elements = Page(html).elements
    ids = [attrs["id"] for _, attrs in elements if "id" in attrs]
    assert len(ids) == len(set(ids))
    for tag, attrs in elements:
        if tag == "th":
            assert attrs.get("scope") in ("col", "row")
        if tag == "section":
            assert attrs["aria-labelledby"] in ids
    assert any(attrs.get("aria-sort") == "descending" for tag, attrs in elements if tag == "th")
    assert len(re.findall(r"<label[^>]*>[^<]*<(?:input|select)|<label[^>]*><input", html)) == 4
    assert any(attrs.get("role") == "status" for _, attrs in elements)


def test_repeating_the_call_gives_the_same(fitted: Any) -> None:
    X, y, found = fitted
    scope = {"X": X, "y": y}
    exec(selection_code(found), scope)
    again: Any = scope["found"]
    assert again.draws.data_hash == found.draws.data_hash
    np.testing.assert_array_equal(again.values, found.values)


@pytest.mark.parametrize(
    "settings",
    [
        {"method": "bart-vip-gse", "n_replicates": 2, "n_permutations": 20},
        {"prior": bv.BART(k=3, moves=(0.3, 0.3, 0.4, 0)), "measure": "vc",
         "threshold": bv.Clustering(weights=(2,))},
        {"prior": bv.DART(split_weights=[1, 2, 1, 1, 1, 1]), "measure": "vip",
         "threshold": bv.Permutation("local", alpha=0.2), "n_permutations": 9},
        {"prior": bv.SpikeForest(n_samples=40, burn_in=20), "measure": "mpvip"},
        {"goal": "quick"},
    ],
)  # fmt: skip
def test_the_call_names_every_setting(fitted: Any, settings: dict[str, Any]) -> None:
    X, y, _ = fitted
    spike = isinstance(settings.get("prior"), bv.SpikeForest)
    length = {} if spike else {"burn_in": 40, "n_draws": 30}
    found = bv.select(X, y, n_trees=7, random_state=11, **length, **settings)
    scope = {"X": X, "y": y}
    exec(selection_code(found), scope)
    again: Any = scope["found"]
    assert again.method.prior == found.method.prior
    assert again.method.threshold == found.method.threshold
    np.testing.assert_array_equal(again.values, found.values)
    np.testing.assert_array_equal(again.mask, found.mask)
    assert "columns" in Page(report_html(found)).text


@pytest.mark.parametrize("settings", [{"allow_empty": True}, {"signal_test": False}])
def test_the_call_repeats_what_is_done_without_signal(settings: dict[str, bool]) -> None:
    rng = np.random.default_rng(3)
    X, y = rng.uniform(size=(100, 8)), rng.normal(size=100)
    found = bv.select(X, y, n_replicates=2, **SEEDED, **settings)
    scope: dict[str, Any] = {"X": X, "y": y}
    exec(selection_code(found), scope)
    assert scope["found"].names == found.names
    assert repr(scope["found"]) == repr(found)
    both = bv.compare(X, y, ["dart-vc", "dart-mpm"], **SEEDED, **settings)
    exec(comparison_code(both), scope)
    assert repr(scope["compared"]) == repr(both)


def test_the_call_leaves_out_half_samples_where_there_were_none(fitted: Any) -> None:
    X, y, _ = fitted
    found = bv.select(X, y, n_replicates=2, row_stability=False, **SEEDED)
    assert "row_stability=False" in selection_code(found)
    scope: dict[str, Any] = {"X": X, "y": y}
    exec(selection_code(found), scope)
    assert repr(scope["found"]) == repr(found)
    assert "row_stability" not in selection_code(bv.select(X, y, n_replicates=2, **SEEDED))


def test_the_call_tells_shifts_from_blocks(fitted: Any) -> None:
    X, y, _ = fitted
    settings = {"n_replicates": 1, "n_permutations": 20, "signal_test": False, **SEEDED}
    found = bv.select(X, y, "bart-vip-local", time_order=True, **settings)
    scope: dict[str, Any] = {"X": X, "y": y}
    exec(selection_code(found), scope)
    np.testing.assert_array_equal(scope["found"].null, found.null)
    blocks = np.arange(80) // 40
    found = bv.select(X, y, "bart-vip-local", permute_within=blocks, **settings)
    assert "permute_within=blocks" in selection_code(found)


def test_the_order_of_rows_is_told_and_repeated(fitted: Any) -> None:
    X, y, _ = fitted
    settings = {"n_replicates": 2, "row_stability": False, **SEEDED}
    blocks = np.arange(len(y)) // 20
    found = bv.select(X, y, time_order=True, permute_within=blocks, **settings)
    code = selection_code(found)
    assert "time_order=True" in code
    assert "permute_within=blocks" in code
    page = Page(report_html(found)).text
    assert "by circular shifts (time_order=True), within blocks (permute_within)" in page
    assert "circular shifts of" in page or "Trees fitted" in page
    both = bv.compare(X, y, ["dart-mpm", "dart-vc"], time_order=True, **SEEDED)
    assert "time_order=True" in comparison_code(both)
    assert "by circular shifts (time_order=True)" in Page(report_html(both)).text


def test_a_binary_response_has_no_errors_to_choose(fitted: Any) -> None:
    X, y, _ = fitted
    found = bv.select(X, y > y.mean(), n_replicates=2, row_stability=False, **SEEDED)
    assert "errors=" not in Page(report_html(found)).text


def test_all_columns(fitted: Any) -> None:
    for p, which in ((1, "The only column was"), (2, "Both columns were"), (3, "All 3 columns")):
        draws = bv.Draws.from_counts([[[9] * p]])
        found = bv.select_from(draws, measure="mpvip", threshold="median-probability")
        assert words.conclusion(found)[0].startswith(which)
        if p > 1:
            assert words.agreement({"a": found, "b": found})[0].startswith(which)


def test_a_comparison_of_noise_says_so() -> None:
    rng = np.random.default_rng(3)
    X, y = rng.uniform(size=(100, 8)), rng.normal(size=100)
    names = ["dart-vc", "dart-relevance"]
    text = Page(report_html(bv.compare(X, y, names, burn_in=50, n_draws=50, random_state=1))).text
    assert "There is no evidence that y depends on the columns (signal test, p = " in text
    assert "A selection without evidence may be due to chance" in text
    assert "1 of 8 columns are selected by at least one method, none by all of them" in text
    assert "nothing to warn of" not in text


def test_a_comparison_is_reported_and_repeated(fitted: Any) -> None:
    X, y, _ = fitted
    names = ["dart-vc", "dart-mpm", "bart-vip-rank"]
    several = bv.compare(X, y, names, burn_in=80, n_draws=80, random_state=0)
    page = Page(report_html(several))
    assert "2 of 6 columns were selected by all 3 methods: x1, x4." in page.text
    assert [column["label"] for column in page.data["columns"]][2:] == names
    assert page.data["charts"]["matrix"]["methods"] == names
    scope = {"X": X, "y": y}
    exec(comparison_code(several), scope)
    again: Any = scope["compared"]
    assert [found.names for found in again.values()] == [found.names for found in several.values()]


def test_a_comparison_without_agreement() -> None:
    one = from_counts([9, 0, 0, 0])
    other = from_counts([0, 0, 9, 0])
    text = Page(report_html(bv.Comparison({"one": one, "other": other}, None))).text
    assert "2 of 4 columns were selected as predictive of y by some methods, none by all" in text


def test_a_comparison_tells_what_only_some_methods_select() -> None:
    one, other = from_counts([9, 0, 8, 8]), from_counts([9, 0, 0, 0])
    text = Page(report_html(bv.Comparison({"one": one, "other": other}, None))).text
    assert "1 of 4 columns was selected by both methods: x0. 2 more were" in text
    assert "were selected by one of them." in text
    assert "agree that" not in text
    several = bv.Comparison({"one": one, "two": one, "other": other}, None)
    text = Page(report_html(several)).text
    assert "1 of 4 columns was selected by all 3 methods: x0. 2 more were" in text
    assert "were selected by at least one of them." in text
    text = Page(report_html(bv.Comparison({"one": one}, None))).text
    assert "3 of 4 columns were selected by the method: x0, x2, x3." in text
    assert "more are selected" not in text


def test_what_hangs_on_single_replicates_is_said_once() -> None:
    counts = np.array([9, 0, 9, 0]) + np.arange(60).reshape(3, 20, 1) % 2 * [1, 0, 1, 1]
    counts[2, :, 1] = 9 + np.arange(20) % 2
    found = bv.select_from(bv.Draws.from_counts(counts), measure="vc", threshold="clustering")
    assert words.stability_note(found).severity == "warning"
    assert [note.code for note in words.notes(found)] == ["not-converged"]


def test_a_note_says_nothing_of_sigma(regression: Any) -> None:
    draws = bv.sample(*regression, n_replicates=2, **SEEDED)
    found = bv.select_from(draws, "dart-mpm")
    assert "R-hat of sigma" in Page(report_html(found)).text
    assert not any("sigma" in note.text for note in words.notes(found))


def test_what_the_test_for_signal_emptied_is_not_called_stable() -> None:
    rng = np.random.default_rng(3)
    X, y = rng.uniform(size=(100, 8)), rng.normal(size=100)
    found = bv.select(X, y, n_replicates=2, allow_empty=True, random_state=1, **SHORT)
    assert found.withheld
    assert words.stability_note(found) is None
    page = Page(report_html(found))
    assert page.text.count("not enough evidence that y depends on the columns") == 1
    assert "There is no evidence that y depends on the columns" in page.text
    assert "stays the same" not in page.text
    assert "left out or with" not in page.text
    assert "Variables that change" not in page.text
    labels = {column["label"] for column in page.data["columns"]}
    assert not {"One replicate left out", "Replicates resampled"} & labels
    assert "left out" not in found.explain("x0")
    both = bv.compare(X, y, ["dart-vc", "dart-mpm"], allow_empty=True, random_state=1, **SHORT)
    text = Page(report_html(both)).text
    assert "None of 8 columns was selected as predictive of y by either method." in text


def test_single_fits_that_cannot_show_agreement_are_explained(fitted: Any) -> None:
    X, y, found = fitted
    assert "Agreement between replicates counts" not in Page(report_html(found)).text
    relevant = bv.select(X, y, goal="balanced", n_replicates=2, **SEEDED)
    page = Page(report_html(relevant))
    assert "Agreement between replicates counts as evidence" in page.text
    assert "Goal 'balanced' picks dart-relevance" in page.text
    assert page.data["charts"]["spread"]["probability"] is True
    assert "each alone" in relevant.plot("importance").ax.get_xlabel()


def test_nothing_selected() -> None:
    draws = bv.Draws.from_counts(np.random.default_rng(0).poisson(0.02, (3, 50, 8)))
    text = Page(report_html(bv.select_from(draws, measure="mpvip"))).text
    assert "None of the 8 columns was selected as predictive of y." in text
    assert "Nothing is selected" in text


@pytest.mark.parametrize("p", [1, 2])
def test_few_variables_and_one_fit(p: int) -> None:
    draws = bv.Draws.from_counts(np.ones((1, 5, p), dtype=int))
    text = Page(report_html(bv.select_from(draws))).text
    assert "only one replicate" in text


def test_warnings_in_plain_words() -> None:
    counts = [[[5, 0, 4, 0]] * 2, [[4, 1, 5, 0]] * 2, [[5, 6, 0, 0]] * 2]
    draws = bv.Draws.from_counts(counts, feature_names=["a", "b", "c", "d"])
    text = Page(report_html(bv.select_from(draws, measure="vc", threshold="clustering"))).text
    assert "depending on which of the 3 replicates is left out: b." in text


def test_near_twins_are_named(fitted: Any) -> None:
    found = dataclasses.replace(fitted[2], twins=(Twin("x<0>", "x1", 0.99),))
    note = "x1 is nearly the same as x<0>, which is not selected"
    assert note in Page(report_html(found)).text
    both = bv.Comparison({"one": found, "two": fitted[2]}, None)
    assert "can hardly tell these columns apart: x<0> and x1." in Page(report_html(both)).text


def test_size_with_twenty_thousand_variables(tmp_path: Path) -> None:
    p = 20_000
    rng = np.random.default_rng(0)
    rates = np.full(p, 0.004)
    rates[:8] = 3
    names = [f"a rather long name of a gene {j:05d}" for j in range(p)]
    counts = rng.poisson(rates, (6, 30, p))
    found = bv.select_from(bv.Draws.from_counts(counts, feature_names=names))
    path = bv.write_report(found, tmp_path / "big.html")
    assert path.stat().st_size < 10e6
    chart = scatter(found, row_order(found))
    assert set(range(len(found.names))) <= set(chart["row"])
    assert len(chart["row"]) + len(chart["rest"]["x"]) < 600
    assert len(chart["row"]) + sum(chart["rest"]["count"]) == p
    assert not set(chart["row"]) & set(chart["rest"]["row"])
    assert len(Page(path.read_text(encoding="utf-8")).data["names"]) == p


def test_summary_of_data_with_gaps() -> None:
    import pandas as pd

    frame = pd.DataFrame({"a": [1.0, None, 3.0], "b": ["u", "u", "u"], "c": [1, 2, 3]})
    summary = summarize_data(frame, pd.Series([1, 0, 1], name="sick"), source="trial.csv")
    assert summary.missing == {"a": 1}
    assert summary.constant == ("b",)
    assert summary.target == "sick"
    assert dict(summary.facts())["Response"] == "sick: 0 in 1 rows, 1 in 2 rows"


def test_summary_of_a_sparse_matrix() -> None:
    from scipy.sparse import csr_array

    summary = summarize_data(csr_array(np.array([[0.0, 1.0, np.nan], [0.0, 0.0, 2.0]])))
    assert summary.constant == ("x0", "x2")
    assert summary.missing == {"x2": 1}


def test_summary_is_shown(fitted: Any) -> None:
    given = DataSummary(
        source="<b>.csv", target="blood <i>", missing={}, more={"Dropped": "2 rows"}
    )
    page = Page(report_html(fitted[2], data_summary=given))
    assert "2 of 6 columns were selected as predictive of blood <i>: x1, x4." in page.text
    assert "<b>.csv" in page.text
    assert "2 rows" in page.text
    assert ("i", {}) not in page.elements
    assert "lab 3" in Page(report_html(fitted[2], data_summary={"Where": "lab 3"})).text


def test_bad_arguments(fitted: Any) -> None:
    with pytest.raises(TypeError, match=r"`result` must be a Selection or a Comparison"):
        report_html(3)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"`data_summary` must be.*Got 3 instead"):
        report_html(fitted[2], data_summary=3)  # type: ignore[arg-type]


@pytest.mark.parametrize("package", ["jinja2", "plotly.offline"])
def test_without_the_extra(fitted: Any, package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ImportError, match=r"pip install 'bayesvc\[report\]'"):
        report_html(fitted[2])


def test_methods_of_the_results(fitted: Any, tmp_path: Path) -> None:
    path = fitted[2].to_html_report(tmp_path / "one.html", title="One")
    assert "<title>One</title>" in path.read_text(encoding="utf-8")
    both = bv.Comparison({"it": fitted[2]}, None)
    assert both.to_html_report(tmp_path / "both.html").exists()
