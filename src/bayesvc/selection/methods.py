"""A method is a tree prior, a measure and a threshold; combinations with a name."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

from bayesvc._validation import check_choice, check_integer
from bayesvc.measures import MEASURES, Measure
from bayesvc.priors import PRIORS, TreePrior, check_prior
from bayesvc.thresholds import (
    THRESHOLDS,
    Clustering,
    MedianProbability,
    Permutation,
    Threshold,
    check_threshold,
)

DEFAULT_METHOD = "dart-vc"
_USUAL_FITS = 10
_DEFAULT_PERMUTATIONS = 50
_MOST_PERMUTATIONS = 100_000


@dataclass(frozen=True)
class Recipe:
    """A named method with its usual number of fits, the paper's where it is one of the paper's.

    Attributes
    ----------
    name, prior, measure, threshold : str
    n_replicates, n_permutations : int
        Fits to the data, and to permuted responses. The kept forests of `SpikeForest` are as many
        as its own settings say; its `n_replicates` is 0.
    summary : str
    """

    name: str
    prior: str
    measure: str
    threshold: str
    n_replicates: int
    n_permutations: int
    summary: str

    @property
    def parts(self) -> tuple[str, str, str]:
        """What is combined."""
        return (self.prior, self.measure, self.threshold)


_ALL = (
    Recipe("dart-vc", "dart", "vc-measure", "clustering", 10, 0,
           "counts and ranks over ten DART fits, cut in two; the best balance in the paper"),
    Recipe("bart-vc", "bart", "vc-measure", "clustering", 10, 0,
           "counts and ranks over ten BART fits, cut in two"),
    Recipe("dart-relevance", "dart", "relevance", "most-probable", 10, 0,
           "probability of relevance by ten DART fits, at least one half, or else the most "
           "probable one; not in the paper"),
    Recipe("bart-relevance", "bart", "relevance", "most-probable", 10, 0,
           "probability of relevance by ten BART fits, at least one half, or else the most "
           "probable one; not in the paper"),
    Recipe("abc-vc", "abc", "vc-measure", "clustering", 0, 0,
           "counts and ranks over the forests that ABC keeps, cut in two"),
    Recipe("dart-vip-measure", "dart", "vip-measure", "clustering", 10, 0,
           "inclusion proportions and ranks over ten DART fits, cut in two"),
    Recipe("bart-vip-measure", "bart", "vip-measure", "clustering", 10, 0,
           "inclusion proportions and ranks over ten BART fits, cut in two"),
    Recipe("dart-vip-rank", "dart", "vip-rank", "clustering", 10, 0,
           "mean ranks over ten DART fits, cut in two"),
    Recipe("bart-vip-rank", "bart", "vip-rank", "clustering", 20, 0,
           "mean ranks over twenty BART fits, cut in two; misses the least, with false finds"),
    Recipe("bart-vip-local", "bart", "vip", "local", 10, 50,
           "inclusion proportion above the variable's own null quantile; lenient"),
    Recipe("bart-vip-gse", "bart", "vip", "gse", 10, 50,
           "inclusion proportion above null mean plus a common number of sd; strict"),
    Recipe("bart-vip-gmax", "bart", "vip", "gmax", 10, 50,
           "inclusion proportion above the quantile of the largest null values; strictest"),
    Recipe("bart-mi-local", "bart", "mi", "local", 10, 50,
           "Metropolis importance above the variable's own null quantile"),
    Recipe("dart-mpm", "dart", "mpvip", "median-probability", 1, 0,
           "in at least half of the draws of one DART fit"),
    Recipe("bart-mpm", "bart", "mpvip", "median-probability", 1, 0,
           "in at least half of the draws of one BART fit"),
    Recipe("abc-mpm", "abc", "mpvip", "median-probability", 0, 0,
           "in at least half of the forests that ABC keeps; few false finds"),
)  # fmt: skip
RECIPES = {recipe.name: recipe for recipe in _ALL}

_GOALS = {
    "balanced": (
        "dart-relevance", None,
        "its mean F1 was higher than that of the paper's best method, dart-vc, on the same fits",
    ),
    "quick": ("dart-vc", 2, "two DART fits came close to ten in the paper's study"),
    "screening": ("bart-vip-rank", None, "it missed the fewest relevant variables"),
    "confirmatory": (
        "bart-vip-gse", None,
        "it is made to select anything at all with a chance of 5 % where nothing matters",
    ),
}  # fmt: skip


class _RecipeList(dict[str, Recipe]):
    def __repr__(self) -> str:
        width = max(map(len, self))
        return "\n".join(f"{name:{width}}  {recipe.summary}" for name, recipe in self.items())


def recipes() -> dict[str, Recipe]:
    """Return the named methods, with a sentence each.

    Examples
    --------
    >>> import bayesvc as bv
    >>> bv.recipes()
    dart-vc           counts and ranks over ten DART fits, cut in two; ...
    >>> bv.recipes()["dart-mpm"].threshold
    'median-probability'
    """
    return _RecipeList(RECIPES)


@dataclass(frozen=True)
class Method:
    """What will be done: the parts of a method, and how many fits.

    `n_replicates` is 0 for `SpikeForest`, whose own settings say how many forests are kept;
    `n_permutations` is 0 where nothing is permuted.
    """

    name: str
    prior: TreePrior | None
    measure: Measure
    threshold: Threshold
    n_replicates: int
    n_permutations: int
    reason: str | None = None

    @property
    def description(self) -> str:
        """The parts in words."""
        prior = "" if self.prior is None else f"{type(self.prior).__name__} prior, "
        usual, own = asdict(THRESHOLDS[self.threshold.name]), asdict(self.threshold)
        settings = ", ".join(f"{key}={own[key]}" for key in own if own[key] != usual[key])
        threshold = f"{self.threshold.name} threshold{f' ({settings})' if settings else ''}"
        return f"{prior}{self.measure.label}, {threshold}"


def resolve_method(
    method: Any = DEFAULT_METHOD,
    *,
    goal: Any = None,
    prior: Any = None,
    measure: Any = None,
    threshold: Any = None,
    n_replicates: Any = None,
    n_permutations: Any = None,
) -> Method:
    """Return the method that these arguments of `select` describe, or say what is wrong."""
    base, goal_replicates, reason = _base(method, goal)
    given_prior = None if prior is None else check_prior(prior)
    kind = base.prior if given_prior is None else given_prior.name
    chosen_prior = PRIORS[kind]() if given_prior is None else given_prior
    measure_name, cut = _measure_and_threshold(base, measure, threshold)
    parts = (kind, measure_name, cut.name)
    refusal = cut.refuses(MEASURES[measure_name])
    if refusal is not None:
        raise ValueError(
            f"measure={measure_name!r} cannot go with threshold={cut.name!r}: {refusal}; "
            f"{_what_fits(measure_name, cut)}"
        )
    known = next((recipe for recipe in _ALL if recipe.parts == parts), None)
    one = isinstance(cut, MedianProbability) and MEASURES[measure_name].least_fits == 1
    default = known.n_replicates if known is not None else 1 if one else _USUAL_FITS
    number = _replicates(chosen_prior, n_replicates, goal_replicates or default)
    try:
        check_fits(MEASURES[measure_name], kind, number or None)
    except ValueError as error:
        raise ValueError(f"{error}{'' if reason is None else f' ({reason})'}") from None
    return Method(
        name="-".join(parts) if known is None else known.name,
        prior=chosen_prior,
        measure=MEASURES[measure_name],
        threshold=cut,
        n_replicates=number,
        n_permutations=_permutations(cut, n_permutations),
        reason=reason if known is base else None,
    )


def _base(method: Any, goal: Any) -> tuple[Recipe, int | None, str | None]:
    if goal is None:
        return RECIPES[check_choice("method", method, RECIPES)], None, None
    check_choice("goal", goal, _GOALS)
    if method != DEFAULT_METHOD:
        raise ValueError(
            f"method={method!r} and goal={goal!r} were both given; a goal picks the method, so "
            "pass one of them"
        )
    name, n_replicates, why = _GOALS[goal]
    fits = "" if n_replicates is None else f" with {n_replicates} fits"
    return RECIPES[name], n_replicates, f"goal {goal!r} picks {name}{fits}: {why}"


def _measure_and_threshold(base: Recipe, measure: Any, threshold: Any) -> tuple[str, Threshold]:
    """Fill in the part that was not given with the base's own, or with what goes with the other."""
    if measure is not None:
        check_choice("measure", measure, MEASURES)
    if threshold is not None:
        cut = check_threshold(threshold)
        if measure is None:
            fitting = isinstance(cut, Clustering) or cut.refuses(MEASURES[base.measure]) is None
            measure = base.measure if fitting else "vip" if cut.needs_null else "mpvip"
        return measure, cut
    if measure is None:
        return base.measure, check_threshold(base.threshold)
    if MEASURES[measure].is_probability:
        usual = next(recipe for recipe in _ALL if recipe.measure == measure)
        return measure, check_threshold(usual.threshold)
    if MEASURES[measure].shape != "scores":
        return measure, check_threshold("clustering")
    own = check_threshold(base.threshold)
    return measure, own if own.needs_null else check_threshold("local")


def _what_fits(measure: str, cut: Threshold) -> str:
    if isinstance(cut, Clustering):
        return f"pass {MEASURES[measure].n_columns} weights"
    own = MEASURES[measure]
    fitting = [name for name, each in THRESHOLDS.items() if each.refuses(own) is None]
    return f"with {measure!r} use {', '.join(map(repr, fitting))}"


def check_fits(measure: Measure, kind: str | None, n_replicates: int | None = None) -> None:
    """Refuse fits that the measure cannot judge: of another kind of prior, or one alone."""
    if kind is not None and kind not in measure.priors:
        raise ValueError(
            f"measure={measure.name!r} judges fits of BART and DART, but prior=SpikeForest; "
            "use one of these priors, or measure='mpvip'"
        )
    if n_replicates is not None and n_replicates < measure.least_fits:
        raise ValueError(
            f"measure={measure.name!r} rests on what several fits agree on, but n_replicates="
            f"{n_replicates}; take at least {measure.least_fits}"
        )


def _replicates(prior: TreePrior, given: Any, default: int) -> int:
    prior.reject_arguments(n_replicates=given)
    if prior.sets_replicates:
        return 0
    remedy = "the method needs at least one fit, and several to judge its stability"
    return check_integer("n_replicates", default if given is None else given, 1, remedy)


def _permutations(threshold: Threshold, given: Any) -> int:
    if not isinstance(threshold, Permutation):
        if given is not None:
            raise ValueError(
                f"n_permutations={given!r} has no meaning for threshold={threshold.name!r}, which "
                "permutes nothing; leave it out, or use 'local', 'gse' or 'gmax'"
            )
        return 0
    least = max(2, math.ceil(1 / threshold.alpha - 1e-9) - 1)
    remedy = f"with fewer, no variable can be judged at alpha={threshold.alpha:g}"
    if least <= _DEFAULT_PERMUTATIONS:
        remedy += f"; the paper uses {_DEFAULT_PERMUTATIONS}"
    number = check_integer(
        "n_permutations", _DEFAULT_PERMUTATIONS if given is None else given, least, remedy
    )
    if number > _MOST_PERMUTATIONS:
        raise ValueError(
            f"n_permutations={number} is more than makes sense: {_MOST_PERMUTATIONS} put the "
            "quantiles within a few tenths of a percent; pass fewer, such as 50 to 1000"
        )
    return number
