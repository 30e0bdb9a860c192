import numpy as np
import pytest

from bayesvc.bench import problems

MAKERS = {
    "friedman": problems.friedman,
    "checkerboard": problems.checkerboard,
    "mixed_independent": problems.mixed_independent,
    "mixed_correlated": problems.mixed_correlated,
    "pure_noise": problems.pure_noise,
}


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_noise_has_the_sd_asked_for(make):
    quiet, loud = make(5000, sd=0, seed=2), make(5000, sd=3, seed=2)
    np.testing.assert_array_equal(quiet.X, loud.X)
    # 5000 normal numbers: the sd is within 4 standard errors, 4 / sqrt(10000).
    assert (loud.y - quiet.y).std() == pytest.approx(3, rel=0.04)
    assert not np.array_equal(loud.X, make(5000, sd=3, seed=3).X)


def test_values_worked_out_by_hand():
    X, y, *_ = problems.friedman(3, p=6, sd=0, seed=5)
    a, b, c, d, e = X[0, :5]
    assert y[0] == pytest.approx(10 * np.sin(np.pi * a * b) + 20 * (c - 0.5) ** 2 + 10 * d + 5 * e)
    X, y, *_ = problems.checkerboard(3, p=12, sd=0)
    assert y[1] == pytest.approx(2 * X[1, 0] * X[1, 3] + 2 * X[1, 6] * X[1, 9])
    X, y, *_ = problems.mixed_independent(3, p=7, sd=0)
    assert set(np.unique(X[:, :4])) <= {0.0, 1.0}
    expected = 10 * np.sin(np.pi * X[2, 4] * X[2, 5]) + 20 * (X[2, 6] - 0.5) ** 2
    assert y[2] == pytest.approx(expected + 10 * X[2, 0] + 5 * X[2, 1])
    X, y, *_ = problems.mixed_correlated(50, sd=0)
    i = int(np.flatnonzero(X[:, 0])[0])  # a row where the rare column is 1
    a, b, c, d = X[i, 40:44]
    expected = -4 + 1 + np.sin(np.pi * d) - X[i, 20] + 0.6 * a * b
    assert y[i] == pytest.approx(expected - np.exp(-2 * (b + 1) ** 2) - c**2 + 0.5 * d)
    assert (problems.pure_noise(5, sd=0).y == 0).all()


def test_correlations_are_as_described():
    X = problems.checkerboard(20_000, p=12, seed=1, correlation=0.6).X
    found = np.corrcoef(X.T)
    expected = 0.6 ** np.abs(np.subtract.outer(np.arange(12), np.arange(12)))
    np.testing.assert_allclose(found, expected, atol=0.03)  # four standard errors
    X = problems.mixed_correlated(20_000, seed=1).X
    assert np.corrcoef(X[:, 40:].T)[np.triu_indices(44, 1)].mean() == pytest.approx(0.3, abs=0.02)
    assert X[:, :20].mean() == pytest.approx(0.2, abs=0.01)
    assert X[:, 20:40].mean() == pytest.approx(0.5, abs=0.01)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: problems.friedman(10, p=4), "needs 5 columns"),
        (lambda: problems.friedman(10, sd=-1), "`sd` must be .* Got -1"),
        (lambda: problems.checkerboard(10, correlation=1), "`correlation` must be .* Got 1"),
        (lambda: problems.pure_noise(0), "`n` must be"),
        (lambda: problems.mixed_independent(10, p=5), "needs 6 columns"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()
