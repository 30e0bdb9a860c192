"""BART: every variable equally likely in a rule."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from bayesvc.priors.base import TreePrior


@dataclass(frozen=True, kw_only=True)
class BART(TreePrior):
    """Bayesian additive regression trees; every variable is equally likely in a rule.

    Parameters
    ----------
    k : float or "learned", default 2.0
        Leaf values shrink more for larger `k`: their prior sd is ``0.5 / (k sqrt(n_trees))`` on
        the scaled response, ``3 / (k sqrt(n_trees))`` for a binary one. With "learned" this sd has
        a half-Cauchy prior with the scale of ``k=2``, restricted to `k` from 1 to 8 (from 0.5 to
        8 for a binary response), and `Draws.k` holds its draws.
    nu, q : float, default 3.0 and 0.9
        Prior of the error variance: scaled inverse chi-squared with `nu` degrees of freedom, and
        probability `q` that sigma is below `sigma_hat`.
    gamma, beta : float, default 0.95 and 2.0
        A node at depth d splits with prior probability ``gamma * (1 + d) ** -beta``.
    moves : Moves, four or five numbers, or mapping
        Probabilities of birth, death, change, swap and perturb.
    min_samples_leaf : int, default 1
        Least number of rows in a leaf.
    sigma_hat : float, "lm", "lm-uncorrected" or None
        Rough guess of sigma that scales its prior, in the units of y. "lm", the default, is the
        residual sd of the full linear model; "lm-uncorrected" divides by n - 1 there instead of
        by the degrees of freedom. With as many columns as rows or more it is the sd of y.
    sigma : float, optional
        Fixes the error sd, in the units of y, instead of sampling it.
    split_weights : sequence of float, optional
        Prior weight of each variable in a rule, one non-negative number per column of X, or
        where columns are grouped per variable.
    errors : {"gaussian", "student", "auto"}
        Distribution of y around the sum of trees. "student" is Student's t, whose degrees of
        freedom are learned, so that outlying values of y have little influence; sigma is then its
        scale. "auto" takes it if a value of y lies more than 4 robust standard deviations from
        the median, and normal errors otherwise.
    transform : {"normal-scores", "auto"}, optional
        "normal-scores" fits the trees to normal quantiles of the ranks of y, so that the result
        does not depend on the scale on which y was measured. Predictions stay in the units of y,
        within its observed range; sigma is that of the scores. "auto" does so if y is skewed: one
        of its 5 % and 95 % quantiles is more than 2.3 times as far from the median as the other.

    Examples
    --------
    >>> import bayesvc as bv
    >>> bv.BART(k=3).k
    3.0
    """

    name: ClassVar[str] = "bart"
    label: ClassVar[str] = "BART"
