"""How large trees, data and results may be, and that what is too large is refused beforehand."""

from __future__ import annotations

import numpy as np
import pytest

import bayesvc as bv
from bayesvc import _core, _validation
from bayesvc.data.encode import encode_X

# Short chains: what their notes warn of is not the subject here.
pytestmark = pytest.mark.filterwarnings("ignore::bayesvc.exceptions.BayesvcWarning")

MOST_LEAVES = 2**16 - 1  # a leaf's id has 16 bits
SEED = np.arange(1, 5, dtype=np.uint64)


def bushy_settings(p: int, *, likelihood: bool = False) -> _core.Settings:
    """One tree that follows y wherever it can, by births nearly always."""
    settings = _core.Settings()
    settings.n_trees = 1
    settings.gamma = 0.9999
    settings.beta = 0.0
    settings.moves = (0.97, 0.01, 0.01, 0.01, 0)
    settings.leaf_sd = 0.3
    settings.sigma = 0.01
    settings.likelihood = likelihood
    settings.weights = np.ones(p)
    return settings


def leaf_of_each_row(nodes, codes) -> np.ndarray:
    """Send the rows down the listed nodes; return each row's leaf, by its place in the list."""
    leaf = np.empty(len(codes), dtype=int)
    waiting = [np.arange(len(codes))]
    for place, (variable, value) in enumerate(nodes):
        rows = waiting.pop()
        if variable < 0:
            leaf[rows] = place
            continue
        left = codes[rows, variable] <= value
        waiting += [rows[~left], rows[left]]
    return leaf


def test_more_leaves_than_eight_bits_count(rng):
    X = rng.uniform(size=(400, 2))
    columns = _core.Columns(X, keep_values=True)
    y = rng.uniform(-0.5, 0.5, size=400)
    settings = bushy_settings(2, likelihood=True)
    chain = _core.Chain(columns, y, settings, SEED)
    chain.sweep(6000)
    nodes = chain.trees()[0]
    n_leaves = sum(variable < 0 for variable, _ in nodes)
    assert n_leaves > 255
    codes = np.column_stack([columns.codes(0), columns.codes(1)])
    leaf = leaf_of_each_row(nodes, codes)
    np.testing.assert_array_equal(chain.leaf_ids(0), leaf)
    assert len(set(leaf.tolist())) == n_leaves
    np.testing.assert_array_equal(chain.fitted(), [nodes[k][1] for k in leaf])


def test_deep_and_large_trees_are_kept_and_predict(rng):
    X = rng.uniform(size=(400, 2))
    columns = _core.Columns(X, keep_values=True)
    y = rng.uniform(-0.5, 0.5, size=400)
    settings = bushy_settings(2, likelihood=True)
    settings.precision = "double"
    fit = _core.fit(columns, y, settings, SEED, 4000, 2, True, False, True, _core.Control(), True)
    assert fit["n_splits"].min() > 255
    predicted = fit["forests"].predict(X, n_threads=2)
    np.testing.assert_allclose(predicted.mean(axis=0), fit["fitted"], atol=1e-9)


def chain_of_splits(n_splits: int) -> list[tuple[int, float]]:
    """One row goes left at each split of an untied column: as deep as a tree can be."""
    nodes: list[tuple[int, float]] = []
    for k in range(n_splits):
        nodes += [(0, k), (-1, float(k))]
    return [*nodes, (-1, float(n_splits))]


def full_tree(first: int, last: int, n_leaves: int) -> list[tuple[int, float]]:
    """Split the codes first, ..., last into so many leaves, evenly."""
    nodes, waiting = [], [(first, last, n_leaves)]
    while waiting:
        low, high, wanted = waiting.pop()
        if wanted == 1:
            nodes.append((-1, float(low)))
            continue
        left = wanted // 2
        cut = low + (high - low + 1) * left // wanted - 1
        nodes.append((0, cut))
        waiting += [(cut + 1, high, wanted - left), (low, cut, left)]
    return nodes


def test_no_birth_beyond_the_last_leaf_id():
    n = MOST_LEAVES + 3000
    columns = _core.Columns(np.arange(n, dtype=float)[:, None])
    chain = _core.Chain(columns, np.zeros(n), bushy_settings(1), SEED)
    with pytest.raises(ValueError, match="too many leaves"):
        chain.set_trees([full_tree(0, n - 1, MOST_LEAVES + 1)])
    chain.set_trees([full_tree(0, n - 1, MOST_LEAVES)])
    assert chain.n_splits == MOST_LEAVES - 1
    for _ in range(5):
        chain.sweep(20)
        assert MOST_LEAVES - 30 < chain.n_splits < MOST_LEAVES
    proposed, accepted = chain.acceptance["birth"]
    assert proposed > 50
    assert accepted < 20, "after a death only"
    assert chain.leaf_ids(0).size == n


def test_trees_too_deep_to_be_put_in():
    columns = _core.Columns(np.arange(3000.0)[:, None])
    chain = _core.Chain(columns, np.zeros(3000), bushy_settings(1), SEED)
    chain.set_trees([chain_of_splits(1000)])
    chain.sweep(10)
    with pytest.raises(ValueError, match="too many splits in a row"):
        chain.set_trees([chain_of_splits(1001)])


@pytest.mark.parametrize("falls", ["left", "right"])
def test_kept_trees_of_any_depth_predict(falls):
    """As a damaged or foreign file could hold them: no number of nested calls is enough."""
    depth = 300_000
    if falls == "right":
        variable = np.tile(np.array([0, -1], np.int32), depth)
        right = np.tile(np.array([2, 0], np.int32), depth)
        value = np.arange(2 * depth) // 2
    else:  # all splits, then all leaves, that of the last split first
        variable = np.repeat(np.array([0, -1], np.int32), depth)
        right = np.zeros(2 * depth, np.int32)
        right[:depth] = 2 * (depth - np.arange(depth))
        value = np.concatenate([depth - 1 - np.arange(depth), np.arange(depth)])
    forests = _core.SavedForests.from_arrays(
        {
            "n_trees": np.array([1]),
            "variable": np.append(variable, np.int32(-1)),
            "right": np.append(right, np.int32(0)),
            "value": np.append(value, depth).astype(float),
            "tree_start": np.zeros(1, np.uint64),
        }
    )
    rows = np.array([[-5.0], [0.0], [1.5], [depth - 1.0], [depth + 10.0]])
    assert forests.predict(rows).tolist() == [[0, 0, 2, depth - 1, depth]]


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, -1.0, -0.5, 64.0, 1e300, 5e-324])
def test_what_is_no_category_is_predicted(value):
    forests = _core.SavedForests.from_arrays(
        {
            "n_trees": np.array([1]),
            "variable": np.array([0, -1, -1], np.int32),
            "right": np.array([2, 0, 0], np.int32),
            "value": np.array([0.0, 1.0, 2.0]),
            "subset": np.array([2**64 - 2, 0, 0], np.uint64),
            "tree_start": np.zeros(1, np.uint64),
        }
    )
    assert forests.predict(np.array([[value]])).tolist() == [[2.0]]


@pytest.mark.parametrize("limit", [0.9, np.nan, np.inf])
def test_the_interval_of_a_learned_leaf_sd_holds_its_start(limit):
    settings = bushy_settings(1)
    settings.leaf_sd_limit = limit
    with pytest.raises(ValueError, match="leaf_sd_limit must be finite and at least 1"):
        _core.Chain(_core.Columns(np.eye(2, 1)), np.zeros(2), settings, SEED)


# ---- sizes of the data -----------------------------------------------------------


@pytest.mark.parametrize("shape", [(2**31, 1), (2, 2**31), (2**40, 2**19)])
def test_more_rows_or_columns_than_are_numbered(shape):
    X = np.broadcast_to(0.0, shape)  # without its memory
    with pytest.raises(ValueError, match=r"`X` must have at most 2,147,483,647 rows .*Got shape"):
        encode_X(X)
    with pytest.raises(ValueError, match=r"X has .* pass at most 2147483647"):
        _core.Columns(X)


def test_arguments_that_the_extension_refuses(rng):
    columns = _core.Columns(rng.uniform(size=(10, 2)))
    y, settings = np.zeros(10), bushy_settings(2)

    def fit(n_draws=1, y=y, **changes):
        for name, value in changes.items():
            setattr(settings, name, value)
        return _core.fit(columns, y, settings, SEED, 0, n_draws, True, True, False, _core.Control())

    fit()
    for n_draws in (0, 2**63, 2**64 - 1):
        with pytest.raises(ValueError, match="n_draws"):
            fit(n_draws)
    for bad in (np.zeros(9), np.full(10, np.nan), np.full(10, np.inf)):
        with pytest.raises(ValueError, match="y must"):
            fit(y=bad)
    for name, bad, sound in (
        ("n_trees", 0, 1),
        ("min_samples_leaf", 0, 1),
        ("min_samples_leaf", 2**31, 1),
        ("weights", np.ones(3), np.ones(2)),
        ("weights", np.array([1, np.nan]), np.ones(2)),
        ("moves", (np.nan, 0.5, 0.5, 0, 0), (0.5, 0.5, 0, 0, 0)),
        ("row_weights", np.ones(9), np.ones(10)),
    ):
        with pytest.raises(ValueError, match=name):
            fit(**{name: bad})
        fit(**{name: sound})


def test_a_linear_model_needs_a_y_of_its_length(rng):
    model = _core.LinearModel(rng.normal(size=(20, 3)))
    for n in (0, 19, 21):
        with pytest.raises(ValueError, match="one value for each row"):
            model.residual_ss(np.zeros(n))


@pytest.mark.parametrize(
    ("points", "weights", "message"),
    [
        (np.full((3, 2), np.nan), np.ones(3), "points"),
        (np.full((3, 2), 1e200), np.ones(3), "points"),
        (np.eye(3), np.zeros(3), "weights"),
        (np.eye(3), np.full(3, np.nan), "weights"),
        (np.eye(3), np.full(3, np.inf), "weights"),
        (np.eye(3), np.ones(2), "weights"),
        (np.empty((3000, 0)), np.ones(3000), "points"),
    ],
)
def test_linkage_of_what_has_no_distances(points, weights, message):
    with pytest.raises(ValueError, match=message):
        _core.average_linkage(points, weights)


# ---- memory ----------------------------------------------------------------------


@pytest.fixture
def little_memory(monkeypatch):
    monkeypatch.setattr(_validation, "available_memory", lambda: 10**6)


@pytest.mark.usefixtures("little_memory")
class TestMemoryIsCheckedBeforeItIsTaken:
    def test_kept_trees(self, regression):
        with pytest.raises(MemoryError, match=r"keep_trees=True .*\(1 x 1,000 x 200 trees"):
            bv.sample(*regression, n_replicates=1, n_draws=1000, n_trees=200, keep_trees=True)

    def test_rank_codes(self, rng):
        X = rng.uniform(size=(100_000, 3))
        with pytest.raises(MemoryError, match="rank codes"):
            bv.sample(X, X[:, 0], bv.BART(sigma_hat=1.0), n_replicates=1, burn_in=1, n_draws=1,
                      n_trees=1)  # fmt: skip

    def test_the_linear_model(self, rng):
        X = rng.uniform(size=(500, 250))
        with pytest.raises(MemoryError, match=r"linear model .*Pass sigma_hat as a number"):
            bv.sample(X, X[:, 0], n_replicates=1, burn_in=1, n_draws=1)

    @pytest.mark.parametrize("change", [lambda X: X[::2], lambda X: X.astype(np.float32)])
    def test_copies_of_x(self, rng, change):
        X = change(rng.uniform(size=(2000, 200)))
        encoded = encode_X(X)
        with pytest.raises(MemoryError, match=r"A copy of X .*contiguous array of float64"):
            _ = encoded.values

    def test_a_file_of_draws(self, tmp_path):
        path = tmp_path / "draws.npz"
        bv.Draws.from_counts(np.ones((1, 2, 20_000), np.uint16)).save(path)
        assert path.stat().st_size < 10**5, "compressed"
        with pytest.raises(MemoryError, match=r"draws.npz' needs 0.0 GB .*larger machine"):
            bv.Draws.load(path)
