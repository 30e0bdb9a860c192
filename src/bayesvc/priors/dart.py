"""DART: a Dirichlet prior on how often variables appear in rules."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from bayesvc._validation import check_choice, check_number
from bayesvc.priors.base import TreePrior


@dataclass(frozen=True, kw_only=True)
class DART(TreePrior):
    """BART with a Dirichlet prior on the splitting probabilities, which favours few variables.

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
        `k`, `nu`, `q`, `gamma`, `beta`, `moves`, `min_samples_leaf`, `sigma_hat`, `sigma`,
        `split_weights`, `errors` and `transform` as in `BART`.

    Examples
    --------
    >>> import bayesvc as bv
    >>> bv.DART(a=1.0).a
    1.0
    """

    name: ClassVar[str] = "dart"
    label: ClassVar[str] = "DART"

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

    def splitting(self, n_variables: int) -> dict[str, Any]:
        """Return the settings of the compiled sampler that say how rules choose their variables."""
        return {
            "splitting": "collapsed" if self.form == "auto" else self.form,
            "weights": self.variable_weights(n_variables),
            "alpha": math.nan if self.alpha is None else self.alpha,
            "a": self.a,
            "b": self.b,
            "rho": float(n_variables) if self.rho is None else self.rho,
        }
