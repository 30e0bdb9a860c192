"""What every tree prior has: settings of the forest, and what the rest asks of a prior."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from bayesvc._text import counted
from bayesvc._typing import FloatArray
from bayesvc._validation import (
    check_choice,
    check_flag,
    check_integer,
    check_number,
    must_be,
    shown,
)
from bayesvc.priors.moves import DEFAULT_MOVES, Moves, MovesLike

Sampler = Literal["chain", "abc"]
_LATER_SETTINGS = {"errors", "transform"}  # which files of earlier versions do not hold


@dataclass(frozen=True, kw_only=True)
class TreePrior:
    """Settings that every forest has, and what the rest of the package asks of a prior.

    A prior of your own is a frozen dataclass that inherits from this class or from `BART`, `DART`
    or `SpikeForest`. It may add settings, and override `splitting` to say how rules choose their
    variables. Everything else follows: it can be passed to `select` and `sample`, and is shown,
    saved and loaded like those of the package.

    Attributes
    ----------
    name : str
        Name in methods and files; from the name of the class unless it is given.
    label : str
        Name in text.
    description : str
        One sentence; the first line of the docstring unless it is given.
    sampler : {"chain", "abc"}
        How the posterior is sampled: by Markov chains, or by approximate Bayesian computation.
    sets_replicates : bool
        Whether the prior's own settings say how many replicates there are.
    unsupported : mapping from str to str
        Arguments of `sample` and `select` that this prior does not take, with the reason.
    """

    name: ClassVar[str] = "tree"
    label: ClassVar[str] = "TreePrior"
    description: ClassVar[str] = ""
    sampler: ClassVar[Sampler] = "chain"
    sets_replicates: ClassVar[bool] = False
    unsupported: ClassVar[Mapping[str, str]] = {}

    k: float | Literal["learned"] = 2.0
    nu: float = 3.0
    q: float = 0.9
    gamma: float = 0.95
    beta: float = 2.0
    moves: MovesLike = DEFAULT_MOVES
    min_samples_leaf: int = 1
    sigma_hat: float | Literal["lm", "lm-uncorrected"] | None = None
    sigma: float | None = None
    split_weights: Sequence[float] | None = None
    errors: Literal["gaussian", "student", "auto"] = "gaussian"
    transform: Literal["normal-scores", "auto"] | None = None

    def __post_init__(self) -> None:
        self._set("k", _check_k(self.k))
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
        check_choice("errors", self.errors, ("gaussian", "student", "auto"))
        if self.transform is not None:
            check_choice("transform", self.transform, ("normal-scores", "auto"))
            self._check_units_of_sigma()

    def __init_subclass__(cls) -> None:
        own = cls.__dict__
        if "name" not in own:
            cls.name = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", cls.__name__).lower()
        if "label" not in own:
            cls.label = cls.__name__
        if "description" not in own:
            cls.description = (own.get("__doc__") or "").strip().partition("\n")[0]

    def _set(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)

    def _check_units_of_sigma(self) -> None:
        """Raise ValueError if sigma is given in the units of a y that is transformed."""
        for name in ("sigma", "sigma_hat"):
            if isinstance(value := getattr(self, name), float):
                wanted = f"None with transform={self.transform!r}, which changes the units of y"
                remedy = f"leave out `{name}` or `transform`"
                raise ValueError(must_be(name, wanted, shown(value), remedy))

    @property
    def learns_k(self) -> bool:
        """Whether `k` is a parameter of the posterior."""
        return self.k == "learned"

    @property
    def prior_k(self) -> float:
        """`k` itself; where it is learned, the k that its prior is scaled to.

        Examples
        --------
        >>> import bayesvc as bv
        >>> bv.BART(k=3).prior_k, bv.BART(k="learned").prior_k
        (3.0, 2.0)
        """
        return 2.0 if isinstance(self.k, str) else self.k

    def splitting(self, n_variables: int) -> dict[str, Any]:
        """Return the settings of the compiled sampler that say how rules choose their variables.

        Examples
        --------
        >>> import bayesvc as bv
        >>> bv.BART().splitting(3)
        {'splitting': 'fixed', 'weights': array([1., 1., 1.])}
        """
        return {"splitting": "fixed", "weights": self.variable_weights(n_variables)}

    def variable_weights(self, n_variables: int) -> FloatArray:
        """Return the prior weight of each variable in a rule."""
        if self.split_weights is None:
            return np.ones(n_variables)
        return np.asarray(self.split_weights, dtype=np.float64)

    def n_iterations(self, n_chains: int, per_chain: int) -> int:
        """Return how many iterations a run takes in all."""
        return n_chains * per_chain

    def with_burn_in(self, burn_in: int | Literal["auto"] | None) -> TreePrior:
        """Return the prior for a run with this `burn_in`, where that is a setting of its own."""
        return self

    def for_prediction(self) -> TreePrior:
        """Return a prior like this one whose trees can be kept, for any number of columns."""
        return dataclasses.replace(self, split_weights=None)

    def reject_arguments(self, **given: Any) -> None:
        """Raise ValueError for arguments that this prior does not take.

        None and False count as not given.

        Examples
        --------
        >>> import bayesvc as bv
        >>> bv.SpikeForest().reject_arguments(n_draws=None, keep_trees=False)
        """
        for name, value in given.items():
            if name not in self.unsupported:
                continue
            wanted = check_flag(name, value) if name.startswith("keep_") else value is not None
            if wanted:
                said = f"`{name}`" if name == "sample_weight" else f"{name}={value!r}"
                raise ValueError(
                    f"{said} is not compatible with prior={self.label}, {self.unsupported[name]}"
                )


def check_prior(prior: Any) -> TreePrior:
    """Return `prior` if it is a tree prior."""
    if isinstance(prior, TreePrior) and type(prior) is not TreePrior:
        return prior
    raise TypeError(
        "`prior` must be a tree prior such as bayesvc.DART() or bayesvc.BART(), with the "
        f"parentheses. Got {prior!r} instead."
    )


def prior_classes() -> Iterator[type[TreePrior]]:
    """Yield the classes of priors there are: the package's own, and the users'."""
    found = [TreePrior]
    for kind in found:
        found += [child for child in kind.__subclasses__() if child not in found]
        if kind is not TreePrior:
            yield kind


def prior_to_dict(prior: TreePrior) -> dict[str, Any]:
    """Return the settings of `prior` as a dict that JSON can hold."""
    if isinstance(prior, UnknownPrior):
        return dict(prior.record)
    return {"kind": type(prior).__name__, **dataclasses.asdict(prior)}


def unusual_settings(prior: TreePrior) -> dict[str, Any]:
    """Return the settings of `prior` that differ from the usual ones.

    Examples
    --------
    >>> import bayesvc as bv
    >>> from bayesvc.priors.base import unusual_settings
    >>> unusual_settings(bv.DART(a=1.0, k="learned"))
    {'k': 'learned', 'a': 1.0}
    """
    usual = {field.name: field.default for field in dataclasses.fields(prior)}
    settings = {**prior_to_dict(prior), "moves": prior.moves}
    del settings["kind"]
    return {
        name: value for name, value in settings.items() if name not in usual or value != usual[name]
    }


def prior_from_dict(settings: Mapping[str, Any]) -> TreePrior:
    """Return the prior that `prior_to_dict` described.

    Where its class is not defined in this process, the settings that all priors share are kept,
    and the rest as a record; such a prior cannot be sampled.
    """
    arguments = dict(settings)
    name = arguments.pop("kind")
    for kind in prior_classes():
        if kind.__name__ == name and kind is not UnknownPrior:
            return kind(**arguments)
    shared = {field.name for field in dataclasses.fields(TreePrior)}
    missing = sorted(shared - arguments.keys() - _LATER_SETTINGS)
    if missing:
        raise ValueError(
            f"the prior {name!r} is unknown, and its settings lack {', '.join(map(repr, missing))}"
        )
    known = {key: arguments[key] for key in shared & arguments.keys()}
    return UnknownPrior(**known, record=_Record(settings))


class _Record(dict[str, Any]):
    """A dict that is not changed, and so can be hashed."""

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(repr(sorted(self.items())))


@dataclass(frozen=True, kw_only=True)
class UnknownPrior(TreePrior):
    """A prior from a file whose class is not defined in this process."""

    record: Mapping[str, Any]

    unsupported: ClassVar[Mapping[str, str]] = {}

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set("label", self.kind)

    @property
    def kind(self) -> str:
        """Name of the class that the prior had."""
        return str(self.record["kind"])

    def splitting(self, n_variables: int) -> dict[str, Any]:
        """Raise ValueError: how this prior splits is not known here."""
        raise ValueError(
            f"The prior {self.kind!r} was read from a file, and its class is not defined here, so "
            "it cannot be sampled. Define or import the class, then load the file again."
        )


def _check_k(k: Any) -> float | Literal["learned"]:
    if isinstance(k, str) and k == "learned":
        return "learned"
    remedy = "the usual value is 2"
    return check_number("k", k, least=1e-3, most=1e6, remedy=remedy, alternative="'learned'")


def _check_split_weights(weights: Any) -> tuple[float, ...]:
    remedy = "pass one non-negative number per column of X, at least one of them positive"
    wanted = "a sequence of numbers"
    try:
        array = np.asarray(weights, dtype=np.float64)
    except (TypeError, ValueError):
        raise TypeError(must_be("split_weights", wanted, shown(weights), remedy)) from None
    if array.ndim != 1:
        got = f"{counted(array.ndim, 'dimension')}"
        raise ValueError(must_be("split_weights", "one-dimensional", got, remedy))
    bad = np.flatnonzero(~(np.isfinite(array) & (array >= 0)))
    if bad.size:
        name, got = f"split_weights[{bad[0]}]", str(array[bad[0]])
        raise ValueError(must_be(name, "a finite number of at least 0", got, remedy))
    if not array.any():
        got = f"no positive value in a sequence of length {array.size}"
        raise ValueError(must_be("split_weights", "positive for some column", got, remedy))
    if array.max() > 1e100 or array[array > 0].min() < 1e-100:
        raise ValueError(
            "The positive `split_weights` must lie between 1e-100 and 1e100. Got values from "
            f"{array[array > 0].min():g} to {array.max():g} instead."
        )
    return tuple(array.tolist())
