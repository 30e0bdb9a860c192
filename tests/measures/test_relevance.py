"""The probability of relevance, and the recipes that select by it."""

from __future__ import annotations

import json
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import bayesvc as bv
from bayesvc import priors
from bayesvc.bench import problems
from bayesvc.measures import MEASURES, _relevance_dart, _relevance_model
from bayesvc.measures import relevance as of_draws
from bayesvc.measures._relevance import Relevance
from bayesvc.measures._relevance_model import between_share, noise_floor
from bayesvc.report.words import conclusion
from tests.helpers.paths import ROOT
from tests.helpers.settings import SETTLED

# Short chains: what their notes warn of is not the subject here.
pytestmark = pytest.mark.filterwarnings("ignore::bayesvc.exceptions.BayesvcWarning")

STUDIES = ROOT / "studies"
FORMULAS = pytest.mark.parametrize(
    "probability", [_relevance_model.probability, _relevance_dart.probability]
)
UNTESTED = SETTLED | {"signal_test": False}


def tallies(rows, background=0.02, n_others=50):
    """Return inclusion, and counts that are alike, of a few variables among many that are not."""
    rows = np.asarray(rows, dtype=float)
    inclusion = np.hstack([rows, np.full((len(rows), n_others), background)])
    return 2 * inclusion, inclusion


@pytest.mark.parametrize(
    ("formula", "study"), [(_relevance_model, "summaries"), (_relevance_dart, "world")]
)
def test_the_code_has_the_coefficients_of_the_study(formula, study):
    learned = json.loads((STUDIES / study / "results" / "learned.json").read_text())
    assert list(formula.COEFFICIENTS) == learned["coefficients"]


shares = arrays(float, st.tuples(st.integers(1, 6), st.integers(1, 30)), elements=st.floats(0, 1))


@FORMULAS
@settings(max_examples=200, deadline=None)
@given(inclusion=shares, splits=st.floats(1, 100))
def test_any_fits_give_probabilities(probability, inclusion, splits):
    found = probability(inclusion * splits, inclusion)
    assert found.shape == inclusion.shape[1:]
    assert ((found >= 0) & (found <= 1)).all()
    assert 0 <= between_share(inclusion) <= 1 + 1e-9
    assert 0 <= noise_floor(inclusion.mean(axis=0)) <= 1


@FORMULAS
@settings(max_examples=50, deadline=None)
@given(inclusion=shares, random=st.randoms(use_true_random=False))
def test_order_of_fits_and_of_variables_does_not_matter(probability, inclusion, random):
    fits, variables = list(range(len(inclusion))), list(range(inclusion.shape[1]))
    random.shuffle(fits)
    random.shuffle(variables)
    shuffled = inclusion[fits][:, variables]
    expected = probability(inclusion, inclusion)[variables]
    np.testing.assert_allclose(probability(shuffled, shuffled), expected, rtol=1e-9)


@FORMULAS
def test_what_all_fits_half_believe_is_more_probable_than_what_half_of_them_believe(probability):
    vc, inclusion = tallies([[0.5, 1.0], [0.5, 0.0], [0.5, 1.0], [0.5, 0.0]])
    by_all, by_half, *_ = probability(vc, inclusion)
    assert by_all > 2 * by_half


@FORMULAS
def test_more_splits_and_more_draws_are_more_probable(probability):
    shares = np.linspace(0, 1, 11)
    found = probability(*tallies([shares, shares, shares]))[:11]
    assert (np.diff(found) > 0).all()
    assert found[0] < 0.01
    assert found[-1] > 0.9


def test_the_same_inclusion_says_less_where_all_variables_are_often_in_the_forest():
    quiet = _relevance_model.probability(*tallies([[0.6], [0.6]], background=0.02))[0]
    loud = _relevance_model.probability(*tallies([[0.6], [0.6]], background=0.3))[0]
    assert loud < quiet / 2


def test_under_dart_the_splits_of_other_variables_do_not_matter_but_their_number_does():
    few, many = (tallies([[0.6], [0.6]], n_others=n) for n in (5, 500))
    loud = tallies([[0.6], [0.6]], background=1.0, n_others=5)
    of_few, of_many, of_loud = (_relevance_dart.probability(*each)[0] for each in (few, many, loud))
    assert of_loud == of_few
    assert of_few < of_many / 2  # idle splits alone would use one of six variables as often


def test_the_signal_test_has_a_say():
    p = np.array([0.0, 0.3, 0.5, 1.0])
    evidence, none = (_relevance_dart.given_signal(p, p_value) for p_value in (0.05, 0.06))
    assert (np.diff(evidence) > 0).all()
    assert (evidence[1:3] > p[1:3]).all()
    assert (none[1:3] < p[1:3]).all()
    np.testing.assert_array_equal(evidence[[0, 3]], p[[0, 3]])
    np.testing.assert_array_equal(none[[0, 3]], p[[0, 3]])


def test_a_file_keeps_the_version_of_its_formula(tmp_path):
    counts = np.zeros((2, 10, 30), dtype=int)
    counts[:, :7, :2] = 3
    draws = bv.Draws.from_counts(counts)
    first, second = (Relevance(version=k).compute(draws) for k in (1, 2))
    assert not np.allclose(first, second)
    assert MEASURES["relevance"] == Relevance(version=2)
    assert MEASURES["relevance"].with_settings({}) == Relevance(version=1)  # of earlier files
    for version, values in ((1, first), (2, second)):
        path = tmp_path / f"{version}.npz"
        bv.select_from(draws, measure=Relevance(version=version)).save(path)
        again = bv.Selection.load(path)
        assert again.method.measure.version == version
        np.testing.assert_array_equal(again.values, values)
        np.testing.assert_array_equal(again.method.measure.compute(again.draws), values)


def test_bart_has_the_first_formula():
    data = problems.friedman(60, 5, seed=6)
    draws = bv.sample(data.X, data.y, bv.BART(), n_replicates=2, burn_in=20, n_draws=20)
    np.testing.assert_array_equal(
        of_draws(draws), _relevance_model.probability(draws.vc, draws.mpvip)
    )


def test_agreement_is_that_of_the_fits():
    rng = np.random.default_rng(0)
    stuck = (rng.uniform(size=(5, 200)) < 0.3).astype(float)
    mixing = np.full((5, 200), 0.3)
    assert between_share(stuck) == pytest.approx(1, abs=0.05)  # 200 variables, each of 5 votes
    assert between_share(mixing) < 0.01
    assert between_share(stuck[:1]) == between_share(mixing[:1])  # one fit cannot tell


def test_the_recipe_selects_what_is_more_probable_than_not():
    data = problems.friedman(200, 20, seed=3)
    found = bv.select(data.X, data.y, "dart-relevance", n_replicates=3, **UNTESTED)
    np.testing.assert_array_equal(found.values, of_draws(found.draws))
    np.testing.assert_array_equal(found.mask, found.values >= 0.5)
    assert set(found.selected) >= {0, 1, 3}
    assert "relevance" in found.table.columns
    assert "P(relevant)" in repr(found)


def test_where_nothing_is_probable_the_recipe_takes_the_most_probable_and_says_so():
    rng = np.random.default_rng(1)
    X, y = rng.uniform(size=(60, 40)), rng.normal(size=60)
    found = bv.select(X, y, "dart-relevance", n_replicates=3, **UNTESTED)
    assert found.values.max() < 0.5
    assert found.selected.tolist() == [found.values.argmax()]
    assert any("No variable reaches a probability of 0.5" in note for note in map(str, found.notes))
    best = found.names[0]
    assert "is below the threshold of 0.5, but it is the most probable" in found.explain(best)
    other = next(name for name in found.feature_names if name != best)
    assert "is below the threshold of 0.5." in found.explain(other)
    assert conclusion(replace(found, signal=None)) == (
        "None of 40 columns reaches a probability of 0.5; the most probable was selected",
        [best],
    )
    strict = bv.select_from(found.draws, measure="relevance", threshold="median-probability")
    assert not strict.mask.any()
    assert not any("probability of 0.5" in note for note in map(str, strict.notes))
    sure = UNTESTED | {"signal_test": True}
    empty = bv.select(X, y, "dart-relevance", n_replicates=3, allow_empty=True, **sure)
    assert not empty.mask.any()
    assert not any("probability of 0.5" in note for note in map(str, empty.notes))


@pytest.mark.parametrize("prior", ["dart", "bart"])
def test_both_recipes_have_a_posterior_of_their_own(prior):
    data = problems.friedman(100, 10, seed=4)
    found = bv.compare(data.X, data.y, [f"{prior}-vc", f"{prior}-relevance"], **UNTESTED)
    paper, own = (each.draws for each in found.values())
    assert paper.prior == priors.PRIORS[prior]()
    assert own.prior == priors.PRIORS[prior](k="learned", errors="auto", transform="auto")
    assert paper.k is None
    assert own.k.shape == own.sigma.shape


def test_the_measure_can_be_had_of_the_paper_s_posterior():
    data = problems.friedman(100, 10, seed=4)
    found = bv.select(data.X, data.y, "dart-relevance", prior=bv.DART(), **UNTESTED)
    assert found.method.name == "dart-relevance"
    assert found.draws.prior == bv.DART()


def test_stability_with_two_fits_is_known():
    data = problems.friedman(100, 10, seed=5)
    found = bv.select(data.X, data.y, "dart-relevance", n_replicates=2, **UNTESTED)
    assert np.isfinite(found.stability.leave_one_out).all()


def test_fits_of_other_programs_are_judged():
    counts = np.zeros((2, 10, 30), dtype=int)
    counts[:, :, :2] = 3
    draws = bv.Draws.from_counts(counts)
    assert bv.select_from(draws, measure="relevance").selected.tolist() == [0, 1]


def test_one_fit_is_refused():
    X, y = np.random.default_rng(0).uniform(size=(30, 3)), np.arange(30.0)
    with pytest.raises(ValueError, match=r"`n_replicates` must be at least 2 .* Got 1"):
        bv.select(X, y, "dart-relevance", n_replicates=1)
    one = bv.sample(X, y, n_replicates=1, burn_in=10, n_draws=10, random_state=0)
    with pytest.raises(ValueError, match=r"must be at least 2 for measure 'relevance'"):
        bv.select_from(one, measure="relevance")


def test_other_priors_and_thresholds_are_refused():
    X, y = np.random.default_rng(0).uniform(size=(30, 3)), np.arange(30.0)
    with pytest.raises(
        ValueError, match=r"not compatible with prior SpikeForest: it was learned on BART and DART"
    ):
        bv.select(X, y, measure="relevance", prior=bv.SpikeForest())
    with pytest.raises(
        ValueError,
        match=r"Use threshold 'median-probability', 'most-probable', 'fdr', 'clustering'",
    ):
        bv.select(X, y, measure="relevance", threshold="gse")


def test_a_higher_probability_can_be_asked_for():
    vc, inclusion = tallies([[1.0, 0.6], [1.0, 0.6]])
    draws = SimpleNamespace(vc=vc, mpvip=inclusion)
    values = MEASURES["relevance"].compute(draws)
    strict = bv.MedianProbability(0.9).apply(MEASURES["relevance"], values, None)
    np.testing.assert_array_equal(strict.mask, values >= 0.9)
    assert 0 < strict.mask.sum() < (values >= 0.1).sum()


@pytest.mark.parametrize(("n_trees", "noted"), [(20, False), (40, True)])
def test_other_numbers_of_trees_are_noted(n_trees, noted):
    data = problems.friedman(60, 5, seed=6)
    settings = UNTESTED | {"burn_in": 20, "n_draws": 20, "n_trees": n_trees}
    found = bv.select(data.X, data.y, "bart-relevance", n_replicates=2, **settings)
    assert any("learned on forests of 20 trees" in note for note in map(str, found.notes)) == noted
