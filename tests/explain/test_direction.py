"""Directions of curves that are known."""

from __future__ import annotations

import numpy as np
import pytest

from bayesvc.explain.curves import EffectCurve, along, bin_edges
from bayesvc.explain.direction import direction_of, monotonicity

X = np.linspace(0, 1, 21)


def curve_of(samples, x=X, kind="ale"):
    samples = np.atleast_2d(samples)
    low, high = np.quantile(samples, (0.05, 0.95), axis=0)
    return EffectCurve("x", kind, x, samples, samples.mean(axis=0), low, high, 0.9)


@pytest.mark.parametrize(
    ("curve", "text"),
    [
        (X, "increasing"),
        (-np.exp(X), "decreasing"),
        (X > 0.5, "increasing"),
        ((X - 0.5) ** 2, "not monotone"),
        (np.sin(7 * X), "not monotone"),
        (np.zeros(21), "not monotone"),
        (X + 0.05 * np.sin(60 * X), "increasing"),  # but for small waves
    ],
)
def test_directions(curve, text):
    found = direction_of(curve_of(1.0 * curve), X, X)
    assert (found.text, found.probability) == (text, 1.0)


def test_the_probability_is_the_proportion_of_the_draws():
    found = direction_of(curve_of([X, X, X, -X]), X, X)
    assert (found.text, found.probability) == ("increasing", 0.75)
    assert (found.increasing, found.decreasing, found.not_monotone) == (0.75, 0.25, 0.0)


def test_the_outer_tenth_of_the_rows_does_not_count():
    curve = np.where(X < 0.04, 5.0, X)
    assert monotonicity(curve[np.newaxis], X, X).tolist() == [1.0, 0.0, 0.0]


def test_the_change_is_between_the_outer_deciles():
    found = direction_of(curve_of([10 * X, 20 * X]), X, X)
    assert (found.start, found.end) == pytest.approx((0.1, 0.9))
    assert found.change == pytest.approx(12)
    assert found.change_low == pytest.approx(8.4)
    assert found.change_high == pytest.approx(15.6)


def test_of_a_rare_value_the_change_is_between_the_ends():
    values = np.array([0.0] * 97 + [1.0] * 3)
    found = direction_of(curve_of([1.0, 3.0], np.array([0.0, 1.0])), values, bin_edges(values))
    assert (found.start, found.end, found.change) == (0.0, 1.0, 2.0)


def test_categories_are_put_in_order():
    labels = np.array(["red", "green", "blue"], dtype=object)
    samples = np.array([[3.0, 1.0, 2.0], [3.5, 2.1, 2.0]])
    found = direction_of(curve_of(samples, labels, "pd"), np.array([0.0, 1, 2]), np.arange(3.0))
    assert found.text == "green ~ blue < red"
    assert (found.start, found.end, found.probability) == ("green", "red", 1.0)
    assert found.change == pytest.approx((2 + 1.4) / 2)
    assert np.isnan(found.increasing)


def test_many_categories_are_shortened():
    labels = np.array([f"c{k}" for k in range(20)], dtype=object)
    found = direction_of(curve_of(np.arange(20.0), labels, "pd"), np.arange(20.0), np.arange(20.0))
    assert found.text == "c0 < c1 < c2 < c3 < … < c16 < c17 < c18 < c19"


def test_ordered_levels_keep_their_names():
    labels = np.array(["low", "mid", "high"], dtype=object)
    values = np.array([0.0, 1, 2] * 5)
    found = direction_of(curve_of([1.0, 2, 3], labels), values, np.arange(3.0))
    assert (found.text, found.start, found.end) == ("increasing", "low", "high")


def test_a_column_of_missing_values_has_no_direction():
    assert direction_of(curve_of(X), np.full(3, np.nan), X).text == "no values"


def test_weights_along_edges():
    edges = np.array([0.0, 1.0, 3.0])
    np.testing.assert_allclose(along(edges, np.array([0.0, 2.0])), [0.5, 0.25, 0.25])
    assert bin_edges(np.array([np.nan, 2.0, 1.0])).tolist() == [1.0, 2.0]
