"""Which method a call describes, and what is refused before anything is sampled."""

from __future__ import annotations

import difflib
import math
from typing import Any

import numpy as np
import pytest

import bayesvc as bv
from bayesvc._validation import check_choice
from bayesvc.selection.methods import RECIPES, resolve_method

# Short chains: what their notes warn of is not the subject here.
pytestmark = pytest.mark.filterwarnings("ignore::bayesvc.exceptions.BayesvcWarning")


@pytest.mark.parametrize("name", list(RECIPES))
def test_recipes_resolve_to_themselves(name: str) -> None:
    method, recipe = resolve_method(name), RECIPES[name]
    assert method.name == name
    assert (method.measure.name, method.threshold.name) == (recipe.measure, recipe.threshold)
    assert (method.n_replicates, method.n_permutations) == (
        recipe.n_replicates,
        recipe.n_permutations,
    )
    assert recipe.summary in repr(bv.recipes())


def test_the_papers_numbers_of_fits() -> None:
    fits = {name: (r.n_replicates, r.n_permutations) for name, r in RECIPES.items()}
    assert fits["dart-vc"] == (10, 0)
    assert fits["bart-vip-rank"] == (20, 0)
    assert fits["bart-vip-gse"] == (10, 50)
    assert fits["dart-mpm"] == (1, 0)


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        ({"prior": bv.BART()}, "bart-relevance"),
        ({"prior": bv.SpikeForest()}, "abc-vc"),
        ({"prior": bv.BART(k=3), "measure": "vip", "threshold": "gmax"}, "bart-vip-gmax"),
        ({"measure": "mpvip"}, "dart-mpm"),
        ({"measure": "vip"}, "dart-vip-local"),
        ({"measure": "vip-rank"}, "dart-vip-rank"),
        ({"threshold": "gse"}, "dart-vip-gse"),
        ({"threshold": "clustering"}, "dart-vc"),
        ({"threshold": bv.FDR(0.1)}, "dart-relevance-fdr"),
        ({"threshold": "median-probability"}, "dart-relevance-median-probability"),
        ({"measure": "relevance"}, "dart-relevance"),
        ({"measure": "relevance", "prior": bv.BART()}, "bart-relevance"),
        ({"method": "bart-vip-gse", "measure": "vc"}, "bart-vc-gse"),
        ({"method": "bart-vip-gse", "measure": "mi"}, "bart-mi-gse"),
        ({"measure": "mpvip", "threshold": "clustering"}, "dart-mpvip-clustering"),
        ({"measure": "mi", "threshold": bv.Permutation("local", alpha=0.1)}, "dart-mi-local"),
    ],
)
def test_composition(arguments: dict[str, Any], name: str) -> None:
    assert resolve_method(**arguments).name == name


@pytest.mark.parametrize(
    ("goal", "name", "n_replicates"),
    [
        ("balanced", "dart-relevance", 10),
        ("paper", "dart-vc", 10),
        ("quick", "dart-relevance", 2),
        ("screening", "bart-vip-rank", 20),
        ("confirmatory", "dart-relevance-fdr", 10),
    ],
)
def test_goals(goal: str, name: str, n_replicates: int) -> None:
    method = resolve_method(goal=goal)
    assert (method.name, method.n_replicates) == (name, n_replicates)
    assert method.reason is not None
    assert goal in method.reason
    assert method.name.removesuffix("-fdr") in method.reason
    assert resolve_method(goal=goal, n_replicates=3).n_replicates == 3
    assert resolve_method(goal=goal, measure="vip-measure").reason is None


def test_what_a_goal_cannot_do_is_laid_to_the_goal() -> None:
    with pytest.raises(ValueError, match=r"at least 2 .* \(Goal 'balanced' picks dart-relevance"):
        resolve_method(goal="balanced", n_replicates=1)


def test_every_combination_is_possible_or_refused_with_what_fits() -> None:
    """Clustering cuts anything, permutation the scores of fits, the median probability such."""
    for measure, kind in bv.measures.MEASURES.items():
        for threshold in bv.thresholds.THRESHOLDS:
            scores = kind.n_columns == 1 and not kind.lower_is_better
            fits = threshold == "clustering" or (scores and measure != "relevance")
            if threshold in ("median-probability", "most-probable", "fdr"):
                fits = measure in ("mpvip", "relevance")
            if fits:
                assert resolve_method(measure=measure, threshold=threshold).measure is kind
                continue
            with pytest.raises(ValueError, match=r"is not compatible with.* Use .*'clustering'"):
                resolve_method(measure=measure, threshold=threshold)


BAD: list[tuple[dict[str, Any], str]] = [
    (
        {"method": "dart-cv"},
        r"`method` must be one of .* Got 'dart-cv' instead. Did you mean 'dart-vc'\?",
    ),
    ({"measure": "vips"}, r"`measure` .* Got 'vips' instead. Did you mean 'vip'\?"),
    ({"threshold": "gsee"}, r"`threshold` .* Got 'gsee' instead. Did you mean 'gse'\?"),
    ({"goal": "fast"}, "`goal` must be one of .* Got 'fast'"),
    ({"goal": "quick", "method": "bart-vc"}, "pass one of them"),
    ({"measure": "vc-measure", "threshold": "gse"}, "has 4 columns, .* Use threshold 'clustering'"),
    ({"measure": "vip-rank", "threshold": "local"}, "low values of the measure are good"),
    ({"measure": "vip", "threshold": "median-probability"}, "not a probability"),
    ({"n_replicates": 0}, "`n_replicates` must be an integer of at least 1"),
    ({"n_permutations": 10}, "`n_permutations` must not be given with threshold 'most-probable'"),
    ({"method": "bart-vip-gse", "n_permutations": 18}, "at least 19.*alpha=0.05.*cannot select"),
    (
        {"method": "bart-vip-gse", "n_permutations": 10**6},
        "`n_permutations` must be at most 100000",
    ),
    ({"threshold": bv.Clustering(weights=(1, 2))}, "2 weights, and the measure has 4 columns"),
    ({"method": "DART-VC"}, r"Did you mean 'dart-vc'\?"),
    (
        {"threshold": bv.Permutation("gse", alpha=0.001)},
        r"at least 999\. Got 50.*alpha=0.001.*cannot select any variable\.$",
    ),
]


@pytest.mark.parametrize(("arguments", "message"), BAD)
def test_bad_arguments_are_refused_before_the_data_are_looked_at(
    arguments: dict[str, Any], message: str
) -> None:
    with pytest.raises((ValueError, TypeError), match=message):
        bv.select(None, None, **arguments)


def test_names_of_other_types() -> None:
    with pytest.raises(TypeError, match=r"`method` must be one of .* Got 3"):
        bv.select(None, None, 3)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"`prior` must be a tree prior.*Got 'BART'"):
        bv.select(None, None, prior="BART")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"`methods` must be .* Got an empty list"):
        bv.compare(None, None, [])
    for methods in (None, 3):
        with pytest.raises(TypeError, match=f"`methods` must be 'all' or .* Got {methods}"):
            bv.compare(None, None, methods)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"`methods` .* Got 'al' instead. Did you mean 'all'\?"):
        bv.compare(None, None, "al")
    with pytest.raises(ValueError, match=r"`methods\[1\]` must be one of .* Got 'dart-mp'"):
        bv.compare(None, None, np.array(["dart-vc", "dart-mp"]))  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"`draws` must be Draws. Got a list"):
        bv.select_from([[1, 2]])  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"`permuted` must be Draws. Got a list"):
        bv.select_from(bv.Draws.from_counts([[[2, 0]]]), measure="vip", permuted=[1])  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"`kind` must be one of .* Got 'max'"):
        bv.Permutation("max")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"`at` must be .* Got 1\.5"):
        bv.MedianProbability(1.5)


@pytest.mark.parametrize("weights", ["ab", 2, (1, -1, 1, 1), (0, 0), (1, math.nan), ()])
def test_weights_are_checked_before_any_fit(weights: Any) -> None:
    with pytest.raises((ValueError, TypeError), match=r"^`weights.*must be"):
        bv.Clustering(weights=weights)


def test_long_lists_of_names_are_cut() -> None:
    names = [f"gene{j}" for j in range(5000)]
    with pytest.raises(
        ValueError, match=r"and 4,980 more\. Got .* Did you mean 'gene4711'\?$"
    ) as error:
        check_choice("name", "Gene4711", names)
    assert len(str(error.value)) < 400


def test_missing_tallies_are_named() -> None:
    draws = bv.Draws.from_counts([[[2, 0], [1, 1]]])
    with pytest.raises(ValueError, match="must hold 'mi'"):
        bv.select_from(draws, measure="mi", threshold="clustering")
    with pytest.raises(ValueError, match="`permuted` must be given, because threshold 'gse'"):
        bv.select_from(draws, measure="vip", threshold="gse")
    null = bv.Draws.from_counts(np.ones((20, 1, 2), dtype=int))
    assert bv.select_from(draws, measure="vip", threshold="gse", permuted=null).null is not None


def test_hints_are_the_nearest_names() -> None:
    assert difflib.get_close_matches("dart-cv", RECIPES, 1) == ["dart-vc"]
