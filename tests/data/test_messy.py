"""Missing values, categories and groups from the data to the selection and the prediction."""

from __future__ import annotations

import json
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.model_selection import cross_val_score

import bayesvc as bv
from bayesvc import _core, _validation
from bayesvc.data.encode import encode_X
from bayesvc.estimators.partial_dependence import partial_dependence
from bayesvc.responses.read import read_dataset
from bayesvc.sampling.chain import ChainTask, calibrate
from bayesvc.sampling.config import ChainConfig
from bayesvc.sampling.seeds import Role, chain_seed
from tests.helpers.same_bits import assert_same_bits
from tests.helpers.settings import SEEDED, SETTLED

# Short chains: what their notes warn of is not the subject here.
pytestmark = pytest.mark.filterwarnings("ignore::bayesvc.exceptions.BayesvcWarning")

ENOUGH = SETTLED | {"n_replicates": 3}


def columns_and_y(n=300, seed=5):
    """Columns as lists; y depends on the number `a` and on the category `site`."""
    rng = np.random.default_rng(seed)
    a, b = rng.uniform(size=(2, n))
    site = rng.choice(["north", "south", "west", "east"], size=n)
    y = 6 * a + 4 * (site == "west") + 3 * (site == "north") + 0.5 * rng.normal(size=n)
    gaps = rng.uniform(size=n) < 0.15
    columns = {
        "a": [None if gone else float(v) for v, gone in zip(a, gaps, strict=True)],
        "b": b.tolist(),
        "site": [None if i % 17 == 0 else str(v) for i, v in enumerate(site)],
        "flag": rng.choice(["u", "v"], size=n).tolist(),
        "count": rng.integers(5, size=n).tolist(),
    }
    return columns, y


COLUMNS, Y = columns_and_y()
PANDAS, POLARS = pd.DataFrame(COLUMNS), pl.DataFrame(COLUMNS)


@pytest.mark.parametrize("prior", [bv.BART(), bv.DART(), bv.SpikeForest(n_samples=20, burn_in=20)])
def test_same_bits_from_pandas_polars_and_arrays(prior):
    if not isinstance(prior, bv.SpikeForest):
        settings = SEEDED | {"n_replicates": 2}
    else:
        settings = {"random_state": 3}
    expected = bv.sample(PANDAS, Y, prior, **settings)
    rows = list(zip(*COLUMNS.values(), strict=True))
    categorical = PANDAS.astype({"site": "category", "flag": "category"})
    for X in (POLARS, categorical, np.array(rows, dtype=object), [list(row) for row in rows]):
        found = bv.sample(X, Y, prior, **settings)
        assert_same_bits(found, expected)
        assert found.data_hash == expected.data_hash
        assert found.schema.layout == expected.schema.layout


def test_same_bits_from_pyarrow():
    pa = pytest.importorskip("pyarrow")
    settings = SEEDED | {"n_replicates": 1}
    expected = bv.sample(PANDAS, Y, **settings)
    assert_same_bits(bv.sample(pa.table(COLUMNS), Y, **settings), expected)


def test_select_finds_what_matters():
    found = bv.select(PANDAS, Y, "dart-vc", **ENOUGH)
    assert found.names == ["a", "site"]
    assert found.mixing.count_rhat.shape == (5,)
    assert found.stability.leave_one_out.shape == (5,)
    assert "site is selected" in found.explain("site")
    assert json.loads(found.to_json())["selected"] == ["a", "site"]
    relabelled = {"north": "z", "south": "y", "west": "x", "east": "w"}
    other = bv.select(PANDAS.assign(site=PANDAS["site"].map(relabelled)), Y, "dart-vc", **ENOUGH)
    assert other.names == found.names
    shift = np.abs(other.draws.vip.mean(axis=0) - found.draws.vip.mean(axis=0))
    assert shift.max() < 0.15  # not the same bits: other categories have the first places


def test_the_default_finds_what_matters():
    found = bv.select(PANDAS, Y, **ENOUGH)
    assert found.method.name == "dart-relevance"
    assert found.signal.found
    assert {"a", "site"} <= set(found.names)
    assert set(np.argsort(-found.values)[:2].tolist()) == {0, 2}
    assert found.row_frequency[[0, 2]].tolist() == [1, 1]
    assert found.row_frequency[[1, 3, 4]].max() < 0.8


def test_labels_that_sort_alike_give_the_same_bits():
    renamed = PANDAS.assign(site=PANDAS["site"] + "ern")
    first = bv.sample(PANDAS, Y, n_replicates=1, **SEEDED)
    second = bv.sample(renamed, Y, n_replicates=1, **SEEDED)
    assert_same_bits(first, second)
    assert first.data_hash != second.data_hash


def test_the_rule_is_missing_is_found():
    """y depends on whether `a` is known, and on nothing else."""
    y = PANDAS["a"].isna() * 5.0 + 0.1 * np.random.default_rng(0).normal(size=len(Y))
    draws = bv.sample(PANDAS, y, keep_trees=True, **ENOUGH)
    np.testing.assert_array_equal(draws.mpvip[:, 0], 1)
    by_gap = [draws.predict(PANDAS[gone]).mean() for gone in (~PANDAS["a"].isna(), y > 2)]
    np.testing.assert_allclose(by_gap, [0, 5], atol=0.3)


def test_compare_has_all_methods():
    found = bv.compare(PANDAS, Y, ["dart-vc", "bart-vip-gse", "abc-vc"], **SEEDED)
    assert found["bart-vip-gse"].null.shape[1] == 5
    for selection in found.values():
        assert selection.draws.schema.categories.keys() == {2, 3}


def test_columns_without_values_play_no_part():
    X = PANDAS.assign(nothing=None, never=pd.Series([None] * len(Y), dtype="category"))
    for prior in (bv.BART(), bv.DART(form="explicit")):
        draws = bv.sample(X, Y, prior, n_replicates=1, **SEEDED)
        assert draws.vc[0, 5:].tolist() == [0, 0]


def test_twins_of_columns_with_gaps():
    X = PANDAS.assign(again=PANDAS["a"] * 2 + 1)
    found = bv.select(X, Y, **ENOUGH | {"threshold": bv.Clustering()})
    pairs = {frozenset((twin.selected, twin.unselected)) for twin in found.twins}
    assert pairs <= {frozenset(("a", "again"))}
    correlations = read_dataset(X, Y, "auto").encoded.columns.correlations([0])[0]
    assert correlations[5] == pytest.approx(1)
    assert correlations[2] == 0  # categories have no order


def test_groups_of_one_column_are_no_groups():
    X = PANDAS.drop(columns="site")
    plain = bv.sample(X, Y, n_replicates=2, **SEEDED)
    renamed = bv.sample(X, Y, n_replicates=2, groups={"first": ["a"], "last": [3]}, **SEEDED)
    assert renamed.feature_names == ("first", "b", "flag", "last")
    assert_same_bits(plain, renamed)


@pytest.mark.parametrize("prior", [bv.DART(), bv.SpikeForest(n_samples=30, burn_in=30)])
def test_groups_are_one_variable(prior):
    settings = {"random_state": 0} if isinstance(prior, bv.SpikeForest) else SEEDED
    groups = {"place": ["flag", "site"], "numbers": [0, 4]}
    draws = bv.sample(PANDAS, Y, prior, groups=groups, **settings)
    assert draws.feature_names == ("numbers", "b", "place")
    assert draws.vc.shape[1] == draws.n_features == 3
    again = bv.sample(PANDAS, Y, prior, groups={"q": [0, "count"], "p": [2, 3]}, **settings)
    assert_same_bits(draws, again)
    assert draws.data_hash == again.data_hash
    assert draws.data_hash != bv.sample(PANDAS, Y, prior, **settings).data_hash


def test_weights_of_variables_are_those_of_groups():
    groups = {"place": ["flag", "site"]}
    prior = bv.BART(split_weights=[1, 1, 0, 1])
    draws = bv.sample(PANDAS, Y, prior, groups=groups, n_replicates=1, **SEEDED)
    assert draws.vc[0, 2] == 0
    with pytest.raises(ValueError, match=r"one number per variable of X, 4\. Got 5"):
        bv.sample(PANDAS, Y, bv.BART(split_weights=[1] * 5), groups=groups, **SEEDED)


def test_the_selector_keeps_whole_groups():
    groups = {"mixed": ["site", "count"]}
    y = Y + 2 * np.random.default_rng(0).normal(size=len(Y))  # else noise in the gaps is fitted too
    selector = bv.VariableSelector("dart-relevance", groups=groups, **ENOUGH).fit(PANDAS, y)
    assert selector.selection_.names == ["a", "mixed"]
    assert selector.get_feature_names_out().tolist() == ["a", "site", "count"]
    assert selector.get_support(indices=True).tolist() == [0, 2, 4]
    assert selector.scores_[2] == selector.scores_[4] == selector.selection_.importance[2]
    assert selector.ranking_.shape == (5,)
    assert selector.n_features_ == 3
    kept = selector.set_output(transform="pandas").transform(PANDAS)
    pd.testing.assert_frame_equal(kept, PANDAS[["a", "site", "count"]])
    rows = np.array(list(zip(*COLUMNS.values(), strict=True)), dtype=object)
    by_position = bv.VariableSelector("dart-relevance", groups={"mixed": [2, 4]}, **ENOUGH)
    by_position.fit(rows, y)
    assert by_position.get_support().tolist() == selector.get_support().tolist()
    assert by_position.transform(rows).shape == (len(Y), 3)


@pytest.fixture(scope="module")
def fitted():
    return bv.sample(
        PANDAS, Y, bv.BART(), groups={"pool": ["b", "count"]}, n_replicates=2, keep_trees=True,
        **SEEDED | {"burn_in": 200},
    )  # fmt: skip


def test_prediction(fitted):
    predicted = fitted.predict(PANDAS)
    assert np.corrcoef(predicted, Y)[0, 1] > 0.9
    np.testing.assert_array_equal(fitted.predict(POLARS), predicted)
    # a row at a time, because numpy adds up one column in another order than many
    one = fitted.posterior(PANDAS[5:6])
    np.testing.assert_array_equal(one, fitted.posterior(PANDAS)[:, 5:6])
    with pytest.raises(ValueError, match=r"'site' of `X` must hold .*Got 'centre'"):
        fitted.predict(PANDAS.assign(site="centre"))
    with pytest.raises(ValueError, match=r"only in columns that had some.*missing values in 'b'"):
        fitted.predict(PANDAS.assign(b=np.nan))
    with pytest.raises(ValueError, match=r"Column 0 of `X` must be 'a'.*Got 'b'"):
        fitted.predict(PANDAS[["b", "a", "site", "flag", "count"]])
    with pytest.raises(ValueError, match=r"`X` must have the 5 columns .*Got 4"):
        fitted.predict(PANDAS.drop(columns="b"))


def test_the_fitted_values_are_those_of_the_trees(fitted):
    """By the definition of a rule, on the arrays of the kept trees."""
    arrays = fitted.forests[0].to_arrays()
    values = encode_X(PANDAS).values
    starts = arrays["tree_start"].reshape(-1, fitted.n_trees)[-1]
    sums = np.array([sum(walk(arrays, k, row) for k in starts) for row in values])
    calibration = fitted.calibration
    expected = calibration.y_low + (sums + 0.5) * calibration.y_range
    np.testing.assert_allclose(fitted.posterior(PANDAS)[fitted.n_draws - 1], expected, rtol=1e-12)


def walk(arrays, root, row):
    k = int(root)
    nothing = np.zeros(len(arrays["variable"]), dtype=np.uint64)
    subset, low = arrays.get("subset", nothing), arrays.get("missing_left", nothing)
    while arrays["variable"][k] >= 0:
        x = row[arrays["variable"][k]]
        if subset[k]:
            left = bool((int(subset[k]) >> int(x)) & 1)
        elif np.isnan(x):
            left = bool(low[k])
        else:
            left = x <= arrays["value"][k]
        k += 1 if left else int(arrays["right"][k])
    return arrays["value"][k]


def test_files_and_pickles(fitted, tmp_path):
    fitted.save(tmp_path / "draws.npz")
    with np.load(tmp_path / "draws.npz") as archive:
        assert json.loads(archive["settings"].tobytes())["version"] == 2
    loaded = bv.Draws.load(tmp_path / "draws.npz")
    for again in (loaded, pickle.loads(pickle.dumps(fitted))):
        assert again.schema == fitted.schema
        np.testing.assert_array_equal(again.predict(POLARS), fitted.predict(PANDAS))
    more = loaded.extend(1, POLARS, Y)
    assert_same_bits(more, fitted.extend(1))
    with pytest.raises(ValueError, match="must be the data of the first replicates"):
        loaded.extend(1, PANDAS.assign(site=PANDAS["site"] + "ern"), Y)


def test_partial_dependence(fitted):
    effect = partial_dependence(fitted, PANDAS, "site")
    assert effect.grid[0].tolist() == ["east", "north", "south", "west", "missing"]
    assert effect.mean.argmax() == 3
    given = partial_dependence(fitted, PANDAS, "site", grid=["west", "missing"])
    np.testing.assert_allclose(given.mean, effect.mean[[3, 4]])
    pair = partial_dependence(fitted, PANDAS, ["a", "site"], grid=[[0.1, 0.9], ["east"]])
    assert pair.mean.shape == (2, 1)
    assert pair.mean[0, 0] < pair.mean[1, 0]
    gaps = partial_dependence(fitted, PANDAS, 0, grid_resolution=5)
    assert np.isfinite(gaps.grid[0]).all()
    assert partial_dependence(fitted, PANDAS, "count").features == ("count",)
    with pytest.raises(
        ValueError, match=r"column group 'pool' .*one or two of its columns: 'b', 'count'"
    ):
        partial_dependence(fitted, PANDAS, "pool")
    with pytest.raises(ValueError, match=r"`grid` must be one of .* Got 'centre'"):
        partial_dependence(fitted, PANDAS, "site", grid=["centre"])
    with pytest.raises(ValueError, match="Got missing values only"):
        partial_dependence(fitted, PANDAS[PANDAS["a"].isna()], "a")


def test_partial_dependence_of_ordered_categories():
    sizes = pd.Categorical(np.array(list("SML"))[np.arange(len(Y)) % 3], list("SML"), ordered=True)
    X = pd.DataFrame({"size": sizes, "b": PANDAS["b"]})
    draws = bv.sample(X, sizes.codes + 0.1 * Y, n_replicates=1, keep_trees=True, **SEEDED)
    effect = partial_dependence(draws, X, "size")
    assert effect.grid[0].tolist() == ["S", "M", "L"]
    assert (np.diff(effect.mean) > 0).all()


def test_plots(fitted):
    found = bv.select(PANDAS, Y, groups={"pool": ["b", "count"]}, **ENOUGH)
    plot = bv.plots.partial_dependence(found, PANDAS, Y, n_trees=5, burn_in=20, n_draws=20)
    assert set(plot.data["variable"]) == {"a", "site"}
    assert {"west", "missing"} < set(plot.data["x"])
    drawn = bv.plots.partial_dependence(fitted, PANDAS)
    assert set(drawn.data["variable"]) == {"a", "site", "flag"}
    with pytest.raises(ValueError, match="Got the column group"):
        bv.plots.partial_dependence(fitted, PANDAS, features="pool")


def test_the_report_repeats_groups_weights_and_blocks(tmp_path):
    from bayesvc.report.reproduce import selection_code

    found = bv.select(
        PANDAS, Y, "bart-vip-local", groups={"pool": ["b", "count"]}, n_replicates=1,
        n_permutations=20, sample_weight=1 + np.arange(len(Y)) % 2,
        permute_within=PANDAS["flag"], **SEEDED,
    )  # fmt: skip
    code = selection_code(found)
    for part in ("groups={'pool': ['b', 'count']}", "sample_weight=row_weights", "300 rows and 5"):
        assert part in code
    assert "permute_within=blocks" in code
    found.to_html_report(tmp_path / "report.html", data_summary=bv.report.summarize_data(PANDAS, Y))


def test_check_prediction():
    found = bv.select(PANDAS, Y, groups={"pool": ["b", "count"]}, **ENOUGH)
    lone = PANDAS.copy()
    lone.loc[3, "b"] = np.nan  # missing in one fold alone
    for X in (PANDAS, lone):
        check = found.check_prediction(X, Y, burn_in=100, n_draws=50, n_trees=20)
        assert check.as_good
        assert check.of_selected < 0.7 * check.of_none


def test_estimators():
    model = bv.BARTRegressor(n_trees=20, groups={"pool": ["b", "count"]}, **SEEDED)
    model.fit(PANDAS, Y)
    assert model.feature_importances_.shape == (5,)
    assert model.feature_importances_.sum() == pytest.approx(1)
    assert model.feature_importances_[1] == model.feature_importances_[4]
    assert model.partial_dependence(PANDAS, "site").mean.shape == (5,)
    assert cross_val_score(model, PANDAS, Y, cv=3).mean() > 0.5
    classes = bv.BARTClassifier(n_trees=20, **SEEDED).fit(PANDAS, np.median(Y) < Y)
    assert classes.score(PANDAS, np.median(Y) < Y) > 0.8
    rows = np.array(list(zip(*COLUMNS.values(), strict=True)), dtype=object)
    arrays = bv.BARTRegressor(n_trees=20, groups={"pool": [1, 4]}, **SEEDED).fit(rows, Y)
    np.testing.assert_array_equal(arrays.predict(rows), model.predict(PANDAS))
    listed = [list(row) for row in zip(*COLUMNS.values(), strict=True)]
    np.testing.assert_array_equal(arrays.predict(listed), model.predict(PANDAS))
    numbers = PANDAS[["a", "b", "count"]].to_numpy()
    masked = np.ma.masked_invalid(numbers)
    again = bv.BARTRegressor(n_trees=5, **SEEDED)
    np.testing.assert_array_equal(
        again.fit(masked, Y).predict(masked), again.fit(numbers, Y).predict(numbers)
    )
    for tag in ("allow_nan", "string", "sparse"):
        assert getattr(model.__sklearn_tags__().input_tags, tag)


def test_infinite_values_are_refused_everywhere(fitted):
    bad = PANDAS.assign(b=np.inf)
    for run in (
        lambda: bv.sample(bad, Y),
        lambda: bv.select(bad, Y),
        lambda: bv.compare(bad, Y),
        lambda: bv.VariableSelector().fit(bad, Y),
        lambda: bv.BARTRegressor().fit(bad, Y),
        lambda: fitted.predict(bad),
        lambda: partial_dependence(fitted, bad, "a"),
    ):
        with pytest.raises(ValueError, match=r"300 infinite values.*'b'. Make them finite"):
            run()


def test_sigma_hat_is_that_of_indicators_and_means():
    data = read_dataset(PANDAS, Y, "auto")
    filled = PANDAS["a"].fillna(PANDAS["a"].mean())
    dummies = pd.get_dummies(PANDAS[["site", "flag"]].fillna("none"), dtype=float)
    design = np.column_stack([np.ones(len(Y)), filled, PANDAS[["b", "count"]], dummies])
    fit, _, rank, _ = np.linalg.lstsq(design, Y)
    expected = np.sqrt(((Y - design @ fit) ** 2).sum() / (len(Y) - rank))
    found = calibrate(data, bv.BART(), data.weighted_response, 20)
    assert found.sigma_hat == pytest.approx(expected, rel=1e-6)
    assert data.layout.design_columns(data.X.values) == [[0], [1], [2, 3, 4, 5], [6], [7]]


def test_plain_data_are_their_own_design(regression):
    data = read_dataset(*regression, "auto")
    assert data.layout.design(data.X.values) is data.X.values is regression[0]
    assert data.layout.design_columns(data.X.values) == []
    assert data.schema.is_plain
    assert data.encoded.schema is None


def test_what_a_fit_depends_on(tmp_path):
    X, y = PANDAS, Y
    settings = {"n_replicates": 1, "checkpoint": tmp_path / "kept", **SEEDED}
    runs = [
        {"X": X},
        {"X": X.assign(site=X["site"].fillna("east"))},
        {"X": X.assign(a=X["a"].fillna(0.5))},
        {"X": X, "groups": {"g": ["a", "b"]}},
        {"X": X, "groups": {"g": ["a", "count"]}},
        {"X": X, "sample_weight": np.arange(1, len(y) + 1)},
    ]
    hashes = {bv.sample(y=y, **settings, **run).data_hash for run in runs}
    assert len(hashes) == len(list((tmp_path / "kept").iterdir())) == len(runs)
    for run in runs:
        again = bv.sample(y=y, **settings, **run)
        assert_same_bits(again, bv.sample(y=y, n_replicates=1, **SEEDED, **run))
    assert len(list((tmp_path / "kept").iterdir())) == len(runs)


def test_columns_on_workers_are_the_same():
    data = read_dataset(PANDAS, Y, "auto", groups={"g": ["a", "flag"]})
    there = pickle.loads(pickle.dumps(data.encoded.columns))
    assert there.fingerprint == data.encoded.columns.fingerprint
    for coding in range(5):
        np.testing.assert_array_equal(there.codes(coding), data.encoded.columns.codes(coding))
    settings = _core.Settings()
    seed = chain_seed(0, Role.REPLICATE, 0)
    task = ChainTask(np.zeros(len(Y)), settings, seed, ChainConfig(1, 1))
    assert task.key(there) == task.key(data.encoded.columns)


def test_memory_for_codes_and_indicators(monkeypatch):
    monkeypatch.setattr(_validation, "available_memory", lambda: 1000)
    with pytest.raises(MemoryError, match=r"X with its codes and indicators.*merge"):
        bv.sample(PANDAS, Y, **SEEDED)
