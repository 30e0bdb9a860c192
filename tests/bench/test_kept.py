"""Kept tallies of replicates, and damaged files of them."""

from __future__ import annotations

import numpy as np
import pytest

import bayesvc as bv
from bayesvc.bench import kept
from bayesvc.sampling.replicates import PriorDraws
from tests.helpers.settings import SEEDED


@pytest.fixture
def path(regression, tmp_path):
    draws = bv.sample(*regression, n_replicates=2, burn_in=5, n_draws=5, random_state=0)
    path = tmp_path / "kept.npz"
    path.write_bytes(kept.pack({"dart": PriorDraws(draws)}))
    return path


@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("vc", np.zeros(3)),
        ("vip", np.zeros((1, 5))),
        ("mi", np.full((2, 5), "a")),
        ("n_draws", np.array(0)),
        ("n_draws", np.array([5, 5])),
        ("seconds", np.array(1.0)),
        ("mpvip", None),
    ],
)
def test_other_contents_are_refused(path, name, part):
    with np.load(path) as file:
        arrays = dict(file)
    arrays.pop(f"dart.fit.{name}")
    if part is not None:
        arrays[f"dart.fit.{name}"] = part
    np.savez(path, **arrays)
    with pytest.raises(ValueError, match=r"kept.npz cannot be read: .*run its task again"):
        kept.unpack(path)


def test_every_file_cut_short_is_refused(path):
    good = path.read_bytes()
    for length in range(0, len(good), 37):
        path.write_bytes(good[:length])
        with pytest.raises(ValueError, match=r"kept.npz cannot be read: .*run its task again"):
            kept.unpack(path)


def test_what_was_kept_before_is_not_lost(regression, tmp_path):
    """Of each prior the most replicates stay, whichever came first."""
    few, more = (bv.sample(*regression, n_replicates=n, **SEEDED) for n in (2, 3))
    bart = bv.sample(*regression, prior=bv.BART(), n_replicates=1, **SEEDED)
    path = tmp_path / "kept.npz"
    sampled = [
        {"dart": PriorDraws(few)},
        {"dart": PriorDraws(more)},
        {"bart": PriorDraws(bart, permuted=few)},
        {"dart": PriorDraws(few)},
    ]
    for fits in sampled:
        path.write_bytes(kept.joined(path, kept.pack(fits)))
    found = kept.unpack(path)
    assert {prior: own.n_replicates for prior, own in found.items()} == {"dart": 3, "bart": 1}
    assert found["bart"].n_permuted == 2
    assert found["dart"].n_permuted == 0
    np.testing.assert_allclose(found["dart"].vc, more.vc)
    np.testing.assert_array_equal(found["dart"].first(2).vc, few.vc)


def test_a_damaged_file_gives_way(path):
    tallies = path.read_bytes()
    path.write_bytes(tallies[:100])
    assert kept.joined(path, tallies) == tallies
