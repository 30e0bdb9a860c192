"""Named methods: combinations of a tree prior, a measure and a threshold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from bayesvc._text import quoted
from bayesvc._validation import check_choice, check_integer
from bayesvc.measures import MEASURES, Measure, check_measure
from bayesvc.priors import PRIORS, TreePrior, check_prior
from bayesvc.thresholds import FDR, THRESHOLDS, Threshold, check_threshold

DEFAULT_METHOD = "dart-relevance"
PAPER_METHOD = "dart-vc"
Goal = Literal["balanced", "paper", "quick", "screening", "confirmatory"]
_DEFAULT_REPLICATES = 10
_DEFAULT_PERMUTATIONS = 50
_MOST_PERMUTATIONS = 100_000


@dataclass(frozen=True)
class Recipe:
    """A named method with its usual number of replicates, the paper's where the paper has it.

    Attributes
    ----------
    name, prior, measure, threshold : str
    n_replicates, n_permutations : int
        Replicates on the data, and on permuted responses. `SpikeForest` has settings of its own
        for the number of forests; its `n_replicates` is 0.
    summary : str
        One sentence.
    prior_settings : mapping from str to value
        Settings of the prior that differ from its defaults, which are the paper's.
    """

    name: str
    prior: str
    measure: str
    threshold: str
    n_replicates: int
    n_permutations: int
    summary: str
    prior_settings: Mapping[str, Any] = field(default_factory=dict)

    @property
    def parts(self) -> tuple[str, str, str]:
        """Names of the prior, the measure and the threshold."""
        return (self.prior, self.measure, self.threshold)

    def make_prior(self) -> TreePrior:
        """Return the prior with the settings of this method.

        Examples
        --------
        >>> import bayesvc as bv
        >>> bv.recipes()["dart-vc"].make_prior() == bv.DART()
        True
        >>> bv.recipes()["dart-relevance"].make_prior().errors
        'auto'
        """
        return PRIORS[self.prior](**self.prior_settings)


# Our own methods learn the leaf scale, and look at y to choose its transform and its errors.
_ADAPTIVE = {"k": "learned", "errors": "auto", "transform": "auto"}

_ALL = (
    Recipe("dart-vc", "dart", "vc-measure", "clustering", 10, 0,
           "clusters variables by split count and rank over ten DART replicates; the best "
           "balance in the paper"),
    Recipe("bart-vc", "bart", "vc-measure", "clustering", 10, 0,
           "clusters variables by split count and rank over ten BART replicates"),
    Recipe("dart-relevance", "dart", "relevance", "most-probable", 10, 0,
           "selects variables whose probability of relevance, from ten DART replicates, is at "
           "least 0.5, or else the most probable one; not in the paper", _ADAPTIVE),
    Recipe("bart-relevance", "bart", "relevance", "most-probable", 10, 0,
           "selects variables whose probability of relevance, from ten BART replicates, is at "
           "least 0.5, or else the most probable one; not in the paper", _ADAPTIVE),
    Recipe("abc-vc", "abc", "vc-measure", "clustering", 0, 0,
           "clusters variables by split count and rank over the forests kept by approximate "
           "Bayesian computation"),
    Recipe("dart-vip-measure", "dart", "vip-measure", "clustering", 10, 0,
           "clusters variables by proportion of splits and rank over ten DART replicates"),
    Recipe("bart-vip-measure", "bart", "vip-measure", "clustering", 10, 0,
           "clusters variables by proportion of splits and rank over ten BART replicates"),
    Recipe("dart-vip-rank", "dart", "vip-rank", "clustering", 10, 0,
           "clusters variables by mean rank over ten DART replicates"),
    Recipe("bart-vip-rank", "bart", "vip-rank", "clustering", 20, 0,
           "clusters variables by mean rank over twenty BART replicates; highest recall, many "
           "false positives"),
    Recipe("bart-vip-local", "bart", "vip", "local", 10, 50,
           "selects variables whose proportion of splits exceeds a quantile of their own null "
           "distribution; lenient"),
    Recipe("bart-vip-gse", "bart", "vip", "gse", 10, 50,
           "selects variables whose proportion of splits exceeds its null mean by a number of "
           "standard deviations that is the same for all"),
    Recipe("bart-vip-gmax", "bart", "vip", "gmax", 10, 50,
           "selects variables whose proportion of splits exceeds a quantile of the largest null "
           "values; strictest"),
    Recipe("bart-mi-local", "bart", "mi", "local", 10, 50,
           "selects variables whose Metropolis importance exceeds a quantile of their own null "
           "distribution"),
    Recipe("dart-mpm", "dart", "mpvip", "median-probability", 1, 0,
           "selects variables that at least half of the draws of one DART replicate split on"),
    Recipe("bart-mpm", "bart", "mpvip", "median-probability", 1, 0,
           "selects variables that at least half of the draws of one BART replicate split on"),
    Recipe("abc-mpm", "abc", "mpvip", "median-probability", 0, 0,
           "selects variables that at least half of the forests kept by approximate Bayesian "
           "computation split on; few false positives"),
)  # fmt: skip
RECIPES = {recipe.name: recipe for recipe in _ALL}


@dataclass(frozen=True)
class _Goal:
    """What a goal picks, and why."""

    method: str
    why: str = ""
    n_replicates: int | None = None
    threshold: Threshold | None = None

    def reason(self, goal: str) -> str:
        """Return the choice in words."""
        threshold = "" if self.threshold is None else f" with {self.threshold!r}"
        number = "" if self.n_replicates is None else f" with {self.n_replicates} replicates"
        return f"Goal {goal!r} picks {self.method}{threshold}{number}: {self.why}"


_GOALS: dict[Goal, _Goal] = {
    "balanced": _Goal(
        "dart-relevance",
        "on tables of many kinds its mean F1 was the highest of all methods",
    ),
    "paper": _Goal(PAPER_METHOD, "it is the best method of the paper"),
    "quick": _Goal("dart-relevance", "two replicates come close to ten", n_replicates=2),
    "screening": _Goal("bart-vip-rank", "it missed the fewest relevant variables"),
    "confirmatory": _Goal(
        "dart-relevance",
        "it keeps the estimated proportion of false positives at or below 0.05",
        threshold=FDR(0.05),
    ),
}


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
    dart-vc           clusters variables by split count and rank ...
    >>> bv.recipes()["dart-mpm"].threshold
    'median-probability'
    """
    return _RecipeList(RECIPES)


@dataclass(frozen=True)
class Method:
    """What will be done: the parts of a method, and the number of replicates.

    `n_replicates` is 0 for a prior whose own settings give the number; `n_permutations` is 0 if
    nothing is permuted.
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
        prior = "" if self.prior is None else f"{self.prior.label} prior, "
        return f"{prior}{self.measure.label}, {describe_threshold(self.threshold)}"

    @property
    def recomputable(self) -> bool:
        """Whether measure and threshold are known, and not just described by a file."""
        return self.measure.recomputable and self.threshold.recomputable


def describe_threshold(threshold: Threshold) -> str:
    """Return the label of a threshold with the settings that are not the usual ones.

    Examples
    --------
    >>> import bayesvc as bv
    >>> from bayesvc.selection.methods import describe_threshold
    >>> describe_threshold(bv.Permutation("gse", alpha=0.1))
    'gse threshold (alpha=0.1)'
    """
    usual = THRESHOLDS.get(threshold.name)
    known = {} if usual is None else usual.settings()
    own = threshold.settings()
    settings = ", ".join(f"{key}={own[key]}" for key in own if own[key] != known.get(key))
    return f"{threshold.label} threshold{f' ({settings})' if settings else ''}"


def not_recomputable(method: Method) -> str:
    """Return why a result that was loaded from a file cannot be recomputed."""
    parts: dict[str, Measure | Threshold] = {
        "measure": method.measure,
        "threshold": method.threshold,
    }
    unknown = [f"{family} {part.name!r}" for family, part in parts.items() if not part.recomputable]
    families = [family for family, part in parts.items() if not part.recomputable]
    register = " and ".join(f"`bayesvc.{family}s.register`" for family in families)
    return (
        f"This session does not know {' and '.join(unknown)}, which a file names, so the "
        "selection cannot be recomputed and its stability is unknown. Pass "
        f"{' and '.join(families)} to `Selection.load`, or use {register} before loading."
    )


def resolve_method(
    method: Any = None,
    *,
    goal: Any = None,
    prior: Any = None,
    measure: Any = None,
    threshold: Any = None,
    n_replicates: Any = None,
    n_permutations: Any = None,
) -> Method:
    """Return the method that these arguments of `select` describe, or say what is wrong.

    Without a method it is the default one. A prior replaces that of the default method and of a
    goal; with a method that is named it must be of the method's own kind.
    """
    base, wanted = _base(method, goal, prior, threshold)
    if measure is None and threshold is None:
        threshold = wanted.threshold
    chosen_prior = base.make_prior() if prior is None else check_prior(prior)
    if method is not None:
        check_same_kind(base, chosen_prior, "prior")
    own_measure, own_threshold = _measure_and_threshold(base, measure, threshold)
    check_compatible(own_measure, own_threshold)
    parts = (chosen_prior.name, own_measure.name, own_threshold.name)
    known = next((recipe for recipe in _ALL if recipe.parts == parts), None)
    default = _default_replicates(known, own_measure, own_threshold)
    number = _replicates(chosen_prior, n_replicates, wanted.n_replicates or default)
    picked = (*base.parts[:2], (wanted.threshold or THRESHOLDS[base.threshold]).name)
    reason = wanted.reason(goal) if goal is not None and parts == picked else None
    try:
        check_replicates(own_measure, chosen_prior, number or None)
    except ValueError as error:
        raise ValueError(f"{error}{'' if reason is None else f' ({reason}.)'}") from None
    return Method(
        name="-".join(parts) if known is None else known.name,
        prior=chosen_prior,
        measure=own_measure,
        threshold=own_threshold,
        n_replicates=number,
        n_permutations=_permutations(own_threshold, n_permutations),
        reason=reason,
    )


def check_same_kind(recipe: Recipe, prior: TreePrior, argument: str) -> None:
    """Raise ValueError if a method is not one of this prior's kind."""
    if prior.name == recipe.prior:
        return
    own = PRIORS[recipe.prior].label
    similar = [each.name for each in _ALL if each.parts == (prior.name, *recipe.parts[1:])]
    instead = f"Use method {similar[0]!r}" if similar else "Pass `measure` and `threshold` instead"
    raise ValueError(
        f"Method {recipe.name!r} uses the {own} prior, but `{argument}` is of kind "
        f"{prior.label}. {instead}, or leave out `{argument}`."
        if argument == "prior"
        else f"Method {recipe.name!r} uses the {own} prior, but `{argument}` were sampled under "
        f"{prior.label}. {instead}, or sample under {own}."
    )


def check_compatible(measure: Measure, threshold: Threshold) -> None:
    """Raise ValueError if a threshold cannot be applied to a measure."""
    reason = threshold.incompatibility(measure)
    if reason is None:
        return
    usable = [name for name, own in THRESHOLDS.items() if own.incompatibility(measure) is None]
    raise ValueError(
        f"Measure {measure.name!r} is not compatible with threshold {threshold.name!r}: {reason}. "
        f"Use threshold {quoted(usable, most=len(usable))}."
    )


def check_replicates(
    measure: Measure, prior: TreePrior | None, n_replicates: int | None = None
) -> None:
    """Raise ValueError for replicates that the measure cannot judge."""
    reason = None if prior is None else measure.incompatibility(prior)
    if reason is not None and prior is not None:
        usable = [name for name, own in MEASURES.items() if own.incompatibility(prior) is None]
        raise ValueError(
            f"Measure {measure.name!r} is not compatible with prior {prior.label}: {reason}. Use "
            f"another prior, or measure {quoted(usable, most=len(usable))}."
        )
    if n_replicates is not None and n_replicates < measure.min_replicates:
        raise ValueError(
            f"`n_replicates` must be at least {measure.min_replicates} for measure "
            f"{measure.name!r}, which compares replicates. Got {n_replicates} instead. Use more, "
            "or method 'dart-vc'."
        )


def _base(method: Any, goal: Any, prior: Any, threshold: Any) -> tuple[Recipe, _Goal]:
    """Return the method to start from, and what a goal says of its settings.

    Without a method or a goal it is the default method, or that of the paper if the default
    measure cannot judge the prior, or the threshold is one for measures of the paper.
    """
    if goal is None:
        if method is not None:
            return RECIPES[check_choice("method", method, RECIPES)], _Goal(method)
        default = MEASURES[RECIPES[DEFAULT_METHOD].measure]
        fits = prior is None or default.incompatibility(check_prior(prior)) is None
        if threshold is not None:
            own = check_threshold(threshold)
            fits = fits and not (own.needs_null or own.partitions)
        name = DEFAULT_METHOD if fits else PAPER_METHOD
        return RECIPES[name], _Goal(name)
    check_choice("goal", goal, _GOALS)
    wanted: _Goal = _GOALS[goal]
    if method is not None:
        raise ValueError(
            f"`method` and `goal` must not both be given. Got {method!r} and {goal!r} instead. A "
            "goal picks the method, so pass one of them."
        )
    return RECIPES[wanted.method], wanted


def _measure_and_threshold(base: Recipe, measure: Any, threshold: Any) -> tuple[Measure, Threshold]:
    """Fill in the part that was not given with the base's own, or with what fits the other."""
    own_measure, own_threshold = MEASURES[base.measure], THRESHOLDS[base.threshold]
    if measure is None and threshold is None:
        return own_measure, own_threshold
    if measure is None:
        given = check_threshold(threshold)
        fallback = given.default_measure
        if fallback is None or given.incompatibility(own_measure) is None:
            return own_measure, given
        return MEASURES[fallback], given
    chosen = check_measure(measure)
    if threshold is not None:
        return chosen, check_threshold(threshold)
    default = check_threshold(chosen.default_threshold)
    if own_threshold.needs_null and default.needs_null:
        return chosen, own_threshold
    return chosen, default


def _default_replicates(known: Recipe | None, measure: Measure, threshold: Threshold) -> int:
    if known is not None:
        return known.n_replicates
    return _DEFAULT_REPLICATES if measure.min_replicates > 1 else threshold.default_replicates


def _replicates(prior: TreePrior, given: Any, default: int) -> int:
    prior.reject_arguments(n_replicates=given)
    if prior.sets_replicates:
        return 0
    remedy = "the method needs at least one replicate, and several to judge its stability"
    return check_integer("n_replicates", default if given is None else given, 1, remedy)


def _permutations(threshold: Threshold, given: Any) -> int:
    if not threshold.needs_null:
        if given is not None:
            usable = [name for name, own in THRESHOLDS.items() if own.needs_null]
            raise ValueError(
                f"`n_permutations` must not be given with threshold {threshold.name!r}, which "
                f"permutes nothing. Got {given!r} instead. Leave it out, or use threshold "
                f"{quoted(usable, most=len(usable))}."
            )
        return 0
    least = threshold.min_permutations
    remedy = f"with fewer, {threshold!r} cannot select any variable"
    if least <= _DEFAULT_PERMUTATIONS:
        remedy += f"; the paper uses {_DEFAULT_PERMUTATIONS}"
    number = check_integer(
        "n_permutations", _DEFAULT_PERMUTATIONS if given is None else given, least, remedy
    )
    if number > _MOST_PERMUTATIONS:
        raise ValueError(
            f"`n_permutations` must be at most {_MOST_PERMUTATIONS}, which estimate the quantiles "
            f"to a few tenths of a percent. Got {number} instead."
        )
    return number
