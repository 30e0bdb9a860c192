"""Binary responses: a sum of trees in a probit model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from bayesvc._text import quoted
from bayesvc._typing import FloatArray, IntArray
from bayesvc.priors.calibration import Calibration, leaf_sd, round12
from bayesvc.responses.base import EncodedResponse, PlainResponse

if TYPE_CHECKING:
    from bayesvc._core import LinearModel
    from bayesvc.priors.base import TreePrior

# Lets a learned k fall to 0.5. The range of a continuous y bounds the sum of trees, and so the leaf
# values; nothing bounds that of a probit model where the classes are nearly separable.
_LEAF_SD_LIMIT = 4.0


@dataclass(frozen=True)
class Probit(PlainResponse):
    """A binary response: the probability of the second class is Phi of a sum of trees.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesvc.responses import Probit
    >>> Probit().encode(np.array(["no", "yes", "no"])).values
    array([0., 1., 0.])
    """

    name: ClassVar[str] = "binary"
    label: ClassVar[str] = "binary"
    description: ClassVar[str] = "a probit model of a sum of trees"
    weights_incompatibility: ClassVar[str | None] = (
        "the probit model of a binary response has no error variance for weights to scale. Leave "
        "`sample_weight` out, repeat rows instead, or pass response='continuous'."
    )
    has_noise_variance: ClassVar[bool] = False
    is_numeric: ClassVar[bool] = False
    loss: ClassVar[str | None] = "Brier score"
    compiled: ClassVar[str] = "probit"

    def detects(self, values: NDArray[Any]) -> bool:
        """Take booleans, text, and numbers that are all 0 or 1."""
        if values.dtype.names is not None:
            return False
        if values.dtype.kind in "bU":
            return True
        return bool(values.size and np.all((values == 0) | (values == 1)) and np.ptp(values) > 0)

    def encode(self, values: NDArray[Any]) -> EncodedResponse:
        """Return 0 for the first of two classes, in their order, and 1 for the second."""
        classes = np.unique(values)
        if classes.size < 2:
            raise ValueError(
                f"`y` must hold two classes for a binary response. Got only {classes.tolist()} "
                "instead."
            )
        if classes.size > 2:
            shown = quoted([str(value) for value in classes.tolist()])
            raise ValueError(
                f"`y` must hold two classes for a binary response. Got {classes.size} classes "
                f"({shown}) instead. Merge or drop classes, or pass numbers with "
                "response='continuous'."
            )
        return EncodedResponse((values == classes[1]).astype(np.float64), self, classes)

    def check_prior(self, prior: TreePrior) -> None:
        """Raise ValueError for settings of the errors, which a probit model does not have.

        "auto" is accepted: there is nothing to decide.
        """
        for name in ("sigma", "sigma_hat"):
            value = getattr(prior, name)
            if isinstance(value, float):
                raise ValueError(
                    f"`{name}` must be None for a binary response, whose latent sigma is 1. Got "
                    f"{value!r} instead. Leave it out, or pass response='continuous'."
                )
        for name, usual in (("errors", "gaussian"), ("transform", None)):
            value = getattr(prior, name)
            if value not in (usual, "auto"):
                raise ValueError(
                    f"`{name}` must be {usual!r} or 'auto' for a binary response, whose latent "
                    f"errors are normal. Got {value!r} instead. Leave it out, or pass "
                    "response='continuous'."
                )

    def needs_linear_model(self, prior: TreePrior) -> bool:
        """Return False: sigma is 1."""
        return False

    def calibrate(
        self,
        prior: TreePrior,
        y: FloatArray,
        n_trees: int,
        *,
        linear_model: LinearModel | None = None,
        weights: FloatArray | None = None,
    ) -> Calibration:
        """Take the offset from the proportion of ones, and let a learned leaf sd become large."""
        from scipy.special import ndtri

        offset = round12(float(ndtri(y.mean())))
        own_leaf_sd = self.leaf_sd(prior, n_trees)
        return Calibration(self.compiled, own_leaf_sd, offset=offset, leaf_sd_limit=_LEAF_SD_LIMIT)

    def leaf_sd(self, prior: TreePrior, n_trees: int) -> float:
        """Return the prior sd of a leaf's value on the scale of the latent normal."""
        return leaf_sd(prior, n_trees, 3.0)

    def mean(self, sums: FloatArray, calibration: Calibration) -> FloatArray:
        """Turn sums of trees, in their place, into the probability of the second class."""
        from scipy.special import ndtr

        sums += calibration.offset
        return np.asarray(ndtr(sums, out=sums))

    def mean_label(self, classes: NDArray[Any] | None) -> str:
        """Return which probability `mean` is, for an axis."""
        return f"probability of {1 if classes is None else classes[1]}"

    def describe(self, classes: NDArray[Any] | None) -> str:
        """Return the two classes."""
        return self.label if classes is None else f"{self.label}: {classes[1]} against {classes[0]}"

    def explained_variance(self, fitted: FloatArray, y: FloatArray) -> float:
        """Return the variance of the fitted values as a proportion of the latent variance.

        The latter is that of the fitted values and of the errors, which is 1.
        """
        spread = float(np.var(fitted))
        return spread / (1 + spread)

    def residuals(self, fitted: FloatArray, y: FloatArray) -> None:
        """Return None: classes less latent values would be no residuals."""

    def strata(self, encoded: EncodedResponse) -> list[tuple[str, IntArray]]:
        """Return the rows of each class, so that a subsample holds both in proportion."""
        assert encoded.classes is not None
        return [
            (f"rows of class {label!r}", np.flatnonzero(encoded.values == k))
            for k, label in enumerate(encoded.classes.tolist())
        ]

    def offsets_by_count(self, n_rows: int) -> FloatArray:
        """Return the offset for each number of ones among the rows.

        Where all rows are of one class it is taken half a row away, where it is finite.
        """
        from scipy.special import ndtri

        shares = np.clip(np.arange(n_rows + 1) / n_rows, 0.5 / n_rows, 1 - 0.5 / n_rows)
        return np.array([round12(float(offset)) for offset in ndtri(shares)])
