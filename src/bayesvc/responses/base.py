"""What a kind of response is: the contract that every model of y meets."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from bayesvc._typing import BoolArray, FloatArray, IntArray

if TYPE_CHECKING:
    from bayesvc._core import LinearModel
    from bayesvc.priors.base import TreePrior
    from bayesvc.priors.calibration import Calibration


@dataclass(frozen=True, eq=False)
class EncodedResponse:
    """A response as numbers, with the model of it.

    `classes` holds the two classes of a binary response: 1 stands for ``classes[1]``.
    """

    values: FloatArray
    model: Response
    classes: NDArray[Any] | None = None

    @property
    def response(self) -> str:
        """Name of the kind of response."""
        return self.model.name

    @property
    def content(self) -> FloatArray:
        """Numbers that identify the values, whatever codes these are."""
        return self.model.content(self.values)

    @property
    def rank_scores(self) -> FloatArray:
        """What tests by ranks take for the values."""
        return self.model.rank_scores(self.values)

    def take(self, rows: IntArray | BoolArray) -> EncodedResponse:
        """Return the response of some rows, by number or mask."""
        return replace(self, values=self.values[rows])


class Response(Protocol):
    """A kind of response: how it is encoded, scaled and modelled.

    The compiled sampler has a response model of its own for each of these; see
    ``cpp/response/response_model.hpp``. A response says here what has to be known before and after
    sampling.
    """

    @property
    def name(self) -> str:
        """Name of the kind, as in ``response="binary"``."""
        ...

    @property
    def label(self) -> str:
        """Name in text."""
        ...

    @property
    def description(self) -> str:
        """The model in one sentence."""
        ...

    @property
    def weights_incompatibility(self) -> str | None:
        """Why `sample_weight` cannot be used with this response, or None if it can."""
        ...

    @property
    def has_noise_variance(self) -> bool:
        """Whether sigma is a parameter of the model."""
        ...

    @property
    def is_numeric(self) -> bool:
        """Whether encoded values are the numbers of y, which a `transform` may change."""
        ...

    @property
    def loss(self) -> str | None:
        """Name of the mean squared difference of encoded values and their predicted mean.

        None if it makes no sense.
        """
        ...

    @property
    def compiled(self) -> str:
        """Name of the response model of the compiled sampler."""
        ...

    def detects(self, values: NDArray[Any]) -> bool:
        """Tell whether ``response="auto"`` takes these values for this kind of response."""
        ...

    def encode(self, values: NDArray[Any]) -> EncodedResponse:
        """Return the values as numbers, or raise an error that says what is wrong with them."""
        ...

    def check_prior(self, prior: TreePrior) -> None:
        """Raise ValueError if settings of the prior do not go with this response."""
        ...

    def needs_linear_model(self, prior: TreePrior) -> bool:
        """Tell whether `calibrate` needs the linear model, if there is one."""
        ...

    def can_be_fitted(self, values: FloatArray) -> bool:
        """Tell whether a part of the encoded values says enough to fit the model to it."""
        ...

    def content(self, values: FloatArray) -> FloatArray:
        """Return numbers that identify encoded values, in their order."""
        ...

    def spread(self, values: FloatArray) -> float:
        """Return the sd of encoded values in the units of `sigma_hat`."""
        ...

    def calibrate(
        self,
        prior: TreePrior,
        y: FloatArray,
        n_trees: int,
        *,
        linear_model: LinearModel | None = None,
        weights: FloatArray | None = None,
    ) -> Calibration:
        """Calibrate the prior to encoded values.

        `linear_model` is None where it is not needed, and where it would have as many columns as
        rows.
        """
        ...

    def sampled(
        self, values: FloatArray, calibration: Calibration
    ) -> tuple[FloatArray, dict[str, FloatArray]]:
        """Return what the compiled sampler takes for encoded values, and settings that go with it.

        The settings do not depend on the order of the rows.
        """
        ...

    def leaf_sd(self, prior: TreePrior, n_trees: int) -> float:
        """Return the prior sd of a leaf's value on the scale of the trees, or its median."""
        ...

    def mean(self, sums: FloatArray, calibration: Calibration) -> FloatArray:
        """Turn sums of trees, in their place, into what is predicted."""
        ...

    def from_errors_scale(self, values: FloatArray) -> FloatArray:
        """Turn values on the scale to which errors are added into the units of y."""
        ...

    def average(self, values: FloatArray) -> FloatArray:
        """Return the estimate at each row from what `mean` gives for every draw: (draws, rows)."""
        ...

    def mean_label(self, classes: NDArray[Any] | None) -> str:
        """Return what is predicted, for an axis."""
        ...

    def describe(self, classes: NDArray[Any] | None) -> str:
        """Return the kind of response, with its classes, for a report."""
        ...

    def explained_variance(self, fitted: FloatArray, y: FloatArray) -> float:
        """Return the proportion of the variance that the sum of trees `fitted` explains."""
        ...

    def residuals(self, fitted: FloatArray, y: FloatArray) -> FloatArray | None:
        """Return what the sum of trees `fitted` leaves of y; None if there are no residuals."""
        ...

    def rank_scores(self, values: FloatArray) -> FloatArray:
        """Return a number for each encoded value, larger for what is more of y.

        Tests by ranks use them.
        """
        ...

    def strata(self, encoded: EncodedResponse) -> list[tuple[str, IntArray]]:
        """Return name and rows of the parts that a subsample draws from separately."""
        ...

    def offsets_by_count(self, n_rows: int) -> FloatArray:
        """Return the offset of a part of `n_rows` rows for each number of ones in it.

        Empty where the offset is always 0. Approximate Bayesian computation needs it, since it
        calibrates each forest to rows of its own.
        """
        ...


class PlainResponse:
    """What responses have in common whose encoded values say all that is known of y."""

    is_numeric: ClassVar[bool] = True

    def can_be_fitted(self, values: FloatArray) -> bool:
        """Tell whether the values vary."""
        return bool(np.ptp(values) > 0)

    def content(self, values: FloatArray) -> FloatArray:
        """Return the values."""
        return values

    def spread(self, values: FloatArray) -> float:
        """Return the sd of the values."""
        return float(values.std())

    def sampled(
        self, values: FloatArray, calibration: Calibration
    ) -> tuple[FloatArray, dict[str, FloatArray]]:
        """Return the values on the scale of the trees."""
        return calibration.scale(values), {}

    def from_errors_scale(self, values: FloatArray) -> FloatArray:
        """Return the values: errors are added in the units of y."""
        return values

    def average(self, values: FloatArray) -> FloatArray:
        """Return the mean over the draws."""
        return np.asarray(values.mean(axis=0))

    def residuals(self, fitted: FloatArray, y: FloatArray) -> FloatArray | None:
        """Return the differences."""
        return y - fitted

    def rank_scores(self, values: FloatArray) -> FloatArray:
        """Return the values."""
        return values
