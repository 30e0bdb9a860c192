"""What a kind of response is: the contract that every model of y meets."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol

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
    def loss(self) -> str:
        """Name of the mean squared difference of encoded values and their predicted mean."""
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

    def leaf_sd(self, prior: TreePrior, n_trees: int) -> float:
        """Return the prior sd of a leaf's value on the scale of the trees, or its median."""
        ...

    def mean(self, sums: FloatArray, calibration: Calibration) -> FloatArray:
        """Turn sums of trees, in their place, into what is predicted."""
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

    def strata(self, encoded: EncodedResponse) -> list[tuple[str, IntArray]]:
        """Return name and rows of the parts that a subsample draws from separately."""
        ...

    def offsets_by_count(self, n_rows: int) -> FloatArray:
        """Return the offset of a part of `n_rows` rows for each number of ones in it.

        Empty where the offset is always 0. Approximate Bayesian computation needs it, since it
        calibrates each forest to rows of its own.
        """
        ...
