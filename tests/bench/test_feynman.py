import csv
import math
from pathlib import Path

import numpy as np
import pytest

from bayesvc.bench import authors_data, feynman
from bayesvc.bench.feynman import Equation

_TABLE = Path(__file__).parent / "data_checksums.csv"
CHECKSUMS = list(csv.DictReader(_TABLE.read_text().splitlines()))


OF_DATA_SETS = {key for key in CHECKSUMS[0] if key.startswith("s")}
OF_POOLS = set(CHECKSUMS[0]) - OF_DATA_SETS - {"name"}


def check(known, found):
    for key, value in found.items():
        # the table has twelve digits
        assert value == pytest.approx(float(known[key]), rel=2e-11, abs=1e-13), key


@pytest.mark.parametrize("known", CHECKSUMS, ids=[row["name"] for row in CHECKSUMS])
def test_the_authors_pool_comes_out_again(known):
    law, place = feynman.equation(known["name"]), feynman._place(known["name"])
    pool, first = authors_data.columns(tuple(law.ranges.values()), place, np.array([0]))
    signal = law.signal(pool)
    found = {
        "p0": pool.shape[1],
        "p": first.shape[1],
        "pool_mean_f": signal.mean(),
        "pool_sd_f": signal.std(),
        "pool_min_f": signal.min(),
        "pool_max_f": signal.max(),
        "n_bad": (~np.isfinite(signal)).sum(),
        "x_pool_row0_col0": first[0, 0],
        "x_pool_row0_collast": first[0, -1],
    }
    assert set(found) == OF_POOLS
    check(known, found)


def every_tenth(numbered):
    """Return a case, a weekly one unless its number ends with 0."""
    number, known = numbered
    return pytest.param(known, id=known["name"], marks=[pytest.mark.weekly] if number % 10 else [])


# All equations share what makes data sets of their pools.
@pytest.mark.parametrize("known", [*map(every_tenth, enumerate(CHECKSUMS))])
def test_the_authors_data_come_out_again(known):
    name = known["name"]
    noisy = feynman.load_authors(name, 500, 1, 860)
    noiseless = feynman.load_authors(name, 500, math.inf, 860)
    large = feynman.load_authors(name, 2000, 0.25, 29802)
    rows, _ = authors_data.rows_and_noise(500, 860, noisy=True)
    other_rows, _ = authors_data.rows_and_noise(500, 860, noisy=False)
    found = {
        "s860_snr1_n500_first_pool_row": rows[0],
        "s860_snr1_n500_y0": noisy.y[0],
        "s860_snr1_n500_y_mean": noisy.y.mean(),
        "s860_snr1_n500_x_first_col0": noisy.X[0, 0],
        "s860_snr1_n500_x_first_collast": noisy.X[0, -1],
        "s860_inf_n500_first_pool_row": other_rows[0],
        "s860_inf_n500_y0": noiseless.y[0],
        "s29802_snr025_n2000_y_last": large.y[-1],
        "s29802_snr025_n2000_y_mean": large.y.mean(),
    }
    assert set(found) == OF_DATA_SETS
    check(known, found | {"p0": len(noisy.relevant), "p": noisy.X.shape[1]})


def test_fewer_rows_are_the_first_of_more_up_to_all():
    few = feynman.load_authors("I.12.1", 500, 5, 11284)
    all_rows = feynman.load_authors("I.12.1", 75_000, 5, 11284)
    np.testing.assert_array_equal(few.X, all_rows.X[:500])
    np.testing.assert_array_equal(few.y, all_rows.y[:500])
    assert all_rows.X.shape == (75_000, 102)


def test_all_noise_of_a_seed_is_the_same_up_to_its_scale():
    loud, soft = (feynman.load_authors("I.14.3", 200, snr, 5390) for snr in (1, 4))
    np.testing.assert_array_equal(loud.X, soft.X)
    signal = feynman.equation("I.14.3").signal(loud.X[:, loud.relevant])
    np.testing.assert_allclose(loud.y - signal, 2 * (soft.y - signal), rtol=1e-9, atol=1e-9)
    assert loud.noise_sd == pytest.approx(2 * soft.noise_sd)


def test_there_are_81_functions_in_100_equations():
    found = feynman.equations()
    assert len(found) == 100
    assert len({law.equiv_class for law in found.values()}) == 81
    assert {len(law.variables) for law in found.values()} == {1, 2, 3, 4, 5, 6, 8, 9}


def test_a_fresh_problem_has_the_signal_and_the_noise_asked_for():
    problem = feynman.load("II.11.17", 20_000, 4, 1)
    signal = feynman.equation("II.11.17").signal(problem.X[:, problem.relevant])
    noise = problem.y - signal
    assert problem.X.shape == (20_000, 306)
    # The ratio of two sample variances of 20,000 rows: a sd of about 1.5 %.
    assert signal.var() / noise.var() == pytest.approx(4, rel=0.08)
    assert noise.std() == pytest.approx(problem.noise_sd, rel=0.03)
    assert problem.feature_names[:6] == ("n_0", "kb", "T", "theta", "p_d", "Ef")
    assert problem.X.min() >= 1
    assert problem.X.max() <= 3


def test_fresh_problems_differ_by_seed_and_equation_only():
    first = feynman.load("I.12.1", 50, 1, 3)
    again = feynman.load("feynman_I_12_1", 50, 1, 3)
    np.testing.assert_array_equal(first.X, again.X)
    np.testing.assert_array_equal(first.y, again.y)
    assert not np.array_equal(first.X, feynman.load("I.12.1", 50, 1, 4).X)
    assert not np.array_equal(first.X, feynman.load("I.12.5", 50, 1, 3).X)
    noiseless = feynman.load("I.12.1", 50, seed=3)
    np.testing.assert_allclose(noiseless.y, noiseless.X[:, 0] * noiseless.X[:, 1], rtol=1e-15)
    assert noiseless.noise_sd == 0


def test_an_equation_of_the_users_own():
    mine = Equation("mine", "a * sin(b)", {"a": (1, 2), "b": (0, 3)})
    problem = feynman.load(mine, 30, n_irrelevant=4)
    assert problem.X.shape == (30, 10)
    np.testing.assert_allclose(problem.y, problem.X[:, 0] * np.sin(problem.X[:, 1]), rtol=1e-15)
    assert feynman.load(mine, 30, n_irrelevant=0).X.shape == (30, 2)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: feynman.load("II.11.1", 10), "Did you mean 'feynman_II_11_17'"),
        (lambda: feynman.load(7, 10), "`name` must be an equation.*Got 7 instead"),
        (lambda: feynman.load("I.12.1", 0), "`n` must be"),
        (lambda: feynman.load("I.12.1", 10, 0), "`snr` must be .* Got 0"),
        (lambda: feynman.load("I.12.1", 10, -1), "Got -1 instead"),
        (lambda: feynman.load("I.12.1", 10, -math.inf), "Got -inf instead"),
        (lambda: feynman.load("I.12.1", 10, math.nan), "Got nan instead"),
        (lambda: feynman.load("I.12.1", 10, 1, -1), "seed"),
        (lambda: feynman.load("I.12.1", 10, n_irrelevant=-1), "n_irrelevant"),
        (lambda: feynman.load_authors("I.12.1", 75_001), "at most 75000"),
        (lambda: feynman.load_authors("I.12.1", 10, 1, 2**32), "`seed` must be at most"),
        (lambda: Equation("x", "a", {}), "must map variables"),
        (lambda: Equation("x", "a", {"a": (1,)}), r"ranges\['a'\]"),
        (lambda: Equation("x", "a", {"a": (2, 1)}), r"above 2"),
        (lambda: Equation("x", "b", {"a": (1, 2)}), "must not contain 'b'"),
        (lambda: feynman.load(Equation("x", "ln(a)", {"a": (-1, 1)}), 10), "Narrow the ranges"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises((ValueError, TypeError), match=message):
        call()
