"""What every tree prior must offer, those of users included."""

from __future__ import annotations

import json
from dataclasses import dataclass

import numpy as np
import pytest

import bayesvc as bv
from bayesvc import _core
from bayesvc.priors import PRIORS, TreePrior, prior_from_dict, prior_to_dict
from bayesvc.priors.base import UnknownPrior, unusual_settings
from tests.helpers.settings import SEEDED


@dataclass(frozen=True, kw_only=True)
class FirstColumns(TreePrior):
    """Rules prefer the first columns."""

    decay: float = 0.5

    def splitting(self, n_variables):
        weights = self.decay ** np.arange(n_variables)
        return {"splitting": "fixed", "weights": weights}


KINDS = [*PRIORS.values(), FirstColumns]


@pytest.mark.parametrize("kind", KINDS)
def test_it_describes_itself(kind):
    prior = kind()
    assert prior.name == prior.name.lower()
    assert prior.label
    assert prior.description.endswith(".") or ":" in prior.description
    assert prior.sampler in ("chain", "abc")
    assert set(prior.unsupported) <= {
        "n_replicates", "n_draws", "keep_counts", "keep_s", "keep_trees", "sample_weight",
    }  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_settings_survive_json(kind):
    prior = kind(k=3, split_weights=[1, 2], moves=(0.5, 0.5, 0, 0))
    again = prior_from_dict(json.loads(json.dumps(prior_to_dict(prior))))
    assert again == prior
    assert hash(again) == hash(prior)
    assert kind(**unusual_settings(prior)) == prior


@pytest.mark.parametrize("kind", KINDS)
def test_only_settings_that_were_changed_are_unusual(kind):
    assert unusual_settings(kind()) == {}
    assert unusual_settings(kind(k=2.0, moves=(0.25, 0.25, 0.4, 0.1), nu=4)) == {"nu": 4.0}


@pytest.mark.parametrize("kind", KINDS)
def test_the_sampler_takes_its_rules(kind):
    settings = _core.Settings()
    for name, value in kind().splitting(4).items():
        setattr(settings, name, value)
    assert len(settings.weights) == 4


@pytest.mark.parametrize("kind", KINDS)
def test_it_can_be_used_for_prediction(kind):
    prior = kind(split_weights=[1, 2]).for_prediction()
    assert prior.split_weights is None
    assert "keep_trees" not in prior.unsupported


@pytest.mark.parametrize("kind", KINDS)
def test_unsupported_arguments_are_named(kind):
    prior = kind()
    prior.reject_arguments(n_replicates=None, keep_trees=False)
    for name in prior.unsupported:
        value = True if name.startswith("keep_") else 3
        with pytest.raises(ValueError, match=rf"{name}.*not compatible with prior={prior.label}"):
            prior.reject_arguments(**{name: value})


def test_a_prior_of_a_users_own_is_sampled(regression):
    X, y = regression
    draws = bv.sample(X, y, FirstColumns(decay=1e-9), n_replicates=2, **SEEDED)
    assert draws.vc[:, 0].min() > 0
    assert draws.vc[:, 1:].max() == 0


def test_a_prior_of_an_unknown_class_is_kept_as_a_record():
    about = prior_to_dict(FirstColumns(k=3)) | {"kind": "Elsewhere"}
    prior = prior_from_dict(json.loads(json.dumps(about)))
    assert isinstance(prior, UnknownPrior)
    assert prior.k == 3
    assert prior_to_dict(prior) == about
    assert unusual_settings(prior) == {"k": 3.0, "decay": 0.5}  # its usual decay is not known
    with pytest.raises(ValueError, match=r"Elsewhere.*cannot be sampled"):
        prior.splitting(3)
