from __future__ import annotations

import math
import os
import pickle

import numpy as np
import pytest
from scipy import stats

import bayesvc as bv
from bayesvc import _core, _validation, measures
from bayesvc.priors.calibration import residual_sd
from bayesvc.responses.encode import encode_y
from bayesvc.sampling import abc
from bayesvc.sampling.seeds import Role, chain_seed
from tests.helpers.no_sampling import no_sampling
from tests.helpers.processes import assert_stops_on_ctrl_c
from tests.helpers.same_bits import assert_same_bits

FALSE_ALARM = 1e-6  # of each statistical test, were its seed a random one


def all_samples(X, y, prior, *, n_trees=20, entropy=0, response="auto"):
    """What the compiled sampler tells of every sample, whether it would be kept or not."""
    X = np.asarray(X, dtype=float)
    sampler = abc.abc_sampler(prior, _core.Columns(X), X, encode_y(y, response), n_trees)
    seeds = (chain_seed(entropy, Role.ABC_SAMPLE, i) for i in range(prior.n_samples))
    return [sampler.sample(seed, _core.Control()) for seed in seeds]


@pytest.mark.parametrize("data", ["regression", "classification"])
def test_kept_are_those_of_smallest_discrepancy(data, request):
    X, y = request.getfixturevalue(data)
    prior = bv.SpikeForest(n_samples=83, keep=0.2, burn_in=20)
    draws = bv.sample(X, y, prior, n_trees=5, random_state=9)
    samples = all_samples(X, y, prior, n_trees=5, entropy=9)
    distance = [np.linalg.norm(y[s["held_out_rows"]] - s["pseudo_y"]) for s in samples]
    np.testing.assert_allclose(draws.abc.discrepancy, distance, rtol=1e-12)
    # ties, which a binary y has, go to the first; they are exact there
    order = sorted(range(83), key=lambda i: (draws.abc.discrepancy[i], i))
    assert draws.abc.kept.tolist() == sorted(order[:17])
    assert draws.abc.subset_size.tolist() == [len(s["subset"]) for s in samples]
    assert draws.abc.n_samples == 83
    assert (draws.n_replicates, draws.n_draws) == (17, 1)
    for r, i in enumerate(draws.abc.kept):
        counts = np.zeros(X.shape[1])
        counts[samples[i]["subset"]] = samples[i]["vc"]
        np.testing.assert_array_equal(draws.vc[r], counts)
        assert draws.sigma[r, 0] == samples[i]["sigma"][0]
        assert draws.n_splits[r, 0] == counts.sum()


def test_tallies_are_those_of_one_draw(regression):
    X, y = regression
    draws = bv.sample(X, y, bv.SpikeForest(n_samples=60, keep=0.5, burn_in=30), random_state=1)
    total = draws.vc.sum(axis=1, keepdims=True)
    assert (draws.vc == np.rint(draws.vc)).all()
    np.testing.assert_allclose(draws.vip, draws.vc / np.maximum(total, 1), rtol=1e-12)
    np.testing.assert_allclose(draws.vip_of_sums, draws.vip, rtol=1e-12)
    np.testing.assert_array_equal(draws.mpvip, draws.vc > 0)
    np.testing.assert_array_equal(measures.mpvip(draws), (draws.vc > 0).mean(axis=0))
    np.testing.assert_array_equal(draws.mi > 0, draws.vc > 0)
    np.testing.assert_allclose(draws.mi.sum(axis=1), (total[:, 0] > 0).astype(float))
    np.testing.assert_array_equal(draws.count_half_sums[:, 0], draws.vc)
    np.testing.assert_array_equal(draws.count_half_squares[:, 0], draws.vc**2)
    np.testing.assert_array_equal(draws.count_batch_squares, draws.vc**2)
    assert (draws.n_batches, draws.batch_size) == (1, 1)
    assert np.isnan(draws.alpha).all()
    assert measures.vc_measure(draws).shape == (5, 4)


@pytest.mark.parametrize(("n", "fraction", "n_train"), [(60, 0.5, 30), (3, 0.5, 2), (10, 0.99, 9)])
def test_sizes_of_the_row_split(n, fraction, n_train, rng):
    X, y = rng.uniform(size=(n, 2)), np.arange(n)
    prior = bv.SpikeForest(n_samples=5, burn_in=5, train_fraction=fraction)
    for sample in all_samples(X, y, prior, response="continuous"):
        rows = np.concatenate([sample["train_rows"], sample["held_out_rows"]])
        assert len(sample["train_rows"]) == n_train
        assert sorted(rows.tolist()) == list(range(n))


def test_the_row_split_is_fresh_each_time(regression):
    X, y = regression
    prior = bv.SpikeForest(n_samples=400, burn_in=0, train_fraction=0.3)
    trained = np.zeros((400, 60), dtype=bool)
    for row, sample in zip(trained, all_samples(X, y, prior, n_trees=1), strict=True):
        row[sample["train_rows"]] = True
    assert len(np.unique(trained, axis=0)) == 400
    # without replacement the 60 counts have this covariance, whose pseudo-inverse is a multiple
    # of the identity on vectors of sum zero
    share = 18 / 60
    variance = 400 * share * (1 - share) * 60 / 59
    chi_square = ((trained.sum(axis=0) - 400 * share) ** 2).sum() / variance
    assert FALSE_ALARM / 2 < stats.chi2.sf(chi_square, 59) < 1 - FALSE_ALARM / 2


@pytest.mark.parametrize(("a0", "b0"), [(1, 1), (2, 3), (0.3, 0.2)])
def test_subsets_follow_the_beta_binomial(a0, b0, rng):
    X, y = rng.uniform(size=(6, 5)), np.arange(6)
    prior = bv.SpikeForest(n_samples=3000, burn_in=0, a0=a0, b0=b0)
    samples = all_samples(X, y, prior, n_trees=1, response="continuous")
    sizes = np.bincount([len(s["subset"]) for s in samples], minlength=6)
    expected = 3000 * stats.betabinom.pmf(np.arange(6), 5, a0, b0)
    assert stats.chisquare(sizes, expected).pvalue > FALSE_ALARM
    # given its size every subset is equally likely, so every variable is
    uses = np.bincount(np.concatenate([s["subset"] for s in samples]), minlength=5)
    variance = sum(len(s["subset"]) * (5 - len(s["subset"])) for s in samples) / 20
    chi_square = ((uses - uses.mean()) ** 2).sum() / variance
    assert stats.chi2.sf(chi_square, 4) > FALSE_ALARM


@pytest.mark.parametrize("rule", ["lm", "lm-uncorrected"])
@pytest.mark.parametrize("p", [4, 40])
def test_sigma_hat_is_that_of_the_half(rule, p, rng):
    """With nu so large that the prior fixes sigma at its scale, sigma shows sigma_hat."""
    X = rng.normal(size=(50, p))
    y = 100 + X[:, 0] + rng.normal(size=50)
    prior = bv.SpikeForest(n_samples=40, burn_in=3, nu=1e9, sigma_hat=rule)
    for sample in all_samples(X, y, prior):
        rows, subset = sample["train_rows"], sample["subset"]
        half = np.ascontiguousarray(X[np.ix_(rows, subset)])
        model = _core.LinearModel(half) if subset.size else _core.LinearModel(np.zeros((25, 1)))
        hat = residual_sd(model, y[rows], corrected=rule == "lm")
        assert sample["sigma"][0] == pytest.approx(hat, rel=1e-3)


@pytest.mark.parametrize("data", ["regression", "classification"])
def test_same_bits_on_any_number_of_threads(data, request):
    X, y = request.getfixturevalue(data)
    prior = bv.SpikeForest(n_samples=50, burn_in=20)
    one = bv.sample(X, y, prior, random_state=3, n_jobs=1)
    for n_jobs in (2, 7):
        more = bv.sample(X, y, prior, random_state=3, n_jobs=n_jobs)
        assert_same_bits(one, more)
        for name in ("discrepancy", "kept", "subset_size"):
            assert getattr(one.abc, name).tobytes() == getattr(more.abc, name).tobytes()
    assert_same_bits(one, bv.sample(np.asfortranarray(X), y, prior, random_state=3))
    other = bv.sample(X, y, prior, random_state=4)
    assert (other.abc.discrepancy != one.abc.discrepancy).any()


def test_more_samples_begin_with_the_same(regression):
    X, y = regression
    few, many = (
        bv.sample(X, y, bv.SpikeForest(n_samples=n, burn_in=5), random_state=3).abc.discrepancy
        for n in (10, 30)
    )
    np.testing.assert_array_equal(few, many[:10])


def test_an_easy_problem(rng):
    X = rng.uniform(size=(300, 100))
    y = 10 * np.sin(np.pi * X[:, 4] * X[:, 11]) + 10 * X[:, 17] + rng.normal(size=300)
    draws = bv.sample(X, y, bv.SpikeForest(n_samples=400, burn_in=100), random_state=1)
    assert np.flatnonzero(measures.mpvip(draws) >= 0.5).tolist() == [4, 11, 17]


def test_an_easy_binary_problem(rng):
    X = rng.uniform(size=(300, 100))
    y = np.where(X[:, 3] + X[:, 6] > 1, "yes", "no")
    draws = bv.sample(X, y, bv.SpikeForest(n_samples=400, burn_in=100), random_state=1)
    assert np.flatnonzero(measures.mpvip(draws) >= 0.5).tolist() == [3, 6]
    assert draws.classes.tolist() == ["no", "yes"]
    assert (draws.sigma == 1).all()
    squares = draws.abc.discrepancy**2
    np.testing.assert_allclose(squares, np.rint(squares), atol=1e-9, err_msg="counts of errors")


def test_empty_subsets(regression):
    X, y = regression
    draws = bv.sample(X, y, bv.SpikeForest(n_samples=20, burn_in=10, b0=1e9), random_state=1)
    assert draws.abc.subset_size.tolist() == [0] * 20
    assert not draws.vc.any()
    assert not draws.n_splits.any()
    assert (draws.sigma > 0).all()
    assert np.isfinite(draws.abc.discrepancy).all()


def test_training_rows_of_one_class(rng):
    X = rng.uniform(size=(30, 3))
    y = np.arange(30) == 7
    draws = bv.sample(X, y, bv.SpikeForest(n_samples=30, keep=1, burn_in=20), random_state=1)
    assert draws.n_replicates == 30
    assert np.isfinite(draws.abc.discrepancy).all()


def test_constant_training_rows(rng):
    X = rng.uniform(size=(30, 3))
    y = np.where(np.arange(30) == 7, 5.0, 2.0)
    prior = bv.SpikeForest(n_samples=30, keep=1, burn_in=20)
    draws = bv.sample(X, y, prior, random_state=1)
    for r, sample in enumerate(all_samples(X, y, prior, entropy=1)):
        if 7 in sample["held_out_rows"]:
            assert (sample["pseudo_y"] == 2).all()
            assert (draws.abc.discrepancy[r], draws.sigma[r, 0]) == (3, 0)
            assert draws.n_splits[r, 0] == draws.tree_depth[r] == 0
        else:
            assert draws.sigma[r, 0] > 0
    assert 0 < (draws.sigma == 0).sum() < 30


def test_the_smallest_data():
    draws = bv.sample([[0.0], [1.0], [2.0]], [1, 2, 4], bv.SpikeForest(n_samples=5), random_state=0)
    assert draws.n_replicates == 1
    assert np.isfinite(draws.abc.discrepancy).all()


def test_epsilon(regression):
    X, y = regression
    everything = bv.sample(X, y, bv.SpikeForest(n_samples=50, burn_in=10), random_state=2).abc
    bound = float(np.sort(everything.discrepancy)[20])
    prior = bv.SpikeForest(n_samples=50, burn_in=10, epsilon=bound)
    draws = bv.sample(X, y, prior, random_state=2)
    assert draws.abc.kept.tolist() == np.flatnonzero(everything.discrepancy <= bound).tolist()
    smallest = f"{everything.discrepancy.min():.6g}"
    with pytest.raises(ValueError, match=r"smallest discrepancy of the 50 samples") as error:
        bv.sample(X, y, bv.SpikeForest(n_samples=50, burn_in=10, epsilon=1e-6), random_state=2)
    for part in (smallest, "Got 1e-06", "keep=0.1"):
        assert part in str(error.value)


@pytest.mark.parametrize(("keep", "number"), [(1, 30), (0.1, 3), (1e-9, 1), (0.999, 30)])
def test_how_many_are_kept(regression, keep, number):
    X, y = regression
    prior = bv.SpikeForest(n_samples=30, burn_in=1, keep=keep)
    assert bv.sample(X, y, prior, random_state=2).n_replicates == number


def test_burn_in_of_the_call_overrides_that_of_the_prior(regression):
    X, y = regression
    prior = bv.SpikeForest(n_samples=20, burn_in=7)
    draws = bv.sample(X, y, prior, random_state=2)
    assert draws.burn_in == 7
    seen = []
    other = bv.sample(
        X, y, prior, burn_in=3, random_state=2, progress=lambda *report: seen.append(report)
    )
    assert (other.burn_in, other.prior.burn_in, prior.burn_in) == (3, 3, 7)
    assert seen[-1] == (80, 80)
    assert_same_bits(
        other, bv.sample(X, y, bv.SpikeForest(n_samples=20, burn_in=3), random_state=2)
    )


def test_settings_of_the_forest_are_heard(regression):
    X, y = regression
    short = {"n_samples": 20, "burn_in": 20, "keep": 1}
    fixed = bv.sample(X, y, bv.SpikeForest(sigma=0.7, **short), random_state=1)
    np.testing.assert_allclose(fixed.sigma, 0.7, rtol=1e-12)
    weights = bv.SpikeForest(split_weights=[1, 0, 1, 1, 1], **short)
    assert not bv.sample(X, y, weights, random_state=1).vc[:, 1].any()
    stumps = bv.sample(X, y, bv.SpikeForest(gamma=1e-9, **short), random_state=1)
    assert stumps.vc.sum() < 3
    deep = bv.sample(X, y, bv.SpikeForest(gamma=0.99, beta=0.1, **short), random_state=1)
    coarse = bv.SpikeForest(gamma=0.99, beta=0.1, min_samples_leaf=15, **short)
    assert bv.sample(X, y, coarse, random_state=1).tree_depth.max() <= 1 < deep.tree_depth.max()
    births = bv.SpikeForest(moves=(0.5, 0.5, 0, 0), **short)
    assert bv.sample(X, y, births, random_state=1).proposed[:, 2:].sum() == 0


def test_file_pickle_and_repr(classification, tmp_path):
    X, y = classification
    prior = bv.SpikeForest(n_samples=30, burn_in=5, a0=2)
    draws = bv.sample(X, np.where(y == 1, "b", "a"), prior, random_state=5)
    draws.save(tmp_path / "file.npz")
    for again in (bv.Draws.load(tmp_path / "file.npz"), pickle.loads(pickle.dumps(draws))):
        assert_same_bits(again, draws)
        assert again.prior == draws.prior
        assert again.calibration is None
        for name in ("discrepancy", "kept", "subset_size"):
            left, right = getattr(again.abc, name), getattr(draws.abc, name)
            assert left.dtype == right.dtype
            np.testing.assert_array_equal(left, right)
        assert repr(again) == repr(draws)
    assert "SpikeForest, binary y, 80 rows x 4 variables" in repr(draws)
    assert "3 of 30 samples kept, each one draw after 5 burn-in" in repr(draws)
    assert bv.sample(X, y, n_replicates=1, burn_in=1, n_draws=1).abc is None


def test_what_such_draws_cannot_do(regression):
    X, y = regression
    draws = bv.sample(X, y, bv.SpikeForest(n_samples=20, burn_in=5), random_state=5)
    with pytest.raises(ValueError, match=r"2 best of 20 samples.*SpikeForest\(n_samples=...\)"):
        draws.extend(1)
    with pytest.raises(ValueError, match=r"no trees.*SpikeForest.*BART or DART"):
        draws.predict(X)


@pytest.mark.parametrize(
    ("argument", "value", "kind"),
    [
        ("n_samples", 0, ValueError),
        ("n_samples", 2.5, TypeError),
        ("keep", 0, ValueError),
        ("keep", 1.5, ValueError),
        ("keep", math.nan, ValueError),
        ("keep", "all", TypeError),
        ("epsilon", -1, ValueError),
        ("epsilon", math.inf, ValueError),
        ("burn_in", -1, ValueError),
        ("burn_in", None, TypeError),
        ("train_fraction", 0, ValueError),
        ("train_fraction", 1, ValueError),
        ("a0", 0, ValueError),
        ("b0", -1, ValueError),
        ("k", 0, ValueError),
    ],
)
def test_bad_settings_of_the_prior(argument, value, kind):
    with pytest.raises(kind) as error:
        bv.SpikeForest(**{argument: value})
    message = str(error.value)
    assert message.startswith(f"`{argument}` must be ")
    assert f"Got {value!r} instead." in message


@pytest.mark.parametrize(
    ("argument", "value", "kind", "remedy"),
    [
        ("n_replicates", 10, ValueError, "n_samples"),
        ("n_draws", 1, ValueError, "n_samples"),
        ("keep_counts", True, ValueError, "draws.vc"),
        ("keep_s", True, ValueError, "Leave it False"),
        ("keep_trees", True, ValueError, "BART or DART"),
        ("keep_trees", None, TypeError, "must be True or False"),
        ("burn_in", -1, ValueError, "an integer of at least 0"),
        ("burn_in", 2.5, TypeError, "Got 2.5 instead"),
        ("n_trees", 0, ValueError, "an integer of at least 1"),
        ("n_jobs", 0, ValueError, "Pass -1 for all CPUs"),
        ("progress", "yes", TypeError, "bar"),
        ("random_state", -1, ValueError, "None"),
    ],
)
def test_bad_arguments_of_the_call(regression, argument, value, kind, remedy):
    X, y = regression
    with pytest.raises(kind) as error, no_sampling():
        bv.sample(X, y, bv.SpikeForest(), **{argument: value})
    message = str(error.value)
    assert message.startswith((argument, f"`{argument}` must be "))
    assert repr(value) in message
    assert remedy in message


@pytest.mark.parametrize(
    ("prior", "rows", "parts"),
    [
        (bv.SpikeForest(), 2, ["Got 2 rows", "at least 3"]),
        (
            bv.SpikeForest(min_samples_leaf=16),
            60,
            ["Got 16", "30 of 60", "most 15"],
        ),
        (bv.SpikeForest(split_weights=[1, 2]), 60, ["per column of X, 5", "Got 2"]),
    ],
)
def test_priors_that_do_not_go_with_the_data(regression, prior, rows, parts):
    X, y = regression
    with pytest.raises(ValueError) as error, no_sampling():  # noqa: PT011
        bv.sample(X[:rows], y[:rows], prior)
    for part in parts:
        assert part in str(error.value)


def test_more_memory_than_there_is(regression, monkeypatch):
    monkeypatch.setattr(_validation, "available_memory", lambda: 10**6)
    X, y = regression
    with pytest.raises(MemoryError, match=r"keep=0.5 needs .*smaller keep or n_samples"):
        bv.sample(X, y, bv.SpikeForest(n_samples=10**8, keep=0.5))
    with pytest.raises(MemoryError, match=r"n_samples=100000000 needs .*Use fewer"):
        bv.sample(X, y, bv.SpikeForest(n_samples=10**8, keep=1e-8))


@pytest.mark.skipif(os.name == "nt", reason="sends a POSIX signal")
def test_ctrl_c_stops_with_work_left():
    assert_stops_on_ctrl_c("""
        import numpy as np, bayesvc as bv
        X = np.random.default_rng(0).uniform(size=(2000, 50))
        started = lambda done, total: print("running", flush=True) if done else None
        bv.sample(X, X[:, 0], bv.SpikeForest(n_samples=10**5), n_jobs=2, progress=started)
    """)


def test_some_of_the_kept_forests(regression, tmp_path):
    """What is taken knows which samples it is, and can be saved."""
    X, y = regression
    draws = bv.sample(X, y, bv.SpikeForest(n_samples=40, burn_in=20), random_state=0)
    some = draws.take([3, 1])
    assert some.abc.kept.tolist() == draws.abc.kept[[3, 1]].tolist()
    some.save(tmp_path / "some.npz")
    assert bv.Draws.load(tmp_path / "some.npz").abc.kept.tolist() == some.abc.kept.tolist()
