"""Tree priors: frozen settings of BART and DART, and their calibration to a response."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from bayesvc._core import LinearModel, Settings
from bayesvc._validation import check_choice, check_integer, check_number

# Below this spread of the scaled response, 32-bit residuals would lose digits that matter.
_LEAST_SPREAD_FOR_SINGLE = 0.005


@dataclass(frozen=True)
class Moves:
    """Probabilities of the four ways to change a tree; they sum to 1.

    Parameters
    ----------
    birth, death : float, default 0.25
        Split a leaf; collapse a split whose children are both leaves. Must be positive.
    change : float, default 0.4
        Give a split a new rule.
    swap : float, default 0.1
        Exchange the rules of a split and of one of its children.

    Examples
    --------
    >>> import bayesvc as bv
    >>> bv.Moves(birth=0.5, death=0.5, change=0, swap=0).birth
    0.5
    """

    birth: float = 0.25
    death: float = 0.25
    change: float = 0.4
    swap: float = 0.1

    def __post_init__(self) -> None:
        remedy = "pass four probabilities that sum to 1, such as (0.25, 0.25, 0.4, 0.1)"
        for name in ("birth", "death"):
            value = check_number(f"moves.{name}", getattr(self, name), least=1e-6, remedy=remedy)
            object.__setattr__(self, name, value)
        for name in ("change", "swap"):
            value = check_number(f"moves.{name}", getattr(self, name), least=0, remedy=remedy)
            object.__setattr__(self, name, value)
        total = sum(self.as_tuple())
        if abs(total - 1) > 1e-9:
            raise ValueError(f"moves={self.as_tuple()!r} sum to {total:g} instead of 1; {remedy}")

    def as_tuple(self) -> tuple[float, float, float, float]:
        """Return the probabilities of birth, death, change and swap."""
        return (self.birth, self.death, self.change, self.swap)

    @classmethod
    def of(cls, moves: MovesLike) -> Moves:
        """Return `moves`, which may also be four numbers or a mapping, as a `Moves`."""
        if isinstance(moves, Moves):
            return moves
        names = [field.name for field in dataclasses.fields(cls)]
        if isinstance(moves, Mapping):
            unknown = set(moves) - set(names)
            if unknown:
                raise ValueError(
                    f"moves={dict(moves)!r} names unknown moves {sorted(map(str, unknown))}; "
                    f"use {', '.join(names)}"
                )
            return cls(**{name: moves.get(name, 0.0) for name in names})
        if np.shape(moves) == (len(names),):
            return cls(*moves)
        raise TypeError(
            f"moves={moves!r} must be a bayesvc.Moves, four numbers or a mapping; "
            "pass (birth, death, change, swap) such as (0.25, 0.25, 0.4, 0.1)"
        )


MovesLike = Moves | Sequence[float] | Mapping[str, float]


@dataclass(frozen=True, kw_only=True)
class TreePrior:
    """Settings that every forest has; see `BART`, `DART` and `SpikeForest`."""

    k: float = 2.0
    nu: float = 3.0
    q: float = 0.9
    gamma: float = 0.95
    beta: float = 2.0
    moves: MovesLike = Moves()
    min_samples_leaf: int = 1
    sigma_hat: float | Literal["lm", "lm-uncorrected"] | None = None
    sigma: float | None = None
    split_weights: Sequence[float] | None = None

    def __post_init__(self) -> None:
        remedy = "the usual value is 2"
        self._set("k", check_number("k", self.k, least=1e-3, most=1e6, remedy=remedy))
        self._set("nu", check_number("nu", self.nu, above=0, remedy="the usual value is 3"))
        self._set("q", check_number("q", self.q, above=0, below=1, remedy="the usual value is 0.9"))
        remedy = "the usual value is 0.95"
        self._set("gamma", check_number("gamma", self.gamma, above=0, below=1, remedy=remedy))
        self._set("beta", check_number("beta", self.beta, least=0, remedy="the usual value is 2"))
        self._set("moves", Moves.of(self.moves))
        leaf = check_integer("min_samples_leaf", self.min_samples_leaf, 1)
        self._set("min_samples_leaf", leaf)
        if isinstance(self.sigma_hat, str):
            check_choice("sigma_hat", self.sigma_hat, ("lm", "lm-uncorrected"))
        elif self.sigma_hat is not None:
            remedy = "pass a guess of sigma in the units of y, or None for a linear model's"
            hat = check_number("sigma_hat", self.sigma_hat, above=0, remedy=remedy)
            self._set("sigma_hat", hat)
        if self.sigma is not None:
            remedy = "pass a value in the units of y, or None to sample it"
            self._set("sigma", check_number("sigma", self.sigma, above=0, remedy=remedy))
        if self.split_weights is not None:
            self._set("split_weights", _check_split_weights(self.split_weights))

    def _set(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)


@dataclass(frozen=True, kw_only=True)
class BART(TreePrior):
    """Bayesian additive regression trees: every variable equally likely in a rule.

    Parameters
    ----------
    k : float, default 2.0
        Leaf values shrink more for larger `k`: their prior sd is ``0.5 / (k sqrt(n_trees))`` on
        the scaled response, ``3 / (k sqrt(n_trees))`` for a binary one.
    nu, q : float, default 3.0 and 0.9
        Prior of the error variance: scaled inverse chi-squared with `nu` degrees of freedom, and
        probability `q` that sigma is below `sigma_hat`.
    gamma, beta : float, default 0.95 and 2.0
        A node at depth d splits with prior probability ``gamma * (1 + d) ** -beta``.
    moves : Moves, four numbers or mapping
        Probabilities of birth, death, change and swap.
    min_samples_leaf : int, default 1
        Least number of rows in a leaf.
    sigma_hat : float, "lm", "lm-uncorrected" or None
        Rough guess of sigma that scales its prior, in the units of y. "lm", the default, is the
        residual sd of the full linear model; "lm-uncorrected" divides by n - 1 there instead of
        by the degrees of freedom.
    sigma : float, optional
        Fixes the error sd, in the units of y, instead of sampling it.
    split_weights : sequence of float, optional
        Prior weight of each variable in a rule, one non-negative number per column of X, or
        where columns are grouped per variable.

    Examples
    --------
    >>> import bayesvc as bv
    >>> bv.BART(k=3).k
    3.0
    """


@dataclass(frozen=True, kw_only=True)
class DART(TreePrior):
    """BART with a Dirichlet prior on how often variables appear in rules: sparse by design.

    The probabilities of the variables follow Dirichlet(alpha w), w the normalised
    `split_weights`, and ``alpha / (alpha + rho)`` follows Beta(a, b).

    Parameters
    ----------
    alpha : float, optional
        Fixes alpha instead of sampling it.
    a, b : float, default 0.5 and 1.0
        Parameters of the Beta prior; a smaller `a` prefers fewer variables.
    rho : float, optional
        Scale of alpha; the number of variables by default.
    form : {"auto", "explicit", "collapsed"}
        Whether the probabilities are sampled or integrated out. Both are exact; "auto" takes
        the faster one.
    **others
        `k`, `nu`, `q`, `gamma`, `beta`, `moves`, `min_samples_leaf`, `sigma_hat`, `sigma` and
        `split_weights` as in `BART`.

    Examples
    --------
    >>> import bayesvc as bv
    >>> bv.DART(a=1.0).a
    1.0
    """

    alpha: float | None = None
    a: float = 0.5
    b: float = 1.0
    rho: float | None = None
    form: Literal["auto", "explicit", "collapsed"] = "auto"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.alpha is not None:
            remedy = "pass a positive number, or None to sample alpha"
            self._set("alpha", check_number("alpha", self.alpha, above=0, remedy=remedy))
        self._set("a", check_number("a", self.a, above=0, remedy="the usual value is 0.5"))
        self._set("b", check_number("b", self.b, above=0, remedy="the usual value is 1"))
        if self.rho is not None:
            remedy = "pass a positive number, or None for the number of columns"
            self._set("rho", check_number("rho", self.rho, above=0, remedy=remedy))
        check_choice("form", self.form, ("auto", "explicit", "collapsed"))


def check_prior(prior: Any) -> TreePrior:
    """Return `prior` if it is a tree prior."""
    if isinstance(prior, TreePrior) and type(prior) is not TreePrior:
        return prior
    raise TypeError(
        f"prior={prior!r} is not a tree prior; pass an object such as bayesvc.DART() or "
        "bayesvc.BART(), with the parentheses"
    )


def prior_to_dict(prior: TreePrior) -> dict[str, Any]:
    """Return the settings of `prior` as a dict that JSON can hold."""
    return {"kind": type(prior).__name__, **dataclasses.asdict(prior)}


def prior_from_dict(settings: Mapping[str, Any]) -> TreePrior:
    """Return the prior that `prior_to_dict` described."""
    kinds = {kind.__name__: kind for kind in TreePrior.__subclasses__()}
    arguments = dict(settings)
    return kinds[arguments.pop("kind")](**arguments)


@dataclass(frozen=True)
class Calibration:
    """What a fit takes from its response: the scale of y and the priors that depend on it.

    `y_low` and `y_range` are 0 and 1 for a binary response. `sigma_hat` is in the units of y
    (None where nothing needs it); `leaf_sd` and `lambda_` belong to the scaled y.
    """

    y_low: float
    y_range: float
    leaf_sd: float
    lambda_: float
    offset: float
    sigma_hat: float | None
    precision: str
    binary: bool

    def scale(self, y: NDArray[np.float64]) -> NDArray[np.float64]:
        """Map y to [-0.5, 0.5]; a binary one stays as it is."""
        return y if self.binary else (y - self.y_low) / self.y_range - 0.5


def calibrate(
    prior: TreePrior,
    y: NDArray[np.float64],
    n_trees: int,
    *,
    binary: bool,
    linear_model: LinearModel | None = None,
    weights: NDArray[np.float64] | None = None,
) -> Calibration:
    """Calibrate `prior` to the encoded response `y`.

    `linear_model` depends on X and the weights of rows alone, so one serves every y; see
    `needs_linear_model`.
    """
    leaf_sd = prior_leaf_sd(prior, n_trees, binary=binary)
    if binary:
        from scipy.special import ndtri

        offset = round12(float(ndtri(y.mean())))
        return Calibration(0.0, 1.0, leaf_sd, 1.0, offset, None, "single", True)
    y_low = float(y.min())
    y_range = float(y.max()) - y_low
    scaled = (y - y_low) / y_range - 0.5
    precision = "double" if _spread(scaled) < _LEAST_SPREAD_FOR_SINGLE else "single"
    if prior.sigma is not None:
        scaled_sigma("sigma", prior.sigma, y_range)
        return Calibration(y_low, y_range, leaf_sd, 1.0, 0.0, None, precision, False)
    if isinstance(prior.sigma_hat, float):
        sigma_hat = scaled_sigma("sigma_hat", prior.sigma_hat, y_range)
    else:
        assert linear_model is not None
        corrected = prior.sigma_hat != "lm-uncorrected"
        sigma_hat = residual_sd(linear_model, scaled, weights, corrected=corrected)
    from scipy.special import chdtri  # the inverse of the upper tail, hence q and not 1 - q

    quantile = check_sigma_prior(prior, float(chdtri(prior.nu, prior.q)))
    lambda_ = round12(sigma_hat**2 * quantile / prior.nu)
    return Calibration(y_low, y_range, leaf_sd, lambda_, 0.0, sigma_hat * y_range, precision, False)


def check_sigma_prior(prior: TreePrior, quantile: float) -> float:
    """Return the quantile of chi-square with `nu` degrees of freedom if sigma can be drawn."""
    if not 1e-20 < quantile / prior.nu < 1e20:
        raise ValueError(
            f"nu={prior.nu!r} and q={prior.q!r} put the prior of sigma out of the range of "
            "floating point; the usual values are 3 and 0.9"
        )
    return quantile


def scaled_sigma(name: str, value: float, y_range: float) -> float:
    """Return an error sd on the scaled y, where it must be a number to compute with."""
    scaled = value / y_range if value / 1e12 < y_range else math.inf  # which may overflow
    if not 1e-12 < scaled < 1e12:
        raise ValueError(
            f"{name}={value!r} does not go with a y whose values span {y_range:g}; pass a value in "
            "the units of y"
        )
    return scaled


def prior_leaf_sd(prior: TreePrior, n_trees: int, *, binary: bool) -> float:
    """Return the prior sd of a leaf's value on the scaled y."""
    leaf_range = 3.0 if binary else 0.5
    return leaf_range / (prior.k * math.sqrt(n_trees))


def needs_linear_model(prior: TreePrior, *, binary: bool) -> bool:
    """Tell whether `calibrate` will ask for a linear model."""
    return not binary and prior.sigma is None and not isinstance(prior.sigma_hat, float)


def residual_sd(
    linear_model: LinearModel,
    y: NDArray[np.float64],
    weights: NDArray[np.float64] | None = None,
    *,
    corrected: bool = True,
) -> float:
    """Return the residual sd of the full linear model, or the sd of y where it is saturated.

    Weights of rows, of mean 1, must be those that the rows of the model were multiplied by the
    root of.
    """
    n = len(y)
    if weights is None:
        sd = float(y.std(ddof=1))
    else:
        centred = y - np.average(y, weights=weights)
        sd = math.sqrt(float((weights * centred**2).sum()) / (n - 1))
        y = np.sqrt(weights) * y
    freedom = n - linear_model.rank - 1
    if freedom < 1:
        return sd
    residual = math.sqrt(linear_model.residual_ss(y) / (freedom if corrected else n - 1))
    return max(residual, 1e-3 * sd)


def core_settings(
    prior: TreePrior,
    calibration: Calibration,
    n_trees: int,
    n_features: int,
    row_weights: NDArray[np.float64] | None = None,
) -> Settings:
    """Return what the compiled sampler needs to know."""
    settings = Settings()
    settings.n_trees = n_trees
    settings.gamma = prior.gamma
    settings.beta = prior.beta
    settings.min_samples_leaf = prior.min_samples_leaf
    settings.moves = Moves.of(prior.moves).as_tuple()
    settings.leaf_sd = calibration.leaf_sd
    settings.nu = prior.nu
    settings.lambda_ = calibration.lambda_
    settings.sigma = math.nan if prior.sigma is None else prior.sigma / calibration.y_range
    settings.binary = calibration.binary
    settings.offset = calibration.offset
    settings.precision = calibration.precision
    settings.likelihood = True
    settings.kernel = "auto"
    if prior.split_weights is None:
        settings.weights = np.ones(n_features)
    else:
        settings.weights = np.asarray(prior.split_weights, dtype=np.float64)
    if row_weights is not None:
        settings.row_weights = row_weights
    settings.splitting = "fixed"
    if isinstance(prior, DART):
        settings.splitting = "collapsed" if prior.form == "auto" else prior.form
        settings.alpha = math.nan if prior.alpha is None else prior.alpha
        settings.a = prior.a
        settings.b = prior.b
        settings.rho = float(n_features) if prior.rho is None else prior.rho
    return settings


def _check_split_weights(weights: Any) -> tuple[float, ...]:
    remedy = "pass one non-negative number per column of X, at least one of them positive"
    try:
        array = np.asarray(weights, dtype=np.float64)
    except (TypeError, ValueError):
        raise TypeError(f"split_weights={weights!r} must be numbers; {remedy}") from None
    if array.ndim != 1:
        raise ValueError(f"split_weights has {array.ndim} dimensions instead of 1; {remedy}")
    bad = np.flatnonzero(~(np.isfinite(array) & (array >= 0)))
    if bad.size:
        raise ValueError(f"split_weights[{bad[0]}]={array[bad[0]]} must be at least 0; {remedy}")
    if not array.any():
        raise ValueError(f"split_weights of length {array.size} holds no positive value; {remedy}")
    if array.max() > 1e100 or array[array > 0].min() < 1e-100:
        raise ValueError(
            f"split_weights range from {array[array > 0].min():g} to {array.max():g}, too far to "
            "compute with; pass weights between 1e-100 and 1e100"
        )
    return tuple(array.tolist())


def _spread(y: NDArray[np.float64]) -> float:
    low, high = np.quantile(y, (0.25, 0.75))
    return min(float(y.std(ddof=1)), float(high - low) / 1.35)


def round12(value: float) -> float:
    """Drop the last digits, which differ between platforms' mathematical libraries."""
    return float(f"{value:.11e}")
