"""Files of earlier versions can be read for ever."""

from __future__ import annotations

import json

import numpy as np
import pytest

import bayesvc as bv
from tests.fixtures.make_draws_1 import data
from tests.helpers.paths import FIXTURES

EXPECTED = json.loads((FIXTURES / "draws-1.json").read_text())


@pytest.mark.parametrize("name", EXPECTED)
def test_files_of_version_1(name):
    draws, expected = bv.Draws.load(FIXTURES / f"draws-1-{name}.npz"), dict(EXPECTED[name])
    assert type(draws.prior).__name__ == expected["prior"]
    assert list(draws.feature_names) == expected["feature_names"]
    for attribute in ("response", "n_replicates", "n_rows", "data_hash"):
        assert getattr(draws, attribute) == expected[attribute]
    assert (None if draws.classes is None else draws.classes.tolist()) == expected["classes"]
    assert draws.schema is None
    assert draws.proposed[:, :4].sum() > 0  # of birth, death, change and swap
    assert draws.proposed[:, 4:].tolist() == [[0]] * draws.n_replicates
    np.testing.assert_array_equal(draws.vc, expected["vc"])
    np.testing.assert_array_equal(draws.sigma, expected["sigma"])
    if expected["predicted"] is not None:
        np.testing.assert_allclose(draws.predict(data()[0]), expected["predicted"], rtol=1e-14)
        with pytest.raises(ValueError, match=r"Got missing values in 'x0'"):
            draws.predict(np.full((1, 3), [np.nan, 1, 1]))


def test_a_file_of_version_1_is_still_that_of_the_same_data():
    X, y = data()
    draws = bv.Draws.load(FIXTURES / "draws-1-bart.npz")
    more = draws.extend(1, X, y)
    np.testing.assert_array_equal(more.vc[:2], draws.vc)
    again = bv.sample(
        X, y, bv.BART(), n_trees=3, n_replicates=3, burn_in=20, n_draws=4, random_state=5
    )
    np.testing.assert_array_equal(more.vc, again.vc)


def test_plain_data_are_written_as_version_1(tmp_path):
    bv.Draws.load(FIXTURES / "draws-1-bart.npz").save(tmp_path / "again.npz")
    with np.load(tmp_path / "again.npz") as archive:
        assert json.loads(archive["settings"].tobytes())["version"] == 1
